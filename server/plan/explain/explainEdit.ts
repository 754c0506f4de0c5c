/** Explains why an old text was not found: another edit changed it, the edit was already made, or the text differs. */

import { type DifferenceKind, lineDifference, type Region } from "../../match/hints/difference.js";
import { miswritings } from "../../match/hints/knownMistakes.js";
import { isElision } from "../../match/hints/leftOutCode.js";
import { lookalikes } from "../../match/hints/lookalikes.js";
import { nearestRegions } from "../../match/hints/nearest.js";
import { type OccurringLines, occurringLines } from "../../match/hints/occurringLines.js";
import { locate, locating } from "../../match/locate.js";
import type { Place } from "../../match/place.js";
import { isStricter } from "../../match/rungs.js";
import type { TextIndex } from "../../match/textIndex.js";
import { hasNumbered } from "../../match/viewPrefix.js";
import { isReindenting, isShifted } from "../../match/wholeLines.js";
import { isAllBlank, lineTexts, trimStart } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { type Draft, isWritten, lineInBase, type Span, touchesAny } from "../draft.js";
import type { Hits } from "../edits/choose.js";
import { editFailures } from "../edits/sentences.js";
import type { At, Failure, NearestRegion } from "../failure.js";
import type { BatchOptions, EditOperation } from "../operation.js";
import { type Absence, type KnownMistake, sayDifference, sayMistake, showLines } from "./sentences.js";

/** The effects of earlier edits of the batch, which may explain why an old text is missing. */
export interface BatchHistory {
  /** The edits applied to this document, each with the spans of the document's text that it changed. */
  readonly applied: readonly { readonly index: number; readonly spans: readonly Span[] }[];
  /** The edits to this document that failed. */
  readonly failed: readonly EditOperation[];
  /** Set with `order: "original"`: all edits to this document, none of which is matched in another's new text. */
  readonly beside?: readonly EditOperation[];
}

/** Returns the failure of an edit whose old text was not found on any rung; looks for the reason in steps. */
export function* explainAbsence(
  draft: Draft,
  edit: EditOperation,
  history: BatchHistory,
  options: BatchOptions,
): Generator<void, Failure> {
  const at: At = { index: edit.index, path: draft.document.path };
  if (isBrief(history, options)) return editFailures.notExplained(at);
  const consumer = draft.index === draft.base ? undefined : consumedBy(draft, edit, history, options);
  if (consumer !== undefined) return editFailures.consumed(at, consumer.index, consumer.line, "sequential");
  const wrote = (other: EditOperation): boolean => other !== edit && other.newText.includes(edit.oldText);
  const source = (history.beside ?? history.failed).find(wrote);
  if (source !== undefined) {
    return history.beside === undefined
      ? editFailures.dependsOnFailed(at, source.index)
      : editFailures.inNewText(at, source.index);
  }
  yield;
  const line = lineOfReindented(draft, edit) ?? lineOfNewText(draft, edit);
  if (line !== undefined) {
    const elsewhere = nearestRegions(draft.index, edit.oldText)
      .map((region) => quotedRegion(draft, region, limits.furtherLines))
      .filter(({ startLine, endLine }) => line < startLine || line > endLine);
    return editFailures.alreadyApplied(at, line, elsewhere);
  }
  if (!options.lenient) {
    const loose = yield* locating(draft.index, edit.oldText, { lenient: true });
    if (loose.kind === "one" || loose.kind === "many") {
      return editFailures.onlyLenient(at, loose.rung, lineInBase(draft, loose.places[0].from));
    }
  }
  yield;
  return editFailures.noMatch(at, yield* absenceOf(draft, edit.oldText));
}

/** Reports whether failures say only that an edit failed, because explaining a great many takes too long. */
export const isBrief = ({ failed }: BatchHistory, { isTrial }: BatchOptions): boolean =>
  isTrial === true || failed.length >= limits.explainedFailures;

/** Returns the failure of an edit whose new text can't be indented as at its place, with the lines there unless `isBrief`. */
export function explainShift(draft: Draft, edit: EditOperation, { from }: Place, isBrief: boolean): Failure {
  const line = lineInBase(draft, from);
  const near = isBrief ? [] : nearestRegions(draft.index, edit.oldText);
  const own = near.filter(({ startLine }) => lineInBase(draft, draft.index.lines.start(startLine)) === line);
  const at: At = { index: edit.index, path: draft.document.path };
  return editFailures.cannotShift(at, line, quotedRegions(draft, own));
}

