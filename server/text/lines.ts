/**
 * A text's lines (0-based) and their offsets (in UTF-16 code units); helpers to compare lists of lines or words, and for long
 * work that runs in steps.
 */
import { diffArrays } from "diff";
import { limits } from "./limits.js";

const LF = 10;
const CR = 13;

/** Number of UTF-16 code units that long work processes per step. A step takes a few milliseconds. */
export const unitsPerStep = 524_288;

/**
 * Runs long work to completion without pausing. Long work is a generator that yields after each bounded step, so that
 * callers can serve other requests between steps.
 */
export function toEnd<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Uses binary search to find the first index in `[from, from + count)` for which `holds` is true; returns `from +
 * count` if there is none.
 */
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

/** A compact, growable list of offsets, for large texts with hundreds of thousands of lines. */
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

  /** Returns a copy of the offsets. */
  toArray(): Uint32Array {
    return this.offsets.slice(0, this.length);
  }
}

/** The rule for splitting a text into lines. LF and CRLF always end a line. */
export interface LineRule {
  /** `true` if a lone CR ends a line, as LSP specifies. All known editors treat it as an ordinary character instead. */
  readonly loneCrEndsLine: boolean;
}

/** The rule of texts that come from a caller: every kind of line ending ends a line. */
export const anyLineEnd: LineRule = { loneCrEndsLine: true };

/** A text and the offsets of its lines. A trailing line ending is followed by an empty last line. */
export class LineIndex {
  private constructor(
    /** The indexed text. */
    readonly text: string,
    readonly rule: LineRule,
    /** The offsets at which lines start, in ascending order; the first is 0. */
    private readonly starts: Uint32Array,
  ) {
    this.lineCount = starts.length;
    this.filledCount = starts.at(-1) === text.length ? starts.length - 1 : starts.length;
  }

  /** The number of lines, including an empty last line; at least 1. */
  readonly lineCount: number;
  /** The number of lines, not counting an empty last line. */
  readonly filledCount: number;

  /** Builds the index of a text in a single pass. */
  static of(text: string, rule: LineRule): LineIndex {
    return toEnd(LineIndex.building(text, rule));
  }

  /** Like `of`, but in steps. */
  static *building(text: string, rule: LineRule): Generator<void, LineIndex> {
    const starts = new OffsetList();
    starts.push(0);
    const scan = rule.loneCrEndsLine && text.includes("\r") ? scanStarts : findStarts;
    for (let from = 0; from < text.length; yield) from = scan(text, from, from + unitsPerStep, rule, starts);
    return new LineIndex(text, rule, starts.toArray());
  }

  /** Returns a line's start offset; the text's length if the line number is out of range. */
  start(line: number): number {
    return this.starts[line] ?? this.text.length;
  }

  /** Returns the offset after a line and its line ending, where the next line starts. */
  end(line: number): number {
    return this.start(line + 1);
  }

  /** Returns the offset after a line's content, where its line ending starts. */
  contentEnd(line: number): number {
    const end = this.end(line);
    if (line + 1 >= this.starts.length) return end;
    const twoUnits = this.text.charCodeAt(end - 1) === LF && this.text.charCodeAt(end - 2) === CR;
    return twoUnits && end - 2 >= this.start(line) ? end - 2 : end - 1;
  }

  /** Returns a line without its line ending. */
  content(line: number): string {
    return this.text.slice(this.start(line), this.contentEnd(line));
  }

  /** Returns the lines `[from, to)` without their line endings; none if `to` is not greater. */
  contents(from: number, to: number): string[] {
    return Array.from({ length: Math.max(0, to - from) }, (_, i) => this.content(from + i));
  }

  /** Like `contents`, but with the line endings. */
  whole(from: number, to: number): string[] {
    return Array.from({ length: Math.max(0, to - from) }, (_, i) =>
      this.text.slice(this.start(from + i), this.end(from + i)),
    );
  }

  /** Returns a line's ending: `\n`, `\r\n` or `\r`, or the empty string for the last line. */
  terminator(line: number): string {
    return this.text.slice(this.contentEnd(line), this.end(line));
  }

  /**
   * Returns the line that contains an offset. A line includes its line ending; the offset at the end of the text
   * belongs to the last line.
   */
  lineAt(offset: number): number {
    return firstIndex(this.starts.length - 1, (i) => this.starts[i + 1]! > offset);
  }

  /**
   * Returns the index of `textAfter`, which is this text with `[from, to)` replaced by `insert`. Scans only the
   * inserted text and the code unit before it; earlier line starts are kept, and later ones are shifted.
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

/**
 * Appends to `starts` the offset after each line ending in `[from, to)`; returns `to`. A CRLF is in the range if its LF
 * is.
 */
function scanStarts(text: string, from: number, to: number, rule: LineRule, starts: OffsetList): number {
  for (let i = from; i < Math.min(to, text.length); i++) {
    const unit = text.charCodeAt(i);
    if (unit === LF || (unit === CR && rule.loneCrEndsLine && text.charCodeAt(i + 1) !== LF)) starts.push(i + 1);
  }
  return to;
}

/**
 * Like `scanStarts`, but only for LF. Continues to the first LF at or after `to` and returns the offset after it; if
 * there is none, returns the text's length.
 */
function findStarts(text: string, from: number, to: number, _rule: LineRule, starts: OffsetList): number {
  let start = from;
  // The built-in search is several times faster than a loop over every unit.
  while (start <= to) {
    const at = text.indexOf("\n", start);
    if (at === -1) return text.length;
    start = at + 1;
    starts.push(start);
  }
  return start;
}

/** A run of units of list A, `[from, to)`, that was replaced by the units `[fromB, toB)` of list B. Either may be empty. */
export interface Replaced {
  readonly from: number;
  readonly to: number;
  readonly fromB: number;
  readonly toB: number;
}

/** Returns the runs of units in which two lists differ; equal units at the ends are not compared again. */
export function replacedIn(old: readonly string[], next: readonly string[]): readonly Replaced[] {
  const { head, tail } = sharedEnds(old, next);
  const whole = { from: head, to: old.length - tail, fromB: head, toB: next.length - tail };
  const [count, countB] = [whole.to - head, whole.toB - head];
  if (count === 0 && countB === 0) return [];
  // If one unit replaces another, or if there are none in one of the lists, there is nothing to align.
  if (count === 0 || countB === 0 || (count === 1 && countB === 1)) return [whole];
  const options = { maxEditLength: limits.alignDistance };
  const parts = diffArrays(old.slice(head, whole.to), next.slice(head, whole.toB), options);
  if (parts === undefined) return [whole];
  const all: { from: number; to: number; fromB: number; toB: number }[] = [];
  let [at, atB, isOpen] = [head, head, false];
  for (const { removed, added, count } of parts) {
    if ((removed || added) && !isOpen) all.push({ from: at, to: at, fromB: atB, toB: atB });
    isOpen = removed || added;
    if (!added) at += count;
    if (!removed) atB += count;
    if (isOpen) Object.assign(all.at(-1)!, { to: at, toB: atB });
  }
  return all;
}

/** Counts the equal units, or bytes, at the start and at the end of two lists; none is counted twice. */
export function sharedEnds<T>(old: ArrayLike<T>, next: ArrayLike<T>): { head: number; tail: number } {
  const room = Math.min(old.length, next.length);
  let head = 0;
  while (head < room && old[head] === next[head]) head++;
  let tail = 0;
  while (tail < room - head && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail++;
  return { head, tail };
}
