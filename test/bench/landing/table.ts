/** Counts the outcomes of each kind of case, compares them with the goals, and formats them as a table. */
import { type Cause, weightOf } from "./causes.js";
import { type Kind, weightOfKind } from "./kinds.js";
import type { Landed } from "./run.js";

/** Figures of one kind, or sums of those of several kinds. */
export interface Figures {
  readonly kind: string;
  readonly cause: Cause | undefined;
  /** The part of all failed calls for which the row counts, from 0 to 1. */
  readonly weight: number;
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
  /**
   * `asked`: number of refusals after which the model must correct the text of an edit that belongs somewhere; `told`:
   * how many of these say enough for that.
   */
  readonly asked: number;
  readonly told: number;
  /** `due`: number of required refusals; `reasoned`: how many of these give the right reason. */
  readonly due: number;
  readonly reasoned: number;
  /** Number of edits found on each rung. */
  readonly rungs: Readonly<Record<string, number>>;
  readonly goal: string;
  readonly isMet: boolean;
}

const counted = [
  "cases",
  "right",
  "refused",
  "wrong",
  "placed",
  "pointed",
  "asked",
  "told",
  "due",
  "reasoned",
] as const;

/** Computes the figures of one kind from its cases. */
export function figuresOf(kind: Kind, landed: readonly Landed[]): Figures {
  const { name, goal } = kind;
  const count = (test: (one: Landed) => boolean): number => landed.filter(test).length;
  const right = count(({ verdict }) => verdict.outcome === "right");
  const refused = count(({ verdict }) => verdict.outcome === "refused");
  const least = "right" in goal ? goal.right : goal.refused;
  const met = ("right" in goal ? right : refused) * 100 >= least * landed.length;
  return {
    kind: name,
    cause: kind.cause,
    weight: weightOfKind(kind),
    cases: landed.length,
    right,
    refused,
    wrong: count(({ verdict }) => verdict.outcome === "wrong"),
    placed: count(({ verdict }) => verdict.pointsAtPlace !== undefined),
    pointed: count(({ verdict }) => verdict.pointsAtPlace === true),
    asked: count(({ verdict }) => verdict.suffices !== undefined),
    told: count(({ verdict }) => verdict.suffices === true),
    due: count(({ verdict }) => verdict.isReasonRight !== undefined),
    reasoned: count(({ verdict }) => verdict.isReasonRight === true),
    rungs: countsOf(landed.flatMap(({ verdict }) => verdict.rungs)),
    goal:
      least === 0
        ? "none wrong"
        : `${"right" in goal ? "right" : "refused"} ${least === 100 ? "100" : `>= ${least}`} %`,
    isMet: met && right + refused === landed.length,
  };
}

const countsOf = (names: readonly string[]): Record<string, number> => added(names.map((name) => ({ [name]: 1 })));

function added(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, n] of counts.flatMap((one) => Object.entries(one))) sums[name] = (sums[name] ?? 0) + n;
  return sums;
}

/** Adds up the figures of the kinds of each cause. */
export function byCause(rows: readonly Figures[]): Figures[] {
  const causes = [...new Set(rows.map(({ cause }) => cause))];
  return causes.flatMap((cause) => {
    if (cause === undefined || cause === "undamaged") return rows.filter((row) => row.cause === cause);
    const own = rows.filter((row) => row.cause === cause);
    return [
      { ...summed(own), kind: cause, cause, weight: weightOf(cause), goal: "", isMet: own.every((row) => row.isMet) },
    ];
  });
}

/** Adds up the figures of all kinds. */
export function total(rows: readonly Figures[]): Figures {
  const sum = summed(rows);
  const weight = rows.reduce((all, row) => all + row.weight, 0);
  return { ...sum, kind: "all", weight, goal: "none wrong", isMet: sum.wrong === 0 };
}

/** A goal for the refusals of all kinds together, each kind counted by its weight. */
export interface RefusalGoal {
  /** The goal as the end of a sentence. */
  readonly does: string;
  /** In percent. */
  readonly share: number;
  readonly goal: number;
  readonly isMet: boolean;
}

/** The goals for the refusals of failed calls: naming the location, and saying enough for the next call. */
export function refusalGoals(rows: readonly Figures[]): RefusalGoal[] {
  const made = (does: string, share: number, goal: number): RefusalGoal => {
    return { does, share: 100 * share, goal, isMet: 100 * share >= goal };
  };
  return [
    made("name the place", weighted(rows, "pointed", "placed"), 97),
    made("say enough for the next call", weighted(rows, "told", "asked"), 90),
  ];
}

function summed(rows: readonly Figures[]): Omit<Figures, "kind" | "weight" | "goal" | "isMet"> {
  const sums = counted.map((name) => [name, rows.reduce((all, row) => all + row[name], 0)] as const);
  return {
    ...(Object.fromEntries(sums) as Record<(typeof counted)[number], number>),
    cause: undefined,
    rungs: added(rows.map((row) => row.rungs)),
  };
}

type Counted = (typeof counted)[number];

/**
 * A share from 0 to 1 in which each kind counts by its weight, however many cases of it there are; calls without a
 * mistake do not count.
 */
export function weighted(rows: readonly Figures[], part: Counted, whole: Counted): number {
  const sum = (of: Counted): number =>
    rows.reduce((all, row) => all + (row.cases === 0 ? 0 : (row.weight * row[of]) / row.cases), 0);
  return sum(whole) === 0 ? 1 : sum(part) / sum(whole);
}

/** The figures as a Markdown table. */
export function toTable(rows: readonly Figures[]): string {
  const head = [
    "kind",
    "weight",
    "cases",
    "right",
    "refused",
    "wrong",
    "names the place",
    "says enough",
    "right reason",
    "goal",
    "",
  ];
  const cells = rows.map((row) => [
    row.kind,
    row.weight === 0 ? "" : `${(100 * row.weight).toFixed(1)} %`,
    String(row.cases),
    String(row.right),
    String(row.refused),
    String(row.wrong),
    shareOf(row.pointed, row.placed),
    shareOf(row.told, row.asked),
    shareOf(row.reasoned, row.due),
    row.goal,
    row.isMet ? "met" : "NOT MET",
  ]);
  const widths = head.map((name, i) => Math.max(name.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const isNumber = (i: number): boolean => i > 0 && i < head.length - 2;
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, i) => (isNumber(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0))).join(" | ")} |`;
  const rule = `| ${widths.map((width, i) => (isNumber(i) ? `${"-".repeat(Math.max(1, width - 1))}:` : "-".repeat(width))).join(" | ")} |`;
  return [line(head), rule, ...cells.map(line)].join("\n");
}

function shareOf(part: number, whole: number): string {
  return whole === 0 ? "" : `${part}/${whole} ${((100 * part) / whole).toFixed(1)} %`;
}
