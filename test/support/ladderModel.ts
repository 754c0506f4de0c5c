/** Finds an old text on each rung by brute force: slow, short, and independent of all code in `server/`. */
import type { RungName } from "../../server/match/rungs.js";

/** The matches on one rung. */
export interface ModelFound {
  readonly rung: RungName;
  /** Start offsets in UTF-16 code units, sorted and without duplicates. */
  readonly starts: readonly number[];
}

/** The first rung that finds the old text, and all its matches; `undefined` if no rung does. */
export function modelLocate(text: string, oldText: string, { lenient }: { lenient: boolean }): ModelFound | undefined {
  const blank = /^\p{White_Space}*$/u.test(oldText);
  const all: readonly [RungName, boolean, () => number[]][] = [
    ["exact", true, () => exactStarts(text, oldText)],
    ["lineEnding", true, () => foldedStarts(text, oldText, { ...plain, lineEnds: true })],
    [
      "trailingBlanks",
      lenient && !blank,
      () => foldedStarts(text, oldText, { ...plain, lineEnds: true, blanks: true }),
    ],
    [
      "typography",
      lenient && !blank,
      () => foldedStarts(text, oldText, { lineEnds: true, blanks: true, typography: true }),
    ],
    ["indentation", lenient && !blank, () => indentedStarts(text, oldText)],
    ["innerBlanks", lenient && !blank, () => respacedStarts(text, oldText)],
    ["viewPrefix", lenient && !blank, () => viewedStarts(text, oldText)],
    ["emptyEnds", lenient && !blank, () => trimmedStarts(text, oldText)],
    ["unevenIndentation", lenient && !blank, () => unevenStarts(text, oldText)],
  ];
  for (const [rung, isTried, find] of all) {
    const starts = isTried ? find() : [];
    if (starts.length > 0) return { rung, starts: [...new Set(starts)].sort((a, b) => a - b) };
  }
  return undefined;
}

/** Exact matches; none if the text has several kinds of line ending and ignoring the kind finds more. */
function exactStarts(text: string, oldText: string): number[] {
  const exact = foldedStarts(text, oldText, plain);
  const kinds = new Set(text.match(/\r\n|\r|\n/g));
  if (kinds.size < 2 || !/[\r\n]/.test(oldText) || exact.length === 0) return exact;
  return foldedStarts(text, oldText, { ...plain, lineEnds: true }).length > exact.length ? [] : exact;
}

interface Folding {
  readonly lineEnds: boolean;
  readonly blanks: boolean;
  readonly typography: boolean;
}

const plain: Folding = { lineEnds: false, blanks: false, typography: false };

/**
 * A character of a folded text, the range `[from, to)` that it represents, and its index among the range's characters.
 */
interface Unit {
  readonly character: string;
  readonly from: number;
  readonly to: number;
  readonly part: number;
}

const equals: readonly (readonly [RegExp, string])[] = [
  [/[\u2018-\u201b]/, "'"],
  [/[\u201c-\u201f]/, '"'],
  [/[\u2010-\u2015\u2212]/, "-"],
  [/\u2026/, "..."],
  [/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/, " "],
];

const isFullWidth = (piece: string): boolean => /^[\uff01-\uff5e]$/.test(piece);

function fold(text: string, folding: Folding, end: "ends" | "goes on"): Unit[] {
  const units: Unit[] = [];
  const pieces = folding.lineEnds ? /\r\n|[\s\S]/g : /[\s\S]/g;
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    const rest = text.slice(index);
    const inBlanks = /^[^\S\r\n\ufeff]+|^\u0085+/.test(rest) && folding.blanks;
    const run = /^(?:[^\S\r\n\ufeff]|\u0085)*/.exec(rest)?.[0].length ?? 0;
    const after = rest.slice(run);
    if (inBlanks && (/^[\r\n]/.test(after) || (after === "" && end === "ends"))) continue;
    const isEnd = folding.lineEnds && /[\r\n]/.test(piece);
    const narrow = isFullWidth(piece) ? piece.normalize("NFKC") : undefined;
    const typed = folding.typography ? (equals.find(([pattern]) => pattern.test(piece))?.[1] ?? narrow) : undefined;
    [...(isEnd ? "\n" : (typed ?? piece)).split("")].forEach((character, part) => {
      units.push({ character, from: index, to: index + piece.length, part });
    });
  }
  return units;
}

