/** Ends the batches that a crash has cut off, at the server's start and before the next write. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { diskFailures, diskSentences, type Failure, fileProblems } from "../plan/failure.js";
import { codeOf } from "../workspace/identity.js";
import { claim, isClaimed } from "./claim.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { isSystemError, unlinkIfThere } from "./fileSystem.js";
import { type Journal, journalPath, listJournals, readJournal } from "./journal.js";
import { type Settled, settle } from "./settle.js";
import { openState } from "./stateDirectory.js";

/** A batch that was cut off, and what became of it. */
export interface Recovered extends Settled {
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
  const { files, state, owners } = workspace;
  try {
    // The server leaves no trace where it never wrote.
    if (files.look(state) === undefined) return nothing;
    const failure = openState(files, owners, state);
    if (failure !== undefined) return { ...nothing, failure };
    const held = claim(workspace, newId());
    if (!held.ok) return { ...nothing, failure: held.failure };
    try {
      return recoverHeld(workspace);
    } finally {
      held.release();
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { ...nothing, failure: diskFailures.state(state, fileProblems.system(codeOf(error))) };
  }
}

/** The same for who has claimed the folders already. */
export function recoverHeld(workspace: DiskWorkspace): Recovery {
  const { files, state } = workspace;
  const { ids, halves } = listJournals(workspace);
  const batches: Recovered[] = [];
  const problems: string[] = [];
  for (const id of ids) {
    const read = readJournal(workspace, id);
    if (read.kind === "unreadable") problems.push(diskSentences.badJournal(journalPath(state, id)));
    if (read.kind === "journal") batches.push(recovered(read.journal, settle(workspace, read.journal)));
  }
  // Nothing was done yet for half of a first journal; whoever is about to write one holds a claim with its id.
  for (const id of halves) {
    if (!isClaimed(workspace, id)) unlinkIfThere(files, join(state, `${id}.journal.new`));
  }
  const pending = batches.find(({ outcome }) => outcome === "pending");
  const failure =
    pending &&
    diskFailures.pending(pending.names, journalPath(state, pending.id), fileProblems.system(pending.code ?? "EIO"));
  return { batches, problems, ...(failure === undefined ? {} : { failure }) };
}

/** The id of a new batch. */
export function newId(): string {
  return randomBytes(8).toString("hex");
}

function recovered({ id, label, started, entries }: Journal, settled: Settled): Recovered {
  const names = entries.map(({ name }) => name);
  const message = diskSentences.recovered({ ...settled, names, started: new Date(started) });
  return { ...settled, id, label, started, names, message };
}
