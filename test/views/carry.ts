/** Carries an edit from the text in which its place was seen to the present text, by the identities of the lines. */
import { type Meant, oldLines } from "./calls.js";
import type { Line, Lines } from "./lines.js";

/** What an edit does to lines, by their identities. */
export interface Effect {
  readonly removed: readonly number[];
  readonly replaced: readonly Line[];
  /** Added lines; `after` is the line above them, `undefined` at the start of the text. */
  readonly added: readonly { readonly after: number | undefined; readonly lines: Lines }[];
}

/** The ways in which an edit may be carried. */
export interface Carried {
  readonly effects: readonly Effect[];
  /** `must`: the edit can't be carried; `may`: the rules leave it open. */
  readonly refused: "must" | "may" | "never";
}

/** A text, and which of its lines were cut and pasted, each with the time of the last paste. */
export interface Present {
  readonly lines: Lines;
  readonly moved: ReadonlyMap<number, number>;
}

/** The text in which an edit's place was seen, and when. */
export interface Seen {
  readonly lines: Lines;
  readonly time: number;
}

/** The present text after the effects of several edits. */
export function withEffects(lines: Lines, effects: readonly Effect[]): Lines {
  const removed = new Set(effects.flatMap((effect) => effect.removed));
  const replaced = new Map(effects.flatMap((effect) => effect.replaced).map((line) => [line.id, line]));
  const added = effects.flatMap((effect) => effect.added);
  const addedAfter = (id: number | undefined): Lines => added.flatMap((one) => (one.after === id ? one.lines : []));
  const own = (line: Line): Lines => (removed.has(line.id) ? [] : [{ ...line, ...replaced.get(line.id) }]);
  return [...addedAfter(undefined), ...lines.flatMap((line) => [...own(line), ...addedAfter(line.id)])];
}

/** Carries an edit whose old text is at line `at` of the seen text. */
export function carry(edit: Meant, at: number, seen: Seen, present: Present): Carried {
  const now = new Map(present.lines.map((line, i) => [line.id, { line, i }]));
  const place = seen.lines.slice(at, at + oldLines(edit).length);
  const isMoved = (id: number): boolean => (present.moved.get(id) ?? -1) > seen.time;
  // Lines that were pasted elsewhere are gone, unless all of them are there, in a row.
  const areTogether = place.every(({ id }, i) => now.get(id)?.i === (now.get(place[0]!.id)?.i ?? -1) + i);
  const isHere = (id: number): boolean => now.has(id) && (!isMoved(id) || areTogether);
  const isSame = ({ id, text }: Line): boolean => isHere(id) && now.get(id)?.line.text === text;
  const order = place.flatMap(({ id }) => (isHere(id) ? [now.get(id)!.i] : []));
  if (order.some((i, n) => n > 0 && i < order[n - 1]!)) return { effects: [], refused: "must" };
  const context = { edit, at, seen, present, now, isHere, isMoved, areTogether };
  if (edit.word !== undefined) return carryWord(edit, place[0]!, now);
  const blocks = blocksOf(edit);
  const parts = blocks.map((block) => carryBlock(block, place, context));
  const isChanged = blocks.some(({ removes }) => removes.some((n) => !isSame(place[n]!)));
  if (isChanged || parts.some(({ refused }) => refused === "must")) return { effects: [], refused: "must" };
  const refused = parts.some((part) => part.refused === "may") ? "may" : "never";
  return { effects: product(parts.map(({ effects }) => effects)).map(joined), refused };
}

/**
 * Carries an edit whose lines were all removed, to the only other place where such lines were inserted since: they count as
 * moved, whoever inserted them. Returns nothing if there is no such place.
 */
export function carryInserted(edit: Meant, at: number, seen: Seen, { lines: now, moved }: Present): Carried[] {
  const known = new Set(seen.lines.map(({ id }) => id));
  const isOld = ({ id }: Line): boolean => known.has(id) && (moved.get(id) ?? -1) <= seen.time;
  const place = seen.lines.slice(at, at + oldLines(edit).length);
  const left = new Set(now.filter(isOld).map(({ id }) => id));
  if (place.some(({ id }) => left.has(id))) return [];
  const isThere = (start: number): boolean =>
    place.every(({ text }, n) => now[start + n]?.text === text && !isOld(now[start + n]!));
  const starts = now.flatMap((_, i) => (isThere(i) ? [i] : []));
  const [start, another] = starts;
  if (start === undefined || another !== undefined) return [];
  const names = new Map(place.map(({ id }, n) => [id, now[start + n]!.id]));
  const lines = seen.lines.map((line) => ({ ...line, id: names.get(line.id) ?? line.id }));
  const times = [...names.values()].map((id) => [id, seen.time + 1] as const);
  return [carry(edit, at, { ...seen, lines }, { lines: now, moved: new Map([...moved, ...times]) })];
}

/** The effect of an edit that replaces a word wherever it occurs. */
export function wideEffect({ word }: Meant, lines: Lines): Effect {
  const replaced = lines
    .filter(({ text }) => word !== undefined && text.includes(word.from))
    .map(({ id, text }) => ({ id, text: text.replaceAll(word!.from, word!.to) }));
  return { removed: [], replaced, added: [] };
}