/**
 * Start offsets of the folded old text in the folded text. Whitespace at the very end of the old text is matched
 * literally or, at the end of a line of the document, folded away.
 */
function foldedStarts(text: string, oldText: string, folding: Folding): number[] {
  const units = fold(text, folding, "ends");
  const literal = fold(oldText, folding, "goes on");
  const shorter = fold(oldText, folding, "ends");
  const starts: number[] = [];
  for (let at = 0; at < units.length; at++) {
    const unit = units[at];
    if (unit === undefined || unit.part > 0 || splits(text, unit.from)) continue;
    const standsHere = (pattern: readonly Unit[]): boolean =>
      pattern.length > 0 && pattern.every(({ character }, i) => units[at + i]?.character === character);
    const endsWell = (count: number): boolean => {
      const last = units[at + count - 1];
      const next = units[at + count];
      return last !== undefined && !(next !== undefined && next.part > 0) && !splits(text, last.to);
    };
    const atLineEnd = (count: number): boolean => {
      const next = units[at + count];
      return next === undefined || next.character === "\n";
    };
    if (standsHere(literal) && endsWell(literal.length)) starts.push(unit.from);
    else if (
      shorter.length < literal.length &&
      standsHere(shorter) &&
      endsWell(shorter.length) &&
      atLineEnd(shorter.length)
    )
      starts.push(unit.from);
  }
  return starts;
}

function splits(text: string, offset: number): boolean {
  return offset > 0 && /^(?:\r\n|[\ud800-\udbff][\udc00-\udfff])$/.test(text.slice(offset - 1, offset + 1));
}

const blank = "(?:[^\\S\\r\\n\\ufeff]|\\u0085)";
const trimEnd = (line: string): string => line.replace(new RegExp(`${blank}+$`), "");
const trim = (line: string): string => trimEnd(line).replace(new RegExp(`^${blank}+`), "");
const indentOf = (line: string): string => new RegExp(`^${blank}*`).exec(line)?.[0] ?? "";

/**
 * Lines without their line endings, each with its start offset; the last line is empty if the text ends with a line
 * ending.
 */
function linesOf(text: string): { line: string; start: number }[] {
  const lines: { line: string; start: number }[] = [];
  let start = 0;
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push({ line: text.slice(start, index), start });
    start = index + end.length;
  }
  lines.push({ line: text.slice(start), start });
  return lines;
}

/**
 * Start offsets of the windows of whole lines for which `accepts` returns `true`; if the old text ends with a line
 * ending, so must a window.
 */
function windows(
  text: string,
  oldLines: readonly string[],
  accepts: (file: readonly string[], old: readonly string[]) => boolean,
): number[] {
  const isEnded = oldLines.length > 1 && oldLines.at(-1) === "";
  const old = isEnded ? oldLines.slice(0, -1) : oldLines;
  const lines = linesOf(text);
  return lines.flatMap(({ start }, at) => {
    const file = lines.slice(at, at + old.length).map(({ line }) => line);
    const fits = file.length === old.length && (!isEnded || at + old.length < lines.length);
    return fits && accepts(file, old) ? [start] : [];
  });
}

const isTelling = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

function indentedStarts(text: string, oldText: string): number[] {
  if (!isTelling(oldText)) return [];
  const old = linesOf(oldText).map(({ line }) => line);
  const simple = windows(text, old, (file, sent) => isAlike(file, sent, trim) && isShifted(file, sent, shifts));
  if (simple.length > 0) return simple;
  const both = windows(
    text,
    old,
    (file, sent) => isAlike(file, sent, trim) && isShifted(file, sent, exchangesAndMoves),
  );
  if (both.length > 0) return both;
  return windows(text, old, (file, sent) => isAlike(file, sent, trim) && isShifted(file, sent, otherWidths));
}

