/** Aligns the document's lines, some of which may be skipped, with those of an old text that was not found. */
import type { TextIndex } from "../textIndex.js";

/**
 * Limits on the work. `skippedLines`: the maximum number of document lines to skip; none are skipped if the old text
 * has more than `gappedLines` lines. `soughtLines`: the maximum number of the old text's lines to align.
 * `comparedUnits`: the maximum number of UTF-16 code units by which a document line may be longer than the old text's
 * line.
 */
const bounds = { skippedLines: 10, gappedLines: 200, soughtLines: 1_000, comparedUnits: 600 } as const;

/** An alignment of the old text's lines with the document's, ignoring leading and trailing whitespace. */
export interface Aligned {
  /** The fraction of the old text that is aligned, from 0 to 1, minus a penalty for skipped lines. */
  readonly score: number;
  /** For each line of the old text, the 0-based number of the document line aligned with it; `undefined` if none is. */
  readonly lines: readonly (number | undefined)[];
  /** `true` if the alignment skips lines of the document. */
  readonly hasGap: boolean;
}

/** Aligns the sought lines with the document's, from the 0-based line `start` on, skipping some for the score. */
export function align(index: TextIndex, start: number, sought: readonly string[]): Aligned {
  const plain = alignWith(index, start, sought, 0);
  if (plain.score === 1 || plain.lines[0] === undefined || sought.length > bounds.gappedLines) return plain;
  const gapped = alignWith(index, start, sought, bounds.skippedLines);
  return gapped.score > plain.score ? gapped : plain;
}

function alignWith(index: TextIndex, start: number, sought: readonly string[], most: number): Aligned {
  const lines = index.matchedLines;
  const isAt = (line: number, wanted: string): boolean =>
    line < lines.lineCount &&
    lines.contentEnd(line) - lines.start(line) <= wanted.length + bounds.comparedUnits &&
    lines.content(line).trim() === wanted;
  const at: (number | undefined)[] = [];
  let [expected, left] = [start, most];
  let [total, same, telling] = [0, 0, 0];
  for (const line of sought.slice(0, bounds.soughtLines)) {
    const wanted = line.trim();
    const isTelling = /[\p{L}\p{N}]/u.test(wanted);
    const weight = isTelling ? 1 : wanted === "" ? 0.1 : 0.25;
    total += weight;
    telling += isTelling ? 1 : 0;
    let skipped = 0;
    while (isTelling && skipped < left && !isAt(expected + skipped, wanted)) skipped++;
    const found = isAt(expected + skipped, wanted) ? expected + skipped : undefined;
    at.push(found);
    if (found !== undefined) same += weight;
    if (found !== undefined) left -= skipped;
    expected = (found ?? expected) + 1;
  }
  const skippedLines = most - left;
  const hasGap = skippedLines > 0;
  // A single line is not enough evidence for an alignment.
  const isEnough = telling > 1 || (hasGap && at.length > 1);
  const score = isEnough ? Math.max(0, same / total - (hasGap ? 0.05 : 0) - 0.01 * skippedLines) : 0;
  return { score, lines: at, hasGap };
}

/** Limits on the work of `reachOf`: the old text's lines, and the document's lines before and after the region. */
const reachBounds = { soughtLines: 200, linesAround: 12 } as const;

/** The value of a pair of equal lines with and without a letter or digit, and the cost of a line without a partner. */
const [tellingPair, plainPair, noPartner] = [4, 1, 0.3];

/** Returns the 0-based line near `start` with which each sought line aligns, if any; none if there are too many. */
export function pairsNear(index: TextIndex, start: number, sought: readonly string[]): readonly (number | undefined)[] {
  const pairs: (number | undefined)[] = sought.map(() => undefined);
  if (sought.length < 2 || sought.length > reachBounds.soughtLines) return pairs;
  const lines = index.matchedLines;
  const from = Math.max(0, start - reachBounds.linesAround);
  const end = Math.min(lines.filledCount, start + sought.length + reachBounds.linesAround);
  const found = lines.contents(from, end).map((line) => line.trim());
  // For each sought line and each document line, the best value of an alignment of the lines before them, and its last step.
  const values = [found.map(() => 0)];
  values[0]!.push(0);
  const isPaired: boolean[][] = [];
  for (const [i, line] of sought.entries()) {
    const [above, row] = [values[i]!, [values[i]![0]! - noPartner]];
    const paired = found.map((content) => worthOf(line.trim(), content));
    isPaired.push([]);
    for (let j = 0; j < found.length; j++) {
      const pair = above[j]! + paired[j]!;
      const alone = Math.max(above[j + 1]! - noPartner, row[j]! - noPartner);
      isPaired[i]!.push(pair >= alone);
      row.push(Math.max(pair, alone));
    }
    values.push(row);
  }
  // Of alignments that are equally good, the one that ends nearest to where the text would end at `start` counts.
  const last = values.at(-1)!;
  const best = Math.max(...last);
  const away = (j: number): number => Math.abs(from + j - start - sought.length);
  let j = last.flatMap((value, at) => (value === best ? [at] : [])).reduce((a, b) => (away(b) < away(a) ? b : a));
  for (let i = sought.length; i > 0 && j > 0; ) {
    if (isPaired[i - 1]![j - 1]) pairs[--i] = from + --j;
    else if (values[i]![j] === values[i - 1]![j]! - noPartner) i--;
    else j--;
  }
  return pairs;
}

/** Returns the value of a pair of lines: equal ones, or ones that begin alike. */
function worthOf(wanted: string, found: string): number {
  const worth = /[\p{L}\p{N}]/u.test(wanted) ? tellingPair : plainPair;
  if (wanted === found) return worth;
  let same = 0;
  while (same < wanted.length && wanted[same] === found[same]) same++;
  const share = same / Math.max(wanted.length, found.length);
  return share < 0.5 ? 0 : (worth * share) / 2;
}
