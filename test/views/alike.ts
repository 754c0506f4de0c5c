/**
 * Lines that are equal may be confused by whoever knows only the texts: the ways in which an edit may be carried if the
 * identities are those that a diff of the texts finds.
 */
import { diffArrays } from "diff";
import { type Meant, oldLines } from "./calls.js";
import { type Carried, carry, type Present, renamed, type Seen } from "./carry.js";
import { type Lines, textOf } from "./lines.js";

/** For each line of a text, the identity that a diff finds for it; negative for new lines. */
export function guessedIds(seen: Lines, now: Lines): number[] {
  const ids: number[] = [];
  let [i, fresh] = [0, -1];
  const texts = (lines: Lines): string[] => lines.map(({ text }) => text);
  for (const { added, removed, value } of diffArrays(texts(seen), texts(now))) {
    for (const _ of value) {
      if (added) ids.push(fresh--);
      else if (removed) i++;
      else ids.push(seen[i++]!.id);
    }
  }
  return ids;
}

/** Carries an edit by a diff of the texts, without knowing the identities. */
export function carryByDiff(edit: Meant, at: number, seen: Seen, present: Present): Carried {
  const ids = guessedIds(seen.lines, present.lines);
  const guessed = present.lines.map(({ text }, n) => ({ id: ids[n]!, text }));
  const idsOf = new Map(guessed.map(({ id }, n) => [id, present.lines[n]!.id]));
  const { effects, refused } = carry(edit, at, seen, { lines: guessed, moved: new Map() });
  return { effects: effects.map((effect) => renamed(effect, idsOf)), refused };
}

/** Reports whether lines have the texts of an edit's place, and some of them are the same by identity, too. */
export const isAlike = (lines: Lines, edit: Meant): boolean =>
  textOf(lines) === textOf(oldLines(edit)) && lines.some(({ id }, i) => id === oldLines(edit)[i]?.id);
