/** A few faults in `setup --write` and in an undo on disk, and a second of another program that replaces a file. */
import { expect, it } from "vitest";
import { figure } from "../support/extent.js";
import { newRunTally } from "./faultRuns.js";
import { chooser } from "./plans.js";
import { runBeside, runProgramFaults } from "./programs.js";
import { straceProblem } from "./strace.js";

const seed = Number(process.env.FAULT_SEED ?? 1);
const count = Number(process.env.PROGRAM_FAULTS ?? 8);

it.runIf(straceProblem() === undefined || process.env.REQUIRE_FAULTS === "1")(
  "setup and an undo on disk change all or nothing, whatever call fails or is the last one",
  { timeout: 60_000 + 5_000 * count },
  () => {
    const tally = newRunTally();
    runProgramFaults(chooser(seed), count, tally);
    figure(`${tally.runs} faults in setup --write and undo on disk: ${JSON.stringify([...tally.byFault])}`);
    expect(tally.wrong).toEqual([]);
    expect(tally.runs).toBeGreaterThanOrEqual(count);
  },
);

it("a program that replaces a file loses what it writes only in the moment that PROTOCOL.md names", async () => {
  const { writes, lost, outcomes } = await runBeside(Number(process.env.BESIDE_SECONDS ?? 2));
  figure(`${writes} texts of another program beside ${JSON.stringify(outcomes)} batches: ${lost} lost`);
  expect(writes).toBeGreaterThan(10);
  expect(outcomes.applied).toBeGreaterThan(3);
  expect(lost).toBeLessThanOrEqual(1 + writes / 100);
});
