/**
 * The ways to read an edit: its author may have meant any changes that make the same text. A whole line that is replaced
 * by one that shares words with it can be read as a change of the other words.
 */
import type { Hunk } from "./chars.js";

/** The number of units over which a change is slid at most. */
const farthest = 40;

/** All ways to read a change; each is a list of changes, ascending, that together have the same effect. */
export function variantsOf(text: string, hunk: Hunk): readonly (readonly Hunk[])[] {
  const old = text.slice(hunk.from, hunk.to);
  if (old === "" || hunk.insert === "") return slides(text, hunk).map((one) => [one]);
  const trimmed = trim(text, hunk);
  const ways: (readonly Hunk[])[] = [[hunk]];
  if (trimmed.from === trimmed.to || trimmed.insert === "") ways.push(...slides(text, trimmed).map((one) => [one]));
  else ways.push([trimmed]);
  ways.push(byPieces(text, hunk, pieces(old, /\w+|\s+|[^\w\s]/g), pieces(hunk.insert, /\w+|\s+|[^\w\s]/g)));
  const [removed, added] = [old.split("\n"), hunk.insert.split("\n")];
  if (removed.length + added.length > 2) {
    ways.push(byPieces(text, hunk, pieces(old, /[^\n]+|\n/g), pieces(hunk.insert, /[^\n]+|\n/g)));
    for (let i = 0; i <= Math.abs(removed.length - added.length); i++) ways.push(...pairs(text, hunk, i));
    for (const one of alikeIn(removed, added)) ways.push(byAlike(text, hunk, one));
  }
  return [...ways, ...ways.flatMap((way) => joined(text, way))];
}

/** The same changes, if some of them touch or only widen spaces: the former are one change, and the latter adds spaces. */
function joined(text: string, way: readonly Hunk[]): readonly (readonly Hunk[])[] {
  const made: Hunk[] = [];
  for (const one of way) {
    const hunk = /^ +$/.test(text.slice(one.from, one.to)) && /^ +$/.test(one.insert) ? trim(text, one) : one;
    const last = made.at(-1);
    if (last?.to === hunk.from) made.splice(-1, 1, { ...last, to: hunk.to, insert: last.insert + hunk.insert });
    else made.push(hunk);
  }
  return made.some((one, i) => one !== way[i]) ? [made] : [];
}

/**
 * The ways to read a change as a merge reads it: lines pair in order if they are as many, and a pair is compared word by
 * word; otherwise, only whole lines are compared.
 */
export function mergeReadings(text: string, hunk: Hunk): readonly (readonly Hunk[])[] {
  const old = text.slice(hunk.from, hunk.to);
  if (old === "" || hunk.insert === "") return [[hunk]];
  if (old.split("\n").length === hunk.insert.split("\n").length) return [pairs(text, hunk, 0)[1]!];
  return [[hunk], byPieces(text, hunk, pieces(old, /[^\n]+|\n/g), pieces(hunk.insert, /[^\n]+|\n/g))];
}

/** A pure insertion or deletion, at all offsets at which it has the same effect. */
export function slides(text: string, hunk: Hunk): readonly Hunk[] {
  const all = [hunk];
  const own = hunk.from === hunk.to ? hunk.insert : text.slice(hunk.from, hunk.to);
  const isInsertion = hunk.from === hunk.to;
  let moved = own;
  let at = hunk.from;
  for (let i = 0; i < farthest && at > 0 && text[at - 1] === moved.at(-1); i++) {
    moved = moved.at(-1) + moved.slice(0, -1);
    at--;
    all.push(isInsertion ? { from: at, to: at, insert: moved } : { from: at, to: at + own.length, insert: "" });
  }
  moved = own;
  at = hunk.from;
  for (let i = 0; i < farthest; i++) {
    if (text[isInsertion ? at : at + own.length] !== moved[0] || (isInsertion ? at : at + own.length) >= text.length)
      break;
    moved = moved.slice(1) + moved[0];
    at++;
    all.push(isInsertion ? { from: at, to: at, insert: moved } : { from: at, to: at + own.length, insert: "" });
  }
  return all;
}

