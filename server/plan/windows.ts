/** Places in the surroundings of a batch's changes. */
import type { Place } from "../match/place.js";
import type { Rung, RungName } from "../match/rungs.js";
import type { Extent, Window } from "./pieces.js";

/** A place in text that the batch has changed. */
export interface InWindow {
  readonly window: Window;
  readonly place: Place;
  readonly rung: RungName;
}

/** Two stretches that overlap or touch, as one: neither is touched by a change of the other at its ends. */
export function joined(one: Extent, other: Extent): Extent {
  return {
    base: { from: Math.min(one.base.from, other.base.from), to: Math.max(one.base.to, other.base.to) },
    first: Math.min(one.first, other.first),
    end: Math.max(one.end, other.end),
  };
}

/** The places of a rung that changes have a part in; `undefined`: too many to tell, or only the whole text tells. */
export function placesIn(windows: readonly Window[], { find, name }: Rung, oldText: string): InWindow[] | undefined {
  const all: InWindow[] = [];
  for (const window of windows) {
    const found = find?.(window.index, oldText) ?? [];
    if (found === "tooMany") return undefined;
    for (const place of found) if (hasPart(window, place, name)) all.push({ window, place, rung: name });
  }
  // Whether a view's numbers are the document's own is not seen in a part of it.
  return name === "viewPrefix" && all.length > 0 ? undefined : all;
}

/** Whether a change of a window lies in a place; on the rungs that fold, in a line of it or at its ends. */
function hasPart({ change, index }: Window, { from, to }: Place, rung: RungName): boolean {
  const lines = index.matchedLines;
  const [start, end] = rung === "exact" ? [from, to] : [lines.start(lines.lineAt(from)), lines.end(lines.lineAt(to))];
  let shift = 0;
  return change.changes.some((one) => {
    const low = one.from + shift;
    const high = low + one.insert.length;
    shift += one.insert.length - (one.to - one.from);
    return rung === "exact"
      ? low === high
        ? start < low && low < end
        : start < high && low < end
      : start <= high && low <= end;
  });
}
