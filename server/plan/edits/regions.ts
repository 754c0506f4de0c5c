/** Plans many edits to a large text region by region, with the same result as `planSequential` but at a lower cost. */
import { rewrite } from "../../match/rewrite.js";
import { isStricter } from "../../match/rungs.js";
import { MultiSearch } from "../../match/search/multiSearch.js";
import { ChangeSet } from "../../text/changeSet.js";
import { limits } from "../../text/limits.js";
import { afterStep, type Draft, linesOf, type Span, spanInBase } from "../draft.js";
import { explainAbsence } from "../explain/explainEdit.js";
import type { BatchOptions, EditOperation } from "../operation.js";
import type { EditOutcome } from "../outcome.js";
import { locateEdit, meantBy } from "./choose.js";
import { bare, cut, lookFor, type OnlyPlace, type SoughtEdit, type TextRegion } from "./regionCut.js";
import { type Drafted, EditHistory, type PairNames, pairNames, planEdit, refusal } from "./sequential.js";

/** Plans edits within regions, as small documents; `undefined` if `planSequential` might plan otherwise. */
export function* planByRegions(
  start: Draft,
  edits: readonly EditOperation[],
  options: BatchOptions,
): Generator<void, Drafted | undefined> {
  const { text } = start.index;
  // A lone CR could become part of a CRLF where two regions meet.
  const hasLoneCr = text.includes("\r") && /\r(?!\n)/.test(text);
  if ((start.index !== start.base && !start.created) || hasLoneCr) return undefined;
  yield* start.index.expecting(edits.map(({ oldText }) => oldText));
  const all: SoughtEdit[] = [];
  for (const edit of edits) {
    all.push(yield* lookFor(start, edit, options));
    yield;
  }
  const regions = cut(start, all);
  if (regions.some((region) => 2 * region.text.length > text.length)) return undefined;
  const patterns = [...new Set(all.flatMap((sought) => sought.patterns ?? []))];
  const search = yield* MultiSearch.of(patterns, patterns.join("\n"));
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

/** The regions of a text while their edits are planned. */
class RegionPlan {
  /** The history of the whole text, except for that of repeated pairs, which is kept by their regions. */
  private readonly history: EditHistory;
  /** Maps each pattern to the regions that contained it after one of their edits. */
  private readonly written = new Map<string, Set<TextRegion>>();
  /** Maps the name of each applied pair to the region in which the pair was applied. */
  private readonly done = new Map<string, TextRegion>();
  private current: Draft | undefined;
  private hasChanged = false;
  private length: number;

  constructor(
    private readonly start: Draft,
    private readonly regions: readonly TextRegion[],
    private readonly search: MultiSearch,
    private readonly pairs: PairNames,
    private readonly options: BatchOptions,
  ) {
    this.history = new EditHistory(pairs);
    this.length = start.index.text.length;
  }

  /** The current state of the whole text. */
  get draft(): Draft {
    if (!this.hasChanged) return this.start;
    if (this.current !== undefined) return this.current;
    const changes = this.regions.flatMap(({ from, change }) => change.changes.map((each) => moved(each, from)));
    this.current = afterStep(this.start, ChangeSet.of(this.start.index.text.length, changes));
    return this.current;
  }

  /** Plans the next edit; returns `undefined` if `planSequential` must plan the whole batch. */
  *plan(sought: SoughtEdit): Generator<void, EditOutcome | undefined> {
    const { edit, patterns } = sought;
    if (refusal(this.start, edit, this.options) !== undefined)
      return (yield* planEdit(this.start, edit, this.history, this.options)).outcome;
    const done = this.done.get(this.pairs.get(edit) ?? "");
    const regions = new Set<TextRegion>();
    for (const one of [sought.home, done]) if (one !== undefined) regions.add(one);
    for (const pattern of patterns ?? []) for (const one of this.written.get(pattern) ?? []) regions.add(one);
    const [region, another] = regions;
    if (patterns === undefined || another !== undefined) return done ? undefined : yield* this.planInWhole(edit);
    if (region === undefined) return yield* this.explain(edit);
    return yield* this.planIn(region, sought, done !== undefined);
  }

  /** Plans in the whole text an edit that no single region settles. `undefined` if it succeeds: no region has it. */
  private *planInWhole(edit: EditOperation): Generator<void, EditOutcome | undefined> {
    const { outcome } = yield* planEdit(this.draft, edit, this.history, this.options);
    return outcome.status === "failed" ? outcome : undefined;
  }

  /** Returns the outcome of an edit whose old text occurs nowhere. */
  private *explain(edit: EditOperation): Generator<void, EditOutcome> {
    // Failures beyond this limit are not explained, so their messages do not depend on the text.
    const isExplained = this.history.failed.length < limits.explainedFailures;
    const draft = isExplained ? this.draft : this.start;
    const failure = yield* explainAbsence(draft, edit, this.history, this.options);
    this.history.failed.push(edit);
    return { index: edit.index, path: draft.document.path, status: "failed", places: [], failure };
  }

  /** Plans an edit in the only region that may contain its place. */
  private *planIn(region: TextRegion, sought: SoughtEdit, isDone: boolean): Generator<void, EditOutcome | undefined> {
    const { edit, found } = sought;
    const isPlain = edit.occurrence === undefined && edit.expectedCount === undefined;
    const isFirst = region.history === undefined && region.change.isEmpty && this.pairs.get(edit) === undefined;
    if (found !== undefined && isFirst && isPlain) return yield* this.planAtPlace(region, edit, found);
    region.history ??= new EditHistory(this.pairs);
    const { draft, history } = region;
    const located = meantBy(draft, edit, locateEdit(draft, edit, this.options));
    // An edit that matches only on a looser rung than it did before the batch may match elsewhere in the text, too.
    const isCertain =
      located.kind === "one" &&
      located.rung !== "emptyEnds" &&
      (found === undefined || !isStricter(found.rung, located.rung)) &&
      !region.hidesNext(edit, located.places[0].to) &&
      this.hasRoom(edit);
    if (!isCertain && !isDone) return yield* this.planInWhole(edit);
    const step = yield* planEdit(draft, edit, history, this.options);
    const { outcome } = step;
    if (outcome.status === "failed") return isDone ? undefined : yield* this.planInWhole(edit);
    // The edit was skipped: its pair was applied before, and matches on looser rungs are unintended, wherever they
    // occur. But without the empty lines at its ends, an old text may match as intended in another region.
    if (outcome.rung === undefined) return /^\s*\n|\n\s*$/.test(edit.oldText) ? undefined : outcome;
    if (!isCertain || region.hidesRepeated(edit) || !region.take(step.draft.change, step.draft)) return undefined;
    const spans = history.applied.at(-1)?.spans ?? [];
    this.history.adoptInsertions(history.insertions, region.from);
    this.note(region, edit, { spans, growth: step.draft.index.text.length - draft.index.text.length });
    const places = outcome.places.map(({ startLine, endLine }) => ({
      startLine: startLine + region.line,
      endLine: endLine + region.line,
    }));
    return { ...outcome, places };
  }

  /** Plans an edit at its place in the text before the batch; nothing in its region has changed yet. */
  private *planAtPlace(
    region: TextRegion,
    edit: EditOperation,
    { place, rung }: OnlyPlace,
  ): Generator<void, EditOutcome | undefined> {
    const { start } = this;
    const changes = this.hasRoom(edit) ? rewrite(start.index, place, edit) : undefined;
    if (changes === undefined) return yield* this.planInWhole(edit);
    const spans = changes.map((change) => moved(change, -region.from));
    const change = ChangeSet.of(region.text.length, spans);
    if (!region.take(change)) return undefined;
    if (/[\r\n]/.test(edit.newText)) {
      region.history ??= new EditHistory(this.pairs);
      region.history.adoptInsertions(this.history.noteInsertions(start, changes), -region.from);
    }
    this.note(region, edit, { spans, growth: change.lengthAfter - change.length });
    const status = change.isEmpty ? "skipped" : "applied";
    const places = start.created ? [] : [linesOf(start, place)];
    return { index: edit.index, path: start.document.path, status, rung, places };
  }

  /** Reports whether the text would stay within its maximum length after an edit. */
  private hasRoom({ oldText, newText }: EditOperation): boolean {
    return this.length + Math.max(0, newText.length - oldText.length) <= limits.documentLength;
  }

  /** Records which spans of a region's original text an edit changed, and by how many units the text grew. */
  private note(region: TextRegion, edit: EditOperation, did: { spans: readonly Span[]; growth: number }): void {
    const { spans, growth } = did;
    this.hasChanged ||= spans.length > 0;
    this.current = undefined;
    this.length += growth;
    for (const pattern of this.search.within(bare(region.textNow))) {
      const regions = this.written.get(pattern);
      if (regions === undefined) this.written.set(pattern, new Set([region]));
      else regions.add(region);
    }
    const pair = this.pairs.get(edit);
    if (pair !== undefined) this.done.set(pair, region);
    const inBase = spans.map((span) => spanInBase(this.start, moved(span, region.from)));
    this.history.applied.push({ index: edit.index, spans: inBase });
  }
}

/** Returns a span or change shifted by `by`. */
function moved<T extends Span>(span: T, by: number): T {
  return { ...span, from: span.from + by, to: span.to + by };
}
