/** Sentences about calls and patches that can't be read or whose meaning is in doubt. */
import type * as v from "valibot";
import { type At, clip, count, type Failure, makeFailure, nameOf, quote, some, theCall } from "../plan/failure.js";
import type { Terms } from "../plan/operation.js";
import { batchFailures } from "../plan/sentences.js";
import { limits } from "../text/limits.js";

const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");

/** The request, tool or command that messages recommend for a preview; it depends on how the call was sent. */
export type Previewer = keyof typeof previewers;

const previewers = {
  request: "the request multiEdit/preview, or the command multiEdit.preview,",
  tool: "the tool preview_edits",
  command: 'the command "multi-edit preview"',
} as const;

/** Names a value for a sentence: `null`, `the number 3`, `an array`. */
export function nameOfValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return `the number ${value}`;
  if (typeof value === "string") return `the string ${quote(value, 40)}`;
  return Array.isArray(value) ? "an array" : "an object";
}

/** Returns the clause for a value of the wrong type: `it is the string "1", but must be an integer`. */
export function wrongValue(value: unknown, expected: string): string {
  return `it is ${nameOfValue(value)}, but must be ${expected}`;
}

/** Returns the clause for an issue that a schema found. `value`: the whole value that the schema checked. */
export function schemaProblem(issue: v.BaseIssue<unknown>, value: unknown): string {
  let part = value;
  for (const key of issuePath(issue)) {
    part = typeof part === "object" && part !== null ? Reflect.get(part, key) : undefined;
  }
  return wrongValue(part, expectation(issue));
}

/** Returns the keys that lead to the part with the problem; if an object has an unknown key, to the object. */
export function issuePath(issue: v.BaseIssue<unknown>): readonly PropertyKey[] {
  const keys = issue.path?.map(({ key }) => key as PropertyKey) ?? [];
  return isUnknownKey(issue) ? keys.slice(0, -1) : keys;
}

/** Reports whether an issue is about a key that the object must not have. */
export function isUnknownKey({ type, expected }: v.BaseIssue<unknown>): boolean {
  return type === "strict_object" && expected === "never";
}

const typeWords: ReadonlyMap<string, string> = new Map([
  ["string", "a string"],
  ["boolean", "true or false"],
  ["number", "an integer"],
  ["safe_integer", "an integer"],
  ["array", "an array"],
  ["record", "an object"],
  ["object", "an object"],
  ["strict_object", "an object"],
]);

function expectation(issue: v.BaseIssue<unknown>): string {
  const { type, expected, requirement, message, path } = issue;
  if (isUnknownKey(issue)) return `an object without ${String(path?.at(-1)?.key)}`;
  switch (type) {
    case "picklist":
      return `one of ${expected?.replace(/^\(|\)$/g, "").replaceAll(" | ", ", ")}`;
    case "min_value":
      return `${requirement} or more`;
    case "max_value":
      return `${requirement} or less`;
    case "min_length":
      return "longer";
    case "max_length":
      return "shorter";
    default:
      // The schemas give the form in words where the kind of issue does not tell it.
      return typeWords.get(type) ?? message;
  }
}

/** The request, tool or command that does what a command of another tool does, by the way in which the call was sent. */
const instead = {
  view: { request: "multiEdit/read", tool: "read_document", command: "multi-edit read" },
  undo_edit: { request: "multiEdit/undo", tool: "undo_last_edit", command: "multi-edit undo" },
} as const;

/** Forms of options that a type does not describe. */
export const callForms = { overwrite: 'one of true, false, "ask"' } as const;

/** Contradictory choices of a match, as clauses for `callFailures.contradiction`. */
export const contradictions = {
  occurrenceAndLine: "occurrence and line are alternatives; an edit can have only one of them",
  occurrenceOfAll: "occurrence selects one match, but replaceAll selects every match",
  lineOfAll: "line selects one match, but replaceAll selects every match",
  countOfOne: "without replaceAll, exactly one match is replaced, so expectedCount must be 1",
  endBeforeStart: "its last line is before its first one",
} as const;

