/** Runs of whole lines, and the rung that ignores a uniform shift of their indentation. */
import { lineTexts, trimEnd, trimStart } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { anyLineEnd, LineIndex } from "../text/lines.js";
import type { LineFold } from "./lineTable.js";
import type { Found, Move, Place, Reshape, Shift, Sought } from "./place.js";
import type { TextIndex } from "./textIndex.js";

/** The minimum and maximum number of spaces that a tab may stand for. */
const tabWidths = { least: 1, most: 16 };

/** Finds lines that share a shift, or have tabs for spaces; only if none do, both, and levels of another width. */
export function findIndented(index: TextIndex, oldText: string): Found {
  if (!isTelling(oldText)) return [];
  const old = wholeLines(oldText);
  const lines = candidates(index, old, "blanks");
  if (lines === "tooMany") return lines;
  // If there are many candidates, search for each shifted form of the text, so that the same lines are not compared
  // over and over.
  const isMany = lines.length * old.lines.length > 4 * index.matchedLines.lineCount + 1_000;
  const shifted = isMany ? shiftedRuns(index, old, lines) : undefined;
  const places = shiftedPlaces(index, old, { lines, shiftOf: shiftBetween, known: shifted });
  if (places.length > 0) return places;
  const exchanged = shiftedPlaces(index, old, { lines, shiftOf: exchangeAndMove });
  return exchanged.length > 0 ? exchanged : shiftedPlaces(index, old, { lines, shiftOf: certainScale });
}

/** Reports whether a text has a letter or a digit, so that its lines can be found whatever their whitespace is. */
export const isTelling = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);

/** A place of whole lines, and the shift of their indentation. */
interface ShiftedPlace extends Place {
  readonly reshape: Shift;
}

/** Compares the indentation of old lines with that of the document's lines; calls `step` once for each line. */
type ShiftFinder = (old: readonly string[], fileLine: (i: number) => string, step: () => number) => Shift | undefined;

/** Returns the candidates whose lines, numbered from 0, have the old text's indentation apart from a single shift. */
export function shiftedPlaces(
  index: TextIndex,
  old: WholeLines,
  how: {
    readonly lines: readonly number[];
    readonly shiftOf: ShiftFinder;
    /** The shifts that are known already; `undefined` for a line without a shift. */
    readonly known?: ReadonlyMap<number, Shift | undefined> | undefined;
  },
): readonly ShiftedPlace[] | "tooMany" {
  const places: ShiftedPlace[] = [];
  let steps = 0;
  for (const line of how.lines) {
    const fileLine = (i: number): string => index.matchedLines.content(line + i);
    const shift = how.known?.has(line) ? how.known.get(line) : how.shiftOf(old.lines, fileLine, () => ++steps);
    if (steps > limits.lineSteps) return "tooMany";
    if (shift !== undefined) places.push({ ...span(index, old, line), reshape: shift });
  }
  return places;
}

/** Maps the first line of each candidate to its shift, if a single indentation is added or removed there. */
function shiftedRuns(index: TextIndex, old: WholeLines, lines: readonly number[]): Map<number, Shift | undefined> {
  const result = new Map<number, Shift | undefined>();
  const first = old.lines.findIndex((line) => indentOf(line).length < line.length);
  const own = indentOf(old.lines[first] ?? "");
  const hasTabs = index.text.includes("\t");
  const byShift = new Map<string, { readonly shift: Shift; readonly lines: number[] }>();
  if (old.lines.some((line) => indentOf(line).includes("\t"))) return result;
  for (const line of lines) {
    const indent = indentOf(index.matchedLines.content(line + first));
    const shift = indent.includes("\t") ? undefined : moveOfOne(own, indent);
    if (shift === undefined || !("indent" in shift)) continue;
    const name = `${shift.kind} ${shift.indent}`;
    const group = byShift.get(name) ?? { shift, lines: [] };
    byShift.set(name, group);
    group.lines.push(line);
  }
  for (const { shift, lines: group } of byShift.values()) {
    const run = old.lines.flatMap((line) => shiftLine(line, shift) ?? []);
    const isWhole = run.length === old.lines.length;
    const found = new Set(isWhole ? index.lineTable("trailingBlanks").find(run, anywhere) : []);
    for (const line of group) if (found.has(line) || !hasTabs) result.set(line, found.has(line) ? shift : undefined);
  }
  return result;
}

