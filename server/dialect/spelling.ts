/** Finds the known name that a misspelt name was probably meant to be. */
import { editDistance } from "../text/editDistance.js";

/** The maximum length, in UTF-16 code units, of a name that may count as a misspelling. */
const longestName = 40;

/** Each slip costs 1: a UTF-16 code unit added, left out or replaced, or two adjacent ones swapped. */
const slip = { other: 1, extra: 1, swap: 1 };

/**
 * Returns the known name that `name` was probably meant to be; `undefined` if there is none. Case, `_`, `-` and
 * whitespace are ignored. Names of at least 4 characters may differ by one slip, and names of at least 8 by two. If
 * several names qualify, returns the nearest, or the first of those that are equally near.
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

/** Folds a name for comparison with other spellings: to lower case, without `_`, `-` or whitespace. */
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
