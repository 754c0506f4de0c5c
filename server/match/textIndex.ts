/** One text with what searching it needs, each built once, when first asked for. */
import { LineIndex, type LineRule, toEnd } from "../text/lines.js";
import { Folded, type FoldOptions, hasTypography } from "./fold.js";
import { type LineFold, LineTable } from "./lineTable.js";
import { findAll } from "./search/findAll.js";
import { type KeyHits, MultiSearch } from "./search/multiSearch.js";

/** A text to be searched for many old texts. */
export class TextIndex {
  private readonly folds = new Map<string, Folded>();
  private expected: readonly string[] | undefined;
  /** By fold: where each pattern may start, as its key tells. */
  private readonly searches = new Map<string, ReadonlyMap<string, KeyHits>>();
  private isPlain: boolean | undefined;
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
   * turn those that no stricter one has found. Reads the text in steps.
   */
  *expecting(oldTexts: readonly string[]): Generator<void, void> {
    const wanted = [...new Set(oldTexts)].filter((oldText) => oldText !== "");
    this.expected = wanted.length < manyPatterns || this.text.length < longText ? undefined : wanted;
    this.searches.clear();
    this.ownLines ??= yield* LineIndex.building(this.text, this.rule);
    if (this.expected !== undefined) yield* this.searchMany(undefined, this.expected);
  }

  /** Starts of all places of a pattern in the text or in a folded one, in order and overlapping; at most `limit`. */
  starts(fold: FoldOptions | undefined, pattern: string, limit: number): number[] {
    const text = fold === undefined ? this.text : this.folded(fold).text;
    const hits = this.keyHits(fold, pattern);
    if (hits === undefined || hits === "many") return findAll(text, pattern, limit);
    return hits.filter((start) => start >= 0 && text.startsWith(pattern, start)).slice(0, limit);
  }

  /** Where an expected pattern may start, as its key tells; `undefined`: it was not expected, or has no key. */
  private keyHits(fold: FoldOptions | undefined, pattern: string): KeyHits | undefined {
    if (this.expected === undefined) return undefined;
    const name = nameOf(fold);
    const known = this.searches.get(name) ?? toEnd(this.searchMany(fold, this.expected));
    return known.get(pattern);
  }

  private *searchMany(
    fold: FoldOptions | undefined,
    expected: readonly string[],
  ): Generator<void, ReadonlyMap<string, KeyHits>> {
    const text = fold === undefined ? this.text : (yield* this.folding(fold)).text;
    const left =
      fold === undefined
        ? expected
        : expected.filter((oldText) => this.starts(undefined, oldText, 1).length === 0).flatMap(foldedPatterns(fold));
    const patterns = [...new Set(left)].filter(MultiSearch.hasKey);
    const search = yield* MultiSearch.of(patterns, text);
    const hits = yield* search.hits(text);
    const byPattern = new Map(patterns.map((pattern, id) => [pattern, hits[id]!]));
    this.searches.set(nameOf(fold), byPattern);
    return byPattern;
  }

  /** The whole text with something folded away. */
  folded(options: FoldOptions): Folded {
    return toEnd(this.folding(options));
  }

  /** The same in steps. */
  *folding(options: FoldOptions): Generator<void, Folded> {
    this.isPlain ??= !hasTypography(this.text);
    // Then the two folds are one.
    if (options.typography && this.isPlain) return yield* this.folding({ ...options, typography: false });
    const name = nameOf(options);
    const folded = this.folds.get(name) ?? (yield* Folded.folding(this.text, options));
    this.folds.set(name, folded);
    return folded;
  }

  /** Looks for what is expected in the folded text, in steps, so that `keyHits` has it at once. */
  *searching(fold: FoldOptions): Generator<void, void> {
    const { text } = yield* this.folding(fold);
    // Where nothing folds, most patterns stand as they are, or not at all.
    if (this.expected === undefined || text === this.text || this.searches.has(nameOf(fold))) return;
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

const nameOf = (fold: FoldOptions | undefined): string => (fold ? `${fold.trailingBlanks} ${fold.typography}` : "");

/** What is looked for in a folded text: blanks at the very end folded, and as they are. */
function foldedPatterns(fold: FoldOptions): (oldText: string) => string[] {
  return (oldText) => [Folded.of(oldText, fold).text, Folded.of(`${oldText}|`, fold).text.slice(0, -1)];
}
