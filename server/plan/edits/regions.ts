/** Plans many edits of a large text in small parts of it: what `planSequential` gives, for less. */
import { Folded, hasTypography } from "../../match/fold.js";
import { locating } from "../../match/locate.js";
import type { Place } from "../../match/place.js";
import { rewrite } from "../../match/rewrite.js";
import { isStricter, type RungName } from "../../match/rungs.js";
import { MultiSearch } from "../../match/search/multiSearch.js";
import { TextIndex } from "../../match/textIndex.js";
import { reshaped } from "../../match/wholeLines.js";
import { ChangeSet } from "../../text/changeSet.js";
import { isAllBlank, splitLines } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { afterStep, type Draft, linesOf, type Span, spanInBase } from "../draft.js";
import { explainAbsence } from "../explain/explainEdit.js";
import type { BatchOptions, EditOperation } from "../operation.js";
import type { EditOutcome } from "../outcome.js";
import { locateEdit, meantBy } from "./choose.js";
import {
  type Drafted,
  EditHistory,
  type PairName,
  pairNames,
  planEdit,
  planSequential,
  refusal,
} from "./sequential.js";

/** Plans a file's edits in sequence: plainly, unless they and the text are so many that regions of it pay. */
export function* planInRegions(
  start: Draft,
  edits: readonly EditOperation[],
  options: BatchOptions,
): Generator<void, Drafted> {
  const isMuch = edits.length >= limits.regionEdits && start.index.text.length >= limits.regionUnits;
  const planned = isMuch ? yield* planByRegions(start, edits, options) : undefined;
  return planned ?? (yield* planSequential(start, edits, options));
}

/**
 * The same whatever the size. Each region is planned as a small document of its own; an edit that fails is planned on the
 * whole text of its turn, for the failure's sake. `undefined`: it isn't certain that the whole text would give the same.
 */
export function* planByRegions(
  start: Draft,
  edits: readonly EditOperation[],
  options: BatchOptions,
): Generator<void, Drafted | undefined> {
  const { text } = start.index;
  // A lone CR may become half of a line end where two regions meet.
  const hasLoneCr = text.includes("\r") && /\r(?!\n)/.test(text);
  if ((start.index !== start.base && !start.created) || hasLoneCr) return undefined;
  yield* start.index.expecting(edits.map(({ oldText }) => oldText));
  const all: Sought[] = [];
  for (const edit of edits) {
    all.push(yield* lookFor(start, edit, options));
    yield;
  }
  const regions = cut(start, all);
  if (regions.some((region) => 2 * region.text.length > text.length)) return undefined;
  const patterns = [...new Set(all.flatMap((sought) => sought.patterns ?? []))];
  // Some of them tell which pieces many of them share.
  const some = patterns.filter((_, i) => i % Math.ceil(patterns.length / sampledPatterns) === 0);
  const search = yield* MultiSearch.of(patterns, some.join("\n"));
  const plan = new RegionPlan(start, regions, search, pairNames(edits), options);
  const outcomes: EditOutcome[] = [];
  for (const sought of all) {
    const outcome = yield* plan.plan(sought);
    if (outcome === undefined) return undefined;
    outcomes.push(outcome);
    yield;
  }
  return { draft: plan.draft, outcomes };
}

/** So many that a piece which most of them share is among them more than once. */
const sampledPatterns = 100;

/** The only place of an old text, and the rung on which it was found. */
interface Found {
  readonly place: Place;
  readonly rung: RungName;
}

/** An edit, and where its old text is before the batch. */
interface Sought {
  readonly edit: EditOperation;
  /** Lines of the old text. */
  readonly lines: number;
  /** `undefined`: there is none. */
  readonly found?: Found;
  /**
   * Texts without whitespace, one of which other text must contain to make a difference to the edit. `undefined`: all of the
   * text of its turn must be searched.
   */
  patterns?: readonly string[];
  home?: Region;
}

/** Looks for an edit in the text before the batch. */
function* lookFor(start: Draft, edit: EditOperation, options: BatchOptions): Generator<void, Sought> {
  const { oldText, newText } = edit;
  const sought: Sought = { edit, lines: splitLines(oldText).length };
  const hasMark = start.document.bom && (oldText.startsWith("\uFEFF") || newText.startsWith("\uFEFF"));
  if (hasMark || refusal({}, edit) !== undefined) return sought;
  const located = yield* locating(start.index, oldText, options);
  if (located.kind === "none") {
    // Whether a number is one of a file view, all lines of the text tell.
    const isView = /^[\s\u0085]*\d/.test(oldText);
    return isView ? sought : withPatterns(sought, [oldText]);
  }
  if (located.kind !== "one" || meantBy(edit, located) !== located) return sought;
  const { rung, places } = located;
  const found = { place: places[0], rung };
  if (rung !== "viewPrefix") return withPatterns({ ...sought, found }, [oldText]);
  // Where one of its lines stands with its number, the numbers are no view's.
  const numbered = oldText.split(/[\r\n]/).filter((line) => !isAllBlank(line));
  return withPatterns({ ...sought, found }, [reshaped(oldText, found.place.reshape) ?? "", ...numbered]);
}

