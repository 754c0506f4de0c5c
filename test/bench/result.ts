/** What a case of the benchmark comes to: times, and how they stand to the goals. */
import type { Scale } from "./scale.js";

/** A promise that is measured. */
export interface Goal {
  /** What is compared, as `x floor`. */
  readonly measure: string;
  readonly value: number;
  readonly limit: number;
  readonly sense: "atMost" | "atLeast";
  /** Behind the numbers: `x`, ` ms`, ` MB`. */
  readonly unit: string;
}

/** One line of the big table. */
export interface Row {
  readonly name: string;
  /** Medians in milliseconds, or bytes for what is no time, by contender; the server first. */
  readonly times: Readonly<Record<string, number>>;
  /** How far the comparison's median may be off, as a share of it, or of the goal; `undefined`: no time was compared. */
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

/** A row of the table of goals. */
export interface BenchCase {
  /** For `--only`. */
  readonly name: string;
  /** As the table of goals has it. */
  readonly title: string;
  /** Whether all of it is about another process, whose work the processor's clock does not count. */
  readonly isOfProcess: boolean;
  measure(scale: Scale): Promise<CaseResult>;
}

/** Beyond this uncertainty of the comparison the machine was too busy to tell. */
export const quiet = 0.08;

/** What came of a goal. */
export type Verdict = "met" | "NOT MET" | "too busy to tell";

/** Whether a goal is met, in a row that may tell. */
export function verdictOf(goal: Goal, row: Pick<Row, "uncertainty">): Verdict {
  if ((row.uncertainty ?? 0) > quiet) return "too busy to tell";
  return isMet(goal) ? "met" : "NOT MET";
}

/** Whether the value is on the right side of the limit. */
export function isMet({ value, limit, sense }: Goal): boolean {
  return sense === "atMost" ? value <= limit : value >= limit;
}

/** A goal on how many times as long as the floor something takes. */
export const timesFloor = (value: number, limit: number): Goal => ({
  measure: "x floor",
  value,
  limit,
  sense: "atMost",
  unit: "x",
});
