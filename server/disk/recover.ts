/** Completes or rolls back batches by their journals alone: a given one, or all that a crash interrupted. */
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import type { Failure } from "../plan/failure.js";
import { fileProblems } from "../workspace/sentences.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { attempt, isUnreached, syncDirectories, tryAll, unlinkIfThere } from "./fileSystem.js";
import {
  folderOf,
  type HelpedEntry,
  helpedEntries,
  type Journal,
  journalPath,
  listJournals,
  namesIn,
  openJournals,
  readAnyJournal,
  readJournal,
  removeJournal,
  unusable,
  writeJournal,
} from "./journal.js";
import { settleKept } from "./keptBatches.js";
import { claimFor, liveLocks, takeLock } from "./lock.js";
import { rollBack } from "./rollBack.js";
import { type BatchEnding, diskFailures, diskSentences, type Foreign } from "./sentences.js";

/** An interrupted batch and its outcome. */
export interface Recovered extends BatchEnding {
  readonly id: string;
  /** The caller's label for the batch. */
  readonly label: string;
  /** Human-readable names of the batch's files. */
  readonly names: readonly string[];
  /** A full description of the outcome, for the log and for the next answer. */
  readonly message: string;
}

/** The result of examining the journals and ending the interrupted batches. */
export interface Recovery {
  readonly batches: readonly Recovered[];
  /** Sentences about journals that were left alone because they can't be read or trusted. */
  readonly problems: readonly string[];
  /** Why the journals could not be examined or no batch may be written yet; `undefined` if nothing is wrong. */
  readonly failure?: Failure | undefined;
}

/** Ends the interrupted batches in a workspace's folders, unless another process changes one of their files. */
export function recover(workspace: DiskWorkspace): Recovery {
  const nothing: Recovery = { batches: [], problems: [] };
  const { files, state } = workspace;
  try {
    // If the journal directory does not exist, there is nothing to recover, so the directory is not created.
    if (files.look(state) === undefined) return nothing;
    const failure = openJournals(workspace);
    if (failure !== undefined) return { ...nothing, failure };
    const ids = interrupted(workspace);
    if (ids.length === 0) {
      liveLocks(workspace); // Removes the locks that killed processes left.
      return nothing;
    }
    const names = ids.flatMap((id) => {
      const read = attempt(() => readJournal(workspace, id)).value;
      return read?.kind === "journal" ? namesIn(read.journal) : [];
    });
    const lock = takeLock(workspace, newId(), claimFor(workspace, names));
    if (!lock.ok) return { ...nothing, failure: lock.failure };
    try {
      return recoverHeld(workspace, ids);
    } finally {
      lock.release();
    }
  } catch (error) {
    return { ...nothing, failure: unusable(state, error) };
  }
}

/** Returns the ids of the journals, complete or not, that no live process uses, except other workspaces'. */
export function interrupted(workspace: DiskWorkspace): readonly string[] {
  const { ids, halves } = listJournals(workspace);
  if (ids.length === 0 && halves.length === 0) return [];
  const live = liveLocks(workspace);
  // A journal that has just been removed was the journal of a batch that has just ended.
  const isOurs = (id: string): boolean => {
    const read = attempt(() => readJournal(workspace, id)).value;
    return read?.kind !== "foreign" && read?.kind !== "absent";
  };
  return [...ids.filter((id) => !live.has(id) && isOurs(id)), ...halves.filter((id) => !live.has(id))];
}

