/**
 * Real runs with real faults: every small batch with every fault at each of its calls, and recovery with the same
 * faults.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { diskWorkspace } from "../../server/disk/diskWorkspace.js";
import { readKept } from "../../server/disk/keptBatches.js";
import { recover } from "../../server/disk/recover.js";
import type { DriverReport, DriverTask } from "./driverTask.js";
import type { Choose } from "./memoryDisk.js";
import { shuffled, type TrialPlan } from "./plans.js";
import { layOut, type Site, stateAt, treeAt, writeTask } from "./realTree.js";
import { type Fault, faults, kill, type Point, runWithFault, watchDriver } from "./strace.js";
import { leftovers, type Sides, unlike } from "./verdict.js";

/** Parameters shared by all runs. */
export interface Bench {
  /** The bundled driver. */
  readonly program: string;
  /** An empty directory for the trials. */
  readonly root: string;
  readonly plans: readonly { readonly name: string; readonly plan: TrialPlan }[];
  readonly choose: Choose;
  /** Time to stop, in milliseconds since 1970, no matter how many runs there have been; default: never. */
  readonly end?: number;
}

/** Counts of runs, and descriptions of the defects that they found. */
export interface RunTally {
  runs: number;
  readonly byFault: Map<string, number>;
  readonly wrong: string[];
}

/** A tally with all counts at zero. */
export function newRunTally(): RunTally {
  return { runs: 0, byFault: new Map(), wrong: [] };
}

/**
 * The number of faults to produce, the number of points to try in one plan before moving on to the next, and the number
 * of runs in parallel.
 */
export interface Workload {
  readonly count: number;
  readonly perPlan: number;
  readonly jobs: number;
}

/** Runs plans in random order until the requested number of faults have occurred. */
export function runFaults(bench: Bench, tally: RunTally, workload: Workload): Promise<void> {
  return work(bench, tally, workload, async (name, plan) => {
    const kind = bench.choose(6) === 0 ? "abandon" : "apply";
    const points = await atSite(bench, plan, (site) => watchDriver(bench.program, site, writeTask(site, kind, plan)));
    if (points.length === 0) throw new Error(`no calls were seen of ${name}`);
    const pairs = shuffled(
      [...points, attributeCall].flatMap((point) =>
        faults.flatMap((fault) => Array(fault.weight).fill({ point, fault })),
      ),
      bench.choose,
    );
    return pairs.map((at) => () => oneFault(bench, tally, { name, plan, kind, at }));
  });
}

/**
 * Kills a batch, then kills its recovery at one of the recovery's own calls, then recovers; repeats this until the
 * requested number of recoveries have been killed.
 */
export function runDoubleFaults(bench: Bench, tally: RunTally, workload: Workload): Promise<void> {
  return work(bench, tally, workload, async (name, plan) => {
    const first = await atSite(bench, plan, (site) => watchDriver(bench.program, site, writeTask(site, "apply", plan)));
    return shuffled(first, bench.choose).map((point) => () => doublesAt(bench, tally, { name, plan, point }));
  });
}

/**
 * Takes one plan after another and does up to `perPlan` runs of each, until `count` runs are done, 5 defects are found,
 * or time is up.
 */
