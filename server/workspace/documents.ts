/**
 * Mirrors the editor's open documents. Applies each change atomically and marks each document whose text has become
 * uncertain.
 */
import { isObject } from "../dialect/keys.js";
import { limits } from "../text/limits.js";
import { LineIndex, type LineRule } from "../text/lines.js";
import { syncProblems } from "./sentences.js";

/** A document's former lines, trimmed, each with the last version that contained it; oldest first. */
export type FormerLines = Map<string, number>;

/** A snapshot of an open document. A later change produces a new object. */
export interface OpenDocument {
  /** The URI as the editor spells it. */
  readonly uri: string;
  /** The version of `text`; 0 if the document was opened without a usable version and is therefore desynced. */
  readonly version: number;
  /** The text as synced, with whatever byte order mark and line endings the editor sent. */
  readonly text: string;
  /** The lines of `text`, computed lazily. */
  readonly lines: LineIndex;
  /** `true` if a lone CR ends a line for this editor. */
  readonly loneCrEndsLine: boolean;
  /**
   * Lines that have been replaced since the document was opened, up to a limit. All versions of the document share this
   * map.
   */
  readonly formerLines: FormerLines;
  /**
   * The reason the editor's text is unknown, as a clause for `pathFailures.desynced`; `text` is then the last known
   * text, or empty if there is none. Absent if `text` is the editor's text.
   */
  readonly desynced?: string | undefined;
}

/** An LSP range, with positions in the negotiated encoding; its numbers have not been validated. */
export interface SyncRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

/** Converts a range to UTF-16 offsets; `undefined` if the range is not in the text. Supplied by `lsp/`. */
export type ToSpan = (
  range: SyncRange,
  text: string,
  lines: LineIndex,
) => { readonly from: number; readonly to: number } | undefined;

/** The result of one notification. */
export type SyncOutcome =
  /** The text is known. */
  | { readonly kind: "synced" }
  /** The text is unknown from now on, because of `problem`. */
  | { readonly kind: "desynced"; readonly problem: string }
  /** The text was unknown before and still is. Every keystroke in a desynced document has this result. */
  | { readonly kind: "stillDesynced" }
  /** The notification is not about an open document. */
  | { readonly kind: "ignored"; readonly problem: string };

/** A mirror of the editor's open documents. Accepts parameters straight from the wire and never throws. */
export interface Documents {
  /** Opens a document. If it is already open, it is replaced, and its version numbers may start over. */
  open(uri: unknown, version: unknown, text: unknown, rule: LineRule): SyncOutcome;
  /**
   * Applies LSP content changes in order. If any of them can't be applied, none takes effect and the document is
   * desynced. A desynced document's text becomes known again when the editor sends a complete new text with an integer
   * version.
   */
  change(uri: unknown, version: unknown, changes: unknown, toSpan: ToSpan): SyncOutcome;
  close(uri: unknown): SyncOutcome;
  /** Finds a document by the exact spelling of its URI; `undefined` if it is not open. */
  get(uri: string): OpenDocument | undefined;
  /** Returns the open documents in the order they were opened. */
  all(): OpenDocument[];
  /** Calls the listener after every open, change and close that was not ignored. Returns a function to unsubscribe. */
  onChange(listener: (uri: string) => void): () => void;
}

/** Creates an empty mirror. */
export function createDocuments(): Documents {
  const held = new Map<string, OpenDocument>();
  // A listener that is subscribed twice is called twice.
  const listeners = new Set<{ readonly listener: (uri: string) => void }>();

  /** Stores a document or, if `document` is `undefined`, removes the stored one; then notifies the listeners. */
  function hold(uri: string, document: OpenDocument | undefined): void {
    if (document === undefined) held.delete(uri);
    else held.set(uri, document);
    for (const { listener } of [...listeners]) listener(uri);
  }

  return {
    open(uri, version, text, rule) {
      if (typeof uri !== "string") return { kind: "ignored", problem: syncProblems.badUri() };
      const document = opened(uri, version, text, rule);
      held.delete(uri); // A reopened document moves to the end of the order.
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

/** Creates a document. Its lines are `given` or computed lazily. */
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

/**
 * Returns a copy of a document with some parts replaced. `lines`: the lines of the new text; by default, computed
 * lazily.
 */
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
  // A change with an older version may have arrived late. A desynced document's version is meaningless.
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
  if (document.desynced !== undefined) return { ok: true, document }; // The rest of the text is still unknown.
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

/** Records the first few lines of a span (UTF-16 offsets) that is about to change. Skips long lines. */
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

/** Copies a slice of a text, because in V8 all but the shortest slices keep the whole text in memory. */
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
