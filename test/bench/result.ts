/** The result of a benchmark case: times, and their relation to the goals. */
import type { Scale } from "./scale.js";

/** A promise that is measured. */
export interface Goal {
  /** The quantity that is compared, such as `x floor`. */
  readonly measure: string;
  readonly value: number;
  readonly limit: number;
  readonly sense: "atMost" | "atLeast";
  /** The text after a number: `x`, ` ms`, ` MB`. */
  readonly unit: string;
}

/** One row of a case's table. */
export interface Row {
  readonly name: string;
  /** Median times in milliseconds by contender; the server comes first. */
  readonly times: Readonly<Record<string, number>>;
  /**
   * The possible error of the comparison's median, as a fraction of that median or of the goal; `undefined` if no times
   * were compared.
   */
  readonly uncertainty?: number;
  readonly goals: readonly Goal[];
  readonly note?: string;
}

/** A line of the growth curves: milliseconds by size. */
export interface Curve {
  readonly name: string;
  readonly points: readonly { readonly size: number; readonly ms: number }[];
}

/** All rows of a case. */
export interface CaseResult {
  readonly rows: readonly Row[];
  readonly curves?: readonly Curve[];
}

/** A case of the benchmark. */
export interface BenchCase {
  /** The name for `--only`. */
  readonly name: string;
  /** The title in the table of goals. */
  readonly title: string;
  /** `true` if the whole case is about another process, whose work the processor clock does not count. */
  readonly isOfProcess: boolean;
  measure(scale: Scale): Promise<CaseResult>;
}

/** If a comparison is more uncertain than this, the machine was too busy for a verdict. */
export const quiet = 0.08;

/** The verdict on a goal. */
export type Verdict = "met" | "NOT MET" | "too busy to tell";

/** Decides whether a goal is met, if the row's uncertainty permits a verdict. */
export function verdictOf(goal: Goal, row: Pick<Row, "uncertainty">): Verdict {
  if ((row.uncertainty ?? 0) > quiet) return "too busy to tell";
  return isMet(goal) ? "met" : "NOT MET";
}

/** Reports whether the value is on the right side of the limit. */
export function isMet({ value, limit, sense }: Goal): boolean {
  return sense === "atMost" ? value <= limit : value >= limit;
}

/** A goal for a time as a multiple of the floor. */
export const timesFloor = (value: number, limit: number): Goal => ({
  measure: "x floor",
  value,
  limit,
  sense: "atMost",
  unit: "x",
});
