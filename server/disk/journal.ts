/** The journal of a batch, written before anything is done: after a crash it tells what was meant and how far it may be. */

import { dirname, isAbsolute, join, resolve } from "node:path";
import * as z from "zod";
import type { Failure } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { hashOf } from "../workspace/files.js";
import { codeOf } from "../workspace/identity.js";
import { isInside } from "../workspace/pathText.js";
import { fileProblems } from "../workspace/sentences.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { ensure, type FileSystem, isSystemError, systemError, unlinkIfThere } from "./fileSystem.js";
import { diskFailures, diskProblems } from "./sentences.js";

/** One batch, as it is on the disk. */
export type Journal = z.infer<typeof journalSchema>;

/** One name: what stood there, what is to stand there, and how that comes about. */
export type JournalEntry = Journal["entries"][number];

/**
 * A journal that was found, or why it is left alone. `foreign`: it is about files that lie outside the folders. `astride`: about
 * such files and others inside.
 */
export type JournalRead =
  | { readonly kind: "journal" | "astride"; readonly journal: Journal }
  | { readonly kind: "absent" | "unreadable" | "foreign" };

/** The journals of a user, and where they are written. */
export type Journals = Pick<DiskWorkspace, "files" | "state" | "owners">;

/**
 * Makes the directory of the journals where it is missing. It is outside every workspace, so that no agent can write a journal;
 * a failure where others could write in it.
 */
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

/** The same, and writes a file there and takes it away again, as a batch would. */
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

/** Each directory is on the disk before what it will hold. */
function makeDirectories(files: FileSystem, path: string): void {
  if (files.look(path) !== undefined) return;
  makeDirectories(files, dirname(path));
  // Another process may be quicker.
  ensure(() => files.makeDirectory(path, 0o700), ["EEXIST"]);
  files.sync(dirname(path));
}

/** The failure for an error of the disk that the journals are on; throws every other error. */
export function unusable(state: string, error: unknown): Failure {
  if (!isSystemError(error)) throw error;
  return diskFailures.state(state, fileProblems.system(codeOf(error)));
}

/** Makes or replaces the journal of a batch; when this returns, it is on the disk. */
export function writeJournal({ files, state }: DiskWorkspace, journal: Journal): void {
  // What nobody could read back would be a batch that nobody ends: better none at all.
  const text = JSON.stringify(journalSchema.parse(journal));
  const bytes = Buffer.from(`${hashOf(text)}\n${text}\n`);
  if (bytes.length > limits.journalBytes) throw systemError("EFBIG", `more than ${limits.journalBytes} bytes`);
  const path = journalPath(state, journal.id);
  unlinkIfThere(files, `${path}.new`);
  files.make(`${path}.new`, bytes, 0o600);
  files.sync(`${path}.new`);
  files.rename(`${path}.new`, path);
  files.sync(state);
}

/** Takes the journal away: the batch is over. */
export function removeJournal({ files, state }: DiskWorkspace, id: string): void {
  unlinkIfThere(files, `${journalPath(state, id)}.new`);
  unlinkIfThere(files, journalPath(state, id));
  files.sync(state);
}

/**
 * The ids of all journals in the state directory; and `halves`, the ids of those that somebody began to write when there was
 * none yet.
 */
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

/** Reads a journal as what anybody might have written: its form, its sum, and that it is about files in the folders. */
export function readJournal(workspace: DiskWorkspace, id: string): JournalRead {
  const read = readAnyJournal(workspace, id);
  if (read.kind !== "journal") return read;
  const { state, folders } = workspace;
  const names = namesIn(read.journal);
  const inside = names.filter((name) => folders.some((folder) => isInside(folder, name)));
  if (names.some((name) => isInside(state, name))) return { kind: "foreign" };
  // One that names nothing is anybody's.
  if (inside.length === names.length) return read;
  return inside.length === 0 ? { kind: "foreign" } : { kind: "astride", journal: read.journal };
}

