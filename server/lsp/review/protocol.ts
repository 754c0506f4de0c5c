/** The wire types of the review: what agents have changed, hunk by hunk, and what the user says of it. */
import type { Position, Range } from "vscode-languageserver/node";

/** Names of the requests of the review. */
export const reviewMethods = {
  review: "multiEdit/review",
  keep: "multiEdit/keep",
  redo: "multiEdit/redo",
  comment: "multiEdit/comment",
  history: "multiEdit/history",
} as const;

/** Names of the commands of the review. Those with the name of a request take its params as their first argument. */
export const reviewCommands = {
  keep: "multiEdit.keep",
  redo: "multiEdit.redo",
  comment: "multiEdit.comment",
  next: "multiEdit.reviewNext",
  previous: "multiEdit.reviewPrevious",
  diff: "multiEdit.reviewDiff",
} as const;

/** Name of the notification that the server sends to a client that announces `review`. */
export const reviewNotification = "multiEdit/didChangeReview";

/** Lines, or a file, that agents or the editor's own calls have changed. */
export interface ReviewHunk {
  /** Stays the same as long as the hunk is known. */
  id: string;
  uri: string;
  kind: "text" | "create" | "rename" | "delete";
  /** Former URI of a renamed file. */
  oldUri?: string;
  /** Document version that the ranges refer to; `null` if the file is not open in the editor. */
  version: number | null;
  /** Whole lines; empty at the start of the line below if lines were only removed, or for a whole file. */
  range: Range;
  /** The parts of `range` that a call has written; only if the user has typed there. */
  ranges?: Range[];
  /** The lines before the first change that was not kept. */
  oldText: string;
  /** The lines as the last call left them. */
  newText: string;
  /** Name of the agent that sent the last call; absent if the editor sent it. */
  agent?: string;
  /** The last call that changed these lines. */
  transaction: string;
  /** All calls that changed these lines, oldest first; absent if there is only one. */
  transactions?: string[];
  /** Time of the last call, in ISO 8601. */
  at: string;
  /** `changed`: somebody has typed in these lines since; they then can't be undone. */
  state: "pending" | "changed" | "kept" | "undone";
  /** What the call did, for people: `claude-code: 2 lines changed, 1 removed`. */
  message: string;
  /** The user's comment that the agent was not told yet. */
  comment?: string;
}

/** Names hunks, by exactly one of these fields; a `range` belongs to a `uri`. */
export interface ReviewSelector {
  hunks?: string[];
  uri?: string;
  /** The hunks whose lines touch those of the range. */
  range?: Range;
  transaction?: string;
  /** Name of an agent. */
  agent?: string;
  all?: true;
}

/** Params of `multiEdit/review`. Without any, all hunks that are pending or changed are listed. */
export type ReviewParams = ReviewSelector;

/** The answer to `multiEdit/review`: the hunks by file and line. With `all`, also those that were kept or undone. */
export interface ReviewResult {
  hunks: ReviewHunk[];
}

/** Params of the notification `multiEdit/didChangeReview`: the pending and changed hunks of one file, which replace those before. */
export interface DidChangeReviewParams {
  uri: string;
  version: number | null;
  hunks: ReviewHunk[];
}

/** The answer to `multiEdit/keep`: the ids of the hunks that are now kept. */
export interface KeepResult {
  kept: string[];
}

/** Params of `multiEdit/redo`: a call or hunks that were undone; by default, the call undone last. */
export interface RedoParams {
  transaction?: string;
  hunks?: string[];
}

/** Params of `multiEdit/comment`. By default, the comment is about the hunk that was last shown, or the latest call. */
export interface CommentParams {
  /** An empty text removes the comment. */
  text: string;
  hunk?: string;
  uri?: string;
  range?: Range;
}

/** The answer to `multiEdit/comment`: what it is about, as the agent will read it, such as `src/tax.ts:9`. */
export interface CommentResult {
  about: string;
}

/** Argument of the commands `multiEdit.reviewNext` and `multiEdit.reviewPrevious`: the place of the cursor. */
export interface ReviewCursor {
  uri: string;
  position: Position;
}

/** A call, with what has become of it. */
export interface HistoryCall {
  transaction: string;
  label: string;
  /** Name of the agent that sent the call; absent if the editor did. */
  agent?: string;
  /** Time of the call, in ISO 8601. */
  at: string;
  /** The paths of the changed files; those of renamed files are the new ones. */
  files: string[];
  /** Number of lines added; a changed line counts in both `added` and `removed`. Absent if unknown. */
  added?: number;
  /** Number of lines removed; absent if unknown. */
  removed?: number;
  state: "applied" | "partlyUndone" | "undone" | "kept";
}

/** The answer to `multiEdit/history`: the calls, latest first. */
export interface HistoryResult {
  calls: HistoryCall[];
}

/** A hunk of a change that the user is asked about: whole lines, or what happens to a file. */
export interface ConfirmHunk {
  /** Names the hunk in the answer. */
  id: string;
  uri: string;
  kind: "text" | "create" | "rename" | "delete";
  /** 1-based number of the first line, in the text before the call. */
  startLine: number;
  oldText: string;
  newText: string;
  /** The hunk's first and last line in the `diff` of the question, 1-based; those of the whole file unless it is a text. */
  diffLines: [first: number, last: number];
}

/** A place that the user has refused to have changed: lines (1-based, inclusive) of the text before the call, or a whole file. */
export interface RefusedPlace {
  path: string;
  startLine?: number;
  endLine?: number;
}
