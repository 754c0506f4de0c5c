/** A document while a batch is being planned: its original text, the change made so far, and the resulting text. */
import { TextIndex } from "../match/textIndex.js";
import { type Change, ChangeSet, shrink } from "../text/changeSet.js";
import { firstIndex } from "../text/lines.js";
import type { Document } from "./snapshot.js";

/** A span of text, as UTF-16 offsets. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** The first and last line (1-based, inclusive) of a place in the text before the batch. */
export interface LineSpan {
  readonly startLine: number;
  readonly endLine: number;
}

/** A document, the change made to it, and the resulting text. Each edit produces a new draft; drafts are immutable. */
export interface Draft {
  readonly document: Document;
  /** The document's text, indexed once for the whole batch. */
  readonly base: TextIndex;
  /** The change from the document's text to `index.text`. */
  readonly change: ChangeSet;
  readonly index: TextIndex;
  /** `true` if the batch creates the file. */
  readonly created: boolean;
}

/** Returns the draft of a document that has not been changed yet. */
export function draftOf(document: Document): Draft {
  const base = new TextIndex(document.text, document);
  return { document, base, change: ChangeSet.none(document.text.length), index: base, created: false };
}

/** Applies changes whose offsets refer to the draft's text. Returns the new draft and the changes as a change set. */
export function edited(draft: Draft, changes: readonly Change[]): { draft: Draft; step: ChangeSet } {
  const step = ChangeSet.of(draft.index.text.length, changes);
  return { draft: step.isEmpty ? draft : afterStep(draft, step), step };
}

/** Applies a step (a change set for the draft's text) and returns the new draft. */
export function afterStep(draft: Draft, step: ChangeSet): Draft {
  const { base } = draft;
  const change = draft.change.compose(step);
  // Callers use the line numbers of the text before the batch. A line that the batch wrote gets the number of the line
  // it replaced. `callersLine` must not capture the draft, or each draft would keep all earlier ones in memory.
  const callersLine = (offset: number): number => base.callersLine(change.unitBack(offset).from);
  const { text, habits } = draft.index;
  return { ...draft, change, index: new TextIndex(step.apply(text), draft.document, callersLine, habits) };
}

/** Returns the draft's overall change, with unaltered text trimmed from both ends of each individual change. */
export function netChange(draft: Draft): ChangeSet {
  const { text } = draft.base;
  return ChangeSet.of(
    text.length,
    draft.change.changes.flatMap((change) => shrink(text, change)),
  );
}

/** Maps a span of the draft's text to the document's text. Text that the batch wrote maps to the text it replaced. */
export function spanInBase(draft: Draft, span: Span): Span {
  const { from, to } = draft.change.unitBack(span.from);
  return { from, to: span.to > span.from ? Math.max(to, draft.change.unitBack(span.to - 1).to) : from };
}

/** Converts an offset in the draft's text to a 1-based line number in the text before the batch. */
export function lineInBase(draft: Draft, offset: number): number {
  return draft.base.lines.lineAt(draft.change.unitBack(offset).from) + 1;
}

/** Reports whether an edit of the batch wrote the unit at an offset in the draft's text. */
export function isWritten(draft: Draft, offset: number): boolean {
  const { from, to } = draft.change.unitBack(offset);
  return to !== from + 1 || draft.change.mapPos(from, "after") !== offset;
}

/** Converts a span of the draft's text to line numbers in the text before the batch. */
export function linesOf(draft: Draft, span: Span): LineSpan {
  const { lines } = draft.base;
  const { from, to } = spanInBase(draft, span);
  return { startLine: lines.lineAt(from) + 1, endLine: lines.lineAt(Math.max(from, to - 1)) + 1 };
}

/** Reports whether a span overlaps one in `sorted`. An empty span overlaps only those that strictly contain it. */
export function touchesAny(span: Span, sorted: readonly Span[]): boolean {
  const low = firstIndex(sorted.length, (i) => (sorted[i] as Span).to > span.from);
  return (sorted[low]?.from ?? Number.POSITIVE_INFINITY) < span.to;
}
