/** An interface to the file system, so that tests can simulate disks that fail or lose unsynced data. */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { constants } from "node:fs";
import { limits } from "../text/limits.js";
import { canHold, hashOf, noFollow, readFlags, readRest, within } from "../workspace/files.js";
import { codeOf, systemError } from "../workspace/identity.js";

export { systemError };

/** The information that the system provides about a file, directory or link. */
export interface FileStat {
  readonly kind: "file" | "directory" | "link" | "other";
  /** The inode number in decimal digits, because it may be too large for a JavaScript number. */
  readonly inode: string;
  readonly device: string;
  /** The number of hard links to the file. */
  readonly links: number;
  readonly owner: number;
  readonly group: number;
  /** The permission bits, as for `chmod`. */
  readonly mode: number;
  /** The size in bytes. */
  readonly size: number;
  /** The time the content was last modified, in milliseconds since 1970. */
  readonly modified: number;
}

/** The paths of two files; the attributes of `from` are to be copied to `to`. */
export interface AttributePair {
  readonly from: string;
  readonly to: string;
}

/** The synchronous system calls for writing. Paths are canonical; only `list` and `mayWrite` follow a last link. */
export interface FileSystem {
  /** Returns information about a path; `undefined` if the path does not exist. */
  look(path: string): FileStat | undefined;
  /** Returns the names in a directory. */
  list(path: string): string[];
  /** Returns the target of a symbolic link, exactly as the link stores it. */
  readLink(path: string): string;
  /** Returns all bytes of a regular file; throws `EFBIG` if the file has more than `most` bytes. */
  read(path: string, most: number): Buffer;
  /** Returns the first `length` bytes of a regular file, or all bytes if there are fewer. */
  readStart(path: string, length: number): Buffer;
  /** Reports whether the user may write a file, or change names in a directory. `EBUSY`: it is held by a program. */
  mayWrite(path: string): boolean;
  /** Creates a file; the process's umask applies to `mode`. The file is durable only after `sync`. */
  make(path: string, bytes: Uint8Array, mode: number): void;
  /** Overwrites a file of the bytes `before`, durable after `sync`. `false`: another program changed its length. */
  fill(path: string, bytes: Uint8Array, before: Uint8Array): boolean;
  /** Sets the permission bits, as `chmod` does. */
  setMode(path: string, mode: number): void;
  /** For each pair, copies owner, mode, access control list and attributes, and returns whether all were copied. */
  copyAttributes(pairs: readonly AttributePair[]): boolean[];
  /** Flushes a file's bytes and attributes, or a directory's names, to the disk. */
  sync(path: string): void;
  link(from: string, to: string): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
  makeDirectory(path: string, mode: number): void;
  removeDirectory(path: string): void;
}

