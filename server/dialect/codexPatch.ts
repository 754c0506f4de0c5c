/** Parses Codex patches: reads a patch line by line and returns its sections, or everything that is wrong with it. */
import type { Anchor, Hunk, HunkLine, Section, UpdateSection } from "../plan/operation.js";
import {
  diffHeaderLength,
  type Header,
  isHunkStart,
  kinds,
  type Leniency,
  markers,
  readAnchor,
  readHeader,
  readStrayMarker,
  titleOf,
  trimLine,
  trimLineEnd,
} from "./patchMarkers.js";
import { findPatch, isUnifiedDiff, looksLikePatch } from "./patchText.js";
import { dialectWarnings, patchProblems } from "./sentences.js";
import { nextLine, type ParsedText, TextFindings } from "./textDialect.js";

/** Parses a patch in linear time; never throws. Without `lenient`, accepts only what Codex 0.169.0 did in tests. */
export function parsePatch(text: string, how: Leniency): ParsedText<Section> {
  const patchText = findPatch(text, how);
  const found = new TextFindings<Section>(patchText.lines, undefined, (sections) => sections.map(titleOf));
  if ("problem" in patchText) return found.result(patchText);
  const { lines, from, to, lost, lacksBegin } = patchText;
  const patch: Patch = { found, lines, to, ...how, at: from, last: undefined };
  if (lost !== undefined) found.report(lost, patchProblems.beforeBegin());
  readEnvironment(patch);
  const isEnded = readSections(patch);
  if (isEnded) checkRest(patch);
  else if (!how.lenient) found.report(to - 1, patchProblems.noEnd());
  else if (patch.last !== undefined && !isComplete(patch.last)) {
    found.operations.pop();
    found.report(to - 1, patchProblems.cutOff(), patch.last.path);
  }
  if (lacksBegin) found.warnings.add(dialectWarnings.patchLacksBegin);
  if (!isEnded) found.warnings.add(dialectWarnings.patchMayBeCutOff);
  const end = nextLine(lines, from, (line) => trimLineEnd(line) === markers.end);
  found.took(lacksBegin ? from : from - 1, end);
  return found.result({ line: from - 1, problem: patchProblems.noSections() });
}

/** Reports whether the last section, if the end marker lacks, is surely complete, and was not cut off. */
function isComplete(section: Section): boolean {
  if (section.kind !== "update") return section.kind === "delete";
  const last = section.hunks.at(-1);
  return last === undefined || last.atEnd || last.lines.at(-1)?.kind === "context";
}

/** The state of the parser. */
interface Patch extends Leniency {
  /** The sections that were read without a failure, and the failures. A broken section may use up some indices. */
  readonly found: TextFindings<Section>;
  readonly lines: readonly string[];
  /** The line after the last one that may be part of the patch. All line numbers in this type are 0-based. */
  readonly to: number;
  /** The last line read; between sections, the next line to read. */
  at: number;
  /** The section read last; `undefined` if it had a failure. */
  last: Section | undefined;
}

/** Skips the first line of the patch if it names an environment. */
function readEnvironment(patch: Patch): void {
  const line = patch.at < patch.to ? trimLine(patch.lines[patch.at] ?? "") : "";
  if (line.startsWith(markers.environment) && line.length > markers.environment.length) patch.at++;
}

/** Reads the sections and the end marker. Returns `false` if there is no end marker. */
function readSections(patch: Patch): boolean {
  const { found, lines, to, lenient } = patch;
  /** The Add or Delete just read, if any. An invalid line after it counts as a mistake in that section. */
  let before: Section | undefined;
  let blank: number | undefined;
  for (; patch.at < to && !found.isFull; patch.at++) {
    const line = trimLine(lines[patch.at] ?? "");
    const header = readHeader(line);
    if (line === markers.end) {
      patch.at++;
      return true;
    }
    if (header !== undefined) {
      const { length } = found.operations;
      before = readSection(patch, header);
      patch.last = found.operations[length];
      blank = undefined;
    } else if (line === "" && lenient) {
      blank ??= patch.at;
    } else {
      const stray = readStrayMarker(line);
      const broken = stray?.endsSection === true ? undefined : before;
      if (broken !== undefined) found.operations.pop();
      // If an empty line interrupts an Add, the mistake is that line, not the lines after it.
      const at = before?.kind === "add" && line.startsWith("+") ? (blank ?? patch.at) : patch.at;
      found.report(at, stray?.problem ?? problemBehind(before, line), broken?.path);
      skipSection(patch);
      before = undefined;
      patch.last = undefined;
    }
  }
  return false;
}

/** Returns the problem with a line found where a section should begin, as a clause from `patchProblems`. */
function problemBehind(before: Section | undefined, line: string): string {
  if (before?.kind === "add") return patchProblems.addedLine();
  if (before?.kind === "delete") return patchProblems.deletedLine();
  return isUnifiedDiff(line) ? patchProblems.unifiedDiff() : patchProblems.expectedHeader();
}

