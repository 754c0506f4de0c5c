/** Keeps a file in memory while it is deleted, so that it can be written again as it was. */
import { chmod, lstat, mkdir, readFile, rmdir, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Failure } from "../plan/failure.js";
import { hashOf, refuseKind } from "./files.js";
import { codeOf } from "./identity.js";
import { fileProblems, pathFailures } from "./sentences.js";

/** A file as it was at one moment. */
export interface KeptFile {
  /** Absolute. */
  readonly path: string;
  readonly bytes: Buffer;
  /** SHA-256 of `bytes`, in hex. */
  readonly hash: string;
  /** Permission bits. */
  readonly mode: number;
}

/** The result of keeping a file. */
export type Keeping =
  | { readonly kind: "kept"; readonly file: KeptFile }
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly failure: Failure };

/** Reads a file of at most `limits.fileBytes`, whatever its bytes are; no symbolic link. `name` is what failures call it. */
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

/** Writes a kept file where it was, never over something new. `false`: it could not be written, and nothing is there of it. */
export async function writeAgain({ path, bytes, mode }: KeptFile): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "", { flag: "wx", mode });
  } catch {
    return false;
  }
  try {
    await writeFile(path, bytes, { flag: "r+" });
    // The process may have a mask of its own.
    await chmod(path, mode);
    return true;
  } catch {
    // A half of it would look like the whole.
    await unlink(path).catch(() => undefined);
    return false;
  }
}

/** Deletes a kept file where it was. `false`: it could not be deleted. */
export function removeKept({ path }: KeptFile): Promise<boolean> {
  return succeeds(unlink(path));
}

function succeeds(act: Promise<void>): Promise<boolean> {
  return act.then(
    () => true,
    () => false,
  );
}

/** Tells whether there is anything at a path, be it a link that leads nowhere. What can't be looked at is taken to be there. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const code = codeOf(error);
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}

/** Deletes directories as far as they are empty, in their order, the deepest first. */
export async function removeEmpty(directories: readonly string[]): Promise<void> {
  for (const directory of directories) if (!(await succeeds(rmdir(directory)))) return;
}

/** Makes the directories that a path needs, and answers what takes them away again as far as they are empty. */
export async function makeParents(path: string): Promise<() => Promise<void>> {
  // What can't be made is the editor's to complain about.
  const first = await mkdir(dirname(path), { recursive: true }).catch(() => undefined);
  return async () => {
    const made: string[] = [];
    for (let at = dirname(path); first !== undefined && at.length >= first.length; at = dirname(at)) made.push(at);
    await removeEmpty(made);
  };
}