/** This machine's file system. */
export const realFileSystem: FileSystem = {
  look: (path) => {
    try {
      const stats = within(path, (at) => fs.lstatSync(at, { bigint: true }));
      return {
        kind: stats.isFile() ? "file" : stats.isDirectory() ? "directory" : stats.isSymbolicLink() ? "link" : "other",
        inode: stats.ino.toString(),
        device: stats.dev.toString(),
        links: Number(stats.nlink),
        owner: Number(stats.uid),
        group: Number(stats.gid),
        mode: Number(stats.mode) & 0o7777,
        size: Number(stats.size),
        modified: Number(stats.mtimeMs),
      };
    } catch (error) {
      const code = codeOf(error);
      if (code === "ENOENT" || code === "ENOTDIR") return undefined;
      throw error;
    }
  },
  list: (path) => fs.readdirSync(path),
  readLink: (path) => within(path, (at) => fs.readlinkSync(at)),
  read: (path, most) =>
    opened(path, readFlags, 0, (fd) => {
      const stats = fs.fstatSync(fd);
      if (!stats.isFile()) throw systemError("EINVAL", "not a regular file");
      const bytes = readRest(fd, Buffer.allocUnsafe(Math.min(stats.size, most) + 1), 0, most);
      if (bytes.length > most) throw systemError("EFBIG", `more than ${most} bytes`);
      return bytes;
    }),
  readStart: (path, length) =>
    opened(path, readFlags, 0, (fd) => {
      const buffer = Buffer.alloc(length);
      return buffer.subarray(0, fs.readSync(fd, buffer, 0, length, 0));
    }),
  // Read access is checked, too, because a directory that can't be opened for reading can't be synced.
  mayWrite: (path) => {
    if (attempt(() => fs.accessSync(path, constants.R_OK | constants.W_OK)).code !== undefined) return false;
    // Only on Windows can a program keep others from opening a file.
    if (process.platform !== "win32" || fs.statSync(path).isDirectory()) return true;
    return opened(path, constants.O_RDWR, 0, () => true);
  },
  make: (path, bytes, mode) =>
    opened(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow, mode, (fd) =>
      writeAll(fd, bytes),
    ),
  fill: (path, bytes, before) =>
    opened(path, constants.O_WRONLY | noFollow, 0, (fd) => {
      const isAsBefore = (): boolean => fs.fstatSync(fd).size === before.length;
      if (!isAsBefore()) return false;
      const common = Math.min(before.length, bytes.length);
      writeAll(fd, bytes.subarray(0, common));
      // Lines that another program appends would be lost if the file were cut or written beyond its old end.
      if (!isAsBefore()) {
        writeAll(fd, before.subarray(0, common));
        return false;
      }
      if (bytes.length > common) writeAll(fd, bytes, common);
      else fs.ftruncateSync(fd, common);
      return true;
    }),
  setMode: (path, mode) => opened(path, readFlags, 0, (fd) => fs.fchmodSync(fd, mode)),
  copyAttributes,
  sync: (path) => {
    // Windows can't sync directories and does not need to.
    if (process.platform === "win32" && fs.lstatSync(path).isDirectory()) return;
    const flags = process.platform === "win32" ? constants.O_RDWR : readFlags;
    opened(path, flags, 0, (fd) => {
      try {
        fs.fsyncSync(fd);
      } catch (error) {
        // Some file systems, such as those of folders shared with a virtual machine, can't sync directories. PostgreSQL
        // ignores this error, too.
        if (!["EINVAL", "EBADF"].includes(codeOf(error)) || !fs.fstatSync(fd).isDirectory()) throw error;
      }
    });
  },
  link: (from, to) => within(from, (source) => within(to, (target) => fs.linkSync(source, target))),
  rename: (from, to) => within(from, (source) => within(to, (target) => fs.renameSync(source, target))),
  unlink: (path) => within(path, (at) => fs.unlinkSync(at)),
  makeDirectory: (path, mode) => within(path, (at) => fs.mkdirSync(at, { mode })),
  removeDirectory: (path) => within(path, (at) => fs.rmdirSync(at)),
};

/** Reports whether an error is a refusal by the system rather than a bug in the server. */
export function isSystemError(error: unknown): boolean {
  // For some system errors, Node has only a number and no name.
  const isNumbered = error instanceof Error && "errno" in error && typeof error.errno === "number";
  return isNumbered || /^E[A-Z0-9]+$/.test(codeOf(error));
}

/** Reports whether a link has replaced a directory. Only an `ESTALE` from a network disk has an `errno`. */
export function isBehindLink(error: unknown): boolean {
  return codeOf(error) === "ESTALE" && !(error instanceof Error && "errno" in error);
}

/** Calls `act` and returns its result, or the error's code if the system refuses a call. Rethrows any other error. */
export function attempt<T>(
  act: () => T,
): { readonly value: T; readonly code?: never } | { readonly value?: never; readonly code: string } {
  try {
    return { value: act() };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { code: codeOf(error) };
  }
}

/** Calls `act`, ignoring errors whose codes are in `done`: they mean that there was nothing left to do. */
export function ensure(act: () => void, done: readonly string[]): void {
  try {
    act();
  } catch (error) {
    if (!done.includes(codeOf(error))) throw error;
  }
}

/** Unlinks a path. Does nothing if the path does not exist, or can't exist because it is too long. */
export function unlinkIfThere(files: FileSystem, path: string): void {
  ensure(() => files.unlink(path), ["ENOENT", "ENOTDIR", "ENAMETOOLONG"]);
}

/** Returns the hash of a file's bytes; `undefined` if `now` is no regular file, or larger than the server writes. */
export function hashAt(files: FileSystem, path: string, now: FileStat): string | undefined {
  if (now.kind !== "file" || now.size > limits.fileBytes) return undefined;
  return hashOf(files.read(path, limits.fileBytes));
}

/** Like `look`, but also returns `undefined` for a path that is too long or that leads through a link. */
export function lookIfReached(files: FileSystem, path: string): FileStat | undefined {
  try {
    return files.look(path);
  } catch (error) {
    if (!isUnreached(error)) throw error;
    return undefined;
  }
}

