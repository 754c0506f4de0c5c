/** The texts that an edit may make of the present text, if every character goes where its neighbours are. */
import type { Both } from "./both.js";
import { type Hunk, lineNumbers, lineStart, type Span, type Splice } from "./chars.js";
import { sharesWords, slides, variantsOf } from "./variants.js";

/** A change to the present text: units that are removed, and a text that is put before a unit. */
export interface Act {
  readonly hunk: Hunk;
  readonly removed: readonly number[];
  readonly at: number;
  readonly insert: string;
  /** `true` if a person has made this change. `at` is then the offset at which its text is, or -1. */
  readonly isDone: boolean;
}

/** The changes of one reading of an edit. */
export type Acts = readonly Act[];

/** The text between the last unit before a span and the first one after it that are still there. */
export function gapAround(texts: Both, hunk: Hunk): Gap | undefined {
  const { start, end } = edges(texts, hunk);
  if (start > end) return undefined;
  for (let i = start; i < end; i++) if (texts.isSeen[i] === 1) return undefined;
  return { from: start, to: end };
}

/** A span of the present text. */
interface Gap {
  readonly from: number;
  readonly to: number;
}

function edges({ seen, present, nowAt }: Both, { from, to }: Hunk): { readonly start: number; readonly end: number } {
  let [left, right] = [from - 1, to];
  while (left >= 0 && nowAt[left] === -1) left--;
  while (right < seen.text.length && nowAt[right] === -1) right++;
  const start = left < 0 ? 0 : nowAt[left]! + 1;
  return { start, end: right >= seen.text.length ? present.text.length : nowAt[right]! };
}

/** What was typed where a span was: in its gap or, if its neighbours are apart now, beside each of them. */
function typedAround(texts: Both, hunk: Hunk): Gap[] {
  const gap = gapAround(texts, hunk);
  if (gap !== undefined) return [gap];
  const { start, end } = edges(texts, hunk);
  let [to, from] = [start, end];
  while (to < texts.present.text.length && texts.isSeen[to] === 0) to++;
  while (from > 0 && texts.isSeen[from - 1] === 0) from--;
  return [
    { from: start, to },
    { from, to: end },
  ];
}

/** Reports whether a typed text has all of another one, or says how much of the other one it lacks. */
export function overlap(
  typed: string,
  insert: string,
): "all" | { readonly rest: string; readonly isBefore: boolean } | undefined {
  if (typed === insert && insert !== "") return "all";
  const [own, wanted] = [typed.trim(), insert.trim()];
  if (own === "" || wanted === "") return undefined;
  if (!insert.includes("\n")) {
    // A part of a word is no text of its own.
    const starts = own.startsWith(wanted) && !/^\w\w$/.test(own.slice(wanted.length - 1, wanted.length + 1));
    const ends = own.endsWith(wanted) && !/^\w\w$/.test(own.slice(-wanted.length - 1).slice(0, 2));
    if (starts || ends) return "all";
    if (wanted.startsWith(own)) return { rest: insert.slice(insert.indexOf(own) + own.length), isBefore: false };
    return wanted.endsWith(own) ? { rest: insert.slice(0, insert.lastIndexOf(own)), isBefore: true } : undefined;
  }
  const lines = insert.replace(/^\n|\n$/g, "").split("\n");
  const mine = typed.replace(/^\n|\n$/g, "").split("\n");
  if (mine.some((_, at) => lines.every((line, i) => mine[at + i] === line))) return "all";
  // A part counts if it is of whole lines.
  if (!typed.includes("\n") || mine.length >= lines.length) return undefined;
  const all = insert.split("\n");
  const [head, tail] = [insert.startsWith("\n") ? "\n" : "", insert.endsWith("\n") ? "\n" : ""];
  const inner = all.slice(head === "" ? 0 : 1, tail === "" ? undefined : -1);
  if (mine.every((line, i) => line === inner[i]))
    return { rest: `${head}${inner.slice(mine.length).join("\n")}${tail}`, isBefore: false };
  if (mine.every((line, i) => line === inner[inner.length - mine.length + i]))
    return { rest: `${head}${inner.slice(0, -mine.length).join("\n")}${tail}`, isBefore: true };
  return undefined;
}

