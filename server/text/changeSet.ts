/**
 * Change sets, which record how one text becomes another, map offsets between the two, and can be composed or inverted.
 */
import { splitsCharacter } from "./chars.js";
import { firstIndex } from "./lines.js";

/** The replacement of `[from, to)` with `insert`; offsets are in UTF-16 code units of the old text (A). */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/**
 * The changes that turn text A into text B, in canonical form: sorted, non-empty, and neither overlapping nor touching.
 */
export class ChangeSet {
  private constructor(
    /** Length of A, in UTF-16 code units. */
    readonly length: number,
    /** The changes in ascending order, all within A. None is empty, and no two overlap or touch. */
    readonly changes: readonly Change[],
  ) {
    this.isEmpty = changes.length === 0;
  }

  readonly isEmpty: boolean;

  /** For each change, the net number of units added by the changes before it. Computed lazily. */
  #shifts: readonly number[] | undefined;
  #lengthAfter: number | undefined;

  /**
   * Creates a set from changes in any order. Touching changes are merged; insertions at the same offset keep their
   * order. Throws a RangeError if changes overlap or are out of range, both of which the caller must prevent.
   */
  static of(length: number, changes: readonly Change[]): ChangeSet {
    const sorted = changes.filter(isChange);
    sorted.sort((a, b) => a.from - b.from || a.to - b.to);
    const merged: Change[] = [];
    for (const change of sorted) {
      const last = merged.at(-1);
      if (change.from < (last?.to ?? 0) || change.to < change.from || change.to > length) {
        throw new RangeError(`change [${change.from}, ${change.to}) overlaps another or lies outside ${length} units`);
      }
      if (last?.to !== change.from) merged.push(change);
      else merged[merged.length - 1] = { from: last.from, to: change.to, insert: last.insert + change.insert };
    }
    return new ChangeSet(length, merged);
  }

  /** Returns an empty set for a text of the given length. */
  static none(length: number): ChangeSet {
    return new ChangeSet(length, []);
  }

