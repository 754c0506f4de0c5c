/** How failures show lines, places and differences, and the clauses that are shared by edits and hunks. */
import type { Miswriting } from "../../match/hints/knownMistakes.js";
import type { Difference, DifferenceKind } from "../../match/hints/nearest.js";
import { limits } from "../../text/limits.js";
import { clip, count, type Failure, type NearestRegion, type QuotedLine, quote } from "../failure.js";

/** Places line by line; where their lines are the same, with the line in front of each, which tells them apart. */
export function quoted(lines: readonly QuotedPlace[]): string {
  const same = lines.every(({ text }) => text === lines[0]?.text);
  const oneLine = new Set(lines.map(({ line }) => line)).size < lines.length;
  return lines
    .map(({ line, column, text, above, isWritten }) => {
      const before = same && above !== undefined ? `   (line ${line - 1}: ${clip(above.trim(), 60)})` : "";
      const by = isWritten ? "   (written by an earlier edit of this call)" : before;
      return `\n${line}${oneLine ? `:${column}` : ""}| ${clip(text, 80)}${by}`;
    })
    .join("");
}

/** A place as a failure shows it. */
export interface QuotedPlace extends QuotedLine {
  /** 1-based, in UTF-16 units; shown where several places are in one line. */
  readonly column: number;
  /** Whether an earlier edit of the batch wrote it, so that `line` is only where it wrote. */
  readonly isWritten: boolean;
  /** The line in front of it; `undefined`: there is none, or an earlier edit of the batch wrote it. */
  readonly above: string | undefined;
}

/** What added to an ambiguous old text would leave its first place only. */
export type Disambiguation =
  /** `isIndent`: its indentation is all that it adds. */
  | { readonly kind: "ownLine"; readonly isIndent: boolean }
  /** The place with what stands around it in its line. */
  | { readonly kind: "stretch"; readonly text: string }
  /** The line in front of the place or behind it, with its 1-based number. */
  | {
      readonly kind: "above" | "below";
      readonly line: number;
      /** `false`: the old text starts, or ends, within its line, so that the rest of that line is added, too. */
      readonly isWhole: boolean;
      /** What is added, with all its blanks; of a whole line without the line end between it and the old text. */
      readonly text: string;
    };

/** The advice that makes the first place unique, with a blank behind it; empty where there is none. */
export function sayDisambiguation(telling: Disambiguation | undefined): string {
  switch (telling?.kind) {
    case undefined:
      return "";
    case "ownLine":
      return `The whole line${telling.isIndent ? ", with its indentation," : ""} makes the first of them unique. `;
    case "stretch":
      return `${JSON.stringify(telling.text)} is the first of them alone. `;
    case "above":
    case "below": {
      const { kind, line, isWhole, text } = telling;
      const named = `Line ${line} ${kind} it`;
      if (isWhole) return `${named}, ${JSON.stringify(text)}, makes the first of them unique. `;
      const rest = kind === "above" ? "the start" : "the rest";
      return `${named} and ${rest} of its own line, ${JSON.stringify(text)}, make the first of them unique. `;
    }
  }
}

/** As programs get it. */
export const plainLines = (places: readonly QuotedPlace[]): QuotedLine[] =>
  places.map(({ line, text }) => ({ line, text }));

/** All that is known about a text that was not found, in sentences. */
export function sayAbsence({ elided, miswritten, outdated, nearest }: Omit<Absence, "inBatch">): string[] {
  const isUnknown = nearest.length === 0 && elided === undefined && miswritten === undefined;
  return [
    ...(elided === undefined
      ? []
      : [`Its line ${quote(elided)} stands for left-out code; the file has the code itself.`]),
    ...sayMiswritten(miswritten),
    ...(outdated === undefined
      ? []
      : [`The file had it up to version ${outdated.since}: it was changed in the editor since.`]),
    ...(isUnknown ? ["Nothing similar was found in the file."] : []),
    ...sayNearest(nearest),
  ];
}

