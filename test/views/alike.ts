/**
 * Lines that are equal may be confused by whoever knows only the texts: the identities that comparisons of the texts find,
 * and the ways in which an edit may be carried by these.
 */
import { diffArrays } from "diff";
import { type Meant, oldLines } from "./calls.js";
import { type Carried, carry, type Effect, type Present, renamed, type Seen } from "./carry.js";
import { type Line, type Lines, newLine, textOf } from "./lines.js";

/**
 * The ways of comparing two texts, each with the pairs of lines that it takes for the same. Of several equally long lists
 * of such pairs, one way finds the first, and one the last.
 */
const ways = [pairs, pairsFromEnd] as const;

function pairs(before: readonly string[], after: readonly string[]): Map<number, number> {
  const found = new Map<number, number>();
  let [i, j] = [0, 0];
  for (const { added, removed, count } of diffArrays([...before], [...after])) {
    if (!added && !removed) for (let n = 0; n < count; n++) found.set(j + n, i + n);
    if (!added) i += count;
    if (!removed) j += count;
  }
  return found;
}

function pairsFromEnd(before: readonly string[], after: readonly string[]): Map<number, number> {
  const found = pairs(before.toReversed(), after.toReversed());
  return new Map([...found].map(([j, i]) => [after.length - 1 - j, before.length - 1 - i]));
}

let fresh = 0;

const guessOf = ({ id, guesses }: Line, way: number): number => guesses?.[way] ?? id;

/** The lines of a text whose changes the editor sent one by one; `moved`: those that were cut and pasted. */
export function followed(before: Lines, after: Lines, moved: readonly number[]): Lines {
  const known = new Map(before.map(({ id, guesses }) => [id, guesses]));
  return after.map(({ id, text }) => {
    const guesses = moved.includes(id) ? ways.map(() => --fresh) : known.get(id);
    return { id, text, ...(guesses && { guesses }) };
  });
}

/** The lines of a text that was sent as a whole, perhaps after others; `texts`: all of them, each as its lines. */
export function compared(before: Lines, after: Lines, texts: readonly (readonly string[])[]): Lines {
  const guesses = ways.map((way, n) => {
    let ids = before.map((line) => guessOf(line, n));
    let last = before.map(({ text }) => text);
    for (const next of texts) {
      const found = way(last, next);
      ids = next.map((_, j) => (found.has(j) ? ids[found.get(j)!]! : --fresh));
      last = [...next];
    }
    return ids;
  });
  return after.map(({ id, text }, j) => ({ id, text, guesses: guesses.map((ids) => ids[j]!) }));
}

/** Identities that can be guessed: for each line of an earlier text, and for each line of the present one. */
interface Guess {
  readonly seen: readonly number[];
  readonly now: readonly number[];
}

/** All guesses: by comparing each text with the next one, and by comparing the two texts alone. */
function guessesOf(seen: Lines, now: Lines): Guess[] {
  const texts = (lines: Lines): string[] => lines.map(({ text }) => text);
  const direct = ways.map((way): Guess => {
    const found = way(texts(seen), texts(now));
    return {
      seen: seen.map(({ id }) => id),
      now: now.map((_, j) => (found.has(j) ? seen[found.get(j)!]!.id : --fresh)),
    };
  });
  const inTurn = ways.map(
    (_, n): Guess => ({ seen: seen.map((line) => guessOf(line, n)), now: now.map((line) => guessOf(line, n)) }),
  );
  return [...direct, ...inTurn];
}

/** Like `isAlike`, with identities that are guessed: `at` and `here` are the lines at which the places start. */
export function isGuessed(edit: Meant, at: number, { lines }: Seen, { lines: now }: Present, here: number): boolean {
  const old = oldLines(edit);
  const isSameText = old.every(({ text }, n) => now[here + n]?.text === text);
  const guesses = guessesOf(lines, now);
  return isSameText && guesses.some(({ seen, now }) => old.some((_, n) => seen[at + n] === now[here + n]));
}

/** The effect that turns lines into a text, by comparing the two. */
export function effectBetween(lines: Lines, text: string): Effect {
  const next = text.split("\n").slice(0, -1);
  const found = pairs(
    lines.map((line) => line.text),
    next,
  );
  const kept = new Set(found.values());
  const added: { after: number | undefined; lines: Line[] }[] = [];
  let above: number | undefined;
  let isOpen = false;
  for (const [j, own] of next.entries()) {
    const i = found.get(j);
    if (i !== undefined) above = lines[i]!.id;
    else if (isOpen) added.at(-1)!.lines.push(newLine(own));
    else added.push({ after: above, lines: [newLine(own)] });
    isOpen = i === undefined;
  }
  return { removed: lines.filter((_, i) => !kept.has(i)).map(({ id }) => id), replaced: [], added };
}

/** Carries an edit by comparing the texts, without knowing the identities. */
export function carryByDiff(edit: Meant, at: number, seen: Seen, present: Present): Carried[] {
  return guessesOf(seen.lines, present.lines).map((guess) => {
    const named = (lines: Lines, ids: readonly number[]): Lines => lines.map(({ text }, n) => ({ id: ids[n]!, text }));
    const idsOf = new Map(guess.now.map((id, n) => [id, present.lines[n]!.id]));
    const then = { ...seen, lines: named(seen.lines, guess.seen) };
    const { effects, refused } = carry(edit, at, then, { lines: named(present.lines, guess.now), moved: new Map() });
    return { effects: effects.map((effect) => renamed(effect, idsOf)), refused };
  });
}

/** Reports whether lines have the texts of an edit's place, and some of them are the same by identity, too. */
export const isAlike = (lines: Lines, edit: Meant): boolean =>
  textOf(lines) === textOf(oldLines(edit)) && lines.some(({ id }, i) => id === oldLines(edit)[i]?.id);

/**
 * The lines of an earlier text that were removed, and typed again between the same lines: they are the same lines, whoever
 * typed them. Returns, by their identities, those that they have now.
 */
export function typedAgain({ lines, time }: Seen, { lines: now, moved }: Present): ReadonlyMap<number, number> {
  const isMoved = (id: number): boolean => (moved.get(id) ?? -1) > time;
  const here = new Map(now.flatMap(({ id }, i) => (isMoved(id) ? [] : [[id, i] as const])));
  const known = new Set(lines.map(({ id }) => id));
  const found = new Map<number, number>();
  let [from, fromNow] = [0, 0];
  for (let i = 0; i <= lines.length; i++) {
    const at = i === lines.length ? now.length : here.get(lines[i]!.id);
    if (at === undefined || at < fromNow) continue;
    const [gone, typed] = [lines.slice(from, i), now.slice(fromNow, Math.max(fromNow, at))];
    const isSame = (n: number, side: 0 | -1): boolean => {
      const [one, other] = [gone.at(side === 0 ? n : -1 - n), typed.at(side === 0 ? n : -1 - n)];
      return one !== undefined && other !== undefined && one.text === other.text && !known.has(other.id);
    };
    let start = 0;
    for (; isSame(start, 0); start++) found.set(gone[start]!.id, typed[start]!.id);
    const rest = Math.min(gone.length, typed.length) - start;
    for (let end = 0; end < rest && isSame(end, -1); end++) found.set(gone.at(-1 - end)!.id, typed.at(-1 - end)!.id);
    [from, fromNow] = [i + 1, at + 1];
  }
  return found;
}

/** The lines with other identities. */
export const renamedLines = (lines: Lines, names: ReadonlyMap<number, number>): Lines =>
  lines.map((line) => ({ ...line, id: names.get(line.id) ?? line.id }));
