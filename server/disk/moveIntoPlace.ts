/** Makes a prepared batch visible, name by name, each one looked at again right before; then writes that it is done. */

import type { Failure } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { hashOf } from "../workspace/files.js";
import { codeOf } from "../workspace/identity.js";
import { staleFailures, staleProblems } from "../workspace/sentences.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { type FileStat, giveBackBits, linkOrRename, syncDirectories } from "./fileSystem.js";
import { holderOf } from "./holders.js";
import { directoriesOf, type Journal, keptPath, stagedPath, writeJournal } from "./journal.js";
import type { DiskTarget } from "./preflight.js";
import { diskFailures, diskProblems } from "./sentences.js";
import type { Prepared, Progress } from "./stage.js";

/**
 * `undefined`: done, and written that it is. A failure: somebody else was quicker. Throws what the system refuses. In both
 * cases the journal tells what to take back.
 */
export function moveIntoPlace(
  workspace: DiskWorkspace,
  { journal, targets }: Pick<Prepared, "journal" | "targets">,
  progress: Progress,
): Failure | undefined {
  const { files } = workspace;
  writeJournal(workspace, { ...journal, state: "committing" });
  for (const directory of journal.directories) {
    progress.at = directory;
    makeDirectory(workspace, directory);
  }
  // Files come before others go, so that at no moment one of them has no name.
  const order = [...targets.keys()].sort((a, b) => rank(journal, a) - rank(journal, b));
  for (const index of order) {
    const target = targets[index] as DiskTarget;
    progress.at = target.slot.name;
    const failure =
      lookBeside(workspace, { journal, target, index }) ??
      lookAgain(workspace, target) ??
      changeName({ workspace, journal, target, index });
    if (failure !== undefined) return failure;
  }
  syncDirectories(files, directoriesOf(journal));
  for (const [index, { slot, before }] of targets.entries()) {
    progress.at = slot.name;
    // Somebody may have written into the old file after it was looked at and before it lost its name.
    const kept = keptPath(journal, index);
    const { way } = journal.entries[index] as Journal["entries"][number];
    if (way === "inPlace" || way === "create") continue;
    if (hashOf(files.read(kept, limits.fileBytes)) !== before?.hash) return movedOn(slot.name);
  }
  progress.at = undefined;
  writeJournal(workspace, { ...journal, state: "committed" });
  return undefined;
}

/** Where somebody else has just made it, it is as good as ours. */
function makeDirectory({ files }: DiskWorkspace, directory: string): void {
  try {
    files.makeDirectory(directory, 0o777);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

const rank = ({ entries }: Journal, index: number): number => (entries[index]?.way === "remove" ? 1 : 0);

const movedOn = (name: string, problem: string = staleProblems.fileChanged): Failure =>
  staleFailures.contentModified({ path: name }, problem);

/** Whether what a name has is still kept beside it: where a program that tidies up has taken it away, nothing could be given back. */
function lookBeside(
  { files }: DiskWorkspace,
  { journal, target, index }: { readonly journal: Journal; readonly target: DiskTarget; readonly index: number },
): Failure | undefined {
  if (journal.entries[index]?.way !== "replace" || files.look(keptPath(journal, index)) !== undefined) return undefined;
  return movedOn(target.slot.name, diskProblems.keptGone);
}

/** Whether a name still has what it had when the batch was staged. Its inode comes last, because that look is the shortest. */
function lookAgain(workspace: DiskWorkspace, { slot: { path, name }, before }: DiskTarget): Failure | undefined {
  const { files } = workspace;
  const now = files.look(path);
  if (before === undefined && now !== undefined) return movedOn(name, staleProblems.nameTaken);
  const isAsBefore = now?.kind === "file" && now.size === before?.stat.size && hasSameRights(now, before.stat);
  if (before !== undefined && !isAsBefore) return movedOn(name);
  const holder = holderOf(workspace, path);
  if (holder !== undefined) return diskFailures.locked(name, holder);
  if (before === undefined) return undefined;
  if (hashOf(files.read(path, limits.fileBytes)) !== before.hash) return movedOn(name);
  return files.look(path)?.inode === before.stat.inode ? undefined : movedOn(name);
}

/** Whoever may do more or less with the file by now is to find the next one so, too. */
function hasSameRights(now: FileStat, before: FileStat): boolean {
  return now.mode === before.mode && now.owner === before.owner && now.group === before.group;
}

function changeName(at: {
  readonly workspace: DiskWorkspace;
  readonly journal: Journal;
  readonly target: DiskTarget;
  readonly index: number;
}): Failure | undefined {
  const { workspace, journal, target, index } = at;
  const { files } = workspace;
  const { path, name } = target.slot;
  const staged = stagedPath(journal, index);
  switch (journal.entries[index]?.way) {
    case "create":
      try {
        linkOrRename(files, staged, path);
        return undefined;
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error;
        return movedOn(name, staleProblems.nameTaken);
      }
    case "replace":
      files.rename(staged, path);
      return undefined;
    case "remove":
      files.rename(path, keptPath(journal, index));
      return undefined;
    default:
      files.fill(path, target.after?.bytes ?? Buffer.alloc(0));
      giveBackBits(files, path, journal.entries[index]?.before?.mode);
      files.sync(path);
      return undefined;
  }
}
