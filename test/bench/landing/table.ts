/** Counts the outcomes of each kind of case, compares them with the goals, and formats them as a table. */
import type { Kind } from "./kinds.js";
import type { Landed } from "./run.js";

/** The figures for one kind. */
export interface Figures {
  readonly kind: string;
  readonly cases: number;
  readonly right: number;
  readonly refused: number;
  readonly wrong: number;
  /**
   * `placed`: number of refusals of edits that belong somewhere in the file; `pointed`: how many of these name the
   * location.
   */
  readonly placed: number;
  readonly pointed: number;
  /** `due`: number of required refusals; `reasoned`: how many of these give the right reason. */
  readonly due: number;
  readonly reasoned: number;
  /** Number of edits found on each rung. */
  readonly rungs: Readonly<Record<string, number>>;
  readonly goal: string;
  readonly isMet: boolean;
}

/** Percentage of refusals that must name the location, counting only edits that belong somewhere in the file. */
const pointingGoal = 97;

/** Computes the figures of one kind from its cases. */
export function figuresOf({ name, goal }: Kind, landed: readonly Landed[]): Figures {
  const count = (test: (one: Landed) => boolean): number => landed.filter(test).length;
  const right = count(({ verdict }) => verdict.outcome === "right");
  const refused = count(({ verdict }) => verdict.outcome === "refused");
  const share = "right" in goal ? right / landed.length : refused / landed.length;
  const least = "right" in goal ? goal.right : goal.refused;
  return {
    kind: name,
    cases: landed.length,
    right,
    refused,
    wrong: count(({ verdict }) => verdict.outcome === "wrong"),
    placed: count(({ verdict }) => verdict.pointsAtPlace !== undefined),
    pointed: count(({ verdict }) => verdict.pointsAtPlace === true),
    due: count(({ verdict }) => verdict.isReasonRight !== undefined),
    reasoned: count(({ verdict }) => verdict.isReasonRight === true),
    rungs: countsOf(landed.flatMap(({ verdict }) => verdict.rungs)),
    goal: `${"right" in goal ? "right" : "refused"} ${least === 100 ? "100" : `>= ${least}`} %`,
    isMet: share * 100 >= least && right + refused === landed.length,
  };
}

const countsOf = (names: readonly string[]): Record<string, number> => added(names.map((name) => ({ [name]: 1 })));

function added(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, n] of counts.flatMap((one) => Object.entries(one))) sums[name] = (sums[name] ?? 0) + n;
  return sums;
}

/** Adds up the figures of all kinds. */
export function total(rows: readonly Figures[]): Figures {
  const sum = (of: (row: Figures) => number): number => rows.reduce((all, row) => all + of(row), 0);
  const [placed, pointed] = [sum((row) => row.placed), sum((row) => row.pointed)];
  const wrong = sum((row) => row.wrong);
  return {
    kind: "all",
    cases: sum((row) => row.cases),
    right: sum((row) => row.right),
    refused: sum((row) => row.refused),
    wrong,
    placed,
    pointed,
    due: sum((row) => row.due),
    reasoned: sum((row) => row.reasoned),
    rungs: added(rows.map((row) => row.rungs)),
    goal: `wrong 0, place >= ${pointingGoal} %`,
    isMet: wrong === 0 && pointed * 100 >= pointingGoal * placed,
  };
}

/** The figures as a Markdown table. */
export function toTable(rows: readonly Figures[]): string {
  const head = [
    "kind",
    "cases",
    "landed right",
    "refused",
    "landed wrong",
    "names the place",
    "right reason",
    "goal",
    "",
  ];
  const cells = rows.map((row) => [
    row.kind,
    String(row.cases),
    String(row.right),
    String(row.refused),
    String(row.wrong),
    shareOf(row.pointed, row.placed),
    shareOf(row.reasoned, row.due),
    row.goal,
    row.isMet ? "met" : "NOT MET",
  ]);
  const widths = head.map((name, i) => Math.max(name.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => (i > 0 && i < 7 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join(" | ")} |`;
  const rule = `| ${widths.map((width, i) => (i > 0 && i < 7 ? `${"-".repeat(Math.max(1, width - 1))}:` : "-".repeat(width))).join(" | ")} |`;
  return [line(head), rule, ...cells.map(line)].join("\n");
}

function shareOf(part: number, whole: number): string {
  return whole === 0 ? "" : `${part}/${whole} ${((100 * part) / whole).toFixed(1)} %`;
}
