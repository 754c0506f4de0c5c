/** The causes of models' failed edit calls, and the weight that each has in the benchmark. */

/**
 * How often each cause occurred among models' failed calls, in percent: `work` of 170 calls with old and new texts in
 * real work, `patches` of 923 patches in reports of a benchmark for agents. Nothing of the last row was seen.
 */
const shares = {
  "several lines in other words": { work: 13, patches: 1 },
  "one of several lines in other words": { work: 10, patches: 1 },
  "a single line in other words": { work: 8, patches: 1 },
  "only context in other words": { work: 2, patches: 0 },
  "already applied": { work: 15, patches: 2.5 },
  "nowhere in the file": { work: 10, patches: 0 },
  "whitespace only": { work: 10, patches: 1.5 },
  "lines left out, added or exchanged": { work: 9, patches: 10 },
  "an older version of the file": { work: 9, patches: 0 },
  "several places": { work: 6, patches: 11 },
  "old and new text the same": { work: 5, patches: 0 },
  "a patch that changes nothing": { work: 0, patches: 46 },
  "@@ without a hunk": { work: 0, patches: 16 },
  "an anchor that is no line above": { work: 0, patches: 10 },
  "line numbers of a view": { work: 0, patches: 1.3 },
  "hardly ever": { work: 2, patches: 2 },
} as const;

/**
 * The cause of a failed call. Calls without a mistake have no weight: `undamaged` ones are as `git diff` shows a change,
 * and may be ambiguous; `sound` ones are not.
 */
export type Cause = keyof typeof shares | "undamaged" | "sound";

/** The part of the weight that each column has. */
const parts = { work: 0.75, patches: 0.25 } as const;

/** The weight of a cause; those of all causes add up to 1, and that of calls without a mistake is 0. */
export function weightOf(cause: Cause): number {
  if (cause === "undamaged" || cause === "sound") return 0;
  const columns = ["work", "patches"] as const;
  const sum = (column: "work" | "patches"): number => Object.values(shares).reduce((all, row) => all + row[column], 0);
  return columns.reduce((weight, column) => weight + (parts[column] * shares[cause][column]) / sum(column), 0);
}
