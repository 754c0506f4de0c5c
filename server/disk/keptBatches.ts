/** Copies of finished batches, from which they can be undone later; treated as untrusted input when they are read. */
import { join } from "node:path";
import * as v from "valibot";
import { int, list } from "../dialect/schema.js";
import { limits } from "../text/limits.js";
import { sharedEnds } from "../text/lines.js";
import { hashOf } from "../workspace/files.js";
import { isInside } from "../workspace/pathText.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { attempt, unlinkIfThere } from "./fileSystem.js";
import {
  batchId,
  callerSchema,
  type HelpedEntry,
  hashSchema,
  helpedEntries,
  type Journal,
  modeSchema,
  openJournals,
  pathSchema,
  unsealed,
  writeSealed,
} from "./journal.js";
import { liveLocks } from "./lock.js";
import { diskSentences } from "./sentences.js";

/** A finished batch whose old files are kept. */
export interface KeptBatch {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The caller's label for the batch. */
  readonly label: string;
  /** The agent that sent the call; `undefined` if it is unknown. */
  readonly by: v.InferOutput<typeof callerSchema> | undefined;
  /** The folder in which the batch was made, as an absolute path. */
  readonly folder: string;
  /** `true` if all files are in the workspace's folders; otherwise, the batch can't be undone in this workspace. */
  readonly isInside: boolean;
  /** Absolute paths of all names that the batch changed, the old names of moved files included. */
  readonly paths: readonly string[];
  /** Absolute paths of the changed files; of moved files, the new paths. */
  readonly changed: readonly string[];
  /** The files before and after the batch; `undefined` if the batch has been undone. */
  readonly files: readonly KeptChange[] | undefined;
  /** Absolute paths of the directories that the batch created, parents first. */
  readonly directories: readonly string[];
}

/** A name that a batch changed, with its file before and after the batch. */
export interface KeptChange {
  readonly path: string;
  /** `undefined` if the name was free. `mode`: the permission bits. */
  readonly before: { readonly bytes: Buffer; readonly hash: string; readonly mode: number } | undefined;
  /** `undefined` if the name became free. */
  readonly after: { readonly bytes: Buffer } | undefined;
  /** The file's former path, if the batch moved the file to this name. */
  readonly movedFrom: string | undefined;
}

/** The parts of a workspace needed to work with kept batches. */
type Keeper = Pick<DiskWorkspace, "files" | "owners" | "state" | "batches">;

/** Keeps a committed batch, or notes that one was undone, as its journal says, while its helper files exist. */
export function settleKept(workspace: DiskWorkspace, journal: Journal): void {
  const { onCommit } = journal;
  if (onCommit === undefined) return;
  attempt(() =>
    onCommit.kind === "keep" ? keepBatch(workspace, journal, onCommit) : markUndone(workspace, onCommit.id),
  );
}

function keepBatch(
  workspace: DiskWorkspace,
  journal: Journal,
  { folder, by, moves }: Extract<Journal["onCommit"], { kind: "keep" }>,
): void {
  const { files, owners, batches } = workspace;
  if (openJournals({ files, owners, state: batches }) !== undefined) return;
  const listed = listKept(workspace);
  if (listed.some(({ id }) => id === journal.id)) return;
  const entries = copyEntries(workspace, journal, moves);
  if (entries === undefined) return;
  // A clock that was set back must not change the order of the batches.
  const now = owners.now();
  const recent = listed.filter((one) => one.at - now <= limits.keptMs);
  const at = Math.max(now, ...recent.map((one) => one.at + 1));
  const { id, label, directories } = journal;
  const isGone = (index: number): boolean => entries[index]?.after === null && moves.some(([from]) => from === index);
  const changed = entries.flatMap(({ path }, index) => (isGone(index) ? [] : [path]));
  write(workspace, { version: 1, id, at, folder, label, by, changed, directories, state: "applied", entries });
  pruneKept(workspace);
}

/** Copies the old files and describes the new ones; `undefined` if too large, or not as the journal says. */
function copyEntries(
  { files, state }: DiskWorkspace,
  journal: Journal,
  moves: readonly (readonly [number, number])[],
): KeptEntry[] | undefined {
  const helped = helpedEntries(state, journal);
  const oldFiles = helped.map((entry) => (entry.before === null ? undefined : oldFileOf(entry)));
  const sizes = oldFiles.map((path) => (path === undefined ? 0 : (files.look(path)?.size ?? Number.POSITIVE_INFINITY)));
  if (sizes.reduce((sum, size) => sum + size, 0) > limits.keptBytes) return undefined;
  const olds = oldFiles.map((path) => (path === undefined ? undefined : files.read(path, limits.fileBytes)));
  const entries = helped.flatMap(({ path, way, before, after }, index): KeptEntry[] => {
    const old = olds[index];
    if (before !== null && (old === undefined || hashOf(old) !== before.hash)) return [];
    const mode = files.look(way === "inPlace" ? path : (oldFiles[index] ?? path))?.mode ?? 0o600;
    const kept =
      old === undefined || before === null ? null : { bytes: old.toString("base64"), hash: before.hash, mode };
    if (after === null) return [{ path, before: kept, after: null }];
    const now = files.read(path, limits.fileBytes);
    if (hashOf(now) !== after.hash) return [];
    const from = moves.find(([, to]) => to === index)?.[0];
    return [{ path, before: kept, after: { hash: after.hash, from, ...differenceOf(olds[from ?? index], now) } }];
  });
  return entries.length === helped.length ? entries : undefined;
}

