/** A text in which certain differences are folded away, with a map from its offsets to those of the original text. */
import { isBlank, trimEnd } from "../text/chars.js";
import { firstIndex, OffsetList, toEnd, unitsPerStep } from "../text/lines.js";

/**
 * The folds. Each ignores certain differences, in addition to those that the preceding folds ignore. `lineEnds`: the
 * kind of line ending. `trailingBlanks`: whitespace at line ends. `typography`: curly quotes, dashes, ellipses,
 * typographic spaces and full-width forms.
 */
export type Fold = "nothing" | "lineEnds" | "trailingBlanks" | "typography";

/** A folded text and its map to the original. Outside the stretches that the map marks, units correspond one to one. */
export class Folded {
  private constructor(
    readonly text: string,
    /**
     * Four offsets (`folded`, `foldedEnd`, `original` and `originalEnd`) for each stretch of text whose length the fold
     * changed, in text order. The stretch `[folded, foldedEnd)` of the folded text corresponds to `[original,
     * originalEnd)` of the original.
     */
    private readonly marks: Uint32Array,
  ) {}

  /** Folds a whole text in one pass. */
  static of(text: string, fold: Fold): Folded {
    return toEnd(Folded.folding(text, fold));
  }

  /** Like `of`, but in steps. */
  static *folding(text: string, fold: Fold): Generator<void, Folded> {
    if (fold === "nothing" || (fold === "lineEnds" && !text.includes("\r"))) return new Folded(text, new Uint32Array());
    const builder = new FoldBuilder(text, fold);
    for (let at = 0; at <= text.length; yield) at = builder.foldTo(at, at + unitsPerStep);
    return new Folded(builder.folded(), builder.marks.toArray());
  }

  /**
   * Maps the start of a place from the folded text to the original. Whitespace folded away at this point lies before
   * the start. Returns `undefined` for an offset inside the expansion of a single unit, such as `...` for an ellipsis,
   * where no place can start.
   */
  startOf(offset: number): number | undefined {
    return this.original(offset, offset);
  }

  /** Like `startOf`, but for the end of a place: whitespace folded away at this point lies after the end. */
  endOf(offset: number): number | undefined {
    return this.original(offset, offset - 1);
  }

  /** Maps an offset of the folded text to the original. Uses the last mark whose `folded` is at or before `start`. */
  private original(offset: number, start: number): number | undefined {
    const { marks } = this;
    const at = 4 * (firstIndex(marks.length / 4, (i) => marks[4 * i]! > start) - 1);
    if (at < 0) return offset;
    if (offset >= marks[at + 1]!) return marks[at + 3]! + (offset - marks[at + 1]!);
    return offset === marks[at] ? marks[at + 2] : undefined;
  }
}

/** The state of one pass over a text: the part folded so far, and its marks. */
class FoldBuilder {
  readonly marks = new OffsetList();
  private readonly parts: string[] = [];
  private copied = 0;
  private length = 0;
  private readonly hasBlanks: boolean;
  private readonly hasTypography: boolean;
  /** Offsets of the first CR and LF at or after the current line's start, cached so that no part is searched twice. */
  private nextCr = -1;
  private nextLf = -1;

  constructor(
    private readonly text: string,
    fold: Fold,
  ) {
    this.hasBlanks = fold !== "lineEnds";
    this.hasTypography = fold === "typography" && hasTypography(text);
  }

  /** Folds whole lines, from `from` (the start of a line) until `to` is reached. Returns the start of the next line. */
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

  /** Returns the offset at which a line's content ends: that of the next CR or LF, or the end of the text. */
  private endOfLine(start: number): number {
    if (this.nextCr < start) this.nextCr = indexOf(this.text, "\r", start);
    if (this.nextLf < start) this.nextLf = indexOf(this.text, "\n", start);
    return Math.min(this.nextCr, this.nextLf, this.text.length);
  }

  private foldTypography(from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const unit = this.text.charCodeAt(i);
      if (unit <= 0x7f) continue;
      const plain = plainWidth(unit);
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

/** Returns the plain form that Codex's table gives for a typographic character; returns any other unit unchanged. */
export function plainUnit(unit: number): number {
  if (unit === 0xa0 || unit === 0x3000) return 0x20;
  if (unit < 0x2002 || unit > 0x2212) return unit;
  if (unit <= 0x200a || unit === 0x202f || unit === 0x205f) return 0x20;
  if ((unit >= 0x2010 && unit <= 0x2015) || unit === 0x2212) return 0x2d;
  if (unit >= 0x2018 && unit <= 0x201b) return 0x27;
  return unit >= 0x201c && unit <= 0x201f ? 0x22 : unit;
}

/** Like `plainUnit`, but also returns the ASCII character for a full-width form (U+FF01 to U+FF5E). */
export function plainWidth(unit: number): number {
  return unit >= 0xff01 && unit <= 0xff5e ? unit - 0xfee0 : plainUnit(unit);
}

/** Reports whether a text may contain a character that `typography` folds; false positives are possible. */
export function hasTypography(text: string): boolean {
  return /[\u00a0\u2000-\u3000\uff01-\uff5e]/.test(text);
}