/** Reports whether the document's lines at a place are the old text's lines with indentation added or removed. */
export function isShifted({ reshape }: Place): boolean {
  const shift = reshape?.kind === "trimEnds" ? reshape.shift : reshape;
  return shift !== undefined && ("indent" in shift ? shift.indent !== "" : "then" in shift || "from" in shift);
}

/** Reports whether an edit changes indentation and, trailing whitespace aside, nothing else. */
export function isReindenting({ oldText, newText }: Sought): boolean {
  const [old, next] = [wholeLines(oldText).lines, wholeLines(newText).lines];
  const withoutEnd = (line: string): string => line.slice(0, trimEnd(line));
  const content = (line: string): string => withoutEnd(line.slice(trimStart(line)));
  return (
    old.length === next.length &&
    old.every((line, i) => content(line) === content(next[i]!)) &&
    old.some((line, i) => withoutEnd(line) !== withoutEnd(next[i]!))
  );
}

/** The lines of an old text, without their line endings. */
export interface WholeLines {
  readonly lines: readonly string[];
  /** `true` if the old text ends with a line ending. */
  readonly ended: boolean;
}

/** Splits an old text into lines. A final line ending does not add an empty line. */
export function wholeLines(text: string): WholeLines {
  const lines = lineTexts(text);
  const ended = lines.length > 1 && lines.at(-1) === "";
  return { lines: ended ? lines.slice(0, -1) : lines, ended };
}

/** The range that covers the whole text, including the empty line after a final line ending. */
export const anywhere = { from: 0, most: limits.placesPerEdit, emptyLast: true };

/** Returns the 0-based first lines where an old text with its final line ending matches under a fold. */
export function candidates(index: TextIndex, old: WholeLines, fold: LineFold): number[] | "tooMany" {
  const lines = index.matchedLines;
  const found = index.lineTable(fold).find(old.lines, anywhere);
  if (found.length === limits.placesPerEdit) return "tooMany";
  return found.filter((line) => !old.ended || line + old.lines.length < lines.lineCount);
}

/** Returns the place of an old text that starts at a 0-based line, as UTF-16 offsets. */
export function span(index: TextIndex, old: WholeLines, line: number): { from: number; to: number } {
  const last = line + old.lines.length - 1;
  const lines = index.matchedLines;
  return { from: lines.start(line), to: old.ended ? lines.end(last) : lines.contentEnd(last) };
}

/** Returns the shift from a run of lines to the document's, if a single one fits; it may add nothing. */
export function shiftOfLines(run: readonly string[], found: readonly string[]): Shift | undefined {
  const fileLine = (i: number): string => found[i] ?? "";
  return shiftBetween(run, fileLine, () => 0) ?? certainScale(run, fileLine, () => 0);
}

/** Reports whether a run's levels may have another width than those of the document's lines, though nothing proves it. */
export function mayBeScaled(run: readonly string[], found: readonly string[]): boolean {
  const fileLine = (i: number): string => found[i] ?? "";
  return scaleBetween(run, fileLine, () => 0) !== undefined;
}

/** Shifts a line if `shift` is a change of indentation. Returns `undefined` if the line's indentation does not fit. */
export function shiftLine(line: string, shift: Reshape): string | undefined {
  if (!("indent" in shift) && !("width" in shift) && !("from" in shift)) return line;
  const indent = indentOf(line);
  if (indent.length === line.length) return line;
  const shiftedTo = shiftedIndent(indent, line.slice(indent.length), shift);
  return shiftedTo === undefined ? undefined : shiftedTo + line.slice(indent.length);
}