function oldFileOf({ way, kept, oldCopy }: HelpedEntry): string {
  return way === "inPlace" ? oldCopy : kept;
}

/** Describes new bytes by the numbers of bytes at the start and the end that are as in the old ones, and the rest. */
function differenceOf(old: Uint8Array = Buffer.alloc(0), now: Buffer): ByteDifference {
  const { head, tail } = sharedEnds(old, now);
  return { head, tail, middle: now.subarray(head, now.length - tail).toString("base64") };
}

function newBytesOf(old: Buffer = Buffer.alloc(0), { head, tail, middle }: ByteDifference): Buffer {
  return Buffer.concat([old.subarray(0, head), Buffer.from(middle, "base64"), old.subarray(old.length - tail)]);
}

/** Reports whether a batch is kept. Does not read it. */
export function isKept(keeper: Keeper, id: string): boolean {
  return attempt(() => listKept(keeper).some((one) => one.id === id)).value === true;
}

/** Notes that a batch has been undone, and removes the copies of its files. Does nothing if the batch is not kept. */
export function markUndone(keeper: Keeper, id: string): void {
  const file = listKept(keeper).find((one) => one.id === id);
  const stored = file && readStored(keeper, file);
  if (stored?.state !== "applied") return;
  const { entries, ...rest } = stored;
  write(keeper, { ...rest, state: "undone", entries: entries.map(({ path }) => ({ path })) });
}

/** Writes or replaces a kept batch. When the call returns, the file is safely on the disk. */
function write({ files, batches }: Keeper, stored: Stored): void {
  writeSealed(files, join(batches, nameOf(stored)), storedSchema, stored);
}

/** The name of a kept batch's file. It has all that is needed to find out which files are too many or too old. */
function nameOf({ id, at, folder }: Pick<Stored, "id" | "at" | "folder">): string {
  return `${keyOf(folder)}-${String(at).padStart(15, "0")}-${id}.batch`;
}

/** The part of the name that the batches of one folder share. */
const keyOf = (folder: string): string => hashOf(folder).slice(0, 16);

interface KeptFileName {
  readonly path: string;
  readonly name: string;
  readonly key: string;
  readonly at: number;
  readonly id: string;
}

/** Returns the files of the kept batches, oldest first. */
function listKept({ files, batches }: Keeper): KeptFileName[] {
  if (files.look(batches)?.kind !== "directory") return [];
  const names = files.list(batches).flatMap((name): KeptFileName[] => {
    const [, key, at, id] = /^([0-9a-f]{16})-(\d{15})-([0-9a-f]{16})\.batch$/.exec(name) ?? [];
    if (key === undefined || id === undefined) return [];
    return [{ path: join(batches, name), name, key, at: Number(at), id }];
  });
  return names.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
}

/** Removes kept batches that are too old, too many for their folder or too large in all, oldest first. */
export function pruneKept(keeper: Keeper): void {
  const { files, owners, batches } = keeper;
  const now = owners.now();
  const counts = new Map<string, number>();
  let bytes = 0;
  attempt(() => {
    const tooMany = listKept(keeper)
      .toReversed()
      .filter(({ path, key, at }) => {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        bytes += files.look(path)?.size ?? 0;
        const isOld = Math.abs(now - at) > limits.keptMs;
        return isOld || (counts.get(key) ?? 0) > limits.keptBatches || bytes > limits.keptBytes;
      });
    for (const { path } of tooMany) attempt(() => unlinkIfThere(files, path));
    sweepHalves(keeper, batches);
  });
}

/** Removes the files that a process was writing when it was killed. */
function sweepHalves({ files, owners, state }: Keeper, batches: string): void {
  if (files.look(batches)?.kind !== "directory") return;
  const halves = files.list(batches).flatMap((name) => {
    const id = /-([0-9a-f]{16})\.batch\.new$/.exec(name)?.[1];
    return id === undefined ? [] : [{ path: join(batches, name), id }];
  });
  const live = halves.length === 0 ? undefined : liveLocks({ files, owners, state });
  for (const { path, id } of halves) if (live?.has(id) !== true) attempt(() => unlinkIfThere(files, path));
}

/** Returns the kept batches, oldest first, and a sentence about each file that can't be read or trusted. */
export function readKept(workspace: DiskWorkspace): {
  readonly batches: readonly KeptBatch[];
  readonly problems: readonly string[];
} {
  const { files, batches: directory } = workspace;
  if (attempt(() => files.look(directory)).value === undefined) return { batches: [], problems: [] };
  pruneKept(workspace);
  const batches: KeptBatch[] = [];
  const problems: string[] = [];
  for (const file of attempt(() => listKept(workspace)).value ?? []) {
    const stored = attempt(() => readStored(workspace, file)).value;
    const batch = stored && toKept(workspace, stored);
    if (batch === undefined) problems.push(diskSentences.badKept(file.path));
    else batches.push(batch);
  }
  return { batches, problems };
}

