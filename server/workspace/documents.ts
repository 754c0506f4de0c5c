/** Mirrors the open documents. Applies each change atomically, and marks documents whose text is uncertain. */
import { resolve } from "node:path";
import { isObject } from "../dialect/keys.js";
import { ChangeSet, shrink } from "../text/changeSet.js";
import { limits } from "../text/limits.js";
import { LinePieces, type LineWindow, type TextRange, type WidthOf } from "../text/linePieces.js";
import { LineIndex, type LineRule } from "../text/lines.js";
import { pathBehindUri, pathOfSyncedUri } from "./pathText.js";
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
  /** Lines that were replaced since the document was opened, up to a limit. All its versions share this map. */
  readonly formerLines: FormerLines;
  /** The changes to the previous version's text; `undefined` if they are unknown. */
  readonly since?: ChangeSet | undefined;
  /** Why the text is unknown, as a clause for `pathFailures.desynced`; `text` is the last known one, or empty. */
  readonly desynced?: string | undefined;
}

/** An LSP range, with positions in the negotiated encoding; its numbers have not been validated. */
export type SyncRange = TextRange;

/** The editor's positions, in the negotiated encoding. Supplied by `lsp/`. */
export interface EditorPositions {
  /** Converts a range to UTF-16 offsets; `undefined` if the range is not in the text. */
  toSpan(range: SyncRange, text: string, lines: LineIndex): { readonly from: number; readonly to: number } | undefined;
  /** Returns the number of characters, as positions count them, in a text without line endings. */
  readonly widthOf: WidthOf;
}

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
  /** Applies content changes, all or none: then the document is desynced, until a complete text arrives. */
  change(uri: unknown, version: unknown, changes: unknown, positions: EditorPositions): SyncOutcome;
  close(uri: unknown): SyncOutcome;
  /** Finds a document by the exact spelling of its URI; `undefined` if it is not open. */
  get(uri: string): OpenDocument | undefined;
  /** The open documents, for searches by path. */
  readonly held: Pick<OpenDocuments<OpenDocument>, "index" | "urisByPath">;
  /** Returns the open documents in the order they were opened. */
  all(): OpenDocument[];
  /** Calls the listener after every open, change and close that was not ignored. Returns a function to unsubscribe. */
  onChange(listener: (uri: string) => void): () => void;
}

