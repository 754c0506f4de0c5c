/** Where the lines of one text start and end: offsets in UTF-16 units, lines 0-based. */
import { toEnd, unitsPerStep } from "./slices.js";

const LF = 10;
const CR = 13;

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
    const starts = new Starts();
    starts.push(0);
    if (rule.loneCrEndsLine && text.includes("\r")) {
      for (let from = 0; from < text.length; from += unitsPerStep) {
        const to = Math.min(from + unitsPerStep, text.length);
        scanStarts(text, { from, to }, rule, (start) => starts.push(start));
        if (to < text.length) yield;
      }
    } else {
      for (let at = 0; ; yield) {
        at = starts.pushLines(text, at, at + unitsPerStep);
        if (at === -1) break;
      }
    }
    return new LineIndex(text, rule, starts.taken());
  }

  /** At least 1. */
  get lineCount(): number {
    return this.starts.length;
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
    const added: number[] = [];
    scanStarts(textAfter, { from: scanFrom, to: from + insert.length }, this.rule, (start) => added.push(start));
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

/** A list of offsets that grows. */
class Starts {
  private offsets = new Uint32Array(16);
  private count = 0;

  push(offset: number): void {
    if (this.count === this.offsets.length) {
      const larger = new Uint32Array(2 * this.count);
      larger.set(this.offsets);
      this.offsets = larger;
    }
    this.offsets[this.count++] = offset;
  }

  /** Adds the starts that lie behind one offset and up to another, and the next one, which it returns; -1: there is none. */
  pushLines(text: string, from: number, to: number): number {
    let start = from;
    // The engine's own search is several times faster than a look at every unit.
    while (start <= to) {
      const at = text.indexOf("\n", start);
      if (at === -1) return -1;
      start = at + 1;
      this.push(start);
    }
    return start;
  }

  taken(): Uint32Array {
    return this.offsets.slice(0, this.count);
  }
}

/** Reports the start of every line whose end lies in `[from, to)`; a CR right before an LF is left to that LF. */
function scanStarts(
  text: string,
  range: { from: number; to: number },
  rule: LineRule,
  report: (start: number) => void,
): void {
  for (let i = range.from; i < range.to; i++) {
    const unit = text.charCodeAt(i);
    if (unit === LF || (unit === CR && rule.loneCrEndsLine && text.charCodeAt(i + 1) !== LF)) report(i + 1);
  }
}

/** The first of `count` indices, from `from` on, for which something holds, if it holds for all after it; `from + count`: for none. */
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