/** Returns what is left of a change of which a person has made all or a part; `undefined` if nobody has. */
export function madeByHand(texts: Both, hunk: Hunk): Act | undefined {
  const { seen, present, nowAt } = texts;
  if (hunk.insert === "") return undefined;
  for (let at = hunk.from; at < hunk.to; at++) if (nowAt[at] !== -1) return undefined;
  // An insertion has the same effect in all gaps over which it can slide. What follows an empty line is not in its place.
  const isBelowEmpty = ({ from, insert }: Hunk): boolean =>
    insert.startsWith("\n") && lineStart(seen.text, from) === from;
  const all = hunk.from === hunk.to ? slides(seen.text, hunk).filter((one) => !isBelowEmpty(one)) : [hunk];
  for (const [slide, gap] of all.flatMap((one) => typedAround(texts, one).map((own) => [one, own] as const))) {
    if (gap.from === gap.to) continue;
    const same = overlap(present.text.slice(gap.from, gap.to), slide.insert);
    if (same === "all") {
      const at = present.text.indexOf(slide.insert, gap.from);
      const isThere = at !== -1 && at + slide.insert.length <= gap.to;
      return { hunk: slide, removed: [], at: isThere ? at : -1, insert: "", isDone: true };
    }
    if (same !== undefined && hunk.from === hunk.to)
      return { hunk: slide, removed: [], at: same.isBefore ? gap.from : gap.to, insert: same.rest, isDone: false };
  }
  return undefined;
}

/** Returns the ways to make one change in the present text. */
function placesOf(texts: Both, hunk: Hunk): Act[] {
  const { seen, nowAt } = texts;
  const removed: number[] = [];
  for (let at = hunk.from; at < hunk.to; at++) if (nowAt[at] !== -1) removed.push(nowAt[at]!);
  const act = (at: number, insert = hunk.insert): Act => ({ hunk, removed, at, insert, isDone: false });
  const isGone = removed.length === 0;
  if (isGone && hunk.insert === "") return [{ ...act(-1, ""), isDone: true }];
  // The person has removed everything that the author replaces.
  if (isGone && hunk.from < hunk.to) return [];
  if (!isGone && hunk.insert === "") {
    const indent = typedIndent(texts, removed[0]!);
    const wider = { ...act(removed[0]!), removed: [...indent, ...removed] };
    return hunk.to - hunk.from > 1 && indent.length > 0 ? [act(removed[0]!), wider] : [act(removed[0]!)];
  }
  const inserts = indentedAlike(texts, hunk);
  if (!isGone) return replacements(texts, hunk, removed).flatMap((at) => inserts.map((insert) => act(at, insert)));
  const left = hunk.from - 1;
  let right = hunk.from;
  // Nobody can tell the spaces of an indentation apart: a line that lost some of them is still there.
  if (lineStart(seen.text, right) === right) while (seen.text[right] === " " && nowAt[right] === -1) right++;
  const places: number[] = [];
  if (left < 0) places.push(0);
  else if (nowAt[left] !== -1) places.push(nowAt[left]! + 1);
  if (right >= seen.text.length) places.push(texts.present.text.length);
  else if (nowAt[right] !== -1) places.push(nowAt[right]!);
  // What was typed below the gap may have an indentation that was typed, too.
  const below = places.at(-1);
  if (below !== undefined && hunk.insert.includes("\n")) {
    const start = lineStart(texts.present.text, below);
    const isTyped = texts.isSeen.subarray(start, below).every((seenAt) => seenAt === 0);
    if (isTyped || texts.present.text.slice(start, below).trim() === "") places.push(start);
  }
  // What was typed at the end of the line above stays there.
  const above = left < 0 ? -1 : nowAt[left]!;
  if (above !== -1 && hunk.insert.startsWith("\n") && isTypedEnd(texts, above + 1)) {
    const end = texts.present.text.indexOf("\n", above);
    places.push(end === -1 ? texts.present.text.length : end);
  }
  const gap = places.length === 0 ? gapAround(texts, hunk) : undefined;
  if (gap !== undefined) places.push(gap.from, gap.to);
  return [...new Set(places)]
    .filter((at) => !partsLine(texts, hunk.insert, at))
    .flatMap((at) => inserts.map((insert) => act(at, insert)));
}

/** The units of a typed indentation before a unit. A line that goes may take it along. */
function typedIndent({ present, isSeen }: Both, at: number): number[] {
  const start = lineStart(present.text, at);
  const units = Array.from({ length: at - start }, (_, i) => start + i);
  return units.every((unit) => present.text[unit] === " ") ? units.filter((unit) => isSeen[unit] === 0) : [];
}

