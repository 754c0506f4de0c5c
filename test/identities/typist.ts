/** A person who types exactly what an agent is about to write, or a part of it. */
import type { Chance } from "../codex/random.js";
import type { Both } from "./both.js";
import type { Call } from "./calls.js";
import { type Identities, type Splice, settled } from "./chars.js";
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
  const splice: Splice = { from: start, to: start + to - from, insert: typed, ids: ids.fresh(typed, false) };
  return { what: "types what an agent is about to write", splices: [settled(present, splice)] };
}
