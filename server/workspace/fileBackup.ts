/** In-memory backups of deleted files, from which the files can be restored as they were. */
import { chmod, lstat, mkdir, readFile, rmdir, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Failure } from "../plan/failure.js";
import { hashOf, refuseKind } from "./files.js";
import { codeOf } from "./identity.js";
import { fileProblems, pathFailures } from "./sentences.js";

/** A snapshot of a file. */
export interface KeptFile {
  /** The absolute path. */
  readonly path: string;
  readonly bytes: Buffer;
  /** SHA-256 of `bytes`, in hex. */
  readonly hash: string;
  /** The permission bits. */
  readonly mode: number;
}

/** The result of keeping a copy of a file. */
export type Keeping =
  | { readonly kind: "kept"; readonly file: KeptFile }
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly failure: Failure };

/** Reads any regular file of at most `limits.fileBytes`; refuses links. `name`: the file's name in failures. */
export async function keepFile(path: string, name: string): Promise<Keeping> {
  try {
    const stats = await lstat(path);
    const failure = refuseKind(stats, name);
    if (failure !== undefined) return { kind: "failed", failure };
    const bytes = await readFile(path);
    return { kind: "kept", file: { path, bytes, hash: hashOf(bytes), mode: stats.mode & 0o7777 } };
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
    return { kind: "failed", failure: pathFailures.ioError(name, fileProblems.system(code)) };
  }
}

/** Restores a kept file without overwriting another. On failure, removes any partial file and returns `false`. */
export async function writeAgain({ path, bytes, mode }: KeptFile): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "", { flag: "wx", mode });
  } catch {
    return false;
  }
  try {
    await writeFile(path, bytes, { flag: "r+" });
    // The process's umask may have cleared some of the bits.
    await chmod(path, mode);
    return true;
  } catch {
    // A partial file could be mistaken for the whole file.
    await unlink(path).catch(() => undefined);
    return false;
  }
}

/** Deletes a kept file from the disk. Returns `false` if it could not be deleted. */
export function removeKept({ path }: KeptFile): Promise<boolean> {
  return succeeds(unlink(path));
}

function succeeds(act: Promise<void>): Promise<boolean> {
  return act.then(
    () => true,
    () => false,
  );
}

/** Reports whether anything exists at a path, even a dangling link. A path that can't be examined counts as taken. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}

/** Deletes directories, listed deepest first, and stops at the first that can't be deleted. */
export async function removeEmpty(directories: readonly string[]): Promise<void> {
  for (const directory of directories) if (!(await succeeds(rmdir(directory)))) return;
}

/** Creates the missing directories above a path. Returns a function that removes those that are still empty. */
export async function makeParents(path: string): Promise<() => Promise<void>> {
  // If the directories can't be created, the editor will report that.
  const first = await mkdir(dirname(path), { recursive: true }).catch(() => undefined);
  return async () => {
    const made: string[] = [];
    for (let at = dirname(path); first !== undefined && at.length >= first.length; at = dirname(at)) made.push(at);
    await removeEmpty(made);
  };
}
