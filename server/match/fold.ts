/** Texts with a difference folded away, and the way back from an offset of the folded text to the text as it is. */

import { isBlank, trimEnd } from "../text/chars.js";
import { firstIndex, toEnd, unitsPerStep } from "../text/lines.js";

/** What a fold takes away besides the difference of CRLF, CR and LF. */
export interface FoldOptions {
  /** Blanks at line ends. */
  readonly trailingBlanks: boolean;
  /** Curly quotes, dashes, ellipsis and typographic spaces. */
  readonly typography: boolean;
}

/** A stretch that is not one unit to one unit: `[folded, foldedEnd)` stands for `[original, originalEnd)`. */
interface Mark {
  readonly folded: number;
  readonly foldedEnd: number;
  readonly original: number;
  readonly originalEnd: number;
}

/** A folded text; between marks its units stand for units of the original, one to one. */
export class Folded {
  private constructor(
    readonly text: string,
    private readonly marks: Marks,
  ) {}

  /** Folds a whole text in one pass. */
  static of(text: string, options: FoldOptions): Folded {
    return toEnd(Folded.folding(text, options));
  }

  /** The same in steps. */
  static *folding(text: string, options: FoldOptions): Generator<void, Folded> {
    if (!options.trailingBlanks && !options.typography) return yield* Folded.foldingLineEnds(text);
    const builder = new FoldBuilder(text, options);
    yield* text.includes("\r") || (options.typography && hasTypography(text)) ? builder.run() : builder.runLines();
    return new Folded(builder.folded(), builder.marks);
  }

  /** Only line ends are folded: what the engine replaces by itself, unless there are lone CRs. */
  private static *foldingLineEnds(text: string): Generator<void, Folded> {
    const marks = new Marks();
    if (!text.includes("\r")) return new Folded(text, marks);
    if (/\r(?!\n)/.test(text)) {
      const builder = new FoldBuilder(text, { trailingBlanks: false, typography: false });
      yield* builder.run();
      return new Folded(builder.folded(), builder.marks);
    }
    let gone = 0;
    let pause = unitsPerStep;
    for (let at = text.indexOf("\r\n"); at !== -1; at = text.indexOf("\r\n", at + 2)) {
      marks.push(at - gone, at - gone + 1, at, at + 2);
      gone++;
      if (at < pause) continue;
      pause = at + unitsPerStep;
      yield;
    }
    return new Folded(text.replaceAll("\r\n", "\n"), marks);
  }

  /**
   * The original offset at which a place starts that starts at an offset of the folded text: behind folded blanks.
   * `undefined`: inside a unit that was expanded, which is no place to start.
   */
  startOf(offset: number): number | undefined {
    return this.original(offset, this.marks.last(offset));
  }

  /** The original offset at which a place ends: in front of folded blanks. `undefined` as for `startOf`. */
  endOf(offset: number): number | undefined {
    return this.original(offset, this.marks.last(offset - 1));
  }

  private original(offset: number, mark: Mark | undefined): number | undefined {
    if (mark === undefined) return offset;
    if (offset >= mark.foldedEnd) return mark.originalEnd + (offset - mark.foldedEnd);
    return offset === mark.folded ? mark.original : undefined;
  }
}

/** Marks in the order of the text, in one array of numbers: a large text has hundreds of thousands. */
class Marks {
  private numbers = new Int32Array(16);
  private count = 0;

  push(folded: number, foldedEnd: number, original: number, originalEnd: number): void {
    const at = 4 * this.count++;
    if (at === this.numbers.length) {
      const larger = new Int32Array(2 * at);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[at] = folded;
    this.numbers[at + 1] = foldedEnd;
    this.numbers[at + 2] = original;
    this.numbers[at + 3] = originalEnd;
  }

  /** Forgets the marks at or behind an original offset. */
  dropFrom(original: number): void {
    while (this.count > 0 && this.numbers[4 * this.count - 2]! >= original) this.count--;
  }

  /** The last mark that starts at an offset of the folded text or in front of it; `undefined`: there is none. */
  last(offset: number): Mark | undefined {
    const low = firstIndex(this.count, (i) => this.numbers[4 * i]! > offset) - 1;
    if (low < 0) return undefined;
    const [folded, foldedEnd, original, originalEnd] = this.numbers.subarray(4 * low, 4 * low + 4);
    return { folded: folded!, foldedEnd: foldedEnd!, original: original!, originalEnd: originalEnd! };
  }
}

const LF = 10;
const CR = 13;

/** State of one pass: what was folded so far, and where. */
class FoldBuilder {
  readonly marks = new Marks();
  private readonly parts: string[] = [];
  /** For each part the offset up to which the text had been dealt with before it. */
  private readonly origins: number[] = [];
  private copied = 0;
  private length = 0;
  /** Where the line starts in which the pass is. */
  private lineStart = 0;

