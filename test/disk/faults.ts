/**
 * Counts how often a batch on disk ends up neither all old nor all new, under as many faults as requested: `npm run
 * faults -- --runs 800 --double 200 --states 100000 --cuts 100`, each part for at most `--seconds` seconds. Exits with
 * 1 if anything was wrong.
 */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { buildProgram } from "../support/build.js";
import { type Bench, newRunTally, type RunTally, recoveriesPerPoint, runDoubleFaults, runFaults } from "./faultRuns.js";
import { runHardships } from "./hardships.js";
import { chooser } from "./plans.js";
import { newTally, simulate, type Tally } from "./simulation.js";
import { smallPlans } from "./smallPlans.js";
import { runSwaps } from "./swapping.js";

/** Number of states to examine for each cut of a random batch. */
const samples = 20;

/** Runs calls for some seconds while a directory is exchanged for a link to one outside; returns what was wrong. */
async function runRace(seconds: number): Promise<string[]> {
  const program = await buildProgram(new URL("../server/main.ts", import.meta.url));
  try {
    const { reads, writes, succeeded, wrong } = await runSwaps(program.path, seconds);
    console.log(`${reads} reads and ${writes} writes beside swapped links, ${succeeded} done: ${wrong.length} wrong`);
    return wrong;
  } finally {
    program.remove();
  }
}

interface Share {
  /** Milliseconds since 1970. */
  readonly end: number;
  readonly states: number;
  readonly seed: number;
}

interface Simulated {
  readonly tally: Tally;
  readonly wrong: readonly string[];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "800" },
      double: { type: "string", default: "200" },
      states: { type: "string", default: "100000" },
      cuts: { type: "string", default: "100" },
      swaps: { type: "string", default: "10" },
      seconds: { type: "string", default: "86400" },
      jobs: { type: "string", default: "2" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      directory: { type: "string", default: join(tmpdir(), `multi-edit-faults-${process.pid}`) },
    },
  });
  const [runs, double, states, cuts, jobs, seed] = [
    ...[values.runs, values.double, values.states],
    ...[values.cuts, values.jobs, values.seed],
  ].map(Number) as [number, number, number, number, number, number];
  const end = (): number => Date.now() + Number(values.seconds) * 1000;
  const program = await buildProgram(new URL("../test/disk/driver.ts", import.meta.url));
  const plans = smallPlans(3);
  const bench = (): Bench => ({
    program: program.path,
    root: values.directory,
    plans,
    choose: chooser(seed),
    end: end(),
  });
  console.log(`seed ${seed}; ${plans.length} batches of one to three changes`);
  const wrong: string[] = [];
  try {
    const once = newRunTally();
    await timed(() => runFaults(bench(), once, { count: runs, perPlan: perPlan(runs, plans.length), jobs }));
    wrong.push(...showRuns("runs with a fault", once));
    const twice = newRunTally();
    const points = Math.max(2, Math.ceil(double / recoveriesPerPoint / plans.length));
    await timed(() => runDoubleFaults(bench(), twice, { count: double, perPlan: points, jobs }));
    wrong.push(...showRuns("recoveries that were killed, too", twice));
    for (const tally of await runHardships(bench(), cuts)) {
      const said = [...tally.outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
      console.log(
        tally.leftOut === undefined
          ? `${tally.name}: ${tally.runs} runs (${said}), ${tally.wrong.length} wrong`
          : `${tally.name}: left out, ${tally.leftOut}`,
      );
      wrong.push(...tally.wrong.map((what) => `${tally.name}: ${what}`));
    }
    wrong.push(...(await runRace(Math.min(Number(values.swaps), Number(values.seconds)))));
    wrong.push(...(await timed(() => simulateAll({ states, seed, end: end() }, jobs))));
  } finally {
    program.remove();
    rmSync(values.directory, { recursive: true, force: true });
  }
  for (const what of wrong) console.log(`WRONG ${what}`);
  console.log(`${wrong.length} wrong`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
}

/** Runs per plan, so that every plan gets a turn; at least 8, because watching a plan first takes time. */
const perPlan = (runs: number, plans: number): number => Math.max(8, Math.ceil(runs / plans));

async function timed<T>(task: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await task();
  console.log(`  in ${Math.round((performance.now() - start) / 1000)} s`);
  return result;
}

function showRuns(what: string, { runs, byFault, wrong }: RunTally): readonly string[] {
  console.log(`${what}: ${runs}, ${wrong.length} wrong`);
  for (const [fault, count] of [...byFault].sort(([, a], [, b]) => b - a)) console.log(`  ${fault}: ${count}`);
  return wrong;
}

async function simulateAll({ states, seed, end }: Share, jobs: number): Promise<readonly string[]> {
  const shares = await Promise.all(
    Array.from({ length: jobs }, (_, job) => {
      const share: Share = { end, states: Math.ceil(states / jobs), seed: seed * 1_000_000 + job * 100_000_000 };
      return new Promise<Simulated>((resolve, reject) => {
        const worker = new Worker(new URL(import.meta.url), { workerData: share });
        worker.on("message", resolve).on("error", reject);
      });
    }),
  );
  const sum = (key: keyof Tally): string => shares.reduce((all, { tally }) => all + tally[key], 0).toLocaleString("en");
  const wrong = shares.flatMap((share) => share.wrong);
  console.log(
    `simulated: ${sum("plans")} random batches, ${sum("states")} states after a crash ` +
      `(${sum("twice")} with a second one in the recovery, ${sum("again")} with refusals in it and another one after it), ` +
      `${sum("refusals")} runs with refusals, ${sum("refusedAndCut")} with one and a crash after it, ${wrong.length} wrong`,
  );
  return wrong;
}

function simulateShare({ states, seed, end }: Share): Simulated {
  // The errors thrown here are expected, so their stack traces are not needed.
  Error.stackTraceLimit = 0;
  const tally = newTally();
  const wrong: string[] = [];
  for (let next = seed; tally.states < states && wrong.length < 5 && Date.now() < end; next++) {
    const found = simulate(next, samples, tally);
    if (found !== undefined) wrong.push(`seed ${found.seed}: ${found.what}`);
  }
  return { tally, wrong };
}

if (isMainThread) await main();
else parentPort?.postMessage(simulateShare(workerData));
