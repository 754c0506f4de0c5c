/** Looks in what is sorted by halving. */

/** The first of `count` indices, from `from` on, for which something holds, if it holds for all behind it; `from + count` where for none. */
export function firstIndex(count: number, holds: (index: number) => boolean, from = 0): number {
  let low = from;
  let high = from + count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
