/** Sentences about edits of a file that have no place, or disturb each other. */
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
import { type At, count, makeFailure, type NearestRegion, nameOf } from "../failure.js";

/** The advice to send one edit instead of two; the other one is then not to be sent as it was. */
export const mergeWith = (other: number): string => `Merge it with edit ${other} into one edit.`;

/** Several places of an old text that nothing decides among. */
export interface Ambiguity {
  readonly found: number;
  readonly rung: string;
  readonly matches: readonly QuotedPlace[];
  /** The line that was sent, 1-based; `undefined`: none. */
  readonly nearLine: number | undefined;
  readonly telling: Disambiguation | undefined;
  /** Whether all of them start in one line, so that neither another line nor a line's number tells them apart. */
  readonly isOneLine: boolean;
}

/** How to send a neighbouring line with an old text that stands there otherwise than it was written, by rung. */
const neighbours: Readonly<Record<string, string>> = {
  indentation: "Send old and new text with the file's own indentation and a neighbouring line",
  viewPrefix: "Send old and new text without the numbers and with a neighbouring line",
};

/** Failures of placing an edit in its text. */
export const editFailures = {
  emptyOldText: (at: At, { first }: { first: boolean }) =>
    makeFailure("emptyOldText", at, {
      problem: first
        ? `The old text of ${nameOf(at)} is empty, but the file exists and is not empty.`
        : `The old text of ${nameOf(at)} is empty, but it is not the first edit of its file.`,
      hint: "An empty old text only creates a file. To insert, send a neighbouring line as old text, and the same line with the insertion as new text.",
    }),
  noChange: (at: At) =>
    makeFailure("noChange", at, {
      problem: `Old and new text of ${nameOf(at)} are the same.`,
      hint: "Leave the edit out, or send the new text that is meant.",
    }),
  noMatch: (at: At, { inBatch, ...absence }: Absence) =>
    makeFailure("noMatch", at, {
      problem: [
        `The old text of ${nameOf(at)} was not found${inBatch ? " in the text after the edits before it" : ""}.`,
        ...sayAbsence(absence),
      ].join(" "),
      hint: "Copy the old text from the file as it is now.",
      ...placeOf(absence),
    }),
  notExplained: (at: At) =>
    makeFailure("noMatch", at, {
      problem: `The old text of ${nameOf(at)} was not found. What is near it was not looked for, because too many edits have failed.`,
      hint: "Copy the old text from the file as it is now.",
    }),
  inNewText: (at: At, other: number) =>
    makeFailure("noMatch", at, {
      problem: `The old text of ${nameOf(at)} is part of the new text of edit ${other}, but all edits of this call are found in the text as it was before.`,
      hint: "Write it against the text as it is before the call, or merge the two.",
    }),
  dependsOnFailed: (at: At, failed: number) =>
    makeFailure("noMatch", at, {
      problem: `The old text of ${nameOf(at)} is part of the new text of edit ${failed}, which failed.`,
      hint: `Correct edit ${failed}; this one then finds its place.`,
    }),
  onlyLenient: (at: At, rung: string, line: number) =>
    makeFailure("noMatch", at, {
      problem: `The old text of ${nameOf(at)} was not found as it is; line ${line} has it on the rung ${rung}, which strict matching leaves out.`,
      hint: "Copy the old text from the file as it is now.",
      line,
    }),
  noSuchOccurrence: (at: At, asked: number, found: number) =>
    makeFailure("noMatch", at, {
      problem: `${nameOf(at)} asks for occurrence ${asked}, but its old text stands ${count(found, "time")}.`,
      hint: `Send an occurrence from 1 to ${found}.`,
    }),
  ambiguousMatch: (at: At, { found, rung, matches, nearLine, telling, isOneLine }: Ambiguity) =>
    makeFailure("ambiguousMatch", at, {
      problem: `The old text of ${nameOf(at)} stands ${count(found, "time")}${rung === "exact" ? "" : ` (rung ${rung})`}${nearLine === undefined ? "" : ` equally near to line ${nearLine}`}:${quoted(matches)}${found > matches.length ? "\n…" : ""}\n`,
      hint: `${sayDisambiguation(telling)}${isOneLine ? "Add more of its line to old and new text, or set occurrence or replaceAll." : `${neighbours[rung] ?? "Add a neighbouring line to old and new text"}, or set occurrence, line or replaceAll.`}`,
      matches: plainLines(matches),
      ...(matches[0] === undefined ? {} : { line: matches[0].line }),
    }),
  cannotShift: (at: At, line: number) =>
    makeFailure("noMatch", at, {
      problem: `The old text of ${nameOf(at)} was found at line ${line} with another indentation, but a line of its new text can't be shifted likewise: it has less indentation than the difference, or no whole number of tabs.`,
      hint: "Send both texts with the indentation that the file has.",
      line,
    }),
  expectedCount: (at: At, expected: number, found: number, matches: readonly QuotedPlace[]) =>
    makeFailure("expectedCount", at, {
      problem: `${nameOf(at)} expects ${count(expected, "place")}, but its old text stands ${count(found, "time")}${matches.length === 0 ? "." : `:${quoted(matches)}${found > matches.length ? "\n…" : ""}\n`}`,
      hint: "Correct expectedCount or the old text.",
      matches: plainLines(matches),
    }),
  sameHunk: (at: At, other: number, line: number) =>
    makeFailure("overlap", at, {
      problem: `${nameOf(at)} is the same as edit ${other}, and its lines stand only once, at line ${line}.`,
      hint: "Leave one of them out.",
      line,
    }),
  overlap: (at: At, other: number, line: number) =>
    makeFailure("overlap", at, {
      problem: `${nameOf(at)} and edit ${other} overlap at line ${line}: both are found in the same text, and one changes what the other one holds.`,
      hint: mergeWith(other),
      line,
    }),
  /** `nearest`: what resembles the old text elsewhere than where the new text stands. */
  alreadyApplied: (at: At, line: number, nearest: readonly NearestRegion[]) =>
    makeFailure("alreadyApplied", at, {
      problem: [
        `The old text of ${nameOf(at)} was not found, but its new text stands at line ${line} already.`,
        ...sayNearest(nearest),
      ].join(" "),
      hint: "If that is the place that was meant, it is done: leave this edit out. Else copy the old text from the file.",
      line,
      ...(nearest.length === 0 ? {} : { nearest }),
    }),
  /** `order`: with `"original"` an old text is never found in what another edit makes. */
  consumed: (at: At, by: number, line: number, order: "sequential" | "original") =>
    makeFailure("consumed", at, {
      problem: `The old text of ${nameOf(at)} stood at line ${line}, but edit ${by} of this call changed it.`,
      hint: order === "original" ? mergeWith(by) : "Write its old text as the edits before it leave it.",
      line,
    }),
  searchTooLarge: (at: At) =>
    makeFailure("tooLarge", at, {
      problem: `The old text of ${nameOf(at)} resembles too many places to compare them all.`,
      hint: "Send a longer or more particular old text.",
    }),
  tooManyPlaces: (at: At, found: number) =>
    makeFailure("tooLarge", at, {
      problem: `${nameOf(at)} would replace ${found.toLocaleString("en")} places or grow the text beyond its limit.`,
      hint: "Send a more particular old text.",
    }),
} as const;
