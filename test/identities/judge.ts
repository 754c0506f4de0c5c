/** Says whether the text that a call has made is one that its author meant. */

import type { Both } from "./both.js";
import type { Call } from "./calls.js";
import { type Chars, type Hunk, lineStart, type Splice } from "./chars.js";
import { type Acts, actsOf, carriedOut, keepsLines, madeByHand, product } from "./landing.js";
import { byLines } from "./variants.js";

/** The verdict about a text. */
export type Verdict =
  | { readonly kind: "right"; readonly acts: readonly Acts[] }
  | { readonly kind: "wrong"; readonly why: string };

/** The number of combinations of edits that are tried. */
const mostTried = 2_000;

/** Judges the text after a call. `text` has `\n` as its only line ending. */
export function judge(texts: Both, { edits }: Call, text: string, wasPasted: (id: number) => boolean): Verdict {
  const options = edits.map(({ hunks }) =>
    byText(texts, [...actsOf(texts, hunks), ...asSent(texts.seen.text, hunks).flatMap((one) => actsOf(texts, one))]),
  );
  const empty = options.findIndex((one) => one.length === 0);
  let torn = false;
  for (const chosen of product(options, mostTried)) {
    if (
      carriedOut(
        texts,
        chosen.flatMap((one) => one[0]!),
      ).text !== text
    )
      continue;
    // Ways that make the same text differ in the characters that they keep.
    for (const acts of product(chosen, mostTried)) {
      if (keepsLines(texts, carriedOut(texts, acts.flat()).splices)) return { kind: "right", acts };
      torn = true;
    }
  }
  const isByHand = edits.some(({ hunks }) => hunks.some((hunk) => madeByHand(texts, hunk) !== undefined));
  const { seen } = texts;
  const isElsewhere = edits.some(({ from, to }) => seen.ids.slice(from, to).some(wasPasted));
  return { kind: "wrong", why: reason(texts, text, { torn, empty, isByHand, isElsewhere }) };
}

/** The changes of an edit as they can be read from its texts, in which nobody can see how they were made. */
function asSent(seen: string, hunks: readonly Hunk[]): readonly (readonly Hunk[])[] {
  const [first, last] = [hunks[0], hunks.at(-1)];
  if (first === undefined || last === undefined) return [];
  const from = lineStart(seen, first.from);
  const end = seen.indexOf("\n", last.to);
  const to = end === -1 ? seen.length : end + 1;
  let [insert, at] = ["", from];
  for (const hunk of hunks) {
    insert += seen.slice(at, hunk.from) + hunk.insert;
    at = hunk.to;
  }
  const whole = { from, to, insert: insert + seen.slice(at, to) };
  // Of equal lines, either may be the one that is kept.
  return [byLines(seen, whole, "first"), byLines(seen, whole, "last")];
}

function reason(
  { present }: Both,
  text: string,
  { torn, empty, isByHand, isElsewhere }: { torn: boolean; empty: number; isByHand: boolean; isElsewhere: boolean },
): string {
  if (torn) return "tears or joins lines";
  if (text === present.text) return "skipped, but the edit was not made";
  if (isByHand) return "what was typed is made again";
  if (isElsewhere) return "lands on a moved or copied line, or beside it";
  return empty === -1 ? "not what the author meant" : "applied although both changed the same";
}

/** Sorts the ways of an edit by the text that each makes on its own. */
function byText(texts: Both, ways: readonly Acts[]): Acts[][] {
  if (ways.length < 2) return ways.map((one) => [one]);
  const sorted = new Map<string, Acts[]>();
  for (const acts of ways) {
    const { text } = carriedOut(texts, acts);
    const own = sorted.get(text);
    if (own === undefined) sorted.set(text, [acts]);
    else own.push(acts);
  }
  // The finest reading first: later calls are judged by the characters that it keeps.
  const size = (acts: Acts): number => acts.reduce((sum, { removed }) => sum + removed.length, 0);
  return [...sorted.values()].map((own) => own.toSorted((a, b) => size(a) - size(b)));
}

/** The present text after a call that is right. */
export function afterCall(present: Chars, splices: readonly Splice[]): Chars {
  let [text, done] = ["", 0];
  const ids: number[] = [];
  const keep = (to: number): void => {
    text += present.text.slice(done, to);
    for (let at = done; at < to; at++) ids.push(present.ids[at]!);
  };
  for (const { from, to, insert, ids: own } of splices) {
    keep(from);
    text += insert;
    ids.push(...own);
    done = to;
  }
  keep(present.text.length);
  return { text, ids };
}
