/** Plans one file's edits in sequence: each is matched against the result of the edits before it. */
import { locating } from "../../match/locate.js";
import type { Place } from "../../match/place.js";
import { rewrite } from "../../match/rewrite.js";
import { isStricter, type RungName } from "../../match/rungs.js";
import { type Change, ChangeSet } from "../../text/changeSet.js";
import { isAllBlank } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { type Draft, edited, lineInBase, linesOf, type Span, spanInBase } from "../draft.js";
import { explainAbsence, explainShift, findsElsewhere, isBrief } from "../explain/explainEdit.js";
import type { At, Failure } from "../failure.js";
import type { BatchOptions, EditOperation } from "../operation.js";
import { type EditOutcome, failedOutcome, warned } from "../outcome.js";
import type { Lines } from "../views/view.js";
import { type Chosen, choose, locateEdit, locateMarked, meantBy } from "./choose.js";
import { Insertions, isAsBefore, repeatedIn } from "./insertions.js";
import { changesByLines } from "./lines.js";
import { wrongText } from "./refusal.js";
import { editFailures, editWarnings } from "./sentences.js";

/** A draft, and the outcomes of the edits that produced it, in the order of the edits. */
export interface Drafted {
  readonly draft: Draft;
  readonly outcomes: readonly EditOutcome[];
}

/** Plans the edits of one file; yields after each edit, so that the caller can serve other requests. */
export function* planSequential(
  start: Draft,
  edits: readonly EditOperation[],
  options: BatchOptions,
): Generator<void, Drafted> {
  const history = new EditHistory(pairNames(edits));
  const outcomes: EditOutcome[] = [];
  let draft = start;
  for (const edit of edits) {
    const lines = edit.seenLines;
    const step = lines
      ? planLineEdit(draft, { edit, lines, history }, options)
      : yield* planEdit(draft, edit, history, options);
    outcomes.push(step.outcome);
    draft = step.draft;
    yield;
  }
  return { draft, outcomes };
}

/** The draft after one more edit, and the outcome of that edit. */
export interface EditStep {
  readonly draft: Draft;
  readonly outcome: EditOutcome;
}

/** Plans one edit against the draft left by earlier edits and records its effect in `history`. */
export function* planEdit(
  draft: Draft,
  edit: EditOperation,
  history: EditHistory,
  options: BatchOptions,
): Generator<void, EditStep> {
  if (edit.oldText === "" && options.emptyAppends) return append(draft, edit, history);
  const chosen = yield* placesOf(draft, edit, history, options);
  if ("status" in chosen) return { draft, outcome: chosen };
  const step = chosen.ok ? replaced(draft, edit, chosen, { history, options }) : chosen;
  if ("draft" in step) return step;
  history.failed.push(edit);
  return { draft, outcome: failedOutcome({ index: edit.index, path: draft.document.path }, step.failure) };
}

/** Returns the places that an edit replaces, why there are none, or its outcome if it has nothing to do. */
function* placesOf(
  draft: Draft,
  edit: EditOperation,
  history: EditHistory,
  options: BatchOptions,
): Generator<void, Chosen | EditOutcome> {
  const at: At = { index: edit.index, path: draft.document.path };
  const skipped: EditOutcome = { index: edit.index, path: draft.document.path, status: "skipped", places: [] };
  const fail = (failure: Failure): Chosen => ({ ok: false, failure });
  const refused = refusal(draft, edit, options);
  if (refused !== undefined) return fail(refused);
  const asSent = yield* locating(draft.index, edit.oldText, options);
  const located = meantBy(draft, edit, locateMarked(draft, edit, asSent, options));
  const isAgain = history.hasDone(edit);
  if (located.kind === "tooMany") return fail(editFailures.searchTooLarge(at));
  if (located.kind === "none") {
    const done = isAgain ? skipped : insertedBefore(draft, edit, history.insertions, options);
    return done ?? fail(yield* explainAbsence(draft, edit, history, options));
  }
  const isRedundant =
    isAgain &&
    (history.hasDoneStricter(edit, located.rung) || located.places.every((place) => history.wrote(edit, place)));
  if (isRedundant) return skipped;
  const stray = located.rung === "exact" ? undefined : findsElsewhere(draft, edit, located, history, options);
  if (stray !== undefined) return fail(stray);
  const chosen = choose(draft, edit, located);
  if (!chosen.ok) return chosen;
  const places = isAgain ? chosen.places.filter((place) => !history.wrote(edit, place)) : chosen.places;
  return places.length === 0 ? skipped : { ...chosen, places };
}

