/** Plans many edits of a large text in small parts of it: what `planSequential` gives, for less. */
import { Folded } from "../match/fold.js";
import { locate, locating } from "../match/locate.js";
import { ManySearch } from "../match/manySearch.js";
import type { Place } from "../match/place.js";
import { isStricter, type RungName } from "../match/rungs.js";
import { TextIndex } from "../match/textIndex.js";
import { reshaped } from "../match/wholeLines.js";
import { ChangeSet } from "../text/changeSet.js";
import { splitLines } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { explainAbsence } from "./absence.js";
import { locateEdit, meantBy } from "./choose.js";
import { afterStep, type Draft, type Span, spanInBase } from "./draft.js";
import type { BatchOptions, EditOperation } from "./operation.js";
import type { EditOutcome } from "./outcome.js";
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
  if ((start.index !== start.base && !start.created) || /\r(?!\n)/.test(text)) return undefined;
  yield* start.index.expecting(edits.map(({ oldText }) => oldText));
  const all: Sought[] = [];
  for (const edit of edits) {
    all.push(yield* lookFor(start, edit, options));
    yield;
  }
  const regions = cut(start, all);
  if (regions.some(({ length }) => 2 * length > text.length)) return undefined;
  const patterns = [...new Set(all.flatMap((sought) => sought.patterns))];
  const search = yield* ManySearch.of(patterns, patterns.join("\n"));
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

/** An edit, and where its old text is before the batch. */
interface Sought {
  readonly edit: EditOperation;
  /** Its only place, and the rung on which that was found; `undefined`: there is none, or it doesn't matter. */
  readonly found?: { readonly place: Place; readonly rung: RungName };
  /** Texts without whitespace, one of which a text must contain to make a difference to the edit. */
  readonly patterns: readonly string[];
  /** Whether only the whole text of its turn tells what becomes of the edit. */
  readonly isWhole: boolean;
  readonly isRefused?: true;
  home?: Region;
}

function* lookFor(start: Draft, edit: EditOperation, options: BatchOptions): Generator<void, Sought> {
  const { oldText, newText } = edit;
  if (refusal({}, edit) !== undefined) return { edit, patterns: [], isWhole: false, isRefused: true };
  const whole: Sought = { edit, patterns: [], isWhole: true };
  const hasMark = start.document.bom && (oldText.startsWith("\uFEFF") || newText.startsWith("\uFEFF"));
  const located = yield* locating(start.index, oldText, options);
  if (hasMark || meantBy(edit, located) !== located) return whole;
  if (located.kind === "none") {
    // Which numbers at the start are those of a file view, all lines of the text tell.
    const patterns = [bare(oldText)];
    return /^[\s\u0085]*\d/.test(oldText) || !patterns.every(ManySearch.hasKey)
      ? whole
      : { edit, patterns, isWhole: false };
  }
  if (located.kind !== "one") return whole;
  const { rung, places } = located;
  const [place] = places;
  const isView = rung === "viewPrefix";
  const numbered = isView ? splitLines(oldText).map(({ from, to }) => bare(oldText.slice(from, to))) : [];
  const patterns = [bare(isView ? (reshaped(oldText, place.reshape) ?? "") : oldText), ...numbered].filter(
    (pattern, i) => i === 0 || pattern !== "",
  );
  return patterns.every(ManySearch.hasKey) ? { edit, found: { place, rung }, patterns, isWhole: false } : whole;
}

/** A text without what any rung may add to it or take from it: if a rung finds an old text, its bare text is in the bare text. */
function bare(text: string): string {
  return Folded.of(text, { trailingBlanks: false, typography: true }).text.replace(/[\s\u0085]+/g, "");
}

/** Lines that the old text of an edit may always have that has no place yet. */
const fewLines = 10;

/**
 * Cuts a text into regions around the places of its edits, and tells each edit its region. Between two regions lie more
 * lines than any old text can bridge.
 */
