/** The rungs that compare whole lines: another indentation, and the line numbers of a file view. */
import { isAllBlank, isBlank, splitLines, trimEnd, trimStart } from "../text/chars.js";
import { limits } from "../text/limits.js";
import type { Found, Place, Sought } from "./place.js";
import { findAllNumbers } from "./search.js";
import { keyText, type LineKey, type TextIndex } from "./textIndex.js";

/** Spaces that one tab may stand for. */
const tabWidths = { least: 1, most: 16 };

/** Places whose lines are the old text's, all indented more, all less, or all with tabs for a number of spaces or back. */
export function findIndented(index: TextIndex, sought: Sought): Found {
  if (!/[\p{L}\p{N}]/u.test(sought.oldText)) return [];
  const old = wholeLines(sought.oldText);
  const places: Place[] = [];
  let steps = 0;
  for (const line of candidates(index, old, "trimmed")) {
    const shift = shiftBetween(
      old.lines,
      (i) => index.matchedLines.content(line + i),
      () => ++steps,
    );
    if (steps > limits.lineSteps) return "tooMany";
    const newText = shift === undefined ? undefined : shifted(sought.newText, shift);
    const oldText = shift === undefined ? undefined : shifted(sought.oldText, shift);
    if (newText !== undefined && oldText !== undefined) places.push({ oldText, newText, ...span(index, old, line) });
  }
  return places;
}

/** Places of an old text whose every line was copied from a file view, with the numbers that the view puts in front. */
export function findWithViewPrefix(index: TextIndex, sought: Sought): Found {
  const view = withoutViewPrefix(sought);
  if (view === undefined || isAllBlank(view.plain.oldText)) return [];
  const { plain, number, isWeak } = view;
  const old = wholeLines(plain.oldText);
  return candidates(index, old, "trimmedEnd")
    .filter((line) => !isWeak || line + 1 === number)
    .map((line) => ({ ...plain, ...span(index, old, line) }));
}

interface WholeLines {
  readonly lines: readonly string[];
  /** Whether the last line's end belongs to the old text. */
  readonly ended: boolean;
}

function wholeLines(text: string): WholeLines {
  const lines = splitLines(text).map(({ from, to }) => text.slice(from, to));
  const ended = lines.length > 1 && lines.at(-1) === "";
  return { lines: ended ? lines.slice(0, -1) : lines, ended };
}

/** First lines (0-based) of the places whose lines have the same keys; a line end that is sought must be there. */
function candidates(index: TextIndex, old: WholeLines, key: LineKey): number[] {
  const { keys, keyOf } = index.keys(key);
  const pattern = old.lines.map((line) => keyOf.get(keyText(line, 0, line.length, key)) ?? -1);
  if (pattern.includes(-1)) return [];
  const lines = index.matchedLines;
  return findAllNumbers(keys, Int32Array.from(pattern), limits.placesPerEdit).filter((line) => {
    const last = line + old.lines.length - 1;
    return !old.ended || last + 1 < lines.lineCount;
  });
}

function span(index: TextIndex, old: WholeLines, line: number): { from: number; to: number } {
  const last = line + old.lines.length - 1;
  const lines = index.matchedLines;
  return { from: lines.start(line), to: old.ended ? lines.end(last) : lines.contentEnd(last) };
}

/** How the old text's indentation becomes the document's, the same for all lines. */
type Shift =
  | { readonly kind: "add" | "remove"; readonly indent: string }
  | { readonly kind: "toTabs" | "toSpaces"; readonly width: number };

/** The one shift that explains every line that is not blank; `undefined`: there is none. */
function shiftBetween(old: readonly string[], fileLine: (i: number) => string, step: () => number): Shift | undefined {
  const first = old.findIndex((line) => indentOf(line).length < line.length);
  const shift = exchangeWidth(old, fileLine) ?? shiftOfOne(indentOf(old[first] ?? ""), indentOf(fileLine(first)));
  if (shift === undefined) return undefined;
  for (const [i, line] of old.entries()) {
    if (step() > limits.lineSteps) return undefined;
    const indent = indentOf(line);
    if (indent.length < line.length && shiftedIndent(indent, shift) !== indentOf(fileLine(i))) return undefined;
  }
  return shift;
}

