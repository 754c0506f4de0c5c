/** What can go wrong, as values: a code to branch on and a sentence to act on. Every sentence for callers is made here. */
import { limits } from "../text/limits.js";

/** Stable codes; the contract's list, also of those that later doors use. */
export type FailureCode =
  | "invalidParams"
  | "unknownField"
  | "missingField"
  | "missingPath"
  | "ambiguousPath"
  | "outsideWorkspace"
  | "protectedPath"
  | "fileNotFound"
  | "isDirectory"
  | "unsupportedEncoding"
  | "desynced"
  | "tooLarge"
  | "emptyOldText"
  | "noChange"
  | "noMatch"
  | "ambiguousMatch"
  | "expectedCount"
  | "overlap"
  | "alreadyApplied"
  | "consumed"
  | "fileExists"
  | "dirty"
  | "readOnly"
  | "patchSyntax"
  | "contextNotFound"
  | "clientCapability"
  | "ioError"
  | "locked"
  | "noSession"
  | "undoConflict"
  | "contentModified"
  | "clientRefused"
  | "clientDiverged"
  | "userRejected"
  | "timeout"
  | "cancelled";

/** A line of the text as the document has it. */
export interface QuotedLine {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

/** A region of the document that resembles an old text that was not found. */
export interface NearestRegion {
  /** 1-based, both included. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** What the first difference is, in words. */
  readonly difference: string;
}

/** One thing that went wrong. */
export interface Failure {
  readonly code: FailureCode;
  /** 0-based index of the edit as sent; `undefined`: the call as a whole failed. */
  readonly index?: number;
  /** As the caller spelt it, or relative to the workspace. */
  readonly path?: string;
  /** For people and models: what is wrong, where, and what to do next. At most `limits.failureMessage` characters. */
  readonly message: string;
  /** 1-based line of the document (or of the patch) where it went wrong. */
  readonly line?: number;
  /** The places of an ambiguous old text. */
  readonly matches?: readonly QuotedLine[];
  readonly nearest?: readonly NearestRegion[];
  /** The next step alone, for programs that show it apart; it is part of `message`, too. */
  readonly hint?: string;
}

/** Where a failure belongs. */
export interface At {
  /** 0-based. */
  readonly index?: number;
  readonly path?: string;
}

/** `edit 2 (src/a.ts)`, `src/a.ts`, `the call`: how sentences name the place of a failure. */
export function nameOf(at: At): string {
  if (at.index === undefined) return at.path ?? "the call";
  return at.path === undefined ? `edit ${at.index}` : `edit ${at.index} (${at.path})`;
}

/** Cuts text to a number of characters, with an ellipsis where something is missing; never inside a surrogate pair. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = length - 1;
  const code = text.charCodeAt(end - 1);
  return `${text.slice(0, code >= 0xd800 && code < 0xdc00 ? end - 1 : end)}…`;
}

/** Quotes a caller's word in a sentence: on one line and bounded. */
export function quote(text: string, length = 60): string {
  return JSON.stringify(clip(text, length));
}

/** A failure of a given code: `problem` and `hint` become the message. The only maker of `Failure` values. */
export function makeFailure(
  code: FailureCode,
  at: At,
  problem: string,
  hint?: string,
  more: Pick<Failure, "line" | "matches" | "nearest"> = {},
): Failure {
  const room = limits.failureMessage - (hint === undefined ? 0 : Math.min(hint.length, 400) + 1);
  const message = hint === undefined ? clip(problem, room) : `${clip(problem, room)} ${clip(hint, 400)}`;
  return {
    code,
    ...(at.index === undefined ? {} : { index: at.index }),
    ...(at.path === undefined ? {} : { path: at.path }),
    message,
    ...more,
    ...(hint === undefined ? {} : { hint: clip(hint, 400) }),
  };
}

/** Says of which edit a failure is that was made before the edit was known. */
export function atEdit(failure: Failure, at: At): Failure {
  return { ...failure, ...at };
}

const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
const quoted = (lines: readonly QuotedLine[]): string =>
  lines.map(({ line, text }) => `line ${line}: ${clip(text, 80)}`).join("; ");

/** What is known about an old text that was not found, beyond its absence. */
export interface Absence {
  /** The class of the reason, as a clause: `its indentation differs`; `undefined`: nothing similar was found. */
  readonly reason?: string;
  readonly nearest?: readonly NearestRegion[];
  readonly hint?: string;
}

/** Failures of reading the call: its shape, its fields, their types. */
export const callFailures = {
  notACall: (got: string) =>
    makeFailure(
      "invalidParams",
      {},
      `The call is ${got}, not an object.`,
      'Send {"path", "oldText", "newText"} or {"path", "edits": [...]}.',
    ),
  wrongType: (at: At, field: string, problem: string) =>
    makeFailure(
      "invalidParams",
      at,
      `In ${nameOf(at)} the field "${field}" is wrong: ${problem}.`,
      "Nothing was changed; correct the field and send the call again.",
    ),
  badJson: (field: string, problem: string) =>
    makeFailure(
      "invalidParams",
      {},
      `"${field}" is a string that is not JSON: ${clip(problem, 120)}.`,
      `Send "${field}" as an array of edits.`,
    ),
  twoNames: (at: At, names: readonly string[]) =>
    makeFailure(
      "invalidParams",
      at,
      `${nameOf(at)} names one field in two ways: ${list(names)}.`,
      `Keep one of them in the whole call.`,
    ),
  mixedShapes: (names: readonly string[]) =>
    makeFailure(
      "invalidParams",
      {},
      `The call mixes the shapes of different tools: ${list(names)}.`,
      "Send one tool call in one shape.",
    ),
  patchWithOthers: (patch: string, names: readonly string[]) =>
    makeFailure(
      "invalidParams",
      {},
      `"${patch}" stands alone, but the call also has ${list(names)}.`,
      `Send either "${patch}" or edits.`,
    ),
  patchesNotRead: () =>
    makeFailure(
      "invalidParams",
      {},
      "This version of the server does not read patches yet.",
      "Send the same change as edits with old and new text.",
    ),
  noEdits: () =>
    makeFailure(
      "missingField",
      {},
      "The call holds no edits.",
      'Send at least one {"oldText", "newText"} with a path.',
    ),
  missingFields: (at: At, names: readonly string[]) =>
    makeFailure(
      "missingField",
      at,
      `${nameOf(at)} lacks ${list(names)}.`,
      "An edit needs a path, an old text and a new text.",
    ),
  missingPath: (at: At, empty: boolean) =>
    makeFailure(
      "missingPath",
      at,
      empty
        ? `The path of ${nameOf(at)} is empty.`
        : `${nameOf(at)} has no path, and the call has none for it to inherit.`,
      "Give the edit a path, or the call one for all of them.",
    ),
  unknownField: (at: At, key: string, known: string) =>
    makeFailure(
      "unknownField",
      at,
      `${nameOf(at)} has the unknown field ${quote(key)}; is "${known}" meant?`,
      `Rename it to "${known}" or leave it out.`,
    ),
  contradiction: (at: At, problem: string) =>
    makeFailure("invalidParams", at, `${nameOf(at)} contradicts itself: ${problem}.`),
  loneSurrogate: (at: At, field: string, offset: number) =>
    makeFailure(
      "invalidParams",
      at,
      `"${field}" of ${nameOf(at)} holds half a character (a lone surrogate) at offset ${offset}.`,
      "Send the character whole, or leave it out.",
    ),
  optionsRefused: () =>
    makeFailure(
      "invalidParams",
      {},
      'The call has "options", which only the integration may set.',
      'Leave "options" out.',
    ),
  tooLarge: (at: At, what: string, size: number, limit: number, unit: string) =>
    makeFailure(
      "tooLarge",
      at,
      `${nameOf(at)}: ${what} is ${size.toLocaleString("en")} ${unit}; the limit is ${limit.toLocaleString("en")}.`,
      "Split the change into smaller calls.",
    ),
} as const;

/** Failures of finding out which text a path means. */
export const pathFailures = {
  badPath: (path: string, problem: string) =>
    makeFailure("invalidParams", { path }, `The path ${quote(path, 160)} can't be used: ${problem}.`),
  ambiguousPath: (path: string, places: readonly string[]) =>
    makeFailure(
      "ambiguousPath",
      { path },
      `${quote(path, 160)} may mean ${places.map((p) => quote(p, 160)).join(" or ")}.`,
      "Send the absolute path.",
    ),
  outsideWorkspace: (path: string, folders: readonly string[]) =>
    makeFailure(
      "outsideWorkspace",
      { path },
      folders.length === 0
        ? `${quote(path, 160)} is not open in the editor, and the editor has no workspace folder.`
        : `${quote(path, 160)} lies outside the workspace (${folders
            .slice(0, 3)
            .map((f) => quote(f, 160))
            .join(", ")}).`,
      'Only the user can allow it, with the setting "additionalFolders".',
    ),
  protectedPath: (path: string, name: string) =>
    makeFailure(
      "protectedPath",
      { path },
      `${quote(path, 160)} is protected: "${name}" can make other programs run code.`,
      'Only the user can allow it, with the setting "protectedNames".',
    ),
  fileNotFound: (path: string, similar: readonly string[]) =>
    makeFailure(
      "fileNotFound",
      { path },
      `There is no file ${quote(path, 160)}.`,
      similar.length === 0
        ? "An edit with an empty old text creates it."
        : `Is ${similar.map((s) => quote(s, 160)).join(" or ")} meant?`,
    ),
  isDirectory: (path: string) =>
    makeFailure("isDirectory", { path }, `${quote(path, 160)} is a directory.`, "Name a file."),
  unsupportedEncoding: (path: string, problem: string) =>
    makeFailure(
      "unsupportedEncoding",
      { path },
      `${quote(path, 160)} is ${problem}; only UTF-8, and UTF-16 with a byte order mark, are edited.`,
      "It was left as it is.",
    ),
  desynced: (path: string, problem: string) =>
    makeFailure(
      "desynced",
      { path },
      `What the editor told about ${quote(path, 160)} does not fit together (${problem}), so its text is not known.`,
      "Close the file in the editor and open it again.",
    ),
  tooLarge: (path: string, size: number, limit: number) =>
    makeFailure(
      "tooLarge",
      { path },
      `${quote(path, 160)} is ${size.toLocaleString("en")} bytes; the limit is ${limit.toLocaleString("en")}.`,
      "Edit it by other means.",
    ),
  readOnly: (path: string) =>
    makeFailure(
      "readOnly",
      { path },
      `${quote(path, 160)} can't be written: permission denied.`,
      "Ask the user to make it writable.",
    ),
  ioError: (path: string, problem: string) =>
    makeFailure("ioError", { path }, `${quote(path, 160)} can't be read: ${problem}.`),
} as const;

/** Failures of placing an edit in its text. */
export const editFailures = {
  emptyOldText: (at: At, first: boolean) =>
    makeFailure(
      "emptyOldText",
      at,
      first
        ? `The old text of ${nameOf(at)} is empty, but the file exists and is not empty.`
        : `The old text of ${nameOf(at)} is empty, but it is not the first edit of its file.`,
      "An empty old text only creates a file. To insert, send a neighbouring line as old text, and the same line with the insertion as new text.",
    ),
  noChange: (at: At) =>
    makeFailure(
      "noChange",
      at,
      `Old and new text of ${nameOf(at)} are the same.`,
      "Leave the edit out, or send the new text that is meant.",
    ),
  noMatch: (at: At, absence: Absence) =>
    makeFailure(
      "noMatch",
      at,
      [
        `The old text of ${nameOf(at)} was not found${absence.reason === undefined ? "" : `: ${absence.reason}`}.`,
        ...(absence.nearest ?? []).map(
          (region) => `Nearest, lines ${region.startLine}-${region.endLine} (${region.difference}):\n${region.text}\n`,
        ),
      ].join(" "),
      absence.hint ?? "Read the file again and copy the old text from it.",
      absence.nearest === undefined || absence.nearest.length === 0 ? {} : { nearest: absence.nearest },
    ),
  noSuchOccurrence: (at: At, asked: number, found: number) =>
    makeFailure(
      "noMatch",
      at,
      `${nameOf(at)} asks for occurrence ${asked}, but its old text stands ${count(found, "time")}.`,
      `Send an occurrence from 1 to ${found}.`,
    ),
  ambiguousMatch: (at: At, found: number, rung: string, matches: readonly QuotedLine[], more: string) =>
    makeFailure(
      "ambiguousMatch",
      at,
      `The old text of ${nameOf(at)} stands ${count(found, "time")}${rung === "exact" ? "" : ` (rung ${rung})`}${more}: ${quoted(matches)}${found > matches.length ? "; …" : ""}.`,
      "Add a neighbouring line to old and new text, or set occurrence, line or replaceAll.",
      { matches, ...(matches[0] === undefined ? {} : { line: matches[0].line }) },
    ),
  expectedCount: (at: At, expected: number, found: number, matches: readonly QuotedLine[]) =>
    makeFailure(
      "expectedCount",
      at,
      `${nameOf(at)} expects ${count(expected, "place")}, but its old text stands ${count(found, "time")}${matches.length === 0 ? "" : `: ${quoted(matches)}`}.`,
      "Correct expectedCount or the old text.",
      { matches },
    ),
  overlap: (at: At, other: number, line: number) =>
    makeFailure(
      "overlap",
      at,
      `${nameOf(at)} and edit ${other} overlap at line ${line}: both are found in the same text, and one changes what the other one holds.`,
      "Merge them into one edit, or send them with order sequential.",
      { line },
    ),
  alreadyApplied: (at: At, line: number) =>
    makeFailure(
      "alreadyApplied",
      at,
      `The old text of ${nameOf(at)} was not found, but its new text stands at line ${line} already.`,
      "It seems to be done: leave this edit out.",
      { line },
    ),
  consumed: (at: At, by: number, line: number) =>
    makeFailure(
      "consumed",
      at,
      `The old text of ${nameOf(at)} stood at line ${line}, but edit ${by} of this call changed it.`,
      `Write its old text as it is after edit ${by}, or merge the two.`,
      { line },
    ),
  searchTooLarge: (at: At) =>
    makeFailure(
      "tooLarge",
      at,
      `The old text of ${nameOf(at)} resembles too many places to compare them all.`,
      "Send a longer or more particular old text.",
    ),
  tooManyPlaces: (at: At, found: number) =>
    makeFailure(
      "tooLarge",
      at,
      `${nameOf(at)} would replace ${found.toLocaleString("en")} places or grow the text beyond its limit.`,
      "Send a more particular old text.",
    ),
} as const;

/** Failures of the way to the editor and back. */
export const editorFailures = {
  contentModified: (path: string, problem: string) =>
    makeFailure(
      "contentModified",
      { path },
      `${quote(path, 160)} has moved on: ${problem}.`,
      "Read it again and send the call again.",
    ),
  clientCapability: (problem: string) => makeFailure("clientCapability", {}, `The editor can't do it: ${problem}.`),
  clientRefused: (path: string, reason: string, takenBack: string) =>
    makeFailure(
      "clientRefused",
      { path },
      `The editor refused the edit of ${quote(path, 160)}${reason === "" ? "" : ` (${clip(reason, 200)})`}. ${takenBack}`,
    ),
  clientDiverged: (path: string, takenBack: string) =>
    makeFailure(
      "clientDiverged",
      { path },
      `After the edit the editor's text of ${quote(path, 160)} is neither the old nor the planned one. ${takenBack}`,
      "Read the file before you go on.",
    ),
  userRejected: (label: string) =>
    makeFailure(
      "userRejected",
      {},
      `The user rejected ${label}. Nothing was changed.`,
      "Ask the user what to do instead.",
    ),
  cancelled: () => makeFailure("cancelled", {}, "The request was cancelled. Nothing was changed."),
} as const;
