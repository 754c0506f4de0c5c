/** Finds the changes between two texts whose history is unknown, by comparing their lines. */
import { type Change, ChangeSet, shrink } from "../text/changeSet.js";
import { limits } from "../text/limits.js";
import { LineIndex, replacedIn } from "../text/lines.js";

/** Returns changes that turn text A into text B. If the texts are large and differ much, they may be one change. */
export function compareTexts(textA: string, textB: string): ChangeSet {
  if (textA === textB) return ChangeSet.none(textA.length);
  const whole = shrink(textA, { from: 0, to: textA.length, insert: textB });
  const changes = whole.flatMap((change) => compared(textA, wholeLines(textA, textB, change)));
  return ChangeSet.of(textA.length, toLineStarts(textA, changes));
}

/** Extends the only change between two texts to whole lines, because parts of lines can't be compared with lines. */
function wholeLines(textA: string, textB: string, { from, to }: Change): Change {
  const start = lineStart(textA, from);
  const next = textA.indexOf("\n", to);
  const end = next === -1 ? textA.length : next + 1;
  return { from: start, to: end, insert: textB.slice(start, textB.length - (textA.length - end)) };
}

/**
 * Returns changes with those that insert or remove whole lines moved to where a line starts. They start within a line if
 * the inserted or removed lines start like the line after them, or end like the line before them.
 */
function toLineStarts(textA: string, changes: readonly Change[]): readonly Change[] {
  return changes.map((change, i) => {
    const { from, to, insert } = change;
    if (from < to && insert !== "") return change;
    const own = insert === "" ? textA.slice(from, to) : insert;
    const start = lineStart(textA, from);
    const first = own.indexOf("\n") + 1;
    const isAtEnd = /^\r?\n/.test(own) && (to === textA.length || /^\r?\n/.test(textA.slice(to, to + 2)));
    if (start === from || first === 0 || isAtEnd) return change;
    let shift = 0;
    if (own.endsWith(`\n${textA.slice(start, from)}`)) shift = start - from;
    else if (textA.startsWith(own.slice(0, first), to)) shift = first;
    const [min, max] = [changes[i - 1]?.to ?? -1, changes[i + 1]?.from ?? textA.length + 1];
    if (shift === 0 || from + shift <= min || to + shift >= max) return change;
    const cut = shift < 0 ? own.length + shift : shift;
    return { from: from + shift, to: to + shift, insert: insert === "" ? "" : own.slice(cut) + own.slice(0, cut) };
  });
}

/** Returns the offset at which the line starts that has an offset. */
const lineStart = (text: string, offset: number): number => (offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1);

/** Splits a change into the changes of its lines. */
function compared(textA: string, change: Change): Change[] {
  const { from, to, insert } = change;
  const removed = textA.slice(from, to);
  if (!removed.includes("\n") || !insert.includes("\n")) return shrink(textA, change);
  const [old, next] = [linesOf(removed), linesOf(insert)];
  if (old.length + next.length > limits.comparedLines) return shrink(textA, change);
  const starts = [from];
  for (const line of old) starts.push(starts.at(-1)! + line.length);
  return replacedIn(old, next).flatMap((one) =>
    shrink(textA, {
      from: starts[one.from]!,
      to: starts[one.to]!,
      insert: next.slice(one.fromB, one.toB).join(""),
    }),
  );
}

/** Returns the lines of a text, each with its line ending. */
function linesOf(text: string): string[] {
  const lines = LineIndex.of(text, { loneCrEndsLine: false });
  return Array.from({ length: lines.filledCount }, (_, i) => text.slice(lines.start(i), lines.end(i)));
}
