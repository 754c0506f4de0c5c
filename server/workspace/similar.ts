/** Paths that may have been meant where there is no file: a hint for the caller, never a guess of ours. */
import { opendir, stat } from "node:fs/promises";
import { limits } from "../text/limits.js";
import { pathsOf } from "./pathRules.js";

/** A path at which nothing was found. */
export interface Missing {
  /** As the caller spelt it. */
  readonly sent: string;
  /** Canonical paths at which it was looked for. */
  readonly searched: readonly string[];
  /** Paths of the open files that lie inside. */
  readonly openPaths: readonly string[];
  readonly platform: NodeJS.Platform;
}

/**
 * At most `limits.similarShown` paths, the most similar first: files of the same directories whose name is nearly the
 * same, and open files anywhere. Spelt so that they can be sent as they are.
 */
export async function similarPaths({ sent, searched, openPaths, platform }: Missing): Promise<string[]> {
  const { basename, dirname, join, sep } = pathsOf(platform);
  const wanted = basename(searched[0] ?? sent);
  /** By absolute path: how to spell it, and how far its name is from the wanted one. */
  const found = new Map<string, { readonly spelling: string; readonly distance: number }>();
  const note = (path: string, spelling: string): void => {
    const distance = distanceOf(wanted, basename(path));
    if (distance !== undefined) found.set(path, { spelling, distance });
  };
  for (const path of openPaths) note(path, path);
  for (const spelling of respelt(sent)) if (await isFile(spelling, searched, sent)) return [spelling];
  for (const directory of new Set(searched.map((path) => dirname(path)))) {
    for (const name of await namesIn(directory)) {
      // The caller's own spelling of the directory is the shortest that is known to work.
      const prefix = sent.endsWith(wanted) ? sent.slice(0, sent.length - wanted.length) : `${directory}${sep}`;
      note(join(directory, name), prefix + name);
    }
  }
  return [...found.values()]
    .sort((a, b) => a.distance - b.distance || (a.spelling < b.spelling ? -1 : 1))
    .slice(0, limits.similarShown)
    .map(({ spelling }) => spelling);
}

/** A path without what git's diffs put before it, and with slashes for backslashes. */
function respelt(sent: string): string[] {
  const slashes = sent.replaceAll("\\", "/");
  return [slashes, slashes.replace(/^[ab]\//, "")].filter((spelling) => spelling !== sent && spelling !== "");
}

/** Whether there is a file where another spelling of a relative path would lead. */
async function isFile(spelling: string, searched: readonly string[], sent: string): Promise<boolean> {
  for (const path of searched) {
    if (!path.endsWith(sent)) continue;
    const stats = await stat(path.slice(0, path.length - sent.length) + spelling).catch(() => undefined);
    if (stats?.isFile() === true) return true;
  }
  return false;
}

/** Names of files, not of directories; none where the directory can't be read. */
async function namesIn(directory: string): Promise<string[]> {
  const names: string[] = [];
  try {
    let seen = 0;
    for await (const entry of await opendir(directory)) {
      if (!entry.isDirectory()) names.push(entry.name);
      seen += 1;
      if (seen === limits.directoryEntries) break;
    }
  } catch {
    // A hint is not worth a failure.
  }
  return names;
}

/** Edits between two names, ignoring case; 0 also for names that differ in case only. `undefined`: they are not similar. */
function distanceOf(a: string, b: string): number | undefined {
  const [from, to] = [a, b].map((name) => name.normalize("NFC").toLowerCase());
  const most = Math.min(3, Math.floor(from!.length / 3));
  if (from === to) return 0;
  if (Math.abs(from!.length - to!.length) > most) return undefined;
  const distance = editDistance(from!, to!);
  return distance <= most ? distance : undefined;
}

/** Insertions, deletions and replacements of UTF-16 units. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 0; line < from.length; line++) {
    const next = [line + 1];
    for (let column = 0; column < to.length; column++) {
      const replaced = row[column]! + (from[line] === to[column] ? 0 : 1);
      next.push(Math.min(replaced, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
