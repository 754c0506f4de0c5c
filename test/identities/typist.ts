/** A person who types exactly what an agent is about to write, or a part of it. */
import type { Chance } from "../codex/random.js";
import type { Both } from "./both.js";
import type { Call } from "./calls.js";
import { type Chars, type Identities, lineStart, type Splice } from "./chars.js";
import type { Deed } from "./deeds.js";

/** Makes an agent's change by hand; `undefined` if the characters are not all there. */
export function typistDeed(
  chance: Chance,
  { present, nowAt }: Both,
  { edits }: Call,
  ids: Identities,
): Deed | undefined {
  const { hunks } = chance.pick(edits);
  const { from, to, insert } = chance.pick(hunks);
  const isPart = chance.percent(35);
  for (let at = from + 1; at < to; at++) if (nowAt[at] !== nowAt[at - 1]! + 1) return undefined;
  const start = from < to ? nowAt[from]! : from === 0 ? 0 : nowAt[from - 1]! + 1;
  if (start === -1 || (from < to && nowAt[to - 1] === -1) || (from > 0 && from === to && nowAt[from - 1] === -1))
    return undefined;
  const lines = insert.split("\n");
  const some =
    lines.length > 2
      ? lines.slice(0, -1).join("\n") + (insert.endsWith("\n") ? "\n" : "")
      : insert.slice(0, chance.between(1, insert.length));
  const typed = isPart ? some : insert;
  if (typed !== insert && typed.trim() === "") return undefined;
  if (start > present.text.length) return undefined;
  const splice: Splice = {
    from: start,
    to: start + to - from,
    insert: typed,
    ids: idsOf(present, start, to - from, typed, ids),
  };
  return { what: "types what an agent is about to write", splices: [splice] };
}

/** The identities of a text that is typed in the place of another one: whole equal lines at its start and end are the old ones. */
function idsOf({ text, ids }: Chars, from: number, length: number, typed: string, all: Identities): readonly number[] {
  const own = all.fresh(typed, false);
  if (lineStart(text, from) !== from) return own;
  const [old, next] = [text.slice(from, from + length).split("\n"), typed.split("\n")];
  const most = Math.min(old.length, next.length) - 1;
  let [head, tail] = [0, 0];
  while (head < most && old[head] === next[head]) head++;
  while (tail < most - head && old.at(-1 - tail) === next.at(-1 - tail)) tail++;
  const size = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);
  const [first, last] = [size(next.slice(0, head)), size(tail === 0 ? [] : next.slice(-tail))];
  return own.map((id, i) => {
    if (i < first) return ids[from + i]!;
    return i >= own.length - last ? ids[from + length - own.length + i]! : id;
  });
}
