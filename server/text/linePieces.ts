/** A text in pieces, so that a change costs as much as a piece is long rather than the whole text. */
import { splitsCharacter } from "./chars.js";
import { limits } from "./limits.js";
import { LineIndex, type LineRule } from "./lines.js";

/** A position in a text, in the editor's units; its numbers may be any numbers. */
export interface TextPosition {
  readonly line: number;
  readonly character: number;
}

/** A range in a text. */
export interface TextRange {
  readonly start: TextPosition;
  readonly end: TextPosition;
}

/** Some lines of a text, as a text of their own. The first and the last one may be only parts of long lines. */
export interface LineWindow {
  /** The lines. If the window ends with a line ending, they end with an empty line that is not theirs. */
  readonly lines: LineIndex;
  /** The range for which the window was made, in the window. */
  readonly range: TextRange;
}

/**
 * A piece of a text. No piece but that of an empty text is empty, and no two pieces share a CRLF or a surrogate pair.
 */
interface TextPiece {
  readonly text: string;
  /** The number of line endings. */
  readonly breaks: number;
  /** The width of the text after the last line ending; of the whole piece if there is none. */
  readonly tail: number;
  /** The lines of `text`; `undefined` until they are needed. */
  lines: LineIndex | undefined;
}

/** The length of a text without line endings, in the editor's units. */
export type WidthOf = (text: string) => number;

/** Lengths in UTF-16 code units. */
export interface PieceSizes {
  /** The target length of a piece. */
  readonly pieceLength: number;
  /** The length of the longest line of which a window never has only a part. */
  readonly wholeLine: number;
}

/** The smallest target length of a piece, in UTF-16 code units. */
const shortPiece = 2_048;

/** The number of pieces that a long text is cut into at first. */
const mostPieces = 2_048;

const longEnough = (textLength: number): number => Math.max(shortPiece, Math.ceil(textLength / mostPieces));

const origin: TextPosition = { line: 0, character: 0 };

/** A text that changes. Cutting it, changing it and joining it take as long as the text, the changes and some pieces. */
export class LinePieces {
  /** The index of the piece that was used last, and the position at which it starts. */
  #at = 0;
  #start = origin;
  #length: number;
  readonly #pieces: TextPiece[];
  readonly #rule: LineRule;

  private constructor(
    lines: LineIndex,
    private readonly widthOf: WidthOf,
    private readonly sizes: PieceSizes,
  ) {
    this.#length = lines.text.length;
    this.#rule = lines.rule;
    this.#pieces = this.cut(lines);
  }

  /** Cuts a text into pieces: at the start of a line, or within a line that is longer than a piece. */
  static of(
    lines: LineIndex,
    widthOf: WidthOf,
    { pieceLength = longEnough(lines.text.length), wholeLine = limits.formerLineLength }: Partial<PieceSizes> = {},
  ): LinePieces {
    return new LinePieces(lines, widthOf, { pieceLength, wholeLine });
  }

  /** The length of the whole text, in UTF-16 code units. */
  get length(): number {
    return this.#length;
  }

  /** Joins the pieces. */
  get text(): string {
    return this.#pieces.map(({ text }) => text).join("");
  }

