/** Ends batches by their journals, and by nothing else: one that is over, or all that a crash has cut off. */
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import type { Failure } from "../plan/failure.js";
import { fileProblems } from "../workspace/sentences.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { attempt, type FileSystem, isUnreached, syncDirectories, tryAll, unlinkIfThere } from "./fileSystem.js";
import {
  folderOf,
  type HelpedEntry,
  helpedEntries,
  type Journal,
  type JournalEntry,
  journalPath,
  listJournals,
  openJournals,
  readAnyJournal,
  readJournal,
  removeJournal,
  unusable,
  writeJournal,
} from "./journal.js";
import { isLocked, lockFolders } from "./lock.js";
import { rollBack } from "./rollBack.js";
import { type BatchEnding, diskFailures, diskSentences, type Foreign } from "./sentences.js";

/** A batch that was cut off, and what became of it. */
export interface Recovered extends BatchEnding {
  readonly id: string;
  /** The caller's label for the batch. */
  readonly label: string;
  /** The names of its files for people. */
  readonly names: readonly string[];
  /** The whole result in words, for the log and for the next answer. */
  readonly message: string;
}

/** The result of examining the journals. */
export interface Recovery {
  readonly batches: readonly Recovered[];
  /** Sentences about the journals that are left alone because they can't be read or trusted. */
  readonly problems: readonly string[];
  /** The reason why the journals could not be examined, or why no batch may be written yet; `undefined` if none. */
  readonly failure?: Failure | undefined;
}

/** Ends what was cut off in the folders of a workspace. Does nothing while another process writes in them. */
export function recover(workspace: DiskWorkspace): Recovery {
  const nothing: Recovery = { batches: [], problems: [] };
  const { files, state } = workspace;
  try {
    // If the server never wrote anything, it leaves no trace.
    if (files.look(state) === undefined) return nothing;
    const failure = openJournals(workspace);
    if (failure !== undefined) return { ...nothing, failure };
    const lock = lockFolders(workspace, newId());
    if (!lock.ok) return { ...nothing, failure: lock.failure };
    try {
      return recoverHeld(workspace);
    } finally {
      lock.release();
    }
  } catch (error) {
    return { ...nothing, failure: unusable(state, error) };
  }
}

/** Does the same for a caller that has already locked the folders. */
export function recoverHeld(workspace: DiskWorkspace): Recovery {
  const { state } = workspace;
  const { ids, halves } = listJournals(workspace);
  const batches: Recovered[] = [];
  const problems: string[] = [];
  const failures: Failure[] = [];
  for (const id of ids) {
    const path = journalPath(state, id);
    const { value: read, code } = attempt(() => readJournal(workspace, id));
    if (code === "EACCES" || code === "EPERM") {
      // A journal that the user may not read says no more than a damaged one, and is left alone as well.
      problems.push(diskSentences.closedJournal(path, fileProblems.system(code)));
    } else if (code !== undefined) {
      // Errors that may pass are a reason to wait: the journal may be about these very files.
      failures.push(diskFailures.unreadJournal(path, fileProblems.system(code)));
    }
    if (read?.kind === "unreadable") problems.push(diskSentences.badJournal(path));
    if (read?.kind === "journal") batches.push(toRecovered(read.journal, endBatch(workspace, read.journal)));
    // A batch that is only staged, or done, has nothing but helpers beside its files, which do not hinder others.
    if (read?.kind === "astride" && read.journal.state === "committing") {
      const names = read.journal.entries.map(({ name }) => name);
      failures.push(diskFailures.pendingElsewhere(names, path, folderOf(read.journal)));
    }
  }
  problems.push(...sweepHalves(workspace, halves));
  const pending = batches.find(({ outcome }) => outcome === "pending");
  const failure =
    pending === undefined
      ? failures[0]
      : diskFailures.pending(pending.names, journalPath(state, pending.id), fileProblems.system(pending.code ?? "EIO"));
  return { batches, problems, failure };
}

/** Deletes half-written first journals, for which nothing was done yet. A process that still writes one has a lock. */
function sweepHalves(workspace: DiskWorkspace, halves: readonly string[]): string[] {
  return halves.flatMap((id) => {
    const path = `${journalPath(workspace.state, id)}.new`;
    const code = tryAll([() => isLocked(workspace, id) || unlinkIfThere(workspace.files, path)]);
    return code === undefined ? [] : [diskSentences.closedJournal(path, fileProblems.system(code))];
  });
}

/** Returns sentences for people about the journals of all workspaces: batches cut off, journals that can't be read. */
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
    if (!("journal" in read) || read.journal.state !== "committing" || isLocked(workspace, id)) return undefined;
    const names = read.journal.entries.map((entry) => entry.path);
    return diskSentences.cutOff(names, path, folderOf(read.journal));
  });
  if (problem.code === undefined) return problem.value;
  return diskSentences.closedJournal(path, fileProblems.system(problem.code));
}

/** The id of a new batch. */
export function newId(): string {
  return randomBytes(8).toString("hex");
}

function toRecovered({ id, label, started, entries }: Journal, settled: BatchEnding): Recovered {
  const names = entries.map(({ name }) => name);
  const message = diskSentences.recovered({ ...settled, names, started: new Date(started) });
  return { ...settled, id, label, names, message };
}

