/** A document while a batch is planned: its text so far, still one change set away from what the editor has. */
import { TextIndex } from "../match/textIndex.js";
import { type Change, ChangeSet, shrink } from "../text/changeSet.js";
import { firstIndex } from "../text/lines.js";
import type { Document } from "./snapshot.js";

/** A stretch of a text, offsets in UTF-16 units. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Lines of a place: 1-based, both included, of the text before the batch. */
export interface LineSpan {
  readonly startLine: number;
  readonly endLine: number;
}

/** A document, the change so far, and the text that it gives. A new draft is made by each edit; none is changed. */
export interface Draft {
  readonly document: Document;
  /** The document's text, indexed once for the whole batch. */
  readonly base: TextIndex;
  /** From the document's text to `index.text`. */
  readonly change: ChangeSet;
  readonly index: TextIndex;
  /** Whether the batch brings the file into being. */
  readonly created: boolean;
}

/** The draft of an untouched document. */
export function draftOf(document: Document): Draft {
  const base = new TextIndex(document.text, document);
  return { document, base, change: ChangeSet.none(document.text.length), index: base, created: false };
}

/** The draft after further changes, whose offsets are those of the draft's text; the step alone is given back as well. */
export function edited(draft: Draft, changes: readonly Change[]): { draft: Draft; step: ChangeSet } {
  const step = ChangeSet.of(draft.index.text.length, changes);
  return { draft: step.isEmpty ? draft : afterStep(draft, step), step };
}

/** The draft after a step that leads on from its text. */
export function afterStep(draft: Draft, step: ChangeSet): Draft {
  const { base } = draft;
  const change = draft.change.compose(step);
  // Callers count the lines of the text before the batch; a line that the batch wrote has the number of what it replaced.
  // It must not hold the draft, or each draft would hold all those before it.
  const callersLine = (offset: number): number => base.callersLine(change.unitBack(offset).from);
  return { ...draft, change, index: new TextIndex(step.apply(draft.index.text), draft.document, callersLine) };
}

/** The whole change, as small as it can be: what a chain brought back to the start is not in it. */
export function netChange(draft: Draft): ChangeSet {
  const { text } = draft.base;
  return ChangeSet.of(
    text.length,
    draft.change.changes.flatMap((change) => shrink(text, change)),
  );
}

/** A stretch of the draft's text as a stretch of the document's; text of earlier edits stands for what they replaced. */
export function spanInBase(draft: Draft, span: Span): Span {
  const { from, to } = draft.change.unitBack(span.from);
  return { from, to: span.to > span.from ? Math.max(to, draft.change.unitBack(span.to - 1).to) : from };
}

/** 1-based line of the text before the batch, of an offset of the draft's text. */
export function lineInBase(draft: Draft, offset: number): number {
  return draft.base.lines.lineAt(draft.change.unitBack(offset).from) + 1;
}

/** Whether the unit at an offset of the draft's text was written by an edit of the batch. */
export function isWritten(draft: Draft, offset: number): boolean {
  const { from, to } = draft.change.unitBack(offset);
  return to !== from + 1 || draft.change.mapPos(from, "after") !== offset;
}

/** The lines of a stretch of the draft's text. */
export function linesOf(draft: Draft, span: Span): LineSpan {
  const { lines } = draft.base;
  const { from, to } = spanInBase(draft, span);
  return { startLine: lines.lineAt(from) + 1, endLine: lines.lineAt(Math.max(from, to - 1)) + 1 };
}

/** Whether a stretch overlaps one of a list whose starts and ends both ascend; an empty one does where it lies inside. */
export function touchesAny(span: Span, sorted: readonly Span[]): boolean {
  const low = firstIndex(sorted.length, (i) => (sorted[i] as Span).to > span.from);
  return (sorted[low]?.from ?? Number.POSITIVE_INFINITY) < span.to;
}
