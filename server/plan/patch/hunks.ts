/** Finds the places of a section's hunks in the text before the section, like Codex, but without guessing. */
import { type LineHits, locateLines } from "../../match/locate.js";
import { isRunAt } from "../../match/looseLines.js";
import type { RungName } from "../../match/rungs.js";
import type { TextIndex } from "../../match/textIndex.js";
import { isAllBlank } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import type { Anchor, Hunk, HunkLine } from "../operation.js";
import { type Followed, findAnchors, followAnchors, type MissingAnchor, passAnchors } from "./anchors.js";

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
  /** The text of an anchor that is not a line of the file and was ignored; `undefined` if there is none. */
  readonly ignored?: string;
  /** Matches before the earlier hunks, which only the order of the hunks rules out; `undefined` if there are none. */
  readonly twins?: readonly number[];
}

/** The reason a hunk can't be placed. Line numbers are 0-based. */
export type HunkProblem =
  | MissingAnchor
  | { readonly kind: "noLines"; readonly from: number; readonly behind: string | undefined }
  | { readonly kind: "notAtEnd" }
  /** An insertion whose only context is a line number that does not determine its exact place. */
  | { readonly kind: "noContext" }
  | {
      readonly kind: "ambiguous";
      readonly starts: readonly number[];
      /** The number of lines that each match has. */
      readonly length: number;
      /** The loosest rung that found any of them. */
      readonly rung: RungName;
      /** The hunk's 1-based line number, which does not decide; `undefined` if the hunk has none. */
      readonly line?: number | undefined;
      /** `true` if some of the matches were found on a stricter rung, before the line where the search starts. */
      readonly isMixed: boolean;
    }
  /** An insertion after an anchor that occurs several times. */
  | {
      readonly kind: "ambiguousAnchor";
      readonly anchor: string;
      readonly starts: readonly number[];
      readonly rung: RungName;
    }
  /**
   * A place where the added lines' indentation is unknown: the removed lines beside them disagree, an added line can't
   * be shifted like them, or the added lines may already have the file's indentation.
   */
  | { readonly kind: "uneven"; readonly start: number; readonly why: "disagreement" | "misfit" | "unclear" };

/** The values shared by all hunks of a section. */
export interface HunkGround {
  readonly index: TextIndex;
  /** `true` to also try what Codex does not try, such as placing hunks out of order. */
  readonly lenient: boolean;
  /** Converts a 0-based line of `index` to a 1-based line of the text before the batch. */
  readonly baseLine: (line: number) => number;
  /** The UTF-16 code units that may still be searched for lines that begin with an anchor. */
  readonly left: { units: number };
}

/**
 * Searches for a hunk. `cursor`: the 0-based line after the earlier hunks. With `lenient`, the first rung that finds the
 * lines anywhere decides, and then the hunk's line number, its anchors and the order of the hunks must leave one match.
 */
export function findHunk(ground: HunkGround, hunk: Hunk, cursor: number): HunkPlace | HunkProblem {
  const { index, lenient } = ground;
  const anchored = followAnchors(index, hunk.anchors, cursor, lenient);
  const hint = lenient ? hunk.anchors.find(({ range }) => range !== undefined)?.range : undefined;
  if (oldLines(hunk.lines).length === 0) return placeInsertion(ground, hunk, anchored, hint);
  if (!lenient) return findAsCodex(ground, hunk, anchored);
  const again = followAnchors(index, hunk.anchors, 0, lenient);
  if (again.kind === "noAnchor") return findDespiteAnchor(ground, hunk) ?? again;
  // If an anchor also occurs before the cursor, that occurrence may be the one that is meant. A hunk's first old line may
  // repeat its anchor.
  const start = again.last === undefined ? 0 : again.line - 1;
  const from = Math.max(cursor, start);
  const inOrder = anchored.kind === "behind" ? findLines(ground, hunk, from) : undefined;
  const isPlaced = again.last !== undefined || hint !== undefined || hunk.atEnd;
  const gap = anchored.kind === "behind" && inOrder?.starts.length !== 1 && isPlaced ? withoutGap(hunk) : undefined;
  if (gap !== undefined) return placeInsertion(ground, gap, anchored, hint);
  const inReach = hunk.atEnd || start === from ? inOrder : findLines(ground, hunk, start);
  if (inReach === undefined) return notFound(hunk, anchored.kind === "behind" ? anchored : again);
  const anywhere = hunk.atEnd || start === 0 ? inReach : (findLines(ground, hunk, 0) ?? inReach);
  return decide(ground, { inOrder, inReach, anywhere, from, line: hint?.line });
}

