/** Prepares a batch in helper files, so that most errors occur here, before any change is visible. */
import { dirname } from "node:path";
import { clip } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import {
  type AttributePair,
  attempt,
  type FileSystem,
  foreignRights,
  syncDirectories,
  unlinkIfThere,
} from "./fileSystem.js";
import { type HelpedEntry, helpedEntries, type Journal, type JournalEntry, writeJournal } from "./journal.js";
import type { After, Before, DiskTarget } from "./preflight.js";
import { diskSentences } from "./sentences.js";

/** A batch that is ready to be moved into place. */
export interface Prepared {
  /** The journal, with ways and inodes that have not been written to the disk yet. */
  readonly journal: Journal;
  /** The names to change, in the order of the journal's entries. */
  readonly targets: readonly DiskTarget[];
  /** Warnings for the answer to the call, as complete sentences. */
  readonly warnings: readonly string[];
}

/** A request to keep a batch under the new id `id`, or to note that the kept batch `id` has been undone. */
export type OnCommit =
  | {
      readonly kind: "keep";
      readonly id: string;
      /** The agent that sent the call; `undefined` if it is unknown. */
      readonly by?: Extract<Journal["onCommit"], { kind: "keep" }>["by"];
    }
  | { readonly kind: "markUndone"; readonly id: string };

/** Returns a batch's first journal, in the state `staged`. */
export function firstJournal(
  workspace: DiskWorkspace,
  targets: readonly DiskTarget[],
  {
    onCommit,
    ...batch
  }: Pick<Journal, "id" | "label" | "started"> & {
    readonly directories: readonly string[];
    readonly onCommit?: OnCommit | undefined;
  },
): Journal {
  const entries = targets.map(({ slot: { path, name }, device, way, before, after }): JournalEntry => {
    const common = { path, name, device, way, after: after === undefined ? null : { hash: after.hash } };
    if (before === undefined) return { ...common, before: null };
    const { inode, mode, owner } = before.stat;
    // Only the owner of a file can restore the set-ID bits that the system clears.
    const isCleared = (mode & foreignRights) !== 0 && owner === workspace.owners.user;
    return { ...common, before: { inode, hash: before.hash, mode: isCleared ? mode : undefined } };
  });
  const label = clip(batch.label, limits.label);
  const journal: Journal = {
    ...batch,
    label,
    version: 1,
    state: "staged",
    directories: [...batch.directories],
    entries,
  };
  return onCommit === undefined ? journal : { ...journal, onCommit: withMoves(workspace, targets, onCommit) };
}

/** Adds the folder and the moved files to a request to keep the batch. */
function withMoves(
  { folders }: DiskWorkspace,
  targets: readonly DiskTarget[],
  onCommit: OnCommit,
): Journal["onCommit"] {
  if (onCommit.kind === "markUndone") return onCommit;
  const indices = new Map(targets.map(({ slot }, index) => [slot.path, index]));
  const moves = targets.flatMap(({ slot, after }, to): [number, number][] => {
    const from = after?.source === undefined ? undefined : indices.get(after.source.path);
    return from === undefined || after?.source?.path === slot.path ? [] : [[from, to]];
  });
  return { kind: "keep", folder: folders[0] ?? "/", by: onCommit.by, moves };
}

/** The file or directory being processed, recorded so that a failure can name it. */
export interface Progress {
  /** A human-readable name; `undefined` while the journal is being written. */
  at: string | undefined;
  /** The paths of the files in place that may have been written. */
  readonly changed: Set<string>;
}

/** A copy of a file, with the mode to set if the file's attributes can't be copied. */
interface Copy extends AttributePair {
  readonly mode: number;
}

/** A name being staged, with its helper files. */
interface NameInStage {
  readonly target: DiskTarget;
  readonly entry: HelpedEntry;
}

/** Writes the journal, then the helper files. If this throws, the journal says which files to remove. */
export function prepare(
  workspace: DiskWorkspace,
  journal: Journal,
  targets: readonly DiskTarget[],
  progress: Progress,
): Prepared {
  const { files, state } = workspace;
  writeJournal(workspace, journal);
  const copies: Copy[] = [];
  const helped = helpedEntries(state, journal);
  const names = targets.map((target, index): NameInStage => ({ target, entry: helped[index]! }));
  const ways = names.map((name): JournalEntry["way"] => {
    progress.at = name.target.slot.name;
    return prepareOne(files, name, copies);
  });
  const { fixed, warnings } = giveAttributes(files, names, copies);
  for (const index of fixed) {
    const name = names[index]!;
    for (const path of [name.entry.staged, name.entry.kept]) unlinkIfThere(files, path);
    copyBoth(files, name);
    ways[index] = "inPlace";
  }
  const entries = journal.entries.map((entry, index): JournalEntry => {
    const way = ways[index] ?? entry.way;
    // The inode identifies the staged file under its new name; the bytes do not, because another program may write
    // identical ones.
    const inode = way === "inPlace" ? undefined : files.look(helped[index]!.staged)?.inode;
    return { ...entry, way, after: entry.after === null ? null : { ...entry.after, inode } };
  });
  makeLast(files, names, ways);
  // No later step removes the staged and kept files of these names, so their deletion above must be synced here.
  syncDirectories(
    files,
    fixed.map((index) => dirname(targets[index]!.slot.path)),
  );
  const withLosses = targets.filter(({ before }, i) => ways[i] === "inPlace" && losesBits(workspace, before));
  const lost = withLosses.map(({ slot }) => diskSentences.bitsLost(slot.name));
  return { journal: { ...journal, entries }, targets, warnings: [...warnings, ...lost] };
}

