/** Plans one file's edits in sequence: each is found in the result of those before it. */
import type { Place } from "../match/place.js";
import { rewrite } from "../match/rewrite.js";
import type { ChangeSet } from "../text/changeSet.js";
import { explainAbsence } from "./absence.js";
import { choose, locateEdit } from "./choose.js";
import { type Draft, edited, linesOf, type Span, spanInBase } from "./draft.js";
import { type At, editFailures, type Failure } from "./failure.js";
import type { BatchOptions, EditOperation } from "./operation.js";
import type { EditOutcome } from "./outcome.js";

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
  const outcomes: EditOutcome[] = [];
  let draft = start;
  for (const edit of edits) {
    const result = planEdit(draft, edit, history, options);
    outcomes.push(result.outcome);
    draft = result.draft;
    yield;
  }
  return { draft, outcomes };
}

interface Step {
  readonly draft: Draft;
  readonly outcome: EditOutcome;
}

function planEdit(draft: Draft, edit: EditOperation, history: History, options: BatchOptions): Step {
  const { path } = draft.document;
  const at: At = { index: edit.index, path };
  const skipped: Step = { draft, outcome: { index: edit.index, path, status: "skipped", places: [] } };
  const fail = (failure: Failure): Step => {
    history.fail(edit);
    return { draft, outcome: { index: edit.index, path, status: "failed", places: [], failure } };
  };
  const refused = refusal(at, edit);
  if (refused !== undefined) return fail(refused);
  const located = locateEdit(draft, edit, options);
  if (located.kind === "tooMany") return fail(editFailures.searchTooLarge(at));
  if (located.kind === "none") {
    return history.hasDone(edit) ? skipped : fail(explainAbsence(draft, edit, history, options));
  }
  if (located.places.every((place) => history.wrote(edit, place))) return skipped;
  const chosen = choose(draft, edit, located);
  if (!chosen.ok) return fail(chosen.failure);
  const spans = chosen.places.map((place) => spanInBase(draft, place));
  const result = edited(
    draft,
    chosen.places.flatMap((place) => rewrite(draft.index, place)),
  );
  history.apply(edit, { spans, places: chosen.places, step: result.step });
  const places = draft.created ? [] : spans.map((span) => linesOf(draft, span));
  return {
    draft: result.draft,
    outcome: {
      index: edit.index,
      path,
      status: result.step.isEmpty ? "skipped" : "applied",
      rung: chosen.rung,
      places,
    },
  };
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
  /** For pairs of old and new text that are sent more than once: where their new text stands in the draft's text now. */
  private readonly repeated = new Map<string, Span[]>();
  private readonly done = new Set<string>();

  constructor(edits: readonly EditOperation[]) {
    const seen = new Set<string>();
    for (const edit of edits) {
      const pair = pairOf(edit);
      if (seen.has(pair)) this.repeated.set(pair, []);
      seen.add(pair);
    }
  }

  fail(edit: EditOperation): void {
    this.failed.push(edit);
  }

  /** Whether the same pair was applied before. */
  hasDone(edit: EditOperation): boolean {
    return this.done.has(pairOf(edit));
  }

  /** Whether a place lies inside what the same pair wrote before: to replace it again would be to count it twice. */
  wrote(edit: EditOperation, place: Place): boolean {
    return (this.repeated.get(pairOf(edit)) ?? []).some(({ from, to }) => from <= place.from && place.to <= to);
  }

  /** `places` are those of the text before the step. */
  apply(edit: EditOperation, did: { spans: readonly Span[]; places: readonly Place[]; step: ChangeSet }): void {
    const { spans, places, step } = did;
    this.applied.push({ index: edit.index, spans });
    this.done.add(pairOf(edit));
    const moved = ({ from, to }: Span): Span => ({ from: step.mapPos(from, "before"), to: step.mapPos(to, "after") });
    // What another edit changes is no longer what the pair wrote.
    const whole = (span: Span): boolean => places.every(({ from, to }) => to <= span.from || from >= span.to);
    for (const [pair, written] of this.repeated) this.repeated.set(pair, written.filter(whole).map(moved));
    this.repeated.get(pairOf(edit))?.push(...places.map(moved));
  }
}

const pairOf = (edit: EditOperation): string => `${edit.oldText.length} ${edit.oldText}${edit.newText}`;