function withPatterns(sought: Sought, texts: readonly string[]): Sought {
  const patterns = texts.map(bare);
  return patterns.every(MultiSearch.hasKey) ? { ...sought, patterns } : { edit: sought.edit, lines: sought.lines };
}

/** A text without what a rung may add or take away: where a rung finds an old text, the bare text contains the bare old text. */
function bare(text: string): string {
  const plain = hasTypography(text) ? Folded.of(text, "typography").text : text;
  return plain.replace(/[\s\u0085]+/g, "");
}

/** Lines that the old text of an edit may have that has no place, even if those that have one are shorter. */
const fewLines = 10;

/**
 * Cuts a text into regions around the places of its edits, and tells each edit its region. Between two regions are at least
 * as many lines as an old text could have between its first line and its last.
 */
function cut(start: Draft, all: readonly Sought[]): Region[] {
  const placed = all.filter(({ found }) => found !== undefined);
  const most = placed.reduce((longest, { lines }) => Math.max(longest, lines), fewLines);
  for (const sought of all) if (sought.lines > most) delete sought.patterns;
  const reach = all.reduce((longest, { lines, patterns }) => (patterns ? Math.max(longest, lines - 1) : longest), 1);
  const lines = start.index.matchedLines;
  const groups: { first: number; last: number; members: Sought[] }[] = [];
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
    const region = new Region(start, { first, last, reach });
    for (const sought of members) sought.home = region;
    return region;
  });
}

/** A part of a text as a small document: lines that its edits may change, and on both sides as many as an old text may have. */
class Region {
  /** Offset and 0-based line of the text at which the document starts. */
  readonly from: number;
  readonly line: number;
  /** The document's text before the batch and now, and the change from the one to the other. */
  readonly text: string;
  textNow: string;
  change: ChangeSet;
  /** What may change: offsets in `text`. */
  private readonly core: Span;
  private readonly isLast: boolean;
  private known: Draft | undefined;
  /** What edits have done that were looked for in the document; `undefined`: there are none. */
  history: EditHistory | undefined;

  /** 0-based lines of the text; the end of the last one of all is left away, so that no empty line seems to follow. */
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

  /** The document as a draft, made when an edit has to be looked for in it. */
  get draft(): Draft {
    if (this.known !== undefined) return this.known;
    const { start, text } = this;
    const base = new TextIndex(text, start.document, (offset) => start.index.callersLine(this.from + offset));
    const change = ChangeSet.none(text.length);
    const own = { ...start, document: { ...start.document, text }, base, change, index: base };
    this.known = this.change.isEmpty ? own : afterStep(own, this.change);
    return this.known;
  }

  /** Takes a further change over, unless it reaches lines that other regions have, too, or joins lines to them. */
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

/** The regions of a text while their edits are planned. */
class RegionPlan {
  /** Of the whole text. What was done for pairs that come again is in the histories of their regions. */
  private readonly history: EditHistory;
  /** By pattern: the regions that contained it after one of their edits. */
  private readonly written = new Map<string, Set<Region>>();
  /** By the name of a pair that was done: where. */
  private readonly done = new Map<string, Region>();
  private current: Draft | undefined;
  private hasChanged = false;
  private length: number;

  constructor(
    private readonly start: Draft,
    private readonly regions: readonly Region[],
    private readonly search: MultiSearch,
    private readonly pairName: PairName,
    private readonly options: BatchOptions,
  ) {
    this.history = new EditHistory(pairName);
    this.length = start.index.text.length;
  }

  /** The whole text as it is now. */
  get draft(): Draft {
    if (!this.hasChanged) return this.start;
    if (this.current !== undefined) return this.current;
    const changes = this.regions.flatMap(({ from, change }) => change.changes.map((each) => moved(each, from)));
    this.current = afterStep(this.start, ChangeSet.of(this.start.index.text.length, changes));
    return this.current;
  }

  /** Plans the next edit; `undefined`: the whole batch must be planned plainly. */
  *plan(sought: Sought): Generator<void, EditOutcome | undefined> {
    const { edit, patterns } = sought;
    if (refusal({}, edit) !== undefined) return (yield* planEdit(this.start, edit, this.history, this.options)).outcome;
    const done = this.done.get(this.pairName(edit) ?? "");
    const regions = new Set<Region>();
    for (const one of [sought.home, done]) if (one !== undefined) regions.add(one);
    for (const pattern of patterns ?? []) for (const one of this.written.get(pattern) ?? []) regions.add(one);
    const [region, another] = regions;
    if (patterns === undefined || another !== undefined) return done ? undefined : yield* this.planInWhole(edit);
    if (region === undefined) return yield* this.explain(edit);
    return yield* this.planIn(region, sought, done !== undefined);
  }

