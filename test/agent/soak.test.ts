/** A conversation with 200 documents and 4 agents leaves nothing behind. `SOAK_SECONDS=7200` lets it last two hours. */
import { expect, it } from "vitest";
import { ownStateHome } from "../support/agentPeer.js";
import { serverForDesks } from "../support/desk.js";
import { figure } from "../support/extent.js";
import { growth, laySoak, type Reading, soak, strays } from "./soak.js";

const program = serverForDesks();
const seconds = Number(process.env.SOAK_SECONDS ?? 20);

it("leaves no memory, no descriptor and no file behind", { timeout: seconds * 1000 + 120_000 }, async () => {
  const home = ownStateHome();
  const laid = await laySoak(program, 200);
  const readings = await soak(home, laid, { seconds, documents: 200, agents: 4, report: figure });
  const perHour = (field: "heapUsed" | "external" | "rss"): number => growth(readings, field) / 2 ** 20;
  const rates = (["heapUsed", "external", "rss"] as const).map((field) => `${field} ${perHour(field).toFixed(1)}`);
  figure(`MB an hour in the later half: ${rates.join(", ")}`);
  const most = (part: readonly Reading[]): number => Math.max(...part.map(({ descriptors }) => descriptors));
  const half = readings.length >> 1;
  expect(most(readings.slice(half))).toBeLessThanOrEqual(most(readings.slice(0, half)) + 4);
  expect(strays(laid.desk.root)).toEqual([]);
  expect(await laid.desk.editor.stop()).toBe(0);
  expect(strays(home)).toEqual([]);
});
