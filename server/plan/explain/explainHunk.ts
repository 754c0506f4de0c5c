/** Explains why a hunk of a patch could not be placed: its anchor or its lines are missing, or several places fit. */
import { nearestRegions } from "../../match/hints/nearest.js";
import { locateLines } from "../../match/locate.js";
import type { TextIndex } from "../../match/textIndex.js";
import { type Draft, lineInBase } from "../draft.js";
import { quotedPlaces } from "../edits/choose.js";
import type { At, Failure } from "../failure.js";
import type { Hunk, HunkLine } from "../operation.js";
import { type HunkProblem, isIdle, isSigned, newLines, oldLines } from "../patch/hunks.js";
import { hunkFailures } from "../patch/sentences.js";
import { disambiguateHunk } from "./disambiguation.js";
import { absenceOf, quotedRegion } from "./explainEdit.js";

/** The reason a hunk could not be placed, and how much to say about it. */
interface Unplaced {
  readonly problem: HunkProblem;
  readonly lenient: boolean;
  /** `true` to skip the search for text that resembles the hunk's lines, because too many hunks have failed. */
  readonly isBrief: boolean;
}

/** Returns the failure of a hunk that could not be placed in a draft's text; looks for the reason in steps. */
export function* explainHunk(
  draft: Draft,
  hunk: Hunk,
  { problem, lenient, isBrief }: Unplaced,
  at: At,
): Generator<void, Failure> {
  if (isIdle(hunk)) {
    // The place of an idle hunk does not matter, but if the file lacks its lines, they were probably meant to be added.
    const isSought = problem.kind === "noLines" && !isBrief;
    const absence = isSought
      ? yield* absenceOf(draft, oldLines(hunk.lines).join("\n"), { wholeLines: true })
      : undefined;
    return hunkFailures.noChange(at, { isSigned: isSigned(hunk), absence, line: undefined });
  }
  if (isBrief) return hunkFailures.notExplained(at);
  const lines = draft.index.matchedLines;
  const inBase = (line: number): number => lineInBase(draft, lines.start(line));
  const old = oldLines(hunk.lines);
  switch (problem.kind) {
    case "noContext":
      return hunkFailures.noContext(at);
    case "ambiguous": {
      const places = problem.starts.map((line) => ({ from: lines.start(line), to: lines.start(line + 1) }));
      const { rung, starts, near } = problem;
      const shown = {
        matches: quotedPlaces(draft, places),
        near,
        telling: disambiguateHunk(draft, { rung, starts, length: old.length }),
      };
      return hunkFailures.ambiguous(at, { found: starts.length, rung, ...shown });
    }
    case "noAnchor": {
      const own = old.length === 0 ? undefined : onlyPlace(draft.index, old);
      return hunkFailures.noAnchor(at, {
        anchor: problem.anchor,
        behind: problem.from === 0 ? undefined : inBase(problem.from - 1),
        linesAt: own === undefined ? undefined : inBase(own),
        nearest: nearestRegions(draft.index, problem.anchor, { wholeLines: true }).map((region) =>
          quotedRegion(draft, region),
        ),
      });
    }
    case "notAtEnd": {
      const own = onlyPlace(draft.index, old);
      return hunkFailures.notAtEnd(at, own === undefined ? undefined : inBase(own));
    }
    case "noLines": {
      const done = newLinesAt(draft.index, hunk.lines);
      if (done !== undefined) return hunkFailures.alreadyApplied(at, inBase(done));
      const { behind, from } = problem;
      const own = behind === undefined ? undefined : onlyPlace(draft.index, old);
      if (behind !== undefined && own !== undefined) return hunkFailures.beforeAnchor(at, behind, inBase(own));
      return hunkFailures.noLines(at, {
        behind: behind ?? (from === 0 ? undefined : inBase(from - 1)),
        everywhere: lenient,
        ...(yield* absenceOf(draft, old.join("\n"), { wholeLines: true })),
        inBatch: !draft.change.isEmpty,
      });
    }
  }
}

/** Returns the 0-based line where a run of lines starts in the text; `undefined` unless the run occurs exactly once. */
function onlyPlace(index: TextIndex, run: readonly string[]): number | undefined {
  const hits = run.length === 0 ? undefined : locateLines(index, run, { from: 0, most: 2 });
  return hits?.starts.length === 1 ? hits.starts[0] : undefined;
}

/** Like `onlyPlace`, but for the new lines of a hunk; `undefined` if no added line contains a letter or digit. */
function newLinesAt(index: TextIndex, lines: readonly HunkLine[]): number | undefined {
  const isTelling = lines.some(({ kind, text }) => kind === "add" && /[\p{L}\p{N}]/u.test(text));
  if (!isTelling) return undefined;
  return onlyPlace(index, newLines(lines));
}
