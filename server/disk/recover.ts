/** Ends batches by what their journals say, and by nothing else: one that is over, or all that a crash has cut off. */
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
  /** The caller's word for the batch. */
  readonly label: string;
  /** What people call its files. */
  readonly names: readonly string[];
  /** The whole of it in words, for the log and for the next answer. */
  readonly message: string;
}

/** The result of a look at the journals. */
export interface Recovery {
  readonly batches: readonly Recovered[];
  /** Journals that are left alone because they can't be read or trusted, in words. */
  readonly problems: readonly string[];
  /** Why nobody could look, or why no further batch may be written before somebody has; `undefined`: nothing. */
  readonly failure?: Failure | undefined;
}

/** Ends what was cut off in the folders of a workspace. Where another process writes in them just now, nothing is done. */
export function recover(workspace: DiskWorkspace): Recovery {
  const nothing: Recovery = { batches: [], problems: [] };
  const { files, state } = workspace;
  try {
    // The server leaves no trace where it never wrote.
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

/** The same for a caller who has locked the folders already. */
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
      // What the user may not read says no more than what is damaged, and is left alone like it.
      problems.push(diskSentences.closedJournal(path, fileProblems.system(code)));
    } else if (code !== undefined) {
      // Troubles that may pass are a reason to wait: it may be about these very files.
      failures.push(diskFailures.unreadJournal(path, fileProblems.system(code)));
    }
    if (read?.kind === "unreadable") problems.push(diskSentences.badJournal(path));
    if (read?.kind === "journal") batches.push(toRecovered(read.journal, endBatch(workspace, read.journal)));
    // What is only staged, or done, has nothing but helpers beside its files, and they do not mind a further batch.
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

/** Nothing was done yet for half of a first journal; whoever is about to write one holds a lock with its id. */
function sweepHalves(workspace: DiskWorkspace, halves: readonly string[]): string[] {
  return halves.flatMap((id) => {
    const path = `${journalPath(workspace.state, id)}.new`;
    const code = tryAll([() => isLocked(workspace, id) || unlinkIfThere(workspace.files, path)]);
    return code === undefined ? [] : [diskSentences.closedJournal(path, fileProblems.system(code))];
  });
}

/** What is wrong with the journals of all workspaces, in sentences for people: what was cut off, and what nobody can read. */
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

/** Ends a batch. May be repeated, and cut off, as often as it takes. */
export function endBatch(workspace: DiskWorkspace, journal: Journal): BatchEnding {
  if (journal.state === "staged") return { outcome: "untouched", foreign: [], code: tidyUp(workspace, journal) };
  if (journal.state === "committed") {
    // Who wrote it may have been killed before it lasted, and a disk that has refused to sync once may not tell again.
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
  // From now on people and programs may do again what the batch had done, with files that can't be told from its own.
  const unwritten = tryAll([() => writeJournal(workspace, undone)]);
  const untidy = tidyUp(workspace, undone);
  const isPending = unwritten !== undefined && untidy !== undefined;
  return { outcome: isPending ? "pending" : "rolledBack", foreign, code: untidy };
}

/** The system's codes of a disk on which nothing more can be made; the last one is Linux' EDQUOT, which Node does not know. */
const noRoom: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "Unknown system error -122"]);

/**
 * Ends a batch as its journal says now, whatever the one who writes it believes. A journal that can't be read is one that
 * recovery may be able to read.
 */
export function endBatchAsWritten(workspace: DiskWorkspace, id: string): BatchEnding {
  const ending = attempt(() => {
    const read = readJournal(workspace, id);
    return read.kind === "journal" ? endBatch(workspace, read.journal) : undefined;
  });
  return ending.value ?? { outcome: "pending", foreign: [], code: ending.code ?? "EIO" };
}

/** The journal of a batch that is taken back. */
function asUndone(journal: Journal, foreign: readonly Foreign[]): Journal {
  const left = foreign.map(({ path, kept, isLost }) => ({
    index: journal.entries.findIndex((entry) => entry.path === path),
    why: isLost === true ? ("lost" as const) : kept === undefined ? ("changed" as const) : ("kept" as const),
  }));
  return { ...journal, state: "undone", left };
}

/** Files that were left as they were when a batch was rolled back, by its journal. */
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
 * Takes away what helped a batch that is over, and the journal last, when nothing is left that only it knows of. The journal
 * has to last already. Answers the system's code of what stood in the way; `undefined`: nothing.
 */
export function tidyUp(workspace: DiskWorkspace, journal: Journal): string | undefined {
  const { files, state } = workspace;
  const isLeft = new Set(journal.left?.flatMap(({ index, why }) => (why === "kept" ? [index] : [])));
  const helpers = helpedEntries(state, journal).flatMap((entry, index) => {
    const { staged, kept, oldCopy, newCopy } = entry;
    // Where nothing stood, nothing is kept. The new file goes last: as long as it is there, the name never got it.
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

/** A helper of a file that was new is worth no more than that file: nobody waits until its directory can be reached again. */
function takeAway(files: FileSystem, { path, entry }: { readonly path: string; readonly entry: JournalEntry }): void {
  try {
    unlinkIfThere(files, path);
  } catch (error) {
    if (entry.before !== null || !isUnreached(error)) throw error;
  }
}