  /** Length of B, in UTF-16 code units. */
  get lengthAfter(): number {
    this.#lengthAfter ??= this.changes.reduce(
      (sum, { from, to, insert }) => sum + insert.length - (to - from),
      this.length,
    );
    return this.#lengthAfter;
  }

  /** Applies the changes to A and returns B. Throws a RangeError if `textA` does not have A's length. */
  apply(textA: string): string {
    if (textA.length !== this.length) throw new RangeError(`a text of ${textA.length} units, not ${this.length}`);
    const [first, second] = this.changes;
    // The engine concatenates these three strings lazily, which is faster than joining an array.
    if (first !== undefined && second === undefined)
      return textA.slice(0, first.from) + first.insert + textA.slice(first.to);
    const parts: string[] = [];
    let done = 0;
    for (const { from, to, insert } of this.changes) {
      parts.push(textA.slice(done, from), insert);
      done = to;
    }
    parts.push(textA.slice(done));
    return parts.join("");
  }

  /** Returns the inverse, which turns B back into A. `textA` must be A. */
  invert(textA: string): ChangeSet {
    let shift = 0;
    const inverse = this.changes.map(({ from, to, insert }) => {
      const change = { from: from + shift, to: from + shift + insert.length, insert: textA.slice(from, to) };
      shift += insert.length - (to - from);
      return change;
    });
    return ChangeSet.of(this.lengthAfter, inverse);
  }

  /**
   * Combines this set with `next`, which applies to B, into a single set. Throws a RangeError if `next` is for texts of
   * a different length.
   */
  compose(next: ChangeSet): ChangeSet {
    if (next.length !== this.lengthAfter)
      throw new RangeError(`composed with a set for ${next.length} units, not ${this.lengthAfter}`);
    if (this.isEmpty) return next;
    if (next.isEmpty) return this;
    const [only, second] = next.changes;
    const added = only !== undefined && second === undefined ? this.withOne(only) : undefined;
    return added ?? new ChangeSet(this.length, composed(this.changes, next.changes));
  }

  /**
   * Adds a single change, given in B's offsets: a fast path for `compose`. Returns `undefined` if the change touches
   * another.
   */
  private withOne({ from, to, insert }: Change): ChangeSet | undefined {
    const before = this.lastChange((change, shift) => change.from + shift + change.insert.length < from);
    const next = this.changes[before + 1];
    const shift = next === undefined ? this.lengthAfter - this.length : this.shifts[before + 1]!;
    if (next !== undefined && next.from + shift <= to) return undefined;
    const change = { from: from - shift, to: to - shift, insert };
    const all = new ChangeSet(this.length, this.changes.toSpliced(before + 1, 0, change));
    const growth = insert.length - (to - from);
    all.#lengthAfter = this.lengthAfter + growth;
    const shifts = this.shifts.toSpliced(before + 1, 0, shift);
    for (let i = before + 2; i < shifts.length; i++) shifts[i]! += growth;
    all.#shifts = shifts;
    return all;
  }

  /**
   * Rebases this set over `over`, which also applies to A: returns the same changes for the text that `over` makes of A.
   * Units that both sets remove are removed once; nothing that `over` inserts is removed. `side`: the side of `over`'s
   * insertion on which this set's insertion at the same offset is placed. If the other set is rebased with the other
   * side, both orders of applying them make the same text.
   */
  map(over: ChangeSet, side: "before" | "after"): ChangeSet {
    if (over.length !== this.length)
      throw new RangeError(`rebased over a set for ${over.length} units, not ${this.length}`);
    const mapped: Change[] = [];
    for (const { from, to, insert } of this.changes) {
      if (insert !== "") {
        const at = over.gap(from, side);
        mapped.push({ from: at, to: at, insert });
      }
      for (const [start, end] of over.keptIn(from, to)) {
        const at = over.gap(start, "after");
        mapped.push({ from: at, to: at + end - start, insert: "" });
      }
    }
    return ChangeSet.of(over.lengthAfter, mapped);
  }

  /** Yields the runs of units in `[from, to)` of A that this set does not remove. */
  private *keptIn(from: number, to: number): Generator<readonly [number, number]> {
    let start = from;
    for (let i = firstIndex(this.changes.length, (at) => this.changes[at]!.to > from); i < this.changes.length; i++) {
      const change = this.changes[i]!;
      if (change.from >= to) break;
      if (change.from > start) yield [start, change.from];
      start = Math.max(start, change.to);
    }
    if (start < to) yield [start, to];
  }

  /**
   * Maps the gap before a unit of A to an offset in B. A replaced range's new text is in the gap before the range; if
   * the gap has new text, `side` decides between its start and its end.
   */
  private gap(offsetA: number, side: "before" | "after"): number {
    const at = this.lastChange((change) => change.from <= offsetA);
    if (at < 0) return offsetA;
    const { from, to, insert } = this.changes[at]!;
    const start = from + this.shifts[at]!;
    if (from === offsetA && side === "before") return start;
    return start + insert.length + Math.max(0, offsetA - to);
  }

  /**
   * Maps an offset in A to an offset in B. If the offset is strictly inside replaced text or at a pure insertion,
   * `side` decides: `before` maps it to the start of the inserted text, and `after` maps it to the end.
   */
  mapPos(offsetA: number, side: "before" | "after"): number {
    const at = this.lastChange((change) => change.from <= offsetA);
    if (at < 0) return offsetA;
    const { from, to, insert } = this.changes[at] as Change;
    const start = from + this.shifts[at]!;
    if (from === offsetA && from < to) return start;
    if (offsetA < to || from === offsetA) return side === "before" ? start : start + insert.length;
    return start + insert.length + (offsetA - to);
  }

  /**
   * Maps a unit of B back to the units of A that it comes from: the same unit if it is unchanged, or the whole replaced
   * range if it was inserted. For the offset after B's last unit, returns the end of A.
   */
  unitBack(offsetB: number): { readonly from: number; readonly to: number } {
    const at = this.lastChange((change, shift) => change.from + shift <= offsetB);
    if (at < 0) return { from: offsetB, to: Math.min(offsetB + 1, this.length) };
    const { from, to, insert } = this.changes[at] as Change;
    const behind = offsetB - (from + this.shifts[at]! + insert.length);
    if (behind < 0) return { from, to };
    return { from: to + behind, to: Math.min(to + behind + 1, this.length) };
  }

  /** Returns the index of the last change that satisfies `holds`, or -1. All earlier changes must satisfy it, too. */
  private lastChange(holds: (change: Change, shift: number) => boolean): number {
    return firstIndex(this.changes.length, (i) => !holds(this.changes[i] as Change, this.shifts[i]!)) - 1;
  }

  /** For each change, the net number of units added by the changes before it; negative if they remove more. */
  private get shifts(): readonly number[] {
    if (this.#shifts !== undefined) return this.#shifts;
    let shift = 0;
    this.#shifts = this.changes.map(({ from, to, insert }) => {
      const before = shift;
      shift += insert.length - (to - from);
      return before;
    });
    return this.#shifts;
  }
}

