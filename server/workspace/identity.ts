/** Identifies each file by device and inode, or else by canonical path, so that all its paths agree. */
import { readlinkSync, realpathSync, statSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { limits } from "../text/limits.js";
import { type OpenDocument, type OpenDocuments, type OpenIndex, toUnseen } from "./documents.js";
import { fileProblems } from "./sentences.js";

/** The parts of an open document needed to resolve paths. */
export type OpenText = Omit<OpenDocument, "lines" | "formerLines"> & Partial<Pick<OpenDocument, "formerLines">>;

/** The mirror of the editor's documents. */
export interface OpenTexts {
  readonly held: Pick<OpenDocuments<OpenText>, "index">;
}

/** The file that a path leads to when every symbolic link is followed. */
export type Canonical =
  | {
      readonly ok: true;
      readonly path: string;
      readonly onDisk: boolean;
      readonly isDirectory: boolean;
      /** `true` for a regular file, which can be opened without side effects. */
      readonly isRegular: boolean;
      /** An identifier that is the same for all paths to the file. */
      readonly identity: string;
    }
  /** `problem`: a clause for `pathFailures.ioError`. */
  | { readonly ok: false; readonly problem: string };

/** An open document that is a file on this machine. */
export interface OpenFile {
  readonly open: OpenText;
  /** The path as spelt in the document's URI. */
  readonly path: string;
}

/** The editor's open documents, indexed by URI, path and identity. */
export interface OpenFiles extends OpenIndex<OpenText> {
  /** Returns the open documents that a path may refer to: the one so spelt, or all for the file `reached`. */
  at(path: string, reached: Canonical): Promise<readonly OpenFile[]>;
}

/**
 * Resolves an absolute path to its canonical form. A path that does not exist yet resolves to the place where its file
 * would be created: below its nearest existing ancestor, or at the target of a dangling symbolic link. Handing the path
 * to another thread and waiting for it takes Node longer than the system takes to answer.
 */
export function canonicalise(path: string, hops: number = limits.symlinkHops): Canonical {
  try {
    const real = realpathSync.native(path);
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

/** Indexes the open documents as they are now. `unsynced`: the URIs of those with changes that are not synced. */
export function indexOpenFiles({ held }: OpenTexts, unsynced: readonly string[] = []): OpenFiles {
  const index = held.index();
  let identities: Promise<ReadonlyMap<string, readonly OpenFile[]>> | undefined;
  const byIdentity = async (identity: string): Promise<readonly OpenFile[]> => {
    identities ??= mapBounded([...index.urisByPath.keys()], async (path) => identityOf(path)).then((known) => {
      const files = new Map<string, readonly OpenFile[]>();
      for (const [i, [path, uris]] of [...index.urisByPath].entries()) {
        const same = uris.map((uri) => ({ open: index.byUri.get(uri)!, path }));
        files.set(known[i]!, [...(files.get(known[i]!) ?? []), ...same]);
      }
      return files;
    });
    return (await identities).get(identity) ?? [];
  };
  return {
    ...index,
    unseen: unsynced.length === 0 ? index.unseen : new Map([...toUnseen(unsynced), ...index.unseen]),
    async at(path, reached) {
      const [asSpelt, another] = index.urisByPath.get(path) ?? [];
      if (asSpelt !== undefined && another === undefined) return [{ open: index.byUri.get(asSpelt)!, path }];
      return reached.ok ? byIdentity(reached.identity) : [];
    },
  };
}

/** Runs a task for each item, at most `limits.parallelReads` at once, in order. Lets other code run between. */
export async function mapBounded<T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let start = performance.now();
  const workers = Array.from({ length: Math.min(items.length, limits.parallelReads) }, async () => {
    for (const [index, item] of queue) {
      if (performance.now() - start >= turnMs) {
        await nextTurn();
        start = performance.now();
      }
      results[index] = await task(item);
    }
  });
  await Promise.all(workers);
  return results;
}

/** The time in milliseconds after which tasks that do not wait let other code run. */
const turnMs = 6;

/** Reports whether there is a regular file at a path; symbolic links are followed. */
export function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Reports whether nothing is at a path; `false` if that can't be found out. An empty path names nothing. */
export function isAbsent(path: string): boolean {
  try {
    return path === "" || statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Reports whether the last part of a path is a symbolic link. `undefined`: the document is not a file. */
export async function isLink(path: string | undefined): Promise<boolean> {
  try {
    return path !== undefined && (await lstat(path)).isSymbolicLink();
  } catch {
    // If the path can't be examined here, reading it will fail, too.
    return false;
  }
}

/** Returns an error that looks like one from the system, with a code such as `ESTALE`. */
export function systemError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

/** Returns an error's system code, such as `ENOENT`, or the error as text if it has no code. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : String(error);
}

function canonicaliseAbsent(path: string, hops: number): Canonical {
  const above = dirname(path);
  let at = path;
  if (above !== path) {
    const parent = canonicalise(above, hops);
    if (!parent.ok) return parent;
    at = join(parent.path, basename(path));
    const target = targetOf(path);
    if (target !== undefined) {
      if (hops === 0) return { ok: false, problem: fileProblems.system("ELOOP") };
      return canonicalise(resolve(parent.path, target), hops - 1);
    }
  }
  const identity = toIdentity(at);
  return { ok: true, path: at, onDisk: false, isDirectory: false, isRegular: false, identity };
}

/** Returns the target of a symbolic link; `undefined` for anything else. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Returns the same identity for all paths to a file: its inode or else its path, folded where that is usual. */
function toIdentity(path: string, stats?: { readonly dev: bigint; readonly ino: bigint }): string {
  if (stats !== undefined && stats.ino !== 0n) return `inode ${stats.dev}:${stats.ino}`;
  const folds = process.platform === "win32" || process.platform === "darwin";
  return `path ${folds ? path.normalize("NFC").toLowerCase() : path}`;
}

/** Returns a file's identity, for which a single `stat` is enough if the file exists. */
function identityOf(path: string): string {
  try {
    const stats = statSync(path, { bigint: true });
    if (stats.ino !== 0n) return toIdentity(path, stats);
  } catch {
    // Fall back to the canonical path.
  }
  const canonical = canonicalise(path);
  return canonical.ok ? canonical.identity : toIdentity(path);
}
