/**
 * Scenes in which one real edit is sent in every shape, with and without twins, after a person has typed each of the
 * typings. Unlike in `scenes.ts`, the same edit is in all of them, and the expected text is made from lines alone.
 */
import { type Chance, chanceOf } from "../../codex/random.js";
import { type Call, oldLines, toCall } from "./calls.js";
import { type Conflict, makesAnother, tornLine } from "./conflicts.js";
import { type Lines, newLine, textOf } from "./lines.js";
import { addedLines, type RealEdit, oldLines as removedLines } from "./realEdit.js";
import { callOf, contextOf, type Fragment, fragmentOf, lineShapes, type Shape, wordShapes } from "./shapes.js";
import { canBeDamaged, type SourceFile, type Version } from "./sources.js";
import type { Staged } from "./staged.js";
import { type Site, typings, type Whim } from "./typings.js";
import { clearPairs } from "./words.js";

/** Where the copies of an edit's old lines are; `natural`: the file has equal lines of its own. */
const twins = {
  none: { above: false, below: false },
  above: { above: true, below: false },
  below: { above: false, below: true },
  both: { above: true, below: true },
  natural: { above: false, below: false },
} as const;

/** How the text that its author saw tells where a call belongs. */
export type Sign = "no twin" | "twin, its number" | "twin, its context" | "ambiguous";

/** A scene with a twin or without, in one of the shapes. */
export interface TypedScene extends Staged {
  /** A key of `typings`. */
  readonly typing: string;
  readonly twin: keyof typeof twins;
  readonly shape: Shape;
  readonly sign: Sign;
  /** The reason for which the rules refuse the call; `undefined` if it can land. */
  readonly conflict: Conflict | undefined;
}

/** Draws edits, each for all scenes of its shapes; fewer than `edits` of each kind if the files do not have them. */
export function drawTypedScenes(
  files: readonly SourceFile[],
  { seed, edits }: { readonly seed: number; readonly edits: number },
): TypedScene[] {
  const kinds = [lineShapes, wordShapes].flatMap((shapes) => [
    { shapes, twins: ["none", "above", "below", "both"] as const },
    { shapes, twins: ["natural"] as const },
  ]);
  return kinds.flatMap((kind, n) => {
    const chance = chanceOf(seed * 1_000_003 + n * 10_007);
    const drawn = new Set<RealEdit>();
    const scenes: TypedScene[] = [];
    for (let draw = 0; draw < mostDraws && drawn.size < edits; draw++) {
      const version = chance.pick(files).version();
      if (version === undefined || !canBeDamaged(version) || version.lines.length > mostLines) continue;
      const hunk = chance.pick(version.hunks);
      const own = drawn.has(hunk) ? undefined : scenesOf(chance, version, hunk, { ...kind, number: drawn.size });
      if (own === undefined) continue;
      drawn.add(hunk);
      scenes.push(...own);
    }
    return scenes;
  });
}

const mostDraws = 20_000;

/** Larger files would make the benchmark slow and say nothing more. */
const mostLines = 3_000;

/** Lines above and below each change, so that there is room for all typings and for context. */
const margin = 3;

interface Kind {
  readonly shapes: readonly Shape[];
  readonly twins: readonly TypedScene["twin"][];
  /** The number of the edit. */
  readonly number: number;
}

/** An edit, and the choices that are the same in all its scenes. */
interface Ground {
  readonly chance: Chance;
  readonly site: Site;
  readonly fragment: Fragment | undefined;
  readonly whim: Whim;
  /** Lines of context on each side, if the shape has any. */
  readonly context: number;
  /** `true` if twins of a call with context and no number are copies of the changed lines only. */
  readonly areTwinsBare: boolean;
}

/** All scenes of an edit; `undefined` if one of them can't be made. */
function scenesOf(chance: Chance, version: Version, hunk: RealEdit, kind: Kind): TypedScene[] | undefined {
  const site = siteOf(chance, version, hunk);
  if (site === undefined) return undefined;
  const changed = site.lines.slice(site.at, site.at + site.removed);
  const isNatural = kind.twins.includes("natural");
  if (isNatural !== placesOfLines(changed, site.lines) > 1) return undefined;
  const text = textOf(site.lines);
  // Even where the file has equal lines, a line number must be enough.
  const names = (from: string): boolean => /\w/.test(from) && countOf(from, isNatural ? changed[0]!.text : text) === 1;
  const isWord = site.removed === 1 && site.added.length === 1;
  const fragment = isWord ? fragmentOf(changed[0]!.text, site.added[0]!.text, names) : undefined;
  if (kind.shapes === wordShapes && fragment === undefined) return undefined;
  const ground: Ground = {
    chance,
    site,
    fragment,
    whim: {
      keeps: chance.pick(["above", "below"]),
      adds: chance.pick(["above", "below"]),
      comment: chance.pick(["  # ask Bob", "  # ask Bob", "# ask Bob"]),
    },
    context: chance.pick([1, 2, 3, 3]),
    areTwinsBare: [0, 3, 5, 6].includes(kind.number % 8),
  };
  const scenes: TypedScene[] = [];
  for (const twin of kind.twins)
    for (const shape of kind.shapes)
      for (const typing of Object.keys(typings)) {
        const scene = sceneOf(ground, { twin, shape, typing }, kind.number + scenes.length);
        if (scene === undefined) return undefined;
        scenes.push(scene);
      }
  return scenes;
}

