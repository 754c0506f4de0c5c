/** A folder on the real disk, and batches in it that are staged, committed or refused. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Committed, type Staged, stage } from "../../server/disk/commit.js";
import type { DiskChange } from "../../server/disk/diskChange.js";
import { type DiskWorkspace, diskWorkspace } from "../../server/disk/diskWorkspace.js";
import { type Entry, makeDirectory } from "../support/directory.js";

/** A folder with files, and a state directory beside it. */
export interface Site {
  readonly root: string;
  readonly workspace: DiskWorkspace;
  path(name: string): string;
  text(name: string): string;
  /** The names in the folder, sorted. */
  names(): string[];
}

/** Lays out a folder; `more`: other parts of the workspace. */
export function site(entries: Readonly<Record<string, Entry>>, more: Partial<DiskWorkspace> = {}): Site {
  const under = Object.fromEntries(Object.entries(entries).map(([name, entry]) => [`ws/${name}`, entry]));
  const root = makeDirectory({ "ws/": "", ...under });
  const folder = join(root, "ws");
  const workspace = diskWorkspace([folder], { state: join(root, "state"), swapFiles: [join(root, "swap")], ...more });
  const path = (name: string): string => join(folder, name);
  return {
    root,
    workspace,
    path,
    text: (name) => readFileSync(path(name), "utf8"),
    names: () => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort(),
  };
}

/** SHA-256 of a text, in hex. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** A change to a file's text. */
export function update({ path }: Site, name: string, before: string, after: string): DiskChange {
  return { kind: "update", path: path(name), name, hash: hashOf(before), content: { text: after } };
}

/** Stages a batch that must not be refused. */
export function staged(at: Site, changes: readonly DiskChange[]): Staged {
  const result = stage(at.workspace, changes, "a batch");
  if (!result.ok) throw new Error(result.failures.map(({ message }) => message).join("\n"));
  return result;
}

/** Commits a batch that must not be refused. */
export function committed(at: Site, changes: readonly DiskChange[]): Committed {
  const result = staged(at, changes).commit();
  if (result.outcome !== "applied") throw new Error(result.failure.message);
  return result;
}

/** The codes and paths of the failures reported for a batch that must be refused. */
export function refused(at: Site, changes: readonly DiskChange[]): (readonly [string, string | undefined])[] {
  const result = stage(at.workspace, changes, "a batch");
  if (result.ok) throw new Error("it was not refused");
  return result.failures.map(({ code, path }) => [code, path]);
}
