/** Ends a batch by what its journal says, and by nothing else: takes it back, or takes away what helped it. */
import { dirname } from "node:path";
import { codeOf } from "../workspace/identity.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { type FileSystem, isSystemError, unlinkIfThere } from "./fileSystem.js";
import { isUnreached, syncDirectories, tryAll } from "./fsHelpers.js";
import {
  copyPaths,
  type Journal,
  type JournalEntry,
  keptPath,
  readJournal,
  removeJournal,
  stagedPath,
  writeJournal,
} from "./journal.js";
import { type Foreign, rollBack } from "./rollBack.js";

/** What became of a batch. */
export interface BatchEnding {
  /**
   * `applied`: all of it is there. `untouched`: nothing that others see had changed. `rolledBack`: it is taken back, but for
   * `foreign`. `pending`: it could not be taken back, or made to last, yet; the journal stays.
   */
  readonly outcome: "applied" | "untouched" | "rolledBack" | "pending";
  /** Files that somebody else has changed meanwhile, left as they are. */
  readonly foreign: readonly Foreign[];
  /** The system's code of what stood in the way of taking it back, or of tidying up after it. */
  readonly code?: string;
}

/** Ends a batch. May be repeated, and cut off, as often as it takes. */
export function endBatch(workspace: DiskWorkspace, journal: Journal): BatchEnding {
  const over = (
    outcome: BatchEnding["outcome"],
    foreign: readonly Foreign[],
    code: string | undefined,
  ): BatchEnding => ({
    outcome,
    foreign,
    ...(code === undefined ? {} : { code }),
  });
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

/** What was left when a batch was taken back, as its journal has it. */
function leftIn({ state }: DiskWorkspace, journal: Journal): Foreign[] {
  return (journal.left ?? []).flatMap(({ index, why }) => {
    const entry = journal.entries[index];
    if (entry === undefined) return [];
    const kept = entry.way === "inPlace" ? copyPaths(state, journal, index).old : keptPath(journal, index);
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
    const copies = copyPaths(state, journal, i);
    // Where nothing stood, nothing is kept. The new file goes last: as long as it is there, the name never got it.
    const besides = [...(entry.before === null ? [] : [keptPath(journal, i)]), stagedPath(journal, i)];
    const apart = [copies.new, copies.old];
    // Until a batch is ready, another file may yet become one that is written in place.
    const undecided = journal.state === "staged" ? [...besides, ...apart] : besides;
    const paths = entry.way === "inPlace" ? apart : undecided;
    return paths.map((path) => ({ path, entry }));
  });
  const code = tryAll(helpers.filter(({ path }) => !left.has(path)).map((helper) => () => takeAway(files, helper)));
  if (code !== undefined) return code;
  return tryAll([
    () => {
      syncDirectories(
        workspace,
        helpers.map(({ path }) => dirname(path)),
      );
      removeJournal(workspace, journal.id);
    },
  ]);
}

/** What helped a file that was new is worth no more than that file: nobody waits until its directory can be reached again. */
function takeAway(files: FileSystem, { path, entry }: { readonly path: string; readonly entry: JournalEntry }): void {
  try {
    unlinkIfThere(files, path);
  } catch (error) {
    if (entry.before !== null || !isUnreached(error)) throw error;
  }
}