function siteOf(chance: Chance, { lines: all }: Version, hunk: RealEdit): Site | undefined {
  const { start: at } = hunk;
  const [old, added] = [removedLines(hunk), addedLines(hunk)];
  const end = at + old.length;
  if (old.length === 0 || added.length === 0 || at < margin || end + margin > all.length) return undefined;
  // A change that could as well be one line further up or down has no certain place beside what is typed there.
  const slides = (some: readonly string[]): boolean => some[0] === all[at - 1] || some.at(-1) === all[end];
  if (slides(old) || slides(added)) return undefined;
  // Without its line ending, an empty line would be no line.
  const isOpen = [old, added].some((some) => some[0]?.trim() === "" || some.at(-1)?.trim() === "");
  const pairs = clearPairs(old, added);
  if (isOpen || pairs.length === 0) return undefined;
  const pair = chance.pick(pairs);
  return { lines: all.map(newLine), at, removed: old.length, added: added.map(newLine), pair };
}

type Cell = Pick<TypedScene, "twin" | "shape" | "typing">;

function sceneOf(ground: Ground, cell: Cell, turn: number): TypedScene | undefined {
  const { context, fragment, whim } = ground;
  const { twin, shape, typing } = cell;
  const copied = ground.areTwinsBare && !shape.isHinted ? 0 : contextOf(shape, context);
  const site = withTwins(ground, twin, copied);
  const call = callOf(site, shape, context, fragment);
  const places = placesOf(call, site.lines);
  const hasNoTwin = twin === "none";
  if (places === 0 || (hasNoTwin && places > 1)) return undefined;
  const typed = typings[typing]!(site, whim);
  if (typed === undefined) return undefined;
  const { deed, right, isOnLine } = typed;
  // Eight edits in a row have all combinations of these circumstances, in each cell.
  const circumstances = { isRead: turn % 2 === 1, isSaved: turn % 4 >= 2, syncsWhole: turn % 8 >= 4 };
  const present = textOf(deed.lines);
  const sign = hasNoTwin
    ? "no twin"
    : shape.isHinted
      ? "twin, its number"
      : places > 1
        ? "ambiguous"
        : "twin, its context";
  const isOther = circumstances.isSaved && right !== undefined && makesAnother(call, present, textOf(right));
  const conflict =
    (isOnLine ? tornLine(site) : undefined) ?? (isOther ? "the text on disk gives another text" : undefined);
  return {
    ...cell,
    ...circumstances,
    sign,
    conflict: sign === "ambiguous" ? undefined : conflict,
    before: textOf(site.lines),
    typed: deed.typed,
    present,
    call: (path) => toCall(path, call),
    right: right === undefined ? [] : [textOf(right)],
  };
}

/** The text with copies of the changed lines, and of `context` lines around them, further up and down. */
function withTwins({ chance, site }: Ground, twin: TypedScene["twin"], context: number): Site {
  const { lines, at, removed } = site;
  const end = at + removed;
  const copy = (): Lines => lines.slice(at - context, end + context).map(({ text }) => newLine(text));
  const above = twins[twin].above ? copy() : [];
  const below = twins[twin].below ? copy() : [];
  const [high, low] = [chance.between(0, at - margin), chance.between(end + margin, lines.length)];
  const all = [...lines.slice(0, high), ...above, ...lines.slice(high, low), ...below, ...lines.slice(low)];
  return { ...site, lines: all, at: at + above.length };
}

/** The number of places at which a call's old text occurs, whatever its hints say. */
function placesOf({ form, edits: [edit] }: Call, lines: Lines): number {
  const old = oldLines(edit!);
  if (form === "patch") return placesOfLines(old, lines);
  const text = edit!.isEnded ? textOf(old) : textOf(old).slice(0, -1);
  return countOf(edit!.word?.from ?? text, textOf(lines));
}

function placesOfLines(sought: Lines, lines: Lines): number {
  return lines.filter((_, at) => sought.every(({ text }, n) => lines[at + n]?.text === text)).length;
}

function countOf(sought: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + 1)) count++;
  return count;
}
