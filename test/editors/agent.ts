/** An agent beside a real editor: `multi-edit mcp` with a client that has a name. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Place } from "./editor.js";

/** An agent that runs until it is stopped. */
export interface Agent {
  /** Calls the tool `multi_edit`; returns the text of the answer. */
  apply(call: object): Promise<string>;
  stop(): void;
}

/** Starts an agent with this name, in a folder of the place. */
export async function startAgent(
  { inside: [program, ...args], env }: Place,
  name: string,
  cwd: string,
): Promise<Agent> {
  const child = spawn(program, [...args, "multi-edit", "mcp"], { env, cwd, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map<number, (result: unknown) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    waiting.get(id)?.(result ?? error);
  });
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  let last = 0;
  const request = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      send({ id: last, method, params });
    });
  const clientInfo = { name, version: "1" };
  await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  return {
    apply: async (call) => {
      const result = (await request("tools/call", { name: "multi_edit", arguments: call })) as { content?: unknown };
      return JSON.stringify(result.content ?? result);
    },
    stop: () => void child.kill(),
  };
}
