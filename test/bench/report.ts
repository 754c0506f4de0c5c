/** The benchmark's figures as JSON and as readable tables. */
import { cpus, loadavg } from "node:os";
import type { BenchCase, CaseResult, Goal, Row } from "./result.js";
import { isMet, quiet, verdictOf } from "./result.js";

/** The machine and the date of a measurement. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly platform: string;
  readonly node: string;
  /** The date and time of the measurement, in ISO 8601 format. */
  readonly date: string;
  /** The load average over the preceding minute; 0 if the system does not report it. */
  readonly load: number;
}

/** A case and its figures. */
export interface MeasuredCase extends CaseResult {
  readonly name: string;
  readonly title: string;
}

/** All results of one run. */
export interface Report {
  readonly machine: Machine;
  /** The command line. */
  readonly command: string;
  readonly seed: number;
  readonly cases: readonly MeasuredCase[];
}

/** This machine, with the current date and load. */
export function machineNow(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? "unknown",
    cores: all.length,
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    date: new Date().toISOString(),
    load: loadavg()[0] ?? 0,
  };
}

/** Describes a machine in one line. */
export function machineLine({ cpu, cores, platform, node, date, load }: Machine): string {
  return `${cpu}, ${cores} cores, ${platform}, node ${node}, ${date.slice(0, 10)}, load ${load.toFixed(1)}`;
}

/** A case's rows: medians, and each goal with its verdict. */
export function caseTable({ title }: Pick<BenchCase, "title">, { rows }: CaseResult): string {
  const lines = rows.flatMap((row) => [
    `  ${row.name}${Object.keys(row.times).length === 0 ? "" : ": "}${timesOf(row)}${noise(row)}`,
    ...row.goals.map((goal) => `    ${goalText(goal)}: ${verdictOf(goal, row)}`),
    ...(row.note === undefined ? [] : [`    (${row.note})`]),
  ]);
  return [title, ...lines].join("\n");
}

const timesOf = ({ times }: Row): string =>
  Object.entries(times)
    .map(([name, ms]) => `${name} ${milliseconds(ms)}`)
    .join(", ");

const noise = ({ uncertainty }: Row): string =>
  uncertainty === undefined ? "" : ` (± ${Math.round(uncertainty * 100)} %)`;

function goalText({ measure, value, limit, sense, unit }: Goal): string {
  const bound = `${sense === "atMost" ? "at most" : "at least"} ${limit}`;
  const name = unit === "x" ? measure : measure.replace(/^(?:ms|MB) /, `${unit.trim()} `);
  return `${number(value)} ${name}, ${bound}`;
}

/** The worst row of a case for one of its goals. */
export interface Worst {
  readonly title: string;
  readonly goal: Goal;
  readonly row: Row;
}

/** The table of goals: one line per case and goal, with the worst row. */
export function worstOf(cases: readonly MeasuredCase[]): Worst[] {
  return cases.flatMap(({ title, rows }) => {
    const measures = [...new Set(rows.flatMap(({ goals }) => goals.map(({ measure }) => measure)))];
    return measures.flatMap((measure) => {
      const all = rows.flatMap((row) =>
        row.goals.filter((goal) => goal.measure === measure).map((goal) => ({ title, goal, row })),
      );
      all.sort((a, b) => strain(b.goal) - strain(a.goal));
      return all.slice(0, 1);
    });
  });
}

/** The fraction of a goal's limit that is used up; 1 is the limit itself, and any value above 1 is a miss. */
export function strain({ value, limit, sense }: Goal): number {
  return sense === "atMost" ? Math.max(0, value) / limit : limit / value;
}

/** The table of goals as Markdown. */
export function goalTable(cases: readonly MeasuredCase[]): string {
  const rows = worstOf(cases).map(({ title, goal, row }) => [
    title,
    `${number(goal.value)} ${goal.measure}`,
    `${goal.sense === "atMost" ? "at most" : "at least"} ${goal.limit}`,
    verdictOf(goal, row),
  ]);
  const table = [["case", "measured", "goal", "result"], ...rows];
  const widths = [0, 1, 2, 3].map((i) => Math.max(...table.map((cells) => (cells[i] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`;
  return [line(table[0] ?? []), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** A warning about unreliable figures; `undefined` if the machine was quiet. */
export function doubts(cases: readonly MeasuredCase[]): string | undefined {
  const rows = cases.flatMap((one) =>
    one.rows.filter(({ goals, uncertainty = 0 }) => goals.length > 0 && uncertainty > quiet),
  );
  if (rows.length === 0) return undefined;
  const most = Math.round(100 * quiet);
  return `The machine was too busy for a verdict on ${rows.length} rows: their comparisons are uncertain by more than ${most} %. Run the benchmark again when nothing else is running.`;
}

/** Number of missed goals, counting only rows that permit a verdict. */
export function missed(cases: readonly MeasuredCase[]): number {
  return cases
    .flatMap(({ rows }) => rows)
    .reduce((sum, row) => sum + row.goals.filter((goal) => !isMet(goal) && (row.uncertainty ?? 0) <= quiet).length, 0);
}

/** Formats a time in milliseconds; long times are given in seconds. */
export function milliseconds(ms: number): string {
  return ms >= 10_000 ? `${number(ms / 1000)} s` : `${number(ms)} ms`;
}

/** Formats a number with as many decimals as are meaningful. */
export function number(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
