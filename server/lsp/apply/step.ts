/** Types for applying a plan: its tasks, the steps that carry them out, and the rules for each kind of step. */
import type { CancellationToken, TextEdit } from "vscode-languageserver/node";
import type { Staged } from "../../disk/commit.js";
import type { DiskChange } from "../../disk/diskChange.js";
import type { Failure } from "../../plan/failure.js";
import type {
  EditOutcome,
  FileChange,
  FileCreation,
  FileDeletion,
  FileRename,
  FileUpdate,
  Planned,
} from "../../plan/outcome.js";
import type { KeptFile } from "../../workspace/fileBackup.js";
import type { ResolvedPath } from "../../workspace/paths.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import type { EditTarget } from "../edit/workspaceEdit.js";
import type { Proposal } from "../history.js";
import type { CallOptions } from "../protocol.js";
import { type Leftover, undoFailures } from "../sentences.js";
import type { Session } from "../session.js";

/** The session and the call for which steps are done. */
export interface ApplyContext {
  readonly session: Session;
  readonly options: CallOptions;
  /** The paths of the plan's files, by URI. */
  readonly places: ReadonlyMap<string, ResolvedPath>;
}

/**
 * One task: to change the text of an existing file, to create, rename or delete a whole file, or to `restore` a deleted
 * file from its kept bytes. `planned` is the file as first planned.
 */
export type Task =
  | { readonly kind: "text"; readonly planned: FileUpdate | FileRename }
  | { readonly kind: "create"; readonly planned: FileCreation }
  | { readonly kind: "rename"; readonly planned: FileRename }
  | { readonly kind: "delete"; readonly planned: FileDeletion }
  | { readonly kind: "restore"; readonly planned: FileCreation; readonly bytes: KeptFile };

/** A plan that can be applied, with its tasks in the order in which they are done. */
export interface ApplyPlan extends Extract<Planned, { ok: true }>, Pick<ApplyContext, "places"> {
  readonly tasks: readonly Task[];
}

/** A call or an undo that the server applies, with the function that plans it. */
export interface ApplyJob extends Pick<ApplyContext, "session" | "options"> {
  readonly kind: "call" | "undo";
  readonly token: CancellationToken;
  readonly warnings: readonly string[];
  readonly isPatch: boolean;
  /**
   * Plans the whole job for the current texts or, if `only` is given, plans just that file again, because it has
   * changed.
   */
  readonly plan: (only?: FileChange) => Promise<PlanAttempt>;
}

/** A plan that fits the texts as they were at one moment, or the failures if planning failed. */
export type PlanAttempt = ApplyPlan | Extract<Planned, { ok: false }>;

/** The outcome of one step, as the editor's synced text or the disk shows it. */
export type StepOutcome =
  | { readonly kind: "verified" }
  /** Everything is as before. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The text or the file changed first. The step is certainly not in effect. */
  | { readonly kind: "moved" }
  /** The text or the disk is neither as before nor as planned. */
  | { readonly kind: "diverged" }
  /** No answer came in time, and no change was seen. */
  | { readonly kind: "timedOut" }
  /** The editor answered yes, but everything is as before. It may still do the step. */
  | { readonly kind: "acknowledgedButUnchanged" }
  /** The editor answered yes, but does not sync the text that would verify the step. */
  | { readonly kind: "acknowledgedUnverifiable" }
  | { readonly kind: "failed"; readonly failure: Failure }
  /** The disk is neither as before nor as planned; recovery must wait until the disk can be written again. */
  | { readonly kind: "pending"; readonly failure: Failure }
  /** The disk is as planned, but has not confirmed that the change survives a power cut. */
  | { readonly kind: "unconfirmed"; readonly failure: Failure }
  /** The file was created, but stayed empty and could not be deleted. */
  | { readonly kind: "leftEmpty" };

/** The outcome of a step, with the data needed to roll the step back. */
export interface StepResult {
  readonly outcome: StepOutcome;
  /** The edits that were sent to the editor; `undefined` if there were none, or if they differ from the plan's. */
  readonly edits?: readonly TextEdit[] | undefined;
  /** A deleted file as it was just before its deletion; `undefined` if the step did not delete one. */
  readonly kept?: KeptFile | undefined;
  /** SHA-256, in hex, of a file just before its rename; `undefined` if it was not renamed or could not be read. */
  readonly hash?: string | undefined;
  /** Removes any empty directories that the server made for a new name because some editors would not make them. */
  readonly tidy?: (() => Promise<void>) | undefined;
  /** `true` if the editor had a renamed file open; `undefined` if the file was not renamed. */
  readonly wasOpen?: boolean;
}

