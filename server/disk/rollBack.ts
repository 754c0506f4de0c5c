/** Rolls back a batch's own changes only, by its journal and the files that its names now refer to. */
import { dirname } from "node:path";
import { limits } from "../text/limits.js";
import { hashOf } from "../workspace/files.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import {
  ensure,
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
import { directoriesOf, type HelpedEntry, helpedEntries, type Journal } from "./journal.js";
import type { Foreign } from "./sentences.js";

/** Restores the old file under every name. No name depends on another, so the order (last name first) is arbitrary. */
export function rollBack(
  workspace: DiskWorkspace,
  journal: Journal,
  changed?: ReadonlySet<string>,
): { foreign: Foreign[]; code: string | undefined } {
  const foreign: Foreign[] = [];
  const { files, state } = workspace;
  const entries = helpedEntries(state, journal);
  const unseen = findAway(files, entries);
  if (unseen === notMounted) return { foreign, code: unseen };
  // Nothing was written to a file in place that the batch has not reached.
  const reached = entries.filter(({ path, way }) => way !== "inPlace" || (changed?.has(path) ?? true));
  const steps = reached.map((entry) => () => {
    const left = restore({ files, entry, entries });
    if (left !== undefined) foreign.push(left);
  });
  const directories = [...journal.directories].reverse();
  const code = tryAll([
    ...steps.reverse(),
    ...directories.map((directory) => () => {
      // The directory did not exist before the batch. It is removed unless another program has put something into it.
      const remove = (): void => files.removeDirectory(directory);
      if (lookIfReached(files, directory) !== undefined) ensure(remove, ["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"]);
    }),
    () => syncDirectories(files, directoriesOf(journal)),
  ]);
  // If a disk could not be examined at first, it may have been missing when the steps above found nothing to do on it.
  return { foreign, code: code ?? (unseen === undefined ? undefined : findAway(files, entries)) };
}

/** The Linux error code for a missing disk. */
const notMounted = "ENOMEDIUM";

/**
 * Returns `notMounted` if one of the batch's disks is missing: none of the batch's files on it is found, and the path
 * of one of them is now on another disk. A device number alone proves nothing, because many disks get a new one each
 * time they are mounted. Otherwise, returns the code of the first refused `look`, because the disk of that file may be
 * missing; `undefined` if no `look` was refused.
 */
function findAway(files: FileSystem, entries: readonly HelpedEntry[]): string | undefined {
  const [seen, elsewhere] = [new Set<string>(), new Set<string>()];
  const looks = entries.map(({ path, device, before, after, staged, kept }) => () => {
    const now = lookIfReached(files, path);
    // An old file may have been replaced by another program or renumbered by the disk, so its inode is not compared.
    const isKnown = now !== undefined && (before !== null || now.inode === after?.inode);
    if (isKnown || [staged, kept].some((helper) => lookIfReached(files, helper) !== undefined)) seen.add(device);
    else if (deviceAbove(files, path) !== device) elsewhere.add(device);
  });
  const refused = tryAll(looks);
  return [...elsewhere].some((device) => !seen.has(device)) ? notMounted : refused;
}

/** Returns the device number of a path's nearest existing ancestor; `undefined` if there is none. */
function deviceAbove(files: FileSystem, path: string): string | undefined {
  const directory = dirname(path);
  return lookIfReached(files, directory)?.device ?? (directory === path ? undefined : deviceAbove(files, directory));
}

interface RollBackContext {
  readonly files: FileSystem;
  readonly entry: HelpedEntry;
  /** All entries of the batch. */
  readonly entries: readonly HelpedEntry[];
}

/** Restores the old file under a name, or returns the file that must be reported as left alone. */
function restore(context: RollBackContext): Foreign | undefined {
  const { files, entry } = context;
  const { path, oldCopy } = entry;
  if (entry.before === null) return uncreate(context);
  const now = files.look(path);
  if (files.look(dirname(path))?.kind === "directory") {
    return entry.way === "inPlace" ? refill(files, entry, now) : giveBack(context, now);
  }
  // Another program has removed the directory and the file in it. A copy made for a write in place is in another
  // directory and may still exist.
  const isKept = entry.way === "inPlace" && files.look(oldCopy) !== undefined;
  return { path, kept: isKept ? oldCopy : undefined };
}

/** Removes a file that the batch created. Removes nothing if a link has replaced a directory in the file's path. */
function uncreate(context: RollBackContext): Foreign | undefined {
  const { path } = context.entry;
  let now: FileStat | undefined;
  try {
    now = context.files.look(path);
  } catch (error) {
    if (!isUnreached(error)) throw error;
    return isBehindLink(error) ? { path } : undefined;
  }
  if (now === undefined) return undefined;
  if (!isOurs(context, now)) return { path };
  context.files.unlink(path);
  return undefined;
}