type Lines = readonly string[];
type Pairs = readonly (readonly [string, string])[];
type Shifts = readonly ((indent: string) => string | undefined)[];

const isAlike = (file: Lines, sent: Lines, plainLine: (line: string) => string): boolean =>
  sent.every((line, i) => plainLine(line) === plainLine(file[i] ?? ""));

/** The indentation of each line that has text, in the old text and in the file. */
const indents = (file: Lines, sent: Lines): Pairs =>
  sent.flatMap((line, i) => (trim(line) === "" ? [] : [[indentOf(line), indentOf(file[i] ?? "")] as const]));

function isShifted(file: Lines, sent: Lines, candidates: (pairs: Pairs) => Shifts): boolean {
  const pairs = indents(file, sent);
  return candidates(pairs).some((shift) => pairs.every(([from, to]) => shift(from) === to));
}

const squeeze = (line: string): string => trim(line).replace(new RegExp(`${blank}+`, "g"), " ");

function respacedStarts(text: string, oldText: string): number[] {
  const old = linesOf(oldText).map(({ line }) => line);
  if (!isTelling(oldText)) return [];
  return windows(text, old, (file, sent) => isAlike(file, sent, squeeze) && isShifted(file, sent, shifts));
}

function unevenStarts(text: string, oldText: string): number[] {
  const old = linesOf(oldText).map(({ line }) => line);
  if (!isTelling(oldText) || old.filter((line, i) => i < old.length - 1 || line !== "").length < 2) return [];
  return windows(text, old, (file, sent) => {
    const some = sent.some((line, i) => isTelling(line) && indentOf(line) === indentOf(file[i] ?? ""));
    return isAlike(file, sent, trim) && some;
  });
}

/** Start offsets of the lines that have text, without the empty lines around them. */
function trimmedStarts(text: string, oldText: string): number[] {
  const lines = linesOf(oldText).map(({ line }) => line);
  const first = lines.findIndex((line) => trim(line) !== "");
  const end = lines.findLastIndex((line) => trim(line) !== "") + 1;
  const back = lines.length - end;
  const isOnlyEnded = first === 0 && back === 1 && lines.length > 1;
  if ((!isTelling(oldText) && !isOnlyEnded) || (first === 0 && back === 0)) return [];
  const core = lines.slice(first, end);
  const same = windows(text, core, (file, sent) => isAlike(file, sent, trimEnd));
  const starts =
    same.length > 0
      ? same
      : windows(text, core, (file, sent) => isAlike(file, sent, trim) && isShifted(file, sent, shifts));
  // If the old text has nothing but its final line ending too much, the match must be at the end of the file.
  const all = linesOf(text);
  const isAtEnd = (start: number): boolean =>
    all.findIndex((line) => line.start === start) + core.length === all.length;
  return starts.filter((start) => first > 0 || back > 1 || isAtEnd(start));
}

/**
 * Every shift that could explain the first line's indentation and, if only one side has tabs, every exchange of tabs
 * and spaces.
 */
function shifts(pairs: Pairs): ((indent: string) => string | undefined)[] {
  const all = moves(...(pairs[0] ?? ["", ""]));
  const [oldIndent, fileIndent] = pairs.find(([a, b]) => a !== b) ?? ["", ""];
  if (oldIndent.includes("\t") !== fileIndent.includes("\t")) all.push(...exchanges(oldIndent.includes("\t")));
  return all;
}

/** The indentation that may have been added or removed to turn one indentation into another. */
function moves(from: string, to: string): ((indent: string) => string | undefined)[] {
  const all: ((indent: string) => string | undefined)[] = [];
  if (to.endsWith(from)) all.push((indent) => to.slice(0, to.length - from.length) + indent);
  if (from.endsWith(to)) {
    const gone = from.slice(0, from.length - to.length);
    all.push((indent) => (indent.startsWith(gone) ? indent.slice(gone.length) : undefined));
  }
  return all;
}