/** A change without what both of its texts have at their start and end. */
export function trim(text: string, { from, to, insert }: Hunk): Hunk {
  const most = Math.min(to - from, insert.length);
  let start = 0;
  while (start < most && text[from + start] === insert[start]) start++;
  let end = 0;
  while (end < most - start && text[to - 1 - end] === insert[insert.length - 1 - end]) end++;
  return { from: from + start, to: to - end, insert: insert.slice(start, insert.length - end) };
}

/** The change by lines: as many as can be are kept; of equal ones, the first or the last. */
export const byLines = (text: string, hunk: Hunk, kept: "first" | "last"): readonly Hunk[] =>
  byPieces(
    text,
    hunk,
    pieces(text.slice(hunk.from, hunk.to), /[^\n]*\n|[^\n]+/g),
    pieces(hunk.insert, /[^\n]*\n|[^\n]+/g),
    kept,
  );

const pieces = (text: string, piece: RegExp): string[] => text.match(piece) ?? [];

/** The change by pieces: those of a longest common subsequence are kept. */
function byPieces(
  text: string,
  { from, to, insert }: Hunk,
  old: readonly string[],
  next: readonly string[],
  kept: "first" | "last" = "last",
): Hunk[] {
  if (old.length * next.length > 40_000) return [trim(text, { from, to, insert })];
  const width = next.length + 1;
  const best = new Int32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = next.length - 1; j >= 0; j--)
      best[i * width + j] =
        old[i] === next[j]
          ? best[(i + 1) * width + j + 1]! + 1
          : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
  const hunks: Hunk[] = [];
  let [i, j, at] = [0, 0, from];
  let open: { from: number; to: number; insert: string } | undefined;
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      if (open !== undefined) hunks.push(open);
      open = undefined;
      at += old[i]!.length;
      i++;
      j++;
      continue;
    }
    open ??= { from: at, to: at, insert: "" };
    const [without, later] = [best[(i + 1) * width + j] ?? -1, best[i * width + j + 1] ?? -1];
    const isNext = without === later ? kept === "last" : without > later;
    if (j >= next.length || (i < old.length && isNext)) {
      at += old[i]!.length;
      open.to = at;
      i++;
    } else open.insert += next[j++]!;
  }
  if (open !== undefined) hunks.push(open);
  return hunks;
}

/** Reports whether two lines share more than half of their words. */
export function sharesWords(one: string, other: string): boolean {
  const words = (line: string): readonly string[] => line.match(/\w+/g) ?? [];
  const [a, b] = [words(one), words(other)];
  const common = a.filter((word) => b.includes(word)).length;
  return 2 * common > Math.max(a.length, b.length);
}

/** All ways to pair removed lines with added ones that share words, in order; each pair is two line numbers. */
function alikeIn(removed: readonly string[], added: readonly string[]): (readonly (readonly [number, number])[])[] {
  const all = removed.flatMap((old, i) => added.flatMap((next, j) => (isAlike(old, next) ? [[i, j] as const] : [])));
  let ways: (readonly (readonly [number, number])[])[] = [[]];
  for (const pair of all.slice(0, 6))
    ways = ways.flatMap((way) => {
      const last = way.at(-1);
      const isNext = last === undefined || (last[0] < pair[0] && last[1] < pair[1]);
      return isNext ? [way, [...way, pair]] : [way];
    });
  return ways.filter(({ length }) => length > 0);
}

/** Reports whether two lines share more than half of their words, where any character but a space is one. */
function isAlike(one: string, other: string): boolean {
  const [a, b] = [one, other].map((line) => pieces(line, /\d+(?:\.\d+)+|\w+|[^\w\s]/g)) as [string[], string[]];
  const rest = [...b];
  const common = a.filter((word) => rest.includes(word) && rest.splice(rest.indexOf(word), 1)).length;
  return 4 * common > a.length + b.length;
}

