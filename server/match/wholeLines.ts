/** The rungs that compare whole lines: one ignores indentation, the other the line numbers of a file view. */
import { isAllBlank, lineTexts, splitLines, trimEnd, trimStart, withoutMark } from "../text/chars.js";
import { limits } from "../text/limits.js";
import type { LineFold } from "./lineTable.js";
import type { Found, Place, Reshape, Sought } from "./place.js";
import type { TextIndex } from "./textIndex.js";

/** The minimum and maximum number of spaces that a tab may stand for. */
const tabWidths = { least: 1, most: 16 };

/**
 * Finds the old text's lines, all with the same indentation added or removed, or with tabs instead of spaces or vice
 * versa.
 */
export function findIndented(index: TextIndex, oldText: string): Found {
  if (!/[\p{L}\p{N}]/u.test(oldText)) return [];
  const old = wholeLines(oldText);
  const lines = candidates(index, old, "blanks");
  if (lines === "tooMany") return lines;
  const places: Place[] = [];
  let steps = 0;
  // If there are many candidates, search for each shifted form of the text, so that the same lines are not compared
  // over and over.
  const isMany = lines.length * old.lines.length > 4 * index.matchedLines.lineCount + 1_000;
  const shifted = isMany ? shiftedRuns(index, old, lines) : undefined;
  for (const line of lines) {
    const shift = shifted?.has(line)
      ? shifted.get(line)
      : shiftBetween(
          old.lines,
          (i) => index.matchedLines.content(line + i),
          () => ++steps,
        );
    if (steps > limits.lineSteps) return "tooMany";
    if (shift !== undefined) places.push({ ...span(index, old, line), reshape: shift });
  }
  return places;
}

/**
 * Maps the first line of each candidate to the shift that turns the old text's lines into the candidate's by adding or
 * removing the same indentation on every line, or to `undefined` if there is no such shift. Omits candidates that need
 * a closer look, such as those where tabs and spaces may have been exchanged.
 */
