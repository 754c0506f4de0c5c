/** Steps that several parts of a batch take alike: what stands at a name, what it holds, and what makes it last. */

import { limits } from "../text/limits.js";
import { hashOf } from "../workspace/files.js";
import { codeOf } from "../workspace/identity.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { type FileStat, type FileSystem, isBehindLink, isSystemError } from "./fileSystem.js";

/** `undefined`: no file, or one that is too large to be one of ours. */
export function hashAt({ files }: DiskWorkspace, path: string, now: FileStat): string | undefined {
  if (now.kind !== "file" || now.size > limits.fileBytes) return undefined;
  return hashOf(files.read(path, limits.fileBytes));
}

/** What stands at a path; `undefined` also where none of ours can be: behind a link, below a file, or at no possible name. */
export function lookIfReached(files: FileSystem, path: string): FileStat | undefined {
  try {
    return files.look(path);
  } catch (error) {
    if (!isUnreached(error)) throw error;
    return undefined;
  }
}

/** Whether an error says that a path can't lead to anything of ours: it goes through a link, or a name in it is no possible one. */
export const isUnreached = (error: unknown): boolean => isBehindLink(error) || codeOf(error) === "ENAMETOOLONG";

/** Runs each step although others fail. The system's code of the first refusal; `undefined`: there was none. */
export function tryAll(steps: Iterable<() => void>): string | undefined {
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

/** Makes the names of directories, and what they lead to, last; those that are gone have nothing to last. */
export function syncDirectories({ files }: DiskWorkspace, directories: Iterable<string>): void {
  for (const directory of new Set(directories)) {
    if (lookIfReached(files, directory)?.kind === "directory") files.sync(directory);
  }
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

/** The bits by which a program runs with the rights of its owner or group; the system clears them when a file is written. */
export const foreignRights = 0o6000;

/** Gives a file the bits back that the system has cleared, where nothing else of its mode is another: `mode` is that of the journal. */
export function giveBackBits(files: FileSystem, path: string, mode: number | undefined): void {
  if (mode === undefined) return;
  const now = files.look(path)?.mode;
  if (now !== mode && now === (mode & ~foreignRights)) files.setMode(path, mode);
}
