/** Prepares a batch beside its targets, where nobody sees it: what can go wrong is to go wrong here. */
import { dirname } from "node:path";
import { clip } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import type { DiskWorkspace } from "./diskWorkspace.js";
import { type AttributePair, foreignRights, isSystemError, syncDirectories, unlinkIfThere } from "./fileSystem.js";
import { helperPaths, type Journal, type JournalEntry, writeJournal } from "./journal.js";
import type { After, Before, DiskTarget } from "./preflight.js";
import { diskSentences } from "./sentences.js";

/** A batch that is ready. */
export interface Prepared {
  /** As it is on the disk, but for the ways that were found out since. */
  readonly journal: Journal;
  /** In the order of the journal's entries. */
  readonly targets: readonly DiskTarget[];
  /** For the answer. */
  readonly warnings: readonly string[];
}

/** The journal of a batch that begins. */
export function firstJournal(
  workspace: DiskWorkspace,
  targets: readonly DiskTarget[],
  batch: Pick<Journal, "id" | "label" | "started"> & { readonly directories: readonly string[] },
): Journal {
  const entries = targets.map(({ slot: { path, name }, device, way, before, after }): JournalEntry => {
    const common = { path, name, device, way, after: after === undefined ? null : { hash: after.hash } };
    if (before === undefined) return { ...common, before: null };
    const { inode, mode, owner } = before.stat;
    // Only the owner of a file can give it back what the system clears.
    const isCleared = (mode & foreignRights) !== 0 && owner === workspace.owners.user;
    return { ...common, before: { inode, hash: before.hash, ...(isCleared ? { mode } : {}) } };
  });
  const label = clip(batch.label, limits.label);
  return { ...batch, label, version: 1, state: "staged", directories: [...batch.directories], entries };
}

/** Which file is being written, for the failure. */
export interface Progress {
  /** What people call it; `undefined`: the journal. */
  at: string | undefined;
}

/** A copy of a file, and the mode that it is to have at least where its attributes can't be copied. */
interface Copy extends AttributePair {
  readonly mode: number;
}

/** The workspace in which a batch is prepared, and its journal. */
export interface StageContext {
  readonly workspace: DiskWorkspace;
  readonly journal: Journal;
}

/** Writes the journal first, and then what it names. Throws what the system refuses; the journal then tells what to sweep. */
export function prepare(context: StageContext, targets: readonly DiskTarget[], progress: Progress): Prepared {
  const { workspace, journal } = context;
  const { files, state } = workspace;
  writeJournal(workspace, journal);
  const copies: Copy[] = [];
  const ways = targets.map((target, index): JournalEntry["way"] => {
    progress.at = target.slot.name;
    return prepareOne(context, { target, index, copies });
  });
  const { fixed, warnings } = giveAttributes(context, targets, copies);
  for (const index of fixed) {
    const { staged, kept } = helperPaths(state, journal, index);
    for (const path of [staged, kept]) unlinkIfThere(files, path);
    copyBoth(context, targets[index] as DiskTarget, index);
    ways[index] = "inPlace";
  }
  const entries = journal.entries.map((entry, index): JournalEntry => {
    const way = ways[index] ?? entry.way;
    // By its inode, and not by bytes that others may write, too, the file that is ready beside a name is known again there.
    const inode = way === "inPlace" ? undefined : files.look(helperPaths(state, journal, index).staged)?.inode;
    return {
      ...entry,
      way,
      after: entry.after === null || inode === undefined ? entry.after : { ...entry.after, inode },
    };
  });
  const decided = { ...journal, entries };
  makeLast({ workspace, journal: decided }, targets);
  // Their helpers are swept no more, so that what was taken away here must not come back.
  const paths = fixed.map((index) => targets[index]!.slot.path);
  syncDirectories(files, paths.map(dirname));
  const withLosses = targets.filter(({ before }, i) => ways[i] === "inPlace" && losesBits(workspace, before));
  const lost = withLosses.map(({ slot }) => diskSentences.bitsLost(slot.name));
  return { journal: decided, targets, warnings: [...warnings, ...lost] };
}

/** Tells whether a write in place clears bits that only another user could set again; the superuser's writes leave them. */
function losesBits({ owners: { user } }: DiskWorkspace, before: Before | undefined): boolean {
  if (before === undefined || user === undefined || user === 0) return false;
  return (before.stat.mode & foreignRights) !== 0 && before.stat.owner !== user;
}