function shiftOfOne(old: string, file: string): Shift | undefined {
  if (file.endsWith(old)) return { kind: "add", indent: file.slice(0, file.length - old.length) };
  if (old.endsWith(file)) return { kind: "remove", indent: old.slice(0, old.length - file.length) };
  return undefined;
}

/** Spaces for a tab or back, told by the first line in which one side has tabs and the other has none. */
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

function shiftedIndent(indent: string, shift: Shift): string | undefined {
  switch (shift.kind) {
    case "add":
      return shift.indent + indent;
    case "remove":
      return indent.startsWith(shift.indent) ? indent.slice(shift.indent.length) : undefined;
    case "toSpaces":
      return indent.replaceAll("\t", () => " ".repeat(shift.width));
    case "toTabs": {
      const spaces = indent.length - indent.replace(/^ +/, "").length;
      const tabs = Math.floor(spaces / shift.width);
      return "\t".repeat(tabs) + indent.slice(tabs * shift.width);
    }
  }
}

/** A text with every line that is not blank shifted; `undefined` where a line has less indentation than is to be removed. */
function shifted(text: string, shift: Shift): string | undefined {
  const parts: string[] = [];
  for (const { from, to, next } of splitLines(text)) {
    const content = trimStart(text, from, to);
    if (content === to) {
      parts.push(text.slice(from, next));
      continue;
    }
    const indent = shiftedIndent(text.slice(from, content), shift);
    if (indent === undefined) return undefined;
    parts.push(indent, text.slice(content, next));
  }
  return parts.join("");
}

function indentOf(line: string): string {
  let end = 0;
  while (end < line.length && isBlank(line.charCodeAt(end))) end++;
  return line.slice(0, end);
}

/** The separators that file views put between the number and the line; a view's blank line may have lost its last blank. */
const viewSeparators = ["\t", "→", ": ", " | "] as const;

/** An old text that was copied from a file view. */
interface Viewed {
  readonly plain: Sought;
  /** 1-based, of its first line. */
  readonly number: number;
  /** One line of `404: notFound` may be no view at all: the number must be the line's. */
  readonly isWeak: boolean;
}

/** Old and new text without view prefixes; `undefined` where not every line of the old text has one, counting up by one. */
function withoutViewPrefix(sought: Sought): Viewed | undefined {
  for (const separator of viewSeparators) {
    const old = splitLines(sought.oldText);
    const ended = old.length > 1 && old.at(-1)?.from === sought.oldText.length;
    const lines = (ended ? old.slice(0, -1) : old).map((line) =>
      prefixOf(sought.oldText.slice(line.from, line.to), separator),
    );
    if (!lines.every((line, i) => line !== undefined && line.number === (lines[0]?.number ?? 0) + i)) continue;
    const plain = { oldText: stripped(sought.oldText, separator), newText: stripped(sought.newText, separator) };
    const isWeak = lines.length === 1 && separator !== "\t" && separator !== "→";
    return { plain, number: lines[0]?.number ?? 0, isWeak };
  }
  return undefined;
}

interface ViewPrefix {
  readonly number: number;
  /** UTF-16 units of the prefix. */
  readonly length: number;
}

function prefixOf(line: string, separator: string): ViewPrefix | undefined {
  const start = trimStart(line, 0, line.length);
  let end = start;
  while (end < line.length && end - start < 9 && isDigit(line.charCodeAt(end))) end++;
  if (end === start) return undefined;
  const number = Number(line.slice(start, end));
  if (line.startsWith(separator, end)) return { number, length: end + separator.length };
  const bare = separator.slice(0, trimEnd(separator, 0, separator.length));
  return line.length === end + bare.length && line.startsWith(bare, end) ? { number, length: line.length } : undefined;
}

const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

/** Lines that have a prefix lose it; lines that a model added without one stay. Their ends do not matter to what is found. */
function stripped(text: string, separator: string): string {
  return splitLines(text)
    .map(({ from, to }) => text.slice(from + (prefixOf(text.slice(from, to), separator)?.length ?? 0), to))
    .join("\n");
}
