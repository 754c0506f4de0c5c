/** The history of a session, as two bounded lists: what was applied and can still be undone, and what was proposed to the client. */
import { randomBytes } from "node:crypto";
import type { FileChange } from "../plan/outcome.js";
import { limits } from "../text/limits.js";
import type { KeptFile } from "../workspace/fileBackup.js";
import type { ResolvedPath } from "../workspace/paths.js";
import type { Caller } from "./protocol.js";

/** One step of what was applied or proposed: the text of a file that is there, or what is done to a whole file. */
export interface AppliedStep {
  readonly kind: "text" | "create" | "rename" | "delete" | "restore";
  /** As it was applied: two steps of one file share it. */
  readonly file: FileChange;
  /** Of a deletion: the file as it was right before; `undefined`: it is not known any more. */
  readonly kept?: KeptFile | undefined;
  /** Takes away the directories that were made for it, as far as they are empty. */
  readonly tidy?: (() => Promise<void>) | undefined;
}

/** A batch that was applied. */
export interface Transaction {
  readonly id: string;
  readonly label: string;
  /** In the order in which they were done; empty once they are undone. */
  readonly steps: readonly AppliedStep[];
  readonly isUndone: boolean;
  /** The agent that asked for it; `undefined`: the editor did. */
  readonly caller: Caller | undefined;
}

/** An edit that was proposed to the client, and is not known to be applied. */
export interface Proposal {
  /** The id that its transaction gets. */
  readonly id: string;
  readonly label: string;
  readonly steps: readonly AppliedStep[];
  /** The paths of its files, by URI. */
  readonly places: ReadonlyMap<string, ResolvedPath>;
  /** Open documents whose text has not been seen as it is planned, by the URI that they have. */
  readonly unseen: Map<string, FileChange>;
}

/** The history of one session, of which only the latest is kept. Both lists have the oldest first. */
export interface SessionHistory {
  transactions: readonly Transaction[];
  proposals: readonly Proposal[];
  /** An id that no other transaction has, in this session or in another one. */
  newId(): string;
}

/** A history that holds nothing yet. */
export function createHistory(): SessionHistory {
  const session = randomBytes(4).toString("hex");
  let made = 0;
  return { transactions: [], proposals: [], newId: () => `${session}-${++made}` };
}

/**
 * A list with one more, which is kept without what only planning needs, and without the oldest ones as far as they are too
 * many or too large; `undefined`: the new one is too large.
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
    // UTF-16 units of the texts, and bytes of the files, that are kept for undoing steps.
    const files = new Set(one.steps.map(({ file }) => file));
    for (const { document, text } of files) room -= document.text.length + text.length;
    for (const { kept } of one.steps) room -= kept?.bytes.length ?? 0;
    return room < 0;
  });
  return end === 0 ? undefined : latestFirst.slice(0, end < 0 ? latestFirst.length : end).reverse();
}
