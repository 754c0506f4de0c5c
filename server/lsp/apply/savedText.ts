/** Separates the changes that an editor makes while it saves a file, for example with a formatter, from typing. */

import type { FileChange } from "../../plan/outcome.js";
import { type Change, ChangeSet, shrink } from "../../text/changeSet.js";
import { differingLines } from "../../text/lineDiff.js";
import { type Replaced, replacedIn } from "../../text/lines.js";

/**
 * Adds to a file's change whatever the editor changed in its text while it saved the file: `before` and `after` are the
 * texts around the save. With `isAll`, everything between the two belongs to the save. Otherwise, a change belongs to it
 * if it touches a line that the call has written, removes trailing whitespace, or adds the final line ending; any other
 * is typing and stays if the call is undone.
 */
export function withSave(
  file: FileChange,
  { before, after, isAll }: { readonly before: string; readonly after: string; readonly isAll: boolean },
): FileChange {
  // The user may have typed since the edit. The saved changes are added to the text without that typing.
  const typed = ChangeSet.of(file.text.length, shrink(file.text, { from: 0, to: file.text.length, insert: before }));
  const withoutTyping = typed.invert(file.text);
  const written = file.change.invert(file.document.text).changes.map(({ from, to }) => {
    return wholeLines(before, typed.mapPos(from, "after"), typed.mapPos(to, "before"));
  });
  const belongs = ({ from, to, insert }: Change): boolean => {
    if (isAll || written.some((lines) => from <= lines.to && to >= lines.from)) return true;
    if (!/^[ \t]*$/.test(before.slice(from, to))) return false;
    return insert === ""
      ? /^[\r\n]?$/.test(before.slice(to, to + 1))
      : to === before.length && /^(?:\r\n?|\n)$/.test(insert);
  };
  const isTyped = ({ from, to }: Change): boolean =>
    withoutTyping.changes.some((one) => from <= one.to && to >= one.from);
  const saved = changesBetween(before, after).filter((change) => belongs(change) && !isTyped(change));
  const change = ChangeSet.of(
    file.text.length,
    saved.map(({ from, to, insert }) => ({
      from: withoutTyping.mapPos(from, "before"),
      to: withoutTyping.mapPos(to, "before"),
      insert,
    })),
  );
  return { ...file, change: file.change.compose(change), text: change.apply(file.text) };
}

/** Widens a span to whole lines, without the last one's line ending. */
function wholeLines(text: string, from: number, to: number): { readonly from: number; readonly to: number } {
  const start = Math.max(text.lastIndexOf("\n", from - 1), text.lastIndexOf("\r", from - 1)) + 1;
  const end = /[\r\n]|$/g;
  end.lastIndex = Math.max(from, to);
  return { from: from === 0 ? 0 : start, to: end.exec(text)?.index ?? text.length };
}

/** Returns the changes that turn one text into another, found line by line. */
function changesBetween(before: string, after: string): Change[] {
  const { old, next, starts } = differingLines(before, after, { loneCrEndsLine: true });
  // Lines that differ only in whitespace replace each other, even if they resemble other lines more.
  const count = Math.max(old.length, next.length);
  const isReindented = lineRuns(0, 0, count).every(
    ({ from, fromB }) => (old[from] ?? "").trim() === (next[fromB] ?? "").trim(),
  );
  const runs = isReindented ? lineRuns(0, 0, count) : replacedIn(old, next).flatMap(byLine);
  return runs.flatMap(({ from, to, fromB, toB }) => {
    const [start, end] = [starts[from] ?? starts.at(-1)!, starts[to] ?? starts.at(-1)!];
    return shrink(before, { from: start, to: end, insert: next.slice(fromB, toB).join("") });
  });
}

/** Divides a run in which as many lines come as go: each replaces one. */
const byLine = (run: Replaced): readonly Replaced[] =>
  run.to - run.from === run.toB - run.fromB ? lineRuns(run.from, run.fromB, run.to - run.from) : [run];

/** Returns runs in each of which one line replaces another, or is added or removed after the last one. */
const lineRuns = (from: number, fromB: number, count: number): readonly Replaced[] =>
  Array.from({ length: count }, (_, i) => ({ from: from + i, to: from + i + 1, fromB: fromB + i, toB: fromB + i + 1 }));