/** Skips all lines before the next one that begins a section or ends the patch, or that was meant to do so. */
function skipSection(patch: Patch): void {
  for (; patch.at + 1 < patch.to; patch.at++) {
    const next = trimLineEnd(patch.lines[patch.at + 1] ?? "");
    if (next === markers.end || readHeader(next) !== undefined || isLastEnd(patch, patch.at + 1)) return;
    if (readStrayMarker(next)?.endsSection === true) return;
  }
}

/** Reads a section. Returns an Add or a Delete, to which an invalid line after it is attributed. */
function readSection(patch: Patch, header: Header): Section | undefined {
  const { path } = header;
  const { found } = patch;
  const patchLine = patch.at + 1;
  if (found.reportLength(patch.at, path)) {
    skipSection(patch);
    return undefined;
  }
  if (header.kind === "update") {
    readUpdate(patch, path);
    return undefined;
  }
  const section: Section =
    header.kind === "add"
      ? { kind: "add", index: found.next++, path, patchLine, text: readAdded(patch) }
      : { kind: "delete", index: found.next++, path, patchLine };
  found.operations.push(section);
  return section;
}

/** Returns an Add's text: the `+` lines below its header. Git's note tells that it ends without a line ending. */
function readAdded(patch: Patch): string {
  const added: string[] = [];
  let isEnded = true;
  for (; patch.at + 1 < patch.to; patch.at++) {
    const line = patch.lines[patch.at + 1] ?? "";
    const isLine = line.startsWith("+");
    if (isLine) added.push(`${line.slice(1)}\n`);
    else if (!patch.lenient || !isNoNewline(line)) break;
    isEnded = isLine;
  }
  const text = added.join("");
  return isEnded ? text : text.slice(0, -1);
}

/** An Update being read. */
interface Update {
  readonly hunks: OpenHunk[];
  move: UpdateSection["move"];
}

interface OpenHunk extends Hunk {
  anchors: Anchor[];
  lines: HunkLine[];
  atEnd: boolean;
  addsLineEnd?: boolean;
}

/** Reads the rest of an Update, whose header is the patch's current line. */
function readUpdate(patch: Patch, path: string): void {
  const { found, lines, to, lenient } = patch;
  const patchLine = patch.at + 1;
  const update: Update = { hunks: [], move: undefined };
  for (; ; patch.at++) {
    if (lenient && update.hunks.length === 0) skipLeading(patch, update, path);
    const at = patch.at + 1;
    if (at >= to || found.isFull) break;
    const marker = trimLineEnd(lines[at] ?? "");
    // Only an unindented marker ends an Update. An indented one is a context line, unless it is an end marker on the
    // last line of the patch.
    if (marker === markers.end || readHeader(marker) !== undefined || isLastEnd(patch, at)) break;
    if (readStrayMarker(marker)?.endsSection === true) break;
    const problem = readUpdateLine(patch, update, at, marker);
    if (problem !== undefined) {
      found.report(at, problem, path);
      skipSection(patch);
      return;
    }
  }
  if (lenient && !found.isFull) dropEmptyLast(patch, update);
  const last = update.hunks.at(-1);
  if (last?.lines.length === 0) {
    found.report(last.patchLine - 1, patchProblems.emptyHunk(), path);
  } else if (last === undefined && !(lenient && update.move !== undefined)) {
    found.report(patchLine - 1, patchProblems.noHunks(), path);
  } else {
    found.operations.push({ kind: "update", path, patchLine, ...update });
  }
}

/** Drops a bare `@@` after the last hunk, and any empty lines after it: some models end a section in this way. */
function dropEmptyLast({ found }: Patch, { hunks }: Update): void {
  const last = hunks.at(-1);
  if (hunks.length < 2 || last === undefined || last.anchors.length > 0) return;
  if (last.atEnd || !last.lines.every(isEmpty)) return;
  hunks.pop();
  found.next--;
}

