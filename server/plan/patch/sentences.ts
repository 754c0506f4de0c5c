/** Sentences about the sections and hunks of a patch. */
import { limits } from "../../text/limits.js";
import {
  type Absence,
  type Disambiguation,
  placeOf,
  plainLines,
  type QuotedPlace,
  quoted,
  sayAbsence,
  sayDisambiguation,
  sayNearest,
} from "../explain/sentences.js";
import { type At, count, makeFailure, type NearestRegion, nameOf, quote } from "../failure.js";

/** What is known about a hunk whose lines were not found. */
export interface HunkAbsence extends Omit<Absence, "inBatch"> {
  /** The anchor or the 1-based line behind which they were looked for first; `undefined`: from the start. */
  readonly behind: string | number | undefined;
  /** Whether they were then looked for in the whole file. */
  readonly everywhere: boolean;
  /** Whether earlier sections changed the text that was searched. */
  readonly inBatch: boolean;
}

/** What is known about an anchor that was not found. */
export interface AnchorAbsence {
  readonly anchor: string;
  /** The 1-based line behind which it was looked for first; `undefined`: from the start. */
  readonly behind: number | undefined;
  /** The 1-based line at which the hunk's lines stand, if that is the only place. */
  readonly linesAt: number | undefined;
  readonly nearest: readonly NearestRegion[];
}

/** An idle hunk: why it would change nothing. */
export interface Idle {
  /** `true`: it has lines that go or come, and the same ones do both. */
  readonly isSigned: boolean;
}

/** The reason why a hunk would change nothing, about whatever `name` says. */
const sayIdle = (name: string, { isSigned }: Idle): string =>
  isSigned ? `The lines of ${name} are the same with - and with +` : `No line of ${name} begins with - or +`;