/** Creates an empty mirror. */
export function createDocuments(): Documents {
  const held = new OpenDocuments<OpenDocument>();
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
    change(uri, version, changes, positions) {
      if (typeof uri !== "string") return { kind: "ignored", problem: syncProblems.badUri() };
      const document = held.get(uri);
      if (document === undefined) return { kind: "ignored", problem: syncProblems.notOpen("change") };
      const { outcome, after } = changed(document, version, changes, positions);
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
    held,
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

/** Returns a copy of a document with some parts replaced. `lines`: those of the new text, by default lazy. */
function withParts(
  { uri, version, text, loneCrEndsLine, formerLines }: OpenDocument,
  parts: Partial<Pick<OpenDocument, "version" | "text" | "desynced" | "since">>,
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
  positions: EditorPositions,
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
  // The document with its latest complete text, and the text partway through the changes that follow.
  let whole = document;
  let draft: TextDraft | undefined;
  for (const [at, change] of changes.entries()) {
    if (!isObject(change) || typeof change.text !== "string") return lost(syncProblems.badChange(at));
    const { text: insert, range, rangeLength } = change;
    if (range === undefined && rangeLength === undefined) {
      if (insert.length > limits.syncedLength) return lost(syncProblems.tooLong(insert.length, limits.syncedLength));
      whole = withParts(document, { version, text: insert });
      draft = undefined;
      continue;
    }
    if (!isRange(range)) return lost(syncProblems.badChange(at));
    if (whole.desynced !== undefined) continue; // The rest of the text is still unknown.
    draft ??= changes.length > manyChanges ? LinePieces.of(whole.lines, positions.widthOf) : new WholeText(whole.lines);
    const problem = replaceRange(draft, document, { range, insert, at }, positions);
    if (problem !== undefined) return lost(problem);
  }
  // After a complete new text, the changes that follow it are not all changes.
  const since = whole === document ? draft?.since : undefined;
  if (draft !== undefined) whole = withParts(whole, { version, text: draft.text, since }, draft.lines);
  else if (whole === document && !wasDesynced) whole = withParts(document, { version }, document.lines);
  return { outcome: { kind: whole.desynced === undefined ? "synced" : "stillDesynced" }, after: whole };
}

/** The number of changes from which on they are applied to pieces of a text. Few changes are applied to all of it. */
const manyChanges = 16;

/** A text partway through a notification. Windows and offsets are those of `LinePieces`. */
interface TextDraft {
  /** UTF-16 code units. */
  readonly length: number;
  readonly text: string;
  /** The lines of the text; `undefined` if they are not known yet. */
  readonly lines?: LineIndex | undefined;
  /** The changes so far; `undefined` if they are unknown. */
  readonly since?: ChangeSet | undefined;
  window(range: SyncRange): LineWindow;
  replace(from: number, to: number, insert: string): void;
}

/** A draft whose only window is the whole text. */
class WholeText implements TextDraft {
  since: ChangeSet;

  constructor(public lines: LineIndex) {
    this.since = ChangeSet.none(lines.text.length);
  }

  get text(): string {
    return this.lines.text;
  }

  get length(): number {
    return this.text.length;
  }

  window(range: SyncRange): LineWindow {
    return { lines: this.lines, range };
  }

  replace(from: number, to: number, insert: string): void {
    const changes = shrink(this.text, { from, to, insert });
    this.since = this.since.compose(ChangeSet.of(this.text.length, changes));
    this.lines = this.lines.edited(from, to, insert, this.text.slice(0, from) + insert + this.text.slice(to));
  }
}

/** Applies one change to a draft of the document's next text. Returns the problem if the change does not fit. */
function replaceRange(
  draft: TextDraft,
  { formerLines, version }: OpenDocument,
  { range, insert, at }: { readonly range: SyncRange; readonly insert: string; readonly at: number },
  positions: EditorPositions,
): string | undefined {
  if (isReversed(range)) return syncProblems.reversedRange(at);
  const { lines, range: inLines } = draft.window(range);
  const span = positions.toSpan(inLines, lines.text, lines);
  if (span === undefined) return syncProblems.badRange(at);
  const length = draft.length - (span.to - span.from) + insert.length;
  if (length > limits.syncedLength) return syncProblems.tooLong(length, limits.syncedLength);
  noteLines(formerLines, lines, span, version);
  draft.replace(span.from, span.to, insert);
  return undefined;
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

/** Open documents as they were at one moment. */
export interface OpenIndex<T> {
  /** In the order in which the documents were opened. */
  readonly byUri: ReadonlyMap<string, T>;
  /** The URIs of the documents whose own paths have exactly this spelling; documents that are not files are left out. */
  readonly urisByPath: ReadonlyMap<string, readonly string[]>;
  /** The documents through which the editor may hold unsaved changes to a file that it does not sync, by path. */
  readonly unseen: ReadonlyMap<string, UnseenDocument>;
}

/** A document that is not synced as a file but belongs to one. */
export interface UnseenDocument {
  readonly uri: string;
  /** `true` for an unsaved draft that the user may save under the path; `false` if it may hold changes to the file. */
  readonly isDraft: boolean;
}

/** The open documents of one editor, by URI. Only opening and closing documents makes it index the paths again. */
export class OpenDocuments<T> extends Map<string, T> {
  /** The path of each document that is a file. */
  readonly #paths = new Map<string, string>();
  #unseen: ReadonlyMap<string, UnseenDocument> | undefined;
  #byUri: ReadonlyMap<string, T> | undefined;
  #urisByPath: ReadonlyMap<string, readonly string[]> | undefined;

  override set(uri: string, document: T): this {
    if (!this.has(uri)) {
      const path = pathOfSyncedUri(uri);
      if (path === undefined) this.#unseen = undefined;
      else this.#paths.set(uri, resolve(path));
      this.#urisByPath = undefined;
    }
    this.#byUri = undefined;
    return super.set(uri, document);
  }

  override delete(uri: string): boolean {
    if (!this.#paths.delete(uri)) this.#unseen = undefined;
    this.#byUri = undefined;
    this.#urisByPath = undefined;
    return super.delete(uri);
  }

  /** Returns an index that later changes do not affect. */
  index(): OpenIndex<T> {
    this.#byUri ??= new Map(this);
    this.#unseen ??= toUnseen([...this.keys()].filter((uri) => !this.#paths.has(uri)));
    return { byUri: this.#byUri, urisByPath: this.urisByPath, unseen: this.#unseen };
  }

  /** The URIs of the open documents by their paths, which are normalised. A later change makes a new map. */
  get urisByPath(): ReadonlyMap<string, readonly string[]> {
    if (this.#urisByPath !== undefined) return this.#urisByPath;
    const index = new Map<string, string[]>();
    for (const [uri, path] of this.#paths) {
      const uris = index.get(path);
      if (uris === undefined) index.set(path, [uri]);
      else uris.push(uri);
    }
    this.#urisByPath = index;
    return index;
  }
}

/** Returns the documents with these URIs by the paths of the files to which they belong; leaves out those without one. */
export function toUnseen(uris: readonly string[]): ReadonlyMap<string, UnseenDocument> {
  return new Map(
    uris.flatMap((uri) => {
      const path = pathOfSyncedUri(uri) ?? pathBehindUri(uri);
      return path === undefined ? [] : [[resolve(path), { uri, isDraft: /^untitled:/i.test(uri) }] as const];
    }),
  );
}
