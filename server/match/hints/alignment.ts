/** Lays an old text that was not found beside a part of the document, where some lines between are left out of it. */
import type { TextIndex } from "../textIndex.js";

/** Work bounds: lines that are skipped, lines of an old text for which some may be, lines that are laid beside, units of one. */
const bounds = { skippedLines: 10, gappedLines: 200, soughtLines: 1_000, comparedUnits: 600 } as const;

/** The lines of the old text beside those of the document, indentation aside. */
export interface Aligned {
  /** 0 to 1: how much of the old text stands there, in order. */
  readonly score: number;
  /** By line of the old text, the line that is the same; `undefined`: none is. */
  readonly lines: readonly (number | undefined)[];
  /** Whether it leaves lines of the document out. */
  readonly hasGap: boolean;
}

/** Line by line from a 0-based line on, or with some lines of the document skipped where more of the old text stands there then. */
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
  // A line alone tells nothing of the order.
  const isEnough = telling > 1 || (hasGap && at.length > 1);
  const score = isEnough ? Math.max(0, same / total - (hasGap ? 0.05 : 0) - 0.01 * skippedLines) : 0;
  return { score, lines: at, hasGap };
}
