/** The edit distance between two names, or two lists of names. */

/** The cost of each step from one list to another. */
export interface StepCosts {
  /** Replacing a unit with a different one, unless the two are alike: then the cost is 1. */
  readonly other: number;
  /** Adding or removing a unit. */
  readonly extra: number;
  /** Swapping two neighbours; `undefined` if that is not a step of its own. */
  readonly swap?: number;
  /** Reports whether two units are alike; `undefined` if different units are never alike. */
  readonly areAlike?: (a: string, b: string) => boolean;
}

/**
 * Returns the least cost of the steps from `a` to `b`: the Levenshtein distance or, with swaps, the Damerau-Levenshtein
 * distance (optimal string alignment). A string is a list of its UTF-16 units.
 */
export function editDistance(a: ArrayLike<string>, b: ArrayLike<string>, costs: StepCosts): number {
  const { other, extra, swap, areAlike } = costs;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j * extra);
  for (let i = 1; i <= a.length; i++) {
    const row = [i * extra];
    for (let j = 1; j <= b.length; j++) {
      const [x, y] = [a[i - 1]!, b[j - 1]!];
      const replaced = x === y ? 0 : areAlike?.(x, y) === true ? 1 : other;
      let least = Math.min(last[j]! + extra, row[j - 1]! + extra, last[j - 1]! + replaced);
      const isSwapped = i > 1 && j > 1 && x === b[j - 2] && a[i - 2] === y;
      if (swap !== undefined && isSwapped) least = Math.min(least, beforeLast[j - 2]! + swap);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
