/** Changes of a whole text at once: an editor sorts or formats it. */
import type { Chance } from "../codex/random.js";
import type { Chars, Identities, Span } from "./chars.js";

interface Page {
  readonly chance: Chance;
  readonly chars: Chars;
  readonly lines: readonly Span[];
  readonly ids: Identities;
}

/** Sorts a run of lines. */
export function sorted({ chance, chars, lines, ids }: Page, step: number): Chars {
  const first = chance.below(Math.max(1, lines.length));
  const own = lines.slice(first, first + chance.between(2, 6)).filter(({ to, next }) => next > to);
  const [from, to] = [own[0]?.from ?? 0, own.at(-1)?.next ?? 0];
  for (const id of chars.ids.slice(from, to)) ids.moved.set(id, step);
  const order = own.toSorted((a, b) => (chars.text.slice(a.from, a.to) < chars.text.slice(b.from, b.to) ? -1 : 1));
  return {
    text:
      chars.text.slice(0, from) +
      order.map((line) => chars.text.slice(line.from, line.next)).join("") +
      chars.text.slice(to),
    ids: [
      ...chars.ids.slice(0, from),
      ...order.flatMap((line) => chars.ids.slice(line.from, line.next)),
      ...chars.ids.slice(to),
    ],
  };
}

/** Indents all lines of a run otherwise, and puts spaces around or takes them away. */
export function formatted({ chance, chars, lines, ids }: Page): Chars {
  const isWider = chance.percent(50);
  let text = "";
  const own: number[] = [];
  for (const { from, next } of lines) {
    const line = chars.text.slice(from, next);
    const indent = line.match(/^ */)![0].length;
    const wanted = isWider ? Math.round(indent * 1.5) : Math.floor(indent / 2);
    const kept = Math.min(indent, wanted);
    const added = " ".repeat(Math.max(0, wanted - indent));
    text += added + line.slice(indent - kept);
    own.push(...ids.fresh(added, false), ...chars.ids.slice(from + indent - kept, next));
  }
  return { text, ids: own };
}
