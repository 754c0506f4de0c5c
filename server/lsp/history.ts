/** The history of a session, as two bounded lists: the batches that were applied, and the edits that were proposed. */
import { randomBytes } from "node:crypto";
import type { FileChange } from "../plan/outcome.js";
import { limits } from "../text/limits.js";
import type { KeptFile } from "../workspace/fileBackup.js";
import type { ResolvedPath } from "../workspace/paths.js";
import type { Caller } from "./protocol.js";

/** One step that was applied or proposed: a change to an existing file's text, or an operation on a whole file. */
export interface AppliedStep {
  readonly kind: "text" | "create" | "rename" | "delete" | "restore";
  /** The file's change as it was applied or proposed. All steps on the file share this object. */
  readonly file: FileChange;
  /** The deleted file as it was just before its deletion; `undefined` if no file was deleted, or if it was not kept. */
  readonly kept?: KeptFile | undefined;
  /** Removes the directories that were made for the file, if they are empty. */
  readonly tidy?: (() => Promise<void>) | undefined;
}

/** A batch that was applied. */
export interface Transaction {
  readonly id: string;
  readonly label: string;
  /** The steps in the order in which they were done; empty after an undo. */
  readonly steps: readonly AppliedStep[];
  readonly isUndone: boolean;
  /** The agent that sent the call; `undefined` if the editor did. */
  readonly caller: Caller | undefined;
}

/** An edit that was proposed to the client. The server has not yet seen any sign that the client applied it. */
export interface Proposal {
  /** The id of the transaction that the proposal becomes once it has been applied. */
  readonly id: string;
  readonly label: string;
  readonly steps: readonly AppliedStep[];
  /** The paths of the edit's files, by URI. */
  readonly places: ReadonlyMap<string, ResolvedPath>;
  /** The changes, by URI, of open documents whose synced text has not yet matched the planned text. */
  readonly unseen: Map<string, FileChange>;
}

/** The recent history of one session. Both lists begin with the oldest entry. */
export interface SessionHistory {
  transactions: readonly Transaction[];
  proposals: readonly Proposal[];
  /** Returns an id that no other transaction of this or any other session has. */
  newId(): string;
}

/** Creates an empty history. */
export function createHistory(): SessionHistory {
  const session = randomBytes(4).toString("hex");
  let made = 0;
  return { transactions: [], proposals: [], newId: () => `${session}-${++made}` };
}

/**
 * Returns the list with `latest` added, but without the parts of `latest` that only planning uses. Drops the oldest
 * entries until at most `most` remain and all of them together fit into `limits.undoSize`. Returns `undefined` if
 * `latest` alone does not fit.
 */
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
  const steps = latest.steps.map((step) => ({ ...step, file: slim.get(step.file) ?? step.file }));
  let room = limits.undoSize;
  const latestFirst = [...held, { ...latest, steps }].slice(-most).reverse();
  const end = latestFirst.findIndex((one) => {
    // Counts the UTF-16 units of the texts and the bytes of the files that are kept for an undo.
    const files = new Set(one.steps.map(({ file }) => file));
    for (const { document, text } of files) room -= document.text.length + text.length;
    for (const { kept } of one.steps) room -= kept?.bytes.length ?? 0;
    return room < 0;
  });
  return end === 0 ? undefined : latestFirst.slice(0, end < 0 ? latestFirst.length : end).reverse();
}
