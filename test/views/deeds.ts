/** What a person does to a document: typing, moving, copying, removing, formatting. Each deed is drawn at random. */
import type { Chance } from "../codex/random.js";
import { type Deed, inTurn, type Lines, newLine, replaceAll, splice, typeWithin } from "./lines.js";

/** A deed, and the lines that were cut and pasted. */
export interface Done extends Deed {
  readonly moved: readonly number[];
}

type DeedMaker = (chance: Chance, lines: Lines) => Done | undefined;

let remarks = 0;

const sideOf = (chance: Chance): "above" | "below" => (chance.percent(50) ? "above" : "below");
const still = (deed: Deed): Done => ({ ...deed, moved: [] });

/** The deeds, each by the name of the step. */
export const deeds = {
  typeLine: (chance, lines) => {
    const at = chance.below(lines.length + 1);
    const indent = /^\s*/.exec(lines[at]?.text ?? "")![0];
    return still(splice(lines, at, 0, [newLine(`${indent}# remark ${++remarks}`)], sideOf(chance)));
  },
  typeOnLine: (chance, lines) => {
    const at = chance.below(lines.length);
    const { text } = lines[at]!;
    const end = { from: text.length, to: text.length, insert: ` # note ${++remarks}` };
    const inside = { from: Math.min(4, text.length), to: Math.min(5, text.length), insert: `q${++remarks}` };
    return still(typeWithin(lines, at, chance.percent(60) ? end : inside));
  },
  removeLines: (chance, lines) => {
    const count = chance.between(1, 3);
    if (lines.length < count + 4) return undefined;
    return still(splice(lines, chance.between(0, lines.length - count), count, [], sideOf(chance)));
  },
  moveLines: (chance, lines) => {
    const count = chance.between(1, 5);
    if (lines.length < count + 4) return undefined;
    const at = chance.between(0, lines.length - count);
    const cut = splice(lines, at, count, [], sideOf(chance));
    const to = chance.between(0, cut.lines.length);
    if (to === at) return undefined;
    const block = lines.slice(at, at + count);
    const deed = inTurn(cut, (rest) => splice(rest, to, 0, block, sideOf(chance)));
    return { ...deed, moved: block.map(({ id }) => id) };
  },
  copyLines: (chance, lines) => {
    const count = Math.min(lines.length, chance.between(1, 6));
    const at = chance.between(0, lines.length - count);
    const copies = lines.slice(at, at + count).map(({ text }) => newLine(text));
    const to = chance.pick([at, at + count, chance.between(0, lines.length)]);
    return still(splice(lines, to, 0, copies, sideOf(chance)));
  },
  format: (_chance, lines) => {
    const widens = lines.every(({ text }) => !text.startsWith("    "));
    const indented = (text: string): string =>
      widens
        ? text.replace(/^( {2})+/, (run) => run + run)
        : text.replace(/^( {4})+/, (run) => run.slice(run.length / 2));
    return still(
      replaceAll(
        lines,
        lines.map(({ id, text }) => ({ id, text: indented(text) })),
      ),
    );
  },
} satisfies Record<string, DeedMaker>;

const bodies: readonly (readonly string[])[] = [
  ["  x = load()", "  return x"],
  ["  x = load()", "  check(x)", "  return x"],
  ["  for y in all():", "    x = load(y)", "    store(x)", "  return"],
  ["  if ready():", "    x = load()", "", "    return x", "  return"],
];

/** A text of functions with few different bodies; if `isDistinct`, all its lines are different. */
export function drawText(chance: Chance, isDistinct: boolean): Lines {
  const texts: string[] = ["import os", ""];
  for (let f = 0; f < chance.between(2, 5); f++) texts.push(`def f${f}():`, ...chance.pick(bodies), "");
  const distinct = texts.filter((text) => text !== "").map((text, i) => `${text} ;${i}`);
  return (isDistinct ? distinct : texts).map(newLine);
}
