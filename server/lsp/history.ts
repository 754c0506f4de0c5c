/** A session's history, as two bounded lists: applied batches and proposed edits. */
import { randomBytes } from "node:crypto";
import type { FileChange } from "../plan/outcome.js";
import { limits } from "../text/limits.js";
import type { KeptFile } from "../workspace/fileBackup.js";
import type { ResolvedPath } from "../workspace/paths.js";
import type { Caller, FileResult } from "./protocol.js";

/** The numbers of added and removed lines in the file that had this URI before the call. */
export type LineCounts = Pick<FileResult, "uri" | "added" | "removed">;

/** An applied or proposed step: a change to an existing file's text, or an operation on a whole file. */
export interface AppliedStep {
  readonly kind: "text" | "create" | "rename" | "delete" | "restore";
  /** The file's change, as applied or proposed. All steps for a file share one object. */
  readonly file: FileChange;
  /** Copy of the deleted file, taken just before its deletion; `undefined` if none was deleted or no copy was kept. */
  readonly kept?: KeptFile | undefined;
  /** Removes the directories created for the file, if they are empty. */
  readonly tidy?: (() => Promise<void>) | undefined;
}

/** An applied batch, which may have been undone since. */
export interface Transaction {
  readonly id: string;
  readonly label: string;
  /** The steps, in the order in which they were performed; after an undo, those of the undo. */
  readonly steps: readonly AppliedStep[];
  readonly isUndone: boolean;
  /** The time of the undo, in milliseconds since 1970; absent if it was not undone. */
  readonly undoneAt?: number;
  /** The time of the call, in milliseconds since 1970. */
  readonly at: number;
  /** The paths of the changed files, as answers show them; those of renamed files are the new ones. */
  readonly files: readonly string[];
  /** The agent that sent the call; `undefined` if the editor did. */
  readonly caller: Caller | undefined;
  /** The numbers of lines that the call has added and removed; absent if they are unknown. */
  readonly lines?: Omit<LineCounts, "uri">;
}

/** An edit proposed to the client, with no sign yet that the client has applied it. */
export interface Proposal {
  /** The id of the transaction that the proposal becomes once it has been applied. */
  readonly id: string;
  readonly label: string;
  readonly steps: readonly AppliedStep[];
  /** The paths of the edit's files, by URI. */
  readonly places: ReadonlyMap<string, ResolvedPath>;
  /** The changes to open documents whose synced text has not yet matched the planned text, by URI. */
  readonly unseen: Map<string, FileChange>;
  /** The numbers of lines that the edit changes in each file. */
  readonly counts: readonly LineCounts[];
}

/** The recent history of one session. Both lists start with the oldest entry. */
export interface SessionHistory {
  transactions: readonly Transaction[];
  proposals: readonly Proposal[];
  /** Returns an id that is unique across all sessions. */
  newId: () => string;
  /** `true` if the disk keeps the session's calls, because the session has no editor and ends with its call. */
  isOnDisk: boolean;
}

/** Creates an empty history. */
export function createHistory(): SessionHistory {
  const session = randomBytes(4).toString("hex");
  let made = 0;
  return { transactions: [], proposals: [], isOnDisk: false, newId: () => `${session}-${++made}` };
}

/** Returns the list with `latest`, without the oldest that exceed `most` or `limits.undoSize`, if it fits itself. */
export function withLatest<T extends Pick<Transaction, "steps">>(
  held: readonly T[],
  latest: T,
  most: number,
): readonly T[] | undefined {
  const slim = new Map<FileChange, FileChange>();
  for (const { file } of latest.steps) {
    const { formerLines: _, ...document } = file.document;
    slim.set(file, { ...file, document, operations: [] });
  }
  const steps = latest.steps.map(({ kind, file, kept, tidy }) => ({ kind, file: slim.get(file) ?? file, kept, tidy }));
  let room = limits.undoSize;
  const latestFirst = [...held, { ...latest, steps }].slice(-most).reverse();
  const end = latestFirst.findIndex((one) => {
    // The size of an entry is the number of UTF-16 code units in its texts plus the number of bytes in its kept files.
    const files = new Set(one.steps.map(({ file }) => file));
    for (const { document, text } of files) room -= document.text.length + text.length;
    for (const { kept } of one.steps) room -= kept?.bytes.length ?? 0;
    return room < 0;
  });
  return end === 0 ? undefined : latestFirst.slice(0, end < 0 ? latestFirst.length : end).reverse();
}
