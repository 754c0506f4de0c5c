/** The lines of a text (0-based) and their offsets (in UTF-16 units), and helpers for long work that runs in steps. */

const LF = 10;
const CR = 13;

/** UTF-16 units of a text that are read in one step, which takes a few milliseconds. */
export const unitsPerStep = 524_288;

/**
 * Runs long work to its end at once, for a caller that need not serve others meanwhile. Long work is a generator that
 * yields after each bounded step, so that its caller can serve others in between.
 */
export function toEnd<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Returns the first index in `[from, from + count)` from which `holds` stays true; `from + count` if there is none. */
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

/** A growing, compact list of offsets, for large texts with hundreds of thousands of lines. */
export class OffsetList {
  private offsets = new Uint32Array(16);
  length = 0;

  push(offset: number): void {
    if (this.length === this.offsets.length) {
      const larger = new Uint32Array(2 * this.length);
      larger.set(this.offsets);
      this.offsets = larger;
    }
    this.offsets[this.length++] = offset;
  }

  /** Returns a copy of the offsets that the list now contains. */
  toArray(): Uint32Array {
    return this.offsets.slice(0, this.length);
  }
}

/** The rule for line ends other than LF and CRLF. */
export interface LineRule {
  /** `true` if a lone CR ends a line, as LSP says; to all known editors it is a character like any other. */
  readonly loneCrEndsLine: boolean;
}

/** The lines of one text, together with the text. A text that ends with a line end has an empty last line. */
export class LineIndex {
  private constructor(
    /** The text that the offsets belong to. */
    readonly text: string,
    readonly rule: LineRule,
    /** The offsets at which lines start, ascending; the first is 0. */
    private readonly starts: Uint32Array,
  ) {}

  /** Scans the whole text once. */
  static of(text: string, rule: LineRule): LineIndex {
    return toEnd(LineIndex.building(text, rule));
  }

  /** Like `of`, in steps. */
  static *building(text: string, rule: LineRule): Generator<void, LineIndex> {
    const starts = new OffsetList();
    starts.push(0);
    const scan = rule.loneCrEndsLine && text.includes("\r") ? scanStarts : findStarts;
    for (let from = 0; from < text.length; yield) from = scan(text, from, from + unitsPerStep, rule, starts);
    return new LineIndex(text, rule, starts.toArray());
  }

  /** Number of lines, at least 1; an empty last line counts. */
  get lineCount(): number {
    return this.starts.length;
  }

  /** Number of lines; the line after the last line end counts only if it is not empty. */
  get filledCount(): number {
    return this.start(this.lineCount - 1) === this.text.length ? this.lineCount - 1 : this.lineCount;
  }

  /** Returns the offset at which a line starts; for the line after the last one, the text's length. */
  start(line: number): number {
    return this.starts[line] ?? this.text.length;
  }

  /** Returns the offset right after a line's end, which is the start of the next line. */
  end(line: number): number {
    return this.start(line + 1);
  }

  /** Returns the offset at which a line's end starts. */
  contentEnd(line: number): number {
    const end = this.end(line);
    if (line + 1 >= this.starts.length) return end;
    const twoUnits = this.text.charCodeAt(end - 1) === LF && this.text.charCodeAt(end - 2) === CR;
    return twoUnits && end - 2 >= this.start(line) ? end - 2 : end - 1;
  }

  /** Returns a line without its end. */
  content(line: number): string {
    return this.text.slice(this.start(line), this.contentEnd(line));
  }

  /** Returns a line's end as it is written: `\n`, `\r\n`, `\r`, or nothing for the last line. */
  terminator(line: number): string {
    return this.text.slice(this.contentEnd(line), this.end(line));
  }

  /** Returns the line of an offset; a line's end belongs to its line, and the text's length to the last line. */
  lineAt(offset: number): number {
    return firstIndex(this.starts.length - 1, (i) => this.starts[i + 1]! > offset);
  }

  /**
   * Returns the line index of `textAfter`, which is this text with `[from, to)` replaced by `insert`.
   * Only the replaced part is scanned: line starts before it stay, and those after it are shifted.
   */
  edited(from: number, to: number, insert: string, textAfter: string): LineIndex {
    const scanFrom = Math.max(0, from - 1);
    const kept = this.lineAt(scanFrom) + 1;
    const found = new OffsetList();
    scanStarts(textAfter, scanFrom, from + insert.length, this.rule, found);
    const added = found.toArray();
    const firstMoved = this.lineAt(to) + 1;
    const moved = this.starts.length - firstMoved;
    const starts = new Uint32Array(kept + added.length + moved);
    starts.set(this.starts.subarray(0, kept));
    starts.set(added, kept);
    const delta = insert.length - (to - from);
    for (let i = 0; i < moved; i++) starts[kept + added.length + i] = this.start(firstMoved + i) + delta;
    return new LineIndex(textAfter, this.rule, starts);
  }
}

/** For each line end in `[from, to)`, adds the start of the line after it; returns `to`. A CRLF counts at its LF. */
function scanStarts(text: string, from: number, to: number, rule: LineRule, starts: OffsetList): number {
  for (let i = from; i < Math.min(to, text.length); i++) {
    const unit = text.charCodeAt(i);
    if (unit === LF || (unit === CR && rule.loneCrEndsLine && text.charCodeAt(i + 1) !== LF)) starts.push(i + 1);
  }
  return to;
}

/** Like `scanStarts`, for LF alone; continues to the first line end at or after `to`, and returns where it stopped. */
function findStarts(text: string, from: number, to: number, _rule: LineRule, starts: OffsetList): number {
  let start = from;
  // The engine's own search is several times faster than a loop over every unit.
  while (start <= to) {
    const at = text.indexOf("\n", start);
    if (at === -1) return text.length;
    start = at + 1;
    starts.push(start);
  }
  return start;
}
