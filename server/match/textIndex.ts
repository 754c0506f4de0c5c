/** A text and the structures for searching it. Each structure is built once, on first use. */
import { LineIndex, type LineRule, toEnd } from "../text/lines.js";
import { type Fold, Folded, hasTypography } from "./fold.js";
import { type LineFold, LineTable } from "./lineTable.js";
import { findAll } from "./search/findAll.js";
import { type KeyHits, MultiSearch } from "./search/multiSearch.js";

/** A text that is searched for many old texts. */
export class TextIndex {
  private readonly folds = new Map<Fold, Folded>();
  private expected: readonly string[] | undefined;
  /** For each fold and pattern, the offsets at which the pattern may start according to its keys. */
  private readonly searches = new Map<Fold, ReadonlyMap<string, KeyHits>>();
  private readonly lineTables = new Map<LineFold, LineTable>();
  private ownLines: LineIndex | undefined;
  private anyLines: LineIndex | undefined;
  private isMixed: boolean | undefined;
  /** The text that shows the document's indentation: the one before the batch, or the first with more than space. */
  readonly habits: TextIndex;

  constructor(
    readonly text: string,
    /** The rule by which the document's editor counts lines. */
    readonly rule: LineRule,
    /** Maps an offset to the 1-based line number that callers use; `undefined` if they use this text's line numbers. */
    private readonly numbering?: (offset: number) => number,
    /** The `habits` of the text that this one comes from; `undefined` if there is none. */
    habits?: TextIndex,
  ) {
    this.habits = habits !== undefined && /\S/.test(habits.text) ? habits : this;
  }

  /** `true` if the text contains line endings of more than one kind. */
  get hasMixedLineEnds(): boolean {
    this.isMixed ??= this.text.includes("\r") && /\r(?!\n)|(?<!\r)\n/.test(this.text) && /\r?\n/.test(this.text);
    return this.isMixed;
  }

  /** Converts a 0-based line of `matchedLines` to the 1-based line number that callers use. */
  lineNumber(line: number): number {
    return this.numbering?.(this.matchedLines.start(line)) ?? line + 1;
  }

  /** Returns the 1-based number that callers use for the line that contains an offset. */
  callersLine(offset: number): number {
    return this.numbering?.(offset) ?? this.lines.lineAt(offset) + 1;
  }

  /** The lines as the document's editor counts them, for numbers in results and the line endings of new lines. */
  get lines(): LineIndex {
    this.ownLines ??= LineIndex.of(this.text, this.rule);
    return this.ownLines;
  }

  /** The lines as matching counts them: a lone CR always ends a line. */
  get matchedLines(): LineIndex {
    this.anyLines ??= this.rule.loneCrEndsLine ? this.lines : LineIndex.of(this.text, { loneCrEndsLine: true });
    return this.anyLines;
  }

  /** Announces the old texts to come, in steps: if they are many, a rung searches for them together. */
  *expecting(oldTexts: readonly string[]): Generator<void, void> {
    const wanted = [...new Set(oldTexts)].filter((oldText) => oldText !== "");
    if (wanted.length === this.expected?.length && wanted.every((each, i) => each === this.expected?.[i])) return;
    this.expected = wanted.length < manyPatterns || this.text.length < longText ? undefined : wanted;
    this.searches.clear();
    this.ownLines ??= yield* LineIndex.building(this.text, this.rule);
    if (this.expected !== undefined) yield* this.searchMany("nothing", this.expected);
  }

  /** Returns up to `limit` offsets of a pattern in the folded text, in ascending order; matches may overlap. */
  starts(fold: Fold, pattern: string, limit: number): number[] {
    const text = fold === "nothing" ? this.text : this.folded(fold).text;
    const hits = this.expected && this.keyHits(fold, pattern, this.expected);
    if (hits === undefined || hits === "many") return findAll(text, pattern, limit);
    return hits.filter((start) => start >= 0 && text.startsWith(pattern, start)).slice(0, limit);
  }

  /** Returns the offsets to which a pattern's keys point; `undefined` if the pattern was not searched for by keys. */
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

  /** Returns the whole text under a fold. */
  folded(fold: Fold): Folded {
    return toEnd(this.folding(fold));
  }

  /** Like `folded`, but in steps. */
  *folding(fold: Fold): Generator<void, Folded> {
    let folded = this.folds.get(fold);
    if (folded !== undefined) return folded;
    // In a text without typographic characters, `typography` gives the same result as `trailingBlanks`.
    const isSame = fold === "typography" && !hasTypography(this.text);
    folded = isSame ? yield* this.folding("trailingBlanks") : yield* Folded.folding(this.text, fold);
    this.folds.set(fold, folded);
    return folded;
  }

  /** Searches the folded text step by step for the announced old texts, so that `keyHits` need not do it at once. */
  *searching(fold: Fold): Generator<void, void> {
    const { text } = yield* this.folding(fold);
    // If the fold changed nothing, most patterns either occur exactly or do not occur at all.
    if (this.expected === undefined || text === this.text || this.searches.has(fold)) return;
    yield* this.searchMany(fold, this.expected);
  }

  /** Returns a table of `matchedLines` under a fold, for finding runs of whole lines. */
  lineTable(fold: LineFold): LineTable {
    return toEnd(this.tabling(fold));
  }

  /** Like `lineTable`, but in steps. */
  *tabling(fold: LineFold): Generator<void, LineTable> {
    this.ownLines ??= yield* LineIndex.building(this.text, this.rule);
    if (!this.rule.loneCrEndsLine) this.anyLines ??= yield* LineIndex.building(this.text, { loneCrEndsLine: true });
    const table = this.lineTables.get(fold) ?? (yield* LineTable.building(this.matchedLines, fold));
    this.lineTables.set(fold, table);
    return table;
  }
}

/** Searching for all patterns together pays off only with at least this many patterns and UTF-16 code units of text. */
const manyPatterns = 24;
const longText = 4_096;

/** Folds a text but keeps whitespace at its very end, because the text may end within a line. */
export function foldedWithin(text: string, fold: Fold): string {
  return Folded.of(`${text}|`, fold).text.slice(0, -1);
}