  /** Plans an edit that no region can tell about; it must fail, or the regions would no longer be what they are. */
  private *planInWhole(edit: EditOperation): Generator<void, EditOutcome | undefined> {
    const { outcome } = yield* planEdit(this.draft, edit, this.history, this.options);
    return outcome.status === "failed" ? outcome : undefined;
  }

  /** The outcome of an edit that is nowhere. */
  private *explain(edit: EditOperation): Generator<void, EditOutcome> {
    // Beyond that nothing is looked up any more.
    const isExplained = this.history.failed.length < limits.explainedFailures;
    const draft = isExplained ? this.draft : this.start;
    const failure = yield* explainAbsence(draft, edit, this.history, this.options);
    this.history.failed.push(edit);
    return { index: edit.index, path: draft.document.path, status: "failed", places: [], failure };
  }

  /** Plans an edit in the only region that may have its place. */
  private *planIn(region: Region, sought: Sought, isDone: boolean): Generator<void, EditOutcome | undefined> {
    const { edit, found } = sought;
    const isPlain = edit.occurrence === undefined && edit.expectedCount === undefined;
    const isFirst = region.history === undefined && region.change.isEmpty && this.pairName(edit) === undefined;
    if (found !== undefined && isFirst && isPlain) return yield* this.planAtPlace(region, edit, found);
    region.history ??= new EditHistory(this.pairName);
    const { draft, history } = region;
    const located = meantBy(edit, locateEdit(draft, edit, this.options));
    // On looser rungs than that of its own place an edit may be found anywhere in the text.
    const isCertain =
      located.kind === "one" && (found === undefined || !isStricter(found.rung, located.rung)) && this.hasRoom(edit);
    if (!isCertain && !isDone) return yield* this.planInWhole(edit);
    const step = yield* planEdit(draft, edit, history, this.options);
    const { outcome } = step;
    if (outcome.status === "failed") return isDone ? undefined : yield* this.planInWhole(edit);
    // A pair that was done has nothing more to do on looser rungs, wherever they find it.
    if (outcome.rung === undefined) return outcome;
    if (!isCertain || !region.take(step.draft.change, step.draft)) return undefined;
    const spans = history.applied.at(-1)?.spans ?? [];
    this.note(region, edit, { spans, growth: step.draft.index.text.length - draft.index.text.length });
    const places = outcome.places.map(({ startLine, endLine }) => ({
      startLine: startLine + region.line,
      endLine: endLine + region.line,
    }));
    return { ...outcome, places };
  }

  /** Plans an edit at its place of the text before the batch, where nothing in its region has changed yet. */
  private *planAtPlace(
    region: Region,
    edit: EditOperation,
    { place, rung }: Found,
  ): Generator<void, EditOutcome | undefined> {
    const { start } = this;
    const changes = this.hasRoom(edit) ? rewrite(start.index, place, edit) : undefined;
    if (changes === undefined) return yield* this.planInWhole(edit);
    const spans = changes.map((change) => moved(change, -region.from));
    const change = ChangeSet.of(region.text.length, spans);
    if (!region.take(change)) return undefined;
    this.note(region, edit, { spans, growth: change.lengthAfter - change.length });
    const status = change.isEmpty ? "skipped" : "applied";
    const places = start.created ? [] : [linesOf(start, place)];
    return { index: edit.index, path: start.document.path, status, rung, places };
  }

  /** Whether the text stays within its limit. */
  private hasRoom({ oldText, newText }: EditOperation): boolean {
    return this.length + Math.max(0, newText.length - oldText.length) <= limits.documentLength;
  }

  /** Notes what an edit has changed in its region as it was before the batch, and how many units longer that is now. */
  private note(region: Region, edit: EditOperation, did: { spans: readonly Span[]; growth: number }): void {
    const { spans, growth } = did;
    this.hasChanged ||= spans.length > 0;
    this.current = undefined;
    this.length += growth;
    for (const pattern of this.search.within(bare(region.textNow))) {
      const regions = this.written.get(pattern);
      if (regions === undefined) this.written.set(pattern, new Set([region]));
      else regions.add(region);
    }
    const pair = this.pairName(edit);
    if (pair !== undefined) this.done.set(pair, region);
    const inBase = spans.map((span) => spanInBase(this.start, moved(span, region.from)));
    this.history.applied.push({ index: edit.index, spans: inBase });
  }
}

/** A stretch or change with other offsets. */
function moved<T extends Span>(span: T, by: number): T {
  return { ...span, from: span.from + by, to: span.to + by };
}
