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
