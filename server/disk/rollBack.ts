/** Rolls a batch back, as far as its changes are its own, by what its journal says and what is at the names. */

import { dirname } from "node:path";
import { limits } from "../text/limits.js";
import { hashOf } from "../workspace/files.js";
import { codeOf } from "../workspace/identity.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import {
  type FileStat,
  type FileSystem,
  giveBackBits,
  hashAt,
  isBehindLink,
  isUnreached,
  linkOrRename,
  lookIfReached,
  syncDirectories,
  tryAll,
} from "./fileSystem.js";
import { directoriesOf, helperPaths, type Journal, type JournalEntry } from "./journal.js";
import type { Foreign } from "./sentences.js";

/** Gives every name back what it had, the last one first; no name depends on another, so that the order does not matter. */
export function rollBack(workspace: DiskWorkspace, journal: Journal): { foreign: Foreign[]; code: string | undefined } {
  const foreign: Foreign[] = [];
  const { files } = workspace;
  const unseen = findAway(workspace, journal);
  if (unseen === notMounted) return { foreign, code: unseen };
  const sources = new Map<string, number[]>();
  for (const [index, { before }] of journal.entries.entries()) {
    if (before !== null) sources.set(before.inode, [...(sources.get(before.inode) ?? []), index]);
  }
  const steps = journal.entries.map((entry, index) => () => {
    const left = restore({ workspace, journal, entry, index, sources });
    if (left !== undefined) foreign.push(left);
  });
  const directories = [...journal.directories].reverse();
  const code = tryAll([
    ...steps.reverse(),
    ...directories.map((directory) => () => {
      if (lookIfReached(files, directory) !== undefined) removeEmpty(workspace, directory);
    }),
    () => syncDirectories(files, directoriesOf(journal)),
  ]);
  // What could not be looked at may have been away when its step found nothing to do.
  return { foreign, code: code ?? (unseen === undefined ? undefined : findAway(workspace, journal)) };
}

/** Linux' code of a disk that is not there. */
const notMounted = "ENOMEDIUM";

/**
 * `notMounted`: a disk is not there that the batch was on. Nothing of the batch is found, and where it was is on another disk
 * now; the numbers alone say nothing, as many disks get another one each time that they are mounted. Otherwise the code of the
 * first look that was refused, after which nobody knows; `undefined`: all is there.
 */
function findAway({ files, state }: DiskWorkspace, journal: Journal): string | undefined {
  const [seen, elsewhere] = [new Set<string>(), new Set<string>()];
  const looks = journal.entries.map(({ path, device, before, after }, index) => () => {
    const now = lookIfReached(files, path);
    // Others may have put a new file there since, or the disk may number its files anew.
    const isKnown = now !== undefined && (before !== null || now.inode === after?.inode);
    const { staged, kept } = helperPaths(state, journal, index);
    if (isKnown || [staged, kept].some((helper) => lookIfReached(files, helper) !== undefined)) seen.add(device);
    else if (deviceAbove(files, path) !== device) elsewhere.add(device);
  });
  const refused = tryAll(looks);
  return [...elsewhere].some((device) => !seen.has(device)) ? notMounted : refused;
}

/** Number of the disk that the deepest directory above a path is on. */
function deviceAbove(files: FileSystem, path: string): string | undefined {
  const directory = dirname(path);
  return lookIfReached(files, directory)?.device ?? (directory === path ? undefined : deviceAbove(files, directory));
}

/** Removes a directory of ours, unless somebody else has put something into it. */
function removeEmpty({ files }: DiskWorkspace, directory: string): void {
  try {
    files.removeDirectory(directory);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(codeOf(error))) throw error;
  }
}

interface RollBackContext {
  readonly workspace: DiskWorkspace;
  readonly journal: Journal;
  readonly entry: JournalEntry;
  readonly index: number;
  /** By its inode the entries whose file something was before the batch. */
  readonly sources: ReadonlyMap<string, readonly number[]>;
}

/** Gives one name back what it had; or answers what stands there that nobody of ours has written. */
function restore(context: RollBackContext): Foreign | undefined {
  const { workspace, entry } = context;
  const { files } = workspace;
  if (entry.before === null) return uncreate(context);
  const now = files.look(entry.path);
  // Where its directory is gone, somebody has taken it away, and the file with it.
  if (files.look(dirname(entry.path))?.kind !== "directory") return leftAs(context);
  switch (entry.way) {
    case "inPlace":
      return refill(context, now);
    default:
      return giveBack(context, now);
  }
}

/** A file that is left as it is; what was kept of one that is written in place is not beside it, and stays. */
function leftAs({ workspace, journal, entry, index }: RollBackContext): Foreign {
  const { oldCopy } = helperPaths(workspace.state, journal, index);
  const isKept = entry.way === "inPlace" && workspace.files.look(oldCopy) !== undefined;
  return { path: entry.path, ...(isKept ? { kept: oldCopy } : {}) };
}

/** Behind a link that somebody has put there is nothing of ours to take away, and nothing of theirs that is to come back. */
function uncreate(context: RollBackContext): Foreign | undefined {
  const { workspace, entry } = context;
  let now: FileStat | undefined;
  try {
    now = workspace.files.look(entry.path);
  } catch (error) {
    if (!isUnreached(error)) throw error;
    return isBehindLink(error) ? { path: entry.path } : undefined;
  }
  if (now === undefined) return undefined;
  if (!isOurs(context, now)) return { path: entry.path };
  workspace.files.unlink(entry.path);
  return undefined;
}

