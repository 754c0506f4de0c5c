/**
 * The hunks of one text: the lines that calls have changed, which follow the text. A hunk has the text of its lines before
 * and after each call that changed them, so what became of it is seen from the lines alone.
 */
import { compareTexts } from "../../match/compareTexts.js";
import { indicesOf } from "../../plan/operation.js";
import type { EditOutcome, FileChange } from "../../plan/outcome.js";
import { type Change, ChangeSet } from "../../text/changeSet.js";
import { LineIndex } from "../../text/lines.js";

/** Whole lines that calls have changed. */
export interface FollowedHunk {
  readonly id: string;
  /** The lines, as offsets in the present text. */
  readonly from: number;
  readonly to: number;
  /** The lines before the first call, and after each of the calls. */
  readonly texts: readonly string[];
  /** The transactions of the calls, oldest first. */
  readonly calls: readonly string[];
  /** The index of the text that is there now; `undefined` if it is none of them, because somebody has typed there. */
  readonly level: number | undefined;
  /** The index of the text that the user has agreed to: the one before the first call, until the user keeps a later one. */
  readonly kept: number;
  /** The numbers of the last call's edits that changed the lines, 1-based; absent if unknown, or if it had only one. */
  readonly edits?: readonly number[];
}

/** What has become of a hunk. */
export function stateOf({ texts, level, kept }: FollowedHunk): "pending" | "changed" | "kept" | "undone" {
  if (level === undefined) return "changed";
  if (level > kept) return "pending";
  return level === texts.length - 1 ? "kept" : "undone";
}

/** Reports whether a hunk has a text before a call or, without one, is undone. */
export const isBefore = (hunk: FollowedHunk, call: string | undefined): boolean =>
  call === undefined ? stateOf(hunk) === "undone" : hunk.level !== undefined && hunk.level <= hunk.calls.indexOf(call);

/** Returns the hunks after a change of the text that no call has made. `text`: the new text. */
export function followHunks(hunks: readonly FollowedHunk[], change: ChangeSet, text: string): readonly FollowedHunk[] {
  if (change.isEmpty) return hunks;
  const first = change.changes[0]!.from;
  const last = change.changes.at(-1)!.to;
  const shift = change.lengthAfter - change.length;
  return hunks.map((hunk) => {
    if (hunk.to < first) return hunk;
    if (hunk.from > last) return { ...hunk, from: hunk.from + shift, to: hunk.to + shift };
    return followHunk(hunk, change, text);
  });
}

function followHunk(hunk: FollowedHunk, change: ChangeSet, text: string): FollowedHunk {
  const wide = { from: change.mapPos(hunk.from, "before"), to: change.mapPos(hunk.to, "after") };
  const start = hunk.from === hunk.to ? wide.from : change.mapPos(hunk.from, "after");
  const end = hunk.from === hunk.to ? start : change.mapPos(hunk.to, "before");
  // If one change covers the whole hunk, there is nothing between its two ends.
  const narrow = start <= end ? { from: start, to: end } : wide;
  for (const span of hunk.from === hunk.to ? [wide, narrow] : [narrow, wide]) {
    const level = isWhole(text, span) ? levelOf(hunk, text.slice(span.from, span.to)) : undefined;
    if (level !== undefined) return { ...hunk, ...span, level };
  }
  // A hunk without lines has its place at the start of a line.
  const next = lineEnd(text, narrow.from);
  const level = next >= narrow.to ? levelOf(hunk, "") : undefined;
  if (level !== undefined) return { ...hunk, from: next, to: next, level };
  return { ...hunk, from: lineStart(text, narrow.from), to: lineEnd(text, narrow.to), level: undefined };
}

/** Reports whether a span consists of whole lines; the line end of the last one need not be part of it. */
function isWhole(text: string, { from, to }: { readonly from: number; readonly to: number }): boolean {
  const ends = from === to || lineEnd(text, to) === to || text[to] === "\n" || text[to] === "\r";
  return ends && lineStart(text, from) === from;
}

/** Returns the index of a text among those of a hunk, the present one or else the last; `undefined` if it is none of them. */
function levelOf({ texts, level }: FollowedHunk, text: string): number | undefined {
  if (level !== undefined && texts[level] === text) return level;
  const found = texts.lastIndexOf(text);
  return found < 0 ? undefined : found;
}

