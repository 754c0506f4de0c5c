/** Ends the batches that a crash has cut off, at the server's start and before the next write. */
import { randomBytes } from "node:crypto";
import type { Failure } from "../plan/failure.js";
import { codeOf } from "../workspace/identity.js";
import { fileProblems } from "../workspace/sentences.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { type BatchEnding, endBatch } from "./endBatch.js";
import { isSystemError, unlinkIfThere } from "./fileSystem.js";
import {
  folderOf,
  type Journal,
  type JournalRead,
  journalPath,
  listJournals,
  openJournals,
  readAnyJournal,
  readJournal,
  unusable,
} from "./journal.js";
import { isLocked, lockFolders } from "./lock.js";
import { diskFailures, diskSentences } from "./sentences.js";

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

/** What a look at the journals came to. */
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
    const held = lockFolders(workspace, newId());
    if (!held.ok) return { ...nothing, failure: held.failure };
    try {
      return recoverHeld(workspace);
    } finally {
      held.release();
    }
  } catch (error) {
    return { ...nothing, failure: unusable(state, error) };
  }
}

/** The same for who has claimed the folders already. */
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

/** Nothing was done yet for half of a first journal; whoever is about to write one holds a claim with its id. */
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
