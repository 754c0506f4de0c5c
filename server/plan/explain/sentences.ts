/** Formats the lines, matches and differences that failures show, and clauses shared by edit and hunk failures. */

import type { Difference, DifferenceKind } from "../../match/hints/difference.js";
import type { Miswriting } from "../../match/hints/knownMistakes.js";
import { limits } from "../../text/limits.js";
import { clip, count, type Failure, type NearestRegion, type QuotedLine, quote } from "../failure.js";

/** Shows matches line by line; if they are identical, with a line that only one has near it or the line above. */
export function quoted(lines: readonly QuotedPlace[]): string {
  const same = lines.every(({ text }) => text === lines[0]?.text);
  const oneLine = new Set(lines.map(({ line }) => line)).size < lines.length;
  return lines
    .map(({ line, column, text, above, only, isWritten }) => {
      const beside = above === undefined ? "" : `   (line ${line - 1}: ${clip(above.trim(), 60)})`;
      const telling =
        only === undefined ? beside : `   (only here: line ${only.line} ${only.side}: ${clip(only.text, 60)})`;
      const before = same ? telling : "";
      const by = isWritten ? "   (written by an earlier edit of this call)" : before;
      return `\n${line}${oneLine ? `:${column}` : ""}| ${clip(text, 80)}${by}`;
    })
    .join("");
}

/** A match, as shown in a failure. */
export interface QuotedPlace extends QuotedLine {
  /** 1-based, in UTF-16 code units; shown if several matches are on one line. */
  readonly column: number;
  /** `true` if an earlier edit of the batch wrote this text; `line` is then the first line that the edit replaced. */
  readonly isWritten: boolean;
  /** The line above the match; `undefined` if there is none, or if an earlier edit of the batch wrote that line. */
  readonly above: string | undefined;
  /** The nearest line that no other match has at the same distance; `undefined` if there is none. */
  readonly only: TellingLine | undefined;
}

/** A line above or below a match that no other match has at the same distance. */
export interface TellingLine extends QuotedLine {
  readonly side: "above" | "below";
}

/** An addition to an ambiguous old text that rules out all but its first match. */
export type Disambiguation =
  /** The match's whole line. `isIndent`: `true` if only the line's indentation is added. */
  | { readonly kind: "ownLine"; readonly isIndent: boolean }
  /** The match with some of the surrounding text on its line. */
  | { readonly kind: "stretch"; readonly text: string }
  /** The line above or below the match, with its 1-based number. */
  | {
      readonly kind: "above" | "below";
      readonly line: number;
      /** `false` if the old text starts or ends within a line, so that the rest of that line is added, too. */
      readonly isWhole: boolean;
      /** The added text with its whitespace; of a whole line, without the line ending next to the old text. */
      readonly text: string;
    };

/** Returns a sentence that says how to make the first match unique, followed by a space; empty if no way is known. */
export function sayDisambiguation(telling: Disambiguation | undefined): string {
  switch (telling?.kind) {
    case undefined:
      return "";
    case "ownLine":
      return `Adding ${telling.isIndent ? "the line's indentation" : "the rest of the line"} would make the first match unique. `;
    case "stretch":
      return `${JSON.stringify(telling.text)} occurs only at the first match. `;
    case "above":
    case "below": {
      const { kind, line, isWhole, text } = telling;
      const added = `Adding line ${line}, directly ${kind} the first match,`;
      if (isWhole) return `${added} would make it unique: ${JSON.stringify(text)}. `;
      const rest = kind === "above" ? "the start" : "the rest";
      return `${added} and ${rest} of the match's own line would make it unique: ${JSON.stringify(text)}. `;
    }
  }
}

/** Converts matches to the form in which failures list them for programs. */
export const plainLines = (places: readonly QuotedPlace[]): QuotedLine[] =>
  places.map(({ line, text }) => ({ line, text }));

