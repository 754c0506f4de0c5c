/** Carries the changes that edits make to an earlier text over to the present text, if nothing has changed there. */
import { type Change, ChangeSet, shrink } from "../../text/changeSet.js";
import { isAllBlank } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { LineIndex } from "../../text/lines.js";
import { LineMap } from "./lineMap.js";

/** A run of lines, 0-based; `to` is exclusive. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** Edits of one call that must be carried together, because their places or their changes overlap. */
export interface Group extends Lines {
  /** The 0-based indices of the edits. */
  readonly indices: readonly number[];
  /** The changes to the text in which the edits were found, in ascending order. */
  readonly changes: readonly Change[];
  /** `true` if the caller said for each line if it is kept, removed or added, as in a patch. */
  readonly isByLine: boolean;
}

/** The result of carrying a group. `lines`: the present lines of its place. */
export type Carried =
  /** The changes to the present text. */
  | { readonly kind: "carried" | "moved"; readonly lines: Lines; readonly changes: readonly Change[] }
  /** The present text already is as the edits would make it. */
  | { readonly kind: "done"; readonly lines: Lines }
  /** Something has changed that the edits would change, too. */
  | { readonly kind: "changed"; readonly lines: Lines };

/** Carries a group's changes through `map`, from the earlier text to the present one. */
export function carry(map: LineMap, group: Group): Carried {
  const lines = map.range(group.from, group.to);
  const changes = mapped(map, group, {
    line: (line) => map.lineNow(line),
    gap: (line) => {
      // If neither of the lines beside the gap is left, the gap is gone, too.
      const beside = [line - 1, line].filter((one) => group.from <= one && one < group.to);
      return beside.some((one) => isLeft(map, one)) ? map.gapNow(line) : undefined;
    },
  });
  if (changes !== undefined) return { kind: "carried", lines, changes };
  return isDone(map, group, lines) ? { kind: "done", lines } : (moved(map, group) ?? { kind: "changed", lines });
}

/** Reports whether a line is still there, perhaps with other text on it: at least half of its own is left. */
function isLeft(map: LineMap, line: number): boolean {
  const lineNow = map.counterpart(line);
  if (lineNow === undefined) return false;
  const [old, now] = [map.then.content(line).trim(), map.now.content(lineNow).trim()];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return 2 * (start + end) >= old.length;
}

/** Reports whether a line of the place is gone, and the same line was inserted elsewhere: it may have been moved. */
export function hasLineElsewhere(map: LineMap, { from, to }: Group): boolean {
  const inserted = new Set(
    map.blocks.flatMap(({ fromNow, toNow }) =>
      Array.from({ length: toNow - fromNow }, (_, i) => map.now.content(fromNow + i)),
    ),
  );
  const isGone = (line: number): boolean => map.lineNow(line) === undefined && !isLeft(map, line);
  const lines = Array.from({ length: to - from }, (_, i) => from + i);
  return lines.some(
    (line) => isGone(line) && !isAllBlank(map.then.content(line)) && inserted.has(map.then.content(line)),
  );
}

/** Returns the present line of a line, and that of the gap before a line; `undefined` if it has none. */
interface Finder {
  line(line: number): number | undefined;
  gap(line: number): number | undefined;
}

/** Returns changes to the present text; `undefined` if a line that they touch, or a gap that they fill, has changed. */
function mapped(texts: Texts, group: Group, find: Finder): readonly Change[] | undefined {
  const { then } = texts;
  const changes = group.changes.map((change) => rotated(then, change));
  const result: Change[] = [];
  for (const [i, change] of changes.entries()) {
    const first = then.lineAt(change.from);
    const [last, next] = [lastTouched(then, changes[i - 1]), changes[i + 1]];
    // What was typed between two lines of which nothing is kept belongs to neither of the new ones.
    const isTornOff = last === first - 1 && find.line(first) !== (find.line(last) ?? -1) + 1;
    let own: Change | undefined;
    if (!group.isByLine && !isCertain(then, group, change, find)) return undefined;
    if (isInsertion(then, change)) {
      const beside = { last, next: lastTouched(then, next) === undefined ? undefined : then.lineAt(next!.from) };
      own = inserted(texts, change, find, beside);
    } else if (!isTornOff) own = toPresent(texts, change, find);
    if (own === undefined) return undefined;
    result.push(own);
  }
  return result;
}

