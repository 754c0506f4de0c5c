/** What several edits claim of one text, and whether they can live with each other. */
import type { Place } from "../match/place.js";
import type { Change } from "../text/changeSet.js";

/** One place of one edit or hunk, and what is changed there. */
export interface Claim {
  /** 0-based, as sent. */
  readonly index: number;
  readonly place: Place;
  readonly changes: readonly Change[];
}

/** The claims so far, by where they start. Two may share context; neither may change what the other one holds. */
export class Accepted {
  private readonly claims: Claim[] = [];
  private longest = 0;

  /** An accepted claim that a new one can't live with. */
  conflictOf(claim: Claim): Claim | undefined {
    for (let i = this.firstBehind(claim.place.to) - 1; i >= 0; i--) {
      const other = this.claims[i] as Claim;
      if (other.place.from + this.longest < claim.place.from) return undefined;
      if (disturbs(claim, other) || disturbs(other, claim)) return other;
    }
    return undefined;
  }

  /** Accepts a claim that is in conflict with none. */
  add(claim: Claim): void {
    this.claims.splice(this.firstBehind(claim.place.from), 0, claim);
    this.longest = Math.max(this.longest, claim.place.to - claim.place.from);
  }

  /** Of places that start at one offset, those that were accepted first come first. */
  changes(): Change[] {
    return this.claims.flatMap((claim) => claim.changes);
  }

  /** Index of the first claim that starts behind an offset. */
  private firstBehind(offset: number): number {
    let low = 0;
    let high = this.claims.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.claims[middle] as Claim).place.from <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Whether a claim changes text that another one's old text holds; touching at its ends is no harm. */
function disturbs(claim: Claim, other: Claim): boolean {
  const { from, to } = other.place;
  const overlaps = claim.place.from < to && claim.place.to > from;
  // Where the places overlap, nothing orders two changes that touch.
  const touches = (change: Change): boolean =>
    overlaps && other.changes.some((theirs) => change.from <= theirs.to && change.to >= theirs.from);
  return claim.changes.some((change) => (change.from < to && change.to > from) || touches(change));
}
