/** One side of a merge: which lines of a text it keeps, changes and removes, and which it adds. */
import { type Change, ChangeSet } from "./changeSet.js";
import { slid, type UnitHunk } from "./hunks.js";
import { type ChangeKind, keptIn, type LinePart, partsOf } from "./lineParts.js";
import { firstIndex, LineIndex } from "./lines.js";
import { sharedWords } from "./words.js";

/** Lines that replace others. Lines are compared without their endings; a final line ending is no line. */
export interface LineHunk extends UnitHunk, Pick<LinePart, "line"> {
  /** The line number, in the text after the changes, of the first new line. */
  readonly fromB: number;
  /** The endings of the new lines; the last line of a text may have none. */
  readonly ends: readonly string[];
  /** The changes to the content of this line, if they are known exactly: offsets in the line. */
  readonly changes?: readonly Change[];
}

type LineRun = Pick<LineHunk, "from" | "to">;

/** The changes of one side, as hunks of lines. Line numbers are 0-based. */
export class LineChanges {
  /** In ascending order; none overlap. */
  readonly hunks: readonly LineHunk[];
  /** `true` if the text after the changes ends with a line ending, and the text before does not, or the other way round. */
  readonly turnsLastEnd: boolean;
  /** `true` if lines were found to be the same by comparing texts, so that a line may be taken for an equal one. */
  readonly isCompared: boolean;
  #moved: readonly MovedLine[] | undefined;
  /** The largest number of lines by which a hunk's reach is wider than the hunk. */
  readonly #slack: number;

  constructor(
    readonly base: LineIndex,
    set: ChangeSet,
    kind: ChangeKind,
  ) {
    this.isCompared = kind === "compared";
    const hunks: LineHunk[] = [];
    let shift = 0;
    for (const block of blocksOf(base, set, kind))
      for (const hunk of hunksOf(base, block, { shift, kind })) {
        const last = hunks.at(-1);
        shift += hunk.insert.length - (hunk.to - hunk.from);
        if (last !== undefined && isReplaced(last, hunk)) hunks[hunks.length - 1] = joined(last, hunk);
        else hunks.push(hunk);
      }
    this.hunks = hunks;
    this.#slack = hunks.reduce((most, { from, to, reach }) => Math.max(most, from - reach.from, reach.to - to), 0);
    this.turnsLastEnd = endsLine(base.text, ChangeSet.none(base.text.length)) !== endsLine(base.text, set);
  }

  /** Returns all hunks that may touch these lines or the gaps beside them, and perhaps others. */
  near({ from, to }: LineRun): readonly LineHunk[] {
    const [first, last] = [from - this.#slack, to + this.#slack];
    const start = firstIndex(this.hunks.length, (i) => this.hunks[i]!.to >= first);
    const end = firstIndex(this.hunks.length - start, (i) => this.hunks[i]!.from > last, start);
    return this.hunks.slice(start, end);
  }

  /** Returns the hunk that replaces or removes a line; `undefined` if the line is kept. */
  at(line: number): LineHunk | undefined {
    const hunk = this.hunks[firstIndex(this.hunks.length, (i) => this.hunks[i]!.to > line)];
    return hunk !== undefined && hunk.from <= line ? hunk : undefined;
  }

  /** Returns the number of a line after the changes; `undefined` if it is gone. */
  lineAfter(line: number): number | undefined {
    const i = firstIndex(this.hunks.length, (at) => this.hunks[at]!.to > line);
    const hunk = this.hunks[i];
    if (hunk !== undefined && hunk.from <= line) return hunk.line === undefined ? undefined : hunk.fromB + hunk.line;
    const last = this.hunks[i - 1];
    return last === undefined ? line : line - last.to + last.fromB + last.insert.length;
  }

  /** Returns the lines after the changes that lines became, without lines added at their ends; they may be none. */
  range({ from, to }: { readonly from: number; readonly to: number }): { readonly from: number; readonly to: number } {
    const start = this.lineAfter(from) ?? this.at(from)?.fromB ?? 0;
    const [last, gone] = [this.lineAfter(to - 1), this.at(to - 1)];
    const end = last === undefined ? (gone === undefined ? start : gone.fromB + gone.insert.length) : last + 1;
    return { from: start, to: Math.max(start, end) };
  }

  /** Reports whether a line of the text before was removed, or replaced with others. */
  isRemoved(line: number): boolean {
    const hunk = this.at(line);
    return hunk !== undefined && hunk.line === undefined;
  }

  /**
   * Reports whether nobody can say where a line is now: it was changed or removed, and a line with half of its words was
   * added elsewhere, or all of it was written in another line. If texts were compared, it is enough that the same line was
   * added or removed elsewhere.
   */
  isUnsure(line: number): boolean {
    const content = this.base.content(line);
    const isKept = this.at(line) === undefined;
    if (isKept && !this.isCompared) return false;
    if (!isKept && this.moved.length > mostLike) return true;
    return this.moved.some(({ text, from, isChanged }) => {
      if (from === line || isKept || text === content) return from !== line && text === content;
      return isChanged ? text.includes(content.trim()) : sharedWords(text, content) >= 0.5;
    });
  }

  /** The lines that were written and, if texts were compared, removed. */
  private get moved(): readonly MovedLine[] {
    this.#moved ??= this.hunks.flatMap(({ from, to, insert, line }): MovedLine[] => {
      const removed =
        this.isCompared && line === undefined ? Array.from({ length: to - from }, (_, i) => from + i) : [];
      const written = insert.map((text, i) => (i === line ? { text, from, isChanged: true as const } : { text }));
      return [...written, ...removed.map((at) => ({ text: this.base.content(at), from: at }))];
    });
    return this.#moved;
  }
}

