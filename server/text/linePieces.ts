/** A text in pieces of whole lines, so that a change costs as much as a piece is long rather than the whole text. */
import { LineIndex, type LineRule } from "./lines.js";

/** Some whole lines of a text, as a text of their own. */
export interface LineWindow {
  /** The lines. Unless they include the last one of the whole text, they end with an empty line that is not theirs. */
  readonly lines: LineIndex;
  /** The number of lines of the whole text before the window. */
  readonly firstLine: number;
}

/** Lines that lie next to each other. Every piece but the last ends with LF. */
interface TextPiece {
  readonly text: string;
  /** The number of lines that start in the piece. */
  readonly lineCount: number;
  /** The lines of `text`; `undefined` until they are needed. */
  lines: LineIndex | undefined;
}

/** The smallest target length of a piece, in UTF-16 code units. */
const shortPiece = 4_096;

/** The number of pieces that a long text is cut into at first. */
const mostPieces = 2_048;

const endsLine = (text: string): boolean => text.endsWith("\n");

/** A text that changes. Cutting it, changing it and joining it take as long as the text, the changes and some pieces. */
export class LinePieces {
  #pieces: TextPiece[];
  /** The index of the piece that was used last, and the number of lines before it. */
  #at = 0;
  #firstLine = 0;
  #length: number;

  private constructor(
    pieces: TextPiece[],
    length: number,
    private readonly rule: LineRule,
    /** The target length of a piece, in UTF-16 code units. A piece that is one long line is longer. */
    private readonly pieceLength: number,
  ) {
    this.#pieces = pieces;
    this.#length = length;
  }

  /** Cuts a text into pieces. */
  static of(
    lines: LineIndex,
    pieceLength = Math.max(shortPiece, Math.ceil(lines.text.length / mostPieces)),
  ): LinePieces {
    return new LinePieces(cut(lines, pieceLength, true), lines.text.length, lines.rule, pieceLength);
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
   * Returns a window with the lines from `first` to `last`, which may be any numbers: a line before the first one or
   * after the last one has no place in the window, as it has none in the text. The window is valid until the next call.
   */
  window(first: number, last: number): LineWindow {
    this.goTo(first);
    const [from, firstLine] = [this.#at, this.#firstLine];
    this.goTo(last);
    const to = Math.max(from, this.#at);
    this.#at = from;
    this.#firstLine = firstLine;
    if (to > from) this.merge(to - from + 1);
    const piece = this.#pieces[from]!;
    piece.lines ??= LineIndex.of(piece.text, this.rule);
    return { lines: piece.lines, firstLine };
  }

  /** Replaces `[from, to)` of the latest window, in its offsets, with `insert`. */
  replace(from: number, to: number, insert: string): void {
    const { text, lines } = this.#pieces[this.#at]!;
    const after = text.slice(0, from) + insert + text.slice(to);
    this.#length += after.length - text.length;
    this.put(lines!.edited(from, to, insert, after));
    const isLast = this.#at === this.#pieces.length - 1;
    // A piece whose last line ending is gone continues in the next piece.
    if (!isLast && !endsLine(after)) this.merge(2);
    const { text: whole, lines: known } = this.#pieces[this.#at]!;
    if (whole.length <= 2 * this.pieceLength) return;
    const isEnd = this.#at === this.#pieces.length - 1;
    this.#pieces.splice(this.#at, 1, ...cut(known ?? LineIndex.of(whole, this.rule), this.pieceLength, isEnd));
  }

  /** Moves to the piece in which a line starts; to the first or the last piece if there is no such line. */
  private goTo(line: number): void {
    while (line < this.#firstLine && this.#at > 0) this.#firstLine -= this.#pieces[--this.#at]!.lineCount;
    for (; this.#at < this.#pieces.length - 1; this.#at++) {
      const next = this.#firstLine + this.#pieces[this.#at]!.lineCount;
      if (!(line >= next)) break;
      this.#firstLine = next;
    }
  }

  /** Makes one piece of the current one and those after it, `count` in all. */
  private merge(count: number): void {
    const merged = this.#pieces.slice(this.#at, this.#at + count);
    this.#pieces.splice(this.#at + 1, count - 1);
    this.put(LineIndex.of(merged.map(({ text }) => text).join(""), this.rule));
  }

  /** Replaces the current piece. */
  private put(lines: LineIndex): void {
    const isLast = this.#at === this.#pieces.length - 1;
    this.#pieces[this.#at] = { text: lines.text, lineCount: lines.lineCount - (isLast ? 0 : 1), lines };
  }
}

/** Cuts lines into pieces; `isEnd` is `true` if the text ends with them. */
function cut(lines: LineIndex, pieceLength: number, isEnd: boolean): TextPiece[] {
  const { text, lineCount } = lines;
  const pieces: TextPiece[] = [];
  const count = isEnd ? lineCount : lineCount - 1;
  let from = 0;
  for (let line = 0; line < count; ) {
    const first = line;
    line = Math.min(count, Math.max(line + 1, lines.lineAt(from + pieceLength)));
    // Only an LF ends a piece: a CR at its end could belong to a CRLF that the next change makes.
    while (line < count && text.charCodeAt(lines.start(line) - 1) !== 10) line++;
    const to = line < count ? lines.start(line) : text.length;
    pieces.push({ text: text.slice(from, to), lineCount: line - first, lines: undefined });
    from = to;
  }
  return pieces;
}
