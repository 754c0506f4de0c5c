/** The case about agents that share one session. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type EditorSession, listSessions, openSession } from "../../server/session/client.js";
import { editBatch } from "./batches.js";
import { median } from "./race.js";
import type { BenchCase, Row } from "./result.js";
import { scaled, seed } from "./scale.js";
import { type BenchServer, startServer } from "./server.js";

/** Small calls of one agent beside many large calls of another, against the same beside one large call. */
export const fairness: BenchCase = {
  name: "fairness",
  title: "agents: a small call beside the large calls of another agent",
  isOfProcess: true,
  async measure(scale) {
    const large = editBatch({ lines: scaled(100_000, scale), edits: scaled(1_000, scale), seed });
    const home = mkdtempSync(join(tmpdir(), "multi-edit-bench-home-"));
    const { XDG_STATE_HOME: before } = process.env;
    process.env.XDG_STATE_HOME = home;
    let server: BenchServer | undefined;
    try {
      server = await startServer();
      for (const { path, text } of large.texts) await server.open(path, text);
      await server.open("small.ts", "one\n");
      const [busy, other] = [await agentOf("busy"), await agentOf("other")];
      const call = large.call as Parameters<EditorSession["preview"]>[0];
      const small = () => other.preview({ path: "small.ts", oldText: "one", newText: "two" });
      const count = Math.min(60, 6 * (scale.rounds ?? 10));
      const times: Record<number, number> = {};
      // The first round only warms up the engine.
      for (const beside of [1, 1, 30])
        times[beside] = await besideLarge(() => busy.preview(call), { beside, count }, small);
      for (const agent of [busy, other]) agent.close();
      const [one = 0, many = 0] = [times[1], times[30]];
      const row: Row = {
        name: "sockets, beside 30 calls of 1,000 edits",
        times: { "beside 30 calls": many, "beside one call": one },
        goals: [{ measure: "x the time beside one of them", value: many / one, limit: 4, sense: "atMost", unit: "x" }],
      };
      return { rows: [row] };
    } finally {
      server?.stop();
      if (before === undefined) delete process.env.XDG_STATE_HOME;
      else process.env.XDG_STATE_HOME = before;
      rmSync(home, { recursive: true, force: true });
    }
  },
};

/** Connects to the only session; its server may still be announcing it. */
async function agentOf(name: string): Promise<EditorSession> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const client = { name, agent: name };
    const [found] = await listSessions({ client });
    const [folder] = found?.folders ?? [];
    const directory = folder === undefined ? "" : fileURLToPath(folder);
    const session = found && (await openSession({ client, session: found.id, directory }));
    if (session !== undefined) return session;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("no session is announced");
}

/** Returns the median time of `count` small calls while another agent always has `beside` large calls under way. */
async function besideLarge(
  large: () => Promise<unknown>,
  { beside, count }: { readonly beside: number; readonly count: number },
  small: () => Promise<unknown>,
): Promise<number> {
  let isOver = false;
  const load = Array.from({ length: beside }, async () => {
    while (!isOver) await large();
  });
  const times: number[] = [];
  while (times.length < count) {
    const start = performance.now();
    await small();
    times.push(performance.now() - start);
  }
  isOver = true;
  await Promise.all(load);
  return median(times);
}