/** Collects, in steps, all clues to the place that a missing text was meant to match. */
export function* absenceOf(
  draft: Draft,
  sought: string,
  how: { readonly wholeLines?: boolean; readonly from?: number } = {},
): Generator<void, Absence> {
  const elided = elisionIn(sought, draft.index);
  yield;
  const { text, miswritten } = yield* asMeant(draft, sought);
  const around = elided === undefined ? undefined : aroundElision(draft, sought, elided);
  yield;
  const near = isAllBlank(sought) ? [] : nearestRegions(draft.index, text, how);
  yield;
  const isKnown = near.length > 0 || elided !== undefined || miswritten !== undefined;
  const alike = isKnown ? near : lookalikes(draft.index, text);
  const parts = isKnown || alike.length > 0 ? [] : occurringLines(draft.index, text);
  const together = around ?? regionOfParts(draft, parts);
  const regions = together === undefined ? alike : [together];
  const occurring = regions.length > 0 ? [] : parts;
  return {
    elided,
    nearest: miswritten?.found === undefined ? quotedRegions(draft, regions) : [],
    miswritten,
    occurring: occurring.map(({ sought, line, count }) => {
      const offset = draft.index.matchedLines.start(line);
      const text = draft.index.matchedLines.content(line).trim();
      return { sought: sought + 1, line: lineInBase(draft, offset), count, text };
    }),
    outdated: outdatedBy(draft, regions[0]),
    inBatch: draft.index !== draft.base,
  };
}

/** Returns the region that has all parts of a text that occur, if these are in order and close together. */
function regionOfParts(draft: Draft, parts: readonly OccurringLines[]): Region | undefined {
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  const isInOrder = parts.every(({ line }, i) => line > (parts[i - 1]?.line ?? -1));
  const reach = last.line + last.count - first.line;
  if (
    !isInOrder ||
    reach > Math.min(limits.nearestLines, last.sought + last.count - first.sought + limits.furtherLines)
  )
    return undefined;
  const ownLine = (line: number): number => draft.index.lines.lineAt(draft.index.matchedLines.start(line));
  const [startLine, endLine] = [ownLine(first.line), ownLine(first.line + reach - 1)];
  return { startLine, endLine, difference: lineDifference("parts", startLine) };
}

/**
 * Returns the region, in whole lines, that a text with left-out code stands for. If the lines before the omission match
 * in exactly one place, the region starts there. It ends with the lines after the omission, at their next match with
 * the same shift of indentation; if there is no such match, it ends with the lines before the omission. Otherwise, the
 * region is the only match of the lines after the omission; `undefined` if they do not match in exactly one place.
 */
function aroundElision(draft: Draft, sought: string, elided: string): Region | undefined {
  const lines = lineTexts(sought);
  const at = lines.findIndex((line) => line.trim() === elided);
  const head = onlyPlaceOf(draft, lines.slice(0, at));
  const tail = lines.slice(lines.findLastIndex((line) => line.trim() === elided || isElision(line.trim())) + 1);
  const lineAt = (offset: number): number => draft.index.lines.lineAt(offset);
  const region = ({ from, to }: Span, kind: "leftOut" | "beforeLeftOut" | "behindLeftOut"): Region => {
    const [startLine, endLine] = [lineAt(from), lineAt(Math.max(from, to - 1))];
    return { startLine, endLine, difference: lineDifference(kind, startLine) };
  };
  if (head === undefined) {
    const behind = onlyPlaceOf(draft, tail);
    return behind && region(behind, "behindLeftOut");
  }
  const end = endOfTail(draft.index, { head, headLine: lines[0] ?? "", tail });
  return end === undefined ? region(head, "beforeLeftOut") : region({ from: head.from, to: end }, "leftOut");
}

/** Returns the only place of a part of an old text; `undefined` if it has none, several, or only whitespace. */
function onlyPlaceOf(draft: Draft, part: readonly string[]): Place | undefined {
  const text = part.join("\n");
  const found = isAllBlank(text) ? undefined : locate(draft.index, text, { lenient: true });
  return found?.kind === "one" ? found.places[0] : undefined;
}

/** Returns the end offset of the first match of `tail` after `head` whose indentation is shifted as in `head`. */
function endOfTail(
  index: TextIndex,
  { head, headLine, tail }: { readonly head: Place; readonly headLine: string; readonly tail: readonly string[] },
): number | undefined {
  const run = tail.slice(
    tail.findIndex((line) => line.trim() !== ""),
    tail.findLastIndex((line) => line.trim() !== "") + 1,
  );
  if (run.length === 0) return undefined;
  const lines = index.matchedLines;
  const { reshape } = head;
  const tab = reshape?.kind === "toTabs" || reshape?.kind === "toSpaces" ? reshape.width : 1;
  const shift = (line: number, written: string): number => widthOf(lines.content(line), tab) - widthOf(written, tab);
  const first = lines.lineAt(head.from);
  // Whole lines are matched only on the rungs that reshape. On other rungs, `headLine` may lack its leading whitespace.
  const asked = reshape === undefined ? 0 : shift(first, headLine);
  const isShifted = (start: number): boolean =>
    run.every((written, i) => written.trim() === "" || shift(start + i, written) === asked);
  const from = lines.lineAt(Math.max(head.from, head.to - 1)) + 1;
  const start = index.lineTable("blanks").find(run, { from, most: 2_000 }).find(isShifted);
  return start === undefined ? undefined : lines.contentEnd(start + run.length - 1);
}