/** Replaces the places of an edit, unless its new text does not fit them or inserts lines that are there already. */
function replaced(
  draft: Draft,
  edit: EditOperation,
  { ok: _, ...chosen }: Extract<Chosen, { ok: true }>,
  { history, options }: { readonly history: EditHistory; readonly options: BatchOptions },
): EditStep | { readonly failure: Failure } {
  const { index, newText } = edit;
  const at: At = { index, path: draft.document.path };
  const { places } = chosen;
  const rewritten = places.map((place) => rewrite(draft.index, place, edit));
  const unfit = places[rewritten.indexOf(undefined)];
  if (unfit !== undefined) return { failure: explainShift(draft, edit, unfit, isBrief(history, options)) };
  const sent = rewritten.flatMap((each) => each ?? []);
  // The same lines are inserted once, unless the batch has changed their place. A file that it creates has no text from before.
  const isDone =
    !draft.created &&
    history.insertions?.hasAll(sent, { at: draft, now: draft }) === true &&
    places.every(({ from, to }) => isAsBefore(draft, from, to));
  const changes = isDone ? [] : sent;
  const addsLines = /[\r\n]/.test(newText);
  const [place] = places;
  const repeated = place && addsLines && !edit.replaceAll ? repeatedIn(draft, { index, place, changes }) : undefined;
  if (repeated?.isCertain) return { failure: editFailures.alreadyInserted(at, repeated) };
  const result = edited(draft, changes);
  const changed = changes.map((change) => spanInBase(draft, change));
  history.apply(edit, { rung: chosen.rung, changed, places, step: result.step });
  if (addsLines) history.noteInsertions(draft, changes);
  const status = result.step.isEmpty ? "skipped" : "applied";
  const lines = draft.created ? [] : places.map((each) => linesOf(draft, each));
  const outcome = { index, path: draft.document.path, status, ...chosen, places: lines } as const;
  return { draft: result.draft, outcome: repeated ? warned(outcome, editWarnings.repeated(at, repeated)) : outcome };
}

/** Adds an edit's new text to the end of the text, on a line of its own, unless the text ends with these lines already. */
function append(draft: Draft, edit: EditOperation, history: EditHistory): EditStep {
  const { lines, text } = draft.index;
  const { index } = edit;
  const { path } = draft.document;
  const lineEnd = lines.terminator(0) || "\n";
  const missing = text === "" || /[\r\n]$/.test(text.slice(-1)) ? "" : lineEnd;
  const added = edit.newText.replaceAll("\n", lineEnd);
  const isThere = added !== "" && `${lineEnd}${withoutEnd(text)}`.endsWith(`${lineEnd}${withoutEnd(added)}`);
  // A single short line may well be there twice.
  const isDone = isThere && (/[\r\n]/.test(withoutEnd(added)) || added.trim().length >= limits.tellingText);
  if (isDone) return { draft, outcome: { index, path, status: "skipped", rung: "exact", places: [] } };
  const end = { from: text.length, to: text.length };
  const result = edited(draft, [{ ...end, insert: `${missing}${added}` }]);
  history.apply(edit, { rung: "exact", changed: [spanInBase(draft, end)], places: [], step: result.step });
  const status = added === "" ? "skipped" : "applied";
  const line = lineInBase(draft, withoutEnd(text).length);
  const repeated = isThere && !isAllBlank(added) ? { line, text: added.trim(), isCertain: false } : undefined;
  const warning = repeated && editWarnings.repeated({ index, path }, repeated);
  return { draft: result.draft, outcome: warned({ index, path, status, places: [] }, warning) };
}

