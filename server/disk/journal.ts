/** A batch's journal. It is written first; after a crash, it shows what the batch was to do and may have done. */
import { dirname, isAbsolute, join, resolve } from "node:path";
import * as v from "valibot";
import { int, list } from "../dialect/schema.js";
import type { Failure } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { hashOf } from "../workspace/files.js";
import { codeOf } from "../workspace/identity.js";
import { isInside } from "../workspace/pathText.js";
import { fileProblems } from "../workspace/sentences.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { ensure, type FileSystem, isSystemError, systemError, unlinkIfThere } from "./fileSystem.js";
import { diskFailures, diskProblems } from "./sentences.js";

/** The journal of one batch, as stored on disk. */
export type Journal = v.InferOutput<typeof journalSchema>;

/** A name, with its file before and after the batch and the way the name changes. */
export type JournalEntry = Journal["entries"][number];

/** A journal, as read. `foreign`: none of its files is in the workspace, or one is our own. `astride`: some are. */
export type JournalRead =
  | { readonly kind: "journal" | "astride"; readonly journal: Journal }
  | { readonly kind: "absent" | "unreadable" | "foreign" };

/** The parts of a workspace needed to work with journals. */
export type Journals = Pick<DiskWorkspace, "files" | "state" | "owners">;

/** Creates the journal directory, or returns the failure if it is unusable or others have access to it. */
export function openJournals({ files, owners, state }: Journals): Failure | undefined {
  if (!isAbsolute(state)) return diskFailures.state(state, diskProblems.stateRelative());
  try {
    makeDirectories(files, state);
    const stat = files.look(state);
    if (stat?.kind !== "directory") return diskFailures.state(state, diskProblems.stateNoDirectory());
    if (owners.user === undefined) return undefined;
    if (stat.owner !== owners.user) return diskFailures.state(state, diskProblems.stateOwner());
    return (stat.mode & 0o077) === 0 ? undefined : diskFailures.state(state, diskProblems.stateOpen(stat.mode));
  } catch (error) {
    return unusable(state, error);
  }
}

/** Like `openJournals`, but also tests the directory by writing and deleting a file, as a batch would. */
export function tryJournals(journals: Journals): Failure | undefined {
  const { files, owners, state } = journals;
  const unfit = openJournals(journals);
  if (unfit !== undefined) return unfit;
  const probe = join(state, `${owners.self}.probe`);
  try {
    unlinkIfThere(files, probe);
    files.make(probe, Buffer.from("probe"), 0o600);
    files.sync(probe);
    files.unlink(probe);
    return undefined;
  } catch (error) {
    return unusable(state, error);
  }
}

/** Creates a directory and any missing parents. Each directory is on the disk before the next is created inside it. */
function makeDirectories(files: FileSystem, path: string): void {
  if (files.look(path) !== undefined) return;
  makeDirectories(files, dirname(path));
  // Another process may have created the directory in the meantime.
  ensure(() => files.makeDirectory(path, 0o700), ["EEXIST"]);
  files.sync(dirname(path));
}

/** Returns the failure for a system error that occurred while a journal was being used; rethrows any other error. */
export function unusable(state: string, error: unknown): Failure {
  if (!isSystemError(error)) throw error;
  return diskFailures.state(state, fileProblems.system(codeOf(error)));
}

/** Creates or replaces a batch's journal. When the call returns, the journal is safely on the disk. */
export function writeJournal({ files, state }: DiskWorkspace, journal: Journal): void {
  // A batch whose journal can't be read back can't be ended, so one that is invalid or too long is never written.
  const isWritten = writeSealed(files, journalPath(state, journal.id), journalSchema, journal);
  if (!isWritten) throw systemError("EFBIG", `more than ${limits.journalBytes} bytes`);
}

/** Writes a value as JSON after its hash, whole and safely on disk. `false`: it would be too long. */
export function writeSealed<T>(
  files: FileSystem,
  path: string,
  schema: v.GenericSchema<unknown, T>,
  value: T,
): boolean {
  const text = JSON.stringify(v.parse(schema, value));
  const bytes = Buffer.from(`${hashOf(text)}\n${text}\n`);
  if (bytes.length > limits.journalBytes) return false;
  unlinkIfThere(files, `${path}.new`);
  files.make(`${path}.new`, bytes, 0o600);
  files.sync(`${path}.new`);
  files.rename(`${path}.new`, path);
  files.sync(dirname(path));
  return true;
}

