/** Compares the place of an edit in an earlier text with a place in the present one. */
import type { Change } from "../../text/changeSet.js";
import { isAllBlank } from "../../text/chars.js";
import type { LineIndex } from "../../text/lines.js";
import type { Group, Lines } from "./carry.js";
import type { Seen } from "./findings.js";
import type { LineMap } from "./lineMap.js";

/** The place of an edit in an earlier text, and the edits of its group. */
export interface Placed {
  readonly seen: Seen;
  readonly lines: Lines;
  readonly group: Group | undefined;
}

/** The present place of the same edit. `oldText`: `undefined` for a hunk. */
export interface Here {
  readonly lines: Lines;
  readonly group: Group | undefined;
  readonly oldText: string | undefined;
}

/** Reports whether two places have the same lines. */
export const isEqual = (one: Lines, other: Lines): boolean => one.from === other.from && one.to === other.to;

/**
 * Reports whether a match lies within the place that an earlier text names, and has fewer lines, because empty lines were
 * left out that the earlier text has. Without `seen`, the match is one in the present text.
 */
export function isPartOf(part: Pick<Placed, "lines"> & { readonly seen?: Seen }, { seen, lines }: Placed): boolean {
  if (part.lines.to - part.lines.from >= lines.to - lines.from) return false;
  const here = part.seen === undefined ? part.lines : part.seen.map.range(part.lines.from, part.lines.to);
  const range = seen.map.range(lines.from, lines.to);
  return range.from <= here.from && here.to <= range.to;
}

/** Reports whether a place in an earlier text is the present place of the same edit. */
export function isSamePlace({ seen, lines, group }: Placed, { lines: here, group: own, oldText }: Here): boolean {
  const { map } = seen;
  const range = map.range(lines.from, lines.to);
  // A line that was only typed on, on it or above it, still has the old text.
  const isOneLine = lines.to - lines.from === 1 && here.to - here.from === 1;
  if (oldText !== undefined && isOneLine && range.from <= here.from && here.to <= range.to) {
    // Of two equal lines that have changed together, either may be gone.
    const block = map.blocks.find(({ from, to }) => from <= lines.from && lines.from < to);
    const isOnce = occursOnce(oldText, map.then, block ?? lines) && occursOnce(oldText, map.now, range);
    if (isOnce && (isEqual(range, here) || isSameSpan(seen, group, own))) return true;
  }
  if (!isEqual(range, here)) return isCounterpart(map, lines, here, group?.changes ?? []);
  // An old text within one line can have several places on it.
  if (lines.to - lines.from > 1) return true;
  if (group === undefined || own === undefined) return own === group;
  if (group.indices.length !== own.indices.length || group.changes.length !== own.changes.length) return false;
  const { since } = seen;
  const [start, startNow] = [map.then.start(lines.from), map.now.start(here.from)];
  return group.changes.every(({ from, to }, i) => {
    const change = own.changes[i]!;
    // On a line that has not changed, offsets in the line decide: its line ending may be another one than before.
    if (map.lineNow(lines.from) === here.from)
      return from - start === change.from - startNow && to - start === change.to - startNow;
    const starts = [since.mapPos(from, "before"), since.mapPos(from, "after")];
    const ends = [since.mapPos(to, "before"), since.mapPos(to, "after")];
    return starts.includes(change.from) && ends.includes(change.to);
  });
}

/** Reports whether what an edit changes is still there, unit for unit, and is what it changes in the present text. */
function isSameSpan({ since }: Seen, then: Group | undefined, now: Group | undefined): boolean {
  const isSame = ({ from, to }: Change, own: Change | undefined): boolean =>
    since.mapPos(from, "after") === own?.from && since.mapPos(to, "before") === own.to;
  if (then === undefined || now === undefined || then.changes.length !== now.changes.length) return false;
  return then.changes.every((change, i) => isSame(change, now.changes[i]));
}

/**
 * Reports whether a present place has, line for line, the lines of a place in an earlier text. It may lack empty lines at
 * the ends, which a looser rung ignores, if the edit's `changes` are not next to these.
 */
function isCounterpart(map: LineMap, { from, to }: Lines, here: Lines, changes: readonly Change[]): boolean {
  const lines = Array.from({ length: to - from }, (_, i) => ({
    now: map.counterpart(from + i),
    isEmpty: isAllBlank(map.then.content(from + i)),
  }));
  const isHere = (line: number | undefined): boolean => line !== undefined && here.from <= line && line < here.to;
  const own = lines.filter(({ now }) => isHere(now));
  const isInOrder = own.every(({ now }, i) => now === here.from + i) && own.length === here.to - here.from;
  if (!isInOrder || !lines.every(({ now, isEmpty }) => isHere(now) || isEmpty)) return false;
  if (own.length === lines.length) return true;
  const first = from + lines.findIndex(({ now }) => isHere(now));
  const [start, end] = [map.then.start(first), map.then.contentEnd(first + own.length - 1)];
  return changes.every(
    (one) => one.from >= start && one.to <= end && (one.to > one.from || (one.from > start && one.from < end)),
  );
}

/**
 * Reports whether these lines contain an old text exactly once. If a line of an earlier text does, and what it has become
 * does, too, then nobody can mean another place.
 */
function occursOnce(oldText: string, index: LineIndex, { from, to }: Lines): boolean {
  const lines = index.text.slice(index.start(from), index.end(to - 1));
  const at = lines.indexOf(oldText);
  return oldText !== "" && at !== -1 && !lines.includes(oldText, at + 1);
}
