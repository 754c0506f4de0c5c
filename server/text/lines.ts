/** Where the lines of one text start and end: offsets in UTF-16 units, lines 0-based. And how to go through what is long. */

const LF = 10;
const CR = 13;

/** UTF-16 units of a text that are read in one step: some milliseconds. */
export const unitsPerStep = 524_288;

/**
 * Runs long work to its end at once, where nobody has to be served. Long work is a generator that yields after each bounded
 * step, so that who runs it can serve others in between.
 */
export function toEnd<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

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

/** A list of offsets that grows: a large text has hundreds of thousands. */
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

  /** The offsets as they are now. */
  toArray(): Uint32Array {
    return this.offsets.slice(0, this.length);
  }
}

/** What ends a line besides LF and CRLF. */
export interface LineRule {
  /** LSP says that a lone CR ends a line; the editors that we know say that it is a character like any other. */
  readonly loneCrEndsLine: boolean;
}

/** The lines of one text, which it keeps; a text that ends with a line end has an empty last line. */
export class LineIndex {
  private constructor(
    /** The text that the offsets belong to. */
    readonly text: string,
    readonly rule: LineRule,
    /** Ascending; the first is 0. */
    private readonly starts: Uint32Array,
  ) {}

  /** Scans the whole text once. */
  static of(text: string, rule: LineRule): LineIndex {
    return toEnd(LineIndex.building(text, rule));
  }

  /** The same in steps. */
  static *building(text: string, rule: LineRule): Generator<void, LineIndex> {
    const starts = new OffsetList();
    starts.push(0);
    const scan = rule.loneCrEndsLine && text.includes("\r") ? scanStarts : findStarts;
    for (let from = 0; from < text.length; yield) from = scan(text, from, from + unitsPerStep, rule, starts);
    return new LineIndex(text, rule, starts.toArray());
  }

  /** At least 1. */
  get lineCount(): number {
    return this.starts.length;
  }

  /** Lines, where what is behind the last line end is one only if there is something. */
  get filledCount(): number {
    return this.start(this.lineCount - 1) === this.text.length ? this.lineCount - 1 : this.lineCount;
  }

  /** Offset at which a line starts; for the line after the last one the text's length. */
  start(line: number): number {
    return this.starts[line] ?? this.text.length;
  }

  /** Offset right after a line's end, which is where the next line starts. */
  end(line: number): number {
    return this.start(line + 1);
  }

  /** Offset before a line's end. */
  contentEnd(line: number): number {
    const end = this.end(line);
    if (line + 1 >= this.starts.length) return end;
    const twoUnits = this.text.charCodeAt(end - 1) === LF && this.text.charCodeAt(end - 2) === CR;
    return twoUnits && end - 2 >= this.start(line) ? end - 2 : end - 1;
  }

  /** A line without its end. */
  content(line: number): string {
    return this.text.slice(this.start(line), this.contentEnd(line));
  }

  /** A line's end as it is written: `\n`, `\r\n`, `\r`, or nothing for the last line. */
  terminator(line: number): string {
    return this.text.slice(this.contentEnd(line), this.end(line));
  }

  /** The line that holds an offset; a line's end belongs to its line, and the text's length to the last line. */
  lineAt(offset: number): number {
    return firstIndex(this.starts.length - 1, (i) => this.starts[i + 1]! > offset);
  }

  /**
   * The index of the text after `[from, to)` was replaced by `insert`, which is handed in as `textAfter`.
   * Only the replaced part is scanned: starts before it stay, starts behind it are moved.
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

/** Adds the start of every line whose end lies in `[from, to)`, and returns `to`; a CR right before an LF is left to that LF. */
function scanStarts(text: string, from: number, to: number, rule: LineRule, starts: OffsetList): number {
  for (let i = from; i < Math.min(to, text.length); i++) {
    const unit = text.charCodeAt(i);
    if (unit === LF || (unit === CR && rule.loneCrEndsLine && text.charCodeAt(i + 1) !== LF)) starts.push(i + 1);
  }
  return to;
}

/** The same of lines that end with LF alone; goes on to the first end behind `to`, and returns where it stopped. */
function findStarts(text: string, from: number, to: number, _rule: LineRule, starts: OffsetList): number {
  let start = from;
  // The engine's own search is several times faster than a look at every unit.
  while (start <= to) {
    const at = text.indexOf("\n", start);
    if (at === -1) return text.length;
    start = at + 1;
    starts.push(start);
  }
  return start;
}
