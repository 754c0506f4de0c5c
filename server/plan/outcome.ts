/** The results of a plan: for each edit, each file and the whole batch. */
import type { RungName } from "../match/rungs.js";
import type { ChangeSet } from "../text/changeSet.js";
import type { LineSpan } from "./draft.js";
import type { Failure } from "./failure.js";
import type { Operation } from "./operation.js";
import { batchFailures } from "./sentences.js";
import type { Document } from "./snapshot.js";
import type { View } from "./views/view.js";

/** The outcome of one edit. The status is `applied` if the plan's change includes the edit. */
export interface EditOutcome {
  /** 0-based index of the edit in the call. */
  readonly index: number;
  readonly path: string;
  readonly status: "applied" | "skipped" | "failed" | "notAttempted";
  /** The rung on which the old text was found; `undefined` if the edit has no place. */
  readonly rung?: RungName;
  readonly places: readonly LineSpan[];
  /** The earlier text by which the edit was placed; absent if the present text decided. */
  readonly base?: View["base"];
  readonly failure?: Failure;
  /** Warnings about the edit, for the plan of the batch, which shows them if the edit is applied. */
  readonly warnings?: readonly string[];
}

/** Returns the outcome of an edit that failed. */
export function failedOutcome({ index, path }: Pick<EditOutcome, "index" | "path">, failure: Failure): EditOutcome {
  return { index, path, status: "failed", places: [], failure };
}

/** Adds a warning, if there is one, to those of an outcome. */
export function warned(outcome: EditOutcome, warning: string | undefined): EditOutcome {
  return warning === undefined ? outcome : { ...outcome, warnings: [...(outcome.warnings ?? []), warning] };
}

/** The change that a batch makes to one document: to the file as a whole and to its text. */
export type FileChange = FileCreation | FileUpdate | FileRename | FileDeletion;

/** The fields common to all file changes. */
interface ChangedFile {
  readonly document: Document;
  /** The change to the text; empty if, for example, the file is deleted, or the edits cancel each other out. */
  readonly change: ChangeSet;
  /** The text after the batch, without a byte order mark; for a deleted file, the text that it had. */
  readonly text: string;
  /** The number of edits in the change; each hunk, Add, Delete and Move counts as one. */
  readonly edits: number;
  /** The operations that made the change. Planning them on their own yields the same change. */
  readonly operations: readonly Operation[];
  /** `true` if other edits of the file have failed. */
  readonly isPartial?: boolean;
  /** For earlier texts that have all of the edits: the changes that these make there. */
  readonly seenAs?: readonly { readonly key: number; readonly change: ChangeSet }[];
}

/** A file that the batch creates. */
export interface FileCreation extends ChangedFile {
  readonly kind: "create";
  /** `true` if another file is deleted to make room for this one. */
  readonly overwritten: boolean;
}

/** A file that keeps its name. */
export interface FileUpdate extends ChangedFile {
  readonly kind: "update";
  /** `true` if an existing text is replaced as a whole. */
  readonly overwritten: boolean;
}

/** A file that is renamed; its text may change as well. */
export interface FileRename extends ChangedFile {
  readonly kind: "rename";
  /** The new name; `document` holds the `uri` and `path` from before the rename. */
  readonly target: FileName;
  /** `true` if an existing text is replaced as a whole, or the file at `target` is deleted to make room. */
  readonly overwritten: boolean;
}

/** A file that is deleted. */
export interface FileDeletion extends ChangedFile {
  readonly kind: "delete";
}

/** A file's name: its URI, and the path shown to people. */
export type FileName = Pick<Document, "uri" | "path">;

/** Returns the name that a file has after the batch; for a deleted file, the name that it had. */
export function nameAfter(file: FileChange): FileName {
  return file.kind === "rename" ? file.target : file.document;
}

/** Returns the names that a change involves: the file's current name and, for a rename, its new name. */
export function namesOf(file: FileChange): readonly FileName[] {
  return file.kind === "rename" ? [file.document, file.target] : [file.document];
}

/** Returns only the change to a file's text, without the change to the file as a whole. */
export function asUpdate({ document, change, text, edits, operations }: ChangedFile): FileUpdate {
  return { kind: "update", document, change, text, overwritten: false, edits, operations };
}

