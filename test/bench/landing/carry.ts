/**
 * Makes an edit of whole lines in a text in which a person has added lines, or typed on some, since its author saw the
 * text. The place is found by the identities of the lines.
 */
import { type Meant, oldLines } from "./calls.js";
import type { Lines } from "./lines.js";

/** The effect of one run of removed and added lines. */
interface Effect {
  /** The identities of the removed lines. */
  readonly removed: readonly number[];
  readonly added: Lines;
  /** The line above the added lines; `undefined` at the start of the text. */
  readonly after: number | undefined;
}

/** Returns the texts that may be right; none if the edit must be refused. */
export function carry(edit: Meant, before: Lines, now: Lines): Lines[] {
  const typed = new Map(now.map(({ id, text }) => [id, text]));
  const place = before.slice(edit.at, edit.at + oldLines(edit).length);
  const blocks = blocksOf(edit);
  if (blocks.some(({ removes }) => removes.some((n) => typed.get(place[n]!.id) !== place[n]!.text))) return [];
  return product(blocks.map((block) => effectsOf(block, edit, before, now))).map((effects) =>
    withEffects(now, effects),
  );
}

/** A run of removed and added lines, counted from the edit's first old line; it starts at `first`. */
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

function effectsOf({ first, removes, adds }: Block, edit: Meant, before: Lines, now: Lines): Effect[] {
  const count = oldLines(edit).length;
  const idAt = (n: number): number | undefined => before[edit.at + n]?.id;
  const lineAbove = (id: number | undefined): number | undefined => {
    const i = now.findIndex((line) => line.id === id);
    return i === -1 ? now.at(-1)?.id : now[i - 1]?.id;
  };
  const removed = removes.map((n) => idAt(n)!);
  const effect = (after: number | undefined): Effect => ({ removed, added: adds, after });
  if (adds.length === 0) return [effect(undefined)];
  // The added lines may be above or below what was typed between the removed lines.
  if (removes.length > 0) return [effect(lineAbove(removed[0])), effect(removed.at(-1))];
  const [above, below] = [idAt(first - 1), lineAbove(idAt(first))];
  const isInside = first > 0 && first < count;
  // Something was typed at the very point at which the edit inserts; nobody can say which comes first.
  if (isInside && above !== below) return [];
  return [effect(first > 0 ? above : below)];
}

function withEffects(lines: Lines, effects: readonly Effect[]): Lines {
  const removed = new Set(effects.flatMap((effect) => effect.removed));
  const addedAfter = (id: number | undefined): Lines =>
    effects.flatMap(({ after, added }) => (after === id ? added : []));
  return [
    ...addedAfter(undefined),
    ...lines.flatMap((line) => [...(removed.has(line.id) ? [] : [line]), ...addedAfter(line.id)]),
  ];
}

function product<T>(lists: readonly (readonly T[])[]): T[][] {
  let all: T[][] = [[]];
  for (const list of lists) all = all.flatMap((start) => list.map((item) => [...start, item]));
  return all;
}