/** Reports whether an error means that a path can't lead to a batch's files: it is too long or leads through a link. */
export const isUnreached = (error: unknown): boolean => isBehindLink(error) || codeOf(error) === "ENAMETOOLONG";

/** Runs every step, even if the system refuses one. Returns the first refusal's code; `undefined` if none. */
export function tryAll(steps: Iterable<() => void>): string | undefined {
  let code: string | undefined;
  for (const step of steps) {
    const refused = attempt(step).code;
    code ??= refused;
  }
  return code;
}

/** Syncs directories so that the names in them survive a power cut. Skips directories that no longer exist. */
export function syncDirectories(files: FileSystem, directories: Iterable<string>): void {
  for (const directory of new Set(directories)) {
    if (lookIfReached(files, directory)?.kind === "directory") files.sync(directory);
  }
}

/** Gives a file a name that must be free: by a hard link or, if that fails, by a check and a rename. */
export function linkOrRename(files: FileSystem, from: string, to: string): void {
  try {
    files.link(from, to);
  } catch (error) {
    if (codeOf(error) === "EEXIST" || !isSystemError(error) || files.look(to) !== undefined) throw error;
    files.rename(from, to);
  }
}

/** The set-user-ID and set-group-ID bits of a file's mode. A write by any user but the superuser clears them. */
export const foreignRights = 0o6000;

/** Restores the set-ID bits that a write cleared, if all other bits still match the journal's `mode`. */
export function giveBackBits(files: FileSystem, path: string, mode: number | undefined): void {
  if (mode === undefined) return;
  const now = files.look(path)?.mode;
  if (now !== mode && now === (mode & ~foreignRights)) files.setMode(path, mode);
}

/** The maximum number of pairs that one `cp` process handles; more could exceed the limit on open files. */
const pairsAtOnce = 100;

function opened<R>(path: string, flags: number, mode: number, act: (fd: number) => R): R {
  const fd = within(path, (at) => fs.openSync(at, flags, mode));
  try {
    return act(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** Writes all bytes from an offset on, at the same offset of the file. On a nearly full disk, one call may write only some of them; the next call then fails. */
function writeAll(fd: number, bytes: Uint8Array, from = 0): void {
  for (let at = from; at < bytes.length; ) at += fs.writeSync(fd, bytes, at, bytes.length - at, at);
}

/**
 * Copies attributes with GNU `cp`, because Node can't read access control lists or extended attributes, and no other
 * `cp` both copies them and reports failures. One `cp` process copies all pairs. It reads each source through the
 * server's descriptor for that file and inherits the target's descriptor under the same number.
 */
function copyAttributes(pairs: readonly AttributePair[]): boolean[] {
  if (!canHold) return pairs.map(() => false);
  if (pairs.length > pairsAtOnce) {
    return [...copyAttributes(pairs.slice(0, pairsAtOnce)), ...copyAttributes(pairs.slice(pairsAtOnce))];
  }
  const held: number[] = [];
  try {
    const sources: number[] = [];
    const targets: ("ignore" | number)[] = ["ignore", "ignore", "ignore"];
    for (const { from, to } of pairs) {
      const [source, target] = [from, to].map((path) => within(path, (at) => fs.openSync(at, readFlags)));
      if (source === undefined || target === undefined) throw new Error("one of two files was not opened");
      held.push(source, target);
      sources.push(source);
      while (targets.length < source) targets.push("ignore");
      targets[source] = target;
    }
    const options = ["--attributes-only", "--preserve=mode,ownership,xattr", "--target-directory=/proc/self/fd"];
    const given = sources.map((source) => `/proc/${process.pid}/fd/${source}`);
    const { status } = spawnSync("cp", [...options, ...given], { cwd: "/", stdio: targets, timeout: 30_000 });
    // If any of several pairs failed, each pair is retried separately.
    if (status !== 0 && pairs.length > 1) return pairs.flatMap((pair) => copyAttributes([pair]));
    return pairs.map(({ from, to }) => {
      const [a, b] = [realFileSystem.look(from), realFileSystem.look(to)];
      const isSame = a !== undefined && a.mode === b?.mode && a.owner === b.owner && a.group === b.group;
      return status === 0 && isSame;
    });
  } finally {
    for (const fd of held) fs.closeSync(fd);
  }
}