const isChange = (change: Change): boolean => change.from < change.to || change.insert !== "";

/** Combines changes to A with subsequent changes to B in a single pass. Returns changes to A, no two of which touch. */
function composed(first: readonly Change[], next: readonly Change[]): Change[] {
  const out: Change[] = [];
  const add = (change: Change): void => {
    const last = out.at(-1);
    if (last?.to === change.from)
      out[out.length - 1] = { from: last.from, to: change.to, insert: last.insert + change.insert };
    else if (isChange(change)) out.push(change);
  };
  let i = 0;
  let shift = 0; // net number of units added by the changes before first[i]
  let used = 0; // units inserted by first[i] that have already been handled
  /**
   * Advances to an offset in B and returns the matching offset in A. `stays`: `true` if the changes in between are to
   * be kept.
   */
  const goTo = (offsetB: number, stays: boolean): number => {
    for (; i < first.length; i++, used = 0) {
      const whole = first[i]!;
      const { from, to, insert } = whole;
      if (from + shift >= offsetB) break;
      const end = Math.min(insert.length, offsetB - from - shift);
      const isWhole = used === 0 && end === insert.length;
      if (stays) add(isWhole ? whole : { from: used > 0 ? to : from, to, insert: insert.slice(used, end) });
      used = end;
      if (end < insert.length) return to;
      shift += insert.length - (to - from);
    }
    return offsetB - shift;
  };
  for (const { from, to, insert } of next) add({ from: goTo(from, true), to: goTo(to, false), insert });
  goTo(Number.POSITIVE_INFINITY, true);
  return out;
}

/** Trims the prefix and suffix that the old and new text share. Returns an empty list if nothing is left to change. */
export function shrink(text: string, change: Change): Change[] {
  const { insert } = change;
  let { from, to } = change;
  let start = 0;
  let end = insert.length;
  while (from < to && start < end && text.charCodeAt(from) === insert.charCodeAt(start)) {
    from++;
    start++;
  }
  // If the start now splits a character, move it back first, because the second half of the character could otherwise
  // be trimmed from the end.
  for (; from > change.from && splits(text, from, insert, start); start--) from--;
  while (from < to && start < end && text.charCodeAt(to - 1) === insert.charCodeAt(end - 1)) {
    to--;
    end--;
  }
  if (from === to && start === end) return [];
  for (; to < change.to && splits(text, to, insert, end); end++) to++;
  return [{ from, to, insert: insert.slice(start, end) }];
}

/** Reports whether `offset` splits a character of `text`, or `at` splits a character of `insert`. */
function splits(text: string, offset: number, insert: string, at: number): boolean {
  return splitsCharacter(text, offset) || splitsCharacter(insert, at);
}
