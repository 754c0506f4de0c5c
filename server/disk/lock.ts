/** One batch at a time a workspace: a process says which folders it writes in, and goes back where another one says so, too. */

import { join } from "node:path";
import * as z from "zod";
import { type Failed, failed } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { codeOf } from "../workspace/identity.js";
import { isInside } from "../workspace/pathText.js";
import { type OwnerName, processOf } from "../workspace/process.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { type FileSystem, tryAll, unlinkIfThere } from "./fileSystem.js";
import { diskFailures } from "./sentences.js";

/** A claim that is held. */
export interface Lock {
  readonly ok: true;
  /** Never throws: a claim that can't be taken away ends with the process. */
  release(): void;
}

/** Says it first and looks then: of two that do so at once at least one sees the other, and nobody waits. `id` is a new one. */
export function lockFolders(workspace: DiskWorkspace, id: string): Lock | Failed {
  const { files, state, owners, folders } = workspace;
  const path = join(state, `${owners.self}.${id}.claim`);
  writeLock(files, path, JSON.stringify({ folders }));
  held.add(id);
  const release = (): void => {
    held.delete(id);
    tryAll([() => unlinkIfThere(files, path)]);
  };
  let other: OwnerName | undefined;
  try {
    other = otherLock(workspace, id);
  } catch (error) {
    release();
    throw error;
  }
  if (other === undefined) return { ok: true, release };
  release();
  return failed(diskFailures.busy(processOf(other)));
}

/** On a full disk it is empty, as a claim on everything: what was cut off there has to be ended all the same. */
function writeLock(files: FileSystem, path: string, text: string): void {
  try {
    try {
      files.make(`${path}.new`, Buffer.from(text), 0o600);
    } catch (error) {
      if (codeOf(error) !== "ENOSPC" || files.look(`${path}.new`) === undefined) throw error;
    }
    files.rename(`${path}.new`, path);
  } catch (error) {
    try {
      unlinkIfThere(files, `${path}.new`);
    } catch {
      // The first error tells more, and whoever comes next takes it away.
    }
    throw error;
  }
}

/** Whether a living process has a claim of this id. */
export function isLocked(workspace: DiskWorkspace, id: string): boolean {
  return listLocks(workspace).some((one) => one.id === id && one.isAlive);
}

/** The claims of this process: what the disk has of it beside these could not be taken away. */
const held = new Set<string>();

const lockSchema = z.object({ folders: z.array(z.string()) });

interface FoundLock {
  readonly path: string;
  readonly owner: OwnerName;
  readonly id: string;
  readonly isAlive: boolean;
  /** `false`: it is being written, so that its owner has not looked around yet and will see ours. */
  readonly isMade: boolean;
}

function listLocks({ files, state, owners }: DiskWorkspace): FoundLock[] {
  return files.list(state).flatMap((entry) => {
    const [, owner, id, half] = /^([^.]+)\.([^.]+)\.claim(\.new)?$/.exec(entry) ?? [];
    const path = join(state, entry);
    const stat = owner === undefined ? undefined : files.look(path);
    if (owner === undefined || id === undefined || stat === undefined) return [];
    const isAlive = owner === owners.self ? held.has(id) : owners.isAlive(owner, owners.now() - stat.modified);
    return [{ path, owner, id, isAlive, isMade: half === undefined }];
  });
}

/** A living process that writes in the same folders. Claims of dead ones are taken away: their names never come again. */
function otherLock(workspace: DiskWorkspace, ownId: string): OwnerName | undefined {
  const others = listLocks(workspace).filter(({ id }) => id !== ownId);
  // One that can't be taken away stands in nobody's way.
  tryAll(
    others
      .filter(({ isAlive }) => !isAlive)
      .map(
        ({ path }) =>
          () =>
            unlinkIfThere(workspace.files, path),
      ),
  );
  return others.find(({ path, isAlive, isMade }) => isAlive && isMade && overlaps(workspace, path))?.owner;
}

/** A claim that can't be read may be about the same folders. */
function overlaps({ files, folders }: DiskWorkspace, path: string): boolean {
  try {
    const { folders: others } = lockSchema.parse(JSON.parse(files.read(path, limits.journalBytes).toString()));
    const isIn = (a: string, b: string): boolean => isInside(a, b, process.platform);
    return others.some((other) => folders.some((folder) => isIn(folder, other) || isIn(other, folder)));
  } catch (error) {
    return codeOf(error) !== "ENOENT";
  }
}
