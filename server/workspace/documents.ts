/** The texts that the editor has open, as it synced them: a change is taken whole or not at all, and doubt is remembered. */
import { isObject } from "../dialect/keys.js";
import { limits } from "../text/limits.js";
import { LineIndex, type LineRule } from "../text/lines.js";
import { syncProblems } from "./sentences.js";

/** Lines that a document had and has lost to changes: by line, without blanks at its ends: the last version that had it. The oldest are forgotten first. */
export type FormerLines = Map<string, number>;

/** One open document at one moment: a value that later changes leave as it is. */
export interface OpenDocument {
  /** As the editor spells it. */
  readonly uri: string;
  /** The version that `text` is of; 0 for a document that was opened without a usable one, which is desynced. */
  readonly version: number;
  /** As synced, with whatever byte order mark and line ends the editor sends. */
  readonly text: string;
  /** The lines of `text`, found when they are first asked for. */
  readonly lines: LineIndex;
  /** Whether a lone CR ends a line for this editor. */
  readonly loneCrEndsLine: boolean;
  /** Lines that the document has lost since it was opened; shared by all its versions. */
  readonly formerLines: FormerLines;
  /**
   * Why the editor's text is not known, as the clause that `pathFailures.desynced` takes; `text` is then the last good
   * one, or empty where there never was one. Absent: `text` is what the editor has.
   */
  readonly desynced?: string | undefined;
}

/** A range as LSP has it, in positions of whatever encoding was negotiated; the numbers may still be anything. */
export interface SyncRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

/** Finds a range in a text, in UTF-16 offsets; handed in, because only `lsp/` knows positions. `undefined`: not in it. */
export type ToSpan = (
  range: SyncRange,
  text: string,
  lines: LineIndex,
) => { readonly from: number; readonly to: number } | undefined;

/** The result of one notification. */
export type SyncOutcome =
  /** The text is known. */
  | { readonly kind: "synced" }
  /** From now on the text is not known, for this reason. */
  | { readonly kind: "desynced"; readonly problem: string }
  /** The text was not known before and still is not, so that every keystroke comes here. */
  | { readonly kind: "stillDesynced" }
  /** There is no document that it could be about. */
  | { readonly kind: "ignored"; readonly problem: string };

/** The mirror of what the editor has open. Params are taken as they came off the wire; none of them makes it throw. */
export interface Documents {
  /** A document that is open already is replaced: editors do so, and versions may start anew. */
  open(uri: unknown, version: unknown, text: unknown, rule: LineRule): SyncOutcome;
  /**
   * Applies LSP's content changes, each to the result of the one before; one that can't be applied desyncs the document,
   * and none of its list counts. A whole text with an integer version makes a desynced document known again.
   */
  change(uri: unknown, version: unknown, changes: unknown, toSpan: ToSpan): SyncOutcome;
  close(uri: unknown): SyncOutcome;
  /** By the exact spelling of its URI; `undefined`: not open. */
  get(uri: string): OpenDocument | undefined;
  /** In the order in which they were opened. */
  all(): OpenDocument[];
  /** Tells of every open, change and close that was not ignored, after it happened; the answer ends the telling. */
  onChange(listener: (uri: string) => void): () => void;
}

/** A mirror that holds nothing yet. */
export function createDocuments(): Documents {
  const held = new Map<string, OpenDocument>();
  // Two subscriptions of one function are two.
  const listeners = new Set<{ readonly listener: (uri: string) => void }>();

  /** `undefined` closes the document. */
  function hold(uri: string, document: OpenDocument | undefined): void {
    if (document === undefined) held.delete(uri);
    else held.set(uri, document);
    for (const { listener } of [...listeners]) listener(uri);
  }

  return {
    open(uri, version, text, rule) {
      if (typeof uri !== "string") return { kind: "ignored", problem: syncProblems.badUri() };
      const document = opened(uri, version, text, rule);
      held.delete(uri); // Opened again, it goes to the end of the order.
      hold(uri, document);
      return document.desynced === undefined ? { kind: "synced" } : { kind: "desynced", problem: document.desynced };
    },
    change(uri, version, changes, toSpan) {
      if (typeof uri !== "string") return { kind: "ignored", problem: syncProblems.badUri() };
      const document = held.get(uri);
      if (document === undefined) return { kind: "ignored", problem: syncProblems.notOpen("change") };
      const { outcome, after } = changed(document, version, changes, toSpan);
      hold(uri, after);
      return outcome;
    },
    close(uri) {
      if (typeof uri !== "string") return { kind: "ignored", problem: syncProblems.badUri() };
      if (!held.has(uri)) return { kind: "ignored", problem: syncProblems.notOpen("close") };
      hold(uri, undefined);
      return { kind: "synced" };
    },
    get: (uri) => held.get(uri),
    all: () => [...held.values()],
    onChange(listener) {
      const subscription = { listener };
      listeners.add(subscription);
      return () => void listeners.delete(subscription);
    },
  };
}

/** A document whose lines are found when they are first asked for, unless they are given. */
function makeDocument(
  parts: Omit<OpenDocument, "lines" | "formerLines"> & Partial<Pick<OpenDocument, "formerLines">>,
  given?: LineIndex,
): OpenDocument {
  let lines = given;
  return {
    formerLines: new Map(),
    ...parts,
    get lines() {
      lines ??= LineIndex.of(parts.text, { loneCrEndsLine: parts.loneCrEndsLine });
      return lines;
    },
  };
}