function shiftedRuns(index: TextIndex, old: WholeLines, lines: readonly number[]): Map<number, Shift | undefined> {
  const result = new Map<number, Shift | undefined>();
  const first = old.lines.findIndex((line) => indentOf(line).length < line.length);
  const own = indentOf(old.lines[first] ?? "");
  const hasTabs = index.text.includes("\t");
  const byShift = new Map<string, { readonly shift: Shift; readonly lines: number[] }>();
  if (old.lines.some((line) => indentOf(line).includes("\t"))) return result;
  for (const line of lines) {
    const indent = indentOf(index.matchedLines.content(line + first));
    const shift = indent.includes("\t") ? undefined : shiftOfOne(own, indent);
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

/** Finds the places of an old text that was copied from a file view, with a number at the start of every line. */
export function findWithViewPrefix(index: TextIndex, oldText: string): Found {
  const view = viewOf(oldText);
  if (view === undefined) return [];
  if (hasNumbered(index, oldText)) return [];
  const { number, isWeak, reshape } = view;
  const plain = stripped(oldText, reshape);
  if (isAllBlank(plain)) return [];
  const old = wholeLines(plain);
  const lines = candidates(index, old, "trailingBlanks");
  if (lines === "tooMany") return lines;
  return lines
    .filter((line) => !isWeak || index.lineNumber(line) === number)
    .map((line) => ({ ...span(index, old, line), reshape }));
}

/**
 * Reports whether any line of a text that looks like a file view occurs in the document together with its number. The
 * numbers then belong to the document: they may be keys of a map or the numbers of list items.
 */
export function hasNumbered(index: TextIndex, text: string): boolean {
  const view = viewOf(text);
  if (view === undefined) return false;
  const table = index.lineTable("blanks");
  return lineTexts(text).some((line) => {
    const prefix = prefixOf(line, view.reshape.separator);
    // A number alone proves nothing.
    if (prefix === undefined || isAllBlank(line.slice(prefix.length))) return false;
    return table.find([line], { ...anywhere, most: 1 }).length > 0;
  });
}

/**
 * Removes the line numbers of a file view, for hints. Returns `undefined` for a single line, or if fewer than half of
 * the lines that have text have a number.
 */
export function withoutView(text: string): string | undefined {
  const view = viewOf(text);
  if (view !== undefined) return view.isWeak ? undefined : stripped(text, view.reshape);
  // Even if some numbers are missing or wrong, the text probably comes from a file view.
  for (const separator of viewSeparators) {
    const lines = lineTexts(text);
    const prefixes = lines.map((line) => prefixOf(line, separator));
    const count = prefixes.filter((prefix) => prefix !== undefined).length;
    if (count < 2 || 2 * count < lines.filter((line) => line.trim() !== "").length) continue;
    return lines.map((line, i) => line.slice(prefixes[i]?.length ?? 0)).join("\n");
  }
  return undefined;
}

/** Adapts a caller's text to the document at a place. Returns `undefined` if a line's indentation does not fit. */
export function reshaped(text: string, reshape: Reshape | undefined): string | undefined {
  if (reshape === undefined) return text;
  if (reshape.kind === "unmark") return withoutMark(text);
  return reshape.kind === "unview" ? stripped(text, reshape) : shifted(text, reshape);
}

/** Reports whether the document's lines at a place are the old text's lines with indentation added or removed. */
export function isShifted({ reshape }: Place): boolean {
  return reshape?.kind === "add" || reshape?.kind === "remove";
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
const anywhere = { from: 0, most: limits.placesPerEdit, emptyLast: true };

/**
 * Returns the 0-based first line of each place where an old text, including its final line ending, matches under a
 * fold.
 */
function candidates(index: TextIndex, old: WholeLines, fold: LineFold): number[] | "tooMany" {
  const lines = index.matchedLines;
  const found = index.lineTable(fold).find(old.lines, anywhere);
  if (found.length === limits.placesPerEdit) return "tooMany";
  return found.filter((line) => !old.ended || line + old.lines.length < lines.lineCount);
}

function span(index: TextIndex, old: WholeLines, line: number): { from: number; to: number } {
  const last = line + old.lines.length - 1;
  const lines = index.matchedLines;
  return { from: lines.start(line), to: old.ended ? lines.end(last) : lines.contentEnd(last) };
}

/**
 * Returns the shift of indentation that turns a run of lines into the document's lines; `undefined` if no single shift
 * does, or if the lines already have the same indentation.
 */
export function shiftOfLines(run: readonly string[], found: readonly string[]): Reshape | undefined {
  const shift = shiftBetween(
    run,
    (i) => found[i] ?? "",
    () => 0,
  );
  if (shift === undefined || !("indent" in shift)) return shift;
  return shift.indent === "" ? undefined : shift;
}

/** Shifts a line if `shift` is a change of indentation. Returns `undefined` if the line's indentation does not fit. */
export function shiftLine(line: string, shift: Reshape): string | undefined {
  if (!("indent" in shift) && !("width" in shift)) return line;
  const indent = indentOf(line);
  if (indent.length === line.length) return line;
  const shiftedTo = shiftedIndent(indent, line.slice(indent.length), shift);
  return shiftedTo === undefined ? undefined : shiftedTo + line.slice(indent.length);
}

/** A uniform change of indentation, from the old text's to the document's. */
type Shift = Exclude<Reshape, { kind: "unview" | "unmark" }>;

/** Returns the shift that fits every line that has text; `undefined` if no single shift does. */
function shiftBetween(old: readonly string[], fileLine: (i: number) => string, step: () => number): Shift | undefined {
  const first = old.findIndex((line) => indentOf(line).length < line.length);
  const shift = exchangeWidth(old, fileLine) ?? shiftOfOne(indentOf(old[first] ?? ""), indentOf(fileLine(first)));
  if (shift === undefined) return undefined;
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

function shiftOfOne(old: string, file: string): Shift | undefined {
  if (file.endsWith(old)) return { kind: "add", indent: file.slice(0, file.length - old.length) };
  if (old.endsWith(file)) return { kind: "remove", indent: old.slice(0, old.length - file.length) };
  return undefined;
}

/**
 * Returns the exchange of tabs and spaces that accounts for the first line whose indentation differs; `undefined` if
 * there is none. Only one of the two texts may have tabs on that line.
 */
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
    case "toSpaces":
      return indent.replaceAll("\t", () => " ".repeat(shift.width));
    case "toTabs": {
      const spaces = spacesOf(indent);
      const rest = spaces % shift.width;
      // One space before the star of a continued comment is alignment, even if no old line has such a space.
      const isComment = rest === 1 && content.startsWith("*");
      if (rest !== 0 && !isComment && shift.rests !== undefined && !shift.rests.includes(rest)) return undefined;
      const tabs = Math.floor(spaces / shift.width);
      return "\t".repeat(tabs) + indent.slice(tabs * shift.width);
    }
  }
}

/** Shifts every line that has text. Returns `undefined` if a line's indentation does not fit. */
function shifted(text: string, shift: Shift): string | undefined {
  const parts: string[] = [];
  for (const { from, to, next } of splitLines(text)) {
    const content = trimStart(text, from, to);
    if (content === to) {
      parts.push(text.slice(from, next));
      continue;
    }
    const indent = shiftedIndent(text.slice(from, content), text.slice(content, content + 1), shift);
    if (indent === undefined) return undefined;
    parts.push(indent, text.slice(content, next));
  }
  return parts.join("");
}

const spacesOf = (line: string): number => line.length - line.replace(/^ +/, "").length;

const indentOf = (line: string): string => line.slice(0, trimStart(line));

/**
 * The separators that file views put after a number. On an empty line, a separator's trailing whitespace may be
 * missing.
 */
const viewSeparators = ["\t", "→", ": ", " | "] as const;

/** The properties of an old text that was copied from a file view. */
interface Viewed {
  readonly reshape: Extract<Reshape, { kind: "unview" }>;
  /** The 1-based number of the first line. */
  readonly number: number;
  /**
   * `true` for a single line: `404: notFound`, for example, may not come from a view. The number must therefore equal
   * the document's line number.
   */
  readonly isWeak: boolean;
}

/** Recognises a file view. Returns `undefined` unless all lines start with numbers and the numbers are consecutive. */
function viewOf(oldText: string): Viewed | undefined {
  for (const separator of viewSeparators) {
    const lines = wholeLines(oldText).lines.map((line) => prefixOf(line, separator));
    if (!lines.every((line, i) => line !== undefined && line.number === (lines[0]?.number ?? 0) + i)) continue;
    const prefixes = lines.flatMap((line) => line ?? []);
    const number = prefixes[0]?.number ?? 0;
    const column = prefixes.every(({ start }) => start === 0) ? undefined : prefixes[0]?.end;
    return { reshape: { kind: "unview", separator, number, column }, number, isWeak: lines.length === 1 };
  }
  return undefined;
}

interface ViewPrefix {
  readonly number: number;
  /** The offsets in the line at which the number starts and ends. */
  readonly start: number;
  readonly end: number;
  /** Length, in UTF-16 code units, of the prefix: whitespace, the number and the separator. */
  readonly length: number;
}

function prefixOf(line: string, separator: string): ViewPrefix | undefined {
  const start = trimStart(line);
  let end = start;
  while (end < line.length && end - start < 9 && isDigit(line.charCodeAt(end))) end++;
  if (end === start) return undefined;
  const number = Number(line.slice(start, end));
  if (line.startsWith(separator, end)) return { number, start, end, length: end + separator.length };
  const bare = separator.slice(0, trimEnd(separator));
  return line.length === end + bare.length && line.startsWith(bare, end)
    ? { number, start, end, length: line.length }
    : undefined;
}

const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

/**
 * Removes the prefix from each line whose number is in the view's column and could belong to the view. Lines that a
 * model added without a prefix stay as they are, even if they start with another number. The result has LF line
 * endings, which makes no difference to matching.
 */
function stripped(text: string, view: Extract<Reshape, { kind: "unview" }>): string {
  const lines = lineTexts(text);
  const last = view.number + lines.length + spareNumbers;
  const plain = lines.map((line) => {
    const prefix = prefixOf(line, view.separator);
    if (prefix === undefined || prefix.number < view.number || prefix.number > last) return line;
    const isInColumn = view.column === undefined ? prefix.start === 0 : prefix.end === view.column;
    return isInColumn ? line.slice(prefix.length) : line;
  });
  return plain.join("\n");
}

/** The margin by which a new text's line numbers may exceed what its line count suggests: the text may skip numbers. */
const spareNumbers = 50;
