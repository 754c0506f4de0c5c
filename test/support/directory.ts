/** Temporary directories with files and links, each described by one object. */
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";

/** An entry at a path: text, bytes, a symbolic link to a target, or a hard link to another path in the same tree. */
export type Entry = string | Uint8Array | { readonly link: string } | { readonly hardLink: string };

/** Creates a directory, which is removed after the test; returns its canonical path. */
export function makeDirectory(entries: Readonly<Record<string, Entry>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  fillDirectory(root, entries);
  return root;
}

/**
 * The bytes of all files below a directory, by their paths in it, sorted. A file that a program removes or renames at
 * this moment is left out.
 */
export function filesBelow(root: string): Map<string, Buffer> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(
    paths.flatMap((path) => {
      const bytes = bytesIfThere(path);
      return bytes === undefined ? [] : [[path.slice(root.length + 1), bytes] as const];
    }),
  );
}

/** The bytes of a file; `undefined` if there is none. */
function bytesIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The texts of all files below a directory, by their paths in it, sorted. */
export const textsBelow = (root: string): Record<string, string> =>
  Object.fromEntries([...filesBelow(root)].map(([path, bytes]) => [path, bytes.toString("utf8")]));

/** Removes a directory and its contents, even if an exiting process keeps writing to it for a moment. */
export async function removeTree(path: string): Promise<void> {
  for (let tries = 50; ; tries--) {
    try {
      // The retries built into `rmSync` miss entries that were added in the meantime.
      return rmSync(path, { recursive: true, force: true });
    } catch (error) {
      if (tries === 0) throw error;
      await delay(100);
    }
  }
}

/** Writes the entries into a directory, in order; a name that ends in `/` creates an empty directory. */
export function fillDirectory(root: string, entries: Readonly<Record<string, Entry>>): void {
  for (const [name, entry] of Object.entries(entries)) {
    const path = join(root, name);
    mkdirSync(name.endsWith("/") ? path : dirname(path), { recursive: true });
    if (name.endsWith("/")) continue;
    if (typeof entry === "string" || entry instanceof Uint8Array) writeFileSync(path, entry);
    else if ("link" in entry) symlinkSync(entry.link, path);
    else linkSync(join(root, entry.hardLink), path);
  }
}
