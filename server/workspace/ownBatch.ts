/** Applies a batch to the earlier texts that its author has seen, so that these are what the author has in mind. */
import { compareTexts } from "../match/compareTexts.js";
import type { FileChange } from "../plan/outcome.js";
import type { ShownLines } from "../plan/views/view.js";
import { ChangeSet } from "../text/changeSet.js";
import { limits } from "../text/limits.js";
import { LineChanges } from "../text/lineChanges.js";
import { LineIndex } from "../text/lines.js";
import { merge } from "../text/merge.js";

/** The changes of one batch to one document. */
export interface Batch {
  /** The changes to the text before the batch. */
  readonly change: ChangeSet;
  readonly operations: FileChange["operations"];
  /** The number of edits in the change. */
  readonly edits: number;
  readonly isPartial?: boolean | undefined;
  readonly seenAs?: FileChange["seenAs"];
}

/** An earlier text. */
interface Earlier {
  readonly event: number;
  readonly back: ChangeSet;
  readonly isCompared: boolean;
  readonly shown: readonly ShownLines[] | undefined;
}

const rule = { loneCrEndsLine: false };

/** A batch that was made of the text `before`; the user may have typed since. */
export class OwnBatch {
  /** `true` if nobody has typed since. */
  readonly isLast: boolean;
  /** Turns the present text into the one before the batch. */
  readonly toBefore: ChangeSet;
  readonly #after: string;
  /** Turns the present text into the one after the batch. */
  readonly toAfter: ChangeSet;
  readonly #lines: LineIndex;

  /** Throws a RangeError if the batch's change is not one of the text `before`. */
  constructor(
    readonly present: string,
    readonly before: string,
    readonly batch: Batch,
  ) {
    this.#after = batch.change.apply(before);
    this.toAfter = compareTexts(present, this.#after);
    this.isLast = this.toAfter.isEmpty;
    this.toBefore = this.toAfter.compose(batch.change.invert(before));
    this.#lines = LineIndex.of(before, rule);
  }

  /** Returns an earlier text with the batch: the way back to it from the present text, and the lines that were shown. */
  appliedTo({ event, back, isCompared, shown }: Earlier): Pick<Earlier, "back" | "shown" | "isCompared"> {
    const { change, seenAs = [] } = this.batch;
    const text = back.apply(this.present);
    const toText = withoutEqual(this.before, this.toBefore.invert(this.present).compose(back));
    const seen = seenAs.find((one) => one.key === event && one.change.length === text.length)?.change;
    const made = seen ?? this.#merged(toText, text, isCompared);
    const known = shown === undefined ? shown : shownAfter(shown, text, made ?? ChangeSet.none(text.length));
    // If the batch wrote the same text in both, its characters are the same ones, on whichever side of what was typed there.
    const sides = [toText.map(change, "before"), toText.map(change, "after")] as const;
    const mapped = sides.find((one) => one.apply(this.#after) === made?.apply(text)) ?? sides[0];
    const isApart = toText.changes.every((one) =>
      change.changes.every((own) => one.to < own.from || own.to < one.from),
    );
    if (made === undefined ? isApart : mapped.apply(this.#after) === made.apply(text))
      return { back: this.toAfter.compose(mapped), shown: known, isCompared: isCompared || !this.isLast };
    // If the batch changes what the text does not have, its author now knows the present text. Otherwise, the way back is
    // as long as the batch, so nobody knows any more which characters are the same.
    const longer = made === undefined ? ChangeSet.none(this.present.length) : back.compose(made);
    return { back: longer, shown: known, isCompared: true };
  }

  #merged(toText: ChangeSet, text: string, isCompared: boolean): ChangeSet | undefined {
    const typed = new LineChanges(this.#lines, toText, isCompared ? "compared" : "typed");
    return merge(typed, new LineChanges(this.#lines, this.batch.change, "edit"), LineIndex.of(text, rule));
  }
}

/** Returns changes without those that only put back what they remove. */
export function withoutEqual(text: string, { length, changes }: ChangeSet): ChangeSet {
  return ChangeSet.of(
    length,
    changes.filter(({ from, to, insert }) => text.slice(from, to) !== insert),
  );
}
/** Returns the lines that a caller knows of a text that its own batch has changed: those shown, and those it wrote. */
function shownAfter(shown: readonly ShownLines[], text: string, own: ChangeSet): readonly ShownLines[] {
  const lines = LineIndex.of(text, rule);
  const after = LineIndex.of(own.apply(text), rule);
  const spans = [
    ...shown.map(({ startLine, endLine }) => ({ from: lines.start(startLine - 1), to: lines.contentEnd(endLine - 1) })),
    ...own.changes.map(({ from, to }) => ({
      from: lines.start(lines.lineAt(from)),
      to: lines.contentEnd(lines.lineAt(to)),
    })),
  ];
  return spans
    .map(({ from, to }) => ({
      startLine: after.lineAt(own.mapPos(from, "before")) + 1,
      endLine: after.lineAt(own.mapPos(to, "after")) + 1,
    }))
    .slice(-limits.shownSpans);
}
