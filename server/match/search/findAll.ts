/** Finds all occurrences of one sequence in another, including overlapping ones, in linear time. */

/** Length of the part of a pattern that is passed to `indexOf`, which then takes at most this many steps per unit. */
const needleLength = 32;

/** The length, in UTF-16 code units, from which a pattern's most distinctive part is sought, not its start. */
const shortText = 4_096;

/** Returns up to `limit` UTF-16 offsets of a non-empty pattern, in ascending order; matches may overlap. */
export function findAll(text: string, pattern: string, limit: number): number[] {
  // In a short text, choosing a more distinctive part saves nothing.
  const skip = text.length < shortText ? 0 : particularPart(pattern);
  const needle = pattern.slice(skip, skip + needleLength);
  const found: number[] = [];
  let budget = 8 * (text.length + pattern.length);
  for (let hit = text.indexOf(needle, skip); hit !== -1 && found.length < limit; hit = text.indexOf(needle, hit + 1)) {
    const start = hit - skip;
    if (needle.length === pattern.length) {
      found.push(start);
      continue;
    }
    budget -= pattern.length;
    if (budget < 0) return [...found, ...knuthMorrisPratt(text, pattern, start, limit - found.length)];
    if (text.startsWith(pattern, start)) found.push(start);
  }
  return found;
}

/** Like `findAll`, but finds a run of numbers, such as numbers that stand for lines. Returns indices in `sequence`. */
export function findAllNumbers(sequence: Int32Array, pattern: Int32Array, limit: number): number[] {
  return knuthMorrisPratt(sequence, pattern, 0, limit);
}

/** Tries a few windows of the pattern and returns the offset of the one with the most distinct units. */
function particularPart(pattern: string): number {
  if (pattern.length <= needleLength) return 0;
  const last = pattern.length - needleLength;
  let best = 0;
  let bestCount = 0;
  // A window with `manyUnits` distinct units has few partial matches, so no better window is needed.
  for (let i = 0; i < 8 && bestCount < manyUnits; i++) {
    const at = Math.floor((last * i) / 7);
    const different = new Set(pattern.slice(at, at + needleLength)).size;
    if (different > bestCount) [best, bestCount] = [at, different];
  }
  return best;
}

/** The number of distinct units that makes a window good enough. */
const manyUnits = 10;

/** The Knuth-Morris-Pratt algorithm: at most 2m steps to prepare a pattern of m items, and 2n to search n items. */
function knuthMorrisPratt<T>(sequence: ArrayLike<T>, pattern: ArrayLike<T>, from: number, limit: number): number[] {
  const borders = new Int32Array(pattern.length + 1);
  for (let i = 1, k = 0; i < pattern.length; i++) {
    while (k > 0 && pattern[i] !== pattern[k]) k = borders[k] as number;
    if (pattern[i] === pattern[k]) k++;
    borders[i + 1] = k;
  }
  const found: number[] = [];
  for (let i = from, k = 0; i < sequence.length && found.length < limit; i++) {
    while (k > 0 && sequence[i] !== pattern[k]) k = borders[k] as number;
    if (sequence[i] === pattern[k]) k++;
    if (k === pattern.length) {
      found.push(i - k + 1);
      k = borders[k] as number;
    }
  }
  return found;
}
