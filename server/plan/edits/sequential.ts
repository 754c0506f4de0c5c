/** Plans one file's edits in sequence: each is found in the result of those before it. */
import { locating } from "../../match/locate.js";
import type { Place } from "../../match/place.js";
import { rewrite } from "../../match/rewrite.js";
import { isStricter, type RungName } from "../../match/rungs.js";
import type { ChangeSet } from "../../text/changeSet.js";
import { type Draft, edited, lineInBase, linesOf, type Span, spanInBase } from "../draft.js";
import { explainAbsence, findsElsewhere } from "../explain/explainEdit.js";
import type { At, Failure } from "../failure.js";
import { IncrementalSearch, type Sighting } from "../incremental.js";
import type { BatchOptions, EditOperation } from "../operation.js";
import type { EditOutcome } from "../outcome.js";
import { choose, locateEdit, meantBy } from "./choose.js";
import { editFailures } from "./sentences.js";

/** A draft and what became of the edits that made it, in their order. */
export interface Drafted {
  readonly draft: Draft;
  readonly outcomes: readonly EditOutcome[];
}

/** Yields after each edit, so that its caller can serve others. */
export function* planSequential(
  start: Draft,
  edits: readonly EditOperation[],
  options: BatchOptions,
): Generator<void, Drafted> {
  const history = new History(edits);
  const search = yield* IncrementalSearch.over(start, edits, options);
  const outcomes: EditOutcome[] = [];
  for (const edit of edits) {
    const isRefused = refusal({}, edit) !== undefined;
    if (!isRefused) yield* search.preparing(edit);
    const redundant = !isRefused && history.hasDone(edit) ? history.isRedundant(edit, search.find(edit)) : false;
    // Whether a pair is redundant that stands in what the batch has written, only the whole text of each step tells.
    if (redundant === undefined) return yield* planInWholeText(start, edits, options);
    if (redundant) {
      outcomes.push({ index: edit.index, path: start.document.path, status: "skipped", places: [] });
      yield;
      continue;
    }
    const found = isRefused ? undefined : search.plan(edit);
    if (found === "absent") {
      const failure = yield* explainAbsence(search.draft, edit, history, options);
      outcomes.push({ index: edit.index, path: start.document.path, status: "failed", places: [], failure });
      history.fail(edit);
    } else if (found === undefined) {
      const { draft } = search;
      const result = yield* planEdit(draft, edit, history, options);
      outcomes.push(result.outcome);
      if (result.step !== undefined) search.adopt(result.draft, result.step);
    } else {
      const { rung, places, changed } = found;
      history.note(edit, rung, changed);
      const status = changed.length === 0 ? "skipped" : "applied";
      outcomes.push({
        index: edit.index,
        path: start.document.path,
        status,
        rung,
        places: start.created ? [] : places,
      });
    }
    yield;
  }
  return { draft: search.draft, outcomes };
}

/** The same with a search of the whole text for each edit. */
function* planInWholeText(
  start: Draft,
  edits: readonly EditOperation[],
  options: BatchOptions,
): Generator<void, Drafted> {
  const history = new History(edits);
  const outcomes: EditOutcome[] = [];
  let draft = start;
  for (const edit of edits) {
    const result = yield* planEdit(draft, edit, history, options);
    outcomes.push(result.outcome);
    draft = result.draft;
    yield;
  }
  return { draft, outcomes };
}

interface Step {
  readonly draft: Draft;
  /** What leads to it; `undefined`: nothing has changed. */
  readonly step?: ChangeSet;
  readonly outcome: EditOutcome;
}