/** Reports whether a change inserts whole lines before a line. */
const isInsertion = (lines: LineIndex, { from, to, insert }: Change): boolean =>
  from === to && from === lines.start(lines.lineAt(from)) && /[\r\n]$/.test(insert);

/** Returns the last line that a change touches; `undefined` if there is no change or it only inserts lines. */
function lastTouched(lines: LineIndex, change: Change | undefined): number | undefined {
  if (change === undefined || isInsertion(lines, change)) return undefined;
  return lines.lineAt(change.from === change.to ? change.from : change.to - 1);
}

/**
 * Inserts lines into their gap. If something was typed in the gap, lines that replace others, together with the change
 * beside the gap, stay with these. `beside`: the line above the gap, if the change before touches it, and the line after
 * which the next change starts.
 */
function inserted(
  { then, now }: Texts,
  { from, insert }: Change,
  find: Finder,
  beside: { readonly last: number | undefined; readonly next: number | undefined },
): Change | undefined {
  const first = then.lineAt(from);
  const above = beside.last === first - 1 ? find.line(first - 1) : undefined;
  const below = beside.next === first ? find.line(first) : undefined;
  const isBetween = above !== undefined && below !== undefined;
  const line = find.gap(first) ?? (isBetween ? undefined : above === undefined ? below : above + 1);
  // Lines can't be inserted after a last line that has no line ending.
  if (line === undefined || line >= now.lineCount) return undefined;
  return { from: now.start(line), to: now.start(line), insert };
}

/**
 * Reports whether a change does not remove lines, or removes certain ones. Of equal lines, nobody can say which one an
 * edit removes, so none of them may have changed, and nothing may have been typed between them.
 */
function isCertain(lines: LineIndex, group: Group, { from, to, insert }: Change, find: Finder): boolean {
  const [first, last] = [lines.lineAt(from), lines.lineAt(to)];
  if (insert !== "" || from === to || from !== lines.start(first) || to !== lines.start(last)) return true;
  const isSame = (line: number): boolean => lines.content(line) === lines.content(line + last - first);
  let [start, end] = [first, last];
  while (start > group.from && isSame(start - 1)) start--;
  while (end < group.to && isSame(end - (last - first))) end++;
  const startNow = find.line(start);
  for (let line = start; line < end; line++)
    if (startNow === undefined || find.line(line) !== startNow + (line - start)) return false;
  return true;
}

/**
 * Returns a change that inserts or removes whole lines after a line as one that does so before the next line, so that
 * the line before it is not touched.
 */
function rotated(lines: LineIndex, change: Change): Change {
  const { from, to, insert } = change;
  const [first, last] = [lines.lineAt(from), lines.lineAt(to)];
  if (from !== lines.contentEnd(first) || to !== lines.contentEnd(last)) return change;
  // At an empty line, the same offsets are where lines start.
  if (from === lines.start(first) && to === lines.start(last) && /(^|[\r\n])$/.test(insert)) return change;
  const [end, lastEnd] = [lines.terminator(first), lines.terminator(last)];
  if (end === "" || lastEnd === "" || end !== lastEnd) return change;
  if (insert === "" ? from === to : !insert.startsWith(end)) return change;
  const moved = insert === "" ? "" : insert.slice(end.length) + end;
  return { from: from + end.length, to: to + end.length, insert: moved };
}

type Texts = Pick<LineMap, "then" | "now">;

