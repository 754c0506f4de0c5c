/** The claims of several edits on one text, and the conflicts between them. */
import type { Place } from "../../match/place.js";
import type { Change } from "../../text/changeSet.js";
import { firstIndex } from "../../text/lines.js";

/** A place that an edit or hunk claims, and the changes to make there. */
export interface ClaimedPlace {
  /** The 0-based index of the edit or hunk in the call. */
  readonly index: number;
  readonly place: Place;
  readonly changes: readonly Change[];
}

/** The accepted claims, sorted by start. Two claims may share context, but neither may change the other's old text. */
export class OverlapDetector {
  private readonly claims: ClaimedPlace[] = [];
  /** Claims made by insertions, whose places are empty; they never conflict with each other. */
  private readonly insertions: ClaimedPlace[] = [];
  private longest = 0;

  /** Returns an accepted claim that conflicts with a new one; `undefined` if there is none. */
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

  /** Accepts a claim, which must not conflict with any claim accepted earlier. */
  add(claim: ClaimedPlace): void {
    const claims = claim.place.from === claim.place.to ? this.insertions : this.claims;
    claims.splice(firstBehind(claims, claim.place.from), 0, claim);
    this.longest = Math.max(this.longest, claim.place.to - claim.place.from);
  }

  /** Returns all changes; insertions at the same offset are in the order in which they were accepted. */
  changes(): Change[] {
    return [...this.claims, ...this.insertions].flatMap((claim) => claim.changes);
  }
}

/** Returns the index of the first claim that starts after an offset. */
function firstBehind(claims: readonly ClaimedPlace[], offset: number): number {
  return firstIndex(claims.length, (i) => (claims[i] as ClaimedPlace).place.from > offset);
}

/** Reports whether a claim changes another's old text or, if their places overlap, touches any of its changes. */
function disturbs(claim: ClaimedPlace, other: ClaimedPlace): boolean {
  const { from, to } = other.place;
  if (claim.changes.some((change) => change.from < to && change.to > from)) return true;
  // In overlapping places, even adjacent changes conflict, because their order would be arbitrary.
  return claim.place.from < to && claim.place.to > from && touchEachOther(claim.changes, other.changes);
}

/** Reports whether any change in one list touches any change in the other. Each list is sorted and free of overlaps. */
function touchEachOther(some: readonly Change[], others: readonly Change[]): boolean {
  for (let i = 0, j = 0; i < some.length && j < others.length; ) {
    const [one, other] = [some[i] as Change, others[j] as Change];
    if (one.from <= other.to && one.to >= other.from) return true;
    if (one.to < other.from) i++;
    else j++;
  }
  return false;
}
