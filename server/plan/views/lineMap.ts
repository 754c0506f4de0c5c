/** Maps the lines of an earlier text to the lines of the present one. */
import type { ChangeSet } from "../../text/changeSet.js";
import { trimEnd, trimStart } from "../../text/chars.js";
import { firstIndex, type LineIndex } from "../../text/lines.js";

/** Lines that have changed: `[from, to)` of the earlier text became `[fromNow, toNow)`. Either may be empty. */
export interface LineBlock {
  readonly from: number;
  readonly to: number;
  readonly fromNow: number;
  readonly toNow: number;
}

/** The lines that two texts share, found from the changes between them. All line numbers are 0-based. */
export class LineMap {
  /** In ascending order. Two blocks may touch, but only one of two that touch can be empty on either side. */
  readonly blocks: readonly LineBlock[];

  /** `since` turns the text of `then` into that of `now`. */
  constructor(
    readonly then: LineIndex,
    readonly now: LineIndex,
    since: ChangeSet,
  ) {
    const blocks: { block: LineBlock; start: number; end: number }[] = [];
    for (const { from, to } of since.changes) {
      const block = this.blockOf({ from, to }, since);
      const last = blocks.at(-1);
      // Nobody can say which of two empty lines is the old one, so both belong to what was typed.
      const isTorn = this.isTorn(block);
      const own = isTorn
        ? { block: { ...block, to: block.to + 1, toNow: block.toNow + 1 }, start: from - 1, end: to + 1 }
        : { block, start: from, end: to };
      if (last === undefined || block.from >= last.block.to) blocks.push(own);
      else {
        last.block = { ...last.block, to: block.to, toNow: block.toNow };
        last.end = to;
      }
    }
    this.blocks = blocks.flatMap(({ block, start, end }) => this.trimmed(block, { start, end }));
  }

  /** Reports whether a block inserts lines at an empty line, so that there is one above and one below. */
  private isTorn({ from, to, fromNow, toNow }: LineBlock): boolean {
    const { then, now } = this;
    if (from < to || from >= then.lineCount || then.content(from) !== "") return false;
    return fromNow < toNow && toNow < now.lineCount && now.content(fromNow) === "" && now.content(toNow) === "";
  }

  /** Returns the lines that a change touches. */
  private blockOf({ from, to }: { readonly from: number; readonly to: number }, since: ChangeSet): LineBlock {
    const { then, now } = this;
    const [first, last] = [then.lineAt(from), then.lineAt(to)];
    const [start, end] = [since.mapPos(from, "before"), since.mapPos(to, "after")];
    const endNow = now.lineAt(end);
    const isWhole = from === then.start(first) && to === then.start(last) && end === now.start(endNow);
    const fromNow = now.lineAt(start - (from - then.start(first)));
    return isWhole
      ? { from: first, to: last, fromNow, toNow: endNow }
      : { from: first, to: last + 1, fromNow, toNow: endNow + 1 };
  }

  /**
   * Removes the first line of a block if only something after it has changed, and the last line if only something before
   * it has. `start`, `end`: the offsets at which the changes of the block start and end, in the earlier text.
   */
  private trimmed(block: LineBlock, { start, end }: { readonly start: number; readonly end: number }): LineBlock[] {
    const { then } = this;
    let { from, to, fromNow, toNow } = block;
    const hasRoom = (): boolean => from < to && fromNow < toNow;
    const isAfter = start >= trimEnd(then.text, then.start(from), then.contentEnd(from));
    if (hasRoom() && isAfter && this.isSame(from, fromNow)) {
      from++;
      fromNow++;
    }
    const isBefore = to > 0 && end <= trimStart(then.text, then.start(to - 1), then.contentEnd(to - 1));
    if (hasRoom() && isBefore && this.isSame(to - 1, toNow - 1)) {
      to--;
      toNow--;
    }
    return from === to && fromNow === toNow ? [] : [{ from, to, fromNow, toNow }];
  }

  /** Reports whether a line is the same in both texts; a text's last line may have gained or lost its line ending. */
  private isSame(line: number, lineNow: number): boolean {
    const { then, now } = this;
    if (then.content(line) !== now.content(lineNow)) return false;
    const [end, endNow] = [then.terminator(line), now.terminator(lineNow)];
    return end === endNow || end === "" || endNow === "";
  }

  /** Returns the index of the first block that ends at or after a line of the earlier text. */
  private blockAt(line: number): number {
    return firstIndex(this.blocks.length, (i) => this.blocks[i]!.to >= line);
  }

  /** Returns the present number of a line of the earlier text; `undefined` if the line has changed. */
  lineNow(line: number): number | undefined {
    const at = firstIndex(this.blocks.length, (i) => this.blocks[i]!.to > line);
    const next = this.blocks[at];
    if (next !== undefined && next.from <= line && line < next.to) return undefined;
    const last = this.blocks[at - 1];
    return last === undefined ? line : last.toNow + (line - last.to);
  }

  /**
   * Returns the present line that follows the gap before a line of the earlier text; `undefined` if lines were inserted
   * into the gap, or if it is not certain that none were.
   */
  gapNow(line: number): number | undefined {
    let now: number | undefined;
    for (let i = this.blockAt(line); i < this.blocks.length; i++) {
      const block = this.blocks[i]!;
      if (block.from > line) break;
      const isBeside = block.from === line || block.to === line;
      if (!isBeside || block.toNow - block.fromNow > block.to - block.from) return undefined;
      now = block.to === line ? block.toNow : (now ?? block.fromNow);
    }
    if (now !== undefined) return now;
    if (line < this.then.lineCount) return this.lineNow(line);
    const last = this.lineNow(line - 1);
    return last === undefined ? undefined : last + 1;
  }

  /** Returns the present lines of the lines `[from, to)` of the earlier text, without lines inserted at their ends. */
  range(from: number, to: number): { readonly from: number; readonly to: number } {
    const holding = (line: number): LineBlock | undefined => this.blocks.find((b) => b.from <= line && line < b.to);
    const start = this.lineNow(from) ?? holding(from)?.fromNow ?? 0;
    const last = this.lineNow(to - 1);
    const end = last === undefined ? (holding(to - 1)?.toNow ?? start) : last + 1;
    return { from: start, to: Math.max(start, end) };
  }

  /**
   * Returns the present number of a line of the earlier text, even if it has changed: as many lines replaced its block as
   * it had. `undefined` if the line has no counterpart.
   */
  counterpart(line: number): number | undefined {
    const block = this.blocks.find(({ from, to }) => from <= line && line < to);
    if (block === undefined) return this.lineNow(line);
    const { from, to, fromNow, toNow } = block;
    return to - from === toNow - fromNow ? fromNow + (line - from) : undefined;
  }

  /** Returns the blocks that touch the lines `[from, to)` of the earlier text, or the gaps at their ends. */
  touching(from: number, to: number): readonly LineBlock[] {
    return this.blocks.filter((block) => block.from <= to && block.to >= from);
  }
}
