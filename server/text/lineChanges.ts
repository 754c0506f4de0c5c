/** One side of a merge: which lines of a text it keeps, changes and removes, and which it adds. */
import { type Change, ChangeSet } from "./changeSet.js";
import { slid, type UnitHunk } from "./hunks.js";
import { type ChangeKind, keptIn, type LinePart, partsOf } from "./lineParts.js";
import { firstIndex, LineIndex } from "./lines.js";
import { leftWords, sharedWords } from "./words.js";

/** Lines that replace others. Lines are compared without their endings; a final line ending is no line. */
export interface LineHunk extends UnitHunk, Pick<LinePart, "isLine" | "isSame" | "boundTo"> {
  /** The line number, in the text after the changes, of the first new line. */
  readonly fromB: number;
  /** The endings of the new lines; the last line of a text may have none. */
  readonly ends: readonly string[];
  /** The changes to the content of this line, if they are known exactly: offsets in the line. */
  readonly changes?: readonly Change[] | undefined;
  /** Kept lines that are equal to one that an edit removes: nobody can say which of them it was meant to remove. */
  readonly alike?: readonly number[];
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
  #added: ReadonlySet<string> | undefined;
  #gone: readonly number[] | undefined;
  /** The largest number of lines by which a hunk's reach is wider than the hunk. */
  readonly #slack: number;

  /** `seen`: the lines that an edit's author saw, if the edit does not say of each of them if it is removed. */
  constructor(
    readonly base: LineIndex,
    set: ChangeSet,
    known: ChangeKind,
    seen?: LineRun,
  ) {
    // A text that was retyped as a whole is compared, like one that was replaced.
    const kind = known === "typed" && isRetyped(base.text, set) ? "compared" : known;
    this.isCompared = kind === "compared";
    const hunks: LineHunk[] = [];
    let shift = 0;
    for (const block of blocksOf(base, set, kind)) {
      const made = hunksOf(base, block, { shift, kind });
      for (const hunk of made) {
        const last = hunks.at(-1);
        shift += hunk.insert.length - (hunk.to - hunk.from);
        const near = last && kind !== "typed" ? slidTo(base, last, hunk) : hunk;
        if (last !== undefined && isReplaced(last, near)) hunks.splice(-1, 1, joined(last, near));
        else hunks.push(hunk);
      }
    }
    this.hunks = hunks;
    if (seen !== undefined) this.hunks = hunks.map((hunk) => ({ ...hunk, alike: this.alikeIn(hunk, seen) }));
    this.#slack = hunks.reduce((most, { from, to, reach }) => Math.max(most, from - reach.from, reach.to - to), 0);
    this.turnsLastEnd = endsLine(base.text, []) !== endsLine(base.text, set.changes);
  }

  private alikeIn({ from, to, isLine }: LineHunk, seen: LineRun): readonly number[] {
    if (isLine || from === to) return [];
    const removed = new Set(this.base.contents(from, to));
    const lines = Array.from({ length: seen.to - seen.from }, (_, i) => seen.from + i);
    return lines.filter((line) => removed.has(this.base.content(line)) && this.at(line) === undefined);
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
    if (hunk !== undefined && hunk.from <= line) return hunk.isLine ? hunk.fromB : undefined;
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

  /** Reports whether a line of the text before was removed, or replaced with others by which nobody can tell it. */
  isRemoved(line: number): boolean {
    const hunk = line >= 0 && line < this.base.filledCount ? this.at(line) : undefined;
    return hunk?.isLine === false;
  }

  /**
   * Reports whether a line of the text before was removed: also if another one replaced it, with at most half of its words
   * or, if it was typed on, none of them. Beyond the ends of the text, there are no lines.
   */
  isGone(line: number): boolean {
    const hunk = line >= 0 && line < this.base.filledCount ? this.at(line) : undefined;
    if (hunk?.isLine !== true) return hunk !== undefined;
    const left = leftWords(this.base.content(line), hunk.insert[0]!);
    return left !== undefined && (hunk.isSame ? left === 0 : left <= 0.5);
  }

  /** Reports whether the changes add a line with this content. */
  adds(content: string): boolean {
    return this.added.has(content);
  }

  /** Reports whether a line that the changes write, but not those of `except`, has this text, perhaps beside other text. */
  writes(text: string, except?: LineHunk): boolean {
    return this.hunks.some((hunk) => hunk !== except && hunk.insert.some((line) => line.includes(text)));
  }

  /**
   * Reports whether the changes add a line, but not at a place, with at least this share of the words of this content. Of
   * many lines, nobody can say so.
   */
  addsLike(content: string, share: number, except?: LineRun): boolean {
    const isThere = ({ from, to }: LineHunk): boolean => except !== undefined && from <= except.to && except.from <= to;
    const added = this.hunks.filter((hunk) => !hunk.isLine && !isThere(hunk));
    const count = added.reduce((sum, { insert }) => sum + insert.length, 0);
    if (share < 1 && count > mostLike) return true;
    return added.some(({ insert }) => insert.some((line) => isLike(content, line, share)));
  }

  /** Reports whether the changes remove a line, but not `except`, with at least this share of the words of this content. As `addsLike`. */
  removesLike(content: string, share: number, except?: number): boolean {
    if (share < 1 && this.gone.length > mostLike) return true;
    return this.gone.some((line) => line !== except && isLike(content, this.base.content(line), share));
  }

  /** `true` if the changes add more lines than are compared by their words. */
  get addsMany(): boolean {
    return this.hunks.reduce((sum, { isLine, insert }) => sum + (isLine ? 0 : insert.length), 0) > mostLike;
  }

  private get gone(): readonly number[] {
    this.#gone ??= this.hunks.flatMap(({ from, to }) =>
      Array.from({ length: to - from }, (_, i) => from + i).filter((line) => this.isGone(line)),
    );
    return this.#gone;
  }