/** The old file is beside its name, or it has the name. */
function giveBack(context: RollBackContext, now: FileStat | undefined): Foreign | undefined {
  const { workspace, journal, entry, index } = context;
  const { files } = workspace;
  const { path, before } = entry;
  const { kept } = helperPaths(workspace.state, journal, index);
  if (now?.inode === before?.inode) return undefined;
  if (files.look(kept) === undefined) return findLost(context, now);
  if (now === undefined) {
    if (isReplaced(context, index)) linkOrRename(files, kept, path);
    return undefined;
  }
  const hash = hashAt(files, path, now);
  // What somebody else has put there before we did is told only where it looks like ours.
  if (!isReplaced(context, index)) return hash === entry.after?.hash ? { path } : undefined;
  if (isOurs(context, now)) files.rename(kept, path);
  else if (hash !== before?.hash) return { path, kept };
  return undefined;
}

/**
 * Where there is nothing beside a name any more, all was given back already. Otherwise somebody has taken it away, as programs
 * do that clean directories, and what the batch did stays.
 */
function findLost(context: RollBackContext, now: FileStat | undefined): Foreign | undefined {
  const { path } = context.entry;
  if (now === undefined) return isReplaced(context, context.index) ? { path } : undefined;
  return isPut(context, now) ? { path, isLost: true } : undefined;
}

/** Tells whether the batch has changed a name: if the new file is still beside it, somebody else has changed or freed it before. */
function isReplaced({ workspace, journal }: RollBackContext, index: number): boolean {
  const { staged } = helperPaths(workspace.state, journal, index);
  return journal.entries[index]?.way !== "replace" || workspace.files.look(staged) === undefined;
}

/**
 * Whether what stands at a name is the very file that the batch put there, as it was then: others may write the same bytes,
 * and a later file may get the number of one that is gone. A file that moved, and that its old name has lost otherwise than
 * by the batch, is no longer ours: somebody may have moved it here, and this may be all that is left of it.
 */
function isOurs(context: RollBackContext, now: FileStat): boolean {
  const { workspace, journal, sources } = context;
  if (!isPut(context, now)) return false;
  const from = sources.get(now.inode) ?? [];
  const comesBack = (index: number): boolean => {
    const { kept } = helperPaths(workspace.state, journal, index);
    return (isReplaced(context, index) && workspace.files.look(kept) !== undefined) || hasBack(context, index);
  };
  return from.length === 0 || from.some(comesBack);
}

/** Tells whether what stands at a name is the file that the batch put there, with the bytes that it had then. */
function isPut({ workspace, entry: { path, after } }: RollBackContext, now: FileStat): boolean {
  return after?.inode === now.inode && hashAt(workspace.files, path, now) === after.hash;
}

/** Tells whether a name has what it had: its file, or, where the disk refused a link to that, the copy that was kept instead. */
function hasBack({ workspace, journal }: RollBackContext, index: number): boolean {
  const { path, before } = journal.entries[index] as JournalEntry;
  const there = workspace.files.look(path);
  return (
    there !== undefined && (there.inode === before?.inode || hashAt(workspace.files, path, there) === before?.hash)
  );
}

function refill({ workspace, journal, entry, index }: RollBackContext, now: FileStat | undefined): Foreign | undefined {
  const { files, state } = workspace;
  const { path, before, after } = entry;
  const copies = helperPaths(state, journal, index);
  if (now?.kind === "file" && hashAt(files, path, now) === before?.hash) {
    if (now.inode !== before?.inode) return undefined;
    giveBackBits(files, path, before.mode);
    // They may have been written by who was killed before they lasted.
    files.sync(path);
    return undefined;
  }
  if (files.look(copies.oldCopy) === undefined)
    return { path, ...(now?.inode === before?.inode ? { isLost: true } : {}) };
  const foreign = { path, kept: copies.oldCopy };
  if (now?.kind !== "file" || now.inode !== before?.inode || now.size > limits.fileBytes) return foreign;
  const bytes = files.read(path, limits.fileBytes);
  const old = files.read(copies.oldCopy, limits.fileBytes);
  const isOurs = hashOf(bytes) === after?.hash || isTornBetween(workspace, bytes, { old, new: copies.newCopy });
  if (!isOurs || hashOf(old) !== before.hash) return foreign;
  files.fill(path, old);
  giveBackBits(files, path, before.mode);
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

/** Bytes that a disk writes whole or not at all; none that is in use has smaller sectors. */
const sector = 512;

/**
 * Tells whether a file holds what writes that were cut off may have left. A sector may hold old bytes, new bytes, or old, new and
 * old ones in turn: the batch's write was cut off there, and then the write that rolled it back. Bytes that a file has grown by and
 * that were not written are zero. Such a file may be overwritten: it holds nothing that somebody else wrote.
 */
export function isTorn(found: Uint8Array, before: Uint8Array, after: Uint8Array): boolean {
  const [least, most] = [Math.min(before.length, after.length), Math.max(before.length, after.length)];
  if (found.length < least || found.length > most) return false;
  for (let from = 0; from < found.length; from += sector) {
    const to = Math.min(from + sector, found.length);
    if (!isJoined(found, [before, after, before], from, to)) return false;
  }
  return true;
}

/** Tells whether `[from, to)` has a stretch of each side in turn, which may be empty; behind the end of a side come zeros. */
function isJoined(found: Uint8Array, sides: readonly Uint8Array[], from: number, to: number): boolean {
  let at = from;
  // As long as it lasts: what one side has more, the next ones need not have.
  for (const side of sides) while (at < to && found[at] === (side[at] ?? 0)) at++;
  return at === to;
}