/** Removes the batches that were made in the workspace's folders, or that changed only files in them. */
export function clearKept(workspace: DiskWorkspace): number {
  const { files, folders } = workspace;
  const own = new Set(
    readKept(workspace).batches.flatMap(({ id, folder, isInside: isOwn }) =>
      isOwn || folders.some((one) => isInside(one, folder)) ? [id] : [],
    ),
  );
  const keys = new Set(folders.map(keyOf));
  const listed = listKept(workspace).filter(({ id, key }) => own.has(id) || keys.has(key));
  for (const { path } of listed) unlinkIfThere(files, path);
  return listed.length;
}

/** Reads a kept batch and checks its owner, form and checksum. Returns `undefined` if it can't be trusted. */
function readStored({ files, owners }: Keeper, { path, name }: KeptFileName): Stored | undefined {
  const stat = files.look(path);
  const isOurs = owners.user === undefined || (stat?.owner === owners.user && (stat.mode & 0o077) === 0);
  if (stat?.kind !== "file" || !isOurs || stat.size > limits.keptBytes) return undefined;
  const stored = unsealed(storedSchema, files.read(path, limits.keptBytes));
  return stored !== undefined && nameOf(stored) === name ? stored : undefined;
}

function toKept({ folders, state, batches }: DiskWorkspace, stored: Stored): KeptBatch | undefined {
  const { id, at, label, by, folder, directories, changed } = stored;
  const paths = stored.entries.map(({ path }) => path);
  const names = [...paths, ...directories];
  if (names.some((name) => isInside(state, name) || isInside(batches, name))) return undefined;
  const files = stored.state === "applied" ? toChanges(stored.entries) : undefined;
  if (stored.state === "applied" && files === undefined) return undefined;
  const isAllInside = names.every((name) => folders.some((one) => isInside(one, name)));
  return { id, at, label, by, folder, isInside: isAllInside, paths, changed, files, directories };
}

/** Rebuilds the bytes of all files. Returns `undefined` if some bytes do not have the hash that is stored for them. */
function toChanges(entries: readonly KeptEntry[]): KeptChange[] | undefined {
  const olds = entries.map(({ before }) => (before === null ? undefined : Buffer.from(before.bytes, "base64")));
  const changes = entries.flatMap(({ path, before, after }, index): KeptChange[] => {
    const bytes = olds[index];
    if (before !== null && (bytes === undefined || hashOf(bytes) !== before.hash)) return [];
    const old = before === null || bytes === undefined ? undefined : { bytes, hash: before.hash, mode: before.mode };
    if (after === null) return [{ path, before: old, after: undefined, movedFrom: undefined }];
    const now = newBytesOf(olds[after.from ?? index], after);
    const movedFrom = after.from === undefined ? undefined : entries[after.from]?.path;
    if (hashOf(now) !== after.hash || (after.from !== undefined && movedFrom === undefined)) return [];
    return [{ path, before: old, after: { bytes: now }, movedFrom }];
  });
  return changes.length === entries.length ? changes : undefined;
}

/** A number of bytes of a file. */
const length = v.pipe(int(), v.minValue(0), v.maxValue(limits.fileBytes));

const difference = {
  head: length,
  tail: length,
  /** The new bytes between the two, in base64. */
  middle: v.string(),
};

const entrySchema = v.strictObject({
  path: pathSchema,
  /** `null` if the name was free. `bytes` is in base64. */
  before: v.nullable(v.strictObject({ bytes: v.string(), hash: hashSchema, mode: modeSchema })),
  /**
   * `null` if the name became free. `from`: the index of the entry whose old file was moved to this name. `head`,
   * `middle` and `tail` describe the new bytes; the head and the tail come from that old file or, if no file was moved,
   * from the old file of this name.
   */
  after: v.nullable(
    v.strictObject({ hash: hashSchema, from: v.optional(v.pipe(int(), v.minValue(0))), ...difference }),
  ),
});

type KeptEntry = v.InferOutput<typeof entrySchema>;

type ByteDifference = Pick<NonNullable<KeptEntry["after"]>, keyof typeof difference>;

const common = {
  version: v.literal(1),
  id: batchId,
  /** Milliseconds since 1970. */
  at: v.pipe(int(), v.minValue(0), v.maxValue(999_999_999_999_999)),
  folder: pathSchema,
  label: v.pipe(v.string(), v.maxLength(limits.label)),
  by: v.optional(callerSchema),
  /** The changed files; of moved files, the new paths. */
  changed: list(pathSchema),
  directories: list(pathSchema),
};

const storedSchema = v.union([
  v.strictObject({ ...common, state: v.literal("applied"), entries: list(entrySchema) }),
  v.strictObject({
    ...common,
    state: v.literal("undone"),
    entries: list(v.strictObject({ path: pathSchema })),
  }),
]);

type Stored = v.InferOutput<typeof storedSchema>;
