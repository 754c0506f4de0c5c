/** Follows the texts that calls have changed, open or not, with their hunks. */
import { compareTexts } from "../../match/compareTexts.js";
import { type EditOutcome, type FileChange, type FileUpdate, nameAfter } from "../../plan/outcome.js";
import type { Document } from "../../plan/snapshot.js";
import { type Change, ChangeSet, shrink } from "../../text/changeSet.js";
import { withoutMark } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { LineIndex } from "../../text/lines.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { openAt, type Session } from "../session.js";
import { addHunks, type CallChange, editsTouching, type FollowedHunk, followHunks } from "./hunk.js";
import type { TextReversal } from "./reviewer.js";
import { reviewProblems } from "./sentences.js";

/** A text with hunks. */
export interface ReviewedText {
  /** As the editor spells it, if it has the document open. */
  uri: string;
  /** The text in which the hunks have their places, without a byte order mark. */
  text: string;
  /** By their places; no two overlap. */
  hunks: readonly FollowedHunk[];
  /** The text and its hunks before the latest edits that the server has sent, or proposed, but not proved. */
  before: readonly Pick<ReviewedText, "text" | "hunks">[];
  /** The text and its hunks before a burst of changes that came without a pause; `undefined` if there was a pause. */
  burst: (Pick<ReviewedText, "text" | "hunks"> & { steps: number }) | undefined;
  /** Time of the last change, as of `performance.now()`. */
  changedAt: number;
  /** The calls whose hunks are not all known any more. */
  readonly lost: Set<string>;
  /** `true` if the text was on disk before each call that has changed it, so that no hunk has text that never was. */
  wasOnDisk: boolean;
  /** The hunks as they were when the text was last seen on disk, and the hash of the file; `undefined` if it was not. */
  saved: { readonly hash: string; readonly hunks: readonly FollowedHunk[] } | undefined;
}

/** The number of states that are kept: of an edit, of its rollback, and of an edit that is only proposed. */
const statesBefore = 3;

/** Returns the index of the text that a hunk is to get; `undefined` leaves it as it is; a `problem` is a clause. */
export type WantedLevel = (hunk: FollowedHunk) => number | undefined | { readonly problem: string };

/** Returns the function for the text that a hunk gets if a call is undone or redone. `labelOf`: returns a call's label. */
export const levelOfCall =
  (transaction: string, direction: "undo" | "redo", labelOf: (call: string) => string): WantedLevel =>
  ({ calls, level, texts }) => {
    const own = calls.indexOf(transaction);
    const wanted = direction === "undo" ? own : own + 1;
    if (own < 0) return undefined;
    // Another text there would not be told from the wanted one.
    if (level === undefined) return wanted;
    if (direction === "undo" ? level <= own : level > own) return undefined;
    const isNext = level === (direction === "undo" ? own + 1 : own) || texts[level] === texts[wanted];
    const other = calls[direction === "undo" ? own + 1 : own - 1] ?? "";
    return isNext ? wanted : { problem: reviewProblems.changedAgain(other, labelOf(other)) };
  };

/** Returns the name under which a file's text is kept, however the editor spells its URI. */
export const keyOf = (uri: string): string => pathOfSyncedUri(uri) ?? uri;

/** A call that has changed a file; `edits`: what became of its edits. */
interface RecordedCall extends Pick<CallChange, "call" | "order" | "newId"> {
  readonly edits?: readonly EditOutcome[] | undefined;
}

/** The texts of a session that have hunks, by their keys. */
export class ReviewedTexts {
  readonly held = new Map<string, ReviewedText>();
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Brings a text up to what the editor has synced. Returns it if its hunks may have changed. */
  synced(uri: string): ReviewedText | undefined {
    const own = this.held.get(keyOf(uri));
    const open = this.#session.documents.get(uri);
    if (own === undefined || open?.desynced !== undefined) return undefined;
    if (open === undefined) return own;
    own.uri = uri;
    const now = performance.now();
    if (now - own.changedAt > limits.reviewMs) own.burst = undefined;
    own.changedAt = now;
    const text = withoutMark(open.text);
    follow(own, text, text === open.text ? open.since : undefined);
    return own;
  }

  /** Reports whether the hunks, and those of `files` whole files, are within the limits. */
  fit(files: number): boolean {
    let size = 0;
    let count = files;
    for (const { text, hunks } of this.held.values()) {
      size += text.length;
      count += hunks.length;
      for (const { texts } of hunks) for (const one of texts) size += one.length;
    }
    return count <= limits.reviewHunks && size <= limits.reviewText;
  }

