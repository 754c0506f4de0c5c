/** Compares the figures of two runs, so that a change that costs time or memory is seen when it is made. */
import { type MeasuredCase, number, type Report } from "./report.js";
import type { Goal, Row } from "./result.js";

/** A value may get worse by this fraction before the comparison says so. */
const tolerance = 0.1;

/** A goal of one run, with the value of another run. */
export interface Compared {
  readonly title: string;
  readonly row: Row;
  readonly goal: Goal;
  readonly before: number;
  /** How many times as good the value is as before; below 1 if it is worse. */
  readonly gain: number;
  /** `true` if the value is worse by more than the tolerance, and by more than either run is uncertain. */
  readonly isWorse: boolean;
}

/** Finds the goals that both runs have measured, in the order of the later one. */
export function compare(before: readonly MeasuredCase[], now: readonly MeasuredCase[]): Compared[] {
  const rowsBefore = new Map(before.flatMap(({ name, rows }) => rows.map((row) => [`${name} ${row.name}`, row])));
  return now.flatMap(({ name, title, rows }) =>
    rows.flatMap((row) => {
      const former = rowsBefore.get(`${name} ${row.name}`);
      return row.goals.flatMap((goal) => {
        const other = former?.goals.find(({ measure }) => measure === goal.measure);
        if (former === undefined || other === undefined) return [];
        const [better, worse] = goal.sense === "atMost" ? [other.value, goal.value] : [goal.value, other.value];
        // Values that are far below the goal differ by chance.
        const least = 0.05 * goal.limit;
        const gain = Math.max(better, least) / Math.max(worse, least);
        const doubt = Math.max(tolerance, (row.uncertainty ?? 0) + (former.uncertainty ?? 0));
        return [{ title, row, goal, before: other.value, gain, isWorse: gain < 1 / (1 + doubt) }];
      });
    }),
  );
}

/** Describes the goals whose values differ by more than the tolerance, the worst first. */
export function comparison(before: Report, now: readonly MeasuredCase[]): string {
  const all = compare(before.cases, now);
  const told = all.filter(({ gain }) => Math.abs(Math.log(gain)) > Math.log(1 + tolerance));
  const lines = told
    .sort((a, b) => a.gain - b.gain)
    .map(({ title, row, goal, before, gain, isWorse }) => {
      const verdict = isWorse ? "WORSE" : gain < 1 ? "worse, perhaps by chance" : "better";
      return `  ${title}, ${row.name}: ${number(before)} -> ${number(goal.value)} ${goal.measure}: ${verdict}`;
    });
  const same = all.length - told.length;
  const head = `Compared with the run of ${before.machine.date}: ${same} of ${all.length} figures differ by at most ${100 * tolerance} %.`;
  return [head, ...lines].join("\n");
}

/** Adds the cases of a run to those of an earlier one, whose figures for the same cases are replaced. */
export function merged(before: Report | undefined, now: Report): Report {
  const measured = new Set(now.cases.map(({ name }) => name));
  const kept = (before?.cases ?? []).filter(({ name }) => !measured.has(name));
  return { ...now, cases: [...kept, ...now.cases] };
}