/** The same for programs. */
export function placeOf({ nearest, miswritten }: Omit<Absence, "inBatch">): Pick<Failure, "nearest" | "line"> {
  if (nearest[0] !== undefined) return { nearest, line: nearest[0].startLine };
  return miswritten?.line === undefined ? {} : { line: miswritten.line };
}

/** An old text that is written in such a way; with `line` (1-based) where it stands when that is undone. */
export interface KnownMistake {
  readonly kind: Miswriting["kind"];
  /** `undefined`: it stands nowhere even so. */
  readonly line: number | undefined;
}

const miswritings: Readonly<Record<Miswriting["kind"], string>> = {
  escaped:
    "has backslash escapes where the file has the characters themselves: send line breaks, tabs and quotes as they are",
  entities: "has HTML entities such as &lt; where the file has the characters themselves",
  normalized: "has composed characters where the file has decomposed ones, or the other way round",
  view: "starts its lines with the line numbers of a file view, which are not in the file",
  numbered: "starts its lines with the line numbers of a file view, which are not in the file",
  fenced: "has a Markdown fence around it, which is not in the file",
};

function sayMiswritten(miswritten: KnownMistake | undefined): string[] {
  if (miswritten === undefined) return [];
  const { kind, line } = miswritten;
  return [`It ${miswritings[kind]}.${line === undefined ? "" : ` Without that it stands at line ${line}.`}`];
}

/** What is known about an old text that was not found, beyond its absence. */
export interface Absence {
  /** A line of the old text that stands for left-out code, such as `// ...`; `undefined`: none. */
  readonly elided: string | undefined;
  readonly nearest: readonly NearestRegion[];
  /** How the old text is written wrongly, and the 1-based line at which it stands otherwise; `undefined`: in no known way. */
  readonly miswritten: KnownMistake | undefined;
  /** The version up to which the document had the line that the old text has; `undefined`: not known to have had it. */
  readonly outdated: { readonly since: number } | undefined;
  /** Whether earlier edits of the call changed the text that was searched. */
  readonly inBatch: boolean;
}

/** How the first differing line of a region differs, for `sayDifference`. */
export interface SaidDifference extends Omit<Difference, "line"> {
  /** 1-based, as callers count. */
  readonly line: number;
}

const differenceNames: Record<DifferenceKind, string> = {
  lineEndBlanks: "blanks at the line's end differ",
  indentation: "the indentation differs",
  typography: "quotes, dashes or typographic spaces differ",
  innerBlanks: "blanks within the line differ",
  blankLine: "there is a blank line on one side only",
  skippedLine: "the old text leaves out what the file has here",
  partOfLine: "it is only a part of this line",
  quotes: "another kind of quotes",
  leftOut: "from the first line to the last, with the code that was left out",
  beforeLeftOut: "the lines in front of the code that was left out",
  behindLeftOut: "the lines behind the code that was left out",
  case: "upper and lower case differ",
  text: "the text differs",
  missingLine: "the file ends before it",
  missingLineEnd: "the file's last line has no line end",
};

/** Differences of a region as a whole, which no line shows. */
const wholeRegion: ReadonlySet<DifferenceKind> = new Set([
  ...(["missingLine", "missingLineEnd", "partOfLine", "leftOut", "beforeLeftOut", "behindLeftOut"] as const),
]);

/**
 * The first difference of a region in words. `undefined`: its lines are the same, but not as whole lines or in that order.
 * In a region of one line the line's number is not said again.
 */
export function sayDifference(difference: SaidDifference | undefined, region: { readonly lines: number }): string {
  if (difference === undefined) return "the lines are the same, the place within them or their ends are not";
  const { kind, line, column, soughtColumn, sought, found } = difference;
  const name = differenceNames[kind];
  if (wholeRegion.has(kind)) return name;
  if (kind === "blankLine" || kind === "skippedLine") return `line ${line}: ${name}`;
  const where = region.lines === 1 ? "" : `line ${line}, `;
  if (kind === "indentation") {
    const indent = (text: string): string => quote(visibleBlanks(/^\s*/.exec(text)?.[0] ?? ""), 40);
    return `${where.replace(", ", ": ")}${name}, old text ${indent(sought)}, file ${indent(found)} (· a blank, → a tab)`;
  }
  const show = kind === "text" || kind === "case" ? (text: string) => text : visibleBlanks;
  const part = (text: string, at: number): string => {
    const from = wordStart(text, at);
    return quote(`${from > 0 ? "…" : ""}${show(text.slice(from, at + 30))}${at + 30 < text.length ? "…" : ""}`, 70);
  };
  const points = lookalikes(sought.codePointAt(soughtColumn), found.codePointAt(column));
  return `${where}column ${column + 1}: ${name}${points}, old text ${part(sought, soughtColumn)}, file ${part(found, column)}`;
}