  private get added(): ReadonlySet<string> {
    this.#added ??= new Set(this.hunks.flatMap(({ isLine, insert }) => (isLine ? [] : insert)));
    return this.#added;
  }
}

/** Beyond this number of lines, none are compared by their words. */
const mostLike = 300;

const isLike = (one: string, other: string, share: number): boolean =>
  one === other || (share < 1 && sharedWords(one, other) >= share);

/** Reports whether lines were removed, and others typed in their place. */
function isReplaced(one: LineHunk, other: LineHunk): boolean {
  const isInserted = ({ from, to }: LineHunk): boolean => from === to;
  const isRemoved = ({ insert }: LineHunk): boolean => insert.length === 0;
  return one.to === other.from && (isRemoved(one) ? isInserted(other) : isInserted(one) && isRemoved(other));
}

/** Returns a hunk that removes or inserts lines where it touches the hunk before it, if it can slide there. */
function slidTo(base: LineIndex, { to: end }: LineHunk, hunk: LineHunk): LineHunk {
  const { from, to, insert, ends, reach } = hunk;
  const by = from - end;
  if (by <= 0 || reach.from > end || (from < to && insert.length > 0)) return hunk;
  if (from < to) return { ...hunk, from: end, to: to - by };
  // Inserted lines that slide up leave the lines over which they slide below them.
  const above = base.contents(end, from);
  const aboveEnds = Array.from({ length: by }, (_, i) => base.terminator(end + i));
  return {
    ...hunk,
    ...{ from: end, to: end, fromB: hunk.fromB - by },
    insert: [...above, ...insert].slice(0, insert.length),
    ends: [...aboveEnds, ...ends].slice(0, ends.length),
  };
}

function joined(one: LineHunk, { to, insert, ends }: LineHunk): LineHunk {
  const [reach, all] = [{ from: one.from, to }, [...one.insert, ...insert]];
  return { from: one.from, to, insert: all, fromB: one.fromB, ends: [...one.ends, ...ends], isLine: false, reach };
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

/**
 * Returns the changes to the content of a line, as offsets in it, by which it became another one: characters that stayed but
 * are in other lines now were removed from it.
 */
function changesIn(
  before: LineIndex,
  after: LineIndex,
  { changes, length }: ChangeSet,
  [line, lineB]: readonly [number, number],
): readonly Change[] {
  const [start, end] = [before.start(line), before.contentEnd(line)];
  const [startB, endB] = [after.start(lineB), after.contentEnd(lineB)];
  const found: Change[] = [];
  let [at, shift, done, doneB] = [0, 0, start, startB];
  const put = (to: number, toB: number): void => {
    const insert = after.text.slice(doneB, toB);
    if (to > done || insert !== "") found.push({ from: done - start, to: to - start, insert });
  };
  for (const { from, to, insert } of [...changes, { from: length, to: length, insert: "" }]) {
    // What stayed between two changes, as far as it was in the one line and is in the other.
    const first = Math.max(at, start, startB - shift);
    const last = Math.min(from, end, endB - shift);
    if (first < last) {
      put(first, first + shift);
      [done, doneB] = [last, last + shift];
    }
    at = to;
    shift += insert.length - (to - from);
  }
  put(end, endB);
  return found;
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
  const block = LineIndex.of(base.text.slice(start, end), base.rule);
  const after = LineIndex.of(set.apply(block.text), base.rule);
  const old = base.contents(from, to);
  const next = after.contents(0, after.filledCount);
  const ends = next.map((_, i) => after.terminator(i));
  const list = { length: base.filledCount, at: (line: number) => base.content(line) };
  const parts = partsOf(old, next, kind === "typed" ? keptIn(block, after, set) : undefined, kind);
  return parts.map(({ from: first, to: last, fromB, toB, isLine, isSame, boundTo }): LineHunk => {
    const hunk = {
      ...{ from: from + first, to: from + last, insert: next.slice(fromB, toB), isLine, isSame, boundTo },
      ...{ fromB: from + shift + fromB, ends: ends.slice(fromB, toB) },
      changes: isSame ? changesIn(block, after, set, [first, fromB]) : undefined,
    };
    // Lines between two that replaced others, or beside one, are where they are.
    const isFree = old.length === 0 || (boundTo === undefined && !isLine);
    return isFree ? slid(list, hunk) : { ...hunk, reach: { from: hunk.from, to: hunk.to } };
  });
}

/** The number of UTF-16 code units from which on whitespace counts as text. */
const mostBlank = 2_000;

/** Reports whether changes remove all that a text has, but for whitespace. */
function isRetyped(text: string, { changes, length }: ChangeSet): boolean {
  const isBlank = (from: number, to: number): boolean => to - from < mostBlank && text.slice(from, to).trim() === "";
  const ends = [0, ...changes.map(({ to }) => to)];
  return length > 0 && ends.every((at, i) => isBlank(at, changes[i]?.from ?? length));
}

/** Reports whether the text that changes make of a text ends with a line ending. */
function endsLine(text: string, changes: readonly Change[]): boolean {
  const last = changes.at(-1);
  const tail = last?.to === text.length ? last.insert || text.slice(0, last.from) : text;
  return tail.endsWith("\n") || tail.endsWith("\r");
}
