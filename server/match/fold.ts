/** Texts with a difference folded away, and the way back from an offset of the folded text to the text as it is. */

import { isBlank, trimEnd } from "../text/chars.js";
import { firstIndex, OffsetList, toEnd, unitsPerStep } from "../text/lines.js";

/**
 * What a fold takes away: `lineEnds` the difference of CRLF, CR and LF; `trailingBlanks` those and blanks at line ends;
 * `typography` all that and curly quotes, dashes, ellipsis and typographic spaces.
 */
export type Fold = "nothing" | "lineEnds" | "trailingBlanks" | "typography";

/** A folded text; between marks its units stand for units of the original, one to one. */
export class Folded {
  private constructor(
    readonly text: string,
    /**
     * Of each stretch that is not one unit to one unit, in the order of the text, four offsets: `[folded, foldedEnd)` stands
     * for `[original, originalEnd)`.
     */
    private readonly marks: Uint32Array,
  ) {}

  /** Folds a whole text in one pass. */
  static of(text: string, fold: Fold): Folded {
    return toEnd(Folded.folding(text, fold));
  }

  /** The same in steps. */
  static *folding(text: string, fold: Fold): Generator<void, Folded> {
    if (fold === "nothing" || (fold === "lineEnds" && !text.includes("\r"))) return new Folded(text, new Uint32Array());
    const builder = new FoldBuilder(text, fold);
    for (let at = 0; at <= text.length; yield) at = builder.foldTo(at, at + unitsPerStep);
    return new Folded(builder.folded(), builder.marks.toArray());
  }

  /**
   * The original offset at which a place starts that starts at an offset of the folded text: behind folded blanks.
   * `undefined`: inside a unit that was expanded, which is no place to start.
   */
  startOf(offset: number): number | undefined {
    return this.original(offset, offset);
  }

  /** The original offset at which a place ends: in front of folded blanks. `undefined` as for `startOf`. */
  endOf(offset: number): number | undefined {
    return this.original(offset, offset - 1);
  }

  /** By the last mark that starts at an offset of the folded text or in front of it. */
  private original(offset: number, start: number): number | undefined {
    const { marks } = this;
    const at = 4 * (firstIndex(marks.length / 4, (i) => marks[4 * i]! > start) - 1);
    if (at < 0) return offset;
    if (offset >= marks[at + 1]!) return marks[at + 3]! + (offset - marks[at + 1]!);
    return offset === marks[at] ? marks[at + 2] : undefined;
  }
}

/** State of one pass: what was folded so far, and where. */
class FoldBuilder {
  readonly marks = new OffsetList();
  private readonly parts: string[] = [];
  private copied = 0;
  private length = 0;
  private readonly hasBlanks: boolean;
  private readonly hasTypography: boolean;
  /** The next ones from the line on in which the pass is, each looked for once. */
  private nextCr = -1;
  private nextLf = -1;

  constructor(
    private readonly text: string,
    fold: Fold,
  ) {
    this.hasBlanks = fold !== "lineEnds";
    this.hasTypography = fold === "typography" && hasTypography(text);
  }

  /** Folds whole lines from the start of one on up to about another offset, and returns where to go on. */
  foldTo(from: number, to: number): number {
    const { text, hasBlanks } = this;
    let start = from;
    while (start <= text.length && start < to) {
      const end = this.endOfLine(start);
      const isBlankEnd = hasBlanks && end > start && isBlank(text.charCodeAt(end - 1));
      const contentEnd = isBlankEnd ? trimEnd(text, start, end) : end;
      if (this.hasTypography) this.foldTypography(start, contentEnd);
      if (isBlankEnd) this.replace(contentEnd, end, "");
      start = this.nextCr === end && this.nextLf === end + 1 ? end + 2 : end + 1;
      if (this.nextCr === end) this.replace(end, start, "\n");
    }
    return start;
  }

  /** Where a line ends: at the next CR or LF, or with the text. */
  private endOfLine(start: number): number {
    if (this.nextCr < start) this.nextCr = indexOf(this.text, "\r", start);
    if (this.nextLf < start) this.nextLf = indexOf(this.text, "\n", start);
    return Math.min(this.nextCr, this.nextLf, this.text.length);
  }

  private foldTypography(from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const unit = this.text.charCodeAt(i);
      if (unit <= 0x7f) continue;
      const plain = plainUnit(unit);
      if (unit === ellipsis) this.replace(i, i + 1, "...");
      else if (plain !== unit) this.replace(i, i + 1, String.fromCharCode(plain));
    }
  }

  folded(): string {
    if (this.copied === 0) return this.text;
    this.parts.push(this.text.slice(this.copied));
    return this.parts.join("");
  }

  private replace(from: number, to: number, plain: string): void {
    if (from > this.copied) this.parts.push(this.text.slice(this.copied, from));
    if (plain !== "") this.parts.push(plain);
    const folded = this.length + (from - this.copied);
    this.length = folded + plain.length;
    this.copied = to;
    if (plain.length === to - from) return;
    this.marks.push(folded);
    this.marks.push(this.length);
    this.marks.push(from);
    this.marks.push(to);
  }
}

const ellipsis = 0x2026;

function indexOf(text: string, unit: string, from: number): number {
  const at = text.indexOf(unit, from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
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
