/** Checks every name that a batch would change and reports all problems together, before anything is written. */
import { basename, dirname, join } from "node:path";
import { type Failed, type Failure, failed } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { decodeBytes, encodeText, hashOf, readFailure } from "../workspace/files.js";
import { isInside } from "../workspace/pathText.js";
import { fileProblems, pathFailures, staleFailures, staleProblems } from "../workspace/sentences.js";
import type { Slot } from "./diskChange.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { attempt, type FileStat } from "./fileSystem.js";
import { holderOf, type Listings, manyFiles } from "./holders.js";
import type { JournalEntry } from "./journal.js";
import { diskFailures } from "./sentences.js";

/** A snapshot of a file, taken before the batch changes anything. */
export interface Before {
  readonly stat: FileStat;
  readonly bytes: Buffer;
  /** SHA-256 of the bytes, in hex. */
  readonly hash: string;
}

/** A name that a batch changes, with its file before and after the batch. */
export interface DiskTarget {
  readonly slot: Slot;
  /** The device number of the parent directory or, if that does not exist, of its nearest existing ancestor. */
  readonly device: string;
  /** The way the name changes. For a file that keeps its name, staging may still change `replace` to `inPlace`. */
  readonly way: JournalEntry["way"];
  /** `undefined` if the name is free before the batch. */
  readonly before: Before | undefined;
  /** `undefined` if the name is free after the batch. */
  readonly after: After | undefined;
}

/** The file that a name will refer to after the batch. */
export interface After {
  /** SHA-256, in hex. */
  readonly hash: string;
  /** The new bytes; `undefined` if the file keeps the bytes of `source`. */
  readonly bytes: Buffer | undefined;
  /** The existing file that is moved, edited, or both; `undefined` for a new file. */
  readonly source: { readonly path: string; readonly before: Before } | undefined;
  /** The permission bits of a new file, as for `chmod`; `undefined` for the process's default. */
  readonly mode: number | undefined;
}

/** The names that a batch changes and the directories that it creates, parents first; or why it is refused. */
export type Preflight =
  | { readonly ok: true; readonly targets: readonly DiskTarget[]; readonly directories: readonly string[] }
  | { readonly ok: false; readonly failures: readonly Failure[] };

/** Checks a batch, reading each of its files once, as bytes. Omits names that the batch would not change. */
export function preflight(workspace: DiskWorkspace, slots: readonly Slot[]): Preflight {
  const budget: Budget = { bytes: 0, listings: slots.length < manyFiles ? undefined : new Map() };
  const read = forEach(slots, (slot) => examine(workspace, slot, budget));
  if (!read.ok) return read;
  const befores = new Map(slots.map(({ path }, i) => [path, read.results[i]?.before]));
  const aimed = forEach(slots, (slot) => aim(workspace, slot, befores));
  if (!aimed.ok) return aimed;
  const changed = aimed.results.filter(
    ({ target: { slot, before, after } }) => after?.source?.path !== slot.path || after.hash !== before?.hash,
  );
  const directories = new Set(changed.flatMap(({ missing }) => missing));
  return { ok: true, targets: changed.map(({ target }) => target), directories: [...directories].sort() };
}

/** The bytes read so far, and the listings made so far; `undefined` for a batch of few files. */
interface Budget {
  bytes: number;
  readonly listings: Listings | undefined;
}

/** Calls `act` for each slot. Returns all results or, if any call fails or is refused by the system, all failures. */
function forEach<T extends { readonly ok: true }>(
  slots: readonly Slot[],
  act: (slot: Slot) => T | Failed,
): { readonly ok: true; readonly results: readonly T[] } | { readonly ok: false; readonly failures: Failure[] } {
  const results: T[] = [];
  const failures: Failure[] = [];
  for (const slot of slots) {
    const { value, code } = attempt(() => act(slot));
    if (value?.ok === true) results.push(value);
    else failures.push(value?.failure ?? readFailure(slot.name, code ?? "EIO"));
  }
  return failures.length > 0 ? { ok: false, failures } : { ok: true, results };
}

