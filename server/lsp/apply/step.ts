/** The types of applying: the tasks of a plan, the steps in which they were done, and the rules of each kind of step. */
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

/** The session and the call that steps are done for. */
export interface ApplyContext {
  readonly session: Session;
  readonly options: CallOptions;
  /** The paths of the plan's files, by URI. */
  readonly places: ReadonlyMap<string, ResolvedPath>;
}

/**
 * One thing to do: the text of a file that is there is changed, or the whole file is created, renamed, deleted, or written
 * again with the bytes that it had (`restore`). `planned` is the file as it was planned first.
 */
export type Task =
  | { readonly kind: "text"; readonly planned: FileUpdate | FileRename }
  | { readonly kind: "create"; readonly planned: FileCreation }
  | { readonly kind: "rename"; readonly planned: FileRename }
  | { readonly kind: "delete"; readonly planned: FileDeletion }
  | { readonly kind: "restore"; readonly planned: FileCreation; readonly bytes: KeptFile };

/** A plan that goes through, with the tasks that apply it, in the order in which they are done. */
export interface ApplyPlan extends Extract<Planned, { ok: true }>, Pick<ApplyContext, "places"> {
  readonly tasks: readonly Task[];
}

/** A call or an undo that the server applies, and how it is planned. */
export interface ApplyJob extends Pick<ApplyContext, "session" | "options"> {
  readonly kind: "call" | "undo";
  readonly token: CancellationToken;
  readonly warnings: readonly string[];
  readonly isPatch: boolean;
  /** Plans on the text as it is now: all of it, or only what made one file of an earlier plan, whose text has moved on. */
  readonly plan: (only?: FileChange) => Promise<PlanAttempt>;
}

/** A plan on the text of one moment, or why there is none. */
export type PlanAttempt = ApplyPlan | Extract<Planned, { ok: false }>;

/** The outcome of one step, by the text that the editor syncs or by the disk. */
export type StepOutcome =
  | { readonly kind: "verified" }
  /** All is as it was before. */
  | { readonly kind: "refused"; readonly reason: string }
  /** The text has moved on, and the step is certainly not in it. */
  | { readonly kind: "moved" }
  /** Text or disk is neither as it was nor as planned. */
  | { readonly kind: "diverged" }
  /** No answer came, and no text. */
  | { readonly kind: "timedOut" }
  /** The editor said yes, but everything is as it was: the step may still come. */
  | { readonly kind: "acknowledgedButUnchanged" }
  /** The editor said yes, but does not sync the text that would verify it. */
  | { readonly kind: "acknowledgedUnverifiable" }
  | { readonly kind: "failed"; readonly failure: Failure }
  /** The disk is neither as it was nor as planned, until it can be written again. */
  | { readonly kind: "pending"; readonly failure: Failure }
  /** The disk is as planned, but does not confirm that it stays so through a power cut. */
  | { readonly kind: "unconfirmed"; readonly failure: Failure }
  /** The file was created, but got no text and could not be deleted again. */
  | { readonly kind: "leftEmpty" };

/** The outcome of a step, and what rolling it back needs. */
export interface StepResult {
  readonly outcome: StepOutcome;
  /** The edits that the editor got for the file; `undefined`: none, or others than the plan has. */
  readonly edits?: readonly TextEdit[] | undefined;
  /** A deleted file as it was right before; `undefined`: it was not deleted. */
  readonly kept?: KeptFile | undefined;
  /** SHA-256, in hex, of a renamed file right before; `undefined`: it was not renamed, or is too large to be read. */
  readonly hash?: string | undefined;
  /** Takes away the directories that were made for a new name, which not every editor makes. */
  readonly tidy?: (() => Promise<void>) | undefined;
  /** `true` if the editor had a renamed file open; `undefined`: it was not renamed. */
  readonly wasOpen?: boolean;
}

/** A task that was done, or was tried. */
export type DoneStep = Task &
  StepResult & {
    /** As it was planned last. */
    readonly file: FileChange;
    /** The outcomes of this file's edits, if it was planned again. */
    readonly editOutcomes: readonly EditOutcome[];
  };

