/** A sorted list of disjoint changes into whose middle further ones are put, often and for little. */
import { firstIndex } from "../text/bisect.js";
import type { Change } from "../text/changeSet.js";

/**
 * The changes lie in the order in which they came; where each stands is told by numbers beside them, which are quick to
 * move and quick to search, and which the garbage collector does not look at.
 */
export class ChangeList {
  private readonly arrived: Change[] = [];
  /** In the order of the list, for each change: its index in `arrived`, and its own offsets. */
  private order = new Uint32Array(room);
  private from = new Uint32Array(room);
  private to = new Uint32Array(room);
  private count = 0;

  get length(): number {
    return this.count;
  }

  /** The change at an index; `undefined`: the list is not that long, or the index is negative. */
  at(index: number): Change | undefined {
    return index < this.count ? this.arrived[this.order[index]!] : undefined;
  }

  /** Index of the first change that ends at an offset or behind it; the length, where there is none. */
  firstEndingFrom(offset: number): number {
    const { to } = this;
    return firstIndex(this.count, (i) => to[i]! >= offset);
  }

  /** Index of the first change that starts at an offset or behind it; the length, where there is none. */
  firstStartingFrom(offset: number): number {
    const { from } = this;
    return firstIndex(this.count, (i) => from[i]! >= offset);
  }

  /** Puts changes in the place of those at `[first, end)`. */
  replace(first: number, end: number, changes: readonly Change[]): void {
    const count = this.count - (end - first) + changes.length;
    if (count > this.order.length) this.grow(2 * count);
    for (const numbers of [this.order, this.from, this.to]) {
      numbers.copyWithin(first + changes.length, end, this.count);
    }
    let at = first;
    for (const change of changes) {
      this.order[at] = this.arrived.length;
      this.from[at] = change.from;
      this.to[at++] = change.to;
      this.arrived.push(change);
    }
    this.count = count;
  }

  /** Those at `[first, end)`. */
  slice(first = 0, end = this.count): Change[] {
    return Array.from(this.order.subarray(first, Math.min(end, this.count)), (at) => this.arrived[at]!);
  }

  private grow(length: number): void {
    const larger = (numbers: Uint32Array): Uint32Array<ArrayBuffer> => {
      const copy = new Uint32Array(length);
      copy.set(numbers);
      return copy;
    };
    [this.order, this.from, this.to] = [larger(this.order), larger(this.from), larger(this.to)];
  }
}

/** Changes for which there is room at first. */
const room = 16;