/** The offsets at which a text replaces what is left of a span. What was typed within the span has no place then. */
function replacements(texts: Both, { from, to, insert }: Hunk, removed: readonly number[]): number[] {
  const [first, last] = [removed[0]!, removed.at(-1)!];
  if (last - first !== removed.length - 1) return [];
  const { present, seen } = texts;
  const old = seen.text.slice(from, to).split("\n");
  const next = insert.split("\n");
  const isAlike = (i: number): boolean => old.length === next.length || sharesWords(old.at(i)!, next.at(i)!);
  if (isTypedEnd(texts, last + 1) && !isAlike(-1) && present.text[last] !== "\n") return [];
  if (isTypedStart(texts, first) && !isAlike(0)) return [];
  return [first];
}

/** Reports whether a text that has line endings would part what was typed at a line's end or start from its line. */
function partsLine(texts: Both, insert: string, at: number): boolean {
  if (!insert.includes("\n")) return false;
  const { text } = texts.present;
  const isAfterText = at > 0 && text[at - 1] !== "\n";
  const isBeforeText = at < text.length && text[at] !== "\n";
  return (isAfterText && isTypedEnd(texts, at)) || (isBeforeText && isTypedStart(texts, at));
}

/** Reports whether the rest of a line from an offset on was typed, and is not empty. */
function isTypedEnd({ present, isSeen }: Both, at: number): boolean {
  let end = at;
  while (end < present.text.length && present.text[end] !== "\n" && isSeen[end] === 0) end++;
  return end > at && (end === present.text.length || present.text[end] === "\n");
}

/** Reports whether a line up to an offset was typed, and is not empty. Indentation may be older. */
function isTypedStart({ present, isSeen }: Both, at: number): boolean {
  let start = at;
  while (start > 0 && present.text[start - 1] !== "\n" && isSeen[start - 1] === 0) start--;
  if (start === at) return false;
  while (start > 0 && present.text[start - 1] === " ") start--;
  return start === 0 || present.text[start - 1] === "\n";
}

/** The change of a line's indentation, in units. */
export function indentChange({ seen, present, nowAt }: Both, { from, to }: Pick<Span, "from" | "to">): number {
  const own = seen.text.slice(from, to).match(/^ */)![0].length;
  if (from + own >= to) return 0;
  const now = nowAt[from + own]!;
  if (now === -1) return 0;
  const start = lineStart(present.text, now);
  const indent = present.text.slice(start, now);
  return /^ *$/.test(indent) ? indent.length - own : 0;
}

/** The new text of a change, and as it is if it is indented as its neighbours are now. */
function indentedAlike(texts: Both, hunk: Hunk): string[] {
  const { text } = texts.seen;
  if (!hunk.insert.includes("\n") && hunk.from !== lineStart(text, hunk.from)) return [hunk.insert];
  const starts = new Set([lineStart(text, hunk.from), lineStart(text, hunk.to)]);
  for (const start of [...starts]) {
    if (start > 0) starts.add(lineStart(text, start - 1));
    const end = text.indexOf("\n", start);
    if (end !== -1 && end + 1 < text.length) starts.add(end + 1);
  }
  const made = new Set([hunk.insert]);
  for (const from of starts) {
    const end = text.indexOf("\n", from);
    const change = indentChange(texts, { from, to: end === -1 ? text.length : end });
    if (change === 0) continue;
    const isAtStart = hunk.from === lineStart(text, hunk.from);
    const shift = (line: string): string => {
      if (line === "") return line;
      return change > 0 ? " ".repeat(change) + line : line.replace(new RegExp(`^ {0,${-change}}`), "");
    };
    made.add(
      hunk.insert
        .split("\n")
        .map((line, i) => (i > 0 || isAtStart ? shift(line) : line))
        .join("\n"),
    );
  }
  return [...made];
}

/** The number of combinations that are tried for one edit. */
const mostCombined = 300;

/** All lists that have one item of each list. */
export function product<T>(lists: readonly (readonly T[])[], most: number): T[][] {
  let all: T[][] = [[]];
  for (const list of lists) {
    all = all.flatMap((done) => list.map((one) => [...done, one]));
    if (all.length > most) all.length = most;
  }
  return all;
}

const byHand = (reading: readonly { readonly done: Act | undefined }[]): number =>
  reading.filter(({ done }) => done !== undefined && (done.insert !== "" || done.hunk.insert !== "")).length;

/** The number of ways to make the same text that are kept. */
const mostAlike = 2;

