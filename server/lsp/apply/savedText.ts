/** Separates the changes that an editor makes while it saves a file, for example with a formatter, from typing. */

import type { FileChange } from "../../plan/outcome.js";
import { type Change, ChangeSet, shrink } from "../../text/changeSet.js";
import { splitLines } from "../../text/chars.js";
import { runsOf } from "../../text/lines.js";

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
  const [whole] = shrink(before, { from: 0, to: before.length, insert: after });
  if (whole === undefined) return [];
  const { from } = wholeLines(before, whole.from, whole.from);
  const last = wholeLines(before, whole.to, whole.to).to;
  // Includes the last line's ending, which is the same in both texts unless the change reaches it.
  const to = last + (/^(?:\r\n?|\n)?/.exec(before.slice(last, last + 2))?.[0].length ?? 0);
  const old = linesOf(before.slice(from, to));
  const next = linesOf(after.slice(from, after.length - (before.length - to)));
  const changes: Change[] = [];
  let [at, oldLine, nextLine, removed] = [from, 0, 0, 0];
  const replace = (count: number): void => {
    const texts = next.slice(nextLine, nextLine + count);
    const gone = old.slice(oldLine, oldLine + removed);
    // If as many lines come as go, each replaces one.
    const pairs = removed === count ? gone.map((line, i) => [line, texts[i] ?? ""]) : [[gone.join(""), texts.join("")]];
    for (const [line = "", text = ""] of pairs) {
      for (const one of shrink(line, { from: 0, to: line.length, insert: text })) {
        changes.push({ from: at + one.from, to: at + one.to, insert: one.insert });
      }
      at += line.length;
    }
    [oldLine, nextLine, removed] = [oldLine + removed, nextLine + count, 0];
  };
  // Lines that differ only in whitespace replace each other, even if they resemble other lines more.
  const count = Math.max(old.length, next.length);
  const pairs = Array.from({ length: count }, (_, i) => [old[i] ?? "", next[i] ?? ""] as const);
  const isReindented = pairs.every(([line, text]) => line.trim() === text.trim());
  if (isReindented) for (const list of [old, next]) while (list.length < count) list.push("");
  const replaced = pairs.flatMap(() => [
    { removed: true, added: false, count: 1 },
    { removed: false, added: true, count: 1 },
  ]);
  for (const run of isReindented ? replaced : runsOf(old, next)) {
    if (run.added) replace(run.count);
    else if (removed > 0) replace(0);
    if (run.removed) removed = run.count;
    if (run.added || run.removed) continue;
    for (const line of old.slice(oldLine, oldLine + run.count)) at += line.length;
    [oldLine, nextLine] = [oldLine + run.count, nextLine + run.count];
  }
  if (removed > 0) replace(0);
  return changes;
}

/** Returns the lines of a text with their line endings. */
function linesOf(text: string): string[] {
  return splitLines(text)
    .map(({ from, next }) => text.slice(from, next))
    .filter((line) => line !== "");
}