/** Reports whether writing in place clears set-ID bits that the user can't restore; the superuser clears none. */
function losesBits({ owners: { user } }: DiskWorkspace, before: Before | undefined): boolean {
  if (before === undefined || user === undefined || user === 0) return false;
  return (before.stat.mode & foreignRights) !== 0 && before.stat.owner !== user;
}

/** Prepares a name and returns how it will change. Adds to `copies` those whose attributes must be set. */
function prepareOne(files: FileSystem, name: NameInStage, copies: Copy[]): JournalEntry["way"] {
  const { way, before, after, slot } = name.target;
  const { kept, staged } = name.entry;
  const isOwn = after?.source?.path === slot.path;
  // The system may refuse a link, for example because the disk does not support links.
  const isKept = way === "replace" && attempt(() => files.link(slot.path, kept)).code === undefined;
  if (way === "inPlace" || (way === "replace" && isOwn && !isKept)) {
    copyBoth(files, name);
    return "inPlace";
  }
  if (way === "replace" && !isKept && before !== undefined) {
    copies.push(copyFile(files, before, { from: slot.path, to: kept }));
  }
  if (after !== undefined) copies.push(...stageNew(files, after, staged));
  return way;
}

/** Stages the file for a name: as a link if the file is moved unchanged and links work, otherwise as a new file. */
function stageNew(files: FileSystem, { source, bytes, mode }: After, path: string): Copy[] {
  if (source === undefined) {
    files.make(path, bytes ?? Buffer.alloc(0), mode ?? 0o666);
    if (mode !== undefined) files.setMode(path, mode);
    return [];
  }
  if (bytes === undefined && attempt(() => files.link(source.path, path)).code === undefined) return [];
  const copied = { ...source.before, bytes: bytes ?? source.before.bytes };
  return [copyFile(files, copied, { from: source.path, to: path })];
}

/** Creates a copy that only the user can access: with the mode alone, more users than the original's might. */
function copyFile(files: FileSystem, { bytes, stat: { mode } }: Before, pair: AttributePair): Copy {
  files.make(pair.to, bytes, 0o600);
  return { ...pair, mode };
}

/** Makes two copies for a write in place: the old bytes for a rollback, the new bytes to recognise a partial write. */
function copyBoth(files: FileSystem, { target: { before, after }, entry: { oldCopy, newCopy } }: NameInStage): void {
  files.make(oldCopy, before?.bytes ?? Buffer.alloc(0), 0o600);
  files.make(newCopy, after?.bytes ?? Buffer.alloc(0), 0o600);
}

/** Copies attributes. `fixed`: the indexes of files to write in place, because replacing them would lose attributes. */
function giveAttributes(
  files: FileSystem,
  names: readonly NameInStage[],
  copies: readonly Copy[],
): { readonly fixed: readonly number[]; readonly warnings: readonly string[] } {
  const done = files.copyAttributes(copies);
  const without = copies.filter((_, i) => done[i] !== true);
  for (const { to, mode } of without) files.setMode(to, mode);
  const lost = new Set(without.map(({ to }) => to));
  const fixed: number[] = [];
  const warnings: string[] = [];
  for (const [index, { target, entry }] of names.entries()) {
    if (!lost.has(entry.staged)) continue;
    if (target.after?.source?.path === target.slot.path) fixed.push(index);
    else warnings.push(diskSentences.attributesLost(target.slot.name));
  }
  return { fixed, warnings };
}

/** Syncs the helper files before their directories, so that no name on the disk refers to a missing file. */
function makeLast(files: FileSystem, names: readonly NameInStage[], ways: readonly JournalEntry["way"][]): void {
  const paths = names.flatMap(({ entry: { staged, kept, oldCopy, newCopy } }, index) =>
    ways[index] === "inPlace" ? [oldCopy, newCopy] : [staged, kept],
  );
  const old = new Set(names.map(({ target }) => target.before?.stat.inode));
  const made = paths.filter((path) => files.look(path) !== undefined);
  // A file that existed before the batch needs no sync; only the directory of its new link does.
  for (const path of made) if (!old.has(files.look(path)?.inode)) files.sync(path);
  syncDirectories(files, made.map(dirname));
}
