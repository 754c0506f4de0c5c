/**
 * Folder locks, which allow only one batch at a time in a folder: a process that can't lock its folders refuses the
 * batch.
 */
import { join } from "node:path";
import * as z from "zod";
import { type Failed, failed } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { codeOf } from "../workspace/identity.js";
import { isInside } from "../workspace/pathText.js";
import { isElsewhere, type OwnerName, processOf } from "../workspace/process.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { attempt, type FileSystem, tryAll, unlinkIfThere } from "./fileSystem.js";
import { diskFailures } from "./sentences.js";

/** A lock that this process holds. */
export interface Lock {
  readonly ok: true;
  /** Never throws. If the lock file can't be removed, other processes stay locked out until this process ends. */
  release(): void;
}

/**
 * Locks a workspace's folders for a batch. `id`: the batch's id, which must be new. Never blocks. Writes the lock
 * before looking for other locks, so if two processes race, at least one sees the other's lock and fails.
 */
export function lockFolders(workspace: DiskWorkspace, id: string): Lock | Failed {
  const { files, state, owners, folders } = workspace;
  const path = join(state, `${owners.self}.${id}.claim`);
  writeLock(files, path, JSON.stringify({ folders }));
  ownLocks.add(id);
  const release = (): void => {
    ownLocks.delete(id);
    tryAll([() => unlinkIfThere(files, path)]);
  };
  let other: FoundLock | undefined;
  try {
    other = otherLock(workspace, id);
  } catch (error) {
    release();
    throw error;
  }
  if (other === undefined) return { ok: true, release };
  release();
  return failed(
    diskFailures.busy(isElsewhere(other.owner, owners.self) ? { claim: other.path } : { pid: processOf(other.owner) }),
  );
}

/**
 * Writes a lock file. On a full disk, the file stays empty and therefore locks all folders, but recovery can still end
 * batches.
 */
function writeLock(files: FileSystem, path: string, text: string): void {
  try {
    try {
      files.make(`${path}.new`, Buffer.from(text), 0o600);
    } catch (error) {
      if (codeOf(error) !== "ENOSPC" || files.look(`${path}.new`) === undefined) throw error;
    }
    files.rename(`${path}.new`, path);
  } catch (error) {
    // An error here is ignored, because the original error is more informative. If the file stays, a later attempt to
    // take a lock removes it.
    tryAll([() => unlinkIfThere(files, `${path}.new`)]);
    throw error;
  }
}

/** Returns the paths of the locks that processes elsewhere hold, so that nobody here can tell whether they live. */
export function foreignLocks(workspace: DiskWorkspace): string[] {
  const locks = attempt(() => listLocks(workspace)).value ?? [];
  return locks
    .filter(({ owner, isAlive }) => isAlive && isElsewhere(owner, workspace.owners.self))
    .map(({ path }) => path);
}

/** Reports whether a live process holds a lock with this id. */
export function isLocked(workspace: Pick<DiskWorkspace, "files" | "state" | "owners">, id: string): boolean {
  return listLocks(workspace).some((one) => one.id === id && one.isAlive);
}

/**
 * The ids of the locks that this process holds. Any other lock files of this process are stale: their locks have been
 * released.
 */
const ownLocks = new Set<string>();

const lockSchema = z.object({ folders: z.array(z.string()) });

interface FoundLock {
  readonly path: string;
  readonly owner: OwnerName;
  readonly id: string;
  readonly isAlive: boolean;
  /** `false` while the lock is being written: its owner has not yet looked for other locks and will see ours. */
  readonly isMade: boolean;
}

function listLocks({ files, state, owners }: Pick<DiskWorkspace, "files" | "state" | "owners">): FoundLock[] {
  return files.list(state).flatMap((entry) => {
    const [, owner, id, half] = /^([^.]+)\.([^.]+)\.claim(\.new)?$/.exec(entry) ?? [];
    const path = join(state, entry);
    const stat = owner === undefined ? undefined : files.look(path);
    if (owner === undefined || id === undefined || stat === undefined) return [];
    const isAlive = owner === owners.self ? ownLocks.has(id) : owners.isAlive(owner, owners.now() - stat.modified);
    return [{ path, owner, id, isAlive, isMade: half === undefined }];
  });
}

/**
 * Returns the lock of a live process on any of the workspace's folders. Also removes stale locks, which is safe
 * because their names are never reused.
 */
function otherLock(workspace: DiskWorkspace, ownId: string): FoundLock | undefined {
  const others = listLocks(workspace).filter(({ id }) => id !== ownId);
  for (const { path, isAlive } of others) {
    // A stale lock that can't be removed does no harm.
    if (!isAlive) tryAll([() => unlinkIfThere(workspace.files, path)]);
  }
  return others.find(({ path, isAlive, isMade }) => isAlive && isMade && overlaps(workspace, path));
}

/**
 * Reports whether a lock covers any of the workspace's folders. Returns `true` if the lock exists but can't be read.
 */
function overlaps({ files, folders }: DiskWorkspace, path: string): boolean {
  try {
    const { folders: others } = lockSchema.parse(JSON.parse(files.read(path, limits.journalBytes).toString()));
    return others.some((other) => folders.some((folder) => isInside(folder, other) || isInside(other, folder)));
  } catch (error) {
    return codeOf(error) !== "ENOENT";
  }
}
