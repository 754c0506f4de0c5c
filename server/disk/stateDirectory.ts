/** Where the journals are: outside every workspace and closed to everybody else, so that no agent can write one. */
import { dirname, isAbsolute, join } from "node:path";
import type { Failure } from "../plan/failure.js";
import { codeOf } from "../workspace/identity.js";
import { fileProblems } from "../workspace/sentences.js";
import { type FileSystem, isSystemError, unlinkIfThere } from "./fileSystem.js";
import type { Owners } from "./owner.js";
import { diskFailures, diskProblems } from "./sentences.js";

/** Makes the directory where it is missing; a failure where others could write in it. */
export function openState(files: FileSystem, owners: Owners, state: string): Failure | undefined {
  if (!isAbsolute(state)) return diskFailures.state(state, diskProblems.stateRelative());
  try {
    makeAll(files, state);
    const problem = problemOf(files, owners, state);
    return problem === undefined ? undefined : diskFailures.state(state, problem);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return diskFailures.state(state, fileProblems.system(codeOf(error)));
  }
}

/** The same, and writes a file there and takes it away again, as a batch would. */
export function tryState(files: FileSystem, owners: Owners, state: string): Failure | undefined {
  const unfit = openState(files, owners, state);
  if (unfit !== undefined) return unfit;
  const probe = join(state, `${owners.self}.probe`);
  try {
    unlinkIfThere(files, probe);
    files.make(probe, Buffer.from("probe"), 0o600);
    files.sync(probe);
    files.unlink(probe);
    return undefined;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return diskFailures.state(state, fileProblems.system(codeOf(error)));
  }
}

/** Each directory is on the disk before what it will hold. */
function makeAll(files: FileSystem, path: string): void {
  if (files.look(path) !== undefined) return;
  makeAll(files, dirname(path));
  try {
    files.makeDirectory(path, 0o700);
  } catch (error) {
    // Another process was quicker.
    if (codeOf(error) !== "EEXIST") throw error;
  }
  files.sync(dirname(path));
}

function problemOf(files: FileSystem, owners: Owners, state: string): string | undefined {
  const stat = files.look(state);
  if (stat?.kind !== "directory") return diskProblems.stateNoDirectory();
  if (owners.user === undefined) return undefined;
  if (stat.owner !== owners.user) return diskProblems.stateOwner();
  return (stat.mode & 0o077) === 0 ? undefined : diskProblems.stateOpen(stat.mode);
}