/** Returns the shift that fits every line that has text; `undefined` if no single shift does. */
export function shiftBetween(
  old: readonly string[],
  fileLine: (i: number) => string,
  step: () => number,
): Shift | undefined {
  const first = old.findIndex((line) => indentOf(line).length < line.length);
  const shift = exchangeWidth(old, fileLine) ?? moveOfOne(indentOf(old[first] ?? ""), indentOf(fileLine(first)));
  return shift && fitting(shift, old, { fileLine, step });
}

/** Returns a shift, with the alignment that it permits, if it fits every line that has text; otherwise `undefined`. */
function fitting(
  shift: Shift,
  old: readonly string[],
  { fileLine, step }: { readonly fileLine: (i: number) => string; readonly step: () => number },
): Shift | undefined {
  for (const [i, line] of old.entries()) {
    if (step() > limits.lineSteps) return undefined;
    const indent = indentOf(line);
    if (
      indent.length < line.length &&
      shiftedIndent(indent, line.slice(indent.length), shift) !== indentOf(fileLine(i))
    )
      return undefined;
  }
  if (shift.kind !== "toTabs") return shift;
  // Spaces left over after whole tabs are alignment: a new line may have none, or as many as one of the old lines has.
  const rests = old.filter((line) => indentOf(line).length < line.length).map((line) => spacesOf(line) % shift.width);
  return { ...shift, rests: [...new Set(rests)] };
}

/**
 * Returns the exchange of tabs and spaces, together with the change of depth that follows it, that fits every line that
 * has text; `undefined` if there is none. The width of a tab must follow from two lines of different depth.
 */
