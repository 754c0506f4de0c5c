/** What a batch has changed so far, in offsets of the text before it, so that an edit costs what it touches and no more. */
import type { Place } from "../match/place.js";
import { TextIndex } from "../match/textIndex.js";
import { type Change, ChangeSet } from "../text/changeSet.js";
import { splitsCharacter } from "../text/chars.js";
import { ChangeList } from "./changeList.js";
import { callersLine, type Draft, type Span } from "./draft.js";

/** A stretch of the base text, offsets in UTF-16 units, cut so that no change touches its ends. */
export interface Extent {
  readonly base: Span;
  /** The changes in it, indices into the list: `[first, end)`. */
  readonly first: number;
  readonly end: number;
}

/** A stretch, and the text that it is now. */
export interface Window extends Extent {
  /** From the stretch of the base text, as a text of its own, to the current text of it. */
  readonly change: ChangeSet;
  readonly index: TextIndex;
}

/** Changes of one base text: sorted, disjoint, and not merged where they touch. */
export class Pieces {
  private changes = new ChangeList();
  private current: Draft | undefined;
  /** Line ends of the base text that the changes have taken away, counted generously. */
  lineEndsGone = 0;

  /** `start` is a draft without a change. */
  constructor(private readonly start: Draft) {
    this.current = start;
  }

  get base(): TextIndex {
    return this.start.base;
  }

  get count(): number {
    return this.changes.length;
  }

  /** The change at an index of the list. */
  at(index: number): Change {
    return this.changes.at(index)!;
  }

  /** The whole text as it is now; made when it is asked for. */
  get draft(): Draft {
    if (this.current !== undefined) return this.current;
    const change = ChangeSet.of(this.base.text.length, this.changes.slice());
    const index = change.isEmpty
      ? this.base
      : new TextIndex(change.apply(this.base.text), this.start.document, {
          callersLine: callersLine(this.base, change),
        });
    this.current = { ...this.start, change, index };
    return this.current;
  }

  /** Takes over a draft of the same document. */
  adopt(draft: Draft): void {
    const { changes } = draft.change;
    this.changes = new ChangeList();
    this.changes.replace(0, 0, changes);
    this.current = draft;
    this.lineEndsGone = changes.reduce((sum, change) => sum + this.lineEndsIn(change), 0);
  }

  /** Index of the first change that ends at a base offset or behind it. */
  firstTouching(offset: number): number {
    return this.changes.firstEndingFrom(offset);
  }

  /** Whether a change lies in a stretch of the base text, or at its ends. */
  isTouched({ from, to }: Span): boolean {
    return (this.changes.at(this.firstTouching(from))?.from ?? Number.POSITIVE_INFINITY) <= to;
  }

  /** Whether a change has taken a part of a stretch of the base text away, or put something into it. */
  isChanged({ from, to }: Span): boolean {
    let i = this.firstTouching(from);
    while (i < this.changes.length && this.at(i).to === from) i++;
    return (this.changes.at(i)?.from ?? Number.POSITIVE_INFINITY) < to;
  }

  /** Adds the changes of a place of the base text that nothing has changed; gives the index of the first of them. */
  add({ to }: Place, changes: readonly Change[]): number {
    const first = this.changes.firstStartingFrom(to);
    this.changes.replace(first, first, changes);
    this.current = undefined;
    for (const change of changes) this.lineEndsGone += this.lineEndsIn(change);
    return first;
  }

  /** Puts a further change on top of a window; its offsets are those of the window's text. Gives the indices of what comes of it. */
  edit(window: Window, step: ChangeSet): { first: number; end: number } {
    const { from } = window.base;
    const composed = window.change.compose(step).changes.map((change) => ({
      from: change.from + from,
      to: change.to + from,
      insert: change.insert,
    }));
    this.changes.replace(window.first, window.end, composed);
    this.current = undefined;
    for (const change of composed) this.lineEndsGone += this.lineEndsIn(change);
    return { first: window.first, end: window.first + composed.length };
  }

