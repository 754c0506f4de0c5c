/** The edit distance between two strings or two lists of strings. */

/** The cost of each kind of step in turning one list of units into another. */
export interface StepCosts {
  /** Cost of replacing a unit with a different unit; if the two are alike, the cost is 1 instead. */
  readonly other: number;
  /** Cost of adding or removing a unit. */
  readonly extra: number;
  /** Cost of swapping two adjacent units; `undefined` if a swap does not count as a single step. */
  readonly swap?: number;
  /** Reports whether two units are alike; `undefined` if different units are never alike. */
  readonly areAlike?: (a: string, b: string) => boolean;
}

/**
 * Returns the minimum total cost of turning `a` into `b`: the Levenshtein distance or, with swaps, the optimal string
 * alignment distance (a restricted form of Damerau-Levenshtein). A string is treated as a list of its UTF-16 code
 * units.
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
