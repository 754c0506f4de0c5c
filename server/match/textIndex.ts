/** One text with what searching it needs, each built once, when first asked for. */
import { LineIndex, type LineRule, toEnd } from "../text/lines.js";
import { type Fold, Folded, hasTypography } from "./fold.js";
import { type LineFold, LineTable } from "./lineTable.js";
import { findAll } from "./search/findAll.js";
import { type KeyHits, MultiSearch } from "./search/multiSearch.js";

/** A text to be searched for many old texts. */
export class TextIndex {
  private readonly folds = new Map<Fold, Folded>();
  private expected: readonly string[] | undefined;
  /** By fold: where each pattern may start, as its key tells. */
  private readonly searches = new Map<Fold, ReadonlyMap<string, KeyHits>>();
  private readonly lineTables = new Map<LineFold, LineTable>();
  private ownLines: LineIndex | undefined;
  private anyLines: LineIndex | undefined;

  constructor(
    readonly text: string,
    /** What the document's editor takes for a line. */
    readonly rule: LineRule,
    /** The 1-based line of an offset in the text that callers count the lines of; by default that is this text. */
    private readonly numbering?: (offset: number) => number,
  ) {}

  /** 1-based number, as a caller counts, of a line of `matchedLines`. */
  lineNumber(line: number): number {
    return this.numbering?.(this.matchedLines.start(line)) ?? line + 1;
  }

  /** 1-based line, as a caller counts, of an offset. */
  callersLine(offset: number): number {
    return this.numbering?.(offset) ?? this.lines.lineAt(offset) + 1;
  }

  /** The lines as the document's editor counts them: for answers and for new lines' ends. */
  get lines(): LineIndex {
    this.ownLines ??= LineIndex.of(this.text, this.rule);
    return this.ownLines;
  }

  /** The lines as matching counts them, where a lone CR is a line end like any other. */
  get matchedLines(): LineIndex {
    this.anyLines ??= this.rule.loneCrEndsLine ? this.lines : LineIndex.of(this.text, { loneCrEndsLine: true });
    return this.anyLines;
  }

  /**
   * Tells which old texts will be looked for, so that many of them are found in one pass over the text, on each rung in
   * turn those that no stricter one has found. Reads the text in steps, and not again for the same old texts.
   */
  *expecting(oldTexts: readonly string[]): Generator<void, void> {
    const wanted = [...new Set(oldTexts)].filter((oldText) => oldText !== "");
    if (wanted.length === this.expected?.length && wanted.every((each, i) => each === this.expected?.[i])) return;
    this.expected = wanted.length < manyPatterns || this.text.length < longText ? undefined : wanted;
    this.searches.clear();
    this.ownLines ??= yield* LineIndex.building(this.text, this.rule);
    if (this.expected !== undefined) yield* this.searchMany("nothing", this.expected);
  }

  /** Starts of all places of a pattern in the folded text, in order and overlapping; at most `limit`. */
  starts(fold: Fold, pattern: string, limit: number): number[] {
    const text = fold === "nothing" ? this.text : this.folded(fold).text;
    const hits = this.expected && this.keyHits(fold, pattern, this.expected);
    if (hits === undefined || hits === "many") return findAll(text, pattern, limit);
    return hits.filter((start) => start >= 0 && text.startsWith(pattern, start)).slice(0, limit);
  }

  /** The starts that the key of an expected pattern tells; `undefined`: it was not expected, or has no key. */
  private keyHits(fold: Fold, pattern: string, expected: readonly string[]): KeyHits | undefined {
    const known = this.searches.get(fold) ?? toEnd(this.searchMany(fold, expected));
    return known.get(pattern);
  }

  private *searchMany(fold: Fold, expected: readonly string[]): Generator<void, ReadonlyMap<string, KeyHits>> {
    const { text } = yield* this.folding(fold);
    const left =
      fold === "nothing"
        ? expected
        : expected
            .filter((oldText) => this.starts("nothing", oldText, 1).length === 0)
            .flatMap((oldText) => [Folded.of(oldText, fold).text, foldedWithin(oldText, fold)]);
    const patterns = [...new Set(left)].filter(MultiSearch.hasKey);
    const search = yield* MultiSearch.of(patterns, text);
    const hits = yield* search.hits(text);
    const byPattern = new Map(patterns.map((pattern, id) => [pattern, hits[id]!]));
    this.searches.set(fold, byPattern);
    return byPattern;
  }

  /** The whole text with something folded away. */
  folded(fold: Fold): Folded {
    return toEnd(this.folding(fold));
  }

  /** The same in steps. */
  *folding(fold: Fold): Generator<void, Folded> {
    let folded = this.folds.get(fold);
    if (folded !== undefined) return folded;
    // Where there is nothing typographic the two folds are one.
    const isSame = fold === "typography" && !hasTypography(this.text);
    folded = isSame ? yield* this.folding("trailingBlanks") : yield* Folded.folding(this.text, fold);
    this.folds.set(fold, folded);
    return folded;
  }

  /** Looks for what is expected in the folded text, in steps, so that `keyHits` has it at once. */
  *searching(fold: Fold): Generator<void, void> {
    const { text } = yield* this.folding(fold);
    // Where nothing folds, most patterns stand as they are, or not at all.
    if (this.expected === undefined || text === this.text || this.searches.has(fold)) return;
    yield* this.searchMany(fold, this.expected);
  }

  /** `matchedLines` under a fold, for finding runs of whole lines. */
  lineTable(fold: LineFold): LineTable {
    return toEnd(this.tabling(fold));
  }

  /** The same in steps. */
  *tabling(fold: LineFold): Generator<void, LineTable> {
    this.ownLines ??= yield* LineIndex.building(this.text, this.rule);
    if (!this.rule.loneCrEndsLine) this.anyLines ??= yield* LineIndex.building(this.text, { loneCrEndsLine: true });
    const table = this.lineTables.get(fold) ?? (yield* LineTable.building(this.matchedLines, fold));
    this.lineTables.set(fold, table);
    return table;
  }
}

/** Patterns from which on, and text (UTF-16 units) in which, one pass for all costs less than one for each. */
const manyPatterns = 24;
const longText = 4_096;

/** A text folded but for blanks at its very end, which may be within a line. */
export function foldedWithin(text: string, fold: Fold): string {
  return Folded.of(`${text}|`, fold).text.slice(0, -1);
}