/** What a call has made of a text, and what is to be known of the calls before it. */
export interface CallChange {
  readonly call: string;
  readonly textA: string;
  readonly textB: string;
  readonly change: ChangeSet;
  /** The calls, each with its number: later ones have higher numbers. */
  readonly order: ReadonlyMap<string, number>;
  readonly newId: () => string;
  /** Returns the `edits` of a hunk for its lines in A; absent if they are unknown. */
  readonly editsAt?: ((from: number, to: number) => readonly Pick<EditOutcome, "index">[]) | undefined;
}

/**
 * Adds the hunks of a call to those of the text before it. A hunk of which the call changes lines becomes part of the new
 * one. `lost`: called for each call of whose lines nobody can say any more what it did.
 */
export function addHunks(
  hunks: readonly FollowedHunk[],
  call: CallChange,
  lost: (call: string) => void,
): readonly FollowedHunk[] {
  const { textA, textB } = call;
  const change = refined(textA, call.change);
  const made = { ...call, change };
  const out: FollowedHunk[] = [];
  const pieces = changedLines(made);
  const held = [...hunks];
  while (pieces.length > 0 || held.length > 0) {
    const span = { from: Number.POSITIVE_INFINITY, to: -1 };
    const own: FollowedHunk[] = [];
    const size = pieces.length;
    // Whatever touches belongs together.
    for (;;) {
      const [piece, hunk] = [pieces[0], held[0]];
      const next = piece !== undefined && (hunk === undefined || piece.from <= hunk.from) ? piece : hunk;
      if (next === undefined || (span.to >= 0 && next.from > span.to)) break;
      if (next === piece) pieces.shift();
      else own.push(held.shift()!);
      span.from = Math.min(span.from, next.from);
      span.to = Math.max(span.to, next.to);
    }
    if (pieces.length < size) out.push(...joined(own, span, made, lost));
    else for (const hunk of own) out.push(moved(hunk, change, textB));
  }
  return out;
}

/** Returns a hunk that a call has not touched, at its place after the call. */
function moved(hunk: FollowedHunk, change: ChangeSet, text: string): FollowedHunk {
  const [followed] = followHunks([hunk], change, text);
  return { ...followed!, level: hunk.level };
}

/** Returns the hunk that a call makes of lines and of the hunks there; none if nothing is different in the end. */
function joined(
  hunks: readonly FollowedHunk[],
  { from, to }: { readonly from: number; readonly to: number },
  { call, textA, textB, change, order, newId, editsAt }: CallChange,
  lost: (call: string) => void,
): readonly FollowedHunk[] {
  const pending = hunks.filter((hunk) => stateOf(hunk) === "pending");
  for (const hunk of hunks) if (!pending.includes(hunk)) hunk.calls.forEach(lost);
  const callsOf = ({ calls, kept, level }: FollowedHunk): readonly string[] => calls.slice(kept, level);
  const earlier = [...new Set(pending.flatMap(callsOf))].sort((a, b) => order.get(a)! - order.get(b)!);
  const textAfter = (count: number): string => {
    const done = new Set(earlier.slice(0, count));
    const changes = pending.map((hunk): Change => {
      const level = hunk.kept + callsOf(hunk).filter((one) => done.has(one)).length;
      return { from: hunk.from - from, to: hunk.to - from, insert: hunk.texts[level]! };
    });
    return ChangeSet.of(to - from, changes).apply(textA.slice(from, to));
  };
  const place = { from: change.mapPos(from, "before"), to: change.mapPos(to, "after") };
  const texts = [
    ...Array.from({ length: earlier.length + 1 }, (_, i) => textAfter(i)),
    textB.slice(place.from, place.to),
  ];
  const calls = [...earlier, call];
  if (texts[0] === texts.at(-1)) calls.forEach(lost);
  if (texts[0] === texts.at(-1)) return [];
  const edits = editsAt === undefined ? {} : { edits: editsAt(from, to).map(({ index }) => index + 1) };
  return [{ id: pending[0]?.id ?? newId(), ...place, texts, calls, level: calls.length, kept: 0, ...edits }];
}

/** Returns the outcomes of a file's own edits. */
export function editsOf<O extends Pick<EditOutcome, "index">>(
  { operations }: Pick<FileChange, "operations">,
  outcomes: readonly O[],
): readonly O[] {
  const indices = new Set(operations.flatMap(indicesOf));
  return outcomes.filter(({ index }) => indices.has(index));
}

/** Returns the function for those of a file's edits whose places touch a span of its text before the call. */
export function editsTouching<O extends Pick<EditOutcome, "index" | "places">>(
  file: Pick<FileChange, "document" | "operations">,
  outcomes: readonly O[],
): (from: number, to: number) => readonly O[] {
  const lines = LineIndex.of(file.document.text, file.document);
  const own = editsOf(file, outcomes);
  return (from, to) =>
    own.filter(({ places }) =>
      places.some(({ startLine, endLine }) => from <= lines.end(endLine - 1) && lines.start(startLine - 1) <= to),
    );
}

