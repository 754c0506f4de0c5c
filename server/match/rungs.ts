/** The ladder of rungs. Each rung searches for an old text in its own way, ignoring certain differences. */
import { isBlank, splitsCharacter } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { type Fold, Folded } from "./fold.js";
import type { LineFold } from "./lineTable.js";
import { findBetweenEmptyLines, findRespaced, findUneven } from "./looseLines.js";
import type { Found, Place } from "./place.js";
import { foldedWithin, type TextIndex } from "./textIndex.js";
import { findWithViewPrefix } from "./viewPrefix.js";
import { findIndented } from "./wholeLines.js";

/** A rung of the ladder. */
export interface Rung {
  readonly name: RungName;
  /** `true` if the rung is tried even with `lenient: false`, and even if the old text is nothing but whitespace. */
  readonly strict: boolean;
  /** Builds, in steps, the structures that `find` needs; `undefined` if none of them takes long to build. */
  readonly prepare?: (index: TextIndex) => Generator<void, unknown>;
  /** Finds the places of an edit's old text; `undefined` if the rung is not for edits. */
  readonly find?: (index: TextIndex, oldText: string) => Found;
  /** The fold under which a hunk's lines are compared with the document's; `undefined` if the rung is not for hunks. */
  readonly hunkLines?: LineFold;
  /** `true` if the rung is for hunks only with lenient matching, because Codex has no such pass. */
  readonly beyondCodex?: true;
}

/** Names of the rungs, as they appear in results. */
export type RungName =
  | "exact"
  | "lineEnding"
  | "trailingBlanks"
  | "typography"
  | "indentation"
  | "innerBlanks"
  | "viewPrefix"
  | "emptyEnds"
  | "unevenIndentation"
  | "foldedLines"
  | "fullWidth";

/** Returns the functions of a rung that searches for an old text under a fold. */
const under = (fold: Fold): Pick<Rung, "prepare" | "find"> => ({
  prepare: (index) => index.searching(fold),
  find: (index, oldText) => findFolded(index, oldText, fold),
});

/** The rungs in the order tried. The strict ones for hunks and the next two are Codex's four passes. */
export const rungs: readonly Rung[] = [
  { name: "exact", strict: true, find: findExact, hunkLines: "nothing" },
  { name: "lineEnding", strict: true, ...under("lineEnds") },
  { name: "trailingBlanks", strict: false, ...under("trailingBlanks"), hunkLines: "trailingBlanks" },
  { name: "typography", strict: false, ...under("typography") },
  {
    name: "indentation",
    strict: false,
    prepare: (index) => index.tabling("blanks"),
    find: findIndented,
    hunkLines: "blanks",
  },
  { name: "innerBlanks", strict: false, prepare: (index) => index.tabling("innerBlanks"), find: findRespaced },
  { name: "viewPrefix", strict: false, find: findWithViewPrefix },
  { name: "emptyEnds", strict: false, find: findBetweenEmptyLines },
  { name: "unevenIndentation", strict: false, find: findUneven },
  { name: "foldedLines", strict: true, hunkLines: "blanksAndTypography" },
  { name: "fullWidth", strict: false, hunkLines: "blanksAndWidths", beyondCodex: true },
];

/** Reports whether `one` is tried before `other`. */
export function isStricter(one: RungName, other: RungName): boolean {
  const rank = (rung: RungName): number => rungs.findIndex(({ name }) => name === rung);
  return rank(one) < rank(other);
}

/**
 * Finds exact matches that split neither a character nor a CRLF. The next rung matches a CRLF as a whole. It also decides
 * if only the kind of line ending tells the exact matches from others, because a caller can't see line endings.
 */
function findExact(index: TextIndex, oldText: string): Found {
  const { text } = index;
  const starts = index.starts("nothing", oldText, limits.placesPerEdit);
  if (starts.length === limits.placesPerEdit) return "tooMany";
  const places = starts.flatMap((from) => {
    const to = from + oldText.length;
    return splitsCharacter(text, from) || splitsCharacter(text, to) ? [] : [{ from, to }];
  });
  const isTold = places.length > 0 && /[\r\n]/.test(oldText) && index.hasMixedLineEnds;
  return isTold && findFolded(index, oldText, "lineEnds").length > places.length ? [] : places;
}

function findFolded(index: TextIndex, oldText: string, fold: Fold): Found {
  const pattern = Folded.of(oldText, fold).text;
  if (index.folded(fold).text === index.text && pattern === oldText) return [];
  const endsBlank = fold !== "lineEnds" && isBlank(oldText.charCodeAt(oldText.length - 1));
  if (!endsBlank) return placesOf(index, fold, pattern);
  // Whitespace at the very end of the old text is folded only if the line in the document ends there, too.
  const within = placesOf(index, fold, foldedWithin(oldText, fold));
  const atEnds = placesOf(index, fold, pattern, true);
  if (within === "tooMany" || atEnds === "tooMany") return "tooMany";
  return [...within, ...atEnds].sort((a, b) => a.from - b.from || a.to - b.to);
}

/** Returns a folded old text's places; with `atLineEnd`, only those at line ends, with the whitespace there. */
function placesOf(index: TextIndex, fold: Fold, pattern: string, atLineEnd = false): Found {
  const places: Place[] = [];
  if (pattern === "") return places;
  const folded = index.folded(fold);
  const starts = index.starts(fold, pattern, limits.placesPerEdit);
  if (starts.length === limits.placesPerEdit) return "tooMany";
  for (const start of starts) {
    const end = start + pattern.length;
    if (atLineEnd && end < folded.text.length && folded.text[end] !== "\n") continue;
    const from = folded.startOf(start);
    const to = atLineEnd ? folded.startOf(end) : folded.endOf(end);
    if (from === undefined || to === undefined || to < from) continue;
    if (!splitsCharacter(index.text, from) && !splitsCharacter(index.text, to)) places.push({ from, to });
  }
  return places;
}