/** Returns a value that `writeSealed` has written; `undefined` if it was damaged or is not valid. */
export function unsealed<T>(schema: v.GenericSchema<unknown, T>, bytes: Buffer): T | undefined {
  const [sum, body, end] = bytes.toString().split("\n");
  if (body === undefined || end !== "" || sum !== hashOf(body)) return undefined;
  try {
    return v.parse(schema, JSON.parse(body));
  } catch {
    return undefined;
  }
}

/** Deletes the journal of a batch that is over. */
export function removeJournal({ files, state }: DiskWorkspace, id: string): void {
  unlinkIfThere(files, `${journalPath(state, id)}.new`);
  unlinkIfThere(files, journalPath(state, id));
  files.sync(state);
}

/** Returns the ids of all journals. `halves`: those whose first journal was not completely written. */
export function listJournals({ files, state }: Pick<DiskWorkspace, "files" | "state">): {
  readonly ids: string[];
  readonly halves: string[];
} {
  const ids: string[] = [];
  const begun: string[] = [];
  for (const name of files.list(state)) {
    const [, id, half] = /^([0-9a-f]{16})\.journal(\.new)?$/.exec(name) ?? [];
    if (id !== undefined) (half === undefined ? ids : begun).push(id);
  }
  return { ids, halves: begun.filter((id) => !ids.includes(id)) };
}

/** Reads a journal as untrusted input: its owner, form, checksum and paths are checked. */
export function readJournal(workspace: DiskWorkspace, id: string): JournalRead {
  const read = readAnyJournal(workspace, id);
  if (read.kind !== "journal") return read;
  const { state, folders } = workspace;
  const names = namesIn(read.journal);
  const inside = names.filter((name) => folders.some((folder) => isInside(folder, name)));
  if (names.some((name) => isInside(state, name))) return { kind: "foreign" };
  // A journal that names no files belongs to every workspace.
  if (inside.length === names.length) return read;
  return inside.length === 0 ? { kind: "foreign" } : { kind: "astride", journal: read.journal };
}

/** Reads a journal without checking where its files are. The caller must not act on the journal. */
export function readAnyJournal({ files, state, owners }: Journals, id: string): JournalRead {
  const path = journalPath(state, id);
  const stat = files.look(path);
  if (stat === undefined) return { kind: "absent" };
  const isOurs = stat.kind === "file" && (owners.user === undefined || stat.owner === owners.user);
  if (!isOurs || stat.size > limits.journalBytes) return { kind: "unreadable" };
  const journal = unsealed(journalSchema, files.read(path, limits.journalBytes));
  return journal?.id === id ? { kind: "journal", journal } : { kind: "unreadable" };
}

/** Returns the deepest directory with all files of a journal, or the root of the first one's drive. */
export function folderOf(journal: Journal): string {
  const [first = "", ...rest] = namesIn(journal).map(dirname);
  let folder = first;
  for (const name of rest) {
    while (!isInside(folder, name) && dirname(folder) !== folder) folder = dirname(folder);
  }
  return folder;
}

/** Returns the directories where names change, not those of files written in place, which may be unreadable. */
export function directoriesOf({ entries, directories }: Journal): string[] {
  const names = entries.filter(({ way }) => way !== "inPlace").map(({ path }) => path);
  return [...names, ...directories].map(dirname);
}

/** Returns the names that a batch changes and the directories that it creates. */
export const namesIn = ({ entries, directories }: Journal): string[] => [
  ...entries.map(({ path }) => path),
  ...directories,
];

/** Returns the path of a batch's journal. */
export function journalPath(state: string, id: string): string {
  return join(state, `${id}.journal`);
}

/** An entry with its helper files' paths, which are derived from it and the batch's id and can't be forged. */
export interface HelpedEntry extends JournalEntry {
  /** The new file, in the nearest directory above the name that the batch does not create. */
  readonly staged: string;
  /** The old file, kept in the parent directory. */
  readonly kept: string;
  /** A copy of the old bytes (`newCopy`: the new ones) of a file written in place, next to the journal. */
  readonly oldCopy: string;
  readonly newCopy: string;
}