/** Returns hunks of which the user has agreed to some; those in which somebody has typed are dropped. */
export function keepHunks(hunks: readonly FollowedHunk[], ids: ReadonlySet<string>): readonly FollowedHunk[] {
  return hunks.flatMap((hunk) => {
    if (!ids.has(hunk.id)) return [hunk];
    return hunk.level === undefined ? [] : [{ ...hunk, kept: hunk.level }];
  });
}

/**
 * Returns hunks without the oldest call, whose change then counts as one of the next call; the same array if it has none.
 * `lost`: called for each call of whose lines nobody can say any more what it did.
 */
export function forgetCall(
  hunks: readonly FollowedHunk[],
  call: string,
  lost: (call: string) => void,
): readonly FollowedHunk[] {
  if (!hunks.some(({ calls }) => calls.includes(call))) return hunks;
  return hunks.flatMap((hunk) => {
    const at = hunk.calls.indexOf(call);
    if (at < 0) return [hunk];
    // The text after the call can't be dropped if it is the present one.
    const isNeeded = hunk.level === at + 1 || hunk.kept === at + 1;
    if (hunk.calls.length === 1 || isNeeded) hunk.calls.forEach(lost);
    if (hunk.calls.length === 1 || isNeeded) return [];
    lost(call);
    const [level, kept] = [hunk.level, hunk.kept].map((index = -1) => (index > at ? index - 1 : index)) as [
      number,
      number,
    ];
    const [texts, calls] = [hunk.texts.toSpliced(at + 1, 1), hunk.calls.toSpliced(at, 1)];
    return [{ ...hunk, texts, calls, kept, level: hunk.level === undefined ? undefined : level }];
  });
}

/** Returns the whole lines of A that a call has changed; runs with at most one line between them are one. */
function changedLines({ textA, textB, change }: CallChange): { readonly from: number; readonly to: number }[] {
  const out: { from: number; to: number }[] = [];
  for (const { from: start, to: end } of change.changes) {
    const [startB, endB] = [change.mapPos(start, "before"), change.mapPos(end, "after")];
    const before = Math.max(start - lineStart(textA, start), startB - lineStart(textB, startB));
    const from = Math.max(0, start - before);
    const isLineEnd = lineEnd(textA, end) === end && lineEnd(textB, endB) === endB;
    const to = isLineEnd ? end : nextLine(textA, end);
    const last = out.at(-1);
    if (last !== undefined && nextLine(textA, last.to) >= from) last.to = Math.max(to, last.to);
    else out.push({ from, to });
  }
  return out;
}

/** Returns changes that make the same text, without what several lines have in common with several others. */
export function refined(textA: string, { length, changes }: ChangeSet): ChangeSet {
  const parts = changes.flatMap(({ from, to, insert }): readonly Change[] => {
    const old = textA.slice(from, to);
    if (!old.includes("\n") || !insert.includes("\n")) return [{ from, to, insert }];
    const inner = compareTexts(old, insert).changes;
    return inner.map((part) => ({ from: from + part.from, to: from + part.to, insert: part.insert }));
  });
  return ChangeSet.of(length, parts);
}

/** Returns the parts of a changed hunk's lines that a call has written, as offsets in the present text. */
export function ownParts({ from, to, texts }: FollowedHunk, text: string): readonly { from: number; to: number }[] {
  const out: { from: number; to: number }[] = [];
  let start = from;
  let shift = from;
  for (const change of compareTexts(texts.at(-1)!, text.slice(from, to)).changes) {
    if (change.from + shift > start) out.push({ from: start, to: change.from + shift });
    shift += change.insert.length - (change.to - change.from);
    start = change.to + shift;
  }
  if (to > start) out.push({ from: start, to });
  return out;
}

/** Returns the start of the line of an offset. As in diffs, only LF ends a line. */
const lineStart = (text: string, offset: number): number => (offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1);

/** Returns the first start of a line after an offset, or the end of the text. */
const nextLine = (text: string, offset: number): number => {
  const at = text.indexOf("\n", offset);
  return at < 0 ? text.length : at + 1;
};

/** Returns the offset itself if a line starts there, otherwise the start of the next line. */
const lineEnd = (text: string, offset: number): number =>
  lineStart(text, offset) === offset ? offset : nextLine(text, offset);