/** Ends the batches with these ids, whose names must be locked. */
function recoverHeld(workspace: DiskWorkspace, own: readonly string[]): Recovery {
  const { state } = workspace;
  const { ids, halves } = listJournals(workspace);
  const batches: Recovered[] = [];
  const problems: string[] = [];
  const failures: Failure[] = [];
  for (const id of ids.filter((one) => own.includes(one))) {
    const path = journalPath(state, id);
    const { value: read, code } = attempt(() => readJournal(workspace, id));
    if (code === "EACCES" || code === "EPERM") {
      // A journal that the user may not read is as useless as a damaged one, so it is left alone, too.
      problems.push(diskSentences.closedJournal(path, fileProblems.system(code)));
    } else if (code !== undefined) {
      // Any other error may be transient. Until it is resolved, no batch is written, because the journal may name the
      // same files.
      failures.push(diskFailures.unreadJournal(path, fileProblems.system(code)));
    }
    if (read?.kind === "unreadable") problems.push(diskSentences.badJournal(path));
    if (read?.kind === "journal") batches.push(toRecovered(read.journal, endBatch(workspace, read.journal)));
    // A batch that was only staged, or that is over, has left behind only helper files, which do not affect other
    // batches.
    if (read?.kind === "astride" && read.journal.state === "committing") {
      const names = read.journal.entries.map(({ name }) => name);
      failures.push(diskFailures.pendingElsewhere(names, path, folderOf(read.journal)));
    }
  }
  problems.push(
    ...sweepHalves(
      workspace,
      halves.filter((id) => own.includes(id)),
    ),
  );
  const pending = batches.find(({ outcome }) => outcome === "pending");
  const failure =
    pending === undefined
      ? failures[0]
      : diskFailures.pending(pending.names, journalPath(state, pending.id), fileProblems.system(pending.code ?? "EIO"));
  return { batches, problems, failure };
}

/** Deletes incomplete first journals of interrupted batches, which have changed nothing. */
function sweepHalves({ files, state }: DiskWorkspace, halves: readonly string[]): string[] {
  return halves.flatMap((id) => {
    const path = `${journalPath(state, id)}.new`;
    const code = attempt(() => unlinkIfThere(files, path)).code;
    return code === undefined ? [] : [diskSentences.closedJournal(path, fileProblems.system(code))];
  });
}

/** Returns a sentence about each interrupted batch in any workspace and about each unreadable journal. */
export function journalProblems(workspace: DiskWorkspace): readonly string[] {
  const { files, state } = workspace;
  try {
    if (files.look(state)?.kind !== "directory") return [];
    return listJournals(workspace).ids.flatMap((id) => journalProblem(workspace, id) ?? []);
  } catch (error) {
    return [unusable(state, error).message];
  }
}

function journalProblem(workspace: DiskWorkspace, id: string): string | undefined {
  const path = journalPath(workspace.state, id);
  const problem = attempt(() => {
    const read = readAnyJournal(workspace, id);
    if (read.kind === "unreadable") return diskSentences.badJournal(path);
    if (!("journal" in read) || read.journal.state !== "committing" || liveLocks(workspace).has(id)) return undefined;
    const names = read.journal.entries.map((entry) => entry.path);
    return diskSentences.cutOff(names, path, folderOf(read.journal));
  });
  if (problem.code === undefined) return problem.value;
  return diskSentences.closedJournal(path, fileProblems.system(problem.code));
}

/** Returns a random id for a new batch. */
export function newId(): string {
  return randomBytes(8).toString("hex");
}

function toRecovered({ id, label, started, entries }: Journal, settled: BatchEnding): Recovered {
  const names = entries.map(({ name }) => name);
  const message = diskSentences.recovered({ ...settled, names, started: new Date(started) });
  return { ...settled, id, label, names, message };
}

/** Ends a batch as its journal says; may be repeated. `changed`: the names it has reached; by default, all. */
export function endBatch(workspace: DiskWorkspace, journal: Journal, changed?: ReadonlySet<string>): BatchEnding {
  if (journal.state === "staged") return { outcome: "untouched", foreign: [], code: tidyUp(workspace, journal) };
  if (journal.state === "committed") {
    // The journal is written again, because a disk may report a failed sync only once, perhaps to a process that was
    // then killed.
    const unwritten = attempt(() => writeJournal(workspace, journal)).code;
    const isFull = unwritten !== undefined && noRoom.has(unwritten);
    const unsure = isFull ? attempt(() => workspace.files.sync(workspace.state)).code : unwritten;
    if (unsure !== undefined) return { outcome: "pending", foreign: [], code: unsure };
    settleKept(workspace, journal);
    return { outcome: "applied", foreign: [], code: tidyUp(workspace, journal) };
  }
  if (journal.state === "undone") {
    const unsure = attempt(() => workspace.files.sync(workspace.state)).code;
    return { outcome: "rolledBack", foreign: leftIn(workspace, journal), code: unsure ?? tidyUp(workspace, journal) };
  }
  const { foreign, code } = rollBack(workspace, journal, changed);
  if (code !== undefined) return { outcome: "pending", foreign, code };
  const undone = asUndone(journal, foreign);
  // Recording the rollback prevents a later one from undoing the same changes if someone makes them again.
  const unwritten = attempt(() => writeJournal(workspace, undone)).code;
  const untidy = tidyUp(workspace, undone);
  const isPending = unwritten !== undefined && untidy !== undefined;
  return { outcome: isPending ? "pending" : "rolledBack", foreign, code: untidy };
}

