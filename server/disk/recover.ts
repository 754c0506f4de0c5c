/** Ends batches by what their journals say, and by nothing else: one that is over, or all that a crash has cut off. */

import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import type { Failure } from "../plan/failure.js";
import { codeOf } from "../workspace/identity.js";
import { fileProblems } from "../workspace/sentences.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { type FileSystem, isSystemError, isUnreached, syncDirectories, tryAll, unlinkIfThere } from "./fileSystem.js";
import {
  folderOf,
  helperPaths,
  type Journal,
  type JournalEntry,
  type JournalRead,
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
  /** Milliseconds since 1970. */
  readonly started: number;
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
  readonly failure?: Failure;
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
    const read = readOrSay(workspace, id, problems, failures);
    if (read?.kind === "unreadable") problems.push(diskSentences.badJournal(journalPath(state, id)));
    if (read?.kind === "journal") batches.push(toRecovered(read.journal, endBatch(workspace, read.journal)));
    // What is only staged, or done, has nothing but helpers beside its files, and they do not mind a further batch.
    if (read?.kind === "astride" && read.journal.state === "committing") failures.push(elsewhere(state, read.journal));
  }
  problems.push(...sweepHalves(workspace, halves));
  const pending = batches.find(({ outcome }) => outcome === "pending");
  const failure =
    pending === undefined
      ? failures[0]
      : diskFailures.pending(pending.names, journalPath(state, pending.id), fileProblems.system(pending.code ?? "EIO"));
  return { batches, problems, ...(failure === undefined ? {} : { failure }) };
}

/**
 * What the user may not read says no more than what is damaged, and is left alone like it. Troubles that may pass are a reason
 * to wait: it may be about these very files.
 */
function readOrSay(
  workspace: DiskWorkspace,
  id: string,
  problems: string[],
  failures: Failure[],
): JournalRead | undefined {
  const path = journalPath(workspace.state, id);
  try {
    return readJournal(workspace, id);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const problem = fileProblems.system(codeOf(error));
    if (["EACCES", "EPERM"].includes(codeOf(error))) problems.push(diskSentences.closedJournal(path, problem));
    else failures.push(diskFailures.unreadJournal(path, problem));
    return undefined;
  }
}

/** Nothing was done yet for half of a first journal; whoever is about to write one holds a lock with its id. */
function sweepHalves(workspace: DiskWorkspace, halves: readonly string[]): string[] {
  return halves.flatMap((id) => {
    const path = `${journalPath(workspace.state, id)}.new`;
    try {
      if (!isLocked(workspace, id)) unlinkIfThere(workspace.files, path);
      return [];
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return [diskSentences.closedJournal(path, fileProblems.system(codeOf(error)))];
    }
  });
}

function elsewhere(state: string, journal: Journal): Failure {
  const names = journal.entries.map(({ name }) => name);
  return diskFailures.pendingElsewhere(names, journalPath(state, journal.id), folderOf(journal));
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
  try {
    const read = readAnyJournal(workspace, id);
    if (read.kind === "unreadable") return diskSentences.badJournal(path);
    if (!("journal" in read) || read.journal.state !== "committing" || isLocked(workspace, id)) return undefined;
    const names = read.journal.entries.map((entry) => entry.path);
    return diskSentences.cutOff(names, path, folderOf(read.journal));
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return diskSentences.closedJournal(path, fileProblems.system(codeOf(error)));
  }
}

/** The id of a new batch. */
export function newId(): string {
  return randomBytes(8).toString("hex");
}

function toRecovered({ id, label, started, entries }: Journal, settled: BatchEnding): Recovered {
  const names = entries.map(({ name }) => name);
  const message = diskSentences.recovered({ ...settled, names, started: new Date(started) });
  return { ...settled, id, label, started, names, message };
}

/** Ends a batch. May be repeated, and cut off, as often as it takes. */
export function endBatch(workspace: DiskWorkspace, journal: Journal): BatchEnding {
  const over = (outcome: BatchEnding["outcome"], foreign: readonly Foreign[], code?: string): BatchEnding =>
    code === undefined ? { outcome, foreign } : { outcome, foreign, code };
  if (journal.state === "staged") return over("untouched", [], tidyUp(workspace, journal));
  if (journal.state === "committed") {
    // Who wrote it may have been killed before it lasted, and a disk that has refused to sync once may not tell again.
    const unwritten = tryAll([() => writeJournal(workspace, journal)]);
    const isFull = unwritten !== undefined && noRoom.has(unwritten);
    const unsure = isFull ? tryAll([() => workspace.files.sync(workspace.state)]) : unwritten;
    return unsure === undefined ? over("applied", [], tidyUp(workspace, journal)) : over("pending", [], unsure);
  }
  if (journal.state === "undone") {
    const unsure = tryAll([() => workspace.files.sync(workspace.state)]);
    return over("rolledBack", leftIn(workspace, journal), unsure ?? tidyUp(workspace, journal));
  }
  const { foreign, code } = rollBack(workspace, journal);
  if (code !== undefined) return over("pending", foreign, code);
  const undone = asUndone(journal, foreign);
  // From now on people and programs may do again what the batch had done, with files that can't be told from its own.
  const unwritten = tryAll([() => writeJournal(workspace, undone)]);
  const untidy = tidyUp(workspace, undone);
  return over(unwritten !== undefined && untidy !== undefined ? "pending" : "rolledBack", foreign, untidy);
}

/** The system's codes of a disk on which nothing more can be made; the last one is Linux' EDQUOT, which Node does not know. */
const noRoom: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "Unknown system error -122"]);

/**
 * Ends a batch as its journal says now, whatever the one who writes it believes. A journal that can't be read is one that
 * recovery may be able to read.
 */
export function endBatchAsWritten(workspace: DiskWorkspace, id: string): BatchEnding {
  const pending = (code: string): BatchEnding => ({ outcome: "pending", foreign: [], code });
  try {
    const read = readJournal(workspace, id);
    return read.kind === "journal" ? endBatch(workspace, read.journal) : pending("EIO");
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return pending(codeOf(error));
  }
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
  return (journal.left ?? []).flatMap(({ index, why }) => {
    const entry = journal.entries[index];
    if (entry === undefined) return [];
    const kept = helperPaths(state, journal, index)[entry.way === "inPlace" ? "oldCopy" : "kept"];
    return { path: entry.path, ...(why === "kept" ? { kept } : {}), ...(why === "lost" ? { isLost: true } : {}) };
  });
}

/**
 * Takes away what helped a batch that is over, and the journal last, when nothing is left that only it knows of. The journal
 * has to last already. Answers the system's code of what stood in the way; `undefined`: nothing.
 */
export function tidyUp(workspace: DiskWorkspace, journal: Journal): string | undefined {
  const { files, state } = workspace;
  const left = new Set(leftIn(workspace, journal).map(({ kept }) => kept));
  const helpers = journal.entries.flatMap((entry, i) => {
    const { staged, kept, oldCopy, newCopy } = helperPaths(state, journal, i);
    // Where nothing stood, nothing is kept. The new file goes last: as long as it is there, the name never got it.
    const besides = [...(entry.before === null ? [] : [kept]), staged];
    const apart = [newCopy, oldCopy];
    // Until a batch is ready, another file may yet become one that is written in place.
    const undecided = journal.state === "staged" ? [...besides, ...apart] : besides;
    const paths = entry.way === "inPlace" ? apart : undecided;
    return paths.map((path) => ({ path, entry }));
  });
  const code = tryAll(helpers.filter(({ path }) => !left.has(path)).map((helper) => () => takeAway(files, helper)));
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