  /**
   * Returns a window with the text of a range. A position that is not in the text has no place in the window either. The
   * lines of the two positions are whole in the window unless they are longer than `wholeLine`. The window
   * is valid until the next call.
   */
  window({ start, end }: TextRange): LineWindow {
    this.goTo(start);
    const [first, from] = [this.#at, this.#start];
    this.goTo(end);
    const count = this.#at - first + 1;
    [this.#at, this.#start] = [first, from];
    if (count > 1) this.merge(count);
    const isShort = (line: number): boolean => {
      const lines = this.current();
      return lines.contentEnd(line) - lines.start(line) <= this.sizes.wholeLine;
    };
    while (this.#start.character > 0 && start.line === this.#start.line && isShort(0)) this.mergeBack();
    const isCut = () => {
      const { breaks, tail } = this.#pieces[this.#at]!;
      return (
        tail > 0 && this.#at < this.#pieces.length - 1 && end.line === this.#start.line + breaks && isShort(breaks)
      );
    };
    while (isCut()) this.merge(2);
    return { lines: this.current(), range: { start: this.inPiece(start), end: this.inPiece(end) } };
  }

  /** Replaces `[from, to)` of the latest window, in its offsets, with `insert`. */
  replace(from: number, to: number, insert: string): void {
    const lines = this.current();
    const after = lines.text.slice(0, from) + insert + lines.text.slice(to);
    this.#length += after.length - lines.text.length;
    this.put(lines.edited(from, to, insert, after));
    const isJoined = (at: number): boolean => {
      const [before, next] = [this.#pieces[at]?.text, this.#pieces[at + 1]?.text];
      if (before === undefined || next === undefined) return false;
      return before === "" || next === "" || splitsCharacter(before.slice(-1) + next.slice(0, 1), 1);
    };
    while (isJoined(this.#at - 1)) this.mergeBack();
    while (isJoined(this.#at)) this.merge(2);
    const now = this.current();
    if (now.text.length > 2 * this.sizes.pieceLength) this.#pieces.splice(this.#at, 1, ...this.cut(now));
  }

  /** Converts a position to one in the current piece. */
  private inPiece({ line, character }: TextPosition): TextPosition {
    const { line: first, character: before } = this.#start;
    return { line: line - first, character: line === first ? character - before : character };
  }

  /** Moves to the piece that contains a position; to the first or the last piece if there is no such position. */
  private goTo({ line, character }: TextPosition): void {
    const isBefore = () =>
      line < this.#start.line ||
      (line === this.#start.line && this.#start.character > 0 && !(character >= this.#start.character));
    while (this.#at > 0 && isBefore()) this.goBack();
    while (this.#at < this.#pieces.length - 1) {
      const { breaks, tail } = this.#pieces[this.#at]!;
      const end = breaks > 0 ? { line: this.#start.line + breaks, character: tail } : this.after(tail);
      // Character 0 of a line is in the piece that starts with the line.
      if (!(line > end.line || (line === end.line && (end.character === 0 || character > end.character)))) return;
      this.#at++;
      this.#start = end;
    }
  }

  /** Moves to the previous piece. */
  private goBack(): void {
    const { breaks, tail } = this.#pieces[--this.#at]!;
    if (breaks === 0) {
      this.#start = this.after(-tail);
      return;
    }
    let character = 0;
    for (let at = this.#at - 1; at >= 0; at--) {
      character += this.#pieces[at]!.tail;
      if (this.#pieces[at]!.breaks > 0) break;
    }
    this.#start = { line: this.#start.line - breaks, character };
  }

  /** Returns the position on the line on which the current piece starts, `width` after its start. */
  private after(width: number): TextPosition {
    return { line: this.#start.line, character: this.#start.character + width };
  }

  /** Makes one piece of the current one and those after it, `count` in all. */
  private merge(count: number): void {
    const merged = this.#pieces.splice(this.#at + 1, count - 1);
    const text = this.#pieces[this.#at]!.text + merged.map((piece) => piece.text).join("");
    this.put(LineIndex.of(text, this.#rule));
  }

  /** Makes one piece of the current one and the one before it. */
  private mergeBack(): void {
    this.goBack();
    this.merge(2);
  }

  /** Returns the lines of the current piece. */
  private current(): LineIndex {
    const piece = this.#pieces[this.#at]!;
    piece.lines ??= LineIndex.of(piece.text, this.#rule);
    return piece.lines;
  }

  /** Replaces the current piece. */
  private put(lines: LineIndex): void {
    this.#pieces[this.#at] = { ...this.pieceOf(lines, 0, lines.text.length), lines };
  }

  /** Cuts lines into pieces. */
  private cut(lines: LineIndex): TextPiece[] {
    const { text } = lines;
    const pieces: TextPiece[] = [];
    for (let from = 0, to = 0; from < text.length || pieces.length === 0; from = to) {
      to = Math.min(from + this.sizes.pieceLength, text.length);
      if (to < text.length) {
        const start = lines.start(lines.lineAt(to));
        if (start > from) to = start;
        else if (splitsCharacter(text, to)) to++;
      }
      pieces.push(this.pieceOf(lines, from, to));
    }
    return pieces;
  }

  /** Makes a piece of `[from, to)`. */
  private pieceOf(lines: LineIndex, from: number, to: number): TextPiece {
    const last = lines.lineAt(to);
    const tail = this.widthOf(lines.text.slice(Math.max(from, lines.start(last)), to));
    return { text: lines.text.slice(from, to), breaks: last - lines.lineAt(from), tail, lines: undefined };
  }
}
