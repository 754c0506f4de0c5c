/** Finds the changes between two texts whose history is unknown, by comparing their lines. */
import { type Change, ChangeSet, shrink } from "../text/changeSet.js";
import { limits } from "../text/limits.js";
import { LineIndex } from "../text/lines.js";
import { lineRuns } from "./rewrite.js";

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
function toLineStarts(
  textA: string,
  changes: readonly Change[],
  typed: ReadonlySet<Change> = new Set(),
): readonly Change[] {
  return changes.map((change, i) => {
    const { from, to, insert } = change;
    if (from < to && insert !== "") return change;
    // What was typed in the indentation of a line was typed above the line.
    if (typed.has(change) && textA.slice(lineStart(textA, from), from).trim() !== "") return change;
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

/**
 * Returns a change set with the same effect in which the lines that a change leaves as they are do not count. A change
 * that only inserts or only removes text says itself on which line somebody typed, so it does not move to another line.
 */
export function refined(textA: string, set: ChangeSet): ChangeSet {
  const changes = set.changes
    .flatMap((change) =>
      shrink(textA, change).map((own) => ({ own, isTyped: change.from === change.to || change.insert === "" })),
    )
    .flatMap(({ own, isTyped }) => compared(textA, own).map((change) => ({ change, isTyped })));
  const typed = new Set(changes.flatMap(({ change, isTyped }) => (isTyped ? [change] : [])));
  return ChangeSet.of(
    textA.length,
    toLineStarts(
      textA,
      changes.map(({ change }) => change),
      typed,
    ),
  );
}

/**
 * Returns a change set with the same effect in which whole lines are compared, also those of changes that touch the same
 * line or lines next to each other: a line that one change removes and another writes does not count.
 */
export function refinedByLine(textA: string, set: ChangeSet): ChangeSet {
  const lines = LineIndex.of(textA, { loneCrEndsLine: false });
  const blocks: { readonly from: number; to: number; readonly changes: Change[] }[] = [];
  for (const change of set.changes) {
    const from = lines.start(lines.lineAt(change.from));
    const to = lines.end(lines.lineAt(change.to));
    const last = blocks.at(-1);
    if (last === undefined || from > last.to) blocks.push({ from, to, changes: [change] });
    else {
      last.to = Math.max(last.to, to);
      last.changes.push(change);
    }
  }
  const whole = blocks.map(({ from, to, changes }): Change => {
    const own = changes.map((change) => ({ ...change, from: change.from - from, to: change.to - from }));
    return { from, to, insert: ChangeSet.of(to - from, own).apply(textA.slice(from, to)) };
  });
  const changes = whole.flatMap((change) => compared(textA, change));
  return ChangeSet.of(textA.length, toLineStarts(textA, changes));
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
  const changes: { from: number; to: number; insert: string }[] = [];
  let [at, line, lineNext] = [from, 0, 0];
  let open: { from: number; to: number; insert: string } | undefined;
  for (const run of lineRuns(old, next)) {
    if (!run.removed && !run.added) {
      open = undefined;
      for (let i = 0; i < run.count; i++) at += old[line + i]!.length;
    } else {
      if (open === undefined) {
        open = { from: at, to: at, insert: "" };
        changes.push(open);
      }
      if (run.removed) for (let i = 0; i < run.count; i++) at += old[line + i]!.length;
      else open.insert += next.slice(lineNext, lineNext + run.count).join("");
      open.to = at;
    }
    if (!run.added) line += run.count;
    if (!run.removed) lineNext += run.count;
  }
  return changes.flatMap((one) => shrink(textA, one));
}

/** Returns the lines of a text, each with its line ending. */
function linesOf(text: string): string[] {
  const lines = LineIndex.of(text, { loneCrEndsLine: false });
  return Array.from({ length: lines.filledCount }, (_, i) => text.slice(lines.start(i), lines.end(i)));
}