/** Keeps a few ways for each text that they make: those that keep the most characters on their lines. */
function distinct(texts: Both, ways: readonly Acts[]): Acts[] {
  if (ways.length < 2) return [...ways];
  const size = (acts: Acts): number => acts.reduce((sum, { removed }) => sum + removed.length, 0);
  const sorted = new Map<string, { readonly acts: Acts; readonly keeps: boolean }[]>();
  for (const acts of ways.toSorted((a, b) => size(a) - size(b))) {
    const { text, splices } = carriedOut(texts, acts);
    const own = sorted.get(text) ?? [];
    const full = own.length >= mostAlike && own.every(({ keeps }) => keeps);
    if (!full) sorted.set(text, [...own, { acts, keeps: keepsLines(texts, splices) }]);
  }
  return [...sorted.values()].flatMap((own) => {
    const kept = own.filter(({ keeps }) => keeps);
    return (kept.length > 0 ? kept : own).slice(0, mostAlike).map(({ acts }) => acts);
  });
}

/** Returns everything that an edit may do to the present text. */
export function actsOf(texts: Both, hunks: readonly Hunk[]): Acts[] {
  const waysOf = (hunk: Hunk): Acts[] => {
    const own = madeByHand(texts, hunk);
    if (own !== undefined) return [[own]];
    const readings = variantsOf(texts.seen.text, hunk).map((reading) =>
      reading.map((one) => ({ one, done: madeByHand(texts, one) })),
    );
    // What the person has made is not made again by a coarser reading.
    const most = Math.max(...readings.map(byHand));
    const made = readings.flatMap((reading) => (byHand(reading) === most ? reading : []));
    const isMade = (insert: string): boolean =>
      made.some(({ one, done }) => done !== undefined && insert.includes(one.insert.trim()));
    const ways = readings
      .filter((reading) => byHand(reading) === most || !reading.some(({ one }) => isMade(one.insert)))
      .flatMap((reading) =>
        product(
          reading.map(({ one, done }) => (done ? [done] : placesOf(texts, one))),
          16,
        ),
      );
    return distinct(texts, ways);
  };
  return product(hunks.map(waysOf), mostCombined).map((parts) => parts.flat());
}

/** Carries out changes. `idsOf`: the identities of what a change writes. */
export function carriedOut(
  { present }: Both,
  acts: Acts,
  idsOf: (act: Act) => readonly number[] = () => [],
): { readonly text: string; readonly splices: readonly Splice[] } {
  const all: { from: number; to: number; insert: string; ids: readonly number[] }[] = [];
  for (const act of acts) {
    const { at, insert, removed } = act;
    if (insert !== "") all.push({ from: at, to: at, insert, ids: idsOf(act) });
    for (const cut of removed) all.push({ from: cut, to: cut + 1, insert: "", ids: [] });
  }
  const merged: typeof all = [];
  for (const one of all.sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = merged.at(-1);
    if (last !== undefined && one.to <= last.to && one.insert === "") continue;
    if (last === undefined || last.to !== one.from) merged.push(one);
    else Object.assign(last, { to: one.to, insert: last.insert + one.insert, ids: [...last.ids, ...one.ids] });
  }
  let [text, done] = ["", 0];
  for (const { from, to, insert } of merged) {
    text += present.text.slice(done, from) + insert;
    done = to;
  }
  return { text: text + present.text.slice(done), splices: merged };
}

/**
 * Reports whether no line of the result has parts of several lines of the present text, and no line of the present text
 * is torn apart. No edit that is drawn joins or splits lines.
 */
export function keepsLines({ present }: Both, splices: readonly Splice[]): boolean {
  const before = lineNumbers(present.text);
  const lineNow = new Map<number, number>();
  let [line, source] = [0, -1];
  let done = 0;
  const pass = (from: number, to: number): boolean => {
    for (let at = from; at < to; at++) {
      if (present.text.charCodeAt(at) === 10) {
        line++;
        source = -1;
        continue;
      }
      const own = before[at]!;
      if (source !== -1 && source !== own) return false;
      source = own;
      const known = lineNow.get(own);
      if (known !== undefined && known !== line) return false;
      lineNow.set(own, line);
    }
    return true;
  };
  for (const { from, to, insert } of splices) {
    if (!pass(done, from)) return false;
    const added = insert.split("\n").length - 1;
    if (added > 0) source = -1;
    line += added;
    done = to;
  }
  return pass(done, present.text.length);
}
