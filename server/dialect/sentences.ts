/** Sentences about calls and patches that can't be read. */
import type { z } from "zod";
import { type At, clip, count, type Failure, makeFailure, nameOf, quote, some, theCall } from "../plan/failure.js";
import { batchFailures } from "../plan/sentences.js";
import { limits } from "../text/limits.js";

const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

/** The request, tool or command that previews a call at a door. */
export type Previewer = keyof typeof previewers;

const previewers = {
  request: "the request multiEdit/preview, or the command multiEdit.preview,",
  tool: "the tool preview_edits",
  command: 'the command "multi-edit preview"',
} as const;

/** A value as a sentence names it: `null`, `the number 3`, `an array`. */
export function nameOfValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "string") return `the string ${quote(value, 40)}`;
  return Array.isArray(value) ? "an array" : "an object";
}

/** The clause for a value of the wrong type: `it is the string "1", but must be an integer`. */
export function wrongValue(value: unknown, expected: string): string {
  return `it is ${nameOfValue(value)}, but must be ${expected}`;
}

/** The clause for what a schema found wrong with `value`, the whole that the issue's path starts from. */
export function schemaProblem(issue: z.core.$ZodIssue, value: unknown): string {
  let part = value;
  for (const key of issue.path) part = typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined;
  return wrongValue(part, expectation(issue));
}

const typeWords: ReadonlyMap<string, string> = new Map([
  ["string", "a string"],
  ["boolean", "true or false"],
  ["int", "an integer"],
  ["number", "an integer"],
  ["record", "an object of numbers"],
  ["object", "an object"],
]);

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return typeWords.get(issue.expected) ?? issue.expected;
    case "invalid_value":
      return `one of ${issue.values.map((value) => `"${String(value)}"`).join(", ")}`;
    case "too_small":
      return issue.origin === "string" ? "longer" : `${issue.minimum} or more`;
    case "too_big":
      return issue.origin === "string" ? "shorter" : `${issue.maximum} or less`;
    default:
      return "of another form";
  }
}

/** Edits that ask for two places at once, as the clause that `callFailures.contradiction` takes. */
export const contradictions = {
  occurrenceAndLine: "occurrence and line both choose one place",
  occurrenceOfAll: "occurrence chooses one place, replaceAll takes every place",
  lineOfAll: "line chooses one place, replaceAll takes every place",
  countOfOne: "without replaceAll exactly one place is replaced, but expectedCount is another number",
} as const;

