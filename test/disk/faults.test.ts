/** A few runs with real faults; `npm run faults` performs as many as requested. */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildProgram, type Program } from "../support/build.js";
import { type Bench, newRunTally, runDoubleFaults, runFaults } from "./faultRuns.js";
import { chooser } from "./plans.js";
import { smallPlans } from "./smallPlans.js";
import { straceProblem } from "./strace.js";

const reason = straceProblem();

// Without strace, system calls cannot be made to fail; if strace is required, its absence is a failure.
if (reason !== undefined) {
  it("strace is not available", () => {
    const leftOut = `left out: faults on a real disk, because ${reason}`;
    if (process.env.REQUIRE_FAULTS === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  let program: Program;
  let bench: Bench;
  beforeAll(async () => {
    program = await buildProgram(new URL("driver.ts", import.meta.url));
    const seed = process.env.CI === undefined ? Date.now() % 1_000_000 : 1;
    const root = join(tmpdir(), `multi-edit-faults-${process.pid}`);
    bench = { program: program.path, root, plans: smallPlans(2), choose: chooser(seed) };
    console.log(`faults with seed ${seed}`);
  });
  afterAll(() => {
    program.remove();
    rmSync(bench.root, { recursive: true, force: true });
  });

  it("is all old or all new, whatever call fails or is the last one", { timeout: 120_000 }, async () => {
    const tally = newRunTally();
    await runFaults(bench, tally, { count: 24, perPlan: 8, jobs: 2 });
    expect(tally.wrong).toEqual([]);
    expect(tally.runs).toBeGreaterThanOrEqual(24);
  });

  it("and also if the recovery is killed", { timeout: 120_000 }, async () => {
    const tally = newRunTally();
    await runDoubleFaults(bench, tally, { count: 4, perPlan: 4, jobs: 2 });
    expect(tally.wrong).toEqual([]);
    expect(tally.runs).toBeGreaterThanOrEqual(4);
  });
}
