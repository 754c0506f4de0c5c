/** Locks, by which the batches of all processes take turns: one that finds a name locked waits or is refused. */
import { dirname, join } from "node:path";
import * as v from "valibot";
import { list } from "../dialect/schema.js";
import { type Failed, failed } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { codeOf } from "../workspace/identity.js";
import { isElsewhere, type OwnerName, processOf } from "../workspace/process.js";
import { gitParts } from "../workspace/protection.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { attempt, type FileSystem, unlinkIfThere } from "./fileSystem.js";
import { diskFailures } from "./sentences.js";

/** A lock that this process holds, or its turn to take one. */
export interface Lock {
  readonly ok: true;
  /** Never throws. If the lock file can't be removed, other processes stay locked out until this process ends. */
  release(): void;
}

/** The names and files that a lock covers. */
export type Claim = v.InferOutput<typeof claimSchema>;

const claimSchema = v.object({
  /** Absolute paths. Each covers everything below it, too. */
  paths: list(v.string()),
  /** The device and the inode of each file, because one file may have several names. */
  inodes: list(v.string()),
});

/** Returns the claim for names: with the topmost missing directories, and one name for parts of a Git directory. */
export function claimFor({ files }: DiskWorkspace, names: readonly string[]): Claim {
  const [paths, inodes] = [new Set<string>(), new Set<string>()];
  for (const name of names) {
    const stat = attempt(() => files.look(name)).value;
    if (stat !== undefined) inodes.add(`${stat.device}:${stat.inode}`);
    paths.add(stat === undefined ? topmostMissing(files, name) : name);
    if (stat !== undefined) continue;
    for (const { index } of name.matchAll(new RegExp(gitParts, "gi"))) paths.add(join(name.slice(0, index), "HEAD"));
  }
  return { paths: [...paths], inodes: [...inodes] };
}

/** Returns a path that does not exist, or the topmost directory above it that does not exist either. */
function topmostMissing(files: FileSystem, path: string): string {
  const above = dirname(path);
  return above === path || attempt(() => files.look(above)).value !== undefined ? path : topmostMissing(files, above);
}

/**
 * Takes a lock. `id`: the batch's id, which must be new. Never blocks. Writes the lock before looking for other locks,
 * so if two processes race, at least one sees the other's lock and fails. Also fails while another process that waits
 * for its turn was there earlier; `turn` is the id under which this process waits, if it does.
 */