/** System error codes for a full disk or an exhausted quota. The last is Linux's EDQUOT, for which Node has no name. */
const noRoom: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "Unknown system error -122"]);

/** Ends a batch as its journal on the disk says; pending if it can't be read, because it may be readable later. */
export function endBatchAsWritten(workspace: DiskWorkspace, id: string, changed?: ReadonlySet<string>): BatchEnding {
  const ending = attempt(() => {
    const read = readJournal(workspace, id);
    return read.kind === "journal" ? endBatch(workspace, read.journal, changed) : undefined;
  });
  return ending.value ?? { outcome: "pending", foreign: [], code: ending.code ?? "EIO" };
}

/** Returns the journal with the rollback recorded in it. */
function asUndone(journal: Journal, foreign: readonly Foreign[]): Journal {
  const left = foreign.map(({ path, kept, isLost }) => ({
    index: journal.entries.findIndex((entry) => entry.path === path),
    why: isLost === true ? ("lost" as const) : kept === undefined ? ("changed" as const) : ("kept" as const),
  }));
  return { ...journal, state: "undone", left };
}

/** Returns the files that, according to the journal, a rollback left alone. */
function leftIn({ state }: DiskWorkspace, journal: Journal): Foreign[] {
  const entries = helpedEntries(state, journal);
  return (journal.left ?? []).flatMap(({ index, why }) => {
    const entry = entries[index];
    if (entry === undefined) return [];
    const kept = why === "kept" ? copyOf(entry) : undefined;
    return { path: entry.path, kept, isLost: why === "lost" ? true : undefined };
  });
}

/** Returns the path under which an entry's old file, or a copy of its bytes, is kept. */
function copyOf({ way, kept, oldCopy }: HelpedEntry): string {
  return way === "inPlace" ? oldCopy : kept;
}

/** Removes a batch's helper files and, last, its synced journal, which lists them. Returns the first error's code. */
export function tidyUp(workspace: DiskWorkspace, journal: Journal): string | undefined {
  const { files, state } = workspace;
  const isLeft = new Set(journal.left?.flatMap(({ index, why }) => (why === "kept" ? [index] : [])));
  const helpers = helpedEntries(state, journal).flatMap((entry, index) => {
    const { staged, kept, oldCopy, newCopy } = entry;
    // If the name was free, no file is kept. The staged file is removed last, because its presence shows that `replace`
    // did not happen.
    const besides = [...(entry.before === null ? [] : [kept]), staged];
    const apart = [newCopy, oldCopy];
    // While a batch is only staged, its journal may still say `replace` for a file that will be written in place.
    const undecided = journal.state === "staged" ? [...besides, ...apart] : besides;
    const paths = entry.way === "inPlace" ? apart : undecided;
    const left = isLeft.has(index) ? copyOf(entry) : undefined;
    return paths.filter((path) => path !== left).map((path) => ({ path, entry }));
  });
  const code = tryAll(
    helpers.map(({ path, entry }) => () => {
      try {
        unlinkIfThere(files, path);
      } catch (error) {
        // If the name was free before the batch, the directory may be gone, and the helper file with it.
        if (entry.before !== null || !isUnreached(error)) throw error;
      }
    }),
  );
  if (code !== undefined) return code;
  const directories = helpers.map(({ path }) => dirname(path));
  return attempt(() => {
    syncDirectories(files, directories);
    removeJournal(workspace, journal.id);
  }).code;
}