  /** Drops the texts that have no hunks any more. */
  dropEmpty(): void {
    for (const [key, { hunks, before }] of this.held)
      if (hunks.length === 0 && !before.some((state) => state.hunks.length > 0)) this.held.delete(key);
  }

  /** Adds hunks of an earlier session, unless the text has some already. */
  restore({ uri, text, hunks }: Pick<ReviewedText, "uri" | "text" | "hunks">): void {
    if (this.held.has(keyOf(uri))) return;
    const own = { ...empty(uri, text), hunks };
    this.held.set(keyOf(uri), own);
    const open = openAt(this.#session, uri);
    if (open !== undefined) this.synced(open.uri);
  }

  /** Follows what an undo or a redo has made of files, of which the editor syncs only those that it has open. */
  written(files: readonly FileChange[]): void {
    for (const file of files) {
      const own = this.held.get(keyOf(file.document.uri));
      if (own === undefined || (file.kind !== "update" && file.kind !== "rename")) continue;
      const { uri } = nameAfter(file);
      this.held.delete(keyOf(file.document.uri));
      this.held.set(keyOf(uri), own);
      if (file.kind === "rename") own.uri = uri;
      if (openAt(this.#session, uri) === undefined) follow(own, file.text, undefined);
    }
  }

  /** Keeps the hunks of files as they are, because a call is about to change these. */
  expect(files: readonly FileChange[]): void {
    for (const { document } of files) {
      const own = this.held.get(keyOf(document.uri));
      if (own !== undefined) own.before = [...own.before, { text: own.text, hunks: own.hunks }].slice(-statesBefore);
    }
  }

  /** Adds the hunks of a call's change to a file. */
  record(file: FileChange, { edits = [], ...call }: RecordedCall): ReviewedText {
    const { uri } = openAt(this.#session, nameAfter(file).uri) ?? nameAfter(file);
    const key = keyOf(uri);
    const formerKey = keyOf(file.document.uri);
    const open = this.#session.documents.get(uri);
    const { change, text: textB } = file;
    const textA = file.document.text;
    const own = this.held.get(formerKey) ?? this.held.get(key) ?? empty(uri, textA);
    this.held.delete(formerKey);
    this.held.set(key, own);
    Object.assign(own, { uri, ...own.before.findLast(({ text }) => text === textA), before: [], burst: undefined });
    follow(own, textA, undefined);
    own.wasOnDisk &&= file.document.version === null || file.document.onDisk === "same";
    const editsAt = edits.length > 1 ? editsTouching(file, edits) : undefined;
    own.hunks = addHunks(own.hunks, { ...call, textA, textB, change, editsAt }, (lost) => own.lost.add(lost));
    own.text = textB;
    own.burst = undefined;
    follow(own, open === undefined ? textB : withoutMark(open.text), undefined);
    return own;
  }

  /**
   * Returns the change by which the hunks of a document get the texts that `wanted` names, by their index; `undefined`
   * leaves a hunk as it is. Without hunks, the result is `undefined`.
   */
  reverse(document: Document, wanted: WantedLevel): TextReversal | undefined {
    const own = this.held.get(keyOf(document.uri));
    if (own === undefined) return undefined;
    follow(own, document.text, undefined);
    const changes: Change[] = [];
    for (const hunk of own.hunks) {
      const level = wanted(hunk);
      if (level === undefined || level === hunk.level) continue;
      const insert = typeof level === "object" ? "" : (hunk.texts[level] ?? "");
      if (typeof level === "object" || hunk.level === undefined || joinsLines(own.text, { ...hunk, insert })) {
        const lines = linesOf(own, hunk);
        const problem = typeof level === "object" ? level.problem : reviewProblems.typedIn(lines);
        return { ok: false, problem, line: lines.first };
      }
      changes.push({ from: hunk.from, to: hunk.to, insert });
    }
    return { ok: true, change: ChangeSet.of(document.text.length, changes) };
  }
}

/** Reports whether a change would join lines with those next to them, because somebody has typed at the end of the text. */
function joinsLines(text: string, { from, to, insert }: Change): boolean {
  if (insert === "") return false;
  const startsLine = from === 0 || text[from - 1] === "\n";
  return !startsLine || !(insert.endsWith("\n") || /^(\r?\n|$)/.test(text.slice(to, to + 2)));
}

/** Returns the change that some hunks have made of a text; none for the steps that undo them. */
export function baseOf(path: string, { uri, text, hunks }: ReviewedText, ids: ReadonlySet<string>): FileUpdate {
  const own = hunks.filter(({ id }) => ids.has(id));
  const back = ChangeSet.of(
    text.length,
    own.map(({ from, to, texts, kept }) => ({ from, to, insert: texts[kept] ?? "" })),
  );
  const flags = { exists: true, bom: false, bomSynced: false, loneCrEndsLine: false };
  const document = { uri, path, version: null, text: back.apply(text), ...flags };
  return { kind: "update", document, change: back.invert(text), text, overwritten: false, edits: 1, operations: [] };
}

/** Returns a text without hunks. */
const empty = (uri: string, text: string): ReviewedText => ({
  ...{ uri, text, hunks: [], before: [], burst: undefined, changedAt: 0, wasOnDisk: true, saved: undefined },
  lost: new Set(),
});

/** Moves the hunks along to a newer text. `since`: the changes to the former one; `undefined` if they are unknown. */
function follow(own: ReviewedText, text: string, since: ChangeSet | undefined): void {
  const { text: former, before } = own;
  if (text === former) return;
  own.burst ??= { text: former, hunks: own.hunks, steps: 0 };
  own.text = text;
  // A call that was rolled back has changed nothing.
  const held = before.findLast((one) => one.text === text);
  if (held !== undefined) own.hunks = held.hunks;
  else own.hunks = followHunks(own.hunks, changeOf(former, text, since), text);
  if (++own.burst.steps <= burstSteps) own.hunks = inOneStep(own.hunks, own.burst, text);
}

/** The number of steps in which an editor makes one change; what takes more is typing. */
const burstSteps = 20;

/**
 * Returns hunks with what a burst of changes has made of them as a whole: editors make one change, such as their own undo,
 * in several steps, between which a hunk has a text that it never had.
 */
function inOneStep(
  hunks: readonly FollowedHunk[],
  { text: former, hunks: before }: Pick<ReviewedText, "text" | "hunks">,
  text: string,
): readonly FollowedHunk[] {
  const known = new Map(before.map((hunk) => [hunk.id, hunk]));
  const isTurned = ({ id, level }: FollowedHunk): boolean => level === undefined && known.get(id)?.level !== undefined;
  if (!hunks.some(isTurned) || hunks.some(({ id, texts }) => known.get(id)?.texts !== texts)) return hunks;
  const again = new Map(followHunks(before, changeOf(former, text, undefined), text).map((hunk) => [hunk.id, hunk]));
  return hunks.map((hunk) => {
    const { from, to, level } = again.get(hunk.id) ?? hunk;
    return isTurned(hunk) && level !== undefined ? { ...hunk, from, to, level } : hunk;
  });
}

/** Returns the changes between two texts, as they were made, or else as it seems. */
function changeOf(former: string, text: string, since: ChangeSet | undefined): ChangeSet {
  const [first, second] = since?.changes ?? [];
  const isWhole = second === undefined && first?.from === 0 && first.to === former.length;
  if (since !== undefined && since.length === former.length && !isWhole) return since;
  const changes = shrink(former, { from: 0, to: former.length, insert: text });
  const isTyped = changes.every(
    ({ from, to, insert }) => !insert.includes("\n") || !former.slice(from, to).includes("\n"),
  );
  return isTyped ? ChangeSet.of(former.length, changes) : compareTexts(former, text);
}

/** The latest index of the lines of each text. */
const indexes = new WeakMap<ReviewedText, LineIndex>();

/** Returns the lines of a text. As in diffs, only LF ends a line. */
export function indexOf(own: ReviewedText): LineIndex {
  const known = indexes.get(own);
  if (known?.text === own.text) return known;
  const lines = LineIndex.of(own.text, { loneCrEndsLine: false });
  indexes.set(own, lines);
  return lines;
}

/** The lines of a hunk for people: 1-based, inclusive. Of lines that were only removed, it is the one below. */
export function linesOf(
  own: ReviewedText,
  { from, to }: Pick<FollowedHunk, "from" | "to">,
): { readonly first: number; readonly last: number } {
  const lines = indexOf(own);
  return { first: lines.lineAt(from) + 1, last: lines.lineAt(Math.max(from, to - 1)) + 1 };
}