/** Returns a change of lines, as a change to the present text; `undefined` if a line that it touches has changed. */
function toPresent(texts: Texts, change: Change, find: Finder): Change | undefined {
  const { then, now } = texts;
  const { from, to, insert } = change;
  const first = then.lineAt(from);
  const isAtEnd = from === to && from === then.text.length && /^[\r\n]/.test(insert);
  if (isAtEnd) {
    const line = find.gap(then.lineCount);
    return line === now.lineCount ? { from: now.text.length, to: now.text.length, insert } : undefined;
  }
  const removed = from === to ? first : then.lineAt(to - 1);
  const last = removesEnd(then, change) ? Math.min(removed + 1, then.lineCount - 1) : removed;
  const firstNow = find.line(first);
  if (firstNow === undefined) return undefined;
  for (let line = first; line <= last; line++) if (find.line(line) !== firstNow + (line - first)) return undefined;
  const removedNow = firstNow + (removed - first);
  const fromNow = now.start(firstNow) + (from - then.start(first));
  const toNow =
    to === then.end(removed) && then.terminator(removed) !== ""
      ? now.end(removedNow)
      : now.start(removedNow) + (to - then.start(removed));
  return fromNow <= toNow ? { from: fromNow, to: toNow, insert } : undefined;
}

/** Reports whether a change removes the line ending of the last line that it touches, but not this whole line. */
function removesEnd(then: LineIndex, { from, to, insert }: Change): boolean {
  if (from === to) return false;
  const removed = then.lineAt(to - 1);
  const endsLine = to === then.end(removed) && then.terminator(removed) !== "";
  const keepsEnd = (from === then.start(then.lineAt(from)) && insert === "") || /[\r\n]$/.test(insert);
  return endsLine && !keepsEnd;
}

/** Reports whether a group joins its last line with the next one, and the present text has another line there. */
export function joinsAnother(map: LineMap, { to, changes }: Group): boolean {
  return changes.some((change) => {
    const joined = map.then.lineAt(change.to);
    const now = map.counterpart(joined - 1);
    const isOutside = removesEnd(map.then, change) && joined >= to;
    return isOutside && (now === undefined || map.lineNow(joined) !== now + 1);
  });
}

/**
 * Reports whether a group, in the present text, adds something to a line or joins it with the next one, and in the
 * earlier text, in which this line was empty, it did not.
 */
export function continuesTyped({ then, now }: LineMap, seen: Group, present: Group): boolean {
  return continuations(now, present) > continuations(then, seen);
}

/** Counts the changes that start at the end of a line that is not empty, and do not end this line. */
function continuations(lines: LineIndex, { changes }: Group): number {
  const isContinuing = ({ from, insert }: Change): boolean => {
    const line = lines.lineAt(from);
    return from === lines.contentEnd(line) && from > lines.start(line) && !/^[\r\n]/.test(insert);
  };
  return changes.filter(isContinuing).length;
}

/**
 * Reports whether a group would put text that was typed on one of its lines onto another line: in the present text, the
 * group moves what was typed by another number of lines than it moves this line in the earlier text.
 */
export function splitsTyped({ then, now }: LineMap, since: ChangeSet, seen: Group, present: Group): boolean {
  const [start, end] = [then.start(seen.from), then.end(seen.to - 1)];
  const typed = since.changes
    .filter(({ from, to, insert }) => from <= end && start <= to && insert !== "")
    .flatMap((change) => {
      const startNow = since.mapPos(change.from, "before");
      return shrink(then.text, change).map((one) => ({ ...one, fromNow: startNow }));
    });
  if (typed.length === 0) return false;
  const edited = editedLines(then, seen);
  const splits = (line: number, isBefore: (change: Change) => boolean): boolean => {
    const above = present.changes.filter(isBefore);
    const further = above.reduce((sum, one) => sum + endsIn(one.insert) - endsIn(now.text.slice(one.from, one.to)), 0);
    return edited(line) !== line + further;
  };
  const endsIn = (text: string): number => LineIndex.of(text, now.rule).lineCount - 1;
  return typed.some(({ from, to, insert, fromNow }) => {
    const [first, last, toNow] = [then.lineAt(from), then.lineAt(to), fromNow + insert.length];
    // If text was replaced, what was matched may be within the new one.
    const isAfter = (from > then.start(first) || from < to) && !/^[\r\n]/.test(insert);
    const isBefore = (to < then.contentEnd(last) || from < to) && !/[\r\n]$/.test(insert);
    return (
      (isAfter && splits(first, (change) => change.to <= fromNow)) ||
      (isBefore && splits(last, (change) => change.from < toNow))
    );
  });
}

