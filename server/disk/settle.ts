/** Ends a batch by what its journal says, and by nothing else: takes it back, or takes away what helped it. */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { limits } from "../text/limits.js";
import { codeOf } from "../workspace/identity.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { type FileStat, type FileSystem, isBehindLink, isSystemError, unlinkIfThere } from "./fileSystem.js";
import {
  copyPaths,
  type Journal,
  type JournalEntry,
  keptPath,
  readJournal,
  removeJournal,
  stagedPath,
} from "./journal.js";
import { isTorn } from "./torn.js";

/** What became of a batch. */
export interface Settled {
  /**
   * `applied`: all of it is there. `untouched`: nothing that others see had changed. `rolledBack`: it is taken back, but for
   * `foreign`. `pending`: it could not be taken back yet; the journal stays.
   */
  readonly outcome: "applied" | "untouched" | "rolledBack" | "pending";
  /** Files that somebody else has changed meanwhile, left as they are. */
  readonly foreign: readonly Foreign[];
  /** The system's code of what stood in the way of taking it back, or of tidying up after it. */
  readonly code?: string;
}

/** A file with bytes that are neither the old nor the new ones. */
export interface Foreign {
  readonly path: string;
  /** Where the old file is, left for people; `undefined`: there was none. */
  readonly kept?: string;
}

/** Ends a batch. May be repeated, and cut off, as often as it takes. */
export function settle(workspace: DiskWorkspace, journal: Journal): Settled {
  if (journal.state !== "committing") {
    const code = sweep(workspace, journal, []);
    const outcome = journal.state === "committed" ? "applied" : "untouched";
    return { outcome, foreign: [], ...(code === undefined ? {} : { code }) };
  }
  const { foreign, code } = rollBack(workspace, journal);
  if (code !== undefined) return { outcome: "pending", foreign, code };
  const untidy = sweep(workspace, journal, foreign);
  return { outcome: "rolledBack", foreign, ...(untidy === undefined ? {} : { code: untidy }) };
}

/**
 * Ends a batch as its journal says now, whatever the one who writes it believes. A journal that can't be read is one that
 * recovery may be able to read.
 */
export function settleAsWritten(workspace: DiskWorkspace, id: string): Settled {
  const pending = (code: string): Settled => ({ outcome: "pending", foreign: [], code });
  try {
    const read = readJournal(workspace, id);
    return read.kind === "journal" ? settle(workspace, read.journal) : pending("EIO");
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return pending(codeOf(error));
  }
}

/** SHA-256, in hex. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Makes the names of directories, and what they lead to, last; those that are gone have nothing to last. */
export function syncDirectories({ files }: DiskWorkspace, directories: Iterable<string>): void {
  for (const directory of new Set(directories)) {
    if (lookIfReached(files, directory)?.kind === "directory") files.sync(directory);
  }
}

/** What stands at a path; `undefined` also where none of ours can be: behind a link, below a file, or at no possible name. */
function lookIfReached(files: FileSystem, path: string): FileStat | undefined {
  try {
    return files.look(path);
  } catch (error) {
    if (!isUnreached(error)) throw error;
    return undefined;
  }
}

const isUnreached = (error: unknown): boolean => isBehindLink(error) || codeOf(error) === "ENAMETOOLONG";

/** Runs each step although others fail; the code of the first failure. */
function tryAll(steps: Iterable<() => void>): string | undefined {
  let code: string | undefined;
  for (const step of steps) {
    try {
      step();
    } catch (error) {
      if (!isSystemError(error)) throw error;
      code ??= codeOf(error);
    }
  }
  return code;
}

