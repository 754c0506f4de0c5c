/** The ladder: each row folds one more kind of difference away, and says where an old text then stands. */
import { isBlank, splitsCharacter } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { Folded, type FoldOptions } from "./fold.js";
import type { LineFold } from "./lineTable.js";
import type { Found, Place } from "./place.js";
import type { TextIndex } from "./textIndex.js";
import { findIndented, findWithViewPrefix } from "./wholeLines.js";

/** A row of the ladder. */
export interface Rung {
  readonly name: RungName;
  /** Whether it is tried with `lenient: false`. */
  readonly strict: boolean;
  /** Whether it is tried for an old text that is nothing but blanks. */
  readonly forBlankText: boolean;
  /** Builds in steps what `find` needs; `undefined`: that is not much. */
  readonly prepare?: (index: TextIndex) => Generator<void, unknown>;
  /** The places of an edit's old text; `undefined`: the rung is not for edits. */
  readonly find?: (index: TextIndex, oldText: string) => Found;
  /** How the lines of a hunk are compared, one by one; `undefined`: the rung is not for hunks. */
  readonly hunkLines?: LineFold;
}

/** Names of the rungs as results carry them. */
export type RungName =
  | "exact"
  | "lineEnding"
  | "trailingBlanks"
  | "typography"
  | "indentation"
  | "viewPrefix"
  | "foldedLines";

const nothing: FoldOptions = { trailingBlanks: false, typography: false };
const blanks: FoldOptions = { trailingBlanks: true, typography: false };
const typography: FoldOptions = { trailingBlanks: true, typography: true };

/** In the order in which they are tried. Those for hunks are the four passes of Codex. */
export const rungs: readonly Rung[] = [
  { name: "exact", strict: true, forBlankText: true, find: findExact, hunkLines: "nothing" },
  {
    name: "lineEnding",
    strict: true,
    forBlankText: true,
    prepare: (index) => index.searching(nothing),
    find: (index, oldText) => findFolded(index, oldText, nothing),
  },
  {
    name: "trailingBlanks",
    strict: false,
    forBlankText: false,
    prepare: (index) => index.searching(blanks),
    find: (index, oldText) => findFolded(index, oldText, blanks),
    hunkLines: "trailingBlanks",
  },
  {
    name: "typography",
    strict: false,
    forBlankText: false,
    prepare: (index) => index.searching(typography),
    find: (index, oldText) => findFolded(index, oldText, typography),
  },
  {
    name: "indentation",
    strict: false,
    forBlankText: false,
    prepare: (index) => index.tabling("blanks"),
    find: findIndented,
    hunkLines: "blanks",
  },
  { name: "viewPrefix", strict: false, forBlankText: false, find: findWithViewPrefix },
  { name: "foldedLines", strict: true, forBlankText: true, hunkLines: "blanksAndTypography" },
];

/** Whether one rung is tried before another one. */
export function isStricter(one: RungName, other: RungName): boolean {
  const rank = (rung: RungName): number => rungs.findIndex(({ name }) => name === rung);
  return rank(one) < rank(other);
}

/** A place never starts or ends inside a character or a CRLF: the next rung takes such a line end as a whole. */
function findExact(index: TextIndex, oldText: string): Found {
  const { text } = index;
  const starts = index.starts(undefined, oldText, limits.placesPerEdit);
  if (starts.length === limits.placesPerEdit) return "tooMany";
  const places: Place[] = [];
  for (const from of starts) {
    const to = from + oldText.length;
    if (!splitsCharacter(text, from) && !splitsCharacter(text, to)) places.push({ from, to });
  }
  return places;
}

function findFolded(index: TextIndex, oldText: string, options: FoldOptions): Found {
  const folded = index.folded(options);
  const pattern = Folded.of(oldText, options).text;
  if (folded.text === index.text && pattern === oldText) return [];
  const endsBlank = options.trailingBlanks && isBlank(oldText.charCodeAt(oldText.length - 1));
  if (!endsBlank) return foldedPlaces(index, options, { pattern, atLineEnd: false });
  // Blanks at the old text's very end: folded only where the document's line ends too, literal within a line.
  const literal = Folded.of(`${oldText}|`, options).text.slice(0, -1);
  const within = foldedPlaces(index, options, { pattern: literal, atLineEnd: false });
  const atEnds = foldedPlaces(index, options, { pattern, atLineEnd: true });
  if (within === "tooMany" || atEnds === "tooMany") return "tooMany";
  return [...within, ...atEnds].sort((a, b) => a.from - b.from || a.to - b.to);
}

/** `atLineEnd`: only places at the end of a line count, and the document's blanks there belong to them. */
function foldedPlaces(index: TextIndex, options: FoldOptions, what: { pattern: string; atLineEnd: boolean }): Found {
  const places: Place[] = [];
  if (what.pattern === "") return places;
  const folded = index.folded(options);
  const starts = index.starts(options, what.pattern, limits.placesPerEdit);
  if (starts.length === limits.placesPerEdit) return "tooMany";
  for (const start of starts) {
    const end = start + what.pattern.length;
    if (what.atLineEnd && end < folded.text.length && folded.text[end] !== "\n") continue;
    const from = folded.startOf(start);
    const to = what.atLineEnd ? folded.startOf(end) : folded.endOf(end);
    if (from === undefined || to === undefined || to < from) continue;
    if (!splitsCharacter(index.text, from) && !splitsCharacter(index.text, to)) places.push({ from, to });
  }
  return places;
}
