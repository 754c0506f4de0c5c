/** Ends a batch by what its journal says, and by nothing else: takes it back, or takes away what helped it. */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { limits } from "../text/limits.js";
import { codeOf } from "../workspace/identity.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { type FileStat, isSystemError, unlinkIfThere } from "./fileSystem.js";
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
    if (files.look(directory)?.kind === "directory") files.sync(directory);
  }
}

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
    const besides = [stagedPath(journal, i), keptPath(journal, i)];
    // While it was being staged, the way was not yet decided.
    if (journal.state === "staged") return [...besides, copies.new, copies.old];
    return entry.way === "inPlace" ? [copies.new, copies.old] : besides;
  });
  const code = tryAll(helpers.filter((path) => !left.has(path)).map((path) => () => unlinkIfThere(files, path)));
  if (code !== undefined) return code;
  return tryAll([
    () => {
      syncDirectories(workspace, helpers.map(dirname));
      removeJournal(workspace, journal.id);
    },
  ]);
}

/** Gives every name back what it had. The last first, as far as one can speak of an order: each name is for itself. */
function rollBack(workspace: DiskWorkspace, journal: Journal): { foreign: Foreign[]; code: string | undefined } {
  const foreign: Foreign[] = [];
  const { files } = workspace;
  const steps = journal.entries.map((entry, index) => () => {
    const found = restore({ workspace, journal, entry, index });
    if (found !== undefined) foreign.push(found);
  });
  const directories = [...journal.directories].reverse();
  const code = tryAll([
    ...steps.reverse(),
    ...directories.map((directory) => () => {
      if (files.look(directory) !== undefined) removeEmpty(workspace, directory);
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
}

/** Gives one name back what it had; or answers what stands there that nobody of ours has written. */
function restore(site: Site): Foreign | undefined {
  const { workspace, entry } = site;
  const now = workspace.files.look(entry.path);
  // Where its directory is gone, somebody has taken it away, and the file with it.
  const isGone = entry.before !== null && workspace.files.look(dirname(entry.path)) === undefined;
  if (isGone) return { path: entry.path };
  switch (entry.way) {
    case "create":
      return uncreate(site, now);
    case "inPlace":
      return refill(site, now);
    default:
      return giveBack(site, now);
  }
}

function uncreate({ workspace, entry }: Site, now: FileStat | undefined): Foreign | undefined {
  if (now === undefined) return undefined;
  if (hashAt(workspace, entry.path, now) !== entry.after?.hash) return { path: entry.path };
  workspace.files.unlink(entry.path);
  return undefined;
}

/** The old file is beside its name, or it has the name. */
function giveBack({ workspace, journal, entry, index }: Site, now: FileStat | undefined): Foreign | undefined {
  const { files } = workspace;
  const { path, before, after } = entry;
  const kept = keptPath(journal, index);
  // Where there is nothing beside it any more, all was given back already.
  if (now?.inode === before?.inode || files.look(kept) === undefined) return undefined;
  // Where the new file is still beside it, it is somebody else who has changed or freed the name, and before we did.
  const isOurs = entry.way !== "replace" || files.look(stagedPath(journal, index)) === undefined;
  if (now === undefined) {
    if (isOurs) linkOrRename(workspace, kept, path);
    return undefined;
  }
  const hash = hashAt(workspace, path, now);
  if (after !== null && hash === after.hash) files.rename(kept, path);
  else if (isOurs && hash !== before?.hash) return { path, kept };
  return undefined;
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
  if (now?.kind === "file" && hashAt(workspace, path, now) === before?.hash) return undefined;
  if (files.look(copies.old) === undefined) return undefined;
  const foreign = { path, kept: copies.old };
  if (now?.kind !== "file" || now.inode !== before?.inode || now.size > limits.fileBytes) return foreign;
  const found = files.read(path, limits.fileBytes);
  const old = files.read(copies.old, limits.fileBytes);
  const isOurs = hashOf(found) === after?.hash || isTornBetween(workspace, found, { old, new: copies.new });
  if (!isOurs || hashOf(old) !== before.hash) return foreign;
  files.fill(path, old);
  files.sync(path);
  return undefined;
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
