/** Runs of lines or words that one side of a merge replaces, and the rule by which two of them conflict. */

/** Units `[from, to)` of a list, lines or words, that one side replaces by others. */
export interface UnitHunk {
  readonly from: number;
  readonly to: number;
  readonly insert: readonly string[];
  /**
   * All that the hunk touches. If it only inserts or only removes units, the same result could be had at other places
   * beside equal units: an insertion touches all gaps from `from` to `to`, both inclusive; anything else, all units.
   */
  readonly reach: { readonly from: number; readonly to: number };
}

/** A list of lines or words. */
export interface Units {
  readonly length: number;
  at(index: number): string | undefined;
}

/** Completes a hunk of a list by its reach. */
export function slid<H extends Omit<UnitHunk, "reach">>(list: Units, hunk: H): H & UnitHunk {
  const { from, to, insert } = hunk;
  const length = from === to ? insert.length : to - from;
  if ((from < to && insert.length > 0) || length === 0) return { ...hunk, reach: { from, to } };
  const unit = (i: number): string | undefined => (from === to ? insert[i] : list.at(from + i));
  let [up, down] = [0, 0];
  while (to + down < list.length && list.at(to + down) === unit(down % length)) down++;
  while (up < from && list.at(from - 1 - up) === unit(length - 1 - (up % length))) up++;
  return { ...hunk, reach: { from: from - up, to: to + down } };
}

/** Reports whether two hunks of different sides touch the same units or gaps. */
export function meets(one: UnitHunk, other: UnitHunk): boolean {
  const [isInsertion, isOther] = [one.from === one.to, other.from === other.to];
  if (isInsertion && isOther) return one.reach.from <= other.reach.to && other.reach.from <= one.reach.to;
  if (!isInsertion && !isOther) return one.reach.from < other.reach.to && other.reach.from < one.reach.to;
  // An insertion touches no units, so it may be at the edge of replaced ones, unless both sides write the same there.
  const [insertion, replaced] = isInsertion ? [one, other] : [other, one];
  const { from, to } = insertion.reach;
  if (replaced.from < insertion.from && insertion.from < replaced.to) return true;
  return [replaced.from, replaced.to].some(
    (gap) => from <= gap && gap <= to && hasSame(insertedAt(insertion, gap), replaced.insert),
  );
}

/** Returns the units of an insertion if it is made at another gap of its reach, with the same result. */
export function insertedAt({ from, insert }: UnitHunk, gap: number): readonly string[] {
  const { length } = insert;
  return insert.map((_, i) => insert[(((i + gap - from) % length) + length) % length]!);
}

/** Reports whether one of two lists has all units of the other, side by side; empty lists have nothing. */
export function hasSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length === 0 || other.length === 0) return false;
  const [a, b] = [one, other].map((units) => `\n${units.join("\n")}\n`) as [string, string];
  return a.includes(b) || b.includes(a);
}