/** A plan on its way. */
export interface Run extends ApplyContext {
  readonly plan: ApplyPlan;
  /** Those of its tasks that the editor does, in their order. */
  readonly tasks: readonly Task[];
  /** The part that the server writes itself once the editor has done its tasks; `undefined`: none. */
  readonly disk: DiskPart | undefined;
  /** The client that the edit in the answer is written for. */
  readonly shownTo: EditTarget;
  /** Warnings of the call, before it was planned. */
  readonly warnings: readonly string[];
  /** The steps so far. */
  readonly done: DoneStep[];
  /** Bytes of deleted files that are kept. */
  readonly budget: { bytes: number };
}

/** The files that the server writes itself, ready on disk, and that nobody sees yet. */
export interface DiskPart {
  readonly ok: true;
  /** Warnings of earlier batches that were cut off, and of what can't be kept as it was. */
  readonly warnings: readonly string[];
  /** Must be committed or abandoned. */
  readonly staged: Staged;
  readonly tasks: readonly Task[];
  /** The change of each file as it was planned. */
  readonly changes: ReadonlyMap<FileChange, DiskChange>;
  /** Absolute paths of all names that it changes. */
  readonly paths: readonly string[];
}

/** A file that was applied and must become as it was before. */
export interface UndoneFile<F extends FileChange = FileChange> {
  readonly session: Session;
  readonly file: F;
  /** `true` if its text was changed in a step of its own. */
  readonly isEdited: boolean;
  /** A deleted file as it was; `undefined`: it was not deleted, or is not known any more. */
  readonly kept: KeptFile | undefined;
  /** URIs that the transaction has taken, and that are free again on the way. */
  readonly freed: ReadonlySet<string>;
}

/** The change that gives a file back what it had. `place`: its path; `undefined`: the file is not there. */
export type Inverse =
  | { readonly ok: true; readonly file: FileChange; readonly place: ResolvedPath | undefined }
  | { readonly ok: false; readonly failure: Failure };

/** The failure of what can't be undone any more, at a 1-based line if it is one. */
export function conflict({ document }: FileChange, problem: string, line?: number): Extract<Inverse, { ok: false }> {
  return { ok: false, failure: undoFailures.conflict(document.path, problem, line) };
}

/** Looked at to see whether a proposal was applied. `names`: the URIs that its files have afterwards. */
export interface ProposedStep<F extends FileChange = FileChange> extends ApplyContext, Pick<Proposal, "unseen"> {
  readonly file: F;
  readonly names: ReadonlySet<string>;
}

/** The rules of one kind of step. Methods, so that the rules of one kind of file can stand in a table with the others. */
export interface StepRules<F extends FileChange = FileChange, T extends Task = Task> {
  /** Does the step, on the file as it is planned by now. */
  do(run: Run, file: F, task: T): Promise<StepResult>;
  /** Rolls it back because a later step failed. `false`, or what is left of it: it could not be rolled back. */
  rollBack(run: Run, file: F, step: DoneStep & T): Promise<boolean | Leftover>;
  /** Plans what undoes it later, if nothing has been done to the file since. */
  inverse(undone: UndoneFile<F>): Promise<Inverse>;
  /** Tells whether it was done by the client. */
  isDone(proposed: ProposedStep<F>): Promise<boolean>;
}

/** The path at which a file of the plan is known by name; `undefined`: it is no file. */
export function namePathOf({ places }: Pick<ApplyContext, "places">, uri: string): string | undefined {
  const place = places.get(uri);
  // A link that the editor has open is renamed and deleted itself, not what it leads to.
  return place?.file === undefined || place.open !== undefined ? pathOfSyncedUri(uri) : place.file;
}

/** The same for a file that a plan creates, renames, deletes or writes; throws for what is no file, which no plan does. */
export function pathOf(context: Pick<ApplyContext, "places">, uri: string): string {
  const path = namePathOf(context, uri);
  if (path === undefined) throw new Error("only files have a path");
  return path;
}