/** The change with certain lines compared word by word; the lines between them are removed and added. */
function byAlike(text: string, { from, to, insert }: Hunk, alike: readonly (readonly [number, number])[]): Hunk[] {
  const [old, next] = [text.slice(from, to).split("\n"), insert.split("\n")];
  const hunks: Hunk[] = [];
  let [at, line, lineB] = [from, 0, 0];
  for (const [i, j] of alike) {
    const gone = old.slice(line, i).map((one) => `${one}\n`);
    const fresh = next.slice(lineB, j).map((one) => `${one}\n`);
    const length = gone.join("").length;
    if (length > 0 || fresh.length > 0) hunks.push({ from: at, to: at + length, insert: fresh.join("") });
    at += length;
    hunks.push(
      ...byPieces(text, { from: at, to: at + old[i]!.length, insert: next[j]! }, words(old[i]!), words(next[j]!)),
    );
    at += old[i]!.length;
    [line, lineB] = [i + 1, j + 1];
    if (line < old.length && lineB < next.length) at++;
    else break;
  }
  const rest = next.slice(lineB).map((one) => `\n${one}`);
  const last = {
    from: at,
    to,
    insert: line < old.length && lineB < next.length ? next.slice(lineB).join("\n") : rest.join(""),
  };
  if (last.from === last.to && last.insert === "") return hunks;
  // The lines at the end are removed with their own line endings.
  const isRemoval = last.insert === "" && text[last.from] === "\n" && text[to] === "\n";
  return [...hunks, isRemoval ? { ...last, from: last.from + 1, to: to + 1 } : last];
}

const words = (line: string): string[] => pieces(line, /\w+|\s+|[^\w\s]/g);

/** Pairs the lines in order, after `skip` lines of the longer side. */
function pairs(text: string, { from, to, insert }: Hunk, skip: number): readonly (readonly Hunk[])[] {
  const [removed, added] = [text.slice(from, to).split("\n"), insert.split("\n")];
  const count = Math.min(removed.length, added.length);
  const isUneven = removed.length !== added.length;
  const [skipOld, skipNew] = removed.length > added.length ? [skip, 0] : [0, skip];
  const whole: Hunk[] = [];
  const words: Hunk[] = [];
  const both = (hunk: Hunk): void => {
    for (const list of [whole, words]) list.push(hunk);
  };
  let at = from;
  const head = removed.slice(0, skipOld).join("\n");
  if (skipOld > 0) {
    both({ from: at, to: at + head.length + 1, insert: "" });
    at += head.length + 1;
  }
  if (skipNew > 0) both({ from: at, to: at, insert: `${added.slice(0, skipNew).join("\n")}\n` });
  for (let i = 0; i < count; i++) {
    const [old, next] = [removed[skipOld + i]!, added[skipNew + i]!];
    if (old !== next) {
      // A line that is kept elsewhere is not this one, and lines that do not pair in order must be alike.
      if (isUneven && (added.includes(old) || removed.includes(next) || (skip > 0 && !sharesWords(old, next))))
        return [];
      const hunk = { from: at, to: at + old.length, insert: next };
      whole.push(hunk);
      words.push(...byPieces(text, hunk, pieces(old, /\w+|\s+|[^\w\s]/g), pieces(next, /\w+|\s+|[^\w\s]/g)));
    }
    at += old.length + (i < count - 1 ? 1 : 0);
  }
  const [restOld, restNew] = [removed.slice(skipOld + count), added.slice(skipNew + count)];
  if (restOld.length > 0) both({ from: at, to, insert: "" });
  if (restNew.length > 0) both({ from: at, to: at, insert: `\n${restNew.join("\n")}` });
  return [whole, words];
}
