/** What several edits claim of one text, and whether they can live with each other. */
import type { Place } from "../../match/place.js";
import type { Change } from "../../text/changeSet.js";
import { firstIndex } from "../../text/lines.js";

/** One place of one edit or hunk, and what is changed there. */
export interface ClaimedPlace {
  /** 0-based, as sent. */
  readonly index: number;
  readonly place: Place;
  readonly changes: readonly Change[];
}

/** The claims so far, by where they start. Two may share context; neither may change what the other one holds. */
export class OverlapDetector {
  private readonly claims: ClaimedPlace[] = [];
  /** Those of insertions, whose places are empty: they never are in each other's way. */
  private readonly insertions: ClaimedPlace[] = [];
  private longest = 0;

  /** An accepted claim that a new one can't live with. */
  conflictOf(claim: ClaimedPlace): ClaimedPlace | undefined {
    const { from, to } = claim.place;
    const inside = this.insertions[firstBehind(this.insertions, from)];
    if (inside !== undefined && inside.place.from < to) return inside;
    for (let i = firstBehind(this.claims, to) - 1; i >= 0; i--) {
      const other = this.claims[i] as ClaimedPlace;
      if (other.place.from + this.longest < claim.place.from) return undefined;
      if (disturbs(claim, other) || disturbs(other, claim)) return other;
    }
    return undefined;
  }

  /** Accepts a claim that is in conflict with none. */
  add(claim: ClaimedPlace): void {
    const claims = claim.place.from === claim.place.to ? this.insertions : this.claims;
    claims.splice(firstBehind(claims, claim.place.from), 0, claim);
    this.longest = Math.max(this.longest, claim.place.to - claim.place.from);
  }

  /** Of places that start at one offset, those that were accepted first come first. */
  changes(): Change[] {
    return [...this.claims, ...this.insertions].flatMap((claim) => claim.changes);
  }
}

/** Index of the first claim that starts behind an offset. */
function firstBehind(claims: readonly ClaimedPlace[], offset: number): number {
  return firstIndex(claims.length, (i) => (claims[i] as ClaimedPlace).place.from > offset);
}

/** Whether a claim changes text that another one's old text holds; touching at its ends is no harm. */
function disturbs(claim: ClaimedPlace, other: ClaimedPlace): boolean {
  const { from, to } = other.place;
  if (claim.changes.some((change) => change.from < to && change.to > from)) return true;
  // Where the places overlap, nothing orders two changes that touch.
  return claim.place.from < to && claim.place.to > from && touchEachOther(claim.changes, other.changes);
}

/** Both sorted, and in themselves disjoint. */
function touchEachOther(some: readonly Change[], others: readonly Change[]): boolean {
  for (let i = 0, j = 0; i < some.length && j < others.length; ) {
    const [one, other] = [some[i] as Change, others[j] as Change];
    if (one.from <= other.to && one.to >= other.from) return true;
    if (one.to < other.from) i++;
    else j++;
  }
  return false;
}
