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

/**
 * Aligns the sought lines with the document's lines from the 0-based line `start` on. Skips document lines if that
 * raises the score.
 */
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
