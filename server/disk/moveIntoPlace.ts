/** Makes a prepared batch visible name by name, each rechecked just before, and then records the commit. */
import type { Failure } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { hashOf, inUse } from "../workspace/files.js";
import { codeOf } from "../workspace/identity.js";
import { staleFailures, staleProblems } from "../workspace/sentences.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { ensure, giveBackBits, linkOrRename, syncDirectories } from "./fileSystem.js";
import { holderOf, type Listings, manyFiles } from "./holders.js";
import { directoriesOf, type HelpedEntry, helpedEntries, writeJournal } from "./journal.js";
import type { DiskTarget } from "./preflight.js";
import { diskFailures, diskProblems } from "./sentences.js";
import type { Prepared, Progress } from "./stage.js";

/**
 * Changes every name in a batch and records the commit. Returns a failure if another program has changed or opened a
 * file since staging, and `undefined` otherwise; throws if the system refuses a call. After a failure or an error, the
 * caller must end the batch as its journal says.
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
    // If another program has just created the directory, the batch uses it as it is.
    ensure(() => files.makeDirectory(directory, 0o777), ["EEXIST"]);
  }
  const entries = helpedEntries(workspace.state, journal);
  const names = targets.map((target, index): NameContext => ({ workspace, target, entry: entries[index]! }));
  const removals = names.filter(({ entry }) => entry.way === "remove");
  const others = names.filter(({ entry }) => entry.way !== "remove");
  // New names are created before old ones are removed, so a moved file always has a name.
  let listings: Listings | undefined;
  for (const [at, name] of [...others, ...removals].entries()) {
    progress.at = name.target.slot.name;
    if (at % namesPerListing === 0) listings = names.length < manyFiles ? undefined : new Map();
    const failure = lookAgain(name, listings) ?? changeName(name, progress.changed);
    if (failure !== undefined) return failure;
  }
  syncDirectories(files, directoriesOf(journal));
  for (const { target, entry } of names) {
    progress.at = target.slot.name;
    // Another program may have written to the old file after it was checked but before its name was changed.
    if (entry.way === "inPlace" || entry.way === "create") continue;
    if (hashOf(files.read(entry.kept, limits.fileBytes)) !== target.before?.hash) return movedOn(target.slot.name);
  }
  progress.at = undefined;
  writeJournal(workspace, { ...journal, state: "committed" });
  return undefined;
}

/** The number of names that are changed before their directories are listed again. It takes some milliseconds. */
const namesPerListing = 50;

const movedOn = (name: string, problem: string = staleProblems.fileChanged): Failure =>
  staleFailures.contentModified({ path: name }, problem);

/** A name that is about to change, with its journal entry. */
interface NameContext {
  readonly workspace: DiskWorkspace;
  readonly target: DiskTarget;
  readonly entry: HelpedEntry;
}

/**
 * Returns a failure if the file under a name has changed since staging or is open elsewhere, or if the kept file, which
 * a rollback would need, is gone (a cleanup tool may have deleted it). The inode is checked last because that check is
 * the quickest, which leaves other programs the smallest window for a race.
 */
function lookAgain({ workspace, target, entry }: NameContext, listings: Listings | undefined): Failure | undefined {
  const { files } = workspace;
  const { slot, before } = target;
  const { path, name } = slot;
  if (entry.way === "replace" && files.look(entry.kept) === undefined) return movedOn(name, diskProblems.keptGone);
  const now = files.look(path);
  if (before === undefined) {
    if (now !== undefined) return movedOn(name, staleProblems.nameTaken);
  } else {
    const { size, mode, owner, group } = before.stat;
    // A new file with the old owner and permissions must not replace a file whose owner or permissions have changed.
    const isSame = now?.size === size && now.mode === mode && now.owner === owner && now.group === group;
    if (now?.kind !== "file" || !isSame) return movedOn(name);
  }
  const holder = holderOf(workspace, path, listings);
  if (holder !== undefined) return diskFailures.locked(name, holder);
  if (before === undefined) return undefined;
  if (hashOf(files.read(path, limits.fileBytes)) !== before.hash) return movedOn(name);
  return files.look(path)?.inode === before.stat.inode ? undefined : movedOn(name);
}

/** Changes a name as its entry specifies. Returns a failure if another program was quicker. */
function changeName({ workspace: { files }, target, entry }: NameContext, changed: Set<string>): Failure | undefined {
  const { path, name } = target.slot;
  switch (entry.way) {
    case "create":
      try {
        linkOrRename(files, entry.staged, path);
        return undefined;
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error;
        return movedOn(name, staleProblems.nameTaken);
      }
    case "replace":
      files.rename(entry.staged, path);
      return undefined;
    case "remove":
      files.rename(path, entry.kept);
      return undefined;
    case "inPlace":
      changed.add(path);
      try {
        if (!files.fill(path, target.after?.bytes ?? Buffer.alloc(0), target.before?.bytes ?? Buffer.alloc(0))) {
          return movedOn(name);
        }
      } catch (error) {
        // A file that another program holds could not even be opened.
        if (codeOf(error) === inUse) changed.delete(path);
        throw error;
      }
      giveBackBits(files, path, entry.before?.mode);
      files.sync(path);
      return undefined;
  }
}
