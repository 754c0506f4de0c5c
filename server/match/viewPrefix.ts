/** The rung that ignores the line numbers of a file view. */
import { isAllBlank, lineTexts, trimEnd, trimStart } from "../text/chars.js";
import type { Found, Reshape, Sought } from "./place.js";
import type { TextIndex } from "./textIndex.js";
import { anywhere, candidates, span, wholeLines } from "./wholeLines.js";

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

/** Reports whether a line is in the document with its number, which then belongs to it, as a list's may. */
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

/** Removes a view's line numbers, for hints; `undefined` for a single line, or if less than half have one. */
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

/** Returns the first new line, if all have a view's numbers and the old ones none, nor `texts` that were seen. */
export function strayNumber({ oldText, newText }: Sought, texts: () => readonly string[]): string | undefined {
  const view = viewOf(newText, { mayRepeat: true });
  if (view === undefined) return undefined;
  const { number, isWeak, reshape } = view;
  const { separator } = reshape;
  const isNumbered = (line: string): boolean => prefixOf(line, separator) !== undefined;
  const old = lineTexts(oldText);
  if (old.some(isNumbered)) return undefined;
  const [first = "", ...others] = old.map((line) => line.trim()).filter((line) => line !== "");
  const plain = stripped(newText, reshape);
  if (isAllBlank(plain)) return undefined;
  const sent = new Set(lineTexts(plain).map((line) => line.trim()));
  const isShared = !isWeak && [first, ...others].some((line) => line !== "" && sent.has(line));
  // Code and data have such lines, too, after a colon or alone; but not with the number that the line has in the file.
  const isSure = separator === hashed || !(separator === ": " || isWeak);
  const isOf = (text: string): boolean => {
    const lines = lineTexts(text);
    const near = lines.slice(Math.max(0, number - 2), number + 1);
    return !lines.some(isNumbered) && (isSure || (first !== "" && near.some((line) => line.includes(first))));
  };
  return isShared || texts().some(isOf) ? lineTexts(newText)[0] : undefined;
}

/** Stands for the separators of a view that puts a hash of each line after its number: `12:a3|`. */
const hashed = ":#|";

/** The separators after a number in file views. On an empty line, their whitespace may be missing. */
const viewSeparators = ["\t", "→", ": ", " | ", "| ", hashed] as const;

/** The properties of an old text that was copied from a file view. */
interface Viewed {
  readonly reshape: Extract<Reshape, { kind: "unview" }>;
  /** The 1-based number of the first line. */
  readonly number: number;
  /** `true` for a single line, such as `404: notFound`: its number must be the document's. */
  readonly isWeak: boolean;
}

/** Recognises a file view: all lines have numbers that are consecutive or, with `mayRepeat`, do not fall. */
function viewOf(text: string, { mayRepeat = false } = {}): Viewed | undefined {
  for (const separator of viewSeparators) {
    const lines = wholeLines(text).lines.map((line) => prefixOf(line, separator));
    const isNext = (number: number, i: number): boolean =>
      mayRepeat ? number >= (lines[i - 1]?.number ?? 0) : number === (lines[0]?.number ?? 0) + i;
    if (!lines.every((line, i) => line !== undefined && isNext(line.number, i))) continue;
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

function prefixOf(line: string, view: string): ViewPrefix | undefined {
  const start = trimStart(line);
  let end = start;
  while (end < line.length && end - start < 9 && isDigit(line.charCodeAt(end))) end++;
  if (end === start) return undefined;
  const number = Number(line.slice(start, end));
  const separator = view === hashed ? (/^:[0-9a-z]{2,4}\|/i.exec(line.slice(end, end + 6))?.[0] ?? view) : view;
  if (line.startsWith(separator, end)) return { number, start, end, length: end + separator.length };
  const bare = separator.slice(0, trimEnd(separator));
  return line.length === end + bare.length && line.startsWith(bare, end)
    ? { number, start, end, length: line.length }
    : undefined;
}

const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;

/** Removes the prefix from lines whose number fits the view's column; a model's own lines stay as they are. */
export function stripped(text: string, view: Extract<Reshape, { kind: "unview" }>): string {
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