  constructor(
    private readonly text: string,
    private readonly options: FoldOptions,
  ) {}

  *run(): Generator<void, void> {
    for (let from = 0; from <= this.text.length; yield) from = this.runTo(from, from + unitsPerStep);
  }

  /** Folds from one offset to about another, and returns where to go on. */
  private runTo(from: number, to: number): number {
    const { text } = this;
    let { lineStart } = this;
    let i = from;
    for (; i <= text.length && i < to; i++) {
      const unit = i < text.length ? text.charCodeAt(i) : LF;
      if (unit === LF || unit === CR) {
        this.foldBlanks(lineStart, i);
        if (unit === CR) {
          const end = text.charCodeAt(i + 1) === LF ? i + 2 : i + 1;
          this.replace(i, end, "\n");
          i = end - 1;
        }
        lineStart = i + 1;
      } else if (unit > 0x7f && this.options.typography) {
        const plain = plainOf(unit);
        if (plain !== undefined) this.replace(i, i + 1, plain);
      }
    }
    this.lineStart = lineStart;
    return i;
  }

  /** The same for a text with no CR, in which only blanks at line ends are folded: the search of the engine finds those. */
  *runLines(): Generator<void, void> {
    for (let start = 0; start <= this.text.length; yield) start = this.runLinesTo(start, start + unitsPerStep);
  }

  private runLinesTo(from: number, to: number): number {
    const { text } = this;
    let start = from;
    while (start <= text.length && start < to) {
      const found = text.indexOf("\n", start);
      const end = found === -1 ? text.length : found;
      this.foldBlanks(start, end);
      start = end + 1;
    }
    return start;
  }

  folded(): string {
    if (this.parts.length === 0) return this.text;
    this.copyTo(this.text.length);
    return this.parts.join("");
  }

  private foldBlanks(lineStart: number, lineEnd: number): void {
    if (!this.options.trailingBlanks || lineEnd === lineStart || !isBlank(this.text.charCodeAt(lineEnd - 1))) return;
    const end = trimEnd(this.text, lineStart, lineEnd);
    this.undoFrom(end);
    this.replace(end, lineEnd, "");
  }

  /** Forgets replacements at or behind an offset: trailing typographic spaces are trimmed, not exchanged. */
  private undoFrom(offset: number): void {
    while (this.copied > offset) {
      const part = this.parts.pop() as string;
      this.length -= part.length;
      this.copied = this.origins.pop() as number;
    }
    this.marks.dropFrom(offset);
  }

  private push(part: string, copied: number): void {
    this.origins.push(this.copied);
    this.parts.push(part);
    this.length += part.length;
    this.copied = copied;
  }

  private copyTo(offset: number): void {
    if (offset > this.copied) this.push(this.text.slice(this.copied, offset), offset);
  }

  private replace(from: number, to: number, plain: string): void {
    this.copyTo(from);
    const folded = this.length;
    this.push(plain, to);
    if (plain.length === to - from) return;
    this.marks.push(folded, folded + plain.length, from, to);
  }
}

/** Codex's table of typographic characters and their plain ones; a unit that is not in it stands for itself. */
export function plainUnit(unit: number): number {
  if (unit === 0xa0 || unit === 0x3000) return 0x20;
  if (unit < 0x2002 || unit > 0x2212) return unit;
  if (unit <= 0x200a || unit === 0x202f || unit === 0x205f) return 0x20;
  if ((unit >= 0x2010 && unit <= 0x2015) || unit === 0x2212) return 0x2d;
  if (unit >= 0x2018 && unit <= 0x201b) return 0x27;
  return unit >= 0x201c && unit <= 0x201f ? 0x22 : unit;
}

/** Whether a text may hold anything of that table: all of it is beyond ASCII. */
export function hasTypography(text: string): boolean {
  return /[\u00a0\u2000-\u3000]/.test(text);
}

/** That table and the ellipsis; `undefined`: stands for itself. */
function plainOf(unit: number): string | undefined {
  if (unit === 0x2026) return "...";
  const plain = plainUnit(unit);
  return plain === unit ? undefined : String.fromCharCode(plain);
}
