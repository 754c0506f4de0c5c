/** A conversation with 200 documents and 4 agents leaves nothing behind. `SOAK_SECONDS=7200` lets it last two hours. */
import { expect, it } from "vitest";
import { ownStateHome } from "../support/agentPeer.js";
import { serverForDesks } from "../support/desk.js";
import { figure } from "../support/extent.js";
import { laySoak, leastCalls, type Round, soak, strays } from "./soak.js";

const program = serverForDesks();
const seconds = Number(process.env.SOAK_SECONDS ?? 15);

/** Bytes by which what the server keeps, code not counted, may be larger in the last third than in the one before. */
const mostBytes = 2 ** 20;

it("leaves no memory, no descriptor and no file behind", { timeout: 10_000 * seconds + 600_000 }, async () => {
  const home = ownStateHome();
  const laid = await laySoak(program, 200);
  // Three rounds, or more if each would be longer than five minutes.
  const rounds = 3 * Math.max(1, Math.round(seconds / 900));
  const all = await soak(home, laid, { seconds, rounds, agents: 4, report: figure });
  const thirds = [0, 1, 2].map((third) => all.slice((third * rounds) / 3, ((third + 1) * rounds) / 3));
  for (const { calls } of all) expect(calls).toBeGreaterThanOrEqual((leastCalls * seconds) / rounds);
  const least = (third: number, of: (round: Round) => number): number => Math.min(...thirds[third]!.map(of));
  // In the first third, the lists of the latest calls are filled.
  const [early, late] = [1, 2].map((third) => least(third, (one) => one.heapUsed - one.code + one.external));
  const grown = late! - early!;
  figure(`heap after a collection: ${(grown / 2 ** 20).toFixed(2)} MB more in the last third than in the one before`);
  expect(grown).toBeLessThan(mostBytes);
  expect(least(2, (one) => one.descriptors)).toBeLessThanOrEqual(least(1, (one) => one.descriptors));
  expect(strays(laid.desk.root)).toEqual([]);
  expect(await laid.desk.editor.stop()).toBe(0);
  expect(strays(home)).toEqual([]);
});
