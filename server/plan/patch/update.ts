/** Plans an `Update File` section: matches all hunks in the text before it, and applies them in one step. */
import { prepareLines } from "../../match/locate.js";
import type { TextIndex } from "../../match/textIndex.js";
import type { Change } from "../../text/changeSet.js";
import { byteOrderMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { type Draft, edited, lineInBase, linesOf } from "../draft.js";
import { type Insertions, repeatedIn } from "../edits/insertions.js";
import { type ClaimedPlace, OverlapDetector } from "../edits/overlaps.js";
import { wrongText } from "../edits/refusal.js";
import { editFailures, editWarnings } from "../edits/sentences.js";
import type { Drafted } from "../edits/sequential.js";
import { explainHunk } from "../explain/explainHunk.js";
import type { At, Failure } from "../failure.js";
import type { BatchOptions, Hunk, UpdateSection } from "../operation.js";
import { type EditOutcome, failedOutcome } from "../outcome.js";
import { asContext, findHunk, type HunkGround, type HunkPlace, type HunkProblem, isIdle, oldLines } from "./hunks.js";
import { patchWarnings } from "./sentences.js";
import { shifted } from "./shift.js";

/** Plans a section's hunks, without those that fail or whose lines are inserted there already. Yields after each. */
export function* planHunks(
  start: Draft,
  section: UpdateSection,
  { options, insertions }: { readonly options: BatchOptions; readonly insertions: Insertions },
): Generator<void, Drafted> {
  if (section.hunks.length === 0) return { draft: start, outcomes: [] };
  const ended = endLastLine(start);
  const { index } = ended;
  const { lenient } = options;
  const baseLine = (line: number): number => lineInBase(ended, index.matchedLines.start(line));
  const planned: PlannedHunks = {
    section,
    ended,
    options,
    insertions,
    inBatch: !start.change.isEmpty,
    ground: { index, lenient, baseLine, left: { units: limits.documentLength } },
    accepted: new OverlapDetector(),
    inOrder: [],
    cursor: 0,
    failed: 0,
    isEnded: ended === start || !lenient,
  };
  const outcomes: EditOutcome[] = [];
  for (const sent of section.hunks) {
    const marked = start.document.bom ? withoutMarks(sent) : sent;
    outcomes.push(yield* planHunk(planned, marked));
    yield;
  }
  const { inOrder, isEnded } = planned;
  if (inOrder.length === 0) return { draft: start, outcomes };
  const changes = inOrder.flatMap(({ claim }) => claim.changes);
  insertions.note(ended, changes);
  const { draft } = edited(ended, changes);
  return { draft: isEnded ? draft : withoutLastEnd(draft), outcomes };
}

/** A section, and what has become of its hunks so far. */
interface PlannedHunks {
  readonly section: UpdateSection;
  /** The text before the section, with a final line ending. */
  readonly ended: Draft;
  readonly options: BatchOptions;
  readonly insertions: Insertions;
  /** `true` if earlier sections changed the text. */
  readonly inBatch: boolean;
  readonly ground: HunkGround;
  readonly accepted: OverlapDetector;
  readonly inOrder: Ordered[];
  /** The line, 0-based, at which the search for the next hunk starts. */
  cursor: number;
  /** The number of hunks that were not found. */
  failed: number;
  /** `true` if the file then ends with a line ending: as before, unless a hunk asks for one or reads strictly. */
  isEnded: boolean;
}

/** Plans one hunk; notes its changes in `planned`. */
function* planHunk(planned: PlannedHunks, marked: Hunk): Generator<void, EditOutcome> {
  const { ended, options, ground, isEnded, inBatch } = planned;
  const { index } = ground;
  const hunk = isIdle(marked) ? asContext(marked) : marked;
  const at = { index: hunk.index, path: ended.document.path, patchLine: hunk.patchLine };
  yield* prepareLines(index, oldLines(hunk.lines));
  const found = findShifted(ground, hunk, planned.cursor);
  const endsFile = !isEnded && hunk.addsLineEnd === true && isAtEnd(index, found);
  const opensFile = isEnded && hunk.dropsLineEnd === true && isAtEnd(index, found);
  const wrong = options.lenient ? wrongText(at, ended.document, hunk, options) : undefined;
  if (wrong !== undefined) return failedOutcome(at, wrong);
  if (isIdle(hunk) && !endsFile && !opensFile && (found.kind === "place" || found.kind === "ambiguous")) {
    // An idle hunk writes nothing, so it conflicts with no other hunk, and it does not matter which place it means.
    const place = found.kind === "place" ? found : undefined;
    planned.cursor = Math.max(planned.cursor, place?.next ?? 0);
    return outcomeAt(ended, hunk, "skipped", place);
  }
  if (found.kind !== "place") {
    const isKnown = found.kind !== "ambiguous" && found.kind !== "ambiguousAnchor";
    const isBrief = ++planned.failed > limits.explainedFailures || (options.isTrial === true && isKnown);
    const how = { problem: found, lenient: options.lenient, isBrief, inBatch };
    return failedOutcome(at, yield* explainHunk(ended, marked, how, at));
  }
  const outcome = placeHunk(planned, hunk, found, at);
  if (outcome.status === "applied") planned.isEnded = (isEnded || endsFile) && !opensFile;
  return outcome;
}

/** Adds a hunk to those that are written, unless its lines are there already or another hunk changes the same lines. */
function placeHunk(
  planned: PlannedHunks,
  hunk: Hunk,
  found: HunkPlace,
  at: At & Pick<EditOutcome, "index" | "path">,
): EditOutcome {
  const { section, ended, options, insertions, ground, accepted, inOrder, cursor } = planned;
  const { index, baseLine } = ground;
  const claim = claimOf(index, hunk, found, firstLineEnd(index));
  const other = accepted.conflictOf(claim);
  const repeated = options.lenient ? repeatedIn(ended, claim, accepted) : undefined;
  const next = Math.max(cursor, found.next);
  if (options.lenient && insertions.hasAll(claim.changes, { at: ended, now: ended })) {
    planned.cursor = next;
    return outcomeAt(ended, hunk, "skipped", found);
  }
  if (other !== undefined) return failedOutcome(at, clash(section, hunk, other, at, baseLine(found.start)));
  if (repeated?.isCertain) return failedOutcome(at, editFailures.alreadyInserted(at, repeated));
  const isTaken = (offset: number) => inOrder.some(({ claim: { place } }) => place.from <= offset && offset < place.to);
  const twins = found.twins?.filter((twin) => !isTaken(index.matchedLines.start(twin))) ?? [];
  const warnings = warningsOf(at, { ...found, twins }, baseLine);
  if (repeated !== undefined) warnings.push(editWarnings.repeated(at, repeated));
  accepted.add(claim);
  const isLast = found.length === 0 && isAtEnd(index, found);
  inOrder.splice(found.start < cursor ? behind(inOrder, claim) : inOrder.length, 0, { claim, isAtEnd: isLast });
  planned.cursor = next;
  return { ...outcomeAt(ended, hunk, "applied", found), warnings };
}

function warningsOf(at: At, { start, ignored, twins = [] }: HunkPlace, baseLine: HunkGround["baseLine"]): string[] {
  const line = baseLine(start);
  return [
    ...(ignored === undefined ? [] : [patchWarnings.anchorIgnored(at, ignored, line)]),
    ...twins.slice(0, 1).map((twin) => patchWarnings.byOrder(at, line, baseLine(twin))),
  ];
}

/** Finds a hunk, and indents its added lines to match the file. */
function findShifted(ground: HunkGround, hunk: Hunk, cursor: number): HunkPlace | HunkProblem {
  const found = findHunk(ground, hunk, cursor);
  return found.kind === "place" ? shifted(ground.index, found) : found;
}

/** Reports whether a hunk was placed at the end of the text. */
function isAtEnd(index: TextIndex, found: HunkPlace | HunkProblem): boolean {
  return found.kind === "place" && found.start + found.length === index.lineTable("nothing").lineCount;
}

/** Returns the failure of a hunk that conflicts with another hunk of its section. */
function clash({ hunks }: UpdateSection, hunk: Hunk, other: ClaimedPlace, at: At, line: number): Failure {
  const rival = hunks.find(({ index }) => index === other.index);
  const linesOf = (one: Hunk | undefined): string => JSON.stringify(one?.lines.map(({ kind, text }) => [kind, text]));
  const isSame = linesOf(rival) === linesOf(hunk);
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

/** Returns where to insert an out-of-order hunk: before the first that starts later, or there and inserts nothing. */
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

/** Adds a line ending to the last line of a file that a section updates, if that line has none. */
function endLastLine(draft: Draft): Draft {
  const { text, rule } = draft.index;
  if (text === "" || text.endsWith("\n") || (text.endsWith("\r") && rule.loneCrEndsLine)) return draft;
  return edited(draft, [{ from: text.length, to: text.length, insert: firstLineEnd(draft.index) }]).draft;
}

/** Removes the line ending of the last line, so that the file ends without one, as it did before the section. */
function withoutLastEnd(draft: Draft): Draft {
  const { text } = draft.index;
  const length = text.endsWith("\r\n") ? 2 : /[\r\n]$/.test(text.slice(-1)) ? 1 : 0;
  return edited(draft, [{ from: text.length - length, to: text.length, insert: "" }]).draft;
}

/** Returns the line ending for new lines: that of the first line, as the editor counts lines, or LF. */
export function firstLineEnd({ lines }: TextIndex): string {
  return lines.terminator(0) || "\n";
}

/** Returns a hunk's changes: removed lines and their replacement are one, as in Codex; context stays as it is. */
function claimOf(index: TextIndex, hunk: Hunk, place: HunkPlace, lineEnd: string): ClaimedPlace {
  const lines = index.matchedLines;
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
    if (kind === "add" && run !== undefined) run.insert += text + lineEnd;
    if (kind === "remove" && run !== undefined) run.to = lines.end(line);
    if (kind !== "add") line++;
  }
  return { index: hunk.index, place: { from: lines.start(place.start), to: lines.start(line) }, changes };
}
