/** The identities that a comparison of two texts finds, if nobody knows the changes between them. */
import { type Chars, type Identities, linesOf } from "./chars.js";

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
    // Lines between two common ones pair in order.
    for (; i < x && j < y; i++, j++)
      keepEnds(a[i]!, b[j]!, (from, to, length) => keep(old[i]!.from + from, now[j]!.from + to, length));
    [i, j] = [x, y];
    if (x < a.length) keep(old[x]!.from, now[y]!.from, a[x]!.length);
    i++;
    j++;
  }
  return { text: present.text, ids: found };
}

/** Keeps the equal start and end of two lines. */
function keepEnds(old: string, now: string, keep: (from: number, to: number, length: number) => void): void {
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  keep(0, 0, start);
  keep(old.length - end, now.length - end, end);
}

/** A longest common subsequence, as pairs of indexes. */
function common(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  if (a.length * b.length > 250_000) return [];
  const best = new Int32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i * width + j] =
        a[i] === b[j]
          ? best[(i + 1) * width + j + 1]! + 1
          : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (best[(i + 1) * width + j]! >= best[i * width + j + 1]!) i++;
    else j++;
  }
  return pairs;
}
