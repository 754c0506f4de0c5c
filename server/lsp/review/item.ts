/** The types of what is reviewed: hunks of texts and whole files, and the calls that made them. */
import type { KeptFile } from "../../workspace/fileBackup.js";
import type { AppliedStep, Transaction } from "../history.js";
import type { Caller, ReviewHunk } from "../protocol.js";
import type { FollowedHunk } from "./hunk.js";
import type { ReviewedText } from "./texts.js";

/** A call, as far as the review needs to know it. */
export interface ReviewedCall extends Pick<Transaction, "id" | "at" | "caller"> {
  readonly label: string;
}

/** A file that a call has created, renamed or deleted. */
export interface ReviewedFile {
  readonly id: string;
  readonly kind: "create" | "rename" | "delete";
  readonly uri: string;
  readonly oldUri?: string | undefined;
  readonly call: string;
  state: "pending" | "kept" | "undone";
  /** The hash of the file's bytes, by which it is known after a restart, and a deleted file itself; absent if not saved. */
  proof?: { readonly hash: string; readonly deleted?: KeptFile };
  /** The steps of a call of an earlier session; absent if the history has them. */
  readonly steps?: readonly AppliedStep[];
}

/** A hunk of a text or a whole file, with what has become of it. */
export interface ReviewItem {
  readonly id: string;
  readonly uri: string;
  /** The calls that made it, oldest first. */
  readonly calls: readonly string[];
  readonly state: ReviewHunk["state"];
  readonly of:
    | { readonly kind: "text"; readonly text: ReviewedText; readonly hunk: FollowedHunk }
    | { readonly kind: "file"; readonly file: ReviewedFile };
}

/** The user's comment on a change. */
export interface ReviewComment {
  /** The place that it is about, as the agent reads it. */
  readonly place: string;
  readonly text: string;
  /** The agent that made the change. */
  readonly author: Caller;
}

/** The hunks of a session. */
export interface HunksOf {
  /** Returns all hunks, by file and line; `uri`: only those of this file. */
  items(uri?: string): readonly ReviewItem[];
  /** Returns the call that made a hunk last; `undefined` if it is no longer known. */
  callOf(item: Pick<ReviewItem, "calls">): ReviewedCall | undefined;
  /** The user's comments that no agent was told yet, by the ids of hunks, or by places. */
  readonly comments: ReadonlyMap<string, ReviewComment>;
  /** Returns the message of an error that came with the present text of a hunk; `undefined` if none is known. */
  errorIn(item: ReviewItem): string | undefined;
  /** The calls that have hunks, oldest first, by their transactions. */
  readonly calls: ReadonlyMap<string, ReviewedCall>;
  /** The id of the hunk that the user has looked at last; `undefined` if there is none. */
  current: string | undefined;
  /** Takes the present state of hunks for the user's wish. */
  keep(items: readonly ReviewItem[]): void;
  /** Keeps or, with `undefined`, removes a comment. `about`: the id of a hunk, or a place. */
  comment(about: string, comment: ReviewComment | undefined): void;
}