function cut(start: Draft, all: Sought[]): Region[] {
  const linesOf = ({ edit }: Sought): number => splitLines(edit.oldText).length;
  const placed = all.filter(({ found }) => found !== undefined);
  const most = placed.reduce((longest, sought) => Math.max(longest, linesOf(sought)), fewLines);
  let reach = 1;
  for (const [i, sought] of all.entries()) {
    if (sought.isWhole || sought.isRefused) continue;
    if (linesOf(sought) > most) all[i] = { edit: sought.edit, patterns: [], isWhole: true };
    else reach = Math.max(reach, linesOf(sought) - 1);
  }
  placed.sort((a, b) => a.found!.place.from - b.found!.place.from);
  const lines = start.index.matchedLines;
  const regions: Region[] = [];
  let group: Sought[] = [];
  let [first, last] = [0, Number.NEGATIVE_INFINITY];
  const close = (): void => {
    if (group.length === 0) return;
    const region = new Region(start, { first, last, reach });
    for (const sought of group) sought.home = region;
    regions.push(region);
  };
  for (const sought of placed) {
    const { from, to } = sought.found!.place;
    const line = lines.lineAt(from);
    if (line - last <= reach) group.push(sought);
    else {
      close();
      [group, first] = [[sought], line];
    }
    last = Math.max(last, lines.lineAt(Math.max(from, to - 1)));
  }
  close();
  return regions;
}

/** A part of a text as a small document: lines that its edits may change, and on both sides as many as an old text may have. */
class Region {
  /** Offset and 0-based line of the text at which the document starts. */
  readonly from: number;
  readonly line: number;
  /** What may change, and the whole length: offsets in the document as it was. */
  private readonly core: Span;
  readonly length: number;
  private readonly isLast: boolean;
  draft: Draft;
  history!: EditHistory;

  /** 0-based lines of the text; the end of the last one of all is left away, so that no empty line seems to follow. */
  constructor(start: Draft, { first, last, reach }: { first: number; last: number; reach: number }) {
    const { index } = start;
    const lines = index.matchedLines;
    this.line = Math.max(0, first - reach);
    this.from = lines.start(this.line);
    const text = index.text.slice(this.from, lines.contentEnd(Math.min(lines.lineCount - 1, last + reach)));
    this.core = { from: lines.start(first) - this.from, to: lines.end(last) - this.from };
    this.length = text.length;
    this.isLast = lines.end(last) === index.text.length;
    const base = new TextIndex(text, start.document, (offset) => index.callersLine(this.from + offset));
    const document = { ...start.document, text };
    this.draft = { document, base, change: ChangeSet.none(text.length), index: base, created: start.created };
  }

  /** Takes a further draft over, unless it changes lines that other regions see, too, or joins lines to them. */
  take(draft: Draft): boolean {
    const { changes } = draft.change;
    const { text } = draft.index;
    const end = text.length - (this.length - this.core.to);
    const isWithin =
      (changes[0]?.from ?? this.core.from) >= this.core.from && (changes.at(-1)?.to ?? 0) <= this.core.to;
    const isEnded = this.isLast || end === 0 || text[end - 1] === "\n";
    if (isWithin && isEnded) this.draft = draft;
    return isWithin && isEnded;
  }
}

/** The regions of a text while their edits are planned. */
class RegionPlan {
  /** Of the whole text. What was done for pairs that come again is in the histories of their regions. */
  private readonly history: EditHistory;
  /** By pattern: the regions that contained it after one of their edits. */
  private readonly written = new Map<string, Set<Region>>();
  /** By the name of a pair that was done: where, and with which old text. */
  private readonly done = new Map<string, { readonly region: Region; readonly oldText: string }>();
  private current: Draft | undefined;
  private hasChanged = false;
  private length: number;

  constructor(
    private readonly start: Draft,
    private readonly regions: readonly Region[],
    private readonly search: ManySearch,
    private readonly pairName: PairName,
    private readonly options: BatchOptions,
  ) {
    this.history = new EditHistory(pairName);
    for (const region of regions) region.history = new EditHistory(pairName);
    this.length = start.index.text.length;
  }

