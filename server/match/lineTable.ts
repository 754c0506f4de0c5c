/** The lines of one text, folded and hashed once, so that a run of lines can be found without comparing every line. */
import { isBlank } from "../text/chars.js";
import { firstIndex, type LineIndex, unitsPerStep } from "../text/lines.js";
import { plainUnit, plainWidth } from "./fold.js";
import { findAllNumbers } from "./search/findAll.js";

/**
 * The differences that a comparison of lines ignores. `nothing`: none. `trailingBlanks`: whitespace at line ends.
 * `blanks`: whitespace at both ends of a line. `innerBlanks`: in addition, the length of whitespace within a line.
 * `blanksAndTypography`: whitespace at both ends, and typography. `blanksAndWidths`: in addition, full-width forms.
 */
export type LineFold =
  | "nothing"
  | "trailingBlanks"
  | "blanks"
  | "innerBlanks"
  | "blanksAndTypography"
  | "blanksAndWidths";

/** The range of lines to search for the start of a run of lines. Line numbers are 0-based. */
export interface LineRange {
  /** The first line at which a run may start. */
  readonly from: number;
  /** The only line at which a run may start; `undefined` if it may start at any line from `from` on. */
  readonly only?: number | undefined;
  /** The maximum number of starts to collect. */
  readonly most: number;
  /** `true` if the empty line after a final line ending counts as a line; by default, it does not. */
  readonly emptyLast?: boolean;
}

/** A hash table of the lines of a text under one fold. */
export class LineTable {
  /** Number of lines; an empty line after the last line ending does not count. */
  readonly lineCount: number;
  /** The line numbers of all buckets: those of bucket `b` are at `[starts[b], starts[b + 1])`, in ascending order. */
  private readonly byBucket: Int32Array;
  private readonly starts: Int32Array;
  private readonly mask: number;

  private constructor(
    private readonly lines: LineIndex,
    private readonly fold: LineFold,
    /** One hash for each line. */
    private readonly hashes: Int32Array,
  ) {
    this.lineCount = lines.filledCount;
    let size = 16;
    while (size < this.hashes.length) size *= 2;
    this.mask = size - 1;
    this.starts = new Int32Array(size + 1);
    for (const hash of this.hashes) this.starts[(hash & this.mask) + 1]!++;
    for (let bucket = 0; bucket < size; bucket++) this.starts[bucket + 1]! += this.starts[bucket]!;
    const next = this.starts.slice(0, size);
    this.byBucket = new Int32Array(this.hashes.length);
    for (let line = 0; line < this.hashes.length; line++) {
      const bucket = this.hashes[line]! & this.mask;
      this.byBucket[next[bucket]!++] = line;
    }
  }

  /** Hashes the lines in steps. */
  static *building(lines: LineIndex, fold: LineFold): Generator<void, LineTable> {
    const { text, lineCount } = lines;
    const hashes = new Int32Array(lineCount);
    let line = 0;
    while (line < lineCount) {
      for (const end = lines.start(line) + unitsPerStep; line < lineCount && lines.start(line) < end; line++) {
        hashes[line] = hashOf(text, lines.start(line), lines.contentEnd(line), fold);
      }
      yield;
    }
    return new LineTable(lines, fold, hashes);
  }

  /** Returns, in ascending order, the 0-based lines at which a run of lines starts. The run must not be empty. */
  find(run: readonly string[], { from, only, most, emptyLast = false }: LineRange): number[] {
    const length = run.length;
    const latest = (emptyLast ? this.hashes.length : this.lineCount) - length;
    if (latest < from) return [];
    const wanted = Int32Array.from(run, (line) => hashOf(line, 0, line.length, this.fold));
    const isHere = (start: number): boolean =>
      wanted.every((hash, i) => this.hashes[start + i] === hash) &&
      run.every((line, i) => this.isLine(start + i, line));
    if (only !== undefined) return only >= from && only <= latest && isHere(only) ? [only] : [];
    const rarest = this.rarest(wanted);
    const end = this.starts[(wanted[rarest]! & this.mask) + 1]!;
    const found: number[] = [];
    // If even the rarest line is frequent, comparing the run at each occurrence of it could take quadratic time.
    let budget = 4 * this.lineCount + 1_000;
    for (let i = this.firstAt(wanted[rarest]!, from + rarest); i < end && found.length < most; i++) {
      const start = this.byBucket[i]! - rarest;
      if (start > latest) break;
      budget -= length;
      if (budget < 0)
        return [...found, ...this.findByNumbers(run, { from: start, end: latest + length, most: most - found.length })];
      if (isHere(start)) found.push(start);
    }
    return found;
  }

