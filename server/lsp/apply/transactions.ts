/** What was applied in a session and can still be taken back: a bounded list. */
import { randomBytes } from "node:crypto";
import type { FileChange } from "../../plan/outcome.js";
import { limits } from "../../text/limits.js";
import type { KeptFile } from "../../workspace/fileBackup.js";
import type { Caller } from "../protocol.js";
import type { Task } from "./work.js";

/** One step of what was applied. */
export interface AppliedStep {
  readonly kind: Task["kind"];
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
  /** In the order in which they were done; empty once they are taken back. */
  readonly steps: readonly AppliedStep[];
  /** Whether it was taken back. */
  readonly isUndone: boolean;
  /** The agent that asked for it; `undefined`: the editor did. */
  readonly caller: Caller | undefined;
}

/** The transactions of one session, of which only the latest are kept. */
export interface Transactions {
  /** An id that no other transaction has, in this session or in another one. */
  newId(): string;
  /** Adds one as the latest; `false`: it is too large to be kept. */
  add(transaction: Omit<Transaction, "isUndone">): boolean;
  /** The latest that was not taken back. */
  last(): Transaction | undefined;
  get(id: string): Transaction | undefined;
  /** Notes that one was taken back. */
  undone(id: string): void;
  /** Oldest first. */
  all(): readonly Transaction[];
}

/** A list that holds nothing yet. */
export function createTransactions(): Transactions {
  const session = randomBytes(4).toString("hex");
  let made = 0;
  let held: readonly Transaction[] = [];
  return {
    newId: () => `${session}-${++made}`,
    add({ id, label, steps, caller }) {
      const slim = steps.map(({ kind, file, kept, tidy }) => ({ kind, file: withoutLoad(file), kept, tidy }));
      const transaction: Transaction = { id, label, steps: slim, isUndone: false, caller };
      if (sizeOf(steps) > limits.undoSize) return false;
      held = [...held, transaction].slice(-limits.transactions);
      while (held.reduce((sum, one) => sum + sizeOf(one.steps), 0) > limits.undoSize) held = held.slice(1);
      return true;
    },
    last: () => held.findLast(({ isUndone }) => !isUndone),
    get: (id) => held.find((one) => one.id === id),
    undone(id) {
      held = held.map((one) => (one.id === id ? { ...one, steps: [], isUndone: true } : one));
    },
    all: () => held,
  };
}

const slimmed = new WeakMap<FileChange, FileChange>();

/** The same file for each of its steps, without what only planning needs. */
function withoutLoad(file: FileChange): FileChange {
  const known = slimmed.get(file);
  if (known !== undefined) return known;
  const { formerLines: _, ...document } = file.document;
  const slim: FileChange = { ...file, document, operations: [] };
  slimmed.set(file, slim);
  return slim;
}

/** UTF-16 units of the texts, and bytes of the files, that are kept for taking steps back. */
export function sizeOf(steps: readonly AppliedStep[]): number {
  const files = new Set(steps.map(({ file }) => file));
  const texts = [...files].reduce((sum, { document, text }) => sum + document.text.length + text.length, 0);
  return texts + steps.reduce((sum, { kept }) => sum + (kept?.bytes.length ?? 0), 0);
}
