/** Finds the regions of a document that most resemble a text that was not found, and the first difference in each. */
import { trimStart } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { firstIndex } from "../../text/lines.js";
import { findAll } from "../search/findAll.js";
import type { TextIndex } from "../textIndex.js";
import { indentOf, wholeLines as linesOf, shiftOfLines } from "../wholeLines.js";
import { align, pairsNear } from "./alignment.js";
import { type Difference, type DifferenceKind, kindOf, lineDifference, type Region } from "./difference.js";

/** Limits on the work. `votesPerWord`, for example, limits how many occurrences of a word may vote. */
const bounds = {
  votesPerLine: 40,
  soughtLines: 1_000,
  words: 8,
  votesPerWord: 40,
  pieceUnits: 4,
  ranked: 40,
  comparedUnits: 600,
  /** For each of the `startsMoved` best candidates, the `linesInFront` lines before it become candidates, too. */
  startsMoved: 10,
  linesInFront: 3,
} as const;

/** The sought text, split into lines. */
export interface SoughtLines {
  readonly lines: readonly string[];
  /** `true` if the sought text ends with a line ending. */
  readonly isEnded: boolean;
  /** Number of empty or whitespace-only lines that precede `lines` in the sought text. */
  readonly blanksInFront: number;
  /** `true` if the sought text must match whole lines; otherwise, it may start and end within a line. */
  readonly wholeLines: boolean;
}

/**
 * Returns at most `limits.nearestShown` regions, the most similar first; none if nothing resembles the old text. Of
 * regions that are about as similar, those at or after line `from` (0-based, of `matchedLines`) come first.
 */
export function nearestRegions(
  index: TextIndex,
  oldText: string,
  { wholeLines = false, from = 0 }: { readonly wholeLines?: boolean; readonly from?: number } = {},
): Region[] {
  const { lines: all, ended: isEnded } = linesOf(oldText);
  const blanks = exceptBlankLines(index, all);
  if (blanks !== undefined) return [blanks];
  const first = all.findIndex((line) => line.trim() !== "");
  const blanksInFront = Math.max(0, first);
  const lines = all.slice(blanksInFront);
  const sought: SoughtLines = { lines, isEnded, blanksInFront, wholeLines };
  const scored = candidatesOf(index, lines).map(({ start, isVoted }) => {
    const aligned = align(index, start, lines);
    const score = Math.max(aligned.score, isVoted ? similarity(index, start, lines) : 0);
    return { start, aligned, score };
  });
  const enough = Math.max(0.5, 0.8 * Math.max(...scored.map(({ score }) => score)));
  const near = scored.filter(({ score }) => score >= enough);
  near.sort((a, b) => Number(a.start < from) - Number(b.start < from) || b.score - a.score || a.start - b.start);
  const regions: Region[] = [];
  for (const { start, aligned } of near) {
    if (regions.length === limits.nearestShown) break;
    const found =
      (aligned.hasGap ? regionWithGap(index, start, aligned.lines) : undefined) ?? regionAt(index, start, sought);
    const region = alongPairs(index, found, { sought, pairs: pairsNear(index, start, lines) });
    if (regions.every((other) => region.startLine > other.endLine || region.endLine < other.startLine))
      regions.push(region);
  }
  return regions;
}

/**
 * Extends a region to the document's lines with which the old text's lines align. If the old text's first line aligns with
 * another line than the region's first, the region starts there, and its difference is the first one along the alignment.
 */
function alongPairs(
  index: TextIndex,
  region: Region,
  { sought, pairs }: { readonly sought: SoughtLines; readonly pairs: readonly (number | undefined)[] },
): Region {
  const paired = pairs.flatMap((line, i) => (line === undefined ? [] : [{ line, i }]));
  const [first, last] = [paired[0], paired.at(-1)];
  if (first === undefined || last === undefined || first === last) return region;
  const startLine = ownLine(index, Math.max(0, first.line - first.i));
  const endLine = Math.max(region.endLine, ownLine(index, Math.min(last.line, index.matchedLines.lineCount - 1)));
  if (startLine === region.startLine || sought.lines.length < 2) return { ...region, endLine };
  const differs = paired.find(({ line, i }, k) => {
    const before = paired[k - 1];
    const isNext = before === undefined ? i === 0 : before.line + 1 === line && before.i + 1 === i;
    return !isNext || index.matchedLines.content(line).trim() !== sought.lines[i]?.trim();
  });
  if (differs === undefined) return { ...region, startLine: Math.min(startLine, region.startLine), endLine };
  return {
    startLine,
    endLine,
    difference: differenceAt(index, sought, { ...differs, before: paired[paired.indexOf(differs) - 1] }),
  };
}