/** A line that was written or removed. `from`: the number of the line that it was; `undefined` if it was added. */
interface MovedLine {
  readonly text: string;
  readonly from?: number;
  readonly isChanged?: true;
}

/** Beyond this number of lines, none are compared by their words. */
const mostLike = 300;

/** Reports whether lines were removed, and others typed in their place. */
function isReplaced(one: LineHunk, other: LineHunk): boolean {
  const [a, b] = [one, other].map(({ from, to, insert }) =>
    insert.length === 0 ? "removed" : from === to ? "added" : "",
  );
  return one.to === other.from && a !== b && a !== "" && b !== "";
}

function joined(one: LineHunk, { to, insert, ends }: LineHunk): LineHunk {
  const [reach, all] = [{ from: one.from, to }, [...one.insert, ...insert]];
  return { from: one.from, to, insert: all, fromB: one.fromB, ends: [...one.ends, ...ends], reach };
}

/** Lines `[from, to)` and the changes in them; offsets are in the whole text. */
interface ChangedLines {
  readonly from: number;
  to: number;
  readonly changes: Change[];
}

/**
 * Returns the lines that changes touch. A change that inserts or removes whole lines touches no others; if changes are not
 * known one by one, what is added beside replaced lines replaces them, too.
 */
function blocksOf(base: LineIndex, { changes }: ChangeSet, kind: ChangeKind): readonly ChangedLines[] {
  const blocks: ChangedLines[] = [];
  for (const change of changes) {
    const [first, last] = [base.lineAt(change.from), base.lineAt(change.to)];
    const isWhole =
      change.from === base.start(first) &&
      change.to === base.start(last) &&
      (change.insert === "" || /[\r\n]$/.test(change.insert));
    const to = Math.min(isWhole ? last : last + 1, base.filledCount);
    const from = Math.min(first, to);
    const previous = blocks.at(-1);
    // Lines that were typed beside a line do not belong to it.
    const isBeside = from === previous?.to && (from < to || previous.from < previous.to);
    if (previous === undefined || from > previous.to || (kind === "typed" && isBeside))
      blocks.push({ from, to, changes: [change] });
    else {
      previous.to = Math.max(previous.to, to);
      previous.changes.push(change);
    }
  }
  return blocks;
}

/** Returns the hunks of a block. `shift`: the net number of lines that were added before it. */
function hunksOf(
  base: LineIndex,
  { from, to, changes }: ChangedLines,
  { shift, kind }: { readonly shift: number; readonly kind: ChangeKind },
): readonly LineHunk[] {
  const start = base.start(from);
  const end = base.start(to);
  const own = changes.map((one) => ({ ...one, from: one.from - start, to: one.to - start }));
  const set = ChangeSet.of(end - start, own);
  const after = LineIndex.of(set.apply(base.text.slice(start, end)), base.rule);
  const old = Array.from({ length: to - from }, (_, i) => base.content(from + i));
  const next = Array.from({ length: after.filledCount }, (_, i) => after.content(i));
  const ends = next.map((_, i) => after.terminator(i));
  const isExact = kind === "typed";
  const isWithin =
    isExact &&
    old.length === 1 &&
    next.length === 1 &&
    own.every(({ to, insert }) => to <= old[0]!.length && !/[\r\n]/.test(insert));
  const list = { length: base.filledCount, at: (line: number) => base.content(line) };
  const kept = isExact ? keptIn(LineIndex.of(base.text.slice(start, end), base.rule), after, set) : undefined;
  const parts = partsOf(old, next, kept, kind);
  return parts.map(({ from: first, to: last, fromB, toB, line }): LineHunk => {
    const hunk = {
      ...{ from: from + first, to: from + last, fromB: from + shift + fromB },
      ...{ insert: next.slice(fromB, toB), ends: ends.slice(fromB, toB) },
    };
    if (line === undefined) return slid(list, hunk);
    return { ...hunk, line, ...(isWithin ? { changes: own } : {}), reach: { from: hunk.from, to: hunk.to } };
  });
}

/** Reports whether the text that changes make of a text ends with a line ending. */
function endsLine(text: string, { changes }: ChangeSet): boolean {
  const last = changes.at(-1);
  if (last === undefined || last.to < text.length) return /[\r\n]$/.test(text);
  return /[\r\n]$/.test(last.insert === "" ? text.slice(0, last.from) : last.insert);
}
