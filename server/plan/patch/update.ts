/** Plans one `Update File` section: its hunks, all found in the text as the section begins, and changed in one step. */

import { prepareLines } from "../../match/locate.js";
import type { TextIndex } from "../../match/textIndex.js";
import { shiftLine, shiftOfLines } from "../../match/wholeLines.js";
import type { Change } from "../../text/changeSet.js";
import { byteOrderMark, isAllBlank } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { type Draft, edited, lineInBase, linesOf } from "../draft.js";
import { type ClaimedPlace, OverlapDetector } from "../edits/overlaps.js";
import { editFailures } from "../edits/sentences.js";
import type { Drafted } from "../edits/sequential.js";
import { explainHunk } from "../explain/explainHunk.js";
import type { At, Failure } from "../failure.js";
import type { BatchOptions, Hunk, UpdateSection } from "../operation.js";
import { type EditOutcome, failedOutcome } from "../outcome.js";
import { asContext, findHunk, type HunkGround, type HunkPlace, isIdle, oldLines } from "./hunks.js";

/** Yields after each hunk, so that its caller can serve others. A hunk that fails is left out; one that changes nothing is skipped. */
export function* planHunks(start: Draft, section: UpdateSection, options: BatchOptions): Generator<void, Drafted> {
  if (section.hunks.length === 0) return { draft: start, outcomes: [] };
  const ended = endLastLine(start);
  const { index } = ended;
  const baseLine = (line: number): number => lineInBase(ended, index.matchedLines.start(line));
  const ground: HunkGround = { index, lenient: options.lenient, baseLine };
  const lineEnd = firstLineEnd(index);
  const accepted = new OverlapDetector();
  const inOrder: Ordered[] = [];
  const outcomes: EditOutcome[] = [];
  let cursor = 0;
  let failed = 0;
  for (const sent of section.hunks) {
    const marked = start.document.bom ? withoutMarks(sent) : sent;
    const hunk = isIdle(marked) ? asContext(marked) : marked;
    const at = { index: hunk.index, path: start.document.path, patchLine: hunk.patchLine };
    yield* prepareLines(index, oldLines(hunk.lines));
    const found = findHunk(ground, hunk, cursor);
    if (isIdle(hunk) && (found.kind === "place" || found.kind === "ambiguous")) {
      // It writes nothing, so it is in nobody's way, and which of several places it means does not matter.
      const place = found.kind === "place" ? found : undefined;
      outcomes.push(outcomeAt(ended, hunk, "skipped", place));
      cursor = Math.max(cursor, place?.next ?? 0);
    } else if (found.kind !== "place") {
      const isBrief = ++failed > limits.explainedFailures;
      const how = { problem: found, lenient: options.lenient, isBrief };
      outcomes.push(failedOutcome(at, yield* explainHunk(ended, marked, how, at)));
    } else {
      const claim = claimOf(index, hunk, found, lineEnd);
      const other = accepted.conflictOf(claim);
      if (other === undefined) {
        outcomes.push(outcomeAt(ended, hunk, "applied", found));
        accepted.add(claim);
        const isAtEnd = found.length === 0 && found.start === index.lineTable("nothing").lineCount;
        inOrder.splice(found.start < cursor ? behind(inOrder, claim) : inOrder.length, 0, { claim, isAtEnd });
        cursor = Math.max(cursor, found.next);
      } else outcomes.push(failedOutcome(at, clash(section, hunk, other, at, baseLine(found.start))));
    }
    yield;
  }
  const changes = inOrder.flatMap(({ claim }) => claim.changes);
  return { draft: inOrder.length > 0 ? edited(ended, changes).draft : start, outcomes };
}

/** The failure of a hunk that another one of its section is in the way of. */
function clash({ hunks }: UpdateSection, hunk: Hunk, other: ClaimedPlace, at: At, line: number): Failure {
  const rival = hunks.find(({ index }) => index === other.index);
  const isSame = JSON.stringify(rival?.lines) === JSON.stringify(hunk.lines);
  return (isSame ? editFailures.sameHunk : editFailures.overlap)(at, other.index, line);
}

/** A hunk for a file with a byte order mark, which is not in its text: a mark that was copied with the first line is left out. */
function withoutMarks(hunk: Hunk): Hunk {
  const lines = hunk.lines.map((line) =>
    line.text.startsWith(byteOrderMark) ? { ...line, text: line.text.slice(1) } : line,
  );
  return { ...hunk, lines };
}

