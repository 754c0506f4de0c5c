/** Finds the old texts of a batch in a large text and cuts out the surrounding regions. */
import { Folded, hasTypography } from "../../match/fold.js";
import { locating } from "../../match/locate.js";
import type { Place } from "../../match/place.js";
import { endsLine, reshaped } from "../../match/reshape.js";
import { rewrite } from "../../match/rewrite.js";
import type { RungName } from "../../match/rungs.js";
import { MultiSearch } from "../../match/search/multiSearch.js";
import { TextIndex } from "../../match/textIndex.js";
import { ChangeSet } from "../../text/changeSet.js";
import { isAllBlank, lineTexts } from "../../text/chars.js";
import { afterStep, type Draft, type Span } from "../draft.js";
import type { BatchOptions, EditOperation } from "../operation.js";
import { meantBy } from "./choose.js";
import { repeatedIn } from "./insertions.js";
import { type EditHistory, refusal } from "./sequential.js";

/** The only place of an old text, and the rung on which it was found. */
export interface OnlyPlace {
  readonly place: Place;
  readonly rung: RungName;
}

/** An edit, and the place of its old text before the batch. */
export interface SoughtEdit {
  readonly edit: EditOperation;
  /** Number of lines of the old text. */
  readonly lines: number;
  /** `undefined` if there is no place, or if there are several. */
  readonly found?: OnlyPlace;
  /**
   * Texts as `bare` returns them. Apart from `home`, only regions whose bare text contains one of them can affect the
   * edit. `undefined` if, when the edit's turn comes, its old text must be searched for in the whole text.
   */
  patterns?: readonly string[];
  home?: TextRegion;
}

/** Looks for an edit's old text in the text before the batch. */
export function* lookFor(start: Draft, edit: EditOperation, options: BatchOptions): Generator<void, SoughtEdit> {
  const { oldText, newText } = edit;
  const sought: SoughtEdit = { edit, lines: lineTexts(oldText).length };
  const hasMark = start.document.bom && (oldText.startsWith("\uFEFF") || newText.startsWith("\uFEFF"));
  if (hasMark || refusal(start, edit, options) !== undefined) return sought;
  const located = yield* locating(start.index, oldText, options);
  if (located.kind === "none") {
    // Only the whole text shows whether leading numbers are the line numbers of a file view.
    const isView = /^[\s\u0085]*\d/.test(oldText);
    return isView ? sought : withPatterns(sought, [oldText]);
  }
  if (located.kind !== "one" || meantBy(start, edit, located) !== located) return sought;
  const { rung, places } = located;
  // Lines far from its place may decide whether this rung is meant.
  if (rung === "emptyEnds") return sought;
  const found = { place: places[0], rung };
  // The lines that it inserts may be there already, and may lie outside its region.
  const plain = reshaped(oldText, found.place.reshape) ?? oldText;
  const isLonger = /[\r\n]/.test(newText) && filledLines(newText) > filledLines(plain);
  const changes = isLonger ? rewrite(start.index, found.place, edit) : undefined;
  if (changes !== undefined && repeatedIn(start, { index: edit.index, place: found.place, changes })) return sought;
  if (rung !== "viewPrefix") return withPatterns({ ...sought, found }, [oldText]);
  // If the text itself contains a line of the old text, including its number, the numbers do not come from a file view.
  const numbered = oldText.split(/[\r\n]/).filter((line) => !isAllBlank(line));
  return withPatterns({ ...sought, found }, [plain, ...numbered]);
}

/** Returns the number of lines that have text. */
const filledLines = (text: string): number => lineTexts(text).filter((line) => !isAllBlank(line)).length;

function withPatterns(sought: SoughtEdit, texts: readonly string[]): SoughtEdit {
  const patterns = texts.map(bare);
  return patterns.every(MultiSearch.hasKey) ? { ...sought, patterns } : { edit: sought.edit, lines: sought.lines };
}

/** Removes all that a rung may ignore: if a rung finds `old` in a text, its `bare(text)` contains `bare(old)`. */
export function bare(text: string): string {
  const plain = hasTypography(text) ? Folded.of(text, "typography").text : text;
  // JavaScript does not count U+0085 as whitespace.
  return plain.replace(/[\s\u0085]+/g, "");
}

/** An old text with more lines than this, and than any with a place, is searched for in the whole text. */
const fewLines = 10;

/**
 * Cuts regions out of a text around the places of its edits and assigns each edit that has a place to its region. The
 * cores of two regions (the parts that may change) are separated by at least as many lines as any old text has after
 * its first line.
 */
