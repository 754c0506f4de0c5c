/** An agent in this process: its MCP server, or its hook, as the program starts them. */
import { once } from "node:events";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";

/** An agent's connection to its MCP server. */
export interface McpAgent {
  /** Calls a tool; returns the texts of the answer. */
  call(name: string, args: object): Promise<string>;
}

/** Gives this process an input and an output of its own. */
function takeStreams() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  for (const [name, value] of Object.entries({ stdin: input, stdout: output }))
    Object.defineProperty(process, name, { value, configurable: true });
  return { input, output };
}

const load = (compiled: string, path: string): Promise<unknown> => import(pathToFileURL(join(compiled, path)).href);

/** Starts an MCP server for an agent in a folder, and initializes it. */
export async function startMcpAgent(compiled: string, root: string): Promise<McpAgent> {
  const { input, output } = takeStreams();
  const commandLine = await load(compiled, "programs/cli/commandLine.js");
  const { runCommand } = commandLine as typeof import("../../server/programs/cli/commandLine.js");
  void runCommand(["mcp", "--workspace", root], "0.0.0");
  let id = 0;
  async function ask(method: string, params: object): Promise<Record<string, unknown>> {
    input.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params })}\n`);
    const [line] = await once(output, "data");
    return JSON.parse(String(line)).result;
  }
  const clientInfo = { name: "walk", version: "1.0" };
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  return {
    async call(name, args) {
      const { content } = await ask("tools/call", { name, arguments: args });
      return (content as { text: string }[]).map(({ text }) => text).join("\n");
    },
  };
}

/** Runs the hook of Claude Code, as one that applies calls, with an event; returns what it says. */
export async function runApplyingHook(compiled: string, event: object): Promise<string> {
  const { input, output } = takeStreams();
  const hook = await load(compiled, "programs/hook/hook.js");
  const { runHook } = hook as typeof import("../../server/programs/hook/hook.js");
  input.end(JSON.stringify(event));
  await runHook(["claude", "--apply"], "0.0.0");
  return String(output.read());
}