  /** The whole text as it is now. */
  get draft(): Draft {
    if (!this.hasChanged) return this.start;
    if (this.current !== undefined) return this.current;
    const changes = this.regions.flatMap(({ from, draft }) =>
      draft.change.changes.map((change) => ({ ...change, from: change.from + from, to: change.to + from })),
    );
    this.current = afterStep(this.start, ChangeSet.of(this.start.index.text.length, changes));
    return this.current;
  }

  /** Plans the next edit; `undefined`: the whole batch must be planned plainly. */
  *plan(sought: Sought): Generator<void, EditOutcome | undefined> {
    const { edit, isWhole, isRefused } = sought;
    if (isRefused) return (yield* planEdit(this.start, edit, this.history, this.options)).outcome;
    const pair = this.pairName(edit);
    const done = pair === undefined ? undefined : this.done.get(pair);
    const own = sought.home ?? done?.region;
    const others = isWhole ? "many" : this.othersWith(sought, own);
    const region = own ?? (others === "many" ? undefined : others[0]);
    const isAlone = others !== "many" && others.length === (own === undefined && region !== undefined ? 1 : 0);
    if (done !== undefined && (!isAlone || done.region !== region || done.oldText !== edit.oldText)) return undefined;
    if (!isAlone) return yield* this.planInWhole(edit);
    if (region === undefined) return yield* this.explain(edit);
    return yield* this.planIn(region, sought, done !== undefined);
  }

  /** The regions, but for one, in whose text an edit may be found now on its rung or a stricter one. */
  private othersWith({ edit, found, patterns }: Sought, own: Region | undefined): Region[] | "many" {
    const regions = new Set(patterns.flatMap((pattern) => [...(this.written.get(pattern) ?? [])]));
    if (own !== undefined) regions.delete(own);
    if (regions.size > limits.regionsSearched) return "many";
    return [...regions].filter(({ draft }) => {
      const located = locate(draft.index, edit.oldText, this.options);
      // The lines of a file view are no numbered lines of the whole text, which its regions don't tell.
      if (located.kind === "none") return found?.rung === "viewPrefix";
      return found === undefined || located.kind === "tooMany" || !isStricter(found.rung, located.rung);
    });
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
  private *planIn(region: Region, { edit, found }: Sought, isDone: boolean): Generator<void, EditOutcome | undefined> {
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
    if (!isCertain || !region.take(step.draft)) return undefined;
    this.note(region, edit, step.draft.index.text.length - draft.index.text.length);
    const places = outcome.places.map(({ startLine, endLine }) => ({
      startLine: startLine + region.line,
      endLine: endLine + region.line,
    }));
    return { ...outcome, places };
  }

  /** Whether the text stays within its limit. */
  private hasRoom({ oldText, newText }: EditOperation): boolean {
    return this.length + Math.max(0, newText.length - oldText.length) <= limits.documentLength;
  }

  /** Notes what an edit has done to its region, whose text is so many units longer. */
  private note(region: Region, edit: EditOperation, growth: number): void {
    this.hasChanged ||= region.draft.index !== region.draft.base;
    this.current = undefined;
    this.length += growth;
    const text = bare(region.draft.index.text);
    for (const pattern of this.search.within(text)) {
      const regions = this.written.get(pattern);
      if (regions === undefined) this.written.set(pattern, new Set([region]));
      else regions.add(region);
    }
    const pair = this.pairName(edit);
    if (pair !== undefined && !this.done.has(pair)) this.done.set(pair, { region, oldText: edit.oldText });
    const spans = (region.history.applied.at(-1)?.spans ?? []).map(({ from, to }) =>
      spanInBase(this.start, { from: from + region.from, to: to + region.from }),
    );
    this.history.applied.push({ index: edit.index, spans });
  }
}