/** Adds line `at` to an Update. `marker`: without trailing whitespace. Returns the problem, if any. */
function readUpdateLine(patch: Patch, update: Update, at: number, marker: string): string | undefined {
  const line = patch.lines[at] ?? "";
  const last = update.hunks.at(-1);
  if (marker === markers.endOfFile) {
    // Codex silently accepts this marker before the first hunk.
    if (last === undefined) return undefined;
    if (last.atEnd || last.lines.length === 0) return patchProblems.endOfFileMisplaced();
    last.atEnd = true;
    return undefined;
  }
  if (isHunkStart(marker, patch)) return startHunk(patch, update, at, marker);
  if (last?.atEnd === true) return marker === "" ? undefined : patchProblems.behindEndOfFile();
  if (marker.startsWith(markers.moveTo)) {
    if (last !== undefined || update.move !== undefined) return patchProblems.moveMisplaced();
    update.move = { index: patch.found.next++, path: marker.slice(markers.moveTo.length), patchLine: at + 1 };
    return undefined;
  }
  const kind = line === "" ? "context" : kinds[line[0] ?? ""];
  if (kind === undefined) {
    const stray = readStrayMarker(marker);
    if (stray !== undefined) return stray.problem;
    if (!patch.lenient) return patchProblems.hunkLine();
    if (isNoNewline(line)) {
      // After a removed line that lacks a line ending, the new text has one, unless another note follows.
      if (last !== undefined) last.addsLineEnd = last.lines.at(-1)?.kind === "remove";
      return undefined;
    }
  }
  const hunk = last ?? openHunk(patch, update, at);
  if (kind === undefined) hunk.lines.push({ kind: "context", text: line, unsignedAt: at + 1 });
  else hunk.lines.push(line.length < 2 ? emptyLines[kind] : { kind, text: line.slice(1) });
  return undefined;
}

/** One object per kind, shared by all empty lines of that kind, because a hostile patch may have millions of them. */
const emptyLines: Readonly<Record<HunkLine["kind"], HunkLine>> = {
  context: { kind: "context", text: "" },
  remove: { kind: "remove", text: "" },
  add: { kind: "add", text: "" },
};

function openHunk(patch: Patch, update: Update, at: number): OpenHunk {
  const hunk = { index: patch.found.next++, patchLine: at + 1, anchors: [], lines: [], atEnd: false };
  update.hunks.push(hunk);
  return hunk;
}

function startHunk(patch: Patch, update: Update, at: number, marker: string): string | undefined {
  const last = update.hunks.at(-1);
  const anchor = readAnchor(marker, patch);
  if (!patch.lenient && last?.lines.length === 0) return patchProblems.stackedAnchor();
  const isStacked = patch.lenient && last?.atEnd === false && last.lines.every(isEmpty);
  const hunk = isStacked ? last : openHunk(patch, update, at);
  hunk.lines.length = 0;
  if (anchor !== undefined) hunk.anchors.push(anchor);
  return undefined;
}

const isEmpty = ({ kind, text }: HunkLine): boolean => kind === "context" && text === "";

/** Skips what may come between an Update's header and its first hunk and is not part of the hunk. */
function skipLeading(patch: Patch, { move }: Update, path: string): void {
  skipLeadingBlanks(patch);
  const { lines, at } = patch;
  const length = diffHeaderLength(lines.slice(at + 1, at + 7), [path, ...(move === undefined ? [] : [move.path])]);
  if (length > 0 && isHunkStart(trimLineEnd(lines[at + 1 + length] ?? ""), patch)) patch.at += length;
}

/**
 * Skips the empty lines between an Update's header and its first hunk; they are not part of the hunk. If the hunk has
 * no `@@`, two kinds of lines are kept: a line of spaces, which is an empty context line, and an empty line above a
 * `+`, which may be the only sign of where the addition goes.
 */
function skipLeadingBlanks(patch: Patch): void {
  const { lines, to } = patch;
  const first = patch.at + 1;
  let filled = first;
  while (filled < to && trimLineEnd(lines[filled] ?? "") === "") filled++;
  const next = trimLineEnd(lines[filled] ?? "");
  if (filled === to || isHunkStart(next, patch) || next.startsWith("***")) {
    patch.at = filled - 1;
  } else if (!next.startsWith("+")) {
    while (patch.at + 1 < filled && lines[patch.at + 1] === "") patch.at++;
  }
}

/** Reports whether a line is an end marker with nothing after it. As in Codex, the marker may be indented. */
function isLastEnd({ lines, to }: Patch, at: number): boolean {
  return at === to - 1 && trimLine(lines[at] ?? "") === markers.end;
}

/** Reports whether a line is Git's note that the preceding line has no line ending. */
function isNoNewline(line: string): boolean {
  return line.startsWith("\\ No newline at end of file");
}

/** Checks the lines after the end marker: empty ones and a second marker or, if lenient, any but a patch. */
function checkRest({ found, lines, to, lenient, at: first }: Patch): void {
  const end = lenient ? lines.length : to;
  let at = first;
  if (lenient) {
    while (at < end && ["", markers.end].includes(trimLine(lines[at] ?? ""))) at++;
    while (at < end && !looksLikePatch(lines[at] ?? "")) at++;
  } else {
    while (at < end && trimLine(lines[at] ?? "") === (at === end - 1 ? markers.end : "")) at++;
  }
  if (at === end) return;
  const isSecond = trimLine(lines[at] ?? "") === markers.begin;
  found.report(at, isSecond ? patchProblems.beginInside() : patchProblems.behindEnd());
}