/** The same wherever its files lie; it is not to be followed. */
export function readAnyJournal({ files, state, owners }: Journals, id: string): JournalRead {
  const path = journalPath(state, id);
  const stat = files.look(path);
  if (stat === undefined) return { kind: "absent" };
  const isOurs = stat.kind === "file" && (owners.user === undefined || stat.owner === owners.user);
  if (!isOurs || stat.size > limits.journalBytes) return { kind: "unreadable" };
  const journal = parseJournal(files.read(path, limits.journalBytes).toString());
  return journal?.id === id ? { kind: "journal", journal } : { kind: "unreadable" };
}

/** The deepest directory that holds all that a journal names; on Windows, where its files are on several drives, there is none. */
export function folderOf(journal: Journal): string {
  const [first = "", ...rest] = namesIn(journal).map(dirname);
  let folder = first;
  for (const name of rest) {
    while (!isInside(folder, name) && dirname(folder) !== folder) folder = dirname(folder);
  }
  return folder;
}

/** The directories in which a batch changes names. One that only holds files that are written in place need not be readable. */
export function directoriesOf({ entries, directories }: Journal): string[] {
  const names = entries.filter(({ way }) => way !== "inPlace").map(({ path }) => path);
  return [...names, ...directories].map(dirname);
}

const namesIn = ({ entries, directories }: Journal): string[] => [...entries.map(({ path }) => path), ...directories];

/** The path of the journal of a batch. */
export function journalPath(state: string, id: string): string {
  return join(state, `${id}.journal`);
}

/** An entry, and the files that help it. Nobody can write their paths into a journal: they follow from the id and the place. */
export interface HelpedEntry extends JournalEntry {
  /** The new file for the name, in its directory or, if that does not exist, in the deepest one above that does. */
  readonly staged: string;
  /** The file that the name had, beside it. */
  readonly kept: string;
  /** The bytes before and after of a file that is written in place, beside the journal. */
  readonly oldCopy: string;
  readonly newCopy: string;
}

/** The entries of a journal, with their helpers. */
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

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const path = z
  .string()
  .max(limits.pathLength)
  .refine((name) => isAbsolute(name) && resolve(name) === name && !name.includes("\0"));

const journalSchema = z.strictObject({
  version: z.literal(1),
  id: z.string().regex(/^[0-9a-f]{16}$/),
  /**
   * `staged`: nothing that others see has changed. `committing`: some of it may have, and is taken back. `committed`: all
   * of it has, and what helped is taken away. `undone`: it was taken back, and what helped is taken away; whatever somebody has
   * done since is not taken back.
   */
  state: z.enum(["staged", "committing", "committed", "undone"]),
  /** For people. */
  label: z.string().max(limits.label),
  /** Milliseconds since 1970. */
  started: z.number(),
  /** Directories that are made, those above first. */
  directories: z.array(path),
  /** Of a batch that was taken back: what was left as it is. */
  left: z.array(z.strictObject({ index: z.int().min(0), why: z.enum(["changed", "kept", "lost"]) })).optional(),
  entries: z
    .array(
      z.strictObject({
        path,
        /** For people. */
        name: z.string().max(limits.pathLength),
        /** Number of the disk that its directory is on, or the deepest one above that is there before the batch. */
        device: z.string(),
        /**
         * `create`: the name was free. `replace`: another file takes it. `remove`: it becomes free. `inPlace`: its file stays
         * the same and gets other bytes.
         */
        way: z.enum(["create", "replace", "remove", "inPlace"]),
        /** `null`: the name was free. `mode`: of a file whose bits for other users' rights the system clears with each write. */
        before: z.strictObject({ inode: z.string(), hash, mode: z.int().min(0).max(0o7777).optional() }).nullable(),
        /**
         * `null`: it becomes free. `inode`: of the file that was made ready for the name, known from `committing` on, and
         * `undefined` for one that is written in place.
         */
        after: z.strictObject({ hash, inode: z.string().optional() }).nullable(),
      }),
    )
    .refine((entries) => new Set(entries.map((entry) => entry.path)).size === entries.length),
});

function parseJournal(text: string): Journal | undefined {
  const [sum, body, end] = text.split("\n");
  if (body === undefined || end !== "" || sum !== hashOf(body)) return undefined;
  try {
    return journalSchema.parse(JSON.parse(body));
  } catch {
    return undefined;
  }
}