function* planEdit(draft: Draft, edit: EditOperation, history: History, options: BatchOptions): Generator<void, Step> {
  const { path } = draft.document;
  const at: At = { index: edit.index, path };
  const skipped: Step = { draft, outcome: { index: edit.index, path, status: "skipped", places: [] } };
  const fail = (failure: Failure): Step => {
    history.fail(edit);
    return { draft, outcome: { index: edit.index, path, status: "failed", places: [], failure } };
  };
  const refused = refusal(at, edit);
  if (refused !== undefined) return fail(refused);
  yield* locating(draft.index, edit.oldText, options);
  const located = meantBy(edit, locateEdit(draft, edit, options));
  if (located.kind === "tooMany") return fail(editFailures.searchTooLarge(at));
  if (located.kind === "none") {
    return history.hasDone(edit) ? skipped : fail(yield* explainAbsence(draft, edit, history, options));
  }
  if (located.places.every((place) => history.wrote(edit, place))) return skipped;
  if (history.hasDoneStricter(edit, located.rung)) return skipped;
  const stray = findsElsewhere(draft, edit, located, history, options);
  if (stray !== undefined) return fail(stray);
  const chosen = choose(draft, edit, located);
  if (!chosen.ok) return fail(chosen.failure);
  const meant = chosen.places.filter((place) => !history.wrote(edit, place));
  if (meant.length === 0) return skipped;
  const rewritten = meant.map((place) => rewrite(draft.index, place, edit));
  const changes = rewritten.flatMap((each) => each ?? []);
  if (rewritten.includes(undefined)) {
    const [first] = meant;
    return fail(editFailures.cannotShift(at, first === undefined ? 1 : lineInBase(draft, first.from)));
  }
  const spans = meant.map((place) => spanInBase(draft, place));
  const result = edited(draft, changes);
  history.apply(edit, {
    rung: chosen.rung,
    changed: changes.map((change) => spanInBase(draft, change)),
    places: meant,
    step: result.step,
  });
  const places = draft.created ? [] : spans.map((span) => linesOf(draft, span));
  return {
    draft: result.draft,
    step: result.step,
    outcome: {
      index: edit.index,
      path,
      status: result.step.isEmpty ? "skipped" : "applied",
      rung: chosen.rung,
      places,
    },
  };
}

/** Tells that a new text has the old one in it. */
function keepsOldText({ oldText, newText }: EditOperation): boolean {
  return withoutCr(newText).includes(withoutCr(oldText));
}

