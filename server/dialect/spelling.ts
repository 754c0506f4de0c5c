/** Which known name an unknown one seems to mean. */

/** Longest name, in UTF-16 units, that can be a misspelling. */
const longestName = 40;

/**
 * The known name that `name` seems to be a misspelling of: equal but for case, `_` and `-`, or one slip away (names of 4
 * characters or more), or two (8 or more). Of several the nearest, then the first. `undefined`: it resembles none.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName) return undefined;
  const folded = fold(name);
  let best: { readonly name: string; readonly slips: number; readonly raw: number } | undefined;
  for (const candidate of known) {
    const slips = slipsBetween(folded, fold(candidate));
    if (slips === undefined || (best !== undefined && slips > best.slips)) continue;
    const raw = editDistance(name, candidate);
    if (best === undefined || slips < best.slips || raw < best.raw) best = { name: candidate, slips, raw };
  }
  return best?.name;
}

/** A name without what spellings of it differ in: case, `_`, `-` and spaces. */
export function fold(name: string): string {
  return name.toLowerCase().replace(/[_\s-]/g, "");
}

/** The distance of two folded names; `undefined`: too far for their length to be a slip. */
function slipsBetween(a: string, b: string): number | undefined {
  const shorter = Math.min(a.length, b.length);
  const most = shorter >= 8 ? 2 : shorter >= 4 ? 1 : 0;
  if (Math.abs(a.length - b.length) > most) return undefined;
  const slips = a === b ? 0 : editDistance(a, b);
  return slips <= most ? slips : undefined;
}

/** Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, substitutions, swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, beforeLast[j - 2]! + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
