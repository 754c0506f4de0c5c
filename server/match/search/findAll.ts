/** Finds all occurrences of one sequence in another, overlapping ones included, in linear time for any input. */

/** Units of a pattern that the engine's own search looks for: its worst case is this many steps per unit of text. */
const needleLength = 32;

/** A text with fewer UTF-16 units is searched for the pattern's start. */
const shortText = 4_096;

/** Returns up to `limit` start offsets (UTF-16) of a non-empty pattern, in order; its places may overlap. */
export function findAll(text: string, pattern: string, limit: number): number[] {
  // In a short text, choosing a better part saves nothing.
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

/** Like `findAll`, for numbers such as the keys of lines; returns indices of `sequence`. */
export function findAllNumbers(sequence: Int32Array, pattern: Int32Array, limit: number): number[] {
  return knuthMorrisPratt(sequence, pattern, 0, limit);
}

/** Returns the needle's offset: the start of the window, among a few in the pattern, with the most different units. */
function particularPart(pattern: string): number {
  if (pattern.length <= needleLength) return 0;
  const last = pattern.length - needleLength;
  let best = 0;
  let bestCount = 0;
  // A window with that many different units has few partial matches, so no better one is needed.
  for (let i = 0; i < 8 && bestCount < manyUnits; i++) {
    const at = Math.floor((last * i) / 7);
    const different = new Set(pattern.slice(at, at + needleLength)).size;
    if (different > bestCount) [best, bestCount] = [at, different];
  }
  return best;
}

/** Number of different units that makes a needle good enough. */
const manyUnits = 10;

/** The textbook algorithm: at most 2n steps, after at most 2m steps for the table of borders. */
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