/** A hunk in the order in which what it adds stands beside what others add. */
interface Ordered {
  readonly claim: ClaimedPlace;
  /** Whether it only adds lines to the end of the file: those are in the order of the patch. */
  readonly isAtEnd: boolean;
}

/** Where a hunk that is out of order goes: in front of the first that starts behind it, and of lines right behind an anchor. */
function behind(inOrder: readonly Ordered[], { place }: ClaimedPlace): number {
  const next = inOrder.findIndex(({ claim, isAtEnd }) => {
    const isInsertion = claim.place.from === claim.place.to;
    return !isAtEnd && (claim.place.from > place.from || (claim.place.from === place.from && !isInsertion));
  });
  return next === -1 ? inOrder.length : next;
}

/** The outcome of a hunk that has not failed; `place` is `undefined` if it changes nothing and may have several. */
function outcomeAt(
  draft: Draft,
  { index }: Hunk,
  status: "applied" | "skipped",
  place: HunkPlace | undefined,
): EditOutcome {
  const { path } = draft.document;
  if (place === undefined) return { index, path, status, places: [] };
  const lines = draft.index.matchedLines;
  // Of an insertion the line in front of it counts.
  const first = place.length === 0 ? Math.max(0, place.start - 1) : place.start;
  const span = { from: lines.start(first), to: lines.start(first + Math.max(1, place.length)) };
  const places = draft.created ? [] : [linesOf(draft, span)];
  return { index, path, status, ...(place.rung && { rung: place.rung }), places };
}

/** The last line of a file that a section updates has an end afterwards, as Codex has it. */
function endLastLine(draft: Draft): Draft {
  const { text, rule } = draft.index;
  if (text === "" || text.endsWith("\n") || (text.endsWith("\r") && rule.loneCrEndsLine)) return draft;
  return edited(draft, [{ from: text.length, to: text.length, insert: firstLineEnd(draft.index) }]).draft;
}

/** The end that new lines get: the first that the file has, as far as its editor takes it for one; LF where it has none. */
export function firstLineEnd({ lines }: TextIndex): string {
  return lines.terminator(0) || "\n";
}

/**
 * What a hunk changes at its place: one change for each run of lines that go and of lines that come in their stead, as in
 * Codex, because that decides what stands first where two hunks meet. Context keeps the file's own text.
 */
function claimOf(index: TextIndex, hunk: Hunk, place: HunkPlace, lineEnd: string): ClaimedPlace {
  const lines = index.matchedLines;
  const shift = shiftOf(index, place);
  const changes: Change[] = [];
  let run: { from: number; to: number; insert: string } | undefined;
  let line = place.start;
  for (const { kind, text } of place.lines) {
    const at = lines.start(line);
    // What comes in front of a line that goes is no part of its run.
    if (kind === "context" || (kind === "remove" && run !== undefined && run.from === run.to)) run = undefined;
    if (kind !== "context" && run === undefined) {
      run = { from: at, to: at, insert: "" };
      changes.push(run);
    }
    if (kind === "add" && run !== undefined) run.insert += shift(text) + lineEnd;
    if (kind === "remove" && run !== undefined) run.to = lines.end(line);
    if (kind !== "add") line++;
  }
  return { index: hunk.index, place: { from: lines.start(place.start), to: lines.start(line) }, changes };
}

/** How added lines are indented: as the file is where its indentation differs from the patch by one uniform shift. */
function shiftOf(index: TextIndex, place: HunkPlace): (line: string) => string {
  const asSent = (line: string): string => line;
  if (place.rung !== "indentation" && place.rung !== "foldedLines") return asSent;
  const old = oldLines(place.lines);
  const shift = shiftOfLines(
    old,
    old.map((_, i) => index.matchedLines.content(place.start + i)),
  );
  if (shift === undefined) return asSent;
  // One blank more is the sign of a context line that the patch forgot; a line with another sign has not lost it.
  const isSigned = place.lines.some(({ kind, text }) => kind === "remove" && !isAllBlank(text));
  if (shift.kind === "add" && shift.indent === " " && !isSigned) return asSent;
  const added = place.lines.flatMap(({ kind, text }) => (kind === "add" ? [text] : []));
  const fits = added.every((line) => shiftLine(line, shift) !== undefined);
  return fits ? (line) => shiftLine(line, shift) ?? line : asSent;
}
