/** Types for applying a plan: its tasks, the steps that carry them out, and the rules for each kind of step. */
import type { CancellationToken, TextEdit } from "vscode-languageserver/node";
import type { Staged } from "../../disk/commit.js";
import type { DiskChange } from "../../disk/diskChange.js";
import type { OnCommit } from "../../disk/stage.js";
import type { Failure } from "../../plan/failure.js";
import type { TextRules } from "../../plan/operation.js";
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
import type { Asks } from "../../workspace/protection.js";
import type { EditTarget } from "../edit/workspaceEdit.js";
import type { Proposal } from "../history.js";
import type { Caller, CallOptions } from "../protocol.js";
import type { ReverseText } from "../review/reviewer.js";
import { type Leftover, undoFailures } from "../sentences.js";
import type { Session } from "../session.js";
import type { StepOutcome } from "./outcomes.js";

/** The session and the call that steps belong to. */
export interface ApplyContext {
  readonly session: Session;
  readonly options: CallOptions;
  /** The paths of the plan's files, by URI. */
  readonly places: ReadonlyMap<string, ResolvedPath>;
  /** What the disk is to do with the kept calls once this one is committed; `undefined` if nothing. */
  readonly onCommit?: OnCommit | undefined;
  /** Called before the first step, with the files that the steps will change. */
  readonly onStart?: ((files: readonly FileChange[]) => void) | undefined;
}

/** A task. `planned` is the file as first planned; a deleted file is restored from its kept `bytes`. */
export type Task =
  | { readonly kind: "text"; readonly planned: FileUpdate | FileRename }
  | { readonly kind: "create"; readonly planned: FileCreation }
  | { readonly kind: "rename"; readonly planned: FileRename }
  | { readonly kind: "delete"; readonly planned: FileDeletion }
  | { readonly kind: "restore"; readonly planned: FileCreation; readonly bytes: KeptFile };

/** A plan that can be applied, with its tasks in order of execution. */
export interface ApplyPlan extends Extract<Planned, { ok: true }>, Pick<ApplyContext, "places"> {
  readonly tasks: readonly Task[];
  /** The changes that need the user's consent. */
  readonly asks: readonly GuardedFile[];
}

/** A file whose change needs the user's consent. */
export interface GuardedFile extends Pick<Asks, "name"> {
  /** The path to show. */
  readonly path: string;
  /** The absolute path; `undefined` if the document is not a file. */
  readonly file: string | undefined;
}

/** A call or an undo that the server applies, with the function that plans it. */
export interface ApplyJob extends Pick<ApplyContext, "session" | "options" | "onCommit" | "onStart"> {
  readonly kind: "call" | "undo";
  readonly token: CancellationToken;
  /** The agent that sent the call; `undefined` if the editor did. */
  readonly caller: Caller | undefined;
  readonly warnings: readonly string[];
  readonly isPatch: boolean;
  /** The rules of the call's text; `undefined` if it has none. */
  readonly batch?: TextRules | undefined;
  /** Plans the whole job against the current texts or, if `only` is given, plans just that changed file again. */
  readonly plan: (only?: FileChange) => Promise<PlanAttempt>;
}

/** A plan that fits the texts at the time of planning, or the failures if planning failed. */
export type PlanAttempt = ApplyPlan | Extract<Planned, { ok: false }>;

/** The outcome of a step, with the data needed to roll the step back. */
export interface StepResult {
  readonly outcome: StepOutcome;
  /** The edits sent to the editor; `undefined` if none were sent, or if they differ from the plan's. */
  readonly edits?: readonly TextEdit[] | undefined;
  /** Copy of the deleted file, taken just before its deletion; `undefined` if the step deleted none. */
  readonly kept?: KeptFile | undefined;
  /** SHA-256, in hex, of a file just before its rename; `undefined` if it was not renamed or could not be kept. */
  readonly hash?: string | undefined;
  /** Removes the empty directories that the server created for a new name, because some editors do not. */
  readonly tidy?: (() => Promise<void>) | undefined;
  /** `true` if the editor had the renamed file open; `undefined` if no file was renamed. */
  readonly wasOpen?: boolean;
}

/** A completed or attempted task. */
export type DoneStep = Task &
  StepResult & {
    /** The file as most recently planned. */
    readonly file: FileChange;
    /** The outcomes of this file's edits; empty if the file was not planned again. */
    readonly editOutcomes: readonly EditOutcome[];
  };