/** Reports whether two changes have the same kind, concern the same file and, for renames, have the same new name. */
export function hasSameFate<F extends FileChange>(one: FileChange, other: F): one is F {
  const [before, after] = [one.document, nameAfter(one)];
  // If the file has been opened in the meantime, its URI now has the client's spelling.
  const isSame = before.uri === other.document.uri || before.path === other.document.path;
  const isRename = one.kind === "rename";
  return isSame && one.kind === other.kind && (!isRename || after.uri === nameAfter(other).uri);
}

/** The plan of a batch, or the failures that prevent the batch from being applied. Outcomes are sorted by index. */
export type Planned =
  | {
      readonly ok: true;
      readonly files: readonly FileChange[];
      readonly outcomes: readonly EditOutcome[];
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly failures: readonly Failure[]; readonly outcomes: readonly EditOutcome[] };

/** The plan of one file, before `atomic` decides whether it is applied. */
export interface FilePlan {
  /** The batch's operations on the file. */
  readonly operations: readonly Operation[];
  readonly outcomes: readonly EditOutcome[];
  /** `undefined` if nothing happens to the file, for example if the batch creates it and deletes it again. */
  readonly file: FileChange | undefined;
  readonly warnings: readonly string[];
}

/** The plans of all files, and the outcomes of edits that do not belong to any of these plans. */
export interface FilePlans {
  readonly plans: readonly FilePlan[];
  readonly lost: readonly EditOutcome[];
}

/** Turns an outcome into a failure because the file's text would be too long. `length` is in UTF-16 code units. */
export function tooLarge(outcome: EditOutcome, length: number): EditOutcome {
  const at = { index: outcome.index, path: outcome.path };
  const failure = batchFailures.textTooLarge(at, length);
  return { ...outcome, status: "failed", failure };
}

/** Returns the outcomes of a plan that is not applied: its `applied` edits become `notAttempted`. */
export function notAttempted(outcomes: readonly EditOutcome[]): EditOutcome[] {
  return outcomes.map((outcome) => (outcome.status === "applied" ? { ...outcome, status: "notAttempted" } : outcome));
}

/** Changes to whole files, in an order in which they can be made. */
export interface FileOrder {
  /** Files to create before any text is edited; their names are already free. */
  readonly created: readonly FileChange[];
  /** Renames, deletions, and creations that need a freed name: after the edits, in order, each with its text. */
  readonly after: readonly FileChange[];
  /** A rename in a circle, in which each file takes the name of the next one; `undefined` if there is no circle. */
  readonly circle: FileChange | undefined;
}

/** Returns the order of a batch's file changes. If there is a circle, `after` holds only the changes before it. */
export function fileOrder(files: readonly FileChange[]): FileOrder {
  const leaving = files.filter(leaves);
  const names = new Set(leaving.map(({ document }) => document.uri));
  const created = files.filter(({ kind, document }) => kind === "create" && !names.has(document.uri));
  const late = files.filter(({ kind, document }) => kind === "create" && names.has(document.uri));
  const isRename = ({ kind }: FileChange): boolean => kind === "rename";
  const moved = [...leaving.filter(isRename), ...late, ...leaving.filter((file) => !isRename(file))];
  const { ordered, circle } = freeingFirst(moved);
  return { created, after: ordered, circle };
}

/**
 * Puts each change that frees a name before the change that takes it, and otherwise keeps the given order, so that git
 * accepts all the diffs together. If there is a circle (see `FileOrder`), `ordered` holds only the changes before it.
 */
export function freeingFirst(files: readonly FileChange[]): {
  readonly ordered: readonly FileChange[];
  readonly circle: FileChange | undefined;
} {
  const holders = new Map(files.filter(leaves).map((file) => [file.document.uri, file]));
  const ordered = new Set<FileChange>();
  for (const file of files) {
    // Each file waits for at most one other, so this is a walk along a chain.
    const chain = new Set<FileChange>();
    for (let at: FileChange | undefined = file; at !== undefined && !ordered.has(at); ) {
      if (chain.has(at)) return { ordered: [...ordered], circle: at };
      chain.add(at);
      const takes: boolean = at.kind === "create" || at.kind === "rename";
      at = takes ? holders.get(nameAfter(at).uri) : undefined;
    }
    for (const one of [...chain].reverse()) ordered.add(one);
  }
  return { ordered: [...ordered], circle: undefined };
}

const leaves = ({ kind }: FileChange): boolean => kind === "rename" || kind === "delete";