/** Returns the width of a line's indentation in columns; a tab counts as `tab` columns. */
function widthOf(line: string, tab: number): number {
  const indent = line.slice(0, trimStart(line));
  return indent.length + (indent.split("\t").length - 1) * (tab - 1);
}

/** An old text as the caller may have meant it, and the known mistake in the text as sent. */
interface Meant {
  readonly text: string;
  readonly miswritten: KnownMistake | undefined;
}

/** Undoes a known mistake in an old text, if the corrected text is found or the mistake is obvious. */
function* asMeant(draft: Draft, oldText: string): Generator<void, Meant> {
  let nearly: Meant | undefined;
  for (const { kind, undo } of miswritings) {
    if (kind === "view" && hasNumbered(draft.index, oldText)) continue;
    const text = undo(oldText);
    if (text === oldText || isAllBlank(text)) continue;
    const found = yield* locating(draft.index, text, { lenient: true });
    const isFound = found.kind === "one" || found.kind === "many";
    if (isFound) return { text, miswritten: { kind, found: correctedAt(draft, found.places[0], kind) } };
    // A single backslash may well be intentional.
    const isTelling = kind === "view" || (kind === "escaped" && !oldText.includes("\n") && text.includes("\n"));
    yield;
    if (isTelling) nearly ??= { text, miswritten: { kind, found: undefined } };
  }
  return nearly ?? { text: oldText, miswritten: undefined };
}

/** Returns the region where an old text matches once a known mistake is corrected, and the column at which it starts. */
function correctedAt(draft: Draft, { from, to }: Place, kind: KnownMistake["kind"]): KnownMistake["found"] {
  const { lines } = draft.index;
  const [startLine, endLine] = [lines.lineAt(from), lines.lineAt(Math.max(from, to - 1))];
  const region = quotedRegion(draft, { startLine, endLine, difference: undefined });
  return { region: { ...region, difference: sayMistake(kind) }, column: from - lines.start(startLine) + 1 };
}

/** Returns the last version that contained the old text's first differing line; `undefined` if none is known. */
function outdatedBy({ document }: Draft, region: Region | undefined): { since: number } | undefined {
  const sought = region?.difference?.sought.trim();
  const since = sought === undefined || sought === "" ? undefined : document.formerLines?.get(sought);
  return since === undefined ? undefined : { since };
}

/** Returns a failure if other edits changed the old text, and a looser rung found it only where nobody meant it. */
export function findsElsewhere(
  draft: Draft,
  edit: EditOperation,
  { rung, places }: Hits,
  history: BatchHistory,
  options: BatchOptions,
): Failure | undefined {
  if (draft.index === draft.base) return undefined;
  const before = locate(draft.base, edit.oldText, options);
  if (before.kind === "none" || before.kind === "tooMany" || !isStricter(before.rung, rung)) return undefined;
  const changers = history.applied.filter(({ spans }) => spans.some((span) => touchesAny(span, before.places)));
  const [consumer] = changers;
  if (consumer === undefined) return undefined;
  let reach = 0;
  const written = changers
    .flatMap(({ spans }) => spans)
    .map(({ from, to }) => ({ from: draft.change.mapPos(from, "before"), to: draft.change.mapPos(to, "after") }))
    .sort((a, b) => a.from - b.from)
    .map(({ from, to }) => {
      reach = Math.max(reach, to);
      return { from, to: reach };
    });
  if (places.every((place) => touchesAny(place, written))) return undefined;
  const at: At = { index: edit.index, path: draft.document.path };
  return editFailures.consumed(at, consumer.index, draft.base.lines.lineAt(before.places[0].from) + 1, "sequential");
}

/** Returns the applied edit that changed the old text, and the 1-based line where it was; `undefined` if none did. */
function consumedBy(
  draft: Draft,
  edit: EditOperation,
  history: BatchHistory,
  options: BatchOptions,
): { index: number; line: number } | undefined {
  const before = locate(draft.base, edit.oldText, options);
  if (before.kind === "none" || before.kind === "tooMany") return undefined;
  const [place] = before.places;
  const touches = ({ from, to }: Span): boolean => from < place.to && to > place.from;
  const consumer = history.applied.find(({ spans }) => spans.some(touches));
  return consumer && { index: consumer.index, line: draft.base.lines.lineAt(place.from) + 1 };
}

