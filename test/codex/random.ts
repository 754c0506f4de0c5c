/** Reproducible randomness: the same seed gives the same choices. */

/** A stream of random choices. */
export interface Chance {
  /** An integer from 0 up to, but excluding, `bound`. */
  below(bound: number): number;
  /** An integer from `from` to `to`, inclusive. */
  between(from: number, to: number): number;
  /** `true` with a probability of `percent` percent. */
  percent(percent: number): boolean;
  /** One item of a non-empty list. */
  pick<T>(items: readonly T[]): T;
  /** A key of a table, chosen with a probability proportional to its weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K;
}

/** An independent stream for each 32-bit seed; the generator is mulberry32 (public domain, Tommy Ettinger). */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const below = (bound: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 4294967296) * bound);
  };
  const pick = <T>(items: readonly T[]): T => {
    const item = items[below(items.length)];
    if (item === undefined) throw new Error("there is nothing to pick from");
    return item;
  };
  return {
    below,
    pick,
    between: (from, to) => from + below(to - from + 1),
    percent: (percent) => below(10_000) < percent * 100,
    weighted: <K extends string>(weights: Readonly<Record<K, number>>): K => {
      const rows = Object.entries<number>(weights);
      let left = below(rows.reduce((sum, [, weight]) => sum + weight, 0));
      const row = rows.find(([, weight]) => {
        left -= weight;
        return left < 0;
      });
      // Object.entries loses the type of the record's keys.
      return row?.[0] as K;
    },
  };
}