/** What the user has agreed to, file by file. */
interface AgreedFiles {
  /** Reports whether `again`, a new plan for one file of a plan, has the diff that the user accepted. */
  coversAgain(file: FileChange, again: FileChange, plan: ApplyPlan): boolean;
}

/** A plan being applied. */
export interface Run extends ApplyContext {
  readonly plan: ApplyPlan;
  /** The editor's tasks, in order. */
  readonly tasks: readonly Task[];
  /** The part that the server writes itself, after the editor's tasks; `undefined` if there is none. */
  readonly disk: DiskPart | undefined;
  /** The client that the edit in the answer is written for. */
  readonly shownTo: EditTarget;
  /** Warnings raised before planning, about the call itself. */
  readonly warnings: readonly string[];
  /** What is needed to plan a file again whose text has changed: the job's planning, and what the user has agreed to. */
  readonly replan: Pick<ApplyJob, "plan"> & { readonly confirmation: AgreedFiles | undefined };
  /** The steps done so far. */
  readonly done: DoneStep[];
  /** Total size of the kept copies of deleted files, in bytes. */
  readonly budget: { bytes: number };
}

/** The files that the server writes itself, staged on disk but not visible yet. */
export interface DiskPart {
  readonly ok: true;
  /** Warnings about earlier, interrupted batches and about file attributes that can't be preserved. */
  readonly warnings: readonly string[];
  /** Must be committed or abandoned. */
  readonly staged: Staged;
  readonly tasks: readonly Task[];
  /** The change on disk for each planned file. */
  readonly changes: ReadonlyMap<FileChange, DiskChange>;
  /** Absolute paths of all files changed by this part, including the new paths of renamed files. */
  readonly paths: readonly string[];
}

/** A file changed by a call, to be restored by an undo. */
export interface UndoneFile<F extends FileChange = FileChange> {
  readonly session: Session;
  readonly file: F;
  /** `true` if the file's text was changed by a separate step. */
  readonly isEdited: boolean;
  /** Copy of the deleted file; `undefined` if the file was not deleted, or if no copy was kept. */
  readonly kept: KeptFile | undefined;
  /** URIs of the transaction's files after the batch. If the undo needs any of these names, it frees them itself. */
  readonly freed: ReadonlySet<string>;
  /** Returns the change for the hunks of the text; `undefined` if the review does not follow it. */
  readonly reverse?: ReverseText | undefined;
}

/** The change that undoes an earlier one, or why that can't be. `place`: the path; `undefined` if there is no file. */
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

/** The result of rolling a step back. `stays`: it could not be rolled back; otherwise the state that its file is in. */
export type RolledBack = "back" | "stays" | Leftover;

/** The rules for one kind of step. Methods let one table hold the rules for different types of file. */
export interface StepRules<F extends FileChange = FileChange, T extends Task = Task> {
  /** Performs the task or, for texts, several as one edit. `files`: as most recently planned, one result each. */
  do(run: Run, files: readonly [F, ...F[]], task: T): Promise<readonly StepResult[]>;
  /** Rolls back the step or, of texts, several in a single edit. Returns the result for each of the `files`. */
  rollBack(run: Run, files: readonly [F, ...F[]], step: DoneStep & T): Promise<readonly RolledBack[]>;
  /** Plans the inverse of the step for a later undo; fails if the file or its text has changed since the step. */
  inverse(undone: UndoneFile<F>): Promise<Inverse>;
  /** Reports whether the client has performed the step. */
  isDone(proposed: ProposedStep<F>): Promise<boolean>;
}

/** Returns the path to rename or delete for a document in the plan; `undefined` if the document is not a file. */
export function namePathOf({ places }: Pick<ApplyContext, "places">, uri: string): string | undefined {
  const place = places.get(uri);
  // If the editor has a symbolic link open, the link itself is renamed or deleted, not its target.
  return place?.file === undefined || place.open !== undefined ? pathOfSyncedUri(uri) : place.file;
}

/** Like `namePathOf`, but throws if the document is not a file, which only a bug can cause. */
export function pathOf(context: Pick<ApplyContext, "places">, uri: string): string {
  const path = namePathOf(context, uri);
  if (path === undefined) throw new Error("only files have a path");
  return path;
}