/** Takes away what helped, and the journal last, when nothing is left that only it knows of. */
function sweep(workspace: DiskWorkspace, journal: Journal, foreign: readonly Foreign[]): string | undefined {
  const { files, state } = workspace;
  const left = new Set(foreign.map(({ kept }) => kept));
  const helpers = journal.entries.flatMap((entry, i) => {
    const copies = copyPaths(state, journal, i);
    // Where nothing stood, nothing is kept. The new file goes last: as long as it is there, the name never got it.
    const besides = [...(entry.before === null ? [] : [keptPath(journal, i)]), stagedPath(journal, i)];
    // While it was being staged, the way was not yet decided.
    const decided = entry.way === "inPlace" ? [copies.new, copies.old] : besides;
    const paths = journal.state === "staged" ? [...besides, copies.new, copies.old] : decided;
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

/** Gives every name back what it had. The last first, as far as one can speak of an order: each name is for itself. */
function rollBack(workspace: DiskWorkspace, journal: Journal): { foreign: Foreign[]; code: string | undefined } {
  const foreign: Foreign[] = [];
  const { files } = workspace;
  const sources = new Map<string, number[]>();
  for (const [index, { before }] of journal.entries.entries()) {
    if (before !== null) sources.set(before.inode, [...(sources.get(before.inode) ?? []), index]);
  }
  const steps = journal.entries.map((entry, index) => () => {
    const found = restore({ workspace, journal, entry, index, sources });
    if (found !== undefined) foreign.push(found);
  });
  const directories = [...journal.directories].reverse();
  const code = tryAll([
    ...steps.reverse(),
    ...directories.map((directory) => () => {
      if (lookIfReached(files, directory) !== undefined) removeEmpty(workspace, directory);
    }),
    () => syncDirectories(workspace, [...journal.entries.map(({ path }) => path), ...directories].map(dirname)),
  ]);
  return { foreign, code };
}

/** What somebody else has put into a directory of ours is not ours to take away. */
function removeEmpty({ files }: DiskWorkspace, directory: string): void {
  try {
    files.removeDirectory(directory);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(codeOf(error))) throw error;
  }
}

interface Site {
  readonly workspace: DiskWorkspace;
  readonly journal: Journal;
  readonly entry: JournalEntry;
  readonly index: number;
  /** By its inode the entries whose file something was before the batch. */
  readonly sources: ReadonlyMap<string, readonly number[]>;
}

/** Gives one name back what it had; or answers what stands there that nobody of ours has written. */
function restore(site: Site): Foreign | undefined {
  const { workspace, entry } = site;
  const { files } = workspace;
  if (entry.before === null) return uncreate(site);
  const now = files.look(entry.path);
  // Where its directory is gone, somebody has taken it away, and the file with it.
  if (files.look(dirname(entry.path))?.kind !== "directory") return { path: entry.path };
  switch (entry.way) {
    case "inPlace":
      return refill(site, now);
    default:
      return giveBack(site, now);
  }
}

/** Behind a link that somebody has put there is nothing of ours to take away, and nothing of theirs that is to come back. */
function uncreate(site: Site): Foreign | undefined {
  const { workspace, entry } = site;
  let now: FileStat | undefined;
  try {
    now = workspace.files.look(entry.path);
  } catch (error) {
    if (!isUnreached(error)) throw error;
    return isBehindLink(error) ? { path: entry.path } : undefined;
  }
  if (now === undefined) return undefined;
  if (!isOurs(site, now)) return { path: entry.path };
  workspace.files.unlink(entry.path);
  return undefined;
}

/** The old file is beside its name, or it has the name. */
function giveBack(site: Site, now: FileStat | undefined): Foreign | undefined {
  const { workspace, journal, entry, index } = site;
  const { files } = workspace;
  const { path, before } = entry;
  const kept = keptPath(journal, index);
  // Where there is nothing beside it any more, all was given back already.
  if (now?.inode === before?.inode || files.look(kept) === undefined) return undefined;
  if (now === undefined) {
    if (isReplaced(site, index)) linkOrRename(workspace, kept, path);
    return undefined;
  }
  const hash = hashAt(workspace, path, now);
  // What somebody else has put there before we did is told only where it looks like ours.
  if (!isReplaced(site, index)) return hash === entry.after?.hash ? { path } : undefined;
  if (isOurs(site, now)) files.rename(kept, path);
  else if (hash !== before?.hash) return { path, kept };
  return undefined;
}

/** Where the new file is still beside its name, it is somebody else who has changed or freed that, and before we did. */
function isReplaced({ workspace, journal }: Site, index: number): boolean {
  return journal.entries[index]?.way !== "replace" || workspace.files.look(stagedPath(journal, index)) === undefined;
}

/**
 * Whether what stands at a name is the very file that the batch put there, as it was then: others may write the same bytes,
 * and a later file may get the number of one that is gone. A file that moved, and that its old name has lost otherwise than
 * by the batch, is no longer ours: somebody may have moved it here, and this may be all that is left of it.
 */
function isOurs(site: Site, now: FileStat): boolean {
  const { workspace, journal, entry, sources } = site;
  const { path, after } = entry;
  if (after?.inode !== now.inode || hashAt(workspace, path, now) !== after.hash) return false;
  const from = sources.get(now.inode) ?? [];
  const comesBack = (index: number): boolean =>
    (isReplaced(site, index) && workspace.files.look(keptPath(journal, index)) !== undefined) || hasBack(site, index);
  return from.length === 0 || from.some(comesBack);
}

/** Whether a name has what it had: its file, or, where the disk refused a link to that, the copy that was kept instead. */
function hasBack({ workspace, journal }: Site, index: number): boolean {
  const { path, before } = journal.entries[index] as JournalEntry;
  const there = workspace.files.look(path);
  return there !== undefined && (there.inode === before?.inode || hashAt(workspace, path, there) === before?.hash);
}

/** A link never takes a name that somebody else has just taken; where the disk knows no links, only a look before helps. */
export function linkOrRename({ files }: DiskWorkspace, from: string, to: string): void {
  try {
    files.link(from, to);
  } catch (error) {
    if (codeOf(error) === "EEXIST" || !isSystemError(error) || files.look(to) !== undefined) throw error;
    files.rename(from, to);
  }
}

function refill({ workspace, journal, entry, index }: Site, now: FileStat | undefined): Foreign | undefined {
  const { files, state } = workspace;
  const { path, before, after } = entry;
  const copies = copyPaths(state, journal, index);
  if (now?.kind === "file" && hashAt(workspace, path, now) === before?.hash) {
    if (now.inode !== before?.inode || before.mode === undefined) return undefined;
    giveBackBits(files, path, before.mode);
    files.sync(path);
    return undefined;
  }
  if (files.look(copies.old) === undefined) return undefined;
  const foreign = { path, kept: copies.old };
  if (now?.kind !== "file" || now.inode !== before?.inode || now.size > limits.fileBytes) return foreign;
  const found = files.read(path, limits.fileBytes);
  const old = files.read(copies.old, limits.fileBytes);
  const isOurs = hashOf(found) === after?.hash || isTornBetween(workspace, found, { old, new: copies.new });
  if (!isOurs || hashOf(old) !== before.hash) return foreign;
  files.fill(path, old);
  giveBackBits(files, path, before.mode);
  files.sync(path);
  return undefined;
}

/** The bits by which a program runs with the rights of its owner or group; the system clears them when a file is written. */
export const foreignRights = 0o6000;

/** Gives a file the bits back that the system has cleared, where nothing else of its mode is another: `mode` is that of the journal. */
export function giveBackBits(files: FileSystem, path: string, mode: number | undefined): void {
  if (mode === undefined) return;
  const now = files.look(path)?.mode;
  if (now !== mode && now === (mode & ~foreignRights)) files.setMode(path, mode);
}

function isTornBetween(
  { files }: DiskWorkspace,
  found: Uint8Array,
  sides: { readonly old: Uint8Array; readonly new: string },
): boolean {
  return files.look(sides.new) !== undefined && isTorn(found, sides.old, files.read(sides.new, limits.fileBytes));
}

/** `undefined`: no file, or one that is too large to be one of ours. */
function hashAt({ files }: DiskWorkspace, path: string, now: FileStat): string | undefined {
  if (now.kind !== "file" || now.size > limits.fileBytes) return undefined;
  return hashOf(files.read(path, limits.fileBytes));
}
