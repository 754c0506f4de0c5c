/** Failures as values: a code to branch on and a sentence to act on. The sentences are in the `sentences.ts` files. */
import { visible } from "../text/chars.js";
import { limits } from "../text/limits.js";

/** The failure codes of all entry points, as listed in the protocol; they are stable. */
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
  | "leftOutCode"
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

/** A line of the document, quoted in a failure. */
export interface QuotedLine {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
}

/** A region of the document that resembles a missing old text. */
export interface NearestRegion {
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** The first difference, in words. */
  readonly difference: string;
}

/** The present text that a caller can't have seen. If it is not known what the caller has seen, there are no lines and no gap. */
export interface UnseenText {
  /** The first few lines. */
  readonly lines: readonly QuotedLine[];
  /** The number of further ones. */
  readonly more: number;
  /** If all lines have been seen: the 1-based line before which others were removed; after the last line, `"end"`. */
  readonly gap?: number | "end";
}

/** One thing that went wrong. */
export interface Failure {
  readonly code: FailureCode;
  /** 0-based index of the edit in the call; `undefined` if the failure is not about a specific edit. */
  readonly index?: number;
  /** The path, either as the caller wrote it or relative to the workspace. */
  readonly path?: string;
  /** For people and models: the problem, its location and the next step. At most `limits.failureMessage` characters. */
  readonly message: string;
  /** 1-based line of the document (or of the patch) that the failure is about. */
  readonly line?: number;
  /** 1-based column, in UTF-16 code units, at which the old text starts on `line` once a known mistake is corrected. */
  readonly column?: number;
  /** The matches of an ambiguous old text. */
  readonly matches?: readonly QuotedLine[];
  readonly nearest?: readonly NearestRegion[];
  /** The text that a call would have replaced although its caller has not seen it. */
  readonly unseen?: UnseenText;
  /** The user's reason for rejecting the call, as typed. */
  readonly reason?: string;
  /** The next step on its own, for programs that show it separately; `message` contains it, too. */
  readonly hint?: string;
}

/** The part of a call that a failure is about. */
export interface At {
  /** 0-based index of the edit in the call. */
  readonly index?: number;
  readonly path?: string;
  /** 1-based line of the patch where the hunk or section starts; `undefined` if the call is not a patch. */
  readonly patchLine?: number;
}

/** Names the part of a call that a failure is about: `edit 2 (src/a.ts)`, `src/a.ts` or `the call`. */
export function nameOf(at: At): string {
  if (at.index === undefined) return at.path ?? "the call";
  const of = [
    ...(at.path === undefined ? [] : [at.path]),
    ...(at.patchLine === undefined ? [] : [`line ${at.patchLine} of the patch`]),
  ];
  return of.length === 0 ? `edit ${at.index}` : `edit ${at.index} (${of.join(", ")})`;
}

/** Truncates a text to `length` UTF-16 code units, including an ellipsis at the cut; never splits a surrogate pair. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = length - 1;
  const code = text.charCodeAt(end - 1);
  return `${text.slice(0, code >= 0xd800 && code < 0xdc00 ? end - 1 : end)}…`;
}

/** Cuts a caller's text to `length` UTF-16 code units and quotes it on one line, unseen characters escaped. */
export function quote(text: string, length = 60): string {
  return visible(JSON.stringify(clip(text, length)));
}

/** The `At` of a failure that is about the whole call. */
export const theCall: At = {};

/** Returns the `At` of a failure that is about a file rather than an edit. */
export const fileAt = (path: string): At => ({ path });

/** Makes a failure with a given code; `problem` and `hint` become its message. Every failure is made here. */
export function makeFailure(
  code: FailureCode,
  at: At,
  {
    problem,
    hint,
    ...more
  }: { readonly problem: string } & Pick<
    Failure,
    "hint" | "line" | "column" | "matches" | "nearest" | "unseen" | "reason"
  >,
): Failure {
  const room = limits.failureMessage - (hint === undefined ? 0 : Math.min(hint.length, limits.hint) + 1);
  const gap = problem.endsWith("\n") ? "" : " ";
  const said = clip(
    problem.replace(/^(?:edit \d|the call)/, (name) => name[0]?.toUpperCase() + name.slice(1)),
    room,
  );
  const message = hint === undefined ? said : `${said}${gap}${clip(hint, limits.hint)}`;
  return {
    code,
    ...(at.index === undefined ? {} : { index: at.index }),
    ...(at.path === undefined ? {} : { path: at.path }),
    message,
    ...more,
    ...(hint === undefined ? {} : { hint: clip(hint, limits.hint) }),
  };
}

/** Adds an edit's index and path to a failure that was made without them. */
export function atEdit(failure: Failure, at: At): Failure {
  const { index, path, patchLine } = at;
  // A patch is a single text, so the message itself must name the patch line that it is about.
  const message =
    patchLine === undefined || failure.index !== undefined
      ? failure.message
      : `${nameOf({ index, patchLine } as At)}: ${failure.message}`;
  return {
    ...failure,
    message: clip(message.replace(/^edit/, "Edit"), limits.failureMessage),
    ...(index === undefined ? {} : { index }),
    ...(path === undefined ? {} : { path }),
  };
}

/** Adds a sentence about the rest of the batch to a failure's message. */
export function withRest(failure: Failure, rest: string): Failure {
  return { ...failure, message: `${clip(failure.message, limits.failureMessage - rest.length - 1)} ${rest}` };
}

/** Formats a number with its noun, as in `1 edit` or `2 edits`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** Formats a number of occurrences, as in `once` or `2 times`. */
export const times = (n: number): string => (n === 1 ? "once" : count(n, "time"));

/** Lists as many names as fit into `room` characters and says how many more there are. */
export function some(names: readonly string[], room: number): string {
  const shown: string[] = [];
  let length = 0;
  for (const name of names) {
    length += Math.min(name.length, 80) + 2;
    if (length > room) return `${shown.join(", ")} and ${names.length - shown.length} more`;
    shown.push(clip(name, 80));
  }
  return shown.join(", ");
}

/** The result of an operation that failed. */
export interface Failed {
  readonly ok: false;
  readonly failure: Failure;
}

/** Makes the result of an operation that failed. */
export function failed(failure: Failure): Failed {
  return { ok: false, failure };
}
