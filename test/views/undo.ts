/** The undo of a call, perhaps after other changes: the allowed outcomes, worked out on the identities of the lines. */
import type { Effect, Present } from "./carry.js";
import { type Line, type Lines, type Typed, textOf } from "./lines.js";

/** A call that landed. */
export interface Landed {
  readonly transaction: string;
  readonly before: Present;
  readonly after: Lines;
  readonly effect: Effect;
}

/** The allowed outcomes of an undo. */
export interface AllowedUndo {
  /** The way in which the undo changes the lines; `undefined` if it must be refused. */
  readonly effect: Effect | undefined;
  readonly mustSucceed: boolean;
}

/** Works out what an undo may do to the present lines. `isClosed`: no editor has the document open. */
export function allowedUndo({ before, after, effect }: Landed, now: Lines, isClosed: boolean): AllowedUndo {
  // A text that is as it was before the call counts as undone.
  if (textOf(now) === textOf(before.lines)) return { effect: nothing, mustSucceed: true };
  const present = new Map(now.map((line) => [line.id, line.text]));
  const own = inverse(effect, before.lines);
  const texts = new Map<number, string>();
  for (const [written, old] of pairsOf(effect, own)) {
    const text = restored(old?.text, written.text, present.get(written.id));
    if (text === undefined) return refusedUndo;
    if (old !== undefined) texts.set(old.id, text);
  }
  const added = own.added.flatMap((one) => placed(one, after, now) ?? []);
  if (added.length < own.added.length) return refusedUndo;
  const withText = (lines: Lines): Lines => lines.map((line) => ({ ...line, text: texts.get(line.id) ?? line.text }));
  const whole: Effect = {
    removed: own.removed,
    replaced: withText(own.replaced),
    added: added.map((one) => ({ ...one, lines: withText(one.lines) })),
  };
  const isUntouched = textOf(now) === textOf(after);
  const isApart = !isClosed && isElsewhere(after, now, touchedLines(own, after));
  return { effect: whole, mustSucceed: isUntouched || isApart };
}

const refusedUndo: AllowedUndo = { effect: undefined, mustSucceed: false };

/** The lines that a call wrote, each with the line that it replaced, if any. */
function pairsOf(effect: Effect, own: Effect): [Line, Line | undefined][] {
  const replaced = effect.replaced.map((line): [Line, Line | undefined] => [
    line,
    own.replaced.find(({ id }) => id === line.id),
  ]);
  const added = effect.added.flatMap(({ after, lines }) => {
    const old = own.added.find((one) => one.after === after || one.lines.at(-1)?.id === after)?.lines ?? [];
    return lines.map((line, n): [Line, Line | undefined] => [line, old.length === lines.length ? old[n] : undefined]);
  });
  return [...replaced, ...added];
}

/**
 * A line after the undo: what was typed on it since stays if it is apart from what the call changed on it. `undefined` if
 * it is not. `old`: the line before the call, `undefined` if there was none.
 */
function restored(old: string | undefined, written: string, now: string | undefined): string | undefined {
  if (now === written) return old ?? "";
  if (now === undefined || old === undefined) return undefined;
  const [typed, made] = [difference(written, now), difference(written, old)];
  const isApart = typed.to <= made.from || made.to <= typed.from;
  if (!isApart) return undefined;
  const [first, second] = typed.from < made.from ? [typed, made] : [made, typed];
  const between = written.slice(first.to, second.from);
  return written.slice(0, first.from) + first.insert + between + second.insert + written.slice(second.to);
}

/** The only change that turns one text into another. */
function difference(one: string, other: string): Typed {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return { from: start, to: one.length - end, insert: other.slice(start, other.length - end) };
}

type Added = Effect["added"][number];

/** Places removed lines after the line that was above them or, if that is gone, before the line that was below them. */
function placed(one: Added, after: Lines, now: Lines): Added | undefined {
  if (one.after === undefined || now.some(({ id }) => id === one.after)) return one;
  const below = after[after.findIndex(({ id }) => id === one.after) + 1]?.id;
  const at = now.findIndex(({ id }) => id === below);
  return at === -1 ? undefined : { ...one, after: now[at - 1]?.id };
}

const nothing: Effect = { removed: [], replaced: [], added: [] };

/** The effect that reverses an effect on the lines `before` it. */
function inverse({ removed, replaced, added }: Effect, before: Lines): Effect {
  const gone = new Set(removed);
  const back: { after: number | undefined; lines: Line[] }[] = [];
  let above: number | undefined;
  let isOpen = false;
  for (const line of before) {
    if (!gone.has(line.id)) {
      above = line.id;
      isOpen = false;
    } else if (isOpen) back.at(-1)!.lines.push(line);
    else {
      back.push({ after: above, lines: [line] });
      isOpen = true;
    }
  }
  return {
    removed: added.flatMap(({ lines }) => lines.map(({ id }) => id)),
    replaced: replaced.flatMap(({ id }) => before.find((line) => line.id === id) ?? []),
    added: back,
  };
}

/** The indices of the lines that an undo removes or changes, and of those beside the lines that it adds. */
function touchedLines({ removed, replaced, added }: Effect, after: Lines): number[] {
  const changed = new Set([...removed, ...replaced.map(({ id }) => id)]);
  const own = after.flatMap(({ id }, i) => (changed.has(id) ? [i] : []));
  const beside = added.flatMap((one) => {
    const at = after.findIndex(({ id }) => id === one.after);
    return [at, at + 1];
  });
  return [...own, ...beside];
}

/** Reports whether only one stretch of lines has changed since the call, and not near the lines that its undo touches. */
function isElsewhere(after: Lines, now: Lines, touched: readonly number[]): boolean {
  const isSame = (one: Line | undefined, other: Line | undefined): boolean =>
    one !== undefined && one.id === other?.id && one.text === other.text;
  const shorter = Math.min(after.length, now.length);
  let start = 0;
  while (start < shorter && isSame(after[start], now[start])) start++;
  let end = 0;
  while (end < shorter - start && isSame(after.at(-1 - end), now.at(-1 - end))) end++;
  const [from, to] = [start - 2, after.length - end + 2];
  return touched.every((line) => line < from || line >= to);
}
