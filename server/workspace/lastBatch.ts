/** Remembers what a caller's last batch wrote, because the caller may send it again, for example after a time-out. */
import type { MadeCall } from "../plan/views/view.js";
import type { ChangeSet } from "../text/changeSet.js";
import { trimEnd, trimStart } from "../text/chars.js";
import type { Batch } from "./ownBatch.js";

/** The last batch of a caller. */
export interface LastBatch {
  readonly operations: string;
  /** What the batch wrote: spans of the text after it. `undefined` if the text already had a part of it. */
  readonly spans: MadeCall["spans"] | undefined;
  /** Turns the present text into the text after the batch. */
  readonly toAfter: ChangeSet;
  /** Turns the text after the batch into the one before it. */
  readonly toBefore: ChangeSet;
}

/** A run of UTF-16 code units. */
type WrittenSpan = NonNullable<LastBatch["spans"]>[number];

/** Returns what a batch wrote that was made of the text `before`; `undefined` if some of its edits have failed. */
export function lastBatch(before: string, toAfter: ChangeSet, batch: Batch): LastBatch | undefined {
  const { change, operations, edits, isPartial } = batch;
  if (isPartial) return undefined;
  const count = operations.reduce((sum, one) => sum + (one.kind === "update" ? one.hunks.length : 1), 0);
  const written = change.changes.map(({ from, insert }): WrittenSpan => {
    const start = change.mapPos(from, "before");
    const [first, last] = [trimStart(insert, 0, insert.length), trimEnd(insert, 0, insert.length)];
    // A line that is typed beside written lines is not typed in them.
    return first < last ? { from: start + first, to: start + last } : { from: start, to: start + insert.length };
  });
  const spans = edits < count ? undefined : written;
  return { operations: JSON.stringify(operations), spans, toAfter, toBefore: change.invert(before) };
}

/** Returns the call of a batch; `undefined` if nothing of what it wrote is in the present text, or nobody can say so. */
export function madeCall({ operations, spans, toAfter, toBefore }: LastBatch, present: string): MadeCall | undefined {
  if (spans === undefined) return toAfter.isEmpty ? { operations, spans: [], isTouched: false } : undefined;
  const isUndone = toAfter.compose(toBefore).apply(present) === present;
  if (isUndone && !toBefore.isEmpty) return undefined;
  const after = toAfter.apply(present);
  const typed = toAfter.invert(present);
  const states = spans.map((span) => stateOf(after, span, typed));
  if (states.every((state) => state === "gone")) return undefined;
  const left = spans.filter((_, i) => states[i] !== "gone");
  return {
    operations,
    isTouched: states.some((state) => state !== "there"),
    spans: left.map(({ from, to }) => {
      const start = typed.mapPos(from, "after");
      return { from: start, to: Math.max(start, typed.mapPos(to, "before")) };
    }),
  };
}

/** Reports what became of a span that a batch wrote in a text, after changes to this text. */
function stateOf(text: string, { from, to }: WrittenSpan, typed: ChangeSet): "there" | "touched" | "gone" {
  const isWord = (at: number): boolean => /^[\p{L}\p{N}_]$/u.test(text[at] ?? "");
  let state: "there" | "touched" | "gone" = "there";
  for (const one of typed.changes) {
    // Where equal text follows or precedes removed text, nobody knows which of the two was removed.
    let [start, end] = [one.from, one.to];
    for (; one.insert === "" && start > 0 && text[start - 1] === text[start - 1 + one.to - one.from]; start--);
    for (; one.insert === "" && end < text.length && text[end] === text[end - (one.to - one.from)]; end++);
    if (from === to ? start <= from && from <= end : start <= from && to <= end) return "gone";
    const joins =
      (one.from === to && isWord(to - 1) && /^[\p{L}\p{N}_]/u.test(one.insert)) ||
      (one.to === from && isWord(from) && /[\p{L}\p{N}_]$/u.test(one.insert));
    if (joins || (start < to && from < end)) state = "touched";
  }
  return state;
}
