/**
 * Finds the places of a section's hunks in the text as it was before the section. Works like Codex, but never guesses.
 */
import { type LineHits, locateLines } from "../../match/locate.js";
import type { RungName } from "../../match/rungs.js";
import type { TextIndex } from "../../match/textIndex.js";
import { limits } from "../../text/limits.js";
import type { Anchor, Hunk, HunkLine } from "../operation.js";

/** The place of a hunk. Line numbers are 0-based and refer to the text that is searched for the section's hunks. */
export interface HunkPlace {
  readonly kind: "place";
  /** The first line that the hunk replaces or keeps; for an insertion, the line before which lines are inserted. */
  readonly start: number;
  /** The number of lines that the hunk replaces or keeps; 0 for an insertion. */
  readonly length: number;
  /** The hunk's lines, minus trailing empty lines that the text does not have. */
  readonly lines: readonly HunkLine[];
  /** `undefined` for an insertion, for which nothing is compared. */
  readonly rung: RungName | undefined;
  /** The line at which the search for the next hunk starts, unless an earlier hunk's `next` is greater. */
  readonly next: number;
}

/** The reason a hunk can't be placed. Line numbers are 0-based. */
export type HunkProblem =
  | { readonly kind: "noAnchor"; readonly anchor: string; readonly from: number }
  | { readonly kind: "noLines"; readonly from: number; readonly behind: string | undefined }
  | { readonly kind: "notAtEnd" }
  /** An insertion whose only context is a line number that does not determine its exact place. */
  | { readonly kind: "noContext" }
  | {
      readonly kind: "ambiguous";
      readonly starts: readonly number[];
      readonly rung: RungName;
      readonly near?: number | undefined;
    };

/** The values shared by all hunks of a section. */
export interface HunkGround {
  readonly index: TextIndex;
  /** `true` to also try what Codex does not try, such as placing hunks out of order. */
  readonly lenient: boolean;
  /** Converts a 0-based line of `index` to a 1-based line of the text before the batch. */
  readonly baseLine: (line: number) => number;
}

/**
 * Searches for a hunk, starting at line `cursor` (0-based), the line after the earlier hunks. Accepts an out-of-order
 * place only if it is the only one, or the one nearest to the hunk's line number. First makes the attempts that Codex
 * makes, in Codex's order.
 */
export function findHunk(ground: HunkGround, hunk: Hunk, cursor: number): HunkPlace | HunkProblem {
  const { index, lenient } = ground;
  const anchored = followAnchors(index, hunk.anchors, cursor, lenient);
  const hint = lenient ? hunk.anchors.find(({ range }) => range !== undefined)?.range : undefined;
  if (oldLines(hunk.lines).length === 0) return placeInsertion(ground, hunk, anchored, hint);
  if (anchored.kind === "behind") {
    const { line, isNarrowed } = anchored;
    const hits = findLines(ground, hunk, line);
    const isClear = hits !== undefined && (isNarrowed || hits.starts.length === 1);
    const gap = lenient && !isClear ? withoutGap(hunk) : undefined;
    if (gap !== undefined) return placeInsertion(ground, gap, anchored, hint);
    if (hits !== undefined) return decide(ground, hits, { first: isNarrowed, near: hint?.line });
    // The hunk's first old line may repeat the anchor.
    const onAnchor = lenient && isNarrowed ? findLines(ground, hunk, line - 1) : undefined;
    if (onAnchor !== undefined) return decide(ground, onAnchor, { first: true, near: undefined });
  }
  const elsewhere = lenient && !hunk.atEnd ? findOutOfOrder(ground, hunk) : undefined;
  if (elsewhere !== undefined) return decide(ground, elsewhere, { first: false, near: hint?.line });
  if (anchored.kind === "noAnchor") return anchored;
  if (hunk.atEnd) return { kind: "notAtEnd" };
  return { kind: "noLines", from: anchored.line, behind: anchored.isNarrowed ? hunk.anchors.at(-1)?.text : undefined };
}

/** Returns the lines of a hunk that must be in the text: context and removed lines. */
export function oldLines(lines: readonly HunkLine[]): string[] {
  return lines.flatMap(({ kind, text }) => (kind === "add" ? [] : [text]));
}