/** Failures of placing a hunk of a patch. */
export const hunkFailures = {
  /** `absence` is of lines that the file does not have either; `line` is the 1-based one at which it has them. */
  noChange: (
    at: At,
    { absence, line, ...idle }: Idle & { readonly absence: Absence | undefined; readonly line: number | undefined },
  ) =>
    makeFailure("noChange", at, {
      problem: [
        `${sayIdle(nameOf(at), idle)}, so it would change nothing.`,
        ...(absence === undefined ? [] : ["The file does not have its lines.", ...sayAbsence(absence)]),
      ].join(" "),
      hint: "Write the line as it is with -, and as it should be with +.",
      ...(absence === undefined ? (line === undefined ? {} : { line }) : placeOf(absence)),
    }),
  noLines: (at: At, { behind, everywhere, inBatch, ...absence }: HunkAbsence) =>
    makeFailure("contextNotFound", at, {
      problem: [
        `The context and removed lines of ${nameOf(at)} were not found${inBatch ? " in the text after the sections before it" : ""}${behind === undefined ? "" : `${everywhere ? ", neither " : " "}behind ${typeof behind === "number" ? `line ${behind}, where the hunk before it ends` : quote(behind)}${everywhere ? ", nor elsewhere" : ""}`}.`,
        ...sayAbsence(absence),
      ].join(" "),
      hint: "Copy these lines from the file as it is now, each with its sign in front.",
      ...placeOf(absence),
    }),
  beforeAnchor: (at: At, anchor: string, line: number) =>
    makeFailure("contextNotFound", at, {
      problem: `The context and removed lines of ${nameOf(at)} stand at line ${line} and nowhere else, but that is in front of the anchor ${quote(anchor, 160)}, and not behind it.`,
      hint: "Write behind @@ a line that stands in front of them, or nothing.",
      line,
    }),
  noAnchor: (at: At, { anchor, behind, linesAt, nearest }: AnchorAbsence) =>
    makeFailure("contextNotFound", at, {
      problem: [
        `The anchor ${quote(anchor, 160)} of ${nameOf(at)} is no line of the file${behind === undefined ? "" : ` behind line ${behind}`}.`,
        ...sayNearest(nearest),
      ].join(" "),
      hint:
        linesAt === undefined
          ? "Behind @@ write one whole line of the file that stands in front of the hunk, or nothing."
          : `The hunk's lines stand at line ${linesAt} and nowhere else: leave the anchor out.`,
      ...(nearest[0] === undefined ? {} : { nearest, line: nearest[0].startLine }),
      ...(linesAt === undefined ? {} : { line: linesAt }),
    }),
  notExplained: (at: At) =>
    makeFailure("contextNotFound", at, {
      problem: `${nameOf(at)} has no certain place. What is near it was not looked for, because too many hunks have failed.`,
      hint: "Copy the lines from the file as it is now, each with its sign in front.",
    }),
  notAtEnd: (at: At, linesAt: number | undefined) =>
    makeFailure("contextNotFound", at, {
      problem: `${nameOf(at)} is to stand at the end of the file, but the file does not end with its lines.`,
      hint:
        linesAt === undefined
          ? "Copy the file's last lines as they are now, or leave *** End of File out."
          : `They stand at line ${linesAt}: leave *** End of File out.`,
      ...(linesAt === undefined ? {} : { line: linesAt }),
    }),
  noContext: (at: At) =>
    makeFailure("contextNotFound", at, {
      problem: `${nameOf(at)} only adds lines, and the line number behind @@ does not say between which lines of the file they belong.`,
      hint: "Add a line of context, or write behind @@ the line behind which they go.",
    }),
  alreadyApplied: (at: At, line: number) =>
    makeFailure("alreadyApplied", at, {
      problem: `The lines of ${nameOf(at)} were not found, but what it makes of them stands at line ${line} already.`,
      hint: "If that is the place that was meant, it is done: leave this hunk out. Else copy the lines from the file.",
      line,
    }),
  ambiguous: (
    at: At,
    {
      found,
      rung,
      matches,
      near,
      telling,
    }: {
      found: number;
      rung: string;
      matches: readonly QuotedPlace[];
      near: number | undefined;
      telling: Disambiguation | undefined;
    },
  ) =>
    makeFailure("ambiguousMatch", at, {
      problem: `The lines of ${nameOf(at)} stand ${found >= limits.hunkPlaces ? `${found} times or more` : count(found, "time")}${rung === "exact" ? "" : ` (rung ${rung})`}${near === undefined ? "" : ` equally near to line ${near}`}:${quoted(matches)}${found > matches.length ? "\n…" : ""}\n`,
      hint: `${sayDisambiguation(telling)}Add a line of context, or write behind @@ a line that stands in front of the right place.`,
      matches: plainLines(matches),
      ...(matches[0] === undefined ? {} : { line: matches[0].line }),
    }),
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
          ? `${nameOf(at)}: there is no such file at this point of the patch.`
          : `${nameOf(at)}: edit ${taken.by} of this patch has ${taken.to === undefined ? "deleted" : "moved"} the file.`,
      hint:
        taken?.to !== undefined
          ? `Use its new path ${quote(taken.to, 160)}.`
          : asked === "delete"
            ? "Leave the section out."
            : taken === undefined
              ? "Add the file before it is changed."
              : "Change the file before it is deleted, or leave the section out.",
    }),
  exists: (at: At, target: string) =>
    makeFailure("fileExists", at, {
      problem: `${nameOf(at)} would move the file onto ${quote(target, 160)}, which exists.`,
      hint: "Delete that file first in the same patch, or choose another name.",
    }),
  circle: (at: At, target: string) =>
    makeFailure("fileExists", at, {
      problem: `${nameOf(at)} moves the file to ${quote(target, 160)}, and the files of this patch are moved in a circle, so that no name is ever free.`,
      hint: "Send the moves as two patches.",
    }),
  notFreed: (at: At, by: number) =>
    makeFailure("fileExists", at, {
      problem: `${nameOf(at)} relies on edit ${by}, which should have moved or deleted a file, but failed or stood beside one that failed.`,
      hint: `Correct edit ${by}; this one then goes through.`,
    }),
  unsaved: (at: At) =>
    makeFailure("dirty", at, {
      problem: `${nameOf(at)} would delete or move a document that is open in the editor, but not the text of a file on disk.`,
      hint: "Ask the user to save it first.",
    }),
  dirty: (at: At, what: "delete" | "move") =>
    makeFailure("dirty", at, {
      problem: `${nameOf(at)} would ${what} a file that has unsaved changes in the editor.`,
      hint: "Ask the user to save or discard them.",
    }),
  wouldReplace: (at: At) =>
    makeFailure("dirty", at, {
      problem: `${nameOf(at)} would replace all of a text that has unsaved changes in the editor.`,
      hint: 'Change it with "*** Update File", which keeps them, or ask the user to save or discard them.',
    }),
  noFile: (at: At) =>
    makeFailure("invalidParams", at, {
      problem: `${nameOf(at)} would move or delete a document of the editor that is no file.`,
      hint: "Only its text can be changed.",
    }),
  binary: (at: At) =>
    makeFailure("unsupportedEncoding", at, {
      problem: `${nameOf(at)} would write into a file that can't be read as text.`,
      hint: "Such a file can only be deleted.",
    }),
  belowFile: (at: At) =>
    makeFailure("ioError", at, {
      problem: `${nameOf(at)} lies below a path that is a file in this very call.`,
      hint: "A file can't be a folder, too.",
    }),
} as const;

/** Warnings about sections of a patch that go through. */
export const patchWarnings = {
  replaced: (path: string): string => `${path} was there: all of its text is replaced by what "*** Add File" has`,
  idle: (at: At, idle: Idle): string =>
    `${nameOf(at)} changes nothing: ${sayIdle("it", idle).replace(/^[TN]/, (letter) => letter.toLowerCase())}. If a change was meant, it is still missing`,
} as const;
