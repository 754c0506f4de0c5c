/** A disk that forgets unsynced data, cut off or refused at every step of random batches: always all old or all new. */
import { expect, it } from "vitest";
import { newTally, simulate } from "./simulation.js";

it("is all old or all new in every state that a crash can leave", { timeout: 60_000 }, () => {
  const tally = newTally();
  // Always the same batches in continuous integration; any others when run by hand.
  const first = process.env.CI === undefined ? Date.now() % 1_000_000 : 1;
  for (let seed = first; tally.states < 4_000; seed++)
    expect(simulate(seed, 10, tally), `seed ${seed}`).toBeUndefined();
  expect(tally.twice).toBeGreaterThan(100);
  expect(tally.again).toBeGreaterThan(100);
  expect(tally.refusals).toBeGreaterThan(300);
  expect(tally.refusedAndCut).toBeGreaterThan(100);
});