/** Returns the difference of a pair of lines, or that of the lines between it and the pair before. */
function differenceAt(
  index: TextIndex,
  { lines: sought }: SoughtLines,
  { line, i, before }: { line: number; i: number; before: { readonly line: number; readonly i: number } | undefined },
): Difference {
  const skipped = Array.from({ length: before === undefined ? 0 : line - before.line - 1 }, (_, k) => line - 1 - k);
  const extra = sought.slice(before === undefined ? 0 : before.i + 1, i).find((text) => text.trim() !== "");
  const own = ownLine(index, line);
  if (extra !== undefined) return { ...lineDifference("extraLine", own), sought: extra };
  const isBlank = (at: number): boolean => index.matchedLines.content(at).trim() === "";
  const [first = line] = skipped.toReversed();
  if (skipped.length > 0)
    return lineDifference(
      skipped.every(isBlank) ? "missingBlankLine" : "skippedLine",
      ownLine(index, skipped.toReversed().find((at) => !isBlank(at)) ?? first),
    );
  const [wanted, found] = [sought[i] ?? "", index.matchedLines.content(line)];
  if (wanted.trim() === found.trim()) return lineDifference("extraBlankLine", own);
  return { kind: kindOf(wanted, found), line: own, ...parting(wanted, found), sought: wanted, found };
}

/** Returns the lines where a region may start: those with the most votes, and those just before the best of them. */
function candidatesOf(index: TextIndex, sought: readonly string[]): { start: number; isVoted: boolean }[] {
  const votes = voteByLines(index, sought);
  // If too many lines share the highest vote, the longest words of the old text vote, too.
  const best = Math.max(0, ...votes.values());
  const isVague = [...votes.values()].filter((vote) => vote === best).length > limits.nearestShown;
  if (votes.size === 0 || isVague) voteByParts(index, longestWords(sought), votes);
  if (votes.size === 0) voteByParts(index, shortPieces(sought), votes);
  const voted = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, bounds.ranked);
  const starts = new Map(voted.map(([start]) => [start, true]));
  if (sought.length > 1) {
    for (const [start] of voted.slice(0, bounds.startsMoved)) {
      for (let by = 1; by <= bounds.linesInFront && by <= start; by++) {
        if (!starts.has(start - by)) starts.set(start - by, false);
      }
    }
  }
  return [...starts].map(([start, isVoted]) => ({ start, isVoted }));
}

/** Returns the region from `start` with extra lines between those of the old text, and no difference before. */
function regionWithGap(index: TextIndex, start: number, at: readonly (number | undefined)[]): Region | undefined {
  const lines = index.matchedLines;
  const gap = at.findIndex((line, i) => line !== start + i);
  const found = at[gap];
  const end = at.findLast((line) => line !== undefined);
  if (found === undefined || end === undefined) return undefined;
  const skipped = Array.from({ length: found - start - gap }, (_, i) => start + gap + i);
  const line = skipped.find((one) => lines.content(one).trim() !== "");
  const difference = lineDifference(
    line === undefined ? "missingBlankLine" : "skippedLine",
    ownLine(index, line ?? start + gap),
  );
  return { startLine: ownLine(index, start), endLine: ownLine(index, end), difference };
}

/** Returns the only region that differs from the sought lines just in empty lines; `undefined` if not just one. */
function exceptBlankLines(index: TextIndex, sought: readonly string[]): Region | undefined {
  const wanted = sought.flatMap((line, i) => (line.trim() === "" ? [] : [{ line: line.trim(), i }]));
  const [first] = wanted;
  if (first === undefined || sought.length < 2 || wanted.length > bounds.soughtLines) return undefined;
  const lines = index.matchedLines;
  const found: Region[] = [];
  for (const start of index.lineTable("blanks").find([first.line], { from: 0, most: bounds.votesPerLine })) {
    let at = start;
    let differs: { readonly kind: DifferenceKind; readonly at: number } | undefined = hasBlanksInFront(
      index,
      start,
      first.i,
    )
      ? undefined
      : { kind: "extraBlankLine", at: start };
    const isHere = wanted.every(({ line, i }, k) => {
      if (k === 0) return true;
      const gap = i - (wanted[k - 1]?.i ?? 0);
      let next = at + 1;
      while (next < lines.lineCount && lines.content(next).trim() === "") next++;
      if (next - at !== gap) differs ??= { kind: next - at > gap ? "missingBlankLine" : "extraBlankLine", at: at + 1 };
      at = next;
      return next < lines.lineCount && lines.content(next).trim() === line;
    });
    if (!isHere || differs === undefined) continue;
    const difference = lineDifference(differs.kind, ownLine(index, differs.at));
    found.push({ startLine: ownLine(index, start), endLine: ownLine(index, at), difference });
  }
  return found.length === 1 ? found[0] : undefined;
}

