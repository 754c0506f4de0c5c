/** Sentences about the sections and hunks of a patch. */
import { limits } from "../../text/limits.js";
import {
  type Absence,
  placeOf,
  plainLines,
  type QuotedPlace,
  quoted,
  sayAbsence,
  sayNearest,
} from "../explain/sentences.js";
import {
  type At,
  clip,
  count,
  makeFailure,
  type NearestRegion,
  nameOf,
  quote,
  times,
  type UnseenText,
} from "../failure.js";

/** A hunk whose lines were not found. */
export interface HunkAbsence extends Omit<Absence, "inBatch"> {
  /** The anchor, or the 1-based line, after which the search began; `undefined` if it began at the file's start. */
  readonly behind: string | number | undefined;
  /** `true` if the lines were then searched for in the whole file. */
  readonly everywhere: boolean;
  /** `true` if earlier sections changed the text that was searched. */
  readonly inBatch: boolean;
  /** An anchor that is not a line of the file either; `undefined` if there is none. */
  readonly anchor: string | undefined;
  /** Context lines that may have been meant to be added; `undefined` if there are none. */
  readonly unsigned: MeantToAdd | undefined;
}

/** Context lines of a hunk that the file lacks, and that were probably meant to be added. */
export interface MeantToAdd {
  /** The first of them. */
  readonly text: string;
  /** Its 1-based line of the patch if it has no sign; `undefined` if it has a space as its sign. */
  readonly patchLine: number | undefined;
  /** The number of further such lines. */
  readonly more: number;
  /** The 1-based line at which the rest of the hunk matches, if it matches only once; otherwise `undefined`. */
  readonly restAt: number | undefined;
}

/** A line of context that would leave an ambiguous hunk only one of its matches. Line numbers are 1-based. */
export interface TellingContext {
  /** The match, as the line at which it starts. */
  readonly match: number;
  readonly kind: "above" | "below";
  readonly line: number;
  readonly text: string;
}

/** An anchor that was not found. */
export interface AnchorAbsence {
  readonly anchor: string;
  /** The 1-based line after which the search began; `undefined` if it began at the start of the file. */
  readonly behind: number | undefined;
  /** The 1-based line where the hunk's lines match, if they match only once; otherwise `undefined`. */
  readonly linesAt: number | undefined;
  readonly nearest: readonly NearestRegion[];
}

/** The reason a hunk is idle (would change nothing). */
export interface Idle {
  /** `true` if the hunk removes and adds the same lines; `false` if it neither removes nor adds any. */
  readonly isSigned: boolean;
}

/** Returns the reason a hunk would change nothing, as a clause with the subject `name`. */
const sayIdle = (name: string, { isSigned }: Idle): string =>
  isSigned ? `${name} removes and adds the same lines` : `${name} has no line that begins with - or +`;

/** Ends a sentence about unsaved changes with those that the caller has not seen. */
export function sayUnseen({ lines, more, gap }: UnseenText): string {
  if (lines.length > 0) {
    const shown = lines.map(({ line, text }) => `\n${line}| ${clip(text, 80)}`).join("");
    return `, which you have not seen:${shown}${more > 0 ? "\n…" : ""}\n`;
  }
  if (gap === undefined) return ".";
  return `, which you have not seen: lines were removed ${gap === "end" ? "at the end" : `before line ${gap}`}.`;
}

const timesOrMore = (found: number): string => (found >= limits.hunkPlaces ? `${found} or more times` : times(found));

/** Returns sentences about context lines that were probably meant to be added; none if there are none. */
function sayMeantToAdd(unsigned: MeantToAdd | undefined): string[] {
  if (unsigned === undefined) return [];
  const { text, patchLine, more, restAt } = unsigned;
  const also = more === 0 ? "" : ` (and ${count(more, "more line")})`;
  const what =
    patchLine === undefined
      ? `Its context line ${quote(text)}${also} is not in the file`
      : `Line ${patchLine} of the patch, ${quote(text)}${also}, has no sign and was read as context`;
  const rest = restAt === undefined ? "" : `; the rest of the hunk matches at line ${restAt}`;
  return [`${what}: if it is new, write + in front of it${rest}.`];
}

/** Returns sentences about the context that would make a hunk unique; empty if there are none. */
function sayTelling(telling: readonly TellingContext[]): string {
  return telling
    .map(({ match, kind, line, text }) => {
      const how = kind === "above" ? "start the context at" : "extend the context to";
      return `For the match at line ${match}, ${how} line ${line}: ${quote(text, 100)}.`;
    })
    .join(" ");
}

