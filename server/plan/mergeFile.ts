/** Merges the text that another program has written to a file with what was typed in the editor. */
import { compareTexts } from "../match/compareTexts.js";
import { type Change, ChangeSet } from "../text/changeSet.js";
import { LineChanges } from "../text/lineChanges.js";
import { LineIndex, type LineRule } from "../text/lines.js";
import { merge } from "../text/merge.js";
import type { Lines } from "./views/view.js";

/** The texts of a file; all have the editor's line endings and no byte order mark. */
export interface FileTexts {
  /** The text that the editor and the disk last had in common. */
  readonly base: string;
  readonly editor: string;
  readonly disk: string;
}

/** The result of a merge. */
export type FileMerge =
  /** The changes to the editor's text by which it gets all that was changed on disk. */
  | { readonly kind: "merged"; readonly change: ChangeSet }
  /** The lines of the editor's text, 0-based, at which both sides changed the same. */
  | { readonly kind: "conflict"; readonly lines: readonly Lines[] };

/** Merges a file's text on disk into the editor's, by the rules by which an agent's edits are merged with typed text. */
export function mergeFile({ base, editor, disk }: FileTexts, rule: LineRule): FileMerge {
  const before = LineIndex.of(base, rule);
  const now = LineIndex.of(editor, rule);
  const typed = new LineChanges(before, compareTexts(base, editor), "compared");
  const written = compareTexts(base, disk);
  const merged = (changes: readonly Change[]): ChangeSet | undefined =>
    merge(typed, new LineChanges(before, ChangeSet.of(base.length, changes), "compared"), now);
  const change = merged(written.changes);
  if (change !== undefined) return { kind: "merged", change };
  const linesOf = ({ from, to }: Change): Lines =>
    typed.range({ from: before.lineAt(from), to: before.lineAt(to) + 1 });
  const alone = written.changes.slice(0, mostAlone).filter((one) => merged([one]) === undefined);
  return { kind: "conflict", lines: (alone.length > 0 ? alone : written.changes).map(linesOf) };
}

/** The number of changes that are merged one by one, to find those that conflict. */
const mostAlone = 100;