/** The same document with other parts; `lines` are those of its text, `undefined`: they are found when they are asked for. */
function withParts(
  { uri, version, text, loneCrEndsLine, formerLines }: OpenDocument,
  parts: Partial<Pick<OpenDocument, "version" | "text" | "desynced">>,
  lines?: LineIndex,
): OpenDocument {
  return makeDocument({ uri, version, text, loneCrEndsLine, formerLines, ...parts }, lines);
}

function opened(uri: string, version: unknown, text: unknown, { loneCrEndsLine }: LineRule): OpenDocument {
  const isGood = isVersion(version);
  const common = { uri, version: isGood ? version : 0, text: "", loneCrEndsLine };
  if (typeof text !== "string") return makeDocument({ ...common, desynced: syncProblems.badText() });
  if (!isGood) return makeDocument({ ...common, text, desynced: syncProblems.badVersion(version) });
  if (text.length <= limits.syncedLength) return makeDocument({ ...common, text });
  return makeDocument({ ...common, desynced: syncProblems.tooLong(text.length, limits.syncedLength) });
}

function changed(
  document: OpenDocument,
  version: unknown,
  changes: unknown,
  toSpan: ToSpan,
): { outcome: SyncOutcome; after: OpenDocument } {
  const wasDesynced = document.desynced !== undefined;
  const lost = (problem: string): { outcome: SyncOutcome; after: OpenDocument } =>
    wasDesynced
      ? { outcome: { kind: "stillDesynced" }, after: document }
      : { outcome: { kind: "desynced", problem }, after: withParts(document, { desynced: problem }) };

  if (!isVersion(version)) return lost(syncProblems.badVersion(version));
  // An older whole text may be one that came late. Where nothing is known, the version that is held means nothing, too.
  if (!wasDesynced && version <= document.version) {
    return lost(syncProblems.versionNotGreater(version, document.version));
  }
  if (!Array.isArray(changes)) return lost(syncProblems.badChanges());
  let after = changes.length === 0 && !wasDesynced ? withParts(document, { version }, document.lines) : document;
  for (const [at, change] of changes.entries()) {
    const step = applyChange(after, version, { change, at }, toSpan);
    if (!step.ok) return lost(step.problem);
    after = step.document;
  }
  return { outcome: { kind: after.desynced === undefined ? "synced" : "stillDesynced" }, after };
}

type SyncStep =
  | { readonly ok: true; readonly document: OpenDocument }
  | { readonly ok: false; readonly problem: string };

function applyChange(
  document: OpenDocument,
  version: number,
  { change, at }: { readonly change: unknown; readonly at: number },
  toSpan: ToSpan,
): SyncStep {
  if (!isObject(change) || typeof change.text !== "string") return { ok: false, problem: syncProblems.badChange(at) };
  const { text: insert, range, rangeLength } = change;
  const tooLong = (length: number): SyncStep | undefined =>
    length <= limits.syncedLength
      ? undefined
      : { ok: false, problem: syncProblems.tooLong(length, limits.syncedLength) };
  if (range === undefined && rangeLength === undefined) {
    return tooLong(insert.length) ?? { ok: true, document: withParts(document, { version, text: insert }) };
  }
  if (!isRange(range)) return { ok: false, problem: syncProblems.badChange(at) };
  if (document.desynced !== undefined) return { ok: true, document }; // A part of a text that is not known.
  if (isReversed(range)) return { ok: false, problem: syncProblems.reversedRange(at) };
  const { text, lines } = document;
  const span = toSpan(range, text, lines);
  if (span === undefined) return { ok: false, problem: syncProblems.badRange(at) };
  const refusal = tooLong(text.length - (span.to - span.from) + insert.length);
  if (refusal !== undefined) return refusal;
  noteLines(document.formerLines, lines, span, document.version);
  const textAfter = text.slice(0, span.from) + insert + text.slice(span.to);
  const linesAfter = lines.edited(span.from, span.to, insert, textAfter);
  return { ok: true, document: withParts(document, { version, text: textAfter }, linesAfter) };
}

/** Notes the lines of a stretch of a text (UTF-16 offsets) that is about to be changed; very long ones are not kept. */
function noteLines(
  former: FormerLines,
  lines: LineIndex,
  span: { readonly from: number; readonly to: number },
  version: number,
): void {
  const first = lines.lineAt(span.from);
  const last = Math.min(lines.lineAt(span.to), first + limits.formerLinesPerChange - 1);
  for (let line = first; line <= last; line++) {
    if (lines.contentEnd(line) - lines.start(line) > limits.formerLineLength) continue;
    const text = copied(lines.content(line).trim());
    if (text === "") continue;
    former.delete(text);
    former.set(text, version);
    if (former.size > limits.formerLines) for (const oldest of former.keys()) if (former.delete(oldest)) break;
  }
}

/** The same text without the one that it was cut from: V8 makes a long enough slice keep all of that in memory. */
function copied(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

function isVersion(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isRange(value: unknown): value is SyncRange {
  return isObject(value) && isPosition(value.start) && isPosition(value.end);
}

function isPosition(value: unknown): boolean {
  return isObject(value) && typeof value.line === "number" && typeof value.character === "number";
}

function isReversed({ start, end }: SyncRange): boolean {
  return start.line > end.line || (start.line === end.line && start.character > end.character);
}
