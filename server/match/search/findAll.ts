/** Finds a sequence in a sequence, overlapping places included, in time that is linear whatever the input. */

/** Units of a pattern that the engine's own search is trusted with: its worst case is this many steps a unit of text. */
const needleLength = 32;

/** UTF-16 units of a text in which any part of the pattern is good enough. */
const shortText = 4_096;

/** Start offsets (UTF-16) of all places of a non-empty pattern, in order and overlapping; at most `limit`. */
export function findAll(text: string, pattern: string, limit: number): number[] {
  // In a short text nothing is to be saved.
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

/** The same over numbers, such as the keys of lines; positions are indices of `sequence`. */
export function findAllNumbers(sequence: Int32Array, pattern: Int32Array, limit: number): number[] {
  return knuthMorrisPratt(sequence, pattern, 0, limit);
}

/** Where in the pattern to take the needle from: the window with the most different units, of a few that are spread out. */
function particularPart(pattern: string): number {
  if (pattern.length <= needleLength) return 0;
  const last = pattern.length - needleLength;
  let best = 0;
  let bestCount = 0;
  // What has so many different units is never found by half in text after text.
  for (let i = 0; i < 8 && bestCount < manyUnits; i++) {
    const at = Math.floor((last * i) / 7);
    const different = new Set(pattern.slice(at, at + needleLength)).size;
    if (different > bestCount) [best, bestCount] = [at, different];
  }
  return best;
}

/** Different units from which on a needle is good. */
const manyUnits = 10;

/** The textbook algorithm: 2n steps at most, after m steps for the table of borders. */
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
