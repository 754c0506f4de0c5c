/** A conversation with 200 documents and 4 agents leaves nothing behind. `SOAK_SECONDS=7200` lets it last two hours. */
import { expect, it } from "vitest";
import { ownStateHome } from "../support/agentPeer.js";
import { serverForDesks } from "../support/desk.js";
import { figure } from "../support/extent.js";
import { laySoak, soak, strays } from "./soak.js";

const program = serverForDesks();
const seconds = Number(process.env.SOAK_SECONDS ?? 30);

/**
 * Bytes by which the heap of the later rounds may be larger than that of the earlier ones. It takes about 4,000 calls until the
 * lists of the latest calls and their texts are full; from then on, it goes up and down by up to 3.5 MB, here for 20,000 calls.
 */
const mostBytes = 5 * 2 ** 20;

it("leaves no memory, no descriptor and no file behind", { timeout: seconds * 1000 + 300_000 }, async () => {
  const home = ownStateHome();
  const laid = await laySoak(program, 200);
  // In the first rounds, the lists are filled.
  const readings = (await soak(home, laid, { seconds, rounds: 12, agents: 4, report: figure })).slice(4);
  const [early, late] = [readings.slice(0, 4), readings.slice(4)];
  const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b));
  const heap = [early, late].map((part) => least(part.map(({ heapUsed, external }) => heapUsed + external)));
  const grown = (heap[1] ?? 0) - (heap[0] ?? 0);
  figure(`heap after a collection: ${(grown / 2 ** 20).toFixed(2)} MB more in the later third than in the middle one`);
  expect(grown).toBeLessThan(mostBytes);
  const descriptors = [early, late].map((part) => least(part.map((one) => one.descriptors)));
  expect(descriptors[1]).toBeLessThanOrEqual(descriptors[0] ?? 0);
  expect(strays(laid.desk.root)).toEqual([]);
  expect(await laid.desk.editor.stop()).toBe(0);
  expect(strays(home)).toEqual([]);
});