export function cut(start: Draft, all: readonly SoughtEdit[]): TextRegion[] {
  const placed = all.filter(({ found }) => found !== undefined);
  const most = placed.reduce((longest, { lines }) => Math.max(longest, lines), fewLines);
  for (const sought of all) if (sought.lines > most) delete sought.patterns;
  const reach = all.reduce((longest, { lines, patterns }) => (patterns ? Math.max(longest, lines - 1) : longest), 1);
  const lines = start.index.matchedLines;
  const groups: { first: number; last: number; members: SoughtEdit[] }[] = [];
  for (const sought of placed.sort((a, b) => a.found!.place.from - b.found!.place.from)) {
    const { from, to } = sought.found!.place;
    const [first, last] = [lines.lineAt(from), lines.lineAt(Math.max(from, to - 1))];
    const group = groups.at(-1);
    if (group !== undefined && first <= group.last + reach) {
      group.last = Math.max(group.last, last);
      group.members.push(sought);
    } else groups.push({ first, last, members: [sought] });
  }
  return groups.map(({ first, last, members }) => {
    const region = new TextRegion(start, { first, last, reach });
    for (const sought of members) sought.home = region;
    return region;
  });
}

/** A part of a text, treated as a small document: lines that its edits may change, and surrounding lines to search. */
export class TextRegion {
  /** The offset and the 0-based line in the whole text at which this document starts. */
  readonly from: number;
  readonly line: number;
  /** The document's text before the batch, its current text, and the change that turns the first into the second. */
  readonly text: string;
  textNow: string;
  change: ChangeSet;
  /** The part that may change, as offsets in `text`. */
  private readonly core: Span;
  private readonly isLast: boolean;
  private known: Draft | undefined;
  /** The effects of the edits that were located in the document; `undefined` if there are none. */
  history: EditHistory | undefined;

  /** 0-based. The final line ending is left out; otherwise, the region would end with an empty line. */
  constructor(
    private readonly start: Draft,
    { first, last, reach }: { first: number; last: number; reach: number },
  ) {
    const { text, matchedLines: lines } = start.index;
    this.line = Math.max(0, first - reach);
    this.from = lines.start(this.line);
    this.text = text.slice(this.from, lines.contentEnd(Math.min(lines.lineCount - 1, last + reach)));
    this.textNow = this.text;
    this.change = ChangeSet.none(this.text.length);
    this.core = { from: lines.start(first) - this.from, to: lines.end(last) - this.from };
    this.isLast = lines.end(last) === text.length;
  }

  /** The document as a draft; created only when an old text must be searched for in it. */
  get draft(): Draft {
    if (this.known !== undefined) return this.known;
    const { start, text } = this;
    const { index, document } = start;
    const base = new TextIndex(text, document, (offset) => index.callersLine(this.from + offset), index.habits);
    const change = ChangeSet.none(text.length);
    const own = { ...start, document: { ...start.document, text }, base, change, index: base };
    this.known = this.change.isEmpty ? own : afterStep(own, this.change);
    return this.known;
  }

  /** Reports whether the region ends where only the text after it shows if an edit keeps its line ending. */
  hidesNext({ oldText, newText }: EditOperation, to: number): boolean {
    return to === this.textNow.length && !this.isLast && endsLine(oldText) && !endsLine(newText);
  }

  /** Reports whether a line of a new text lies beyond the region, so near that an edit may insert what is there already. */
  hidesRepeated({ newText }: EditOperation): boolean {
    const sent = lineTexts(newText).filter((line) => !isAllBlank(line));
    if (sent.length < 2) return false;
    const { text, matchedLines: lines } = this.start.index;
    const next = lines.lineAt(this.from + this.text.length) + 1;
    const before = text.slice(lines.start(Math.max(0, this.line - sent.length)), this.from);
    const after =
      next < lines.lineCount
        ? text.slice(lines.start(next), lines.contentEnd(Math.min(lines.lineCount - 1, next + sent.length)))
        : "";
    const there = new Set([before, after].flatMap(lineTexts).map((line) => line.trim()));
    return sent.some((line) => there.has(line.trim()));
  }

  /** Adopts the region's whole change. Returns `false` if it leaves the core or joins the core to the next line. */
  take(change: ChangeSet, draft?: Draft): boolean {
    const { core } = this;
    const [from, to] = [change.changes[0]?.from ?? core.from, change.changes.at(-1)?.to ?? core.to];
    const text = draft?.index.text ?? change.apply(this.text);
    const end = text.length - (this.text.length - core.to);
    if (from < core.from || to > core.to || !(this.isLast || end === 0 || text[end - 1] === "\n")) return false;
    [this.change, this.textNow, this.known] = [change, text, draft];
    return true;
  }
}