/** Ends a batch. May be repeated, and cut off, any number of times. */
export function endBatch(workspace: DiskWorkspace, journal: Journal): BatchEnding {
  if (journal.state === "staged") return { outcome: "untouched", foreign: [], code: tidyUp(workspace, journal) };
  if (journal.state === "committed") {
    // The record's writer may have been killed before it lasted, and a disk may report only once that it can't sync.
    const unwritten = tryAll([() => writeJournal(workspace, journal)]);
    const isFull = unwritten !== undefined && noRoom.has(unwritten);
    const unsure = isFull ? tryAll([() => workspace.files.sync(workspace.state)]) : unwritten;
    if (unsure !== undefined) return { outcome: "pending", foreign: [], code: unsure };
    return { outcome: "applied", foreign: [], code: tidyUp(workspace, journal) };
  }
  if (journal.state === "undone") {
    const unsure = tryAll([() => workspace.files.sync(workspace.state)]);
    return { outcome: "rolledBack", foreign: leftIn(workspace, journal), code: unsure ?? tidyUp(workspace, journal) };
  }
  const { foreign, code } = rollBack(workspace, journal);
  if (code !== undefined) return { outcome: "pending", foreign, code };
  const undone = asUndone(journal, foreign);
  // From now on, people and programs may do the same as the batch again, with files that look like its own.
  const unwritten = tryAll([() => writeJournal(workspace, undone)]);
  const untidy = tidyUp(workspace, undone);
  const isPending = unwritten !== undefined && untidy !== undefined;
  return { outcome: isPending ? "pending" : "rolledBack", foreign, code: untidy };
}

/** The system's codes of a disk without room. The last one is Linux's EDQUOT, which Node does not know. */
const noRoom: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "Unknown system error -122"]);

/**
 * Ends a batch as its journal says now, whatever its writer believes. If the journal can't be read, the batch stays
 * pending: recovery may be able to read it.
 */
export function endBatchAsWritten(workspace: DiskWorkspace, id: string): BatchEnding {
  const ending = attempt(() => {
    const read = readJournal(workspace, id);
    return read.kind === "journal" ? endBatch(workspace, read.journal) : undefined;
  });
  return ending.value ?? { outcome: "pending", foreign: [], code: ending.code ?? "EIO" };
}

/** The journal of a batch that was rolled back. */
function asUndone(journal: Journal, foreign: readonly Foreign[]): Journal {
  const left = foreign.map(({ path, kept, isLost }) => ({
    index: journal.entries.findIndex((entry) => entry.path === path),
    why: isLost === true ? ("lost" as const) : kept === undefined ? ("changed" as const) : ("kept" as const),
  }));
  return { ...journal, state: "undone", left };
}

/** Returns the files that a rollback left as they were, by its journal. */
function leftIn({ state }: DiskWorkspace, journal: Journal): Foreign[] {
  const entries = helpedEntries(state, journal);
  return (journal.left ?? []).flatMap(({ index, why }) => {
    const entry = entries[index];
    if (entry === undefined) return [];
    const kept = why === "kept" ? copyOf(entry) : undefined;
    return { path: entry.path, kept, isLost: why === "lost" ? true : undefined };
  });
}

/** The path of the helper that has the file, or the bytes, that a name had before. */
function copyOf({ way, kept, oldCopy }: HelpedEntry): string {
  return way === "inPlace" ? oldCopy : kept;
}

/**
 * Removes the helpers of a batch that is over. The journal, which must be on the disk, goes last, when nothing is left
 * that only it knows of. Returns the system's code of the first obstacle; `undefined` if there was none.
 */
export function tidyUp(workspace: DiskWorkspace, journal: Journal): string | undefined {
  const { files, state } = workspace;
  const isLeft = new Set(journal.left?.flatMap(({ index, why }) => (why === "kept" ? [index] : [])));
  const helpers = helpedEntries(state, journal).flatMap((entry, index) => {
    const { staged, kept, oldCopy, newCopy } = entry;
    // If the name was free, nothing is kept. The new file goes last: as long as it exists, the name never got it.
    const besides = [...(entry.before === null ? [] : [kept]), staged];
    const apart = [newCopy, oldCopy];
    // Until a batch is ready, another file may yet become one that is written in place.
    const undecided = journal.state === "staged" ? [...besides, ...apart] : besides;
    const paths = entry.way === "inPlace" ? apart : undecided;
    const left = isLeft.has(index) ? copyOf(entry) : undefined;
    return paths.filter((path) => path !== left).map((path) => ({ path, entry }));
  });
  const code = tryAll(helpers.map((helper) => () => takeAway(files, helper)));
  if (code !== undefined) return code;
  const directories = helpers.map(({ path }) => dirname(path));
  return tryAll([
    () => {
      syncDirectories(files, directories);
      removeJournal(workspace, journal.id);
    },
  ]);
}

/** Removes a helper. A new file's helper is worth no more than that file, so an unreachable directory does no harm. */
function takeAway(files: FileSystem, { path, entry }: { readonly path: string; readonly entry: JournalEntry }): void {
  try {
    unlinkIfThere(files, path);
  } catch (error) {
    if (entry.before !== null || !isUnreached(error)) throw error;
  }
}