/**
 * Returns the 1-based line that already has the new text, if the new text occurs once and is significant: it is not
 * part of the old text, and either it fills whole lines or it is too long to occur by chance.
 */
function lineOfNewText(draft: Draft, edit: EditOperation): number | undefined {
  const telling = /[\p{L}\p{N}]/u.test(edit.newText) && !edit.oldText.includes(edit.newText);
  if (!telling) return undefined;
  const found = locate(draft.base, edit.newText, { lenient: false });
  if (found.kind !== "one") return undefined;
  const [{ from, to }] = found.places;
  const { text, lines } = draft.base;
  const [start, end] = [lines.start(lines.lineAt(from)), lines.contentEnd(lines.lineAt(to))];
  const wholeLines = isAllBlank(text.slice(start, from)) && isAllBlank(text.slice(to, end));
  return wholeLines || edit.newText.trim().length >= limits.tellingText ? lines.lineAt(from) + 1 : undefined;
}

/** Returns the 1-based line, before the batch, that already has the new text's indentation, if there is one. */
function lineOfReindented(draft: Draft, edit: EditOperation): number | undefined {
  if (!isReindenting(edit)) return undefined;
  const found = locate(draft.index, edit.newText, { lenient: true });
  const shifted = locate(draft.index, edit.oldText, { lenient: true });
  if (found.kind !== "one" || shifted.kind !== "one") return undefined;
  const lineAt = ({ from }: Place): number => draft.index.lines.lineAt(from);
  const [there, here] = [found.places[0], shifted.places[0]];
  return !isShifted(there) && isShifted(here) && lineAt(there) === lineAt(here)
    ? lineInBase(draft, there.from)
    : undefined;
}

/** Returns the first sought line that stands for left-out code and is not in the document; `undefined` if none does. */
function elisionIn(sought: string, index: TextIndex): string | undefined {
  return lineTexts(sought)
    .slice(0, 2_000)
    .map((line) => line.trim())
    .find((line) => isElision(line) && index.lineTable("blanks").find([line], { from: 0, most: 1 }).length === 0);
}

/** Differences that are easy to miss unless whitespace is made visible. */
const blankKinds: ReadonlySet<DifferenceKind> = new Set([
  ...(["lineEndBlanks", "indentation", "unevenIndentation", "innerBlanks", "typography"] as const),
]);

/** Returns regions, the nearest first, in the form in which failures quote them. */
export function quotedRegions(draft: Draft, regions: readonly Region[]): NearestRegion[] {
  return regions.map((region, i) => quotedRegion(draft, region, i === 0 ? limits.nearestLines : limits.furtherLines));
}

/** Returns a region as failures quote it: at most `most` lines, with line numbers from before the batch. */
function quotedRegion(draft: Draft, region: Region, most: number = limits.nearestLines): NearestRegion {
  const { lines } = draft.index;
  const { difference } = region;
  const visible = difference !== undefined && blankKinds.has(difference.kind);
  // If the difference is far down in the region, only the lines around it are shown.
  const isFar = difference !== undefined && difference.line - region.startLine >= most;
  const shownStart = isFar ? difference.line - Math.floor(most / 2) : region.startLine;
  const shownEnd = Math.min(region.endLine, shownStart + most - 1);
  const content = lines.contents(shownStart, shownEnd + 1);
  const inBase = (line: number): number => lineInBase(draft, lines.start(line));
  const numbered = content.map((text, i) => ({ text, number: ownLine(draft, shownStart + i) }));
  return {
    startLine: inBase(region.startLine),
    endLine: inBase(region.endLine),
    text: showLines(numbered, {
      blanks: visible ? "visible" : "plain",
      before: shownStart > region.startLine,
      more: region.endLine > shownEnd,
    }),
    difference: sayDifference(
      difference && { ...difference, line: inBase(difference.line), uneven: difference.uneven?.map(inBase) ?? [] },
      { lines: region.endLine - region.startLine + 1 },
    ),
  };
}

/** Returns the 1-based number of a line in the text before the batch; `undefined` if an edit of the batch wrote it. */
function ownLine(draft: Draft, line: number): number | undefined {
  const { lines } = draft.index;
  const start = lines.start(line);
  const written = start < lines.contentEnd(line) && isWritten(draft, start);
  return written ? undefined : lineInBase(draft, start);
}