async function work(
  bench: Bench,
  tally: RunTally,
  { count, perPlan, jobs }: Workload,
  runsOf: (name: string, plan: TrialPlan) => Promise<readonly (() => Promise<void>)[]>,
): Promise<void> {
  const queue = endless(bench);
  const isDone = (): boolean => tally.runs >= count || tally.wrong.length >= 5 || isOver(bench);
  const worker = async (): Promise<void> => {
    for (const { name, plan } of queue) {
      if (isDone()) return;
      for (const run of (await runsOf(name, plan)).slice(0, perPlan)) {
        if (isDone()) return;
        await run();
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

/** Reports whether time is up. */
export function isOver({ end = Number.POSITIVE_INFINITY }: Pick<Bench, "end">): boolean {
  return Date.now() > end;
}

/** The disk states that a report allows; `isSettled`: `true` if they must hold even before a recovery. */
export function saidBy(report: DriverReport | undefined): { readonly may: Sides; readonly isSettled: boolean } {
  switch (report?.outcome) {
    case "applied":
      return { may: ["new"], isSettled: true };
    case "refused":
    case "staged":
    case "rolledBack":
      return { may: ["old"], isSettled: true };
    default:
      return { may: ["old", "new"], isSettled: false };
  }
}

/**
 * Recovers as a new process would. Returns the first defect found before or after the recovery, or `undefined` if there
 * is none.
 */
export function recoverAndLook(site: Site, plan: TrialPlan, report: DriverReport | undefined): string | undefined {
  const { may, isSettled } = saidBy(report);
  const early = isSettled ? unlike(treeAt(site), plan, may) : undefined;
  const workspace = diskWorkspace([site.folder], { state: site.state });
  recover(workspace);
  const { batches, problems } = readKept(workspace);
  // Only a batch that was applied may be kept, and what is kept must be whole.
  const kept = problems[0] ?? (batches.length === 0 ? undefined : unlike(treeAt(site), plan, ["new"]));
  return early ?? unlike(treeAt(site), plan, may) ?? leftovers(treeAt(site), stateAt(site)) ?? kept;
}

/**
 * Number of recoveries to kill for each point at which a batch is killed. The system calls of a recovery are recorded
 * once and used for all of these recoveries.
 */
export const recoveriesPerPoint = 4;

/** Runs a task on its own site, which is removed afterwards. */
export async function atSite<T>(
  { root }: Pick<Bench, "root">,
  plan: TrialPlan,
  task: (site: Site) => Promise<T>,
): Promise<T> {
  mkdirSync(root, { recursive: true });
  const directory = mkdtempSync(join(root, "trial-"));
  try {
    return await task(layOut(directory, plan));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A call made not by the driver itself but by the program that copies attributes. */
const attributeCall: Point = { call: "fsetxattr", number: 1 };

/** The plans in random order, over and over again. */
function* endless({ plans, choose }: Bench): Generator<Bench["plans"][number]> {
  for (;;) yield* shuffled(plans, choose);
}

function count(tally: RunTally, fault: string): void {
  tally.runs++;
  tally.byFault.set(fault, (tally.byFault.get(fault) ?? 0) + 1);
}

const nameOf = ({ call, number }: Point): string => `${call} ${number}`;

function oneFault(
  bench: Bench,
  tally: RunTally,
  run: {
    readonly name: string;
    readonly plan: TrialPlan;
    readonly kind: DriverTask["kind"];
    readonly at: { readonly point: Point; readonly fault: Fault };
  },
): Promise<void> {
  const { name, plan, kind, at } = run;
  return atSite(bench, plan, async (site) => {
    const { report, isHit } = await runWithFault(bench.program, site, writeTask(site, kind, plan), at);
    if (!isHit) return;
    count(tally, at.fault.name);
    const what = recoverAndLook(site, plan, report);
    if (what !== undefined) {
      tally.wrong.push(`${kind} ${name}, ${at.fault.name} at ${nameOf(at.point)}, ${JSON.stringify(report)}: ${what}`);
    }
  });
}

/** Kills a batch at the same point again and again, each time killing the recovery at a different call. */
async function doublesAt(
  bench: Bench,
  tally: RunTally,
  { name, plan, point }: { readonly name: string; readonly plan: TrialPlan; readonly point: Point },
): Promise<void> {
  const cutOff = async (site: Site): Promise<boolean> =>
    (await runWithFault(bench.program, site, writeTask(site, "apply", plan), { point, fault: kill })).isHit;
  const points = await atSite(bench, plan, async (site) =>
    (await cutOff(site)) ? watchDriver(bench.program, site, writeTask(site, "recover", plan)) : [],
  );
  for (const then of varied(shuffled(points, bench.choose)).slice(0, recoveriesPerPoint)) {
    await atSite(bench, plan, async (site) => {
      if (!(await cutOff(site))) return;
      const task = writeTask(site, "recover", plan);
      const second = await runWithFault(bench.program, site, task, { point: then, fault: kill });
      if (!second.isHit) return;
      count(tally, `kill, then kill the recovery at ${then.call}`);
      const what = recoverAndLook(site, plan, undefined);
      if (what !== undefined) tally.wrong.push(`${name}, kill at ${nameOf(point)}, then at ${nameOf(then)}: ${what}`);
    });
  }
}

/** Puts one call of each kind first, because a recovery makes more unlink calls than calls of any other kind. */
function varied(points: readonly Point[]): Point[] {
  const firsts = [...new Map(points.map((point) => [point.call, point])).values()];
  return [...firsts, ...points.filter((point) => !firsts.includes(point))];
}
