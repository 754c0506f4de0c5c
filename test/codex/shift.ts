/** Indents added lines if the old lines matched only because indentation was ignored. */
import { trimBlanks, trimBlanksEnd } from "./blanks.js";
import type { PatchLine } from "./grammar.js";

/**
 * A function that turns indentation in a patch into indentation in a file; it returns `undefined` if it does not apply.
 */
type Way = (indent: string) => string | undefined;

/**
 * Returns a hunk's lines, with the added lines indented to suit the file. A single function must turn each old line's
 * indentation into that of the matching line in the file; if there is no such function, or it does not apply to an
 * added line, the lines stay unchanged.
 */
export function shiftedLines(lines: readonly PatchLine[], fileLines: readonly string[]): readonly PatchLine[] {
  const pairs = lines
    .filter(({ sign }) => sign !== "+")
    .map(({ text }, i) => ({ text, old: indentOf(text), file: indentOf(fileLines[i] ?? "") }))
    .filter(({ text }) => trimBlanks(text) !== "");
  const hasSigns = lines.some(({ sign, text }) => sign === "-" && trimBlanks(text) !== "");
  const way = waysFor(pairs, hasSigns).find((one) => pairs.every(({ old, file }) => one(old) === file));
  if (way === undefined || pairs.every(({ old, file }) => old === file)) return lines;
  const moved = lines.map((line) => (line.sign === "+" ? { ...line, text: indented(line.text, way) } : line));
  return moved.every((line): line is PatchLine => line.text !== undefined) ? moved : lines;
}

interface Pair {
  readonly old: string;
  readonly file: string;
}

function waysFor(pairs: readonly Pair[], hasSigns: boolean): Way[] {
  const [first] = pairs;
  if (first === undefined) return [];
  const ways: Way[] = [];
  const more = first.file.slice(0, first.file.length - first.old.length);
  const less = first.old.slice(0, first.old.length - first.file.length);
  // One extra space suggests a context line that has lost its sign, unless some lines have a minus sign.
  if (more !== "" && (more !== " " || hasSigns)) ways.push((indent) => more + indent);
  if (less !== "") ways.push((indent) => (indent.startsWith(less) ? indent.slice(less.length) : undefined));
  for (let width = 1; width <= 16; width++) {
    if (pairs.some(({ old }) => old.includes("\t"))) ways.push((indent) => indent.replaceAll("\t", " ".repeat(width)));
    if (pairs.some(({ file }) => file.includes("\t"))) ways.push((indent) => inTabs(indent, width, pairs));
  }
  return ways;
}

/**
 * Replaces each full width of spaces with a tab. Any remaining spaces are alignment, which some old line must also
 * have.
 */
function inTabs(indent: string, width: number, pairs: readonly Pair[]): string | undefined {
  const restOf = (text: string): number => (/^ */.exec(text)?.[0].length ?? 0) % width;
  const rest = restOf(indent);
  if (rest !== 0 && !pairs.some(({ old }) => restOf(old) === rest)) return undefined;
  const tabs = Math.floor((/^ */.exec(indent)?.[0].length ?? 0) / width);
  return "\t".repeat(tabs) + indent.slice(tabs * width);
}

function indented(line: string, way: Way): string | undefined {
  if (trimBlanks(line) === "") return line;
  const indent = indentOf(line);
  const moved = way(indent);
  return moved === undefined ? undefined : moved + line.slice(indent.length);
}

function indentOf(line: string): string {
  const text = trimBlanksEnd(line);
  return text.slice(0, text.length - trimBlanks(text).length);
}