/** A text of a call with LF alone: its line ends become those of the file when they are written. */
function withoutCr(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** One place of a pair's edit, in the draft's text as it is now. */
interface Written {
  readonly place: Span;
  /** The text that the edit has put there, as far as no other edit has changed it; never empty. */
  readonly inserted: readonly Span[];
}

/** What is left of a stretch of the text before a step; what the step inserts within it or beside it is not part of it. */
function survivors({ from, to }: Span, step: ChangeSet): Span[] {
  const left: Span[] = [];
  let at = from;
  for (const change of step.changes) {
    if (change.to < at || change.from > to) continue;
    if (change.from > at) left.push({ from: at, to: change.from });
    at = Math.max(at, change.to);
  }
  if (at < to) left.push({ from: at, to });
  return left.map((span) => ({ from: step.mapPos(span.from, "after"), to: step.mapPos(span.to, "before") }));
}

/** What is wrong with an edit whatever the text is; an empty old text is only right where it creates, which is not here. */
export function refusal(at: At, edit: EditOperation): Failure | undefined {
  if (edit.oldText === "") return editFailures.emptyOldText(at, { first: false });
  return edit.oldText === edit.newText ? editFailures.noChange(at) : undefined;
}

/** What the batch has done to one document so far: for skipping what is redundant and for explaining what is missing. */
class History {
  readonly applied: { readonly index: number; readonly spans: readonly Span[] }[] = [];
  readonly failed: EditOperation[] = [];
  /** For pairs of old and new text that are sent more than once: what they have written so far, unless it is all gone again. */
  private readonly repeated = new Map<string, Written[]>();
  /** Of those pairs, the rung on which one was found. */
  private readonly done = new Map<string, RungName>();
  /** Old texts that are sent more than once. */
  private readonly oldTexts = new Set<string>();

  constructor(edits: readonly EditOperation[]) {
    const seenTexts = new Set<string>();
    for (const edit of edits) {
      const oldText = withoutCr(edit.oldText);
      if (seenTexts.has(oldText)) this.oldTexts.add(oldText);
      seenTexts.add(oldText);
    }
    const seen = new Set<string>();
    for (const edit of edits) {
      const pair = this.pairOf(edit);
      if (pair === undefined) continue;
      if (seen.has(pair)) this.repeated.set(pair, []);
      seen.add(pair);
    }
  }

  /** A name for old and new text together; `undefined`: no other edit has the same. */
  private pairOf(edit: EditOperation): string | undefined {
    const oldText = withoutCr(edit.oldText);
    return this.oldTexts.has(oldText) ? `${oldText.length} ${oldText}${withoutCr(edit.newText)}` : undefined;
  }

  private rungOf(edit: EditOperation): RungName | undefined {
    const pair = this.pairOf(edit);
    return pair === undefined ? undefined : this.done.get(pair);
  }

  private noteRung(edit: EditOperation, rung: RungName): void {
    const pair = this.pairOf(edit);
    if (pair !== undefined && !this.done.has(pair)) this.done.set(pair, rung);
  }

  private writtenBy(edit: EditOperation): Written[] | undefined {
    const pair = this.pairOf(edit);
    return pair === undefined ? undefined : this.repeated.get(pair);
  }

  fail(edit: EditOperation): void {
    this.failed.push(edit);
  }

  /** An edit that was applied; where its pair comes again, that must not be planned by what this class knows of places. */
  note(edit: EditOperation, rung: RungName, spans: readonly Span[]): void {
    this.applied.push({ index: edit.index, spans });
    this.noteRung(edit, rung);
  }

  /** Whether the same pair was applied before. */
  hasDone(edit: EditOperation): boolean {
    return this.rungOf(edit) !== undefined;
  }

  /** Whether the same pair was found on a stricter rung before: what is left for a looser one is not what was meant twice. */
  hasDoneStricter(edit: EditOperation, rung: RungName): boolean {
    const done = this.rungOf(edit);
    return done !== undefined && isStricter(done, rung);
  }

  /** Whether an edit whose pair was applied before has nothing more to do; `undefined`: that is not certain. */
  isRedundant(edit: EditOperation, found: Sighting | undefined): boolean | undefined {
    if (found?.kind === "absent") return true;
    if (found?.kind === "base") {
      // An insertion beside an old text leaves it as it was, although it is now within what the pair wrote.
      return this.hasDoneStricter(edit, found.located.rung) || (keepsOldText(edit) ? undefined : false);
    }
    // What looser rungs than its own might find is not what was meant twice.
    if (found?.kind === "gone" && this.rungOf(edit) === found.rung) return true;
    return undefined;
  }

  /** Whether a place lies inside what the same pair wrote before: to replace it again would be to count it twice. */
  wrote(edit: EditOperation, place: Place): boolean {
    const written = this.writtenBy(edit) ?? [];
    return written.some(({ place: { from, to } }) => from <= place.from && place.to <= to);
  }

  /** `places` are those of the text before the step. */
  apply(
    edit: EditOperation,
    did: { rung: RungName; changed: readonly Span[]; places: readonly Place[]; step: ChangeSet },
  ): void {
    const { rung, changed, places, step } = did;
    this.applied.push({ index: edit.index, spans: changed });
    this.noteRung(edit, rung);
    for (const [pair, written] of this.repeated) {
      // Who has taken all of it away again, as an edit the other way round does, may want it once more.
      const left = written.map(({ place, inserted }) => {
        const rest = survivors(place, step);
        return {
          place: { from: rest.at(0)?.from ?? 0, to: rest.at(-1)?.to ?? 0 },
          inserted: inserted.flatMap((span) => survivors(span, step)),
        };
      });
      this.repeated.set(
        pair,
        left.filter(({ inserted }) => inserted.length > 0),
      );
    }
    const own = this.writtenBy(edit);
    if (own === undefined) return;
    const after = ({ from, to }: Span): Span => ({ from: step.mapPos(from, "before"), to: step.mapPos(to, "after") });
    for (const place of places) {
      const within = step.changes.filter(
        ({ from, to, insert }) => insert !== "" && place.from <= from && to <= place.to,
      );
      if (within.length > 0) own.push({ place: after(place), inserted: within.map(after) });
    }
  }
}
