/** The case about an agent's small call over MCP, against the same call from the editor. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { editBatch } from "./batches.js";
import { errorOfMedian, median, race } from "./race.js";
import type { BenchCase, Row } from "./result.js";
import { rounds, scaled, seed } from "./scale.js";
import { startServer } from "./server.js";

/** The time of a call over MCP that is not the session's own, in milliseconds. */
const limit = 2;

/** A small call over MCP, with few and with many open documents. */
export const mcpCall: BenchCase = {
  name: "mcpCall",
  title: "MCP: 10 edits in a 500-line document",
  isOfProcess: true,
  async measure(scale) {
    const rows: Row[] = [];
    for (const count of [10, scaled(500, scale, 10)]) rows.push(await rowOf(count, rounds(101, scale)));
    return { rows };
  },
};

async function rowOf(documents: number, how: ReturnType<typeof rounds>): Promise<Row> {
  const { texts, call } = editBatch({ lines: 500, edits: 10, seed });
  const before = process.env.XDG_STATE_HOME;
  const state = mkdtempSync(join(tmpdir(), "multi-edit-bench-state-"));
  process.env.XDG_STATE_HOME = state;
  const server = await startServer();
  const agent = spawn(process.execPath, [resolve("dist/main.cjs"), "mcp"], {
    cwd: server.root,
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    for (const { path, text } of texts) await server.open(path, text);
    for (let i = 1; i < documents; i++) await server.open(`other${i}.ts`, `export const number = ${i};\n`);
    const sessions = join(state, "multi-edit-language-server", "sessions");
    while (!existsSync(sessions) || !readdirSync(sessions).some((name) => name.endsWith(".json"))) await delay(20);
    const ask = asker(agent);
    await ask("initialize", { clientInfo: { name: "bench", version: "1" }, capabilities: {} });
    const preview = async (): Promise<void> => {
      const answer = await ask("tools/call", { name: "preview_edits", arguments: call });
      if (answer.result?.content === undefined || answer.result.isError === true) throw new Error("the call fails");
    };
    const times = await race(
      { mcp: { run: preview }, session: { run: async () => server.apply(call) } },
      { ...how, warmUps: how.warmUps === 0 ? 0 : 50, collect: false },
    );
    const above = times.mcp.map((ms, i) => ms - (times.session[i] ?? 0));
    return {
      name: `${documents} open documents`,
      times: { ours: median(times.mcp), "asked by the editor": median(times.session) },
      uncertainty: errorOfMedian(above) / limit,
      goals: [
        { measure: "ms above the session's own time", value: median(above), limit, sense: "atMost", unit: " ms" },
      ],
    };
  } finally {
    agent.kill("SIGKILL");
    server.stop();
    if (before === undefined) delete process.env.XDG_STATE_HOME;
    else process.env.XDG_STATE_HOME = before;
    rmSync(state, { recursive: true, force: true });
  }
}

interface McpAnswer {
  readonly result?: { readonly content?: unknown; readonly isError?: boolean };
}

/** Returns a function that sends a request, and waits for the answer. One request is under way at a time. */
function asker({ stdin, stdout }: ChildProcess): (method: string, params: object) => Promise<McpAnswer> {
  if (stdin === null || stdout === null) throw new Error("the program has no streams");
  const lines = createInterface({ input: stdout });
  let id = 0;
  return (method, params) =>
    new Promise((settle) => {
      lines.once("line", (line) => settle(JSON.parse(line) as McpAnswer));
      stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`);
    });
}