/** Returns the lines that a hunk leaves in the text: context and added lines. */
export function newLines(lines: readonly HunkLine[]): string[] {
  return lines.flatMap(({ kind, text }) => (kind === "remove" ? [] : [text]));
}

/** Reports whether a hunk would change nothing in any file, because its old and new lines are the same. */
export function isIdle({ lines }: Hunk): boolean {
  const [old, next] = [oldLines(lines), newLines(lines)];
  return old.length === next.length && old.every((text, i) => text === next[i]);
}

/** Turns all lines of an idle hunk into context, so that it writes nothing even if the file's whitespace differs. */
export function asContext(hunk: Hunk): Hunk {
  return { ...hunk, lines: oldLines(hunk.lines).map((text) => ({ kind: "context", text })) };
}

/** Reports whether a hunk has any removed or added lines. */
export function isSigned({ lines }: Hunk): boolean {
  return lines.some(({ kind }) => kind !== "context");
}

type Followed =
  /** `line`: the 0-based line at which the search starts. `isNarrowed`: `true` if an anchor was found. */
  | { readonly kind: "behind"; readonly line: number; readonly isNarrowed: boolean }
  | Extract<HunkProblem, { kind: "noAnchor" }>;

/** Finds a hunk's anchors. Each is a whole line, searched for after the previous anchor's line. */
function followAnchors(index: TextIndex, anchors: readonly Anchor[], from: number, lenient: boolean): Followed {
  let line = from;
  let isNarrowed = false;
  for (const anchor of anchors) {
    const found = findAnchor(index, anchor, line, lenient);
    if (found !== undefined) {
      line = found + 1;
      isNarrowed = true;
    } else if (!lenient || anchor.range === undefined) return { kind: "noAnchor", anchor: anchor.text, from: line };
  }
  return { kind: "behind", line, isNarrowed };
}

function findAnchor(index: TextIndex, { text }: Anchor, from: number, lenient: boolean): number | undefined {
  const range = { from, most: 1 };
  const literal = locateLines(index, [text], range)?.starts[0];
  // Some models close the anchor with `@@`, as a unified diff closes its line numbers.
  const isClosed = lenient && literal === undefined && text.endsWith(" @@");
  return isClosed ? locateLines(index, [text.slice(0, -3)], range)?.starts[0] : literal;
}

/** The starts that were found, and the hunk's lines without any empty ones that had to be dropped to find a match. */
interface HunkHits extends LineHits {
  readonly lines: readonly HunkLine[];
}

/** Finds a hunk's old lines at or after a line. If they do not match, retries without trailing empty lines. */
function findLines({ index, lenient }: HunkGround, { lines, atEnd }: Hunk, from: number): HunkHits | undefined {
  const shorter = withoutLastBlank(lines);
  const attempts = [lines, ...(shorter === undefined ? [] : [shorter]), ...(lenient ? withoutLastBlanks(lines) : [])];
  for (const left of attempts) {
    const run = oldLines(left);
    const only = atEnd ? Math.max(from, index.lineTable("nothing").lineCount - run.length) : undefined;
    const hits = run.length === 0 ? undefined : locateLines(index, run, { from, only, most: limits.hunkPlaces });
    if (hits !== undefined) return { ...hits, lines: left };
  }
  return undefined;
}

/**
 * Returns, as a list of one attempt, the lines without their trailing empty context lines; an empty list if there are
 * fewer than two of these, or no other lines.
 */
function withoutLastBlanks(lines: readonly HunkLine[]): (readonly HunkLine[])[] {
  const end = lines.findLastIndex(({ kind, text }) => kind !== "context" || text !== "") + 1;
  return end > 0 && end < lines.length - 1 ? [lines.slice(0, end)] : [];
}

/**
 * Drops an insertion's trailing empty lines, which may be just a gap in the patch. Returns `undefined` if it has none,
 * or if the hunk is not an insertion.
 */
function withoutGap(hunk: Hunk): Hunk | undefined {
  const end = hunk.lines.findLastIndex(({ kind, text }) => kind !== "context" || text !== "") + 1;
  const lines = hunk.lines.slice(0, end);
  const isInsertion = end > 0 && end < hunk.lines.length && lines.every(({ kind }) => kind === "add");
  return isInsertion ? { ...hunk, lines } : undefined;
}