/** Reads the file under a name. Fails if it is not the file that the plan expects, or if it must not be changed. */
function examine(
  workspace: DiskWorkspace,
  { path, name, before: expected }: Slot,
  budget: Budget,
): { readonly ok: true; readonly before: Before | undefined } | Failed {
  const { files, folders, state } = workspace;
  if (!folders.some((folder) => isInside(folder, path))) return failed(pathFailures.outsideWorkspace(name, folders));
  if (isInside(state, path)) return failed(pathFailures.ownFolder(name));
  const stat = files.look(path);
  const moved = (problem: string): Failed => failed(staleFailures.contentModified({ path: name }, problem));
  if (stat === undefined) {
    if (expected !== undefined) return moved(staleProblems.fileChanged);
    // An editor may have a new, unsaved document with this name.
    const holder = holderOf(workspace, path, budget.listings);
    return holder === undefined ? { ok: true, before: undefined } : failed(diskFailures.locked(name, holder));
  }
  if (stat.kind === "directory") return failed(pathFailures.isDirectory(name));
  if (expected === undefined) return moved(staleProblems.nameTaken);
  if (stat.kind !== "file") return failed(pathFailures.ioError(name, fileProblems.notRegular(stat.kind)));
  if (stat.size > limits.fileBytes) return failed(pathFailures.tooLarge(name, stat.size, limits.fileBytes, "bytes"));
  budget.bytes += stat.size;
  if (budget.bytes > limits.callFileBytes) return failed(diskFailures.tooMuchChanged(name, budget.bytes));
  const holder = holderOf(workspace, path, budget.listings);
  if (holder !== undefined) return failed(diskFailures.locked(name, holder));
  const bytes = files.read(path, limits.fileBytes);
  const hash = hashOf(bytes);
  if (expected.hash !== undefined && expected.hash !== hash) return moved(staleProblems.fileChanged);
  return { ok: true, before: { stat, bytes, hash } };
}

/** Snapshots of the files before the batch, by path; `undefined` for a free name. */
type Befores = ReadonlyMap<string, Before | undefined>;

/** Decides which file a name refers to and how it changes. `missing`: directories to create, deepest first. */
function aim(
  workspace: DiskWorkspace,
  slot: Slot,
  befores: Befores,
): { readonly ok: true; readonly target: DiskTarget; readonly missing: readonly string[] } | Failed {
  const { files, owners } = workspace;
  const { path, name } = slot;
  const before = befores.get(path);
  const missing: string[] = [];
  let directory = dirname(path);
  let stat = files.look(directory);
  for (; stat?.kind !== "directory"; stat = files.look(directory)) {
    if (stat !== undefined) return failed(pathFailures.ioError(name, fileProblems.system("ENOTDIR")));
    missing.push(directory);
    directory = dirname(directory);
  }
  // The system checks a name's length only in an existing directory, so each name is looked up in the nearest one.
  if (missing.length > 0) for (const below of [path, ...missing]) files.look(join(directory, basename(below)));
  const result = afterOf(slot, befores);
  if (!result.ok) return result;
  const { after } = result;
  const isOwn = after?.source?.path === path;
  if (isOwn && !files.mayWrite(path)) return failed(pathFailures.readOnly(name));
  const isTheirs = owners.user !== undefined && before?.stat.owner !== owners.user;
  // Only a write in place preserves the file's owner and other hard links, and it needs no write access to the
  // directory.
  const isFixed = isOwn && before !== undefined && (before.stat.links > 1 || isTheirs || !files.mayWrite(directory));
  if (!isFixed && !files.mayWrite(directory)) return failed(pathFailures.readOnly(name));
  const way = isFixed ? "inPlace" : before === undefined ? "create" : after === undefined ? "remove" : "replace";
  return { ok: true, target: { slot, device: stat.device, way, before, after }, missing };
}

function afterOf(
  { name, after }: Slot,
  befores: Befores,
): { readonly ok: true; readonly after: After | undefined } | Failed {
  if (after === undefined) return { ok: true, after: undefined };
  const { from, content, mode } = after;
  const before = from === undefined ? undefined : befores.get(from);
  const source = from === undefined || before === undefined ? undefined : { path: from, before };
  if (content === undefined) {
    if (source === undefined) throw new RangeError(`the new content of ${name} is unknown`);
    return { ok: true, after: { hash: source.before.hash, bytes: undefined, source, mode } };
  }
  const isText = "text" in content;
  const decoded = isText && source !== undefined ? decodeBytes(source.before.bytes) : newFile;
  if (!decoded.ok) return failed(pathFailures.unsupportedEncoding(name, decoded.problem));
  const bytes = isText ? encodeText(content.text, decoded) : Buffer.from(content.bytes);
  return { ok: true, after: { hash: hashOf(bytes), bytes, source, mode } };
}

/** The encoding of a new file's text. */
const newFile = { ok: true, encoding: "utf-8", bom: false } as const;