/** Searches for a hunk as Codex does, but takes the first of several matches only after an anchor. */
function findAsCodex(ground: HunkGround, hunk: Hunk, anchored: Followed): HunkPlace | HunkProblem {
  if (anchored.kind === "noAnchor") return anchored;
  const hits = findLines(ground, hunk, anchored.line);
  if (hits === undefined) return notFound(hunk, anchored);
  return hits.starts.length === 1 || anchored.last !== undefined ? placeAt(hits, hits.starts[0]) : ambiguous(hits);
}

function notFound(hunk: Hunk, { line, last }: Followed & { readonly kind: "behind" }): HunkProblem {
  return hunk.atEnd ? { kind: "notAtEnd" } : { kind: "noLines", from: line, behind: last?.text };
}

/** Places a hunk whose anchor is no line, if its lines occur only once: in the file, or after the only start. */
function findDespiteAnchor(ground: HunkGround, hunk: Hunk): HunkPlace | undefined {
  const isTelling = hunk.lines.some(
    ({ kind, text }) => (kind === "remove" && !isAllBlank(text)) || (kind === "context" && /[\p{L}\p{N}]/u.test(text)),
  );
  const passed = isTelling ? passAnchors(ground, hunk.anchors) : undefined;
  if (passed === undefined) return undefined;
  const { ignored, line, isSkipped } = passed;
  const anywhere = { ...hunk, atEnd: false };
  const hits = findLines(ground, anywhere, Math.max(0, line - 1));
  if (hits?.starts.length !== 1) return undefined;
  const inFile = findLines(ground, anywhere, 0);
  if (inFile?.rung !== hits.rung || (isSkipped && inFile.starts.length !== 1)) return undefined;
  const place = placeAt(hits, hits.starts[0]);
  const isAtEnd = place.start + place.length === ground.index.lineTable("nothing").lineCount;
  return hunk.atEnd && !isAtEnd ? undefined : { ...place, ignored };
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
    const range = { from, only, most: limits.hunkPlaces, lenient };
    const hits = run.length === 0 ? undefined : locateLines(index, run, range);
    // If the file already has the hunk's new lines there, the empty lines that it lacks are no reason to add them again.
    const result = newLines(left);
    const adds = left.some(({ kind, text }) => kind === "add" && /[\p{L}\p{N}]/u.test(text));
    const isTried = lenient && left !== lines && adds && result.length > run.length;
    const isDone = isTried && hits?.starts.some((start) => isRunAt(index, start, result)) === true;
    if (hits !== undefined && !isDone) return { ...hits, lines: left };
  }
  return undefined;
}

/** Returns, as one attempt, the lines without trailing empty context; none if fewer than two, or nothing else. */
function withoutLastBlanks(lines: readonly HunkLine[]): (readonly HunkLine[])[] {
  const end = lines.findLastIndex(({ kind, text }) => kind !== "context" || text !== "") + 1;
  return end > 0 && end < lines.length - 1 ? [lines.slice(0, end)] : [];
}

/** Drops an insertion's trailing empty lines, a gap in the patch perhaps. `undefined` if there are none. */
function withoutGap(hunk: Hunk): Hunk | undefined {
  const end = hunk.lines.findLastIndex(({ kind, text }) => kind !== "context" || text !== "") + 1;
  const lines = hunk.lines.slice(0, end);
  const isInsertion = end > 0 && end < hunk.lines.length && lines.every(({ kind }) => kind === "add");
  return isInsertion ? { ...hunk, lines } : undefined;
}

/** Returns a hunk without its last old line, if that is empty and may be a gap; otherwise `undefined`. */
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

/** What is known about a hunk's place. Each list of matches is on the first rung that finds any. */
interface Clues {
  /** The matches after the earlier hunks and the hunk's anchors: from the 0-based line `from` on. */
  readonly inOrder: HunkHits | undefined;
  readonly from: number;
  /** The matches after the hunk's anchors. */
  readonly inReach: HunkHits;
  readonly anywhere: HunkHits;
  /** The hunk's line number, which decides only if a match is exactly there. */
  readonly line: number | undefined;
}

