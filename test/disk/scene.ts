/** Small batches on in-memory disks, step by step, for tests of individual crashes and refusals. */
import { stage } from "../../server/disk/commit.js";
import type { DiskChange } from "../../server/disk/diskChange.js";
import type { FileSystem } from "../../server/disk/fileSystem.js";
import { type Recovered, recover } from "../../server/disk/recover.js";
import { type MemoryDisk, memoryDisk, PowerCut } from "./memoryDisk.js";
import { workspaceFolder } from "./plans.js";
import { workspaceOn } from "./simulation.js";

/** The path for a name in the folder. */
export const at = (name: string): string => `${workspaceFolder}/${name}`;
/** The journal directory. */
export const state = "/state/multi-edit";
/** A change that updates a file's text. */
export const update = (name: string, text: string): DiskChange => ({
  kind: "update",
  path: at(name),
  name,
  content: { text },
});
/** A new file. */
export const create = (name: string, text: string): DiskChange => ({
  kind: "create",
  path: at(name),
  name,
  content: { text },
});
/** A change that deletes a file. */
export const remove = (name: string): DiskChange => ({ kind: "delete", path: at(name), name });

/** A change that moves a file to a new name. */
export const move = (name: string, target: string): DiskChange => ({
  kind: "rename",
  path: at(name),
  name,
  target: at(target),
  targetName: target,
});

/** Runs before each step and may throw. `isCommitting`: `true` once the batch is staged. */
export type Before = (what: string, isCommitting: boolean, disk: MemoryDisk) => void;

/** The result of running a batch. */
export interface Scene {
  readonly disk: MemoryDisk;
  /** The outcome and its message; `undefined` if the batch was killed. */
  readonly told: readonly [outcome: string, message: string] | undefined;
}

/** Stages and commits a batch on a disk with these texts; `links` are additional names of files. */
export function play(
  texts: Readonly<Record<string, string>>,
  changes: readonly DiskChange[],
  {
    before,
    links = {},
    between,
  }: { before?: Before; links?: Record<string, string>; between?: (disk: MemoryDisk) => void },
): Scene {
  const files = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [at(name), { bytes: Buffer.from(text) }]),
  );
  const linked = Object.fromEntries(Object.entries(links).map(([name, to]) => [at(name), at(to)]));
  let [isCommitting, isCut] = [false, false];
  const trouble = (_: number, what: string): void => {
    if (isCut) throw new PowerCut();
    try {
      before?.(what, isCommitting, disk);
    } catch (error) {
      isCut = error instanceof PowerCut;
      throw error;
    }
  };
  const layout = { files, links: linked, directories: [] };
  const disk: MemoryDisk = memoryDisk(layout, { copiesAttributes: true }, { before: trouble });
  const staged = stage(workspaceOn(disk), changes, "a batch");
  if (!staged.ok) throw new Error(staged.failures.map(({ message }) => message).join("\n"));
  between?.(disk);
  isCommitting = true;
  try {
    const committed = staged.commit();
    if (committed.outcome === "applied") committed.finish();
    isCommitting = false;
    return { disk, told: [committed.outcome, committed.outcome === "applied" ? "" : committed.failure.message] };
  } catch (error) {
    if (!(error instanceof PowerCut)) throw error;
    return { disk: disk.afterKill(), told: undefined };
  }
}

/** Accepts the nth step of a kind during the commit, counted from 1. */
export function nth(count: number, isIt: (what: string) => boolean): (what: string, isCommitting: boolean) => boolean {
  let seen = 0;
  return (what, isCommitting) => isCommitting && isIt(what) && ++seen === count;
}

/** Reports whether a step syncs the journal directory. */
export const isStateSync = (what: string): boolean => what === `sync ${state}`;
/** Reports whether a step starts to write a journal, whatever state the journal records. */
export const isCommitRecord = (what: string): boolean => what.startsWith("make ") && what.endsWith(".journal.new");
/** Loses all unsynced data. */
export const forgetful = (): number => 1;

/** The texts in the folder by name, including any temporary files of the batch. */
export function textsOf(disk: MemoryDisk): Readonly<Record<string, string>> {
  const files = [...disk.tree(workspaceFolder)].flatMap(([path, text]) => (text === undefined ? [] : [[path, text]]));
  return Object.fromEntries(files.map(([path = "", text = ""]) => [path.slice(at("").length), text.slice(4)]));
}

/** The next process's report on each batch that it finds. */
export const recovered = (disk: MemoryDisk): readonly Recovered[] => recover(workspaceOn(disk)).batches;

/** Renames a directory with its contents. */
export function moveDirectory(disk: MemoryDisk, from: string, to: string): void {
  disk.makeDirectory(at(to), 0o755);
  for (const name of disk.list(at(from))) disk.rename(at(`${from}/${name}`), at(`${to}/${name}`));
  disk.removeDirectory(at(from));
}

/** Gives a file other bytes, whatever it has. */
export function overwrite(disk: FileSystem, path: string, bytes: Uint8Array): void {
  disk.fill(path, bytes, disk.read(path, Number.POSITIVE_INFINITY));
}