/** Reasons why it is unknown how to indent the added lines of a hunk. */
const unevenReasons = {
  disagreement: (name: string): string =>
    `The lines of ${name} have a different indentation in the file, and not all of them by the same amount, so it is unknown how to indent the added lines.`,
  misfit: (name: string): string =>
    `The removed lines of ${name} have a different indentation in the file, and an added line cannot be indented likewise.`,
  unclear: (name: string): string =>
    `The lines of ${name} have a different indentation in the file, and its added lines may already have the indentation of the file.`,
} as const;

/** Failures to place a hunk of a patch. */
export const hunkFailures = {
  /** `absence`: set if the file lacks the hunk's lines. `line`: the 1-based line at which the file has them. */
  noChange: (
    at: At,
    { absence, line, ...idle }: Idle & { readonly absence: Absence | undefined; readonly line: number | undefined },
  ) =>
    makeFailure("noChange", at, {
      problem: [
        `${sayIdle(nameOf(at), idle)}, so it would change nothing.`,
        ...(absence === undefined ? [] : ["The file does not contain these lines.", ...sayAbsence(absence)]),
      ].join(" "),
      hint: "Write the current line after - and the new line after +.",
      ...(absence === undefined ? (line === undefined ? {} : { line }) : placeOf(absence)),
    }),
  noLines: (at: At, { behind, everywhere, inBatch, anchor, unsigned, ...absence }: HunkAbsence) =>
    makeFailure("contextNotFound", at, {
      problem: [
        `The context and removed lines of ${nameOf(at)} were not found${inBatch ? " in the text as changed by the earlier sections" : ""}${behind === undefined ? "" : `${inBatch ? "," : ""} after ${typeof behind === "number" ? `line ${behind} (the end of the previous hunk)` : quote(behind)}${everywhere ? " or elsewhere" : ""}`}.`,
        ...(anchor === undefined ? [] : [`Its anchor ${quote(anchor, 160)} is not a line of the file either.`]),
        ...sayMeantToAdd(unsigned),
        ...sayAbsence(absence),
      ].join(" "),
      hint: "Copy these lines from the current file, each prefixed with a space or -.",
      ...placeOf(absence),
    }),
  /** `line`: the 1-based line of the file that the hunk has as context and removes. */
  sentTwice: (at: At, text: string, line: number) =>
    makeFailure("contextNotFound", at, {
      problem: `The context and removed lines of ${nameOf(at)} were not found: the line ${quote(text.trim())} occurs once in the file, at line ${line}, but the hunk has it as context and removes it, too.`,
      hint: "Send the line once: with - to remove it, or with a space to keep it.",
      line,
    }),
  beforeAnchor: (at: At, anchor: string, line: number) =>
    makeFailure("contextNotFound", at, {
      problem: `The context and removed lines of ${nameOf(at)} occur only at line ${line}, before the anchor ${quote(anchor, 160)} rather than after it.`,
      hint: "After @@, write either nothing or one whole line that precedes the hunk in the file.",
      line,
    }),
  noAnchor: (at: At, { anchor, behind, linesAt, nearest }: AnchorAbsence) =>
    makeFailure("contextNotFound", at, {
      problem: [
        `The anchor ${quote(anchor, 160)} of ${nameOf(at)} is not a line of the file${behind === undefined ? "" : ` after line ${behind}`}.`,
        ...sayNearest(nearest),
      ].join(" "),
      hint:
        linesAt === undefined
          ? "After @@, write either nothing or one whole line that precedes the hunk in the file."
          : `The hunk's lines occur only at line ${linesAt}: leave the anchor out.`,
      ...(nearest[0] === undefined ? {} : { nearest, line: nearest[0].startLine }),
      ...(linesAt === undefined ? {} : { line: linesAt }),
    }),
  notExplained: (at: At) =>
    makeFailure("contextNotFound", at, {
      problem: `${nameOf(at)} could not be placed. Too many hunks failed, so the server did not search for similar text.`,
      hint: "Copy the hunk's lines from the current file, each prefixed with a space or -.",
    }),
  notAtEnd: (at: At, linesAt: number | undefined) =>
    makeFailure("contextNotFound", at, {
      problem: `${nameOf(at)} must match the end of the file, but its lines do not occur there.`,
      hint:
        linesAt === undefined
          ? "Copy the last lines of the current file, or omit *** End of File."
          : `The hunk's lines occur only at line ${linesAt}: omit *** End of File.`,
      ...(linesAt === undefined ? {} : { line: linesAt }),
    }),
  noContext: (at: At) =>
    makeFailure("contextNotFound", at, {
      problem: `${nameOf(at)} only adds lines, and the line number after @@ does not say where in the file they belong.`,
      hint: "Add a line of context, or follow @@ with the line of the file after which the new lines go.",
    }),
  alreadyApplied: (at: At, line: number) =>
    makeFailure("alreadyApplied", at, {
      problem: `The lines of ${nameOf(at)} were not found, but its new lines are already at line ${line}.`,
      hint: "If this is the intended location, the hunk has already been applied: leave it out. Otherwise, copy the lines from the file.",
      line,
    }),
  uneven: (at: At, { why, absence }: { readonly why: keyof typeof unevenReasons; readonly absence: Absence }) =>
    makeFailure("contextNotFound", at, {
      problem: [unevenReasons[why](nameOf(at)), ...sayAbsence(absence)].join(" "),
      hint: "Copy the lines from the current file with their indentation, and indent the added lines to match.",
      ...placeOf(absence),
    }),
  /**
   * `asked`: the hunk's line number, which did not decide. `isMixed`: `true` if the first match is on a stricter rung than
   * the last one. `anchoring`: `anchored` if the hunk has an anchor other than a line number, or `strict` if anchors select
   * the first match, as in Codex.
   */
  ambiguous: (
    at: At,
    {
      found,
      rung,
      matches,
      line: asked,
      isMixed,
      telling,
      anchoring,
    }: {
      found: number;
      rung: string;
      matches: readonly QuotedPlace[];
      line: number | undefined;
      isMixed: boolean;
      telling: readonly TellingContext[];
      anchoring: "none" | "anchored" | "strict";
    },
  ) => {
    const line = matches[0]?.line ?? 1;
    // Without the anchor, the lines may match more strictly elsewhere, and then the line number would not matter.
    const context = `${anchoring === "anchored" ? "Instead of the anchor, give" : "Give"} context that only the intended match has`;
    const advice =
      anchoring === "anchored" && !isMixed
        ? `${context}, or keep the anchor and put the line number on the next line`
        : `${context}, or its line number`;
    return makeFailure("ambiguousMatch", at, {
      problem: `The lines of ${nameOf(at)} occur ${timesOrMore(found)}${rung === "exact" ? "" : ` (rung ${rung})`}${isMixed ? ", some of them more exactly than others" : ""}${asked === undefined ? "" : `, and line ${asked} does not say which one is meant`}:${quoted(matches)}${found > matches.length ? "\n…" : ""}\n${sayTelling(telling)}`,
      hint:
        anchoring === "strict"
          ? "Add a line of context, or follow @@ with a line that precedes the intended match in the file."
          : `${advice}: "@@ -${line} +${line} @@" selects the first match.`,
      matches: plainLines(matches),
      line,
    });
  },
  ambiguousAnchor: (
    at: At,
    {
      anchor,
      found,
      matches,
      telling,
    }: { anchor: string; found: number; matches: readonly QuotedPlace[]; telling: readonly TellingContext[] },
  ) => {
    const line = matches[0]?.line ?? 1;
    return makeFailure("ambiguousMatch", at, {
      problem: `${nameOf(at)} only adds lines, after the anchor ${quote(anchor, 160)}, which occurs ${timesOrMore(found)}:${quoted(matches)}${found > matches.length ? "\n…" : ""}\n${sayTelling(telling)}`,
      hint: `Instead of the anchor, give context that occurs only once, or the line number: "@@ -${line},0 +${line + 1} @@" adds the lines after the first match.`,
      matches: plainLines(matches),
      line,
    });
  },
} as const;

