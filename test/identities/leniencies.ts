/** What nobody can know: the table of outcomes that are not counted as wrong, but counted, and bounded. */

import { both } from "./both.js";
import type { Call } from "./calls.js";
import { type Chars, type Identities, linesOf } from "./chars.js";
import { compared } from "./compare.js";
import { judge } from "./judge.js";

/** A call that may have gone wrong. */
export interface Doubt {
  readonly seen: Chars;
  readonly present: Chars;
  readonly ids: Identities;
  /** The step at which the author saw its text. */
  readonly step: number;
  readonly call: Call;
  /** The text after the call. */
  readonly result: string;
}

/** The leniencies, in the order in which they are asked. */
const table: readonly (readonly [string, (doubt: Doubt) => boolean])[] = [
  [
    "right by a comparison of the texts",
    ({ seen, present, ids, call, result }) => {
      const texts = both(seen, compared(seen, present, ids), ids.count);
      return judge(texts, call, result, () => false).kind === "right";
    },
  ],
  [
    "right if the equal lines side by side are in another order",
    ({ seen, present, ids, call, result }) =>
      reordered(present).some(
        (other) => judge(both(seen, other, ids.count), call, result, () => false).kind === "right",
      ),
  ],
  [
    "the lines were moved or copied",
    ({ seen, ids, step, call: { edits } }) =>
      edits.some(({ from, to }) => seen.ids.slice(from, to).some((id) => ids.isPasted(id, step))),
  ],
  [
    "the lines are equal to others",
    ({ seen, present, call: { edits } }) => edits.some(({ from, to }) => hasTwin(seen.text, present.text, from, to)),
  ],
];

/**
 * Returns the leniency that covers a call; `undefined` if there is none. If changes are synced, one after the other, only the first
 * two count: what was removed and put back, equal, at the same place is untouched, whoever typed it, and no text shows
 * which of two equal lines side by side was there first.
 */
export const leniencyOf = (doubt: Doubt, isWhole: boolean): string | undefined =>
  (isWhole ? table : table.slice(0, 2)).find(([, covers]) => covers(doubt))?.[0];

/** Reports whether a line of a span, or one beside it, occurs several times. */
function hasTwin(seen: string, present: string, from: number, to: number): boolean {
  const lines = linesOf(seen);
  const texts = [seen, present].map((text) => linesOf(text).map((line) => text.slice(line.from, line.to).trim()));
  const first = lines.findIndex(({ next }) => next > from);
  const last = lines.findLastIndex((line) => line.from < to);
  for (let at = Math.max(0, first - 1); at <= Math.min(lines.length - 1, last + 1); at++)
    if (texts.some((all) => all.filter((one) => one === texts[0]![at]).length > 1)) return true;
  return false;
}

/** Returns a text with the characters of two equal lines side by side exchanged, once for each such pair. */
function reordered({ text, ids }: Chars): Chars[] {
  const lines = linesOf(text);
  return lines.flatMap((line, i) => {
    const next = lines[i + 1];
    const isTwin = next !== undefined && text.slice(line.from, line.to) === text.slice(next.from, next.to);
    if (!isTwin || line.from === line.to) return [];
    const own = [...ids];
    own.splice(line.from, line.to - line.from, ...ids.slice(next.from, next.to));
    own.splice(next.from, next.to - next.from, ...ids.slice(line.from, line.to));
    return [{ text, ids: own }];
  });
}
