/** The identities that a comparison of two texts finds, if nobody knows the changes between them. */
import { type Chars, type Identities, linesOf } from "./chars.js";
import { sharesWords } from "./variants.js";

/** Returns the present text with identities that a comparison of its lines with an earlier text finds. */
export function compared(seen: Chars, present: Chars, ids: Identities): Chars {
  const [old, now] = [linesOf(seen.text), linesOf(present.text)];
  const contentOf = ({ text }: Chars, { from, next }: { from: number; next: number }): string => text.slice(from, next);
  const [a, b] = [old.map((line) => contentOf(seen, line)), now.map((line) => contentOf(present, line))];
  const found = ids.fresh(present.text, false);
  const keep = (from: number, to: number, length: number): void => {
    for (let i = 0; i < length; i++) found[to + i] = seen.ids[from + i]!;
  };
  let [i, j] = [0, 0];
  for (const [x, y] of [...common(a, b), [a.length, b.length] as const]) {
    for (const [own, next] of pairs(a.slice(i, x), b.slice(j, y)))
      keepWords(a[i + own]!, b[j + next]!, (from, to, length) =>
        keep(old[i + own]!.from + from, now[j + next]!.from + to, length),
      );
    [i, j] = [x, y];
    if (x < a.length) keep(old[x]!.from, now[y]!.from, a[x]!.length);
    i++;
    j++;
  }
  return { text: present.text, ids: found };
}

/** Lines between two common ones pair in order, if they are as many; otherwise, those that share more than half of their words. */
const pairs = (a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] =>
  a.length === b.length ? a.map((_, i) => [i, i] as const) : common(a, b, sharesWords);

/** Keeps the common words of two lines. */
function keepWords(old: string, now: string, keep: (from: number, to: number, length: number) => void): void {
  const [a, b] = [old, now].map((line) => [...line.matchAll(/\w+|\s+|[^\w\s]/g)]) as [
    RegExpExecArray[],
    RegExpExecArray[],
  ];
  const wordsOf = (all: readonly RegExpExecArray[]): string[] => all.map(([word]) => word);
  for (const [i, j] of common(wordsOf(a), wordsOf(b))) keep(a[i]!.index, b[j]!.index, a[i]![0].length);
}

/** A longest common subsequence, as pairs of indexes. */
function common(
  a: readonly string[],
  b: readonly string[],
  isCommon = (one: string, other: string): boolean => one === other,
): [number, number][] {
  const width = b.length + 1;
  if (a.length * b.length > 250_000) return [];
  const best = new Int32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i * width + j] = isCommon(a[i]!, b[j]!)
        ? best[(i + 1) * width + j + 1]! + 1
        : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
  const found: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (isCommon(a[i]!, b[j]!)) found.push([i++, j++]);
    else if (best[(i + 1) * width + j]! >= best[i * width + j + 1]!) i++;
    else j++;
  }
  return found;
}