/** Reports whether at least `count` empty or whitespace-only lines precede a line. */
function hasBlanksInFront(index: TextIndex, line: number, count: number): boolean {
  for (let at = line - count; at < line; at++) if (at < 0 || index.matchedLines.content(at).trim() !== "") return false;
  return true;
}

/** Lets each sought line vote, at each of its occurrences, for the line where the old text would have to start. */
function voteByLines(index: TextIndex, sought: readonly string[]): Map<number, number> {
  const table = index.lineTable("blanks");
  const votes = new Map<number, number>();
  for (const [i, line] of sought.slice(0, bounds.soughtLines).entries()) {
    if (!/[\p{L}\p{N}]/u.test(line)) continue;
    const weight = Math.min(40, line.trim().length);
    for (const at of table.find([line], { from: 0, most: bounds.votesPerLine })) addVote(votes, at - i, weight);
  }
  return votes;
}

/** A part of the old text, and the 0-based number of the line that contains it. */
type SoughtPart = readonly [text: string, line: number];

/** Returns the longest words of the old text; they may occur in the document even if no whole line does. */
function longestWords(sought: readonly string[]): SoughtPart[] {
  const words = new Map<string, number>();
  for (const [i, line] of sought.slice(0, 50).entries()) {
    for (const word of line.slice(0, 1000).match(/[\p{L}\p{N}_$]{3,64}/gu) ?? [])
      if (!words.has(word)) words.set(word, i);
  }
  return [...words].sort((a, b) => b[0].length - a[0].length).slice(0, bounds.words);
}

/** Returns pieces of the first line with a letter or digit, which are searched for if no word is found. */
function shortPieces(sought: readonly string[]): SoughtPart[] {
  const i = sought.findIndex((line) => /[\p{L}\p{N}]/u.test(line));
  const line = (sought[i] ?? "").trim().slice(0, bounds.comparedUnits);
  const step = Math.max(1, Math.floor((line.length - bounds.pieceUnits) / bounds.words));
  const pieces: SoughtPart[] = [];
  for (let at = 0; at + bounds.pieceUnits <= line.length; at += step)
    pieces.push([line.slice(at, at + bounds.pieceUnits), i]);
  return pieces;
}

function voteByParts(index: TextIndex, parts: readonly SoughtPart[], votes: Map<number, number>): void {
  for (const [part, i] of parts) {
    let at = index.text.indexOf(part);
    for (let n = 0; at !== -1 && n < bounds.votesPerWord; n++) {
      addVote(votes, index.matchedLines.lineAt(at) - i, part.length);
      at = index.text.indexOf(part, at + part.length);
    }
  }
}

function addVote(votes: Map<number, number>, line: number, weight: number): void {
  if (line >= 0) votes.set(line, (votes.get(line) ?? 0) + weight);
}

/** Returns which fraction (0 to 1) of adjacent pairs two texts share, apart from whitespace. */
function similarity(index: TextIndex, start: number, sought: readonly string[]): number {
  const lines = index.matchedLines;
  const end = Math.min(lines.lineCount, start + sought.length) - 1;
  const found = pairsOf(
    index.text.slice(
      lines.start(start),
      Math.min(lines.contentEnd(end), lines.start(start) + 4 * bounds.comparedUnits),
    ),
  );
  const wanted = pairsOf(sought.join("\n").slice(0, 4 * bounds.comparedUnits));
  let shared = 0;
  for (const [pair, count] of wanted.pairs) shared += Math.min(count, found.pairs.get(pair) ?? 0);
  // If only one line is sought, a longer line of the document is not penalised for its length.
  return shared / Math.max(1, sought.length === 1 ? wanted.total : Math.max(wanted.total, found.total));
}

