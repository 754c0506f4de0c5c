/** The result of a benchmark case: times, and how they compare with the goals. */
import type { Scale } from "./scale.js";

/** A promise that can be measured. */
export interface Goal {
  /** The quantity that is compared with the limit, such as `x floor`. */
  readonly measure: string;
  readonly value: number;
  readonly limit: number;
  readonly sense: "atMost" | "atLeast";
  /** The unit to print after a number: `x`, ` ms`, ` MB`. */
  readonly unit: string;
}

/** One row of a case's table. */
export interface Row {
  readonly name: string;
  /** Median times in milliseconds, keyed by contender; the server comes first. */
  readonly times: Readonly<Record<string, number>>;
  /**
   * The standard error of the comparison's median, as a fraction of that median or of the goal; `undefined` if no times
   * were compared.
   */
  readonly uncertainty?: number;
  readonly goals: readonly Goal[];
  readonly note?: string;
}

/** A growth curve: milliseconds by size. */
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
  /** The name by which `--only` selects the case. */
  readonly name: string;
  /** The title in the table of goals. */
  readonly title: string;
  /** `true` if the case measures only another process, whose work the processor clock does not count. */
  readonly isOfProcess: boolean;
  measure(scale: Scale): Promise<CaseResult>;
}

/** Maximum uncertainty for a verdict; if a comparison exceeds it, the machine was too busy. */
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

/** A goal for a time, as a multiple of the floor. */
export const timesFloor = (value: number, limit: number): Goal => ({
  measure: "x floor",
  value,
  limit,
  sense: "atMost",
  unit: "x",
});