  /** Like `find`, but in linear time: gives identical lines the same number and searches for a run of numbers. */
  private findByNumbers(
    run: readonly string[],
    { from, end, most }: { readonly from: number; readonly end: number; readonly most: number },
  ): number[] {
    const known = new Map<number, { readonly line: string; readonly number: number }[]>();
    const pattern = Int32Array.from(run, (line, number) => {
      const hash = hashOf(line, 0, line.length, this.fold);
      const alike = known.get(hash) ?? [];
      known.set(hash, alike);
      const same = alike.find((one) => isEqual(one.line, line, this.fold));
      if (same === undefined) alike.push({ line, number });
      return same?.number ?? number;
    });
    const numbers = new Int32Array(end - from).fill(-1);
    for (let line = from; line < end; line++) {
      const alike = known.get(this.hashes[line]!);
      numbers[line - from] = alike?.find((one) => this.isLine(line, one.line))?.number ?? -1;
    }
    return findAllNumbers(numbers, pattern, most).map((offset) => from + offset);
  }

  /** Returns the index in `wanted` of the hash whose bucket is the smallest. */
  private rarest(wanted: Int32Array): number {
    let best = 0;
    let fewest = Number.POSITIVE_INFINITY;
    for (const [i, hash] of wanted.entries()) {
      const bucket = hash & this.mask;
      const places = this.starts[bucket + 1]! - this.starts[bucket]!;
      if (places < fewest) [best, fewest] = [i, places];
    }
    return best;
  }

  /** Returns the index in `byBucket` of a hash's first entry at or after a given line. */
  private firstAt(hash: number, line: number): number {
    const start = this.starts[hash & this.mask]!;
    const count = this.starts[(hash & this.mask) + 1]! - start;
    return firstIndex(count, (i) => this.byBucket[i]! >= line, start);
  }

  /** Reports whether line `line` of the text equals `other` under the fold. */
  private isLine(line: number, other: string): boolean {
    return isEqual(this.lines.content(line), other, this.fold);
  }
}

/** Reports whether two lines are equal under a fold. */
function isEqual(one: string, other: string, fold: LineFold): boolean {
  let [a, aEnd] = bounds(one, 0, one.length, fold);
  let [b, bEnd] = bounds(other, 0, other.length, fold);
  const isSpaced = fold === "innerBlanks";
  if (!isSpaced && aEnd - a !== bEnd - b) return false;
  for (; a < aEnd && b < bEnd; a++, b++) {
    const [unit, otherUnit] = [one.charCodeAt(a), other.charCodeAt(b)];
    if (isSpaced && isTrimmed(unit) && isTrimmed(otherUnit)) {
      a = endOfBlanks(one, a);
      b = endOfBlanks(other, b);
    } else if (unit !== otherUnit && plainOf(unit, fold) !== plainOf(otherUnit, fold)) return false;
  }
  return a === aEnd && b === bEnd;
}

/** Returns the offset of the last unit of the whitespace that starts at an offset within a line. */
function endOfBlanks(line: string, from: number): number {
  let end = from;
  while (isTrimmed(line.charCodeAt(end + 1))) end++;
  return end;
}

/** Returns the form of a unit that a fold compares. */
function plainOf(unit: number, fold: LineFold): number {
  if (unit <= 0x7f) return unit;
  if (fold === "blanksAndTypography") return plainUnit(unit);
  return fold === "blanksAndWidths" ? plainWidth(unit) : unit;
}

/** Shrinks `[from, to)` by the whitespace at either end that the fold ignores, such as a patch line's CR. */
function bounds(text: string, from: number, to: number, fold: LineFold): [number, number] {
  let [start, end] = [from, to];
  if (fold === "nothing") return [start, end];
  while (end > start && isTrimmed(text.charCodeAt(end - 1))) end--;
  if (fold !== "trailingBlanks") while (start < end && isTrimmed(text.charCodeAt(start))) start++;
  return [start, end];
}

const isTrimmed = (unit: number): boolean => isBlank(unit) || unit === 10 || unit === 13;

function hashOf(text: string, from: number, to: number, fold: LineFold): number {
  const [start, end] = bounds(text, from, to, fold);
  if (fold === "innerBlanks") return spacedHashOf(text, start, end);
  const isPlain = fold === "blanksAndTypography" || fold === "blanksAndWidths";
  let hash = end - start;
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    hash = Math.imul(hash ^ (isPlain && unit > 0x7f ? plainOf(unit, fold) : unit), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}

/** Returns the hash of a trimmed line in which all whitespace counts as one space. */
function spacedHashOf(text: string, start: number, end: number): number {
  let hash = 0;
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    const isSpace = isTrimmed(unit);
    if (isSpace) i = endOfBlanks(text, i);
    hash = Math.imul(hash ^ (isSpace ? 0x20 : unit), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}