/** Returns a text without the empty lines and the line ending at its end. */
const withoutEnd = (text: string): string => text.replace(/(?<![\r\n \t])[\r\n \t]+$/, "");

/** Plans one edit that names the lines that it replaces. */
function planLineEdit(
  draft: Draft,
  { edit, lines, history }: { edit: EditOperation; lines: Lines; history: EditHistory },
  options: BatchOptions,
): EditStep {
  const own = { index: edit.index, path: draft.document.path };
  const found = changesByLines(draft, { edit, lines, earlier: history.applied }, options);
  if ("failure" in found) {
    history.failed.push(edit);
    return { draft, outcome: failedOutcome(own, found.failure) };
  }
  const { place, changes } = found;
  const result = edited(draft, changes);
  const changed = changes.map((change) => spanInBase(draft, change));
  history.apply(edit, { rung: "exact", changed, places: [place], step: result.step });
  const [first, last] = [changes.at(0) ?? place, changes.at(-1) ?? place];
  // Lines are inserted between two others.
  const more = place.from === place.to ? 1 : 0;
  const span = { from: Math.max(0, first.from - more), to: Math.min(draft.index.text.length, last.to + more) };
  const places = draft.created ? [] : [linesOf(draft, span)];
  const status = result.step.isEmpty ? "skipped" : "applied";
  return { draft: result.draft, outcome: { ...own, status, places } };
}

/** Returns the outcome of an edit whose lines were inserted before, so that its old text was found only then. */
function insertedBefore(
  draft: Draft,
  edit: EditOperation,
  insertions: Insertions | undefined,
  options: BatchOptions,
): EditOutcome | undefined {
  if (insertions === undefined || draft.created) return undefined;
  const before: Draft = { ...draft, change: ChangeSet.none(draft.base.text.length), index: draft.base };
  const located = meantBy(before, edit, locateEdit(before, edit, options));
  if (located.kind !== "one") return undefined;
  const [place] = located.places;
  const changes = rewrite(draft.base, place, edit);
  if (changes === undefined || !insertions.hasAll(changes, { at: before, now: draft })) return undefined;
  const { path } = draft.document;
  const places = draft.created ? [] : [linesOf(before, place)];
  return { index: edit.index, path, status: "skipped", rung: located.rung, places };
}

/** Returns the failure of an edit that would fail against any text. Not called for an edit that may create a file. */
export function refusal({ document }: Draft, edit: EditOperation, options: BatchOptions): Failure | undefined {
  const at: At = { index: edit.index, path: document.path };
  if (edit.oldText === "") return editFailures.emptyOldText(at, { first: false });
  if (edit.oldText === edit.newText) return editFailures.noChange(at);
  return /^[ \t]*\d|\.{3}|…/.test(edit.newText) ? wrongText(at, document, edit, options) : undefined;
}

/** Maps edits to names for their pairs of old and new text. Includes only edits whose pair was sent more than once. */
export type PairNames = ReadonlyMap<EditOperation, string>;

/** Finds pairs that were sent more than once, whatever their line endings, which the file decides. */
export function pairNames(edits: readonly EditOperation[]): PairNames {
  // Usually, few old texts are repeated, so there are few names to make.
  const oldTexts = repeated(edits.map(({ oldText }) => withoutCr(oldText)));
  const named = edits.flatMap((edit): [EditOperation, string][] => {
    const oldText = withoutCr(edit.oldText);
    return oldTexts.has(oldText) ? [[edit, `${oldText.length} ${oldText}${withoutCr(edit.newText)}`]] : [];
  });
  const names = repeated(named.map(([, name]) => name));
  return new Map(named.filter(([, name]) => names.has(name)));
}

/** Returns the texts that occur more than once in a list. */
function repeated(texts: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(texts.filter((text) => seen.size === seen.add(text).size));
}