/**
 * Returns a hunk's lines without the last old line if that line is empty. Returns `undefined` if that line is not
 * empty, or if it is a context line that can't be just a gap at the hunk's end, because added lines follow it or it is
 * the only line.
 */
function withoutLastBlank(lines: readonly HunkLine[]): readonly HunkLine[] | undefined {
  const at = lines.findLastIndex(({ kind }) => kind !== "add");
  const last = lines[at];
  if (last === undefined || last.text !== "") return undefined;
  if (last.kind === "context") return at === lines.length - 1 && at > 0 ? lines.slice(0, -1) : undefined;
  const left = lines.toSpliced(at, 1);
  const newAt = left.findLastIndex(({ kind }) => kind !== "remove");
  const lastNew = left[newAt];
  if (lastNew?.text !== "") return left;
  // The new lines also end with an empty line: drop that one, too.
  return lastNew.kind === "add" ? left.toSpliced(newAt, 1) : left.toSpliced(newAt, 1, { kind: "remove", text: "" });
}

/** Chooses a place: with `first`, the first one; otherwise the only one, or the one nearest to `near`. */
function decide(
  { baseLine }: HunkGround,
  hits: HunkHits,
  { first, near }: { readonly first: boolean; readonly near: number | undefined },
): HunkPlace | HunkProblem {
  const { rung, lines } = hits;
  let starts: readonly number[] = hits.starts;
  if (!first && near !== undefined) {
    const distances = starts.map((start) => Math.abs(baseLine(start) - near));
    const least = distances.reduce((a, b) => Math.min(a, b));
    starts = starts.filter((_, i) => distances[i] === least);
  }
  const [start, second] = starts;
  if (start === undefined || (!first && second !== undefined)) return { kind: "ambiguous", starts, rung, near };
  const { length } = oldLines(lines);
  return { kind: "place", start, length, lines, rung, next: start + length };
}

/** Searches the whole text for places of a hunk that start on the last anchor's line or after it. */
function findOutOfOrder(ground: HunkGround, hunk: Hunk): HunkHits | undefined {
  const anchored = followAnchors(ground.index, hunk.anchors, 0, true);
  if (anchored.kind === "noAnchor") return undefined;
  // The hunk's first old line may repeat the last anchor.
  return findLines(ground, hunk, Math.max(0, anchored.line - (anchored.isNarrowed ? 1 : 0)));
}

/** Places a hunk without old lines: after its anchor, or else at its line number, or else at the end of the file. */
function placeInsertion(
  { index, lenient, baseLine }: HunkGround,
  hunk: Hunk,
  anchored: Followed,
  hint: Anchor["range"],
): HunkPlace | HunkProblem {
  const { lineCount } = index.lineTable("nothing");
  const insertAt = (start: number): HunkPlace => {
    // After an insertion at the end of the file, the next hunk is still searched for after the anchor, if there is one.
    const next = anchored.kind === "behind" ? anchored.line : start;
    return { kind: "place", start, length: 0, lines: hunk.lines, rung: undefined, next };
  };
  if (anchored.kind === "noAnchor") {
    const last = hunk.anchors.at(-1);
    const outer = lenient ? followAnchors(index, hunk.anchors.slice(0, -1), 0, true) : anchored;
    if (outer.kind === "noAnchor" || last === undefined) return anchored;
    const hits = locateLines(index, [last.text], { from: outer.line, most: limits.hunkPlaces });
    if (hits === undefined) return anchored;
    return hits.starts.length > 1 ? { kind: "ambiguous", ...hits } : insertAt(hits.starts[0] + 1);
  }
  if (anchored.isNarrowed && !hunk.atEnd) return insertAt(anchored.line);
  if (hunk.atEnd || hint === undefined) return insertAt(lineCount);
  // Only an empty range determines the exact place of the insertion, and earlier sections may have moved that place.
  const isMoved = hint.line > lineCount || (hint.line > 0 && baseLine(hint.line - 1) !== hint.line);
  return hint.count !== 0 || isMoved ? { kind: "noContext" } : insertAt(hint.line);
}
