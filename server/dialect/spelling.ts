/** Finds the known name that an unknown one seems to mean. */
import { editDistance } from "../text/editDistance.js";

/** The longest name, in UTF-16 units, that can be a misspelling. */
const longestName = 40;

/** The cost of each slip is 1: a unit added, missing or replaced, or two neighbours swapped. */
const slip = { other: 1, extra: 1, swap: 1 };

/**
 * Returns the known name that `name` seems to misspell: equal except for case, `_`, `-` and spaces, one slip away (in
 * names of 4 characters or more), or two (8 or more). Prefers the nearest, then the first; `undefined` if none fits.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined;
  const folded = foldKey(name);
  let best: { readonly name: string; readonly slips: number; readonly raw: number } | undefined;
  for (const candidate of known) {
    const slips = slipsBetween(folded, foldKey(candidate));
    if (slips === undefined || (best !== undefined && slips > best.slips)) continue;
    const raw = editDistance(name, candidate, slip);
    if (best === undefined || slips < best.slips || raw < best.raw) best = { name: candidate, slips, raw };
  }
  return best?.name;
}

/** Returns a name without the differences between its spellings: case, `_`, `-` and spaces. */
export function foldKey(name: string): string {
  return name.toLowerCase().replace(/[_\s-]/g, "");
}

/** Returns the number of slips between two folded names; `undefined` if there are too many for their length. */
function slipsBetween(a: string, b: string): number | undefined {
  const shorter = Math.min(a.length, b.length);
  const most = shorter >= 8 ? 2 : shorter >= 4 ? 1 : 0;
  if (Math.abs(a.length - b.length) > most) return undefined;
  const slips = a === b ? 0 : editDistance(a, b, slip);
  return slips <= most ? slips : undefined;
}