function decide(ground: HunkGround, { inOrder, inReach, anywhere, from, line }: Clues): HunkPlace | HunkProblem {
  const isInOrder = inOrder !== undefined && isAlike(inOrder, inReach);
  const before = inReach.starts.filter((start) => start < from);
  const all = isInOrder ? [...before, ...inOrder.starts] : inReach.starts;
  // The anchor is for the looser lines, and the whitespace for the stricter ones.
  if (!isAlike(anywhere, inReach)) return ambiguous(inReach, { line, stricter: anywhere.starts });
  const named = namedBy(ground, all, line);
  if (named.length === 1) return placeAt(inReach, named[0]!);
  // Here it is the order.
  if (inOrder !== undefined && !isInOrder) return ambiguous(inOrder, { line, stricter: before });
  const left = isInOrder && line === undefined ? inOrder.starts : all;
  if (left.length > 1) return ambiguous({ ...inReach, starts: left }, { line });
  return { ...placeAt(inReach, left[0]!), ...(isInOrder && before.length > 0 ? { twins: before } : {}) };
}

/** Reports whether two searches found the same lines on the same rung. */
const isAlike = (one: HunkHits, other: HunkHits): boolean =>
  one.rung === other.rung && one.lines.length === other.lines.length;

/** Returns the lines that are at a 1-based line of the text before the batch; none if it is `undefined`. */
function namedBy({ baseLine }: HunkGround, starts: readonly number[], line: number | undefined): readonly number[] {
  return line === undefined ? [] : starts.filter((start) => baseLine(start) === line);
}

function placeAt({ rung, lines }: HunkHits, start: number): HunkPlace {
  const { length } = oldLines(lines);
  return { kind: "place", start, length, lines, rung, next: start + length };
}

function ambiguous(
  { rung, lines, starts }: Pick<HunkHits, "rung" | "lines"> & { readonly starts: readonly number[] },
  { line, stricter = [] }: { readonly line?: number | undefined; readonly stricter?: readonly number[] } = {},
): HunkProblem {
  const { length } = oldLines(lines);
  const isMixed = stricter.length > 0;
  return { kind: "ambiguous", starts: [...stricter, ...starts], length, rung, line, isMixed };
}

/** Places a hunk without old lines: after its anchor, or else at its line number, or else at the end of the file. */
function placeInsertion(
  ground: HunkGround,
  hunk: Hunk,
  anchored: Followed,
  hint: Anchor["range"],
): HunkPlace | HunkProblem {
  const { index, lenient, baseLine } = ground;
  const { lineCount } = index.lineTable("nothing");
  const insertAt = (start: number): HunkPlace => {
    // After an insertion at the end of the file, the next hunk is still searched for after the anchor, if there is one.
    const next = anchored.kind === "behind" ? anchored.line : start;
    return { kind: "place", start, length: 0, lines: hunk.lines, rung: undefined, next };
  };
  const insertAfter = ({ text }: Anchor, { rung, starts: found }: LineHits): HunkPlace | HunkProblem => {
    const named = namedBy(ground, found, hint?.line);
    const [start, second] = named.length === 1 ? named : found;
    return start === undefined || second !== undefined
      ? { kind: "ambiguousAnchor", anchor: text, starts: found, rung }
      : insertAt(start + 1);
  };
  // The order of the hunks does not decide among several lines that are the same as the anchor.
  const again = lenient ? followAnchors(index, hunk.anchors, 0, true) : anchored;
  if (again.kind === "noAnchor") return again;
  const { line, last } = again;
  if (last !== undefined && (!hunk.atEnd || anchored.kind === "noAnchor")) {
    const hits = lenient ? findAnchors(index, last, line - 1) : undefined;
    return hits === undefined ? insertAt(line) : insertAfter(last, hits);
  }
  if (hunk.atEnd || hint === undefined) return insertAt(lineCount);
  // Only an empty range determines the exact place of the insertion, and earlier sections may have moved that place.
  const isMoved = hint.line > lineCount || (hint.line > 0 && baseLine(hint.line - 1) !== hint.line);
  return hint.count !== 0 || isMoved ? { kind: "noContext" } : insertAt(hint.line);
}