/** Restores the old file under a name that no longer refers to it, from the kept file next to it. */
function giveBack(context: RollBackContext, now: FileStat | undefined): Foreign | undefined {
  const { files, entry } = context;
  const { path, before, kept } = entry;
  if (now?.inode === before?.inode) return undefined;
  if (files.look(kept) === undefined) return findLost(context, now);
  if (now === undefined) {
    if (isReplaced(files, entry)) linkOrRename(files, kept, path);
    return undefined;
  }
  const hash = hashAt(files, path, now);
  // Another program took the name before the batch did. Its file is reported only if it has the same bytes as the
  // batch's new file.
  if (!isReplaced(files, entry)) return hash === entry.after?.hash ? { path } : undefined;
  if (isOurs(context, now)) files.rename(kept, path);
  else if (hash !== before?.hash) return { path, kept };
  return undefined;
}

/** Handles a missing kept file: the old one was restored before, or a cleanup took it and the change stays. */
function findLost(context: RollBackContext, now: FileStat | undefined): Foreign | undefined {
  const { files, entry } = context;
  const { path } = entry;
  if (now === undefined) return isReplaced(files, entry) ? { path } : undefined;
  return isPut(context, now) ? { path, isLost: true } : undefined;
}

/** Returns `false` if the batch has not yet replaced the file, whose staged file then still exists. */
function isReplaced(files: FileSystem, { way, staged }: HelpedEntry): boolean {
  return way !== "replace" || files.look(staged) === undefined;
}

/**
 * Reports whether the file under a name is the very file that the batch put there, unchanged. Inode and bytes must both
 * match: another program may write the same bytes, and a new file may reuse the inode of a deleted one. A moved file
 * counts as the batch's own only if it is also kept, or is back under its old name; otherwise, the file under this name
 * may be the only copy.
 */
function isOurs(context: RollBackContext, now: FileStat): boolean {
  const { files, entries } = context;
  if (!isPut(context, now)) return false;
  const from = entries.filter(({ before }) => before?.inode === now.inode);
  const comesBack = (entry: HelpedEntry): boolean =>
    (isReplaced(files, entry) && files.look(entry.kept) !== undefined) || hasBack(files, entry);
  return from.length === 0 || from.some(comesBack);
}

/** Reports whether the file under a name is the one that the batch put there, with its bytes unchanged. */
function isPut({ files, entry: { path, after } }: RollBackContext, now: FileStat): boolean {
  return after?.inode === now.inode && hashAt(files, path, now) === after.hash;
}

/** Reports whether the file under a name is the old one or, if links failed, a copy with the same bytes. */
function hasBack(files: FileSystem, { path, before }: HelpedEntry): boolean {
  const there = files.look(path);
  return there !== undefined && (there.inode === before?.inode || hashAt(files, path, there) === before?.hash);
}

function refill(files: FileSystem, entry: HelpedEntry, now: FileStat | undefined): Foreign | undefined {
  const { path, before, after, oldCopy, newCopy } = entry;
  if (now?.kind === "file" && hashAt(files, path, now) === before?.hash) {
    if (now.inode !== before?.inode) return undefined;
    giveBackBits(files, path, before.mode);
    // An earlier rollback may have been killed after it wrote the old bytes but before it synced them.
    files.sync(path);
    return undefined;
  }
  if (files.look(oldCopy) === undefined) return now?.inode === before?.inode ? { path, isLost: true } : { path };
  const foreign = { path, kept: oldCopy };
  if (now?.kind !== "file" || now.inode !== before?.inode || now.size > limits.fileBytes) return foreign;
  const bytes = files.read(path, limits.fileBytes);
  const old = files.read(oldCopy, limits.fileBytes);
  const isOurs =
    hashOf(bytes) === after?.hash ||
    (files.look(newCopy) !== undefined && isTorn(bytes, old, files.read(newCopy, limits.fileBytes)));
  if (!isOurs || hashOf(old) !== before.hash) return foreign;
  if (!files.fill(path, old, bytes)) return foreign;
  giveBackBits(files, path, before.mode);
  files.sync(path);
  return undefined;
}

/** The number of bytes that a disk writes atomically; no disk in use has smaller sectors. */
const sector = 512;

/**
 * Reports whether `found` could be the result of interrupted writes alone, in which case it contains no other program's
 * bytes and may be overwritten. Within a sector, old bytes (from an interrupted rollback) may be followed by new bytes
 * (from the batch's write) and then by old bytes that were never overwritten. A part by which the file was extended,
 * but which was never written, consists of zeros.
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

/** Reports whether the bytes in `[from, to)` are runs from either side; beyond a side's end, its bytes are zero. */
function isJoined(found: Uint8Array, sides: readonly Uint8Array[], from: number, to: number): boolean {
  let at = from;
  // Each side matches as many bytes as it can, which leaves the fewest bytes for later sides.
  for (const side of sides) while (at < to && found[at] === (side[at] ?? 0)) at++;
  return at === to;
}
