/**
 * Random batches leave all files old or all files new, even if the disk forgets unsynced data, refuses steps, or is cut
 * off at any step.
 */
import { expect, it } from "vitest";
import { newTally, simulate } from "./simulation.js";

it("is all old or all new in every state that a crash can leave", { timeout: 60_000 }, () => {
  const tally = newTally();
  // Uses the same batches every time in continuous integration, and different ones in every manual run.
  const first = process.env.CI === undefined ? Date.now() % 1_000_000 : 1;
  for (let seed = first; tally.states < 4_000; seed++)
    expect(simulate(seed, 10, tally), `seed ${seed}`).toBeUndefined();
  expect(tally.twice).toBeGreaterThan(100);
  expect(tally.again).toBeGreaterThan(100);
  expect(tally.refusals).toBeGreaterThan(300);
  expect(tally.refusedAndCut).toBeGreaterThan(100);
});