function exchangeAndMove(
  old: readonly string[],
  fileLine: (i: number) => string,
  step: () => number,
): Shift | undefined {
  const filled = old.flatMap((line, i) => (indentOf(line).length < line.length ? [i] : []));
  const indents = filled.map((i) => ({ own: indentOf(old[i] ?? ""), file: indentOf(fileLine(i)) }));
  const tabs = (text: string): number => text.split("\t").length - 1;
  const [ownTabs, fileTabs] = [indents.map(({ own }) => tabs(own)), indents.map(({ file }) => tabs(file))];
  const toTabs = ownTabs.every((count) => count === 0) && fileTabs.some((count) => count !== fileTabs[0]);
  const toSpaces = fileTabs.every((count) => count === 0) && ownTabs.some((count) => count !== ownTabs[0]);
  const [first] = indents;
  if (first === undefined || (!toTabs && !toSpaces)) return undefined;
  for (let width: number = tabWidths.least; width <= tabWidths.most; width++) {
    const exchange = { kind: toTabs ? "toTabs" : "toSpaces", width } as const;
    const then = moveOfOne(shiftedIndent(first.own, "", exchange) ?? "", first.file);
    const found = then && fitting({ ...exchange, then }, old, { fileLine, step });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the shift between levels of different width for every line: one a multiple, neither one space. */
function scaleBetween(old: readonly string[], fileLine: (i: number) => string, step: () => number): Shift | undefined {
  const indented = old.flatMap((line, i) => (/^ +[^\s*]/.test(line) ? [{ line, i }] : []));
  const [first] = indented;
  const [own, file] = [spacesOf(first?.line ?? ""), spacesOf(fileLine(first?.i ?? 0))];
  const isMultiple = own > 0 && file > 0 && own !== file && (own % file === 0 || file % own === 0);
  if (!isMultiple) return undefined;
  const from = indented.map(({ line }) => spacesOf(line)).reduce(commonDivisor);
  const to = (from * file) / own;
  const isWidth = Number.isInteger(to) && Math.min(from, to) > 1;
  return isWidth ? fitting({ kind: "scale", from, to }, old, { fileLine, step }) : undefined;
}

/** Like `scaleBetween`, but a single line that is deeper than the file's proves nothing: it may be indented by mistake. */
const certainScale: ShiftFinder = (old, fileLine, step) => {
  const shift = scaleBetween(old, fileLine, step);
  const isSingle = old.filter((line) => /^ +\S/.test(line)).length === 1;
  return shift?.kind === "scale" && shift.from > shift.to && isSingle ? undefined : shift;
};

const commonDivisor = (one: number, other: number): number => (other === 0 ? one : commonDivisor(other, one % other));

function moveOfOne(old: string, file: string): Move | undefined {
  if (file.endsWith(old)) return { kind: "add", indent: file.slice(0, file.length - old.length) };
  if (old.endsWith(file)) return { kind: "remove", indent: old.slice(0, old.length - file.length) };
  return undefined;
}

/** Returns the exchange of tabs and spaces in the first line that differs, where only one text has tabs. */
function exchangeWidth(old: readonly string[], fileLine: (i: number) => string): Shift | undefined {
  for (const [i, line] of old.entries()) {
    const oldIndent = indentOf(line);
    const fileIndent = indentOf(fileLine(i));
    if (oldIndent === fileIndent || oldIndent.length === line.length) continue;
    const toTabs = fileIndent.includes("\t") && !oldIndent.includes("\t");
    const toSpaces = oldIndent.includes("\t") && !fileIndent.includes("\t");
    if (!toTabs && !toSpaces) return undefined;
    const [tabbed, spaced] = toTabs ? [fileIndent, oldIndent] : [oldIndent, fileIndent];
    const tabs = tabbed.split("\t").length - 1;
    const width = (spaced.length - (tabbed.length - tabs)) / tabs;
    if (!Number.isInteger(width) || width < tabWidths.least || width > tabWidths.most) return undefined;
    return { kind: toTabs ? "toTabs" : "toSpaces", width };
  }
  return undefined;
}

/** Shifts the indentation of one line. `content` is the rest of the line; only its first character matters. */
function shiftedIndent(indent: string, content: string, shift: Shift): string | undefined {
  switch (shift.kind) {
    case "add":
      return shift.indent + indent;
    case "remove":
      return indent.startsWith(shift.indent) ? indent.slice(shift.indent.length) : undefined;
    case "scale": {
      // The space before the star of a continued comment is alignment.
      const rest = content.startsWith("*") && indent.length % shift.from === 1 ? 1 : 0;
      const levels = (indent.length - rest) / shift.from;
      return /^ *$/.test(indent) && Number.isInteger(levels) ? " ".repeat(levels * shift.to + rest) : undefined;
    }
    case "toSpaces":
      return moved(
        indent.replaceAll("\t", () => " ".repeat(shift.width)),
        shift.then,
      );
    case "toTabs": {
      const spaces = spacesOf(indent);
      const rest = spaces % shift.width;
      // One space before the star of a continued comment is alignment, even if no old line has such a space.
      const isComment = rest === 1 && content.startsWith("*");
      if (rest !== 0 && !isComment && shift.rests !== undefined && !shift.rests.includes(rest)) return undefined;
      const tabs = Math.floor(spaces / shift.width);
      return moved("\t".repeat(tabs) + indent.slice(tabs * shift.width), shift.then);
    }
  }
}

/** Adds or removes indentation; returns the indentation unchanged if `move` is `undefined`. */
const moved = (indent: string, move: Move | undefined): string | undefined =>
  move === undefined ? indent : shiftedIndent(indent, "", move);

/** Shifts every line that has text. Returns `undefined` if a line's indentation does not fit. */
export function shifted(text: string, shift: Shift): string | undefined {
  const lines = LineIndex.of(text, anyLineEnd);
  const parts = lines.contents(0, lines.lineCount).map((line) => shiftLine(line, shift));
  return parts.includes(undefined) ? undefined : parts.map((part, line) => part + lines.terminator(line)).join("");
}

const spacesOf = (line: string): number => line.length - line.replace(/^ +/, "").length;

/** Returns the whitespace at the start of a line. */
export const indentOf = (line: string): string => line.slice(0, trimStart(line));