/** Every change of the width of a level; of a single line with indentation, only to a greater width. */
function otherWidths(pairs: Pairs): Shifts {
  const indented = pairs.filter(([from]) => from !== "");
  const isSingle = indented.length === 1 && (indented[0]?.[0].length ?? 0) > (indented[0]?.[1].length ?? 0);
  const widths = Array.from({ length: 15 }, (_, i) => i + 2);
  const both = widths.flatMap((from) => widths.map((to) => ({ from, to })));
  return both
    .filter(({ from, to }) => !isSingle && from !== to && (from % to === 0 || to % from === 0))
    .map(({ from, to }) => (indent) => {
      const levels = indent.length / from;
      return /^ *$/.test(indent) && Number.isInteger(levels) ? " ".repeat(levels * to) : undefined;
    });
}

/** The exchanges of tabs and spaces, one for each width of a tab. */
const exchanges = (toSpaces: boolean): ((indent: string) => string)[] =>
  Array.from({ length: 16 }, (_, i) => (indent: string): string => {
    const width = i + 1;
    if (toSpaces) return indent.replaceAll("\t", " ".repeat(width));
    const tabs = Math.floor((/^ */.exec(indent)?.[0].length ?? 0) / width);
    return "\t".repeat(tabs) + indent.slice(tabs * width);
  });

/** Every exchange that is followed by a change of depth; the side that has tabs must have two different numbers. */
function exchangesAndMoves(pairs: Pairs): Shifts {
  const tabs = (side: 0 | 1): ReadonlySet<number> => new Set(pairs.map((pair) => pair[side].split("\t").length - 1));
  const [own, file] = [tabs(0), tabs(1)];
  const isOnlySpaces = (counts: ReadonlySet<number>): boolean => counts.size === 1 && counts.has(0);
  const [[from, to] = ["", ""]] = pairs;
  if (!(isOnlySpaces(own) && file.size > 1) && !(isOnlySpaces(file) && own.size > 1)) return [];
  return exchanges(isOnlySpaces(file)).flatMap((exchange) =>
    moves(exchange(from), to).map((move) => (indent: string) => move(exchange(indent))),
  );
}

const hasLine = (text: string, line: string): boolean => linesOf(text).some((one) => trim(one.line) === line);

function viewedStarts(text: string, oldText: string): number[] {
  const hash = ":[0-9a-zA-Z]{2,4}[|]";
  for (const separator of ["\t", "→", ": ", " | ", "| ", hash]) {
    const lines = linesOf(oldText).map(({ line }) => line);
    const isEnded = lines.length > 1 && lines.at(-1) === "";
    const prefix = new RegExp(
      `^${blank}*(\\d{1,9})(?:${separator.replace("|", "\\|")}|${trimEnd(separator).replace("|", "\\|")}$)`,
    );
    const found = (isEnded ? lines.slice(0, -1) : lines).map((line) => prefix.exec(line));
    const first = Number(found[0]?.[1]);
    if (!found.every((one, i) => one !== null && Number(one[1]) === first + i)) continue;
    const bare = found.map((one) => one?.input.slice(one[0].length) ?? "");
    if (bare.every((line) => trim(line) === "")) return [];
    // If the text itself contains a line together with its number, the numbers are part of the text.
    const own = found.filter((one, i) => trim(bare[i] ?? "") !== "" && hasLine(text, trim(one?.input ?? "")));
    if (own.length > 0) return [];
    const starts = windows(text, isEnded ? [...bare, ""] : bare, (file, sent) =>
      sent.every((line, i) => trimEnd(line) === trimEnd(file[i] ?? "")),
    );
    // A single line such as `404: notFound` counts as numbered only if it matches the line with that number.
    const isWeak = found.length === 1;
    return isWeak ? starts.filter((start) => linesOf(text)[first - 1]?.start === start) : starts;
  }
  return [];
}