  /** The surroundings of the changes `[first, end)`, with at least `lines` lines in front of and behind them. */
  extent(first: number, end: number, lines: number): Extent {
    const { text, matchedLines } = this.base;
    let [low, high] = [first, end];
    let from = matchedLines.lineAt(this.at(low).from);
    for (let left = lines; from > 0; ) {
      const touching = this.firstTouching(matchedLines.start(from));
      if (touching < low) {
        low = touching;
        from = Math.min(from, matchedLines.lineAt(this.at(low).from));
      } else if (left-- > 0) from--;
      else break;
    }
    low = Math.min(low, this.firstTouching(matchedLines.start(from)));
    let to = matchedLines.lineAt(this.at(high - 1).to);
    for (let left = lines; to < matchedLines.lineCount; ) {
      const next = this.changes.at(high);
      if (next !== undefined && next.from <= matchedLines.end(to)) {
        high++;
        to = Math.max(to, matchedLines.lineAt(next.to));
      } else if (left-- > 0) to++;
      else break;
    }
    return {
      base: { from: matchedLines.start(from), to: Math.min(text.length, matchedLines.end(to)) },
      first: low,
      end: high,
    };
  }

  /** The surroundings of a change: at least `units` units of the current text in front of it and behind it. */
  extentOfUnits(at: number, units: number): Extent {
    const { text } = this.base;
    let first = at;
    let { from, to } = this.at(at);
    for (let left = units; ; ) {
      const previous = this.changes.at(first - 1);
      const gap = from - (previous?.to ?? -1);
      if (gap > left + 1) {
        from = Math.max(0, from - left);
        break;
      }
      if (previous === undefined) {
        from = 0;
        break;
      }
      left = Math.max(0, left - gap - previous.insert.length);
      from = previous.from;
      first--;
    }
    let end = at + 1;
    for (let left = units; ; ) {
      const next = this.changes.at(end);
      const gap = (next?.from ?? text.length + 1) - to;
      if (gap > left + 1) {
        to = Math.min(text.length, to + left);
        break;
      }
      if (next === undefined) {
        to = text.length;
        break;
      }
      left = Math.max(0, left - gap - next.insert.length);
      to = next.to;
      end++;
    }
    // One unit was left between for this: a window must not split a character or a line end.
    if (splitsCharacter(text, from)) from--;
    if (splitsCharacter(text, to)) to++;
    return { base: { from, to }, first, end };
  }

  /** UTF-16 units that the current text of a stretch has at most. */
  lengthOf({ base, first, end }: Extent): number {
    let length = base.to - base.from;
    for (let i = first; i < end; i++) length += this.at(i).insert.length;
    return length;
  }

  /** The current text of a stretch; `lineEnd` is that of the whole text, where it has but one. */
  window({ base, first, end }: Extent, lineEnd?: string): Window {
    const { text } = this.base;
    const local = this.changes.slice(first, end).map((change) => ({
      from: change.from - base.from,
      to: change.to - base.from,
      insert: change.insert,
    }));
    const change = ChangeSet.of(base.to - base.from, local);
    const callersLine = (offset: number): number =>
      this.base.lines.lineAt(base.from + change.unitBack(offset).from) + 1;
    const index = new TextIndex(change.apply(text.slice(base.from, base.to)), this.base.rule, { callersLine, lineEnd });
    return { base, first, end, change, index };
  }

  /** The inserted text of a change, and as much of the current text on both sides as is asked for. */
  textAround(at: number, reach: number): string {
    const { text } = this.base;
    let before = "";
    for (let i = at, end = this.at(at).from; before.length < reach && end >= 0; ) {
      const previous = this.changes.at(i - 1);
      const start = Math.max(previous?.to ?? 0, end - (reach - before.length));
      before = text.slice(start, end) + before;
      if (previous === undefined || previous.to < start) break;
      before = previous.insert.slice(-(reach - before.length) || previous.insert.length) + before;
      end = previous.from;
      i--;
    }
    let after = "";
    for (let i = at, from = this.at(at).to; after.length < reach && from <= text.length; ) {
      const next = this.changes.at(i + 1);
      const end = Math.min(next?.from ?? text.length, from + (reach - after.length));
      after += text.slice(from, end);
      if (next === undefined || end < next.from) break;
      after += next.insert.slice(0, Math.max(0, reach - after.length));
      from = next.to;
      i++;
    }
    return before + this.at(at).insert + after;
  }

  private lineEndsIn({ from, to }: Change): number {
    const lines = this.base.matchedLines;
    return lines.lineAt(to) - lines.lineAt(from);
  }
}
