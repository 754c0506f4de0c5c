/** Changes closed files, all or none, even if a system call fails or the process is killed. */
import type { Failure } from "../plan/failure.js";
import { refusedBy } from "../workspace/files.js";
import { codeOf } from "../workspace/identity.js";
import { fileProblems } from "../workspace/sentences.js";
import { type DiskChange, type Slot, toSlots } from "./diskChange.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { attempt, isSystemError } from "./fileSystem.js";
import { journalPath, openJournals, readJournal, unusable, writeJournal } from "./journal.js";
import { settleKept } from "./keptBatches.js";
import { type Claim, claimFor, covers, takeLock } from "./lock.js";
import { moveIntoPlace } from "./moveIntoPlace.js";
import { type DiskTarget, preflight } from "./preflight.js";
import { endBatch, endBatchAsWritten, interrupted, newId, type Recovered, recover, tidyUp } from "./recover.js";
import { type BatchEnding, diskFailures } from "./sentences.js";
import { firstJournal, type OnCommit, type Prepared, type Progress, prepare } from "./stage.js";

/** A batch that is ready to commit but not visible yet. The caller must either commit or abandon it. */
export interface Staged {
  readonly ok: true;
  /** Earlier, interrupted batches that were completed or rolled back before this one began. */
  readonly recovered: readonly Recovered[];
  /** Warnings for the answer to the call, as complete sentences. */
  readonly warnings: readonly string[];
  /** Absolute paths of the directories that the batch creates, parents first. */
  readonly directories: readonly string[];
  /** The names that the batch changes, each with its file before and after the batch. */
  readonly targets: readonly DiskTarget[];
  /** Makes the batch visible within one turn of the event loop. */
  commit(): Committed | NotCommitted;
  /** Removes everything prepared for the batch. */
  abandon(): void;
}

/** A committed batch. Its helper files and its lock are kept until `finish` is called. */
export interface Committed {
  readonly outcome: "applied";
  /** Removes the helper files and the lock; the changes stay. */
  finish(): void;
}

/** A batch that was rolled back or, with `recoveryPending`, is unfinished and may be partly applied. */
export interface NotCommitted {
  readonly outcome: "rolledBack" | "recoveryPending";
  readonly failure: Failure;
  /** `true` if all changes have been made and will persist unless the power fails before the disk confirms them. */
  readonly isThere?: boolean;
}

/** The reasons a batch could not be staged. */
export interface NotStaged {
  readonly ok: false;
  readonly failures: readonly Failure[];
  readonly recovered: readonly Recovered[];
  /** `true` if another batch is changing the same files, or waits to do so. */
  readonly isBusy?: boolean;
}

/** How a batch is staged; all of it may be left out. */
interface Staging {
  /** The change to the kept batches once this one is committed; by default, nothing. */
  readonly onCommit?: OnCommit | undefined;
  /** The id under which this process waits for its turn, if it does. */
  readonly turn?: string | undefined;
}

/** Checks every file and stages the new ones in one turn of the event loop, which locks them for other batches. */
export function stage(
  workspace: DiskWorkspace,
  changes: readonly DiskChange[],
  label: string,
  { onCommit, turn }: Staging = {},
): Staged | NotStaged {
  const { state } = workspace;
  const refuse = (failure: Failure): NotStaged => ({ ok: false, failures: [failure], recovered: [] });
  const unfit = openJournals(workspace);
  if (unfit !== undefined) return refuse(unfit);
  const id = onCommit?.kind === "keep" ? onCommit.id : newId();
  let release = (): void => undefined;
  let tried: readonly string[] = [];
  let recovered: readonly Recovered[] = [];
  try {
    for (;;) {
      const slots = toSlots(changes);
      const claim = claimFor(
        workspace,
        slots.map(({ path }) => path),
      );
      const lock = takeLock(workspace, id, claim, turn);
      if (!lock.ok) return { ...refuse(lock.failure), recovered, isBusy: true };
      release = lock.release;
      const left = interrupted(workspace).filter((one) => !tried.includes(one));
      if (left.length > 0) {
        // Interrupted batches may name the same files, and are ended under a lock of their own.
        release();
        const { batches, failure } = recover(workspace);
        recovered = [...recovered, ...batches];
        if (failure !== undefined) return { ...refuse(failure), recovered, isBusy: failure.code === "locked" };
        tried = [...tried, ...left];
        continue;
      }
      const staged = stageHeld(workspace, slots, { id, label, onCommit, claim });
      if (!Array.isArray(staged)) return toStaged({ ...staged, workspace, release }, recovered);
      release();
      return { ok: false, failures: staged, recovered, isBusy: staged.some(isBusyFailure) };
    }
  } catch (error) {
    release();
    return { ...refuse(unusable(state, error)), recovered };
  }
}

/** Reports whether a failure says that another batch is in the way. */
const isBusyFailure = ({ code, path }: Failure): boolean => code === "locked" && path === undefined;