function carryWord({ word }: Meant, line: Line, now: ReadonlyMap<number, { line: Line }>): Carried {
  const own = now.get(line.id)?.line;
  if (own === undefined || word === undefined || !own.text.includes(word.from)) return { effects: [], refused: "must" };
  // The word is looked for as a text; where in the line it is, is no question of identities.
  const starts = [...own.text.matchAll(new RegExp(word.from, "g"))].map(({ index }) => index);
  const effects = starts.map((start) => {
    const text = own.text.slice(0, start) + word.to + own.text.slice(start + word.from.length);
    return { removed: [], replaced: [{ id: own.id, text }], added: [] };
  });
  return { effects, refused: effects.length > 1 ? "may" : "never" };
}

/** A run of removed and added lines: the old lines from `first` up to `next` are removed. */
interface Block {
  readonly first: number;
  readonly removes: readonly number[];
  readonly adds: Lines;
}

function blocksOf({ parts }: Meant): Block[] {
  const blocks: Block[] = [];
  let n = 0;
  let isOpen = false;
  for (const { kind, line } of parts) {
    if (kind !== "keep" && !isOpen) blocks.push({ first: n, removes: [], adds: [] });
    isOpen = kind !== "keep";
    const block = blocks.at(-1)!;
    if (kind === "remove") blocks[blocks.length - 1] = { ...block, removes: [...block.removes, n] };
    if (kind === "add") blocks[blocks.length - 1] = { ...block, adds: [...block.adds, line] };
    if (kind !== "add") n++;
  }
  return blocks;
}

interface Context {
  readonly at: number;
  readonly seen: Seen;
  readonly present: Present;
  readonly now: ReadonlyMap<number, { readonly i: number }>;
  readonly isHere: (id: number) => boolean;
  readonly areTogether: boolean;
}

function carryBlock({ first, removes, adds }: Block, place: Lines, context: Context): Carried {
  const { at, seen, present, now, isHere, areTogether } = context;
  const removed = removes.map((n) => place[n]!.id);
  if (adds.length === 0) return { effects: [{ removed, replaced: [], added: [] }], refused: "never" };
  const end = first + removes.length;
  // After a move, the lines around the place are others.
  const wasMoved = areTogether && place.some(({ id }) => (present.moved.get(id) ?? -1) > seen.time);
  const above = wasMoved ? place.slice(0, first) : seen.lines.slice(0, at + first);
  const below = wasMoved ? place.slice(end) : seen.lines.slice(at + end);
  const previous = above.findLast(({ id }) => isHere(id))?.id;
  const next = below.find(({ id }) => isHere(id))?.id;
  const from = previous === undefined ? -1 : now.get(previous)!.i;
  const to = next === undefined ? present.lines.length : now.get(next)!.i;
  const between = present.lines.slice(from + 1, Math.max(from + 1, to));
  const typed =
    wasMoved && (first === 0 || end === place.length) ? [] : between.filter(({ id }) => !removed.includes(id));
  const effect = (after: number | undefined): Effect => ({ removed, replaced: [], added: [{ after, lines: adds }] });
  const isBesideLost = [place[first - 1], place[end]].some((line) => line !== undefined && !isHere(line.id));
  const lineAbove = (i: number): number | undefined => present.lines[i - 1]?.id;
  if (typed.length === 0 && removes.length === 0) {
    const after = first > 0 && previous !== undefined ? previous : next === undefined ? previous : lineAbove(to);
    return { effects: [effect(after)], refused: isBesideLost ? "may" : "never" };
  }
  if (removes.length > 0) {
    const spots = [lineAbove(now.get(removed[0]!)?.i ?? 0), removed.at(-1)];
    return { effects: spots.map(effect), refused: typed.length > 0 || isBesideLost ? "may" : "never" };
  }
  const isInside = first > 0 && end < place.length;
  // If a kept line beside the gap was replaced, nobody can say on which side of the gap that was typed.
  if (isBesideLost) return { effects: [effect(previous), effect(lineAbove(to))], refused: "may" };
  if (isInside) return { effects: [], refused: "must" };
  return { effects: [effect(first > 0 ? previous : lineAbove(to))], refused: "may" };
}

/** An effect with the added lines as they are among `known` ones. */
export function withLinesOf(effect: Effect, known: Lines): Effect {
  const byId = new Map(known.map((line) => [line.id, line]));
  const own = (lines: Lines): Lines => lines.map((line) => byId.get(line.id) ?? line);
  return { ...effect, added: effect.added.map(({ after, lines }) => ({ after, lines: own(lines) })) };
}

/** The same effect on lines with other identities; `idsOf` maps the old ones to the new ones. */
export function renamed({ removed, replaced, added }: Effect, idsOf: ReadonlyMap<number, number>): Effect {
  const named = (id: number): number => idsOf.get(id) ?? id;
  return {
    removed: removed.map(named),
    replaced: replaced.map(({ id, text }) => ({ id: named(id), text })),
    added: added.map(({ after, lines }) => ({ after: after === undefined ? undefined : named(after), lines })),
  };
}

function product<T>(lists: readonly (readonly T[])[]): T[][] {
  let all: T[][] = [[]];
  for (const list of lists) all = all.flatMap((start) => list.map((item) => [...start, item]));
  return all;
}

const joined = (effects: readonly Effect[]): Effect => ({
  removed: effects.flatMap(({ removed }) => removed),
  replaced: effects.flatMap(({ replaced }) => replaced),
  added: effects.flatMap(({ added }) => added),
});

export { joined, product };
