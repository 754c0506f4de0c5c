/** Which file a path is: its canonical path, and device and inode where it exists, so that one file has one identity. */

import { statSync } from "node:fs";
import { lstat, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { limits } from "../text/limits.js";
import type { OpenDocument } from "./documents.js";
import { pathOfSyncedUri } from "./pathText.js";
import { fileProblems } from "./sentences.js";

/** An open document as far as resolving paths needs it. */
export type OpenText = Omit<OpenDocument, "lines" | "formerLines"> & Partial<Pick<OpenDocument, "formerLines">>;

/** The mirror of the editor's documents. */
export interface OpenTexts {
  /** By the exact URI. */
  get(uri: string): OpenText | undefined;
  all(): Iterable<OpenText>;
}

/** The file that a path leads to once every symbolic link is followed. */
export type Canonical =
  | {
      readonly ok: true;
      readonly path: string;
      readonly onDisk: boolean;
      readonly isDirectory: boolean;
      /** Whether it is a regular file, which opening does nothing to. */
      readonly isRegular: boolean;
      /** The same for all paths of one file. */
      readonly identity: string;
    }
  /** A clause for `pathFailures.ioError`. */
  | { readonly ok: false; readonly problem: string };

/** An open document that is a file of this machine. */
export interface OpenFile {
  readonly open: OpenText;
  /** As its URI has it. */
  readonly path: string;
}

/** The editor's open documents, by what a path may have in common with them. */
export interface OpenFiles {
  readonly byUri: ReadonlyMap<string, OpenText>;
  /** Those whose own path is spelt exactly so. */
  readonly byPath: ReadonlyMap<string, readonly OpenFile[]>;
  /** Those that are the same file. The first call looks at all of them; what it found is kept. */
  byIdentity(identity: string): Promise<readonly OpenFile[]>;
  readonly all: readonly OpenFile[];
}

/**
 * Follows an absolute path to the file that it leads to. What does not exist yet is where it would be created: below its
 * deepest ancestor that exists, or at the end of a symbolic link that dangles.
 */
export async function canonicalise(path: string, hops: number = limits.symlinkHops): Promise<Canonical> {
  try {
    const real = await realpath(path);
    // The system has just been there, so that this takes less time than to wait for another thread once more.
    const stats = statSync(real, { bigint: true });
    return {
      ok: true,
      path: real,
      onDisk: true,
      isDirectory: stats.isDirectory(),
      isRegular: stats.isFile(),
      identity: toIdentity(real, stats),
    };
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" ? canonicaliseAbsent(path, hops) : { ok: false, problem: fileProblems.system(code) };
  }
}

/** The texts as they are now; later changes of the mirror are not seen. */
export function indexOpenFiles(texts: OpenTexts): OpenFiles {
  const byUri = new Map<string, OpenText>();
  const all: OpenFile[] = [];
  const byPath = new Map<string, OpenFile[]>();
  for (const open of texts.all()) {
    byUri.set(open.uri, open);
    const path = pathOfSyncedUri(open.uri);
    if (path === undefined) continue;
    const file = { open, path: resolve(path) };
    all.push(file);
    addTo(byPath, file.path, file);
  }
  let identities: Promise<ReadonlyMap<string, readonly OpenFile[]>> | undefined;
  return {
    byUri,
    byPath,
    all,
    async byIdentity(identity) {
      identities ??= indexIdentities(all);
      return (await identities).get(identity) ?? [];
    },
  };
}

/** Runs a task for every item, at most `limits.parallelReads` at a time; results in the order of the items. */
export async function mapBounded<T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const workers = Array.from({ length: Math.min(items.length, limits.parallelReads) }, async () => {
    for (const [index, item] of queue) results[index] = await task(item);
  });
  await Promise.all(workers);
  return results;
}

/** Tells whether the last name of a path is a symbolic link. `undefined` stands for what is no file. */
export async function isLink(path: string | undefined): Promise<boolean> {
  try {
    return path !== undefined && (await lstat(path)).isSymbolicLink();
  } catch {
    // What can't be looked at here fails where it is read.
    return false;
  }
}

/** The system's code of an error, as `ENOENT`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : String(error);
}

async function canonicaliseAbsent(path: string, hops: number): Promise<Canonical> {
  const above = dirname(path);
  let at = path;
  if (above !== path) {
    const parent = await canonicalise(above, hops);
    if (!parent.ok) return parent;
    at = join(parent.path, basename(path));
    // Only a symbolic link can be read.
    const target = await readlink(path).catch(() => undefined);
    if (target !== undefined) {
      if (hops === 0) return { ok: false, problem: fileProblems.system("ELOOP") };
      return canonicalise(resolve(parent.path, target), hops - 1);
    }
  }
  const identity = toIdentity(at);
  return { ok: true, path: at, onDisk: false, isDirectory: false, isRegular: false, identity };
}

/**
 * The same for all paths of one file, by what the system says of it; `undefined`: it is not there yet. Then it has no inode, and
 * where disks commonly ignore case, two spellings of it will be one file.
 */
function toIdentity(path: string, stats?: { readonly dev: bigint; readonly ino: bigint }): string {
  if (stats !== undefined && stats.ino !== 0n) return `inode ${stats.dev}:${stats.ino}`;
  const folds = process.platform === "win32" || process.platform === "darwin";
  return `path ${folds ? path.normalize("NFC").toLowerCase() : path}`;
}

async function indexIdentities(files: readonly OpenFile[]): Promise<ReadonlyMap<string, readonly OpenFile[]>> {
  const identities = await mapBounded(files, ({ path }) => identityOf(path));
  const index = new Map<string, OpenFile[]>();
  for (const [i, file] of files.entries()) addTo(index, identities[i]!, file);
  return index;
}

/** One look at the disk is enough for a file that is there, and almost every open document is. */
async function identityOf(path: string): Promise<string> {
  try {
    const stats = await stat(path, { bigint: true });
    if (stats.ino !== 0n) return toIdentity(path, stats);
  } catch {
    // The canonical path decides.
  }
  const canonical = await canonicalise(path);
  return canonical.ok ? canonical.identity : toIdentity(path);
}

function addTo<V>(index: Map<string, V[]>, key: string, value: V): void {
  const values = index.get(key);
  if (values === undefined) index.set(key, [value]);
  else values.push(value);
}