/** Returns a journal's entries with the paths of their helper files. */
export function helpedEntries(state: string, { id, entries, directories }: Journal): HelpedEntry[] {
  return entries.map((entry, index) => {
    const parent = dirname(entry.path);
    let above = parent;
    while (directories.includes(above)) above = dirname(above);
    return {
      ...entry,
      staged: join(above, `.multi-edit-${id}-${index}.new`),
      kept: join(parent, `.multi-edit-${id}-${index}.old`),
      oldCopy: join(state, `${id}.${index}.old`),
      newCopy: join(state, `${id}.${index}.new`),
    };
  });
}

/** SHA-256, in hex. */
export const hashSchema = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

/** An absolute path in its simplest form. */
export const pathSchema = v.pipe(
  v.string(),
  v.maxLength(limits.pathLength),
  v.check((name) => isAbsolute(name) && resolve(name) === name && !name.includes("\0")),
);

/** The mode of a file: its permissions and set-ID bits. */
export const modeSchema = v.pipe(int(), v.minValue(0), v.maxValue(0o7777));

/** The index of an entry. */
const index = v.pipe(int(), v.minValue(0));

/** A batch's id: 16 hexadecimal digits. */
export const batchId = v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/));

/** The agent that sent a call, as it identifies itself. */
export const callerSchema = v.strictObject({
  name: v.pipe(v.string(), v.maxLength(limits.agentName)),
  version: v.exactOptional(v.pipe(v.string(), v.maxLength(limits.agentName))),
  agent: v.exactOptional(v.pipe(v.string(), v.maxLength(limits.agentId))),
});

const journalSchema = v.strictObject({
  version: v.literal(1),
  id: batchId,
  /**
   * `staged`: no name has been changed yet. `committing`: some names may have been changed; recovery restores their old
   * files. `committed`: every name has been changed; recovery removes the helper files. `undone`: the batch was rolled
   * back; recovery removes the helper files but does not touch changes that others have made since.
   */
  state: v.picklist(["staged", "committing", "committed", "undone"]),
  /** A human-readable name for the batch. */
  label: v.pipe(v.string(), v.maxLength(limits.label)),
  /** Milliseconds since 1970. */
  started: v.pipe(v.number(), v.finite()),
  /** Directories that the batch creates, parents first. */
  directories: list(pathSchema),
  /** After a rollback: the entries whose files were left as they were, each with the reason. */
  left: v.optional(list(v.strictObject({ index, why: v.picklist(["changed", "kept", "lost"]) }))),
  /**
   * Done after the commit: `keep`: the batch is kept, so that it can be undone later. `moves`: pairs of indices of
   * entries; the first is the old name of a file, the second its new name. `markUndone`: the kept batch with this id
   * has been undone.
   */
  onCommit: v.optional(
    v.union([
      v.strictObject({
        kind: v.literal("keep"),
        folder: pathSchema,
        by: v.optional(callerSchema),
        moves: list(v.pipe(v.strictTuple([index, index]), v.readonly())),
      }),
      v.strictObject({ kind: v.literal("markUndone"), id: batchId }),
    ]),
  ),
  entries: v.pipe(
    list(
      v.strictObject({
        path: pathSchema,
        /** A human-readable name for the file. */
        name: v.pipe(v.string(), v.maxLength(limits.pathLength)),
        /** The device of the nearest directory above the name that the batch does not create. */
        device: v.string(),
        /**
         * `create`: the name was free. `replace`: another file takes the name. `remove`: the name becomes free.
         * `inPlace`: the file keeps its name, and its contents are overwritten.
         */
        way: v.picklist(["create", "replace", "remove", "inPlace"]),
        /** `null` if the name was free. `mode`: for the user's own set-ID files, whose bits writing clears. */
        before: v.nullable(v.strictObject({ inode: v.string(), hash: hashSchema, mode: v.optional(modeSchema) })),
        /** `null` if the name becomes free. `inode`: that of the staged file, once `committing`; not if in place. */
        after: v.nullable(v.strictObject({ hash: hashSchema, inode: v.optional(v.string()) })),
      }),
    ),
    v.check((entries) => new Set(entries.map((entry) => entry.path)).size === entries.length),
  ),
});