/** Returns sentences about a text that was not found: its known mistakes, and the regions that resemble it most. */
export function sayAbsence({ elided, miswritten, outdated, nearest, occurring }: Omit<Absence, "inBatch">): string[] {
  const isUnknown = nearest.length === 0 && elided === undefined && miswritten === undefined && occurring.length === 0;
  return [
    ...(elided === undefined
      ? []
      : [`Its line ${quote(elided)} stands in for left-out code; the file contains the actual code.`]),
    ...sayMiswritten(miswritten),
    ...(outdated === undefined
      ? []
      : [`The file had this text up to version ${outdated.since}; it has since been changed in the editor.`]),
    ...(isUnknown ? ["Nothing similar was found in the file."] : []),
    ...sayOccurring(occurring),
    ...sayNearest(nearest),
  ];
}

function sayOccurring(runs: readonly SaidLines[]): string[] {
  if (runs.length === 0) return [];
  const named = (line: number, count: number): string => sayLines(Array.from({ length: count }, (_, i) => line + i));
  const said = runs.map(({ sought, line, count, text }) => {
    const shown = count === 1 ? quote(text, 120) : `from ${quote(text, 120)} on`;
    return `${named(sought, count)} of it at ${named(line, count)} (${shown})`;
  });
  return [`Only parts of it occur in the file: ${said.join("; ")}.`];
}

/** Returns a failure's fields for programs: nearest regions, line, and the column of a correctable mistake. */
export function placeOf({
  nearest,
  miswritten,
  occurring,
}: Omit<Absence, "inBatch">): Pick<Failure, "nearest" | "line" | "column"> {
  if (nearest[0] !== undefined) return { nearest, line: nearest[0].startLine };
  const found = miswritten?.found;
  if (found !== undefined) return { nearest: [found.region], line: found.region.startLine, column: found.column };
  return occurring[0] === undefined ? {} : { line: occurring[0].line };
}

/** A known mistake that was found in an old text. */
export interface KnownMistake {
  readonly kind: Miswriting["kind"];
  /** The lines where the corrected text occurs, and its 1-based column; `undefined` if it does not occur. */
  readonly found: { readonly region: NearestRegion; readonly column: number } | undefined;
}

const miswritings: Readonly<Record<Miswriting["kind"], string>> = {
  escaped:
    "contains backslash escapes where the file has the actual characters: send line breaks, tabs and quotes unescaped",
  entities: "contains HTML entities such as &lt; where the file has the actual characters",
  normalized: "contains precomposed characters where the file has decomposed ones, or vice versa",
  view: "starts its lines with line numbers from a file view, which are not in the file",
  numbered: "starts its lines with line numbers from a file view, which are not in the file",
  marked:
    "contains the marks · and →, with which messages show spaces and tabs, where the file has the actual characters",
  fenced: "is wrapped in a Markdown code fence, which is not in the file",
};

function sayMiswritten(miswritten: KnownMistake | undefined): string[] {
  if (miswritten === undefined) return [];
  const { kind, found } = miswritten;
  const where = found === undefined ? "" : ` With that corrected, it occurs at line ${found.region.startLine}.`;
  return [`It ${miswritings[kind]}.${where}`];
}

/** Returns what a known mistake changes, as the difference of the region where the corrected text occurs. */
export const sayMistake = (kind: Miswriting["kind"]): string => `the old text ${miswritings[kind]}`;

/** All clues to the place that a missing old text was meant to match. */
export interface Absence {
  /** A line of the old text that stands for left-out code, such as `// ...`; `undefined` if there is none. */
  readonly elided: string | undefined;
  readonly nearest: readonly NearestRegion[];
  /** `undefined` if the old text contains no known kind of mistake. */
  readonly miswritten: KnownMistake | undefined;
  /** The last version that still contained the line that differs; `undefined` if none is known. */
  readonly outdated: { readonly since: number } | undefined;
  /** Lines of the old text that occur in the file; empty if there is any other clue. */
  readonly occurring: readonly SaidLines[];
  /** `true` if earlier edits of the call changed the text that was searched. */
  readonly inBatch: boolean;
}

/** A run of lines of the old text that occurs in the file; all numbers are 1-based. `text`: the first of these lines. */
export interface SaidLines {
  readonly text: string;
  readonly sought: number;
  readonly line: number;
  readonly count: number;
}