/** Returns a text with all its line endings converted to LF. */
function withoutCr(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** A place that an edit with a repeated pair has replaced, as offsets in the draft's current text. */
interface Written {
  /** The parts of the place that no later edit has changed; what lies between them counts as written, too. */
  readonly parts: readonly Span[];
  /** The parts of the inserted text that no later edit has changed; never empty. */
  readonly inserted: readonly Span[];
}

/** Returns the parts of a span that a step leaves unchanged, as offsets in the text after the step. */
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

/** The effects of earlier edits on one document, used to skip redundant edits and to explain missing old texts. */
export class EditHistory {
  readonly applied: { readonly index: number; readonly spans: readonly Span[] }[] = [];
  readonly failed: EditOperation[] = [];
  /** The lines that the edits inserted; `undefined` if there are none. */
  insertions: Insertions | undefined;
  /** Maps each applied pair to the rung on which it was first found, and to what remains of the text that it wrote. */
  private readonly done = new Map<string, { readonly rung: RungName; written: readonly Written[] }>();

  constructor(private readonly pairs: PairNames) {}

  /** Records the lines that an edit inserts into a draft, and returns the record. */
  noteInsertions(draft: Draft, changes: readonly Change[]): Insertions {
    this.insertions ??= new Insertions();
    this.insertions.note(draft, changes);
    return this.insertions;
  }

  /** Records what `source` recorded last, shifted by `by` UTF-16 code units. */
  adoptInsertions(source: Insertions | undefined, by: number): void {
    if (source === undefined) return;
    this.insertions ??= new Insertions();
    this.insertions.adopt(source.latest, by);
  }

  /** Reports whether an edit with the same pair was applied before. */
  hasDone(edit: EditOperation): boolean {
    return this.done.has(this.pairs.get(edit) ?? "");
  }

  /** Reports whether the same pair was first found on a stricter rung; a match on `rung` is then unintended. */
  hasDoneStricter(edit: EditOperation, rung: RungName): boolean {
    const done = this.done.get(this.pairs.get(edit) ?? "");
    return done !== undefined && isStricter(done.rung, rung);
  }

  /** Reports whether a place lies in text that the same pair wrote earlier; replacing it would apply the pair twice. */
  wrote(edit: EditOperation, place: Place): boolean {
    const written = this.done.get(this.pairs.get(edit) ?? "")?.written ?? [];
    return written.some(({ parts }) => {
      const [first, last] = [parts.at(0), parts.at(-1)];
      return first !== undefined && last !== undefined && first.from <= place.from && place.to <= last.to;
    });
  }

  /** Records an applied edit. `changed` refers to the text before the batch, `places` to that before this edit. */
  apply(
    edit: EditOperation,
    did: { rung: RungName; changed: readonly Span[]; places: readonly Place[]; step: ChangeSet },
  ): void {
    const { rung, changed, places, step } = did;
    this.applied.push({ index: edit.index, spans: changed });
    for (const done of this.done.values()) {
      // If everything that a pair wrote is removed, for instance by a reverse edit, the pair may be applied again.
      done.written = done.written
        .map(({ parts, inserted }) => ({
          parts: parts.flatMap((span) => survivors(span, step)),
          inserted: inserted.flatMap((span) => survivors(span, step)),
        }))
        .filter(({ inserted }) => inserted.length > 0);
    }
    const pair = this.pairs.get(edit);
    if (pair === undefined) return;
    const after = ({ from, to }: Span): Span => ({ from: step.mapPos(from, "before"), to: step.mapPos(to, "after") });
    const own = places.flatMap((place): Written[] => {
      const within = step.changes.filter(
        ({ from, to, insert }) => insert !== "" && place.from <= from && to <= place.to,
      );
      return within.length === 0 ? [] : [{ parts: [after(place)], inserted: within.map(after) }];
    });
    const before = this.done.get(pair);
    this.done.set(pair, { rung: before?.rung ?? rung, written: [...(before?.written ?? []), ...own] });
  }
}
