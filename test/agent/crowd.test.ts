/**
 * 16 agents, a user who types 20 keys a second, and an editor that can't be relied on: nothing is lost, misplaced or
 * made twice. `CROWD_EDITS=10000 CROWD_SEED=7` sends more edits.
 */
import { expect, it } from "vitest";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { layDesk, serverForDesks } from "../support/desk.js";
import { takesAll } from "../support/takesAll.js";
import { crowdTexts, runCrowd } from "./crowd.js";

const program = serverForDesks();
const agents = 16;
const edits = Number(process.env.CROWD_EDITS ?? 400);
const seed = Number(process.env.CROWD_SEED ?? Date.now() % 1_000_000);

it.each([
  ["beforeAnswer", "one document", {}],
  ["afterAnswer", "one document", {}],
  ["beforeAnswer", "all documents", takesAll],
] as const)(
  "no edit and no key is lost, misplaced or made twice if the editor syncs %s and takes %s at a time",
  async (syncs, takes, options) => {
    const home = ownStateHome();
    const settings = { save: "never", proofTimeout: 150 };
    const open = crowdTexts(agents);
    const desk = await layDesk(program, { clientInfo: { name: "Crowd" }, settings, syncs, open, ...options });
    const [session] = await announced(home);
    const start = performance.now();
    const report = (line: string): void => console.log(`seed ${seed}, ${syncs}, ${takes}: ${line}`);
    const size = { agents, edits: edits / 4, keyMs: 50, seed, report };
    const { outcomes, keys, wrong } = await runCrowd(desk, session, size);
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    console.log(`seed ${seed}, ${syncs}, ${takes}: ${JSON.stringify(outcomes)}, ${keys} keys, ${seconds} s`);
    expect(wrong).toEqual([]);
    expect(outcomes.applied).toBeGreaterThan(edits / 8);
    expect(keys).toBeGreaterThan(0);
    const isTogether = desk.editor.asked.some(({ edit }) => (edit.documentChanges?.length ?? 0) > 1);
    expect(isTogether).toBe(options === takesAll);
  },
  Math.max(60_000, edits * 200),
);

it("no edit and no key is lost, misplaced or made twice if the editor dies", {
  timeout: 60_000 + edits * 200,
}, async () => {
  for (let turn = 0, left = edits / 4; left > 0; turn++, left -= 50) {
    const home = ownStateHome();
    const desk = await layDesk(program, { clientInfo: { name: "Crowd" }, open: crowdTexts(agents) });
    const [session] = await announced(home);
    const size = { agents, edits: 1_000_000, diesAfter: Math.min(left, 50), keyMs: 50, seed: seed + turn };
    const { outcomes, wrong } = await runCrowd(desk, session, size);
    console.log(`seed ${seed + turn}, until the editor dies: ${JSON.stringify(outcomes)}`);
    expect(wrong).toEqual([]);
    await expect.poll(() => desk.editor.process.exitCode).toBe(1);
    expect(desk.editor.stderr()).toBe("");
  }
});

it("ends with a verdict if the server ends during the run", async () => {
  const home = ownStateHome();
  const desk = await layDesk(program, { clientInfo: { name: "Crowd" }, open: crowdTexts(2) });
  const [session] = await announced(home);
  const run = runCrowd(desk, session, { agents: 2, edits: 1_000_000, keyMs: 5, seed });
  setTimeout(() => void desk.editor.stop(), 500);
  await expect(run).rejects.toThrow("the server ended with 0");
});
