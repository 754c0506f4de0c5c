/** Explains why a hunk of a patch could not be placed: its anchor or its lines are missing, or several places fit. */
import { nearestRegions } from "../../match/hints/nearest.js";
import { locateLines } from "../../match/locate.js";
import type { TextIndex } from "../../match/textIndex.js";
import { limits } from "../../text/limits.js";
import { type Draft, lineInBase } from "../draft.js";
import { quotedPlaces } from "../edits/choose.js";
import type { At, Failure } from "../failure.js";
import type { Hunk, HunkLine } from "../operation.js";
import type { MissingAnchor } from "../patch/anchors.js";
import { type HunkProblem, isIdle, isSigned, newLines, oldLines } from "../patch/hunks.js";
import { hunkFailures } from "../patch/sentences.js";
import { absenceOf, quotedRegions } from "./explainEdit.js";
import { lineSentTwice, meantToAdd, onlyPlace, tellingLines } from "./hunkContext.js";

/** The reason a hunk could not be placed, and how much to say about it. */
interface Unplaced {
  readonly problem: HunkProblem;
  readonly lenient: boolean;
  /** `true` if earlier sections changed the text that was searched. */
  readonly inBatch: boolean;
  /** `true` to skip the search for text that resembles the hunk's lines, because too many hunks have failed. */
  readonly isBrief: boolean;
}

/** Returns the failure of a hunk that could not be placed in a draft's text; looks for the reason in steps. */
export function* explainHunk(draft: Draft, hunk: Hunk, how: Unplaced, at: At): Generator<void, Failure> {
  const { problem, lenient, isBrief } = how;
  if (isIdle(hunk)) return yield* explainIdle(draft, hunk, how, at);
  if (isBrief) return hunkFailures.notExplained(at);
  const lines = draft.index.matchedLines;
  const inBase = (line: number): number => lineInBase(draft, lines.start(line));
  const placesAt = (starts: readonly number[]) =>
    quotedPlaces(
      draft,
      starts.map((line) => ({ from: lines.start(line), to: lines.start(line + 1) })),
    );
  const old = oldLines(hunk.lines);
  switch (problem.kind) {
    case "noContext":
      return hunkFailures.noContext(at);
    case "uneven": {
      const absence = yield* absenceOf(draft, old.join("\n"), { wholeLines: true, from: problem.start });
      return hunkFailures.uneven(at, { why: problem.why, absence });
    }
    case "ambiguous": {
      const { rung, length, line, isMixed } = problem;
      const away = (start: number): number => Math.abs(inBase(start) - (line ?? 0));
      const nearest = problem.starts.toSorted((a, b) => away(a) - away(b)).slice(0, limits.matchesShown);
      const starts = isMixed || line === undefined ? problem.starts : nearest.sort((a, b) => a - b);
      // More context below is of no use after an empty line that the file lacks.
      const telling = length === old.length ? tellingLines(draft, { rung, starts, run: old }) : [];
      const anchoring = !lenient
        ? "strict"
        : hunk.anchors.some(({ range }) => range === undefined)
          ? "anchored"
          : "none";
      const shown = { matches: placesAt(starts), line, isMixed, telling, anchoring } as const;
      return hunkFailures.ambiguous(at, { found: problem.starts.length, rung, ...shown });
    }
    case "ambiguousAnchor": {
      const { anchor, rung, starts } = problem;
      const telling = tellingLines(draft, { rung, starts, run: [anchor] });
      return hunkFailures.ambiguousAnchor(at, { anchor, found: starts.length, matches: placesAt(starts), telling });
    }
    case "noAnchor":
      return yield* explainAnchor(draft, hunk, { ...how, problem }, at);
    case "notAtEnd": {
      const own = onlyPlace(draft.index, old);
      return hunkFailures.notAtEnd(at, own === undefined ? undefined : inBase(own));
    }
    case "noLines":
      return yield* explainLines(draft, hunk, { ...how, problem }, at);
  }
}