/** Answers the way that was found; adds to `copies` which file is to have the attributes of which. */
function prepareOne(
  context: StageContext,
  { target, index, copies }: { readonly target: DiskTarget; readonly index: number; readonly copies: Copy[] },
): JournalEntry["way"] {
  const { workspace, journal } = context;
  const { way, before, after, slot } = target;
  const isOwn = after?.source?.path === slot.path;
  const { kept } = helperPaths(workspace.state, journal, index);
  const isKept = way === "replace" && tryLink(workspace, slot.path, kept);
  if (way === "inPlace" || (way === "replace" && isOwn && !isKept)) {
    copyBoth(context, target, index);
    return "inPlace";
  }
  if (way === "replace" && !isKept && before !== undefined) {
    copies.push(copyFile(workspace, before, { from: slot.path, to: kept }));
  }
  if (after !== undefined) copies.push(...stageNew(context, after, index));
  return way;
}

function tryLink({ files }: DiskWorkspace, from: string, to: string): boolean {
  try {
    files.link(from, to);
    return true;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    // A disk without links, another disk mounted at this very name, or too many links.
    return false;
  }
}

/** Makes the file that a name gets: the very file that moves there, if the disk can link it; otherwise a new one. */
function stageNew({ workspace, journal }: StageContext, after: After, index: number): Copy[] {
  const { files } = workspace;
  const { source, bytes, mode } = after;
  const path = helperPaths(workspace.state, journal, index).staged;
  if (source === undefined) {
    files.make(path, bytes ?? Buffer.alloc(0), mode ?? 0o666);
    if (mode !== undefined) files.setMode(path, mode);
    return [];
  }
  if (bytes === undefined && tryLink(workspace, source.path, path)) return [];
  return [
    copyFile(workspace, { ...source.before, bytes: bytes ?? source.before.bytes }, { from: source.path, to: path }),
  ];
}

/** Nobody else may look at it before it has the access list of the other file, too, with which its mode may mean less. */
function copyFile({ files }: DiskWorkspace, { bytes, stat: { mode } }: Before, pair: AttributePair): Copy {
  files.make(pair.to, bytes, 0o600);
  return { ...pair, mode };
}

/** Both sides of a file that is written in place: one to go back to, one to tell a write that was cut off. */
function copyBoth(
  { workspace: { files, state }, journal }: StageContext,
  { before, after }: DiskTarget,
  index: number,
): void {
  const { oldCopy, newCopy } = helperPaths(state, journal, index);
  files.make(oldCopy, before?.bytes ?? Buffer.alloc(0), 0o600);
  files.make(newCopy, after?.bytes ?? Buffer.alloc(0), 0o600);
}

/** The indices of files that would lose something of themselves as another file, and have to be written in place. */
function giveAttributes(
  { workspace, journal }: StageContext,
  targets: readonly DiskTarget[],
  copies: readonly Copy[],
): { readonly fixed: readonly number[]; readonly warnings: readonly string[] } {
  const done = workspace.files.copyAttributes(copies);
  const without = copies.filter((_, i) => done[i] !== true);
  for (const { to, mode } of without) workspace.files.setMode(to, mode);
  const lost = new Set(without.map(({ to }) => to));
  const fixed: number[] = [];
  const warnings: string[] = [];
  for (const [index, { slot, after }] of targets.entries()) {
    if (!lost.has(helperPaths(workspace.state, journal, index).staged)) continue;
    if (after?.source?.path === slot.path) fixed.push(index);
    else warnings.push(diskSentences.attributesLost(slot.name));
  }
  return { fixed, warnings };
}

/** Files first and names after them, so that no name on the disk leads to a file that is not. */
function makeLast({ workspace, journal }: StageContext, targets: readonly DiskTarget[]): void {
  const { files, state } = workspace;
  const paths = journal.entries.flatMap(({ way }, index) => {
    const { staged, kept, oldCopy, newCopy } = helperPaths(state, journal, index);
    return way === "inPlace" ? [oldCopy, newCopy] : [staged, kept];
  });
  const old = new Set(targets.map(({ before }) => before?.stat.inode));
  const made = paths.filter((path) => files.look(path) !== undefined);
  // Links to files that were there before need no more than their names.
  for (const path of made) if (!old.has(files.look(path)?.inode)) files.sync(path);
  syncDirectories(files, made.map(dirname));
}
