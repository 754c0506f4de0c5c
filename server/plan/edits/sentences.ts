/** Sentences about edits that cannot be placed in their file, or that conflict with each other. */
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
import { type At, count, makeFailure, type NearestRegion, nameOf, quote, times } from "../failure.js";
import type { Repeated } from "./insertions.js";

/** Returns advice to merge two edits into one that replaces both. */
export const mergeWith = (other: number): string => `Merge it and edit ${other} into a single edit.`;

/** An old text with several matches, none of which the edit singles out. */
export interface Ambiguity {
  readonly found: number;
  readonly rung: string;
  readonly matches: readonly QuotedPlace[];
  /** The 1-based `line` that the caller sent; `undefined` if the caller sent none. */
  readonly nearLine: number | undefined;
  readonly telling: Disambiguation | undefined;
  /** `true` if all matches start on the same line, so that no line can single one out. */
  readonly isOneLine: boolean;
}

/** Advice to add a neighbouring line, for rungs on which the old text differs from the file's text. */
const neighbours: Readonly<Record<string, string>> = {
  indentation: "Send the old and new text with the file's own indentation and a neighbouring line",
  viewPrefix: "Send the old and new text without the line numbers and with a neighbouring line",
};

/** Failures to place an edit in its text. */
export const editFailures = {
  emptyOldText: (at: At, { first }: { first: boolean }) =>
    makeFailure("emptyOldText", at, {
      problem: first
        ? `The old text of ${nameOf(at)} is empty, but the file exists and is not empty.`
        : `The old text of ${nameOf(at)} is empty, but the edit is not the first one for its file.`,
      hint: "An empty old text can only create a file or fill an empty one. To insert text, send a neighbouring line as the old text, and that line plus the insertion as the new text.",
    }),
  noChange: (at: At) =>
    makeFailure("noChange", at, {
      problem: `The old and new text of ${nameOf(at)} are the same.`,
      hint: "Leave the edit out, or send the intended new text.",
    }),
  /** `line`: the line that stands for the left-out code. */
  leftOutCode: (at: At, line: string) =>
    makeFailure("leftOutCode", at, {
      problem: `The new text of ${nameOf(at)} has the line ${quote(line)}, and the code that this line stands for would be lost.`,
      hint: "Write the code out, or leave it out of both texts. If the line itself belongs in the file, send it in an edit of its own.",
    }),
  /** `line`: the first of the lines. */
  lineNumbers: (at: At, line: string) =>
    makeFailure("invalidParams", at, {
      problem: `The lines of the new text of ${nameOf(at)} begin with line numbers, as in ${quote(line)}, but the lines of the file have none there.`,
      hint: "Send the lines without the numbers. If the numbers belong in the file, send the lines together with a line that has none.",
    }),
  noMatch: (at: At, { inBatch, ...absence }: Absence) =>
    makeFailure("noMatch", at, {
      problem: [
        `The old text of ${nameOf(at)} was not found${inBatch ? " in the text as changed by the earlier edits" : ""}.`,
        ...sayAbsence(absence),
      ].join(" "),
      hint: "Copy the old text from the current file.",
      ...placeOf(absence),
    }),
  notExplained: (at: At) =>
    makeFailure("noMatch", at, {
      problem: `The old text of ${nameOf(at)} was not found. Too many edits failed, so the server did not search for similar text.`,
      hint: "Copy the old text from the current file.",
    }),
  inNewText: (at: At, other: number) =>
    makeFailure("noMatch", at, {
      problem: `The old text of ${nameOf(at)} is part of the new text of edit ${other}, but with order "original", every edit is matched against the text as it was before the call.`,
      hint: "Copy the old text from the current file, or merge the two edits.",
    }),
  dependsOnFailed: (at: At, failed: number) =>
    makeFailure("noMatch", at, {
      problem: `The old text of ${nameOf(at)} is part of the new text of edit ${failed}, which failed.`,
      hint: `Correct edit ${failed}; the old text of edit ${at.index} will then be found.`,
    }),
  onlyLenient: (at: At, rung: string, line: number) =>
    makeFailure("noMatch", at, {
      problem: `The old text of ${nameOf(at)} has no exact match; line ${line} matches only on the rung ${rung}, which strict matching does not use.`,
      hint: "Copy the old text from the current file.",
      line,
    }),
  noSuchOccurrence: (at: At, asked: number, found: number) =>
    makeFailure("noMatch", at, {
      problem: `${nameOf(at)} asks for occurrence ${asked}, but its old text occurs ${times(found)}.`,
      hint: found === 1 ? "Leave occurrence out." : `Set occurrence to a number from 1 to ${found}.`,
    }),
  ambiguousMatch: (at: At, { found, rung, matches, nearLine, telling, isOneLine }: Ambiguity) =>
    makeFailure("ambiguousMatch", at, {
      problem: `The old text of ${nameOf(at)} occurs ${times(found)}${rung === "exact" ? "" : ` (rung ${rung})`}${nearLine === undefined ? "" : `, equally near line ${nearLine}`}:${quoted(matches)}${found > matches.length ? "\n…" : ""}\n`,
      hint: `${sayDisambiguation(telling)}${isOneLine ? "Add more of the line to the old and new text, or set occurrence or replaceAll." : `${neighbours[rung] ?? "Add a neighbouring line to the old and new text"}, or set occurrence, line or replaceAll.`}`,
      matches: plainLines(matches),
      ...(matches[0] === undefined ? {} : { line: matches[0].line }),
    }),
  /** `most`: the number of lines in the text. */
  noSuchLine: (at: At, line: number, most: number) =>
    makeFailure("noMatch", at, {
      problem: `${nameOf(at)} names line ${line}, but the text has ${count(most, "line")}.`,
      hint: "Read the lines with read_document, and send the edit again.",
    }),
  /** `nearest`: the lines of the match; empty if they are not shown. */
  cannotShift: (at: At, line: number, nearest: readonly NearestRegion[]) =>
    makeFailure("noMatch", at, {
      problem: [
        `The old text of ${nameOf(at)} was found at line ${line} with different indentation, but its new text cannot be indented likewise: a line's indentation is too small or is not a whole number of levels, or the new text may already have the file's indentation.`,
        ...sayNearest(nearest),
      ].join(" "),
      hint: "Send both texts with the file's own indentation.",
      line,
      ...(nearest.length === 0 ? {} : { nearest }),
    }),
  expectedCount: (at: At, expected: number, found: number, matches: readonly QuotedPlace[]) =>
    makeFailure("expectedCount", at, {
      problem: `${nameOf(at)} expects ${count(expected, "occurrence")}, but its old text occurs ${times(found)}${matches.length === 0 ? "." : `:${quoted(matches)}${found > matches.length ? "\n…" : ""}\n`}`,
      hint: "Correct expectedCount or the old text.",
      matches: plainLines(matches),
    }),
  sameHunk: (at: At, other: number, line: number) =>
    makeFailure("overlap", at, {
      problem: `${nameOf(at)} is identical to edit ${other}, but its lines occur only once, at line ${line}.`,
      hint: "Omit one of the two edits.",
      line,
    }),
  overlap: (at: At, other: number, line: number) =>
    makeFailure("overlap", at, {
      problem: `${nameOf(at)} and edit ${other} overlap at line ${line}: both are matched against the same text, and one changes what the other matches.`,
      hint: mergeWith(other),
      line,
    }),
  /** `nearest`: regions that resemble the old text, other than the one that contains the new text. */
  alreadyApplied: (at: At, line: number, nearest: readonly NearestRegion[]) =>
    makeFailure("alreadyApplied", at, {
      problem: [
        `The old text of ${nameOf(at)} was not found, but its new text is already at line ${line}.`,
        ...sayNearest(nearest),
      ].join(" "),
      hint: "If this is the intended location, the edit has already been applied: leave it out. Otherwise, copy the old text from the file.",
      line,
      ...(nearest.length === 0 ? {} : { nearest }),
    }),
  /** For an edit that only inserts lines. */
  alreadyInserted: (at: At, { line }: Repeated) =>
    makeFailure("alreadyApplied", at, {
      problem: `${nameOf(at)} only inserts lines, and these are already there, at line ${line}.`,
      hint: "If the edit has been applied before, leave it out. To insert the lines once more, send the existing ones with it, as lines that stay.",
      line,
    }),
  /** `order` determines the hint: with `"original"`, an old text is never matched against another edit's new text. */
  consumed: (at: At, by: number, line: number, order: "sequential" | "original") =>
    makeFailure("consumed", at, {
      problem: `The old text of ${nameOf(at)} was at line ${line}, but edit ${by} of this call changed it.`,
      hint: order === "original" ? mergeWith(by) : "Send the old text as it reads after the earlier edits.",
      line,
    }),
  searchTooLarge: (at: At) =>
    makeFailure("tooLarge", at, {
      problem: `The old text of ${nameOf(at)} resembles too many passages to compare them all.`,
      hint: "Send a longer or more distinctive old text.",
    }),
  tooManyPlaces: (at: At, found: number) =>
    makeFailure("tooLarge", at, {
      problem: `${nameOf(at)} would replace too many occurrences (${found.toLocaleString("en")}) or make the text too long.`,
      hint: "Send a more distinctive old text.",
    }),
} as const;

/** Warnings about edits that were applied. */
export const editWarnings = {
  /** `asked`: the line that the caller sent. `line`: that of the nearest of all matches, which was taken. */
  nearest: (at: At, asked: number, { line, found }: { readonly line: number; readonly found: number }): string =>
    `the old text of ${nameOf(at)} is not at line ${asked}; of its ${found} matches, the nearest was replaced, at line ${line}`,
  /** For a short line, which may be meant to be there twice. */
  repeated: (at: At, { text, line }: Repeated): string =>
    `${nameOf(at)} inserts ${quote(text)} beside an equal line: it was already at line ${line}. If the edit had been applied before, undo this one`,
} as const;
