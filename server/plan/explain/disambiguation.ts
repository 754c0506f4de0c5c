/** Finds an addition that would make an ambiguous old text unique, so that only its first place would still match. */
import { Folded } from "../../match/fold.js";
import type { Place } from "../../match/place.js";
import type { RungName } from "../../match/rungs.js";
import { splitsCharacter } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { type Draft, lineInBase } from "../draft.js";
import type { Disambiguation } from "./sentences.js";

/**
 * The rungs on which additions are tried, each with the maximum number of places to compare. On other rungs, an
 * addition would have to differ from the document in the same way as the old text does.
 */
const comparedAt: Partial<Record<RungName, { readonly folded: boolean; readonly most: number }>> = {
  exact: { folded: false, most: limits.comparedPlaces },
  lineEnding: { folded: false, most: limits.comparedPlaces },
  trailingBlanks: { folded: true, most: 50 },
  typography: { folded: true, most: 50 },
};

/**
 * Lengths in UTF-16 code units: the longest line that failures show in full, the longest stretch that they quote, and
 * the distances by which a stretch may extend beyond the place on either side.
 */
const stretch = { line: 80, length: 100, reaches: [8, 16, 32] } as const;

/** All places of an edit's old text, and the one to distinguish from the others. */
export interface FirstPlace {
  readonly rung: RungName;
  readonly first: Place;
  readonly places: readonly Place[];
}

/** Returns what makes the first place unique: its line, a stretch of it, or the shorter of the lines beside it. */
export function disambiguateEdit(draft: Draft, { rung, first, places }: FirstPlace): Disambiguation | undefined {
  const compared = comparedAt[rung];
  if (compared === undefined || places.length > compared.most) return undefined;
  const { text, lines } = draft.index;
  const others = places.filter((place) => place !== first);
  const isAlone = (around: SurroundingText): boolean =>
    others.every((place) => !isSurrounded(text, place, around, compared));
  const [line, last] = [lines.lineAt(first.from), lines.lineAt(Math.max(first.from, first.to - 1))];
  const [start, end] = [lines.start(line), Math.max(first.to, lines.contentEnd(last))];
  // An old text that includes its line ending is not within a line: an addition without the line ending might match the
  // document's last line, too.
  const isWithin = line === last && end === lines.contentEnd(last) && (first.from > start || first.to < end);
  if (isWithin && end - start > stretch.line) {
    const telling = stretchAround(text, first, { start, end, isAlone });
    if (telling !== undefined) return telling;
  }
  if (first.from - start > stretch.length || end - first.to > stretch.length) return undefined;
  const before = text.slice(start, first.from);
  const after = compared.folded ? text.slice(first.to, end).trimEnd() : text.slice(first.to, end);
  const isIndent = after === "" && before.trim() === "";
  if (isWithin && end - start <= stretch.line && isAlone({ before, after })) return { kind: "ownLine", isIndent };
  const beside = (kind: "above" | "below", at: number): Beside[] => {
    const content = lines.content(at);
    if (content.trim() === "" || content.length > limits.quotedLine || content.includes("\r")) return [];
    // If the old text includes the end of its last line, the next line follows it directly.
    const end = first.to > lines.contentEnd(last) ? "" : "\n";
    const around = kind === "above" ? { before: `${content}\n${before}` } : { after: `${after}${end}${content}` };
    const isWhole = (kind === "above" ? before : after) === "";
    const quoted = isWhole ? content : (around.before ?? around.after);
    const isShort = isWhole || quoted.length <= stretch.length;
    const number = lineInBase(draft, lines.start(at));
    return isShort && isAlone({ before: "", after: "", ...around })
      ? [{ kind, isWhole, line: number, text: quoted }]
      : [];
  };
  return shortest([
    ...(line > 0 ? beside("above", line - 1) : []),
    ...(last + 1 < lines.lineCount ? beside("below", last + 1) : []),
  ]);
}

type Beside = Extract<Disambiguation, { kind: "above" | "below" }>;

function shortest(tellings: readonly Beside[]): Disambiguation | undefined {
  return tellings.toSorted((a, b) => a.text.trim().length - b.text.trim().length)[0];
}

/** The text directly before and after a place. */
interface SurroundingText {
  readonly before: string;
  readonly after: string;
}

/** Tries increasingly long stretches of a long line around a place; returns the first that no other place shares. */
function stretchAround(
  text: string,
  { from, to }: Place,
  line: { readonly start: number; readonly end: number; readonly isAlone: (around: SurroundingText) => boolean },
): Disambiguation | undefined {
  for (const reach of stretch.reaches) {
    const [start, end] = [Math.max(line.start, from - reach), Math.min(line.end, to + reach)];
    if (end - start > stretch.length || splitsCharacter(text, start) || splitsCharacter(text, end)) continue;
    const isTelling = line.isAlone({ before: text.slice(start, from), after: text.slice(to, end) });
    if (isTelling) return { kind: "stretch", text: text.slice(start, end) };
  }
  return undefined;
}

/** Reports whether text surrounds a place, whatever the line ending and, if `folded`, the typography. */
function isSurrounded(
  text: string,
  { from, to }: Place,
  { before, after }: SurroundingText,
  { folded }: { readonly folded: boolean },
): boolean {
  const fold = folded ? loosely : withPlainEnds;
  const room = (length: number): number => (folded ? 2 : 1) * length + 64;
  // Without the `|`, whitespace before the place would be taken for trailing whitespace, which it is only if the line
  // ends there.
  const mark = /^[^\S\r\n]*[\r\n]/.test(text.slice(from, from + room(0))) ? "" : "|";
  const above = text.slice(Math.max(0, from - room(before.length)), from);
  const isBehind = fold(above + mark).endsWith(fold(before + mark));
  return isBehind && fold(text.slice(to, to + room(after.length))).startsWith(fold(after));
}

const loosely = (text: string): string => Folded.of(text, "typography").text;
const withPlainEnds = (text: string): string => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);