/** A batch's own id and label, and the names that it has locked. */
interface StagedAs extends Pick<Staging, "onCommit"> {
  readonly id: string;
  readonly label: string;
  readonly claim: Claim;
}

/** Stages a batch whose files are locked. On failure, removes all that it wrote and returns all failures. */
function stageHeld(
  workspace: DiskWorkspace,
  slots: readonly Slot[],
  { id, label, onCommit, claim }: StagedAs,
): Prepared | Failure[] {
  const surveyed = preflight(workspace, slots);
  if (!surveyed.ok) return [...surveyed.failures];
  const { targets, directories } = surveyed;
  // Another batch may have removed a directory after this one had looked for it.
  if (!directories.every((path) => covers(claim, path))) return [diskFailures.busy({})];
  const started = workspace.owners.now();
  const journal = firstJournal(workspace, targets, { id, label, onCommit, started, directories });
  const progress: Progress = { at: undefined, changed: new Set() };
  try {
    return prepare(workspace, journal, targets, progress);
  } catch (error) {
    endBatch(workspace, journal);
    if (!isSystemError(error)) throw error;
    return [failureOf(workspace, error, progress)];
  }
}

/** A batch that is ready to commit, and the function that unlocks its files. */
interface StagedBatch extends Prepared {
  readonly workspace: DiskWorkspace;
  readonly release: () => void;
}

function toStaged(batch: StagedBatch, recovered: readonly Recovered[]): Staged {
  const { workspace, journal, targets, warnings } = batch;
  let isOver = false;
  /** Throws if `commit` or `abandon` has already been called. */
  const begin = (): void => {
    if (isOver) throw new Error(`${journal.label} has already been committed or abandoned`);
    isOver = true;
  };
  const committed: Committed = {
    outcome: "applied",
    finish: () =>
      void thenUnlock(batch, () => {
        if (journal.onCommit !== undefined) settleKept(workspace, journal);
        tidyUp(workspace, { ...journal, state: "committed" });
      }),
  };
  return {
    ok: true,
    recovered,
    warnings,
    directories: journal.directories,
    targets,
    commit() {
      begin();
      const progress: Progress = { at: undefined, changed: new Set() };
      let failure: Failure | undefined;
      try {
        failure = moveIntoPlace(workspace, { journal, targets }, progress);
      } catch (error) {
        if (!isSystemError(error)) {
          endAsWritten(batch);
          throw error;
        }
        // Although the write failed, the journal may already say `committed`, and recovery would then keep the changes.
        const read = attempt(() => readJournal(workspace, journal.id)).value;
        if (read?.kind === "journal" && read.journal.state === "committed") return recordAgain(batch) ?? committed;
        failure = failureOf(workspace, error, progress);
      }
      return failure === undefined ? committed : endFailed(batch, failure, progress);
    },
    abandon() {
      begin();
      thenUnlock(batch, () => endBatch(workspace, journal));
    },
  };
}

/** Ends a batch as its journal says, and unlocks its files. `changed`: the names to restore; by default, all. */
function endAsWritten(batch: StagedBatch, changed?: ReadonlySet<string>): BatchEnding {
  return thenUnlock(batch, () => endBatchAsWritten(batch.workspace, batch.journal.id, changed));
}

/** Ends a batch that could not be committed and returns a failure that says what became of it. */
function endFailed(batch: StagedBatch, failure: Failure, { changed }: Progress): NotCommitted {
  // A file that another program holds can't be examined, and need not be if the batch has not reached it.
  const ending = endAsWritten(batch, changed);
  const isBack = ending.outcome === "rolledBack" || ending.outcome === "untouched";
  return {
    outcome: isBack ? "rolledBack" : "recoveryPending",
    failure: diskFailures.ended(failure, ending),
    // Reading the journal again may show that the batch was committed after all.
    isThere: ending.outcome === "applied",
  };
}

/** Records the commit again, because a power cut could undo the first record. On failure, recovery goes on. */
function recordAgain({ workspace, journal, release }: StagedBatch): NotCommitted | undefined {
  try {
    writeJournal(workspace, { ...journal, state: "committed" });
    return undefined;
  } catch (error) {
    release();
    if (!isSystemError(error)) throw error;
    const problem = fileProblems.system(codeOf(error));
    const failure = diskFailures.unconfirmed(journalPath(workspace.state, journal.id), problem);
    return { outcome: "recoveryPending", failure, isThere: true };
  }
}

/** Runs the last step of a batch and then unlocks the batch's files, even if the step throws. */
function thenUnlock<T>({ release }: StagedBatch, act: () => T): T {
  try {
    return act();
  } finally {
    release();
  }
}

function failureOf({ state }: DiskWorkspace, error: unknown, { at }: Progress): Failure {
  return at === undefined ? unusable(state, error) : refusedBy(error, at, diskFailures.cantWrite);
}
