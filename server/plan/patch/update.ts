/**
 * Plans one `Update File` section: matches all hunks against the text before the section and applies them in one step.
 */
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

/** Plans a section's hunks; leaves out those that fail. Yields after each hunk, so the caller can do other work. */
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
      // An idle hunk writes nothing, so it conflicts with no other hunk, and it does not matter which place it means.
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

/** Returns the failure of a hunk that conflicts with another hunk of its section. */
function clash({ hunks }: UpdateSection, hunk: Hunk, other: ClaimedPlace, at: At, line: number): Failure {
  const rival = hunks.find(({ index }) => index === other.index);
  const isSame = JSON.stringify(rival?.lines) === JSON.stringify(hunk.lines);
  return (isSame ? editFailures.sameHunk : editFailures.overlap)(at, other.index, line);
}

/** Removes byte order marks that were copied with a line: a document's text does not contain its own mark. */
function withoutMarks(hunk: Hunk): Hunk {
  const lines = hunk.lines.map((line) =>
    line.text.startsWith(byteOrderMark) ? { ...line, text: line.text.slice(1) } : line,
  );
  return { ...hunk, lines };
}

/** A hunk in a list whose order decides which lines come first if several hunks add lines at the same place. */
interface Ordered {
  readonly claim: ClaimedPlace;
  /** `true` if the hunk only adds lines to the end of the file; such hunks stay in patch order. */
  readonly isAtEnd: boolean;
}

/**
 * Returns the index at which to insert an out-of-order hunk into the list: before the first hunk that starts after it,
 * or that starts at the same offset and is not an insertion.
 */
function behind(inOrder: readonly Ordered[], { place }: ClaimedPlace): number {
  const next = inOrder.findIndex(({ claim, isAtEnd }) => {
    const isInsertion = claim.place.from === claim.place.to;
    return !isAtEnd && (claim.place.from > place.from || (claim.place.from === place.from && !isInsertion));
  });
  return next === -1 ? inOrder.length : next;
}

/** Returns the outcome of a hunk that has not failed; `place` is `undefined` for an idle hunk with several places. */
function outcomeAt(
  draft: Draft,
  { index }: Hunk,
  status: "applied" | "skipped",
  place: HunkPlace | undefined,
): EditOutcome {
  const { path } = draft.document;
  if (place === undefined) return { index, path, status, places: [] };
  const lines = draft.index.matchedLines;
  // An insertion is reported at the line before it.
  const first = place.length === 0 ? Math.max(0, place.start - 1) : place.start;
  const span = { from: lines.start(first), to: lines.start(first + Math.max(1, place.length)) };
  const places = draft.created ? [] : [linesOf(draft, span)];
  return { index, path, status, ...(place.rung && { rung: place.rung }), places };
}

/** Adds a line ending, as Codex does, to the last line of a file that a section updates, if that line has none. */
function endLastLine(draft: Draft): Draft {
  const { text, rule } = draft.index;
  if (text === "" || text.endsWith("\n") || (text.endsWith("\r") && rule.loneCrEndsLine)) return draft;
  return edited(draft, [{ from: text.length, to: text.length, insert: firstLineEnd(draft.index) }]).draft;
}

/**
 * Returns the line ending for new lines: that of the first line, as the editor counts lines; LF if that line has none.
 */
export function firstLineEnd({ lines }: TextIndex): string {
  return lines.terminator(0) || "\n";
}

/**
 * Returns the changes that a hunk makes at its place. As in Codex, a run of removed lines and the lines that replace
 * them form one change. Therefore, if one hunk inserts lines before a line that an adjacent hunk replaces, the inserted
 * lines come before the replacement. Context lines keep the file's own text.
 */
function claimOf(index: TextIndex, hunk: Hunk, place: HunkPlace, lineEnd: string): ClaimedPlace {
  const lines = index.matchedLines;
  const shift = shiftOf(index, place);
  const changes: Change[] = [];
  let run: { from: number; to: number; insert: string } | undefined;
  let line = place.start;
  for (const { kind, text } of place.lines) {
    const at = lines.start(line);
    // Lines that are added before a removed line are not part of its run.
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

/**
 * Returns a function that indents added lines to match the file if a single shift turns the hunk's old lines into the
 * file's; otherwise, the function returns lines unchanged.
 */
function shiftOf(index: TextIndex, place: HunkPlace): (line: string) => string {
  const asSent = (line: string): string => line;
  if (place.rung !== "indentation" && place.rung !== "foldedLines") return asSent;
  const old = oldLines(place.lines);
  const shift = shiftOfLines(
    old,
    old.map((_, i) => index.matchedLines.content(place.start + i)),
  );
  if (shift === undefined) return asSent;
  // If no removed line has text, a shift of one space means that the patch's context lines lack their sign, a space.
  const isSigned = place.lines.some(({ kind, text }) => kind === "remove" && !isAllBlank(text));
  if (shift.kind === "add" && shift.indent === " " && !isSigned) return asSent;
  const added = place.lines.flatMap(({ kind, text }) => (kind === "add" ? [text] : []));
  const fits = added.every((line) => shiftLine(line, shift) !== undefined);
  return fits ? (line) => shiftLine(line, shift) ?? line : asSent;
}