/** Failures of operations on whole files. */
export const fileFailures = {
  notThere: (
    at: At,
    taken: { readonly by: number; readonly to: string | undefined } | undefined,
    asked: "update" | "delete",
  ) =>
    makeFailure("fileNotFound", at, {
      problem:
        taken === undefined
          ? `${nameOf(at)}: the file does not exist at this point in the patch.`
          : `${nameOf(at)}: edit ${taken.by} of this patch ${taken.to === undefined ? "deleted" : "moved"} the file.`,
      hint:
        taken?.to !== undefined
          ? `Use the file's new path ${quote(taken.to, 160)}.`
          : asked === "delete"
            ? "Leave the section out."
            : taken === undefined
              ? "Add the file before you change it."
              : "Change the file before you delete it, or leave the section out.",
    }),
  exists: (at: At, target: string) =>
    makeFailure("fileExists", at, {
      problem: `${nameOf(at)} would move the file onto ${quote(target, 160)}, which already exists.`,
      hint: "Delete that file first in the same patch, or choose another name.",
    }),
  notNew: (at: At) =>
    makeFailure("fileExists", at, {
      problem: `${nameOf(at)} would create the file, which already exists with another text.`,
      hint: "Read the file, and send the changes to its text.",
    }),
  notEmptied: (at: At) =>
    makeFailure("contextNotFound", at, {
      problem: `${nameOf(at)} would delete the file, but the removed lines are not all of its text.`,
      hint: 'Read the file, and send its deletion with all its lines, or as "*** Delete File: path" in a patch.',
    }),
  circle: (at: At, target: string) =>
    makeFailure("fileExists", at, {
      problem: `${nameOf(at)} moves the file to ${quote(target, 160)}, but the moves of this patch form a circle, so none of the names they need ever becomes free.`,
      hint: "Send the moves as two patches.",
    }),
  notFreed: (at: At, by: number) =>
    makeFailure("fileExists", at, {
      problem: `${nameOf(at)} needs edit ${by} to move or delete a file first, but that edit, or another edit to the same file, failed.`,
      hint: `Correct edit ${by}; edit ${at.index} can then succeed.`,
    }),
  unsaved: (at: At) =>
    makeFailure("dirty", at, {
      problem: `${nameOf(at)} would delete or move a document that is open in the editor and has no file on disk.`,
      hint: "Ask the user to save the document first.",
    }),
  dirty: (at: At, what: "delete" | "move") =>
    makeFailure("dirty", at, {
      problem: `${nameOf(at)} would ${what} a file that has unsaved changes in the editor.`,
      hint: "Ask the user to save or discard the unsaved changes.",
    }),
  /** `unseen`: the unsaved changes that the caller has not seen. */
  wouldReplace: (at: At, unseen: UnseenText) =>
    makeFailure("dirty", at, {
      problem: `${nameOf(at)} would replace the whole text of a file that has unsaved changes in the editor${sayUnseen(unseen)}`,
      hint: 'Change the file with "*** Update File", which keeps the unsaved changes; or read it with read_document, and send a text that keeps them; or ask the user to save or discard them.',
      ...(unseen.lines[0] === undefined ? {} : { line: unseen.lines[0].line }),
      unseen,
    }),
  noFile: (at: At) =>
    makeFailure("invalidParams", at, {
      problem: `${nameOf(at)} would move or delete an editor document that is not a file.`,
      hint: "Only the text of such a document can be changed.",
    }),
  binary: (at: At) =>
    makeFailure("unsupportedEncoding", at, {
      problem: `${nameOf(at)} would write to a file that cannot be read as text.`,
      hint: "Such a file can only be deleted or moved.",
    }),
  belowFile: (at: At) =>
    makeFailure("ioError", at, {
      problem: `${nameOf(at)} needs a folder at a path that this call uses for a file.`,
      hint: "A path cannot be both a file and a folder.",
    }),
} as const;

const replacesAll = ' already exists: "*** Add File" replaces all of its text';

/** Reports whether a warning says that an Add replaced a file's text, which a caller that sent no patch need not know. */
export const isAboutReplacing = (warning: string): boolean => warning.endsWith(replacesAll);

/** Warnings about successful sections of a patch. */
export const patchWarnings = {
  replaced: (path: string): string => `${path}${replacesAll}`,
  anchorIgnored: (at: At, anchor: string, line: number): string =>
    `${nameOf(at)} was applied at line ${line}, the only match for its lines, although its anchor ${quote(anchor, 160)} is not a line of the file`,
  /** `line`: the 1-based line of the hunk. `twin`: that of another match, before the previous hunk. */
  byOrder: (at: At, line: number, twin: number): string =>
    `${nameOf(at)} was placed by the order of the edits: its lines occur at line ${line} and, before the previous edit, at line ${twin}`,
  idle: (at: At, idle: Idle): string =>
    `${nameOf(at)} changes nothing: ${sayIdle("it", idle)}. If you intended a change, it has not been made`,
} as const;