/** The code points of two characters that a reader can't tell apart: one can't be seen, or is a letter of another script. */
function lookalikes(sought: number | undefined, found: number | undefined): string {
  const isHidden = (point: number | undefined): boolean =>
    point !== undefined && /\p{Cf}/u.test(String.fromCodePoint(point));
  const isLetter = (point: number): boolean => /\p{L}/u.test(String.fromCodePoint(point));
  const areLetters = sought !== undefined && found !== undefined && isLetter(sought) && isLetter(found);
  const isOtherScript = areLetters && sought < 128 !== found < 128;
  if (!isHidden(sought) && !isHidden(found) && !isOtherScript) return "";
  const name = (point: number | undefined): string =>
    point === undefined ? "nothing" : `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  return ` (the old text has ${name(sought)}, the file ${name(found)})`;
}

/** Where to start quoting a line so that the column is seen in its surroundings: at a word, some 20 units before it. */
function wordStart(text: string, column: number): number {
  if (column <= 24) return 0;
  const space = text.lastIndexOf(" ", column - 12);
  return space > column - 30 ? space + 1 : column - 20;
}

/** A line with the blanks at its two ends made visible. */
function withVisibleEnds(line: string): string {
  const body = line.trim();
  const from = line.indexOf(body);
  return visibleBlanks(line.slice(0, from)) + body + visibleBlanks(line.slice(from + body.length));
}

/** A text with its blanks made visible: `·` a space, `→` a tab, `⍽` any other blank. */
function visibleBlanks(text: string): string {
  return text.replace(/\s/g, (blank) => (blank === " " ? "·" : blank === "\t" ? "→" : "⍽"));
}

/** A line to be shown, without its end. */
export interface ShownLine {
  readonly text: string;
  /** 1-based; `undefined`: an earlier edit of the batch wrote it, so that the text before the batch has no such line. */
  readonly number: number | undefined;
}

/** Lines with their numbers, as a failure shows them, with an ellipsis where there are more; with `blanks: "visible"` those at both ends of a line can be seen. */
export function showLines(
  lines: readonly ShownLine[],
  how: { blanks: "visible" | "plain"; before: boolean; more: boolean },
): string {
  const shown = lines.map(({ text, number }) => {
    const cut = clip(text, limits.quotedLine);
    return `${number ?? "+"}| ${how.blanks === "plain" ? cut : withVisibleEnds(cut)}`;
  });
  return [...(how.before ? ["…"] : []), ...shown, ...(how.more ? ["…"] : [])].join("\n");
}

/** The first region with its lines, the others by their numbers. */
export function sayNearest([first, ...others]: readonly NearestRegion[]): string[] {
  if (first === undefined) return [];
  const named = ({ startLine, endLine }: NearestRegion): string =>
    startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
  const also = others.map((region) => `${named(region)} (${clip(region.difference, 120)})`);
  const rest = also.length === 0 ? "" : `Also near: ${also.join("; ")}.\n`;
  return [`Nearest: ${named(first)} (${first.difference}):\n${clip(first.text, 500)}\n${rest}`];
}

/** Warnings about new texts that look unfinished. */
export const explainWarnings = {
  /** `gone`: the lines for which the edit writes no other ones. */
  elided: ({ index, path, line, gone }: { index: number; path: string; line: string; gone: number }): string =>
    `edit ${index} takes ${count(gone, "line")} away from ${path} and writes ${quote(line)} in their stead, as it is: if that was to stand for them, undo it and send the new text in full`,
} as const;