export function takeLock(workspace: DiskWorkspace, id: string, claim: Claim, turn?: string): Lock | Failed {
  const lock = writeLock(workspace, `${id}.claim`, claim);
  try {
    const [other] = othersBefore(workspace, { id, turn }, claim);
    if (other === undefined) return lock;
    lock.release();
    const isForeign = isElsewhere(other.owner, workspace.owners.self);
    return failed(diskFailures.busy(isForeign ? { claim: other.path } : { pid: processOf(other.owner) }));
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Queues for a lock, by writing a file that asks later processes to wait. `id` must be new. */
export function queueUp(workspace: DiskWorkspace, id: string, claim: Claim): Lock {
  return writeLock(workspace, `${id}.turn`, claim);
}

/** Returns the lock files before a turn: of those that hold a lock, then of those that began to wait earlier. */
export function locksBefore(workspace: DiskWorkspace, id: string, claim: Claim): readonly string[] {
  return othersBefore(workspace, { id, turn: id }, claim).map(({ path }) => path);
}

/** Writes a lock file, whole at once. On a full disk, it stays empty and locks all, but recovery can go on. */
function writeLock({ files, state, owners }: DiskWorkspace, name: string, claim: Claim): Lock {
  const path = join(state, `${owners.self}.${name}`);
  try {
    try {
      files.make(`${path}.new`, Buffer.from(JSON.stringify(claim)), 0o600);
    } catch (error) {
      if (codeOf(error) !== "ENOSPC" || files.look(`${path}.new`) === undefined) throw error;
    }
    files.rename(`${path}.new`, path);
  } catch (error) {
    // An error here is ignored, because the original error is more informative. If the file stays, a later attempt to
    // take a lock removes it.
    attempt(() => unlinkIfThere(files, `${path}.new`));
    throw error;
  }
  ownLocks.add(name);
  return {
    ok: true,
    release() {
      ownLocks.delete(name);
      attempt(() => unlinkIfThere(files, path));
    },
  };
}

/** Returns the ids of the locks that live processes hold. Also removes stale locks. */
export function liveLocks(workspace: LockFolder): ReadonlySet<string> {
  return new Set(listLocks(workspace).flatMap(({ id, kind }) => (kind === "claim" ? [id] : [])));
}

/** Returns the paths of the locks that processes elsewhere hold, so that nobody here can tell whether they live. */
export function foreignLocks(workspace: DiskWorkspace): string[] {
  const locks = attempt(() => listLocks(workspace)).value ?? [];
  return locks.filter(({ owner }) => isElsewhere(owner, workspace.owners.self)).map(({ path }) => path);
}

/** The names, without the owner, of the locks that this process holds; its other lock files are stale. */
const ownLocks = new Set<string>();

interface FoundLock {
  readonly path: string;
  readonly owner: OwnerName;
  readonly id: string;
  /** `claim`: a lock. `turn`: a process waits for its turn to take one. */
  readonly kind: "claim" | "turn";
  /** The time at which it was written, in milliseconds since 1970. */
  readonly since: number;
  /** `false` while the lock is being written: its owner has not yet looked for other locks and will see ours. */
  readonly isMade: boolean;
}

/** The directory of the locks, and the processes that make them. */
type LockFolder = Pick<DiskWorkspace, "files" | "state" | "owners">;

/** Lists the locks of live processes. Removes stale ones, which is safe because their names are never reused. */
function listLocks({ files, state, owners }: LockFolder): FoundLock[] {
  return files.list(state).flatMap((entry): FoundLock[] => {
    const [, owner, id, kind, half] = /^([^.]+)\.([^.]+)\.(claim|turn)(\.new)?$/.exec(entry) ?? [];
    const path = join(state, entry);
    const stat = owner === undefined ? undefined : files.look(path);
    if (owner === undefined || id === undefined || stat === undefined) return [];
    const since = stat.modified;
    const isAlive = owner === owners.self ? ownLocks.has(`${id}.${kind}`) : owners.isAlive(owner, owners.now() - since);
    // A stale lock that can't be removed does no harm.
    if (!isAlive) attempt(() => unlinkIfThere(files, path));
    return isAlive
      ? [{ path, owner, id, kind: kind === "turn" ? kind : "claim", since, isMade: half === undefined }]
      : [];
  });
}

/** The ids of a process's own lock and of its turn; `undefined` if it is not waiting. */
interface OwnIds {
  readonly id: string;
  readonly turn: string | undefined;
}

/** Returns the locks of live processes that come before this one's; first those that are held, then in their order. */
function othersBefore(workspace: DiskWorkspace, { id, turn }: OwnIds, claim: Claim): FoundLock[] {
  const found = listLocks(workspace);
  const mine = found.find((one) => one.kind === "turn" && one.id === turn);
  const isEarlier = (one: FoundLock): boolean => mine === undefined || order(one, mine) < 0;
  return found
    .filter((one) => one.id !== id && one !== mine && one.isMade && (one.kind === "claim" || isEarlier(one)))
    .filter(({ path }) => overlaps(workspace, path, claim))
    .sort(order);
}

/** Compares two locks: held ones come first, then those of processes that wait, in the order of their arrival. */
function order(a: FoundLock, b: FoundLock): number {
  if (a.kind !== b.kind) return a.kind === "claim" ? -1 : 1;
  return a.since - b.since || (a.id < b.id ? -1 : 1);
}

/** Reports whether a lock covers any of a claim's names. Returns `true` if the lock exists but can't be read. */
function overlaps({ files }: DiskWorkspace, path: string, { paths, inodes }: Claim): boolean {
  try {
    const other = v.parse(claimSchema, JSON.parse(files.read(path, limits.journalBytes).toString()));
    const own = new Set(inodes);
    return (
      other.inodes.some((inode) => own.has(inode)) || anyInside(other.paths, paths) || anyInside(paths, other.paths)
    );
  } catch (error) {
    return codeOf(error) !== "ENOENT";
  }
}

/** Reports whether a claim covers a path. */
export function covers({ paths }: Claim, path: string): boolean {
  return anyInside(paths, [path]);
}

/** Reports whether one of the paths is one of `folders` or below one. */
function anyInside(folders: readonly string[], paths: readonly string[]): boolean {
  // Names that differ only in case or composition may be the same.
  const fold = (path: string): string => path.normalize("NFC").toLowerCase();
  const folded = new Set(folders.map(fold));
  return paths.some((path) => {
    let above = fold(path);
    while (!folded.has(above) && dirname(above) !== above) above = dirname(above);
    return folded.has(above);
  });
}