/** A task that was done or attempted. */
export type DoneStep = Task &
  StepResult & {
    /** The file as last planned. */
    readonly file: FileChange;
    /** The outcomes of this file's edits; empty if the file was not planned again. */
    readonly editOutcomes: readonly EditOutcome[];
  };

/** A plan while it is being applied. */
export interface Run extends ApplyContext {
  readonly plan: ApplyPlan;
  /** The tasks that the editor does, in order. */
  readonly tasks: readonly Task[];
  /** The part that the server writes itself after the editor has done its tasks; `undefined` if there is none. */
  readonly disk: DiskPart | undefined;
  /** The client that the edit in the answer is written for. */
  readonly shownTo: EditTarget;
  /** Warnings about the call that arose before planning. */
  readonly warnings: readonly string[];
  /** The steps that have been done. */
  readonly done: DoneStep[];
  /** Total size of the deleted files that are kept, in bytes. */
  readonly budget: { bytes: number };
}

/** The files that the server writes itself. They are ready on disk, but not visible yet. */
export interface DiskPart {
  readonly ok: true;
  /** Warnings about earlier batches that were interrupted, and about file attributes that can't be preserved. */
  readonly warnings: readonly string[];
  /** Must be committed or abandoned. */
  readonly staged: Staged;
  readonly tasks: readonly Task[];
  /** The change on disk for each planned file. */
  readonly changes: ReadonlyMap<FileChange, DiskChange>;
  /** Absolute paths of all files that this part changes, including the new paths of renamed files. */
  readonly paths: readonly string[];
}

/** A file that a call has changed and that an undo must restore. */
export interface UndoneFile<F extends FileChange = FileChange> {
  readonly session: Session;
  readonly file: F;
  /** `true` if the file's text was changed in a separate step. */
  readonly isEdited: boolean;
  /** The deleted file as it was; `undefined` if the file was not deleted, or if the server did not keep it. */
  readonly kept: KeptFile | undefined;
  /** URIs of the transaction's files after the batch. The undo itself frees any of these names that it needs. */
  readonly freed: ReadonlySet<string>;
}

/**
 * The change that undoes an earlier change to a file, or the failure if it can't be undone. `place` is the file's path;
 * `undefined` if there is no file.
 */
export type Inverse =
  | { readonly ok: true; readonly file: FileChange; readonly place: ResolvedPath | undefined }
  | { readonly ok: false; readonly failure: Failure };

/** Returns the failure for a change that can no longer be undone; `line` is the 1-based line of the problem, if any. */
export function conflict({ document }: FileChange, problem: string, line?: number): Extract<Inverse, { ok: false }> {
  return { ok: false, failure: undoFailures.conflict(document.path, problem, line) };
}

/** A step of a proposal that the client may have applied. `names` holds the planned URIs of the proposal's files. */
export interface ProposedStep<F extends FileChange = FileChange> extends ApplyContext, Pick<Proposal, "unseen"> {
  readonly file: F;
  readonly names: ReadonlySet<string>;
}

/** The rules for one kind of step. They are methods so that one table can hold rules for different types of file. */
export interface StepRules<F extends FileChange = FileChange, T extends Task = Task> {
  /** Does the step. `file` is the file as last planned. */
  do(run: Run, file: F, task: T): Promise<StepResult>;
  /**
   * Rolls back the step after a later one has failed. Returns `true` on success, otherwise `false` or the file's state.
   */
  rollBack(run: Run, file: F, step: DoneStep & T): Promise<boolean | Leftover>;
  /** Plans the inverse of the step for a later undo; fails if the step's file or text has changed since the step. */
  inverse(undone: UndoneFile<F>): Promise<Inverse>;
  /** Reports whether the client has done the step. */
  isDone(proposed: ProposedStep<F>): Promise<boolean>;
}

/** Returns the path by which a document of the plan is renamed or deleted; `undefined` if it is not a file. */
export function namePathOf({ places }: Pick<ApplyContext, "places">, uri: string): string | undefined {
  const place = places.get(uri);
  // If the editor has a link open, the link itself is renamed or deleted, not the file that it points to.
  return place?.file === undefined || place.open !== undefined ? pathOfSyncedUri(uri) : place.file;
}

/** Like `namePathOf`, but throws if the document is not a file, which only a bug can cause. */
export function pathOf(context: Pick<ApplyContext, "places">, uri: string): string {
  const path = namePathOf(context, uri);
  if (path === undefined) throw new Error("only files have a path");
  return path;
}