/** Returns the failure of a hunk that changes nothing. Lines that the file lacks were probably meant to be added. */
function* explainIdle(draft: Draft, hunk: Hunk, { problem, isBrief }: Unplaced, at: At): Generator<void, Failure> {
  const isSought = problem.kind === "noLines" && !isBrief;
  const absence = isSought
    ? yield* absenceOf(draft, idleLines(draft.index, hunk).join("\n"), { wholeLines: true })
    : undefined;
  return hunkFailures.noChange(at, { isSigned: isSigned(hunk), absence, line: undefined });
}

/** Returns the failure of a hunk whose lines are missing. */
function* explainLines(
  draft: Draft,
  hunk: Hunk,
  {
    problem: { behind, from },
    lenient,
    inBatch,
  }: Unplaced & { readonly problem: Extract<HunkProblem, { kind: "noLines" }> },
  at: At,
): Generator<void, Failure> {
  const inBase = (line: number): number => lineInBase(draft, draft.index.matchedLines.start(line));
  const old = oldLines(hunk.lines);
  const done = newLinesAt(draft.index, hunk.lines);
  if (done !== undefined) return hunkFailures.alreadyApplied(at, inBase(done));
  const twice = lineSentTwice(draft.index, hunk.lines);
  if (twice !== undefined) return hunkFailures.sentTwice(at, twice.text, inBase(twice.at));
  const own = behind === undefined ? undefined : onlyPlace(draft.index, old);
  if (behind !== undefined && own !== undefined) return hunkFailures.beforeAnchor(at, behind, inBase(own));
  return hunkFailures.noLines(at, {
    ...(yield* absenceOf(draft, old.join("\n"), { wholeLines: true, from: behind === undefined ? 0 : from })),
    behind: behind ?? (from === 0 ? undefined : inBase(from - 1)),
    everywhere: lenient,
    inBatch,
    anchor: undefined,
    unsigned: meantToAdd(draft, hunk.lines),
  });
}

/** Returns the failure of a hunk whose anchor is missing. If its lines are missing, too, these matter more. */
function* explainAnchor(
  draft: Draft,
  hunk: Hunk,
  { problem, inBatch }: Unplaced & { readonly problem: MissingAnchor },
  at: At,
): Generator<void, Failure> {
  const { index } = draft;
  const inBase = (line: number): number => lineInBase(draft, index.matchedLines.start(line));
  const { anchor, from } = problem;
  const old = oldLines(hunk.lines);
  if (old.length > 0 && locateLines(index, old, { from: 0, most: 1, lenient: true }) === undefined) {
    const done = newLinesAt(index, hunk.lines);
    if (done !== undefined) return hunkFailures.alreadyApplied(at, inBase(done));
    return hunkFailures.noLines(at, {
      ...(yield* absenceOf(draft, old.join("\n"), { wholeLines: true })),
      behind: undefined,
      everywhere: true,
      inBatch,
      anchor,
      unsigned: meantToAdd(draft, hunk.lines),
    });
  }
  const own = onlyPlace(index, old);
  return hunkFailures.noAnchor(at, {
    anchor,
    behind: from === 0 ? undefined : inBase(from - 1),
    linesAt: own === undefined ? undefined : inBase(own),
    nearest: quotedRegions(draft, nearestRegions(index, anchor, { wholeLines: true })),
  });
}

/** Returns an idle hunk's lines as meant: if they lack signs, their first space is a part of the line. */
function idleLines(index: TextIndex, hunk: Hunk): string[] {
  const read = oldLines(hunk.lines);
  if (isSigned(hunk)) return read;
  const written = hunk.lines.map(({ text, unsignedAt }) =>
    unsignedAt === undefined && text !== "" ? ` ${text}` : text,
  );
  const known = (lines: readonly string[]): number =>
    lines.filter((line) => index.lineTable("nothing").find([line], { from: 0, most: 1 }).length > 0).length;
  return known(written) > known(read) ? written : read;
}

/** Like `onlyPlace`, but for the new lines of a hunk; `undefined` if no added line contains a letter or digit. */
function newLinesAt(index: TextIndex, lines: readonly HunkLine[]): number | undefined {
  const isTelling = lines.some(({ kind, text }) => kind === "add" && /[\p{L}\p{N}]/u.test(text));
  if (!isTelling) return undefined;
  return onlyPlace(index, newLines(lines));
}
