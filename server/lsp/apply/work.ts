/** The types of what the server applies: a plan with its tasks, and the steps in which they were done. */
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
import type { FileStep, Site } from "./fileSteps.js";

/** A plan that goes through. */
export type GoodPlan = Extract<Planned, { ok: true }>;

/**
 * A step of a plan: the text of a file that is there, or what is done to a whole file. `restore` writes a deleted file
 * again, with the bytes that it had. `planned` is the file as it was planned first.
 */
export type Task =
  | { readonly kind: "text"; readonly planned: FileUpdate | FileRename }
  | { readonly kind: "create"; readonly planned: FileCreation }
  | { readonly kind: "rename"; readonly planned: FileRename }
  | { readonly kind: "delete"; readonly planned: FileDeletion }
  | { readonly kind: "restore"; readonly planned: FileCreation; readonly bytes: KeptFile };

/** A step as it was done in the end, what proves it, and what taking it back needs. */
export type Step = Task &
  FileStep & {
    /** As it was planned last. */
    readonly file: FileChange;
    /** The outcomes of this file's edits, where they were planned again. */
    readonly outcomes: readonly EditOutcome[];
  };

/** One file planned again, on the text that it has now, with the same fate as before; and the outcomes of its edits. */
export type Replanned =
  | { readonly ok: true; readonly file: FileChange; readonly outcomes: readonly EditOutcome[] }
  | { readonly ok: false; readonly failure: Failure };

/** A plan to be applied, and how to plan one of its files again when its text moved on. */
export interface Job extends Site {
  readonly planned: GoodPlan;
  /** In the order in which they are done. */
  readonly tasks: readonly Task[];
  /** What the server writes itself once the editor has done its tasks; `undefined`: nothing. */
  readonly disk: DiskPart | undefined;
  readonly warnings: readonly string[];
  readonly replan: (file: FileChange) => Promise<Replanned>;
}

/** A job on its way. */
export interface Work extends Job {
  readonly done: Step[];
  /** Bytes of deleted files that are kept. */
  readonly budget: { bytes: number };
}

/** A disk part that is ready and that nobody sees yet. */
export interface DiskPart {
  readonly ok: true;
  /** What was found of earlier batches, and what can't be kept as it was. */
  readonly warnings: readonly string[];
  readonly tasks: readonly Task[];
  /** Makes all of it visible, or nothing; `hasWaited`: somebody had time to open one of the files since. */
  commit(when: { readonly hasWaited: boolean }): Promise<Written>;
  abandon(): void;
}

/** What a disk part came to: a step for each of its tasks, or the steps that did not come about, and why. */
export type Written =
  | { readonly isDone: true; readonly steps: readonly Step[] }
  | { readonly isDone: false; readonly steps: readonly [Step, ...Step[]] };