/** Failures of reading the call: its shape, its fields, their types. */
export const callFailures = {
  /** `got`: as `nameOfValue` says it. */
  notACall: (got: string) =>
    makeFailure("invalidParams", theCall, {
      problem: `The call is ${got}, not an object.`,
      hint: 'Send {"path", "oldText", "newText"} or {"path", "edits": [...]}.',
    }),
  wrongType: (at: At, field: string, problem: string) =>
    makeFailure("invalidParams", at, {
      problem: `In ${nameOf(at)} the field "${field}" is wrong: ${problem}.`,
      hint: "Nothing was changed; correct the field and send the call again.",
    }),
  /** `value` stands where the edits should. */
  noList: (field: string, value: unknown): Failure =>
    callFailures.wrongType({}, field, wrongValue(value, "an array of edits")),
  badJson: (field: string, problem = "it can't be read") =>
    makeFailure("invalidParams", theCall, {
      problem: `"${field}" is a string that is not JSON: ${clip(problem, 120)}.`,
      hint: `Send "${field}" as an array of edits.`,
    }),
  twoNames: (at: At, names: readonly string[]) =>
    makeFailure("invalidParams", at, {
      problem: `${nameOf(at)} names one field in two ways: ${list(names)}.`,
      hint: `Keep one of them in the whole call.`,
    }),
  mixedShapes: (names: readonly string[]) =>
    makeFailure("invalidParams", theCall, {
      problem: `The call mixes the shapes of different tools: ${list(names)}.`,
      hint: "Send one tool call in one shape.",
    }),
  patchWithOthers: (patch: string, names: readonly string[]) =>
    makeFailure("invalidParams", theCall, {
      problem: `"${patch}" stands alone, but the call also has ${list(names)}.`,
      hint: `Send either "${patch}" or edits.`,
    }),
  noEdits: () =>
    makeFailure("missingField", theCall, {
      problem: "The call holds no edits.",
      hint: 'Send at least one {"oldText", "newText"} with a path.',
    }),
  missingFields: (at: At, names: readonly string[]) =>
    makeFailure("missingField", at, {
      problem: `${nameOf(at)} lacks ${list(names)}.`,
      hint: "An edit needs a path, an old text and a new text.",
    }),
  missingPath: (at: At, empty: boolean) =>
    makeFailure("missingPath", at, {
      problem: empty
        ? `The path of ${nameOf(at)} is empty.`
        : `${nameOf(at)} has no path, and the call has none for it to inherit.`,
      hint: "Give the edit a path, or the call one for all of them.",
    }),
  unknownField: (at: At, key: string, known: string) =>
    makeFailure("unknownField", at, {
      problem: `${nameOf(at)} has the unknown field ${quote(key)}; is "${known}" meant?`,
      hint: `Rename it to "${known}" or leave it out.`,
    }),
  trial: (at: At, key: string, previewer: Previewer) =>
    makeFailure("unknownField", at, {
      problem: `${nameOf(at)} has the field ${quote(key)}, which is unknown here: no field of a call decides whether files are changed.`,
      hint: `Leave it out; ${previewers[previewer]} shows what a call would do and changes nothing.`,
    }),
  misplacedField: (at: At, key: string) =>
    makeFailure("unknownField", at, {
      problem: `${nameOf(at)} has the field "${key}", which belongs to the call and not to one of its edits.`,
      hint: `Move "${key}" out of the list of edits, or leave it out.`,
    }),
  moreFailures: (more: number) =>
    makeFailure("invalidParams", theCall, {
      problem: `${count(more, "further failure")} of this call ${more === 1 ? "is" : "are"} not listed.`,
      hint: "Correct those that are, and send the call again.",
    }),
  contradiction: (at: At, problem: string) =>
    makeFailure("invalidParams", at, { problem: `${nameOf(at)} contradicts itself: ${problem}.` }),
  loneSurrogate: (at: At, field: string, offset: number) =>
    makeFailure("invalidParams", at, {
      problem: `"${field}" of ${nameOf(at)} holds half a character (a lone surrogate) at offset ${offset}.`,
      hint: "Send the character whole, or leave it out.",
    }),
  optionsRefused: () =>
    makeFailure("invalidParams", theCall, {
      problem: 'The call has "options", which only the integration may set.',
      hint: 'Leave "options" out.',
    }),
  tooLong: (at: At, field: string, length: number, limit: number) =>
    makeFailure("tooLarge", at, {
      problem: `"${field}" has ${length.toLocaleString("en")} characters; the limit is ${limit.toLocaleString("en")}.`,
      hint: "Shorten it.",
    }),
} as const;

/** Failures of calls of which a part is larger than it may be. */
export const callSizeFailures = {
  edits: (size: number) => batchFailures.tooLarge({}, "the batch", size, limits.editsPerCall, "edits"),
  patch: (size: number) => batchFailures.tooLarge({}, "the patch", size, limits.patchLength, "characters"),
  hunks: () => moreThan("the number of hunks, added and deleted files and moves", limits.editsPerCall),
  unknownFields: () => moreThan("the number of unknown fields", limits.unknownFields),
  versions: (size: number) => batchFailures.tooLarge({}, "options.versions", size, limits.filesPerCall, "documents"),
  /** `what` is the value as the table of fields calls it; `limit`: UTF-16 units. */
  value: (at: At, what: string, size: number, limit: number) =>
    batchFailures.tooLarge(at, what, size, limit, "characters"),
} as const;

/** For what is not counted any further. */
function moreThan(what: string, most: number): Failure {
  return batchFailures.tooLarge({}, what, most + 1, most, "or more");
}