function pairsOf(text: string): { pairs: Map<string, number>; total: number } {
  const dense = text.replace(/\s/g, "").slice(0, bounds.comparedUnits);
  const pairs = new Map<string, number>();
  for (let i = 0; i + 1 < dense.length; i++) {
    const pair = dense.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return { pairs, total: Math.max(0, dense.length - 1) };
}

/** Converts a line number of `matchedLines` to the number that the document's editor uses; both are 0-based. */
const ownLine = (index: TextIndex, line: number): number => index.lines.lineAt(index.matchedLines.start(line));

/** Returns the region that starts at a 0-based line of `matchedLines`, and its first difference. */
export function regionAt(index: TextIndex, start: number, sought: SoughtLines): Region {
  const lines = index.matchedLines;
  const last = Math.min(lines.lineCount, start + sought.lines.length) - 1;
  // The empty text after a final line ending is not a line.
  const end = last > start && lines.start(last) === index.text.length ? last - 1 : last;
  const [startLine, endLine] = [ownLine(index, start), ownLine(index, end)];
  const first = firstDifference(index, start, sought) ?? restOfLine(index, start, sought);
  const difference = first?.kind === "indentation" ? unevenDifference(index, start, { first, sought }) : first;
  if (difference !== undefined) return { startLine, endLine, difference };
  if (!hasBlanksInFront(index, start, sought.blanksInFront))
    return { startLine, endLine, difference: lineDifference("extraBlankLine", startLine) };
  return { startLine, endLine, difference: undefined };
}

/** Returns a difference in indentation as an uneven one, if nothing else differs and no single shift explains it. */
function unevenDifference(
  index: TextIndex,
  start: number,
  { first, sought }: { readonly first: Difference; readonly sought: SoughtLines },
): Difference {
  const found = sought.lines.map((_, i) =>
    index.matchedLines.content(Math.min(start + i, index.matchedLines.lineCount - 1)),
  );
  const isUneven =
    sought.lines.every((line, i) => line.trim() === found[i]?.trim()) &&
    shiftOfLines(sought.lines, found) === undefined;
  if (!isUneven) return first;
  const differing = found.flatMap((line, i) =>
    line.trim() === "" || indentOf(line) === indentOf(sought.lines[i] ?? "") ? [] : [ownLine(index, start + i)],
  );
  return { ...first, kind: "unevenIndentation", uneven: differing };
}

function firstDifference(index: TextIndex, start: number, sought: SoughtLines): Difference | undefined {
  const lines = index.matchedLines;
  const { lines: all, wholeLines } = sought;
  for (const [i, wanted] of all.entries()) {
    const line = start + i;
    const missing = { kind: "missingLine", line: index.lines.lineCount - 1, column: 0, soughtColumn: 0 } as const;
    const isBehindEnd = line >= lines.lineCount - 1 && lines.start(line) === index.text.length && wanted.trim() !== "";
    if (line >= lines.lineCount || isBehindEnd) return { ...missing, sought: wanted, found: "" };
    const found = lines.content(line);
    if (found === wanted || (!wholeLines && isPartOf(found, i, sought))) continue;
    const columns = all.length === 1 ? partingWithin(wanted, found) : parting(wanted, found);
    const isPart =
      wholeLines && all.length === 1 && wanted.trim() !== found.trim() && findAll(found, wanted, 1).length > 0;
    return {
      kind: isPart ? "partOfLine" : kindOf(wanted, found),
      line: ownLine(index, line),
      ...columns,
      sought: wanted,
      found,
    };
  }
  return undefined;
}

/** Reports whether `found` has line `i` of the old text: its first line at the end, the last one at the start. */
function isPartOf(found: string, i: number, { lines, isEnded, blanksInFront }: SoughtLines): boolean {
  const wanted = lines[i] ?? "";
  if (lines.length === 1) return findAll(found, wanted, 1).length > 0;
  if (wanted === "") return false;
  if (i === 0) return blanksInFront === 0 && trimStart(wanted) === 0 && found.endsWith(wanted);
  return i === lines.length - 1 && !isEnded && found.startsWith(wanted);
}

/** Returns the difference if the sought text is one line and the document's goes on; otherwise `undefined`. */
function restOfLine(
  index: TextIndex,
  start: number,
  { lines: sought, isEnded, wholeLines }: SoughtLines,
): Difference | undefined {
  const [wanted = ""] = sought;
  if (wholeLines) return undefined;
  const found = index.matchedLines.content(start);
  if (!isEnded || sought.length !== 1 || found.endsWith(wanted)) return undefined;
  const column = found.indexOf(wanted) + wanted.length;
  const line = ownLine(index, start);
  return { kind: "text", line, column, soughtColumn: wanted.length, sought: wanted, found };
}

interface Parting {
  readonly column: number;
  readonly soughtColumn: number;
}

/** Returns the columns at which two lines diverge, ignoring their indentation. */
function parting(wanted: string, found: string): Parting {
  const start = trimStart(wanted);
  const foundStart = trimStart(found);
  let same = 0;
  while (start + same < wanted.length && wanted[start + same] === found[foundStart + same]) same++;
  return { column: foundStart + same, soughtColumn: start + same };
}

/** Like `parting`, but for a sought text that may begin anywhere in the line. */
function partingWithin(wanted: string, found: string): Parting {
  const most = Math.min(wanted.length, bounds.comparedUnits);
  const low = firstIndex(most, (length) => !found.includes(wanted.slice(0, length)), 1) - 1;
  const own = parting(wanted, found);
  return low > own.soughtColumn ? { column: found.indexOf(wanted.slice(0, low)) + low, soughtColumn: low } : own;
}