/** The first difference of a region, for `sayDifference`. */
export interface SaidDifference extends Omit<Difference, "line"> {
  /** 1-based. */
  readonly line: number;
}

const differenceNames: Record<DifferenceKind, string> = {
  lineEndBlanks: "trailing whitespace differs",
  indentation: "the indentation differs",
  typography: "quotes, dashes or typographic spaces differ",
  unevenIndentation: "the indentation differs",
  lineBreaks: "line breaks, and possibly letter case, whitespace or the width of characters, differ",
  innerBlanks: "whitespace within the line differs",
  extraBlankLine: "the old text has an empty line here that the file lacks",
  missingBlankLine: "the file has an empty line here that the old text lacks",
  extraLine: "the old text has a line before this one that the file lacks",
  skippedLine: "the old text omits what the file has here",
  partOfLine: "only part of this line matches",
  quotes: "the quote style differs",
  leftOut: "from the first line to the last, including the left-out code",
  beforeLeftOut: "the lines before the left-out code",
  behindLeftOut: "the lines after the left-out code",
  parts: "only some lines of the old text are here",
  case: "letter case differs",
  text: "the text differs",
  missingLine: "the file ends before the old text does",
};

/** Differences that concern the region as a whole, rather than one of its lines. */
const wholeRegion: ReadonlySet<DifferenceKind> = new Set([
  ...(["missingLine", "partOfLine", "lineBreaks", "leftOut", "beforeLeftOut", "behindLeftOut", "parts"] as const),
]);

/**
 * Describes the first difference of a region in words. If `difference` is `undefined`, the lines are the same, and only
 * their line endings, or the text's position within them, differ. For a one-line region, the line number is omitted.
 */
export function sayDifference(difference: SaidDifference | undefined, region: { readonly lines: number }): string {
  if (difference === undefined)
    return "the lines are the same, apart from their line endings or the text's position within them";
  const { kind, line, column, soughtColumn, sought, found } = difference;
  const name = differenceNames[kind];
  if (wholeRegion.has(kind)) return name;
  if (kind === "extraLine") return `line ${line}: ${name}, ${quote(sought.trim())}`;
  if (kind === "extraBlankLine" || kind === "missingBlankLine" || kind === "skippedLine")
    return `line ${line}: ${name}`;
  const where = region.lines === 1 ? "" : `line ${line}, `;
  if (kind === "indentation" || kind === "unevenIndentation") {
    const indent = (text: string): string => quote(visibleBlanks(/^\s*/.exec(text)?.[0] ?? ""), 40);
    const both = `old text ${indent(sought)}, file ${indent(found)} (· is a space, → is a tab)`;
    return `${where.replace(", ", ": ")}${name}; ${both}${sayUneven(difference.uneven ?? [])}`;
  }
  const show = kind === "text" || kind === "case" ? (text: string) => text : visibleBlanks;
  const part = (text: string, at: number): string => {
    const from = wordStart(text, at);
    return quote(`${from > 0 ? "…" : ""}${show(text.slice(from, at + 30))}${at + 30 < text.length ? "…" : ""}`, 70);
  };
  const points = lookalikes(sought.codePointAt(soughtColumn), found.codePointAt(column));
  return `${where}column ${column + 1}: ${name}${points}; old text ${part(sought, soughtColumn)}, file ${part(found, column)}`;
}

/** Says which lines (1-based) have other indentation in the file, if nothing else differs and no shift explains it. */
function sayUneven(lines: readonly number[]): string {
  if (lines.length === 0) return "";
  return lines.length === 1
    ? "; nothing else differs"
    : `; nothing else differs, but ${sayLines(lines)} have no shift in common`;
}

/** Names lines by their 1-based numbers, as in `lines 2-4, 7`; a long list is cut. */
function sayLines(sorted: readonly number[]): string {
  const runs: { from: number; to: number }[] = [];
  for (const line of sorted) {
    const last = runs.at(-1);
    if (last !== undefined && last.to === line - 1) last.to = line;
    else runs.push({ from: line, to: line });
  }
  const shown = runs.slice(0, 6).map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  return `${sorted.length === 1 ? "line" : "lines"} ${shown.join(", ")}${runs.length > 6 ? ", …" : ""}`;
}