/** Returns a function that maps a line of a group to the line that the group makes of it; `undefined` if there is none. */
function editedLines(then: LineIndex, { from, to, changes }: Group): (line: number) => number | undefined {
  const start = then.start(from);
  const text = then.text.slice(start, then.end(Math.max(to - 1, then.lineAt(changes.at(-1)?.to ?? start))));
  const own: Change[] = [];
  for (const change of changes) {
    const last = own.at(-1);
    const between = last === undefined ? "" : then.text.slice(last.to + start, change.from);
    // Lines that replace others as a whole correspond to these only if there are as many.
    const isJoined = last !== undefined && /^[\r\n]+$/.test(between);
    if (isJoined) own.pop();
    const insert = isJoined ? last.insert + between + change.insert : change.insert;
    own.push({ from: isJoined ? last.from : change.from - start, to: change.to - start, insert });
  }
  const change = ChangeSet.of(text.length, own);
  const map = new LineMap(LineIndex.of(text, then.rule), LineIndex.of(change.apply(text), then.rule), change);
  return (line) => {
    const edited = map.counterpart(line - from);
    return edited === undefined ? undefined : edited + from;
  };
}

/** Reports whether the place already has the text that the edits would give it. */
function isDone({ then, now, blocks }: LineMap, { from, to, changes }: Group, lines: Lines): boolean {
  const [start, end] = [then.start(from), then.start(to)];
  let result = "";
  let at = start;
  for (const change of changes) {
    if (change.from < start || change.to > end) return false;
    result += then.text.slice(at, change.from) + change.insert;
    at = change.to;
  }
  result += then.text.slice(at, end);
  const before = blocks.find((block) => block.from === from && block.toNow === lines.from)?.fromNow;
  const after = blocks.find((block) => block.from === to && block.fromNow === lines.to)?.toNow;
  const ends = [lines.to, ...(after === undefined ? [] : [after])];
  const starts = [lines.from, ...(before === undefined ? [] : [before])];
  return starts.some((first) => ends.some((next) => now.text.slice(now.start(first), now.start(next)) === result));
}

/**
 * Carries a group whose lines were all removed, and inserted at exactly one other place. Lines with little text are
 * left alone: they may be there by chance.
 */
function moved(map: LineMap, group: Group): Carried | undefined {
  const { from, to } = group;
  const { then, now, blocks } = map;
  const old = Array.from({ length: to - from }, (_, i) => then.content(from + i));
  if (old.some((_, i) => map.lineNow(from + i) !== undefined)) return undefined;
  if (old.join("").replace(/\s+/g, "").length < limits.tellingText || isAllBlank(old[0] ?? "")) return undefined;
  const isAt = (line: number): boolean => old.every((text, i) => now.content(line + i) === text);
  const starts = blocks.flatMap(({ fromNow, toNow }) => {
    const all = Array.from({ length: Math.max(0, toNow - fromNow - old.length + 1) }, (_, i) => fromNow + i);
    return all.filter(isAt);
  });
  const [start, another] = starts;
  if (start === undefined || another !== undefined) return undefined;
  const find = (line: number): number | undefined => (line < from || line > to ? undefined : start + (line - from));
  const own = mapped(map, group, { line: (line) => (line < to ? find(line) : undefined), gap: find });
  return own && { kind: "moved", lines: { from: start, to: start + old.length }, changes: own };
}