/** Names what an edit says about the text that it replaces, by the field for this. */
const replacedBy: Readonly<Record<string, string>> = {
  insertLine: "the number of the line above",
  startLine: "the numbers of its first and last line",
};

/** Names fields that no known tool has, as the end of a sentence. */
function unknownFields(names: readonly string[]): string {
  if (names.length === 0) return "";
  const quoted = names.map((name) => quote(name));
  return `; ${some(quoted, 120)} ${names.length === 1 ? "is an unknown field" : "are unknown fields"}`;
}

/** Failures to read a call, because of its shape, its fields or their types. */
export const callFailures = {
  /** `got`: the value's name, from `nameOfValue`. */
  notACall: (got: string) =>
    makeFailure("invalidParams", theCall, {
      problem: `The call is ${got}, not an object.`,
      hint: 'Send {"path", "oldText", "newText"} or {"path", "edits": [...]}.',
    }),
  wrongType: (at: At, field: string, problem: string) =>
    makeFailure("invalidParams", at, {
      problem: `In ${nameOf(at)}, the field "${field}" is wrong: ${problem}.`,
      hint: "Nothing was changed. Correct the field and send the call again.",
    }),
  /** `value`: the value that was sent instead of the list of edits. */
  noList: (field: string, value: unknown): Failure =>
    callFailures.wrongType({}, field, wrongValue(value, "an array of edits")),
  badJson: (field: string, problem = "it cannot be read") =>
    makeFailure("invalidParams", theCall, {
      problem: `"${field}" is a string that is not valid JSON: ${clip(problem, 120)}.`,
      hint: `Send "${field}" as an array of edits.`,
    }),
  twoNames: (at: At, names: readonly string[]) =>
    makeFailure("invalidParams", at, {
      problem: `${nameOf(at)} has the same field under several names: ${list(names)}.`,
      hint: "Use one of them throughout the call.",
    }),
  mixedShapes: (names: readonly string[]) =>
    makeFailure("invalidParams", theCall, {
      problem: `The call mixes the fields of different tools: ${list(names)}.`,
      hint: "Use only one tool's fields.",
    }),
  patchWithOthers: (patch: string, names: readonly string[]) =>
    makeFailure("invalidParams", theCall, {
      problem: `"${patch}" must be sent alone, but the call also has ${list(names)}.`,
      hint: `Send either "${patch}" or edits.`,
    }),
  noEdits: () =>
    makeFailure("missingField", theCall, {
      problem: "The call contains no edits.",
      hint: 'Send at least one {"oldText", "newText"}, or a whole file as {"content"}, with a path.',
    }),
  /** `form`: the field by which the edit says what it replaces; `unknown`: its fields that no known tool has. */
  missingFields: (at: At, names: readonly string[], form: string, unknown: readonly string[] = []) =>
    makeFailure("missingField", at, {
      problem: `${nameOf(at)} lacks ${list(names)}${unknownFields(unknown)}.`,
      hint: `An edit needs a path, ${replacedBy[form] ?? "an old text"} and a new text.`,
    }),
  missingPath: (at: At, empty: boolean) =>
    makeFailure("missingPath", at, {
      problem: empty ? `The path of ${nameOf(at)} is empty.` : `${nameOf(at)} has no path, and neither does the call.`,
      hint: "Give the edit a path, or give the call one path for all its edits.",
    }),
  unknownField: (at: At, key: string, known: string) =>
    makeFailure("unknownField", at, {
      problem: `${nameOf(at)} has the unknown field ${quote(key)}; did you mean "${known}"?`,
      hint: `Rename it to "${known}" or leave it out.`,
    }),
  trial: (at: At, key: string, previewer: Previewer) =>
    makeFailure("unknownField", at, {
      problem: `${nameOf(at)} has the unknown field ${quote(key)}: no field turns a call into a preview.`,
      hint: `Leave it out; ${previewers[previewer]} shows what a call would do and changes nothing.`,
    }),
  notAnEdit: (at: At, command: keyof typeof instead, previewer: Previewer) =>
    makeFailure("invalidParams", at, {
      problem: `${nameOf(at)} has the command "${command}", which is not an edit.`,
      hint: `Use ${instead[command][previewer]} instead.`,
    }),
  append: (at: At, key: string) =>
    makeFailure("unknownField", at, {
      problem: `${nameOf(at)} has the unknown field ${quote(key)}: a new text is never added at the end of a file.`,
      hint: "Send the last lines as the old text, and these lines with the addition as the new text.",
    }),
  pattern: (at: At, key: string) =>
    makeFailure("unknownField", at, {
      problem: `${nameOf(at)} has the unknown field ${quote(key)}: an old text is never a regular expression.`,
      hint: "Leave it out, and send the old text as it is in the file.",
    }),
  misplacedField: (at: At, key: string) =>
    makeFailure("unknownField", at, {
      problem: `${nameOf(at)} has the field "${key}", which belongs to the call, not to an edit.`,
      hint: `Move "${key}" to the top level of the call, or omit it.`,
    }),
  moreFailures: (more: number) =>
    makeFailure("invalidParams", theCall, {
      problem: `${count(more, "further failure")} of this call ${more === 1 ? "is" : "are"} not listed.`,
      hint: "Correct the listed problems, then send the call again.",
    }),
  contradiction: (at: At, problem: string) =>
    makeFailure("invalidParams", at, { problem: `${nameOf(at)} contradicts itself: ${problem}.` }),
  loneSurrogate: (at: At, field: string, offset: number) =>
    makeFailure("invalidParams", at, {
      problem: `"${field}" of ${nameOf(at)} contains half a character (a lone surrogate) at offset ${offset}.`,
      hint: "Send the whole character, or leave it out.",
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

/** Failures of calls that exceed a limit. */
export const callSizeFailures = {
  edits: (size: number) => batchFailures.tooLarge({}, "the number of edits", size, limits.editsPerCall, "edits"),
  patch: (size: number) =>
    batchFailures.tooLarge({}, "the length of the patch", size, limits.patchLength, "characters"),
  hunks: () => moreThan("the number of hunks, added files, deleted files and moves", limits.editsPerCall),
  unknownFields: () => moreThan("the number of unknown fields", limits.unknownFields),
  versions: (size: number) =>
    batchFailures.tooLarge({}, "the size of options.versions", size, limits.filesPerCall, "documents"),
  /** `what`: the name of the value in the table of fields; `size` and `limit`: in UTF-16 code units. */
  value: (at: At, what: string, size: number, limit: number) =>
    batchFailures.tooLarge(at, `the length of ${what}`, size, limit, "characters"),
} as const;

/** Returns the failure for a count that exceeds the limit `most` by an unknown amount. */
function moreThan(what: string, most: number): Failure {
  return batchFailures.tooLarge({}, what, most + 1, most, "or more");
}

/** Failures to parse a patch. */
export const patchFailures = {
  /** `problem`: one of `patchProblems` or `otherForms`; `sound`: the titles of the sections without problems. */
  syntax: (at: At, line: { number: number; text: string }, problem: string, sound: readonly string[]) => {
    const quotedLine = line.text.trim() === "" ? "is empty" : `${quote(line.text, limits.quotedLine)}`;
    const isOther = Object.values<string>(otherForms).includes(problem);
    return makeFailure("patchSyntax", at, {
      problem: `Line ${line.number} of the ${isOther ? "text" : "patch"}${quotedLine === "is empty" ? " " : ", "}${quotedLine}: ${problem}.`,
      hint: `Nothing was changed.${isOther ? "" : " Correct the patch and send it again in full."}${sound.length === 0 ? "" : ` Sections without errors: ${some(sound, 250)}.`}`,
      line: line.number,
    });
  },
  pathTooLong: (lineNumber: number, length: number, limit: number) =>
    makeFailure("tooLarge", theCall, {
      problem: `Line ${lineNumber} of the patch: the path is ${length.toLocaleString("en")} characters long; the limit is ${limit.toLocaleString("en")}.`,
      hint: "Nothing was changed. Correct the patch and send it again in full.",
      line: lineNumber,
    }),
} as const;

/** Problems with a line of a patch, as clauses for `patchFailures.syntax`; each says what to write instead. */
export const patchProblems = {
  empty: () => 'there is no patch; a patch starts with "*** Begin Patch" and ends with "*** End Patch"',
  noBegin: () => 'there is no line "*** Begin Patch"; make it the first line of the patch',
  textBefore: () => 'the strict grammar allows no text before "*** Begin Patch"; leave it out',
  json: () => "this is JSON; send the text of the patch itself, which starts with *** Begin Patch",
  escaped: () => 'its line breaks are written as "\\n"; send real line breaks',
  unifiedDiff: () =>
    'this is a unified diff; replace the lines ---, +++ and diff with "*** Update File: path", between "*** Begin Patch" and "*** End Patch"',
  beforeBegin: () => 'it is before "*** Begin Patch", so it is not part of the patch; move it below that line',
  behindEnd: () => 'it is after "*** End Patch", so it is not part of the patch; move it above that line',
  beginInside: () =>
    'a call can contain only one patch; put all sections between one "*** Begin Patch" and one "*** End Patch"',
  noEnd: () => 'the patch ends without "*** End Patch"; add that line at the end',
  cutOff: () =>
    'the patch ends here without "*** End Patch", so it may have been cut off; if this line is the last one, add "*** End Patch" after it',
  noSections: () => "the patch has no sections; write one for each file to add, delete or update",
  environment: () =>
    'this line must name an environment and occur once, directly after "*** Begin Patch"; move it there or leave it out',
  expectedHeader: () =>
    'a section must begin here, with "*** Add File: path", "*** Delete File: path" or "*** Update File: path"',
  misspelt: (marker: string) =>
    `did you mean ${quote(marker)}? Write it exactly like this, with the same capitals and single spaces`,
  addedLine: () =>
    'in an "*** Add File" section, every line starts with "+", even an empty one, and neither "@@" nor "*** End of File" is allowed',
  deletedLine: () =>
    `no lines may follow "*** Delete File"; leave this one out, or insert the header of the section that it belongs to`,
  noHunks: () => "the section has no hunks; write at least one after its header, or leave the section out",
  emptyHunk: () =>
    'this hunk has no lines, and "@@" alone changes nothing; write the lines to find, each after a " " or "-", and the lines to add, each after a "+"',
  stackedAnchor: () => 'the strict grammar allows only one "@@" line per hunk; leave out one of these two',
  hunkLine: () => 'a line of a hunk starts with " " (kept), "-" (removed) or "+" (added), and a new hunk with "@@"',
  renameHeader: () =>
    'renaming takes two lines: "*** Update File: path", then "*** Move to: new path"; hunks may follow',
  moveMisplaced: () =>
    'it may occur only once, directly after "*** Update File: path" and before the first hunk; move it there',
  endOfFileMisplaced: () => "it may occur only once, after the lines of a hunk; move it there or leave it out",
  behindEndOfFile: () =>
    'after "*** End of File", a new hunk must start with "@@"; write "@@" on a line before this one',
} as const;

/** Texts of other tools that are no patch, as clauses for `patchFailures.syntax`; each says what to send instead. */
export const otherForms = {
  wholeFile:
    'this is no patch; send what changes, as {"path", "oldText", "newText"} or, if this is the text of a whole file, {"path", "content"}',
  lineRange: 'this names lines by their numbers; send {"path", "startLine", "endLine", "newText"}',
  toolCall: 'this is another tool\'s call, written as text; send the change as {"path", "oldText", "newText"}',
} as const;

/** Problems with a line of a unified diff, as clauses for `patchFailures.syntax`. */
export const diffProblems = {
  noFile: () => 'no lines "--- a/path" and "+++ b/path" before it name a file; write them',
  noHunk: () => 'this is a unified diff whose first hunk lacks its header; put a line "@@" below the line "+++"',
  unnamed: () =>
    'other text is above this hunk, so its file is not certain; write lines "--- a/path" and "+++ b/path" above it',
  lost: () =>
    'this line is outside every hunk; put " ", "-" or "+" before each line of a hunk, or leave this one out if it is no change',
  binary: () => "a binary file can't be changed by a diff; leave it out",
  copy: () => "a file can't be copied; send it as a new file, with all its lines",
  noText: () => "this is a symbolic link or a submodule, not a text; leave it out",
  combined: () => 'this diff compares more than two files; send one that begins with "@@ -"',
  newFile: () => 'the file is new, so all lines of its diff begin with "+"',
  goneFile: () => 'the file is deleted, so all lines of its diff begin with "-"',
} as const;

/** Returns the clause, for `patchFailures.syntax`, for a line that begins a text in another dialect than the one above. */
export function secondDialect(above: string, below: string): string {
  return `here begins another form of edits ("${below}") than above ("${above}"); send each in a call of its own`;
}

/** A word that is not part of a path or of another word. */
const word = (plain: string): RegExp => new RegExp(`(?<![\\w/.\\\\-])${plain}(?![\\w/\\\\-]|\\.\\w)`, "g");

/** The terms of SEARCH/REPLACE blocks, which have no fields. */
export const blockTerms: Terms = [
  [/, or set occurrence(?:, line)? or replaceAll/g, ""],
  [/\b([Aa])n (?=(?:edit|old text)\b)/g, "$1 "],
  [word("edit(s?)"), "block$1"],
  [word("Edit(s?)"), "Block$1"],
  [word("old and new text"), "SEARCH and REPLACE text"],
  [word("old text"), "SEARCH text"],
  [word("new text"), "REPLACE text"],
  [word("patch"), "text"],
  [word("Sections"), "Files"],
];

/** The terms of unified diffs, in which Git's note does what a marker does in a Codex patch. */
export const diffTerms: Terms = [
  [/\*\*\* End of File/g, "\\ No newline at end of file"],
  [/use \*\*\* Add File/g, 'write "--- /dev/null" above its "+++" line'],
];

/** Problems with a line of SEARCH/REPLACE blocks, as clauses for `patchFailures.syntax`. */
export const blockProblems = {
  noPath: () =>
    "the line above the block is not the path of its file alone; write it there, in backticks if it has spaces",
  noDivider: () => 'a block needs the line "=======" between its SEARCH and REPLACE text, before any other marker',
  noEnd: () => 'the block ends without ">>>>>>> REPLACE"; add that line, and check that nothing is missing',
  marker: () =>
    'the line looks like a marker of a block; if it belongs to the file, send {"path", "oldText", "newText"} instead',
  newName: (path: string) =>
    `an empty SEARCH text creates a file, but ${quote(path)} may be a word, as it has no extension; if it is a path, send {"path", "content"} instead, otherwise write the path above the block`,
  noStart: () => 'no block is open here; write the line "<<<<<<< SEARCH" above the SEARCH text of this block',
  stray: () => 'no block is open here; if the line belongs to the file, send {"path", "oldText", "newText"} instead',
} as const;

/** Warnings about calls that can be read but may be incomplete or not what the caller meant. */
export const dialectWarnings = {
  unknownField: (key: string) => `ignored the unknown field ${quote(key)}`,
  moreUnknownFields: (more: number) => `ignored ${more} more unknown fields`,
  mode: (path: string) => `the mode of ${path} was not changed: only texts and names are`,
  diffMayBeCutOff: "the last hunk has fewer lines than its header announces: check that nothing is missing",
  patchLacksBegin: 'the patch has no "*** Begin Patch": it was read from the header of its first section',
  patchMayBeCutOff: 'the patch has no "*** End Patch" and may have been cut off: check that nothing is missing',
} as const;
