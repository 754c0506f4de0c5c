/** Words of a line, and which added line a removed line becomes. */

/** A line as runs of letters and digits, runs of spaces, and single other characters. */
export const words = (line: string): string[] => line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

/**
 * The removed lines that clearly become one added line, and that line. A single line becomes the single line that
 * replaces it. Otherwise, more than half of the words must be the same, no other line may have as many of them, and if
 * as many lines are added as removed, both must have the same number.
 */
export function clearPairs(removed: readonly string[], added: readonly string[]): { old: number; new: number }[] {
  const isText = (line: string | undefined): boolean => line !== undefined && line.trim() !== "";
  if (removed.length === 1 && added.length === 1)
    return isText(removed[0]) && isText(added[0]) ? [{ old: 0, new: 0 }] : [];
  return removed.flatMap((line, n) => {
    const own = bestOf(line, added);
    if (own === undefined || bestOf(added[own]!, removed) !== n) return [];
    return removed.length === added.length && own !== n ? [] : [{ old: n, new: own }];
  });
}

/** The only line that has most words in common with `line`, and more than half of them. */
function bestOf(line: string, others: readonly string[]): number | undefined {
  const shares = others.map((other) => share(line, other));
  const most = Math.max(...shares);
  const isOnly = shares.filter((one) => one === most).length === 1;
  return most > 0.5 && isOnly ? shares.indexOf(most) : undefined;
}

function share(a: string, b: string): number {
  const [own, other] = [a, b].map((line) => words(line).filter((word) => word.trim() !== "")) as [string[], string[]];
  const left = [...other];
  const common = own.filter((word) => {
    const at = left.indexOf(word);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
  return common.length / Math.max(own.length, other.length, 1);
}
