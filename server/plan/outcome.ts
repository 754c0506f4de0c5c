/** What a plan says: of each edit, of each file, of the whole batch. */
import type { RungName } from "../match/rungs.js";
import type { ChangeSet } from "../text/changeSet.js";
import type { LineSpan } from "./draft.js";
import type { Failure } from "./failure.js";
import type { Operation } from "./operation.js";
import { batchFailures } from "./sentences.js";
import type { Document } from "./snapshot.js";

/** What became of one edit. `applied`: the plan's change contains it. */
export interface EditOutcome {
  /** 0-based, as sent. */
  readonly index: number;
  readonly path: string;
  readonly status: "applied" | "skipped" | "failed" | "notAttempted";
  /** `undefined`: nothing was found. */
  readonly rung?: RungName;
  readonly places: readonly LineSpan[];
  readonly failure?: Failure;
}

/** The outcome of an edit that failed. */
export function failedOutcome({ index, path }: Pick<EditOutcome, "index" | "path">, failure: Failure): EditOutcome {
  return { index, path, status: "failed", places: [], failure };
}

/** One document's part of a batch: what becomes of the file as a whole, and of its text. */
export type FileChange = FileCreation | FileUpdate | FileRename | FileDeletion;

/** Parts of every file change. */
interface ChangedFile {
  readonly document: Document;
  /** From the document's text; empty if a chain led back to the start, an empty file is created, or the file is deleted. */
  readonly change: ChangeSet;
  /** The text after the batch, without a byte order mark; of a deleted file, the text that it had. */
  readonly text: string;
  /** Edits of the batch that the change contains; each hunk, Add, Delete and Move counts as one. */
  readonly edits: number;
  /** The part of the batch that made it: planned alone, these operations give this change again. */
  readonly operations: readonly Operation[];
}

/** A file that the batch brings into being. */
export interface FileCreation extends ChangedFile {
  readonly kind: "create";
  /** Whether another file makes room for it. */
  readonly overwritten: boolean;
}

/** A file that keeps its name. */
export interface FileUpdate extends ChangedFile {
  readonly kind: "update";
  /** Whether a text that was there is replaced as a whole. */
  readonly overwritten: boolean;
}

/** A file that gets another name, and may get another text as well. */
export interface FileRename extends ChangedFile {
  readonly kind: "rename";
  /** The new name; the document keeps its own `uri` and `path` up to then. */
  readonly target: FileName;
  /** Whether a text that was there is replaced as a whole, or the file at `target` makes room. */
  readonly overwritten: boolean;
}

/** A file that goes. */
export interface FileDeletion extends ChangedFile {
  readonly kind: "delete";
}

/** A name of a file: its URI, and its path for people. */
export type FileName = Pick<Document, "uri" | "path">;

/** The name that a file has after the batch; a deleted one, the name that it had. */
export function nameAfter(file: FileChange): FileName {
  return file.kind === "rename" ? file.target : file.document;
}

/** The names that a change is about: the one that the file has and, of a rename, the one that it gets. */
export function namesOf(file: FileChange): readonly FileName[] {
  return file.kind === "rename" ? [file.document, file.target] : [file.document];
}

/** The change of a file's text alone, apart from what becomes of the file as a whole. */
export function asUpdate({ document, change, text, edits, operations }: ChangedFile): FileUpdate {
  return { kind: "update", document, change, text, overwritten: false, edits, operations };
}

/** Whether a planned file is the same file as another one, with the same fate. */
export function hasSameFate<F extends FileChange>(one: FileChange, other: F): one is F {
  const [before, after] = [one.document, nameAfter(one)];
  // A file that was opened meanwhile has the client's spelling.
  const isSame = before.uri === other.document.uri || before.path === other.document.path;
  const isRename = one.kind === "rename";
  return isSame && one.kind === other.kind && (!isRename || after.uri === nameAfter(other).uri);
}

/** A batch that goes through, or everything that stands in its way. Outcomes are in the order of their indices. */
export type Planned =
  | {
      readonly ok: true;
      readonly files: readonly FileChange[];
      readonly outcomes: readonly EditOutcome[];
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly failures: readonly Failure[]; readonly outcomes: readonly EditOutcome[] };

/** A file's own result, before the batch's atomicity decides. */
export interface FilePlan {
  /** What of the batch is about the file. */
  readonly operations: readonly Operation[];
  readonly outcomes: readonly EditOutcome[];
  /** `undefined`: the batch created the file and deleted it again. */
  readonly file: FileChange | undefined;
  readonly warnings: readonly string[];
}

/** The results of all files, and the outcomes of what belongs to none. */
export interface FilePlans {
  readonly plans: readonly FilePlan[];
  readonly lost: readonly EditOutcome[];
}

/** An outcome in a file whose text (a number of UTF-16 units) would be beyond the limit. */
export function tooLarge(outcome: EditOutcome, length: number): EditOutcome {
  const at = { index: outcome.index, path: outcome.path };
  const failure = batchFailures.textTooLarge(at, length);
  return { ...outcome, status: "failed", failure };
}

/** Outcomes of a plan of which nothing was applied. */
export function notAttempted(outcomes: readonly EditOutcome[]): EditOutcome[] {
  return outcomes.map((outcome) => (outcome.status === "applied" ? { ...outcome, status: "notAttempted" } : outcome));
}