/** Failures of reading the text of a patch. */
export const patchFailures = {
  /** `problem` is one of `patchProblems`; `sound` are the sections without one, by kind and path. */
  syntax: (at: At, line: { number: number; text: string }, problem: string, sound: readonly string[]) => {
    const quotedLine = line.text.trim() === "" ? "is empty" : `${quote(line.text, limits.quotedLine)}`;
    return makeFailure("patchSyntax", at, {
      problem: `Line ${line.number} of the patch${quotedLine === "is empty" ? " " : ", "}${quotedLine}: ${problem}.`,
      hint: `Nothing was changed: correct the patch and send all of it again.${sound.length === 0 ? "" : ` Sections that are fine: ${some(sound, 250)}.`}`,
      line: line.number,
    });
  },
  pathTooLong: (lineNumber: number, length: number, limit: number) =>
    makeFailure("tooLarge", theCall, {
      problem: `Line ${lineNumber} of the patch: the path is ${length.toLocaleString("en")} characters long; the limit is ${limit.toLocaleString("en")}.`,
      hint: "Nothing was changed: correct the patch and send all of it again.",
      line: lineNumber,
    }),
} as const;

/** What is wrong with a line of a patch and what to write instead, as the clause that `patchFailures.syntax` takes. */
export const patchProblems = {
  empty: () => 'there is no patch; it starts with "*** Begin Patch" and ends with "*** End Patch"',
  noBegin: () => 'no line is "*** Begin Patch"; write it alone on the first line of the patch',
  textBefore: () => 'the strict grammar takes no text before "*** Begin Patch"; leave it out',
  json: () => "this is JSON; send the text of the patch itself, which starts with *** Begin Patch",
  escaped: () => 'its line breaks are spelt as "\\n"; send real line breaks',
  unifiedDiff: () =>
    'this is a unified diff; name the file with "*** Update File: path" instead of the lines ---, +++ and diff, between "*** Begin Patch" and "*** End Patch"',
  beforeBegin: () => 'it stands before "*** Begin Patch", and so does not count; move it behind that line',
  behindEnd: () => 'it stands behind "*** End Patch", and so does not count; move it in front of that line',
  beginInside: () => 'a call holds one patch; put all sections between one "*** Begin Patch" and one "*** End Patch"',
  noEnd: () => 'the patch ends without "*** End Patch"; write it alone on the last line',
  noSections: () => "the patch holds no sections; write one for each file to be added, deleted or updated",
  environment: () =>
    'an environment has a name and stands once, directly behind "*** Begin Patch"; move the line there or leave it out',
  expectedHeader: () =>
    'a section must begin here, with "*** Add File: path", "*** Delete File: path" or "*** Update File: path"',
  misspelt: (marker: string) => `is ${quote(marker)} meant? Write it exactly so, with its capitals and single blanks`,
  addedLine: () =>
    'in an "*** Add File" every line starts with "+", an empty one, too, and there is neither "@@" nor "*** End of File"',
  deletedLine: () =>
    'no lines follow "*** Delete File"; leave it out, or begin the next section with its header in front of it',
  noHunks: () => "the section has no lines that say what to change; write them behind it, or leave it out",
  emptyHunk: () =>
    'no lines of a hunk follow; write those to find, with " " or "-" before each, and those to add, with "+"',
  stackedAnchor: () => 'the strict grammar takes one "@@" a hunk, which has lines; leave one of them out',
  hunkLine: () =>
    'a line of a hunk starts with " " (it stays), "-" (it goes) or "+" (it comes), and a further hunk with "@@"',
  renameHeader: () =>
    'a new name takes two lines: "*** Update File: path", and behind it "*** Move to: new path"; lines that change follow, or none',
  moveMisplaced: () =>
    'it stands directly behind "*** Update File: path", once and before the first hunk; move it there',
  endOfFileMisplaced: () => "it stands behind the lines of a hunk, and once; move it there or leave it out",
  behindEndOfFile: () => 'behind "*** End of File" a new hunk starts with "@@"; write that line in front of it',
} as const;

/** Warnings about calls that can be read, and may not be whole, or not what was meant. */
export const dialectWarnings = {
  unknownField: (key: string) => `ignored unknown field ${quote(key)}`,
  moreUnknownFields: (more: number) => `ignored ${more} more unknown fields`,
  patchMayBeCutOff: 'the patch has no "*** End Patch" and may have been cut off: check that nothing is missing',
} as const;