/** Names two code points if one is invisible, or if both are letters and only one is ASCII; otherwise returns "". */
function lookalikes(sought: number | undefined, found: number | undefined): string {
  const isHidden = (point: number | undefined): boolean =>
    point !== undefined && /\p{Cf}/u.test(String.fromCodePoint(point));
  const isLetter = (point: number): boolean => /\p{L}/u.test(String.fromCodePoint(point));
  const areLetters = sought !== undefined && found !== undefined && isLetter(sought) && isLetter(found);
  const isOtherScript = areLetters && sought < 128 !== found < 128;
  if (!isHidden(sought) && !isHidden(found) && !isOtherScript) return "";
  const name = (point: number | undefined): string =>
    point === undefined ? "nothing" : `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  return ` (the old text has ${name(sought)}, the file has ${name(found)})`;
}

/**
 * Returns the UTF-16 offset where an excerpt of a line should start in order to show a column: 0 if the column is near
 * the start of the line, otherwise about 20 units before the column, at the start of a word if possible.
 */
function wordStart(text: string, column: number): number {
  if (column <= 24) return 0;
  const space = text.lastIndexOf(" ", column - 12);
  return space > column - 30 ? space + 1 : column - 20;
}

/** Returns a line with its leading and trailing whitespace made visible. */
function withVisibleEnds(line: string): string {
  const body = line.trim();
  const from = line.indexOf(body);
  return visibleBlanks(line.slice(0, from)) + body + visibleBlanks(line.slice(from + body.length));
}

/** Returns a text with its whitespace made visible: `·` for a space, `→` for a tab, `⍽` for any other whitespace. */
function visibleBlanks(text: string): string {
  return text.replace(/\s/g, (blank) => (blank === " " ? "·" : blank === "\t" ? "→" : "⍽"));
}

/** A line to show, without its line ending. */
export interface ShownLine {
  readonly text: string;
  /** 1-based, in the text before the batch; `undefined` if an earlier edit of the batch wrote the line. */
  readonly number: number | undefined;
}

/** Shows lines with numbers, and an ellipsis for omitted ones. `blanks: "visible"` shows outer whitespace. */
export function showLines(
  lines: readonly ShownLine[],
  how: { blanks: "visible" | "plain"; before: boolean; more: boolean },
): string {
  const shown = lines.map(({ text, number }) => {
    const cut = clip(text, limits.nearestLine);
    return `${number ?? "+"}| ${how.blanks === "plain" ? cut : withVisibleEnds(cut)}`;
  });
  return [...(how.before ? ["…"] : []), ...shown, ...(how.more ? ["…"] : [])].join("\n");
}

/** Shows the first region in full, and only the line numbers and differences of the others. */
export function sayNearest([first, ...others]: readonly NearestRegion[]): string[] {
  if (first === undefined) return [];
  const named = ({ startLine, endLine }: NearestRegion): string =>
    startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`;
  const also = others.map((region) => `${named(region)} (${clip(region.difference, 120)})`);
  const rest = also.length === 0 ? "" : `Also similar: ${also.join("; ")}.\n`;
  return [`Nearest match: ${named(first)} (${first.difference}):\n${clip(first.text, limits.nearestText)}\n${rest}`];
}

/** Warnings about new texts that look unfinished. */
export const explainWarnings = {
  /** `line`: 1-based, in the text before the batch. */
  emptyLine: ({ index, path, line }: { index: number; path: string; line: number }): string =>
    `edit ${index} leaves an empty line in place of line ${line} of ${path}: to delete the line itself, include its line ending in the old text`,
  /** `gone`: the number of removed lines that no new lines replace. */
  elided: ({ index, path, line, gone }: { index: number; path: string; line: string; gone: number }): string =>
    `edit ${index} removes ${count(gone, "line")} from ${path} and writes ${quote(line)} literally instead: if this line stands in for the removed code, undo the edit and send the new text in full`,
} as const;
