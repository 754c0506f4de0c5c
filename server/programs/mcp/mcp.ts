/** Serves agents over MCP on stdin and stdout, with tools that reach the user's editor. */

import { newAgentId } from "../../session/agentId.js";
import { limits } from "../../text/limits.js";
import type { callTool, ToolContext, ToolResult } from "./callTool.js";
import { serveTools } from "./core.js";
import type { DocumentResources } from "./resources.js";
import { toolSentences } from "./sentences.js";
import { createTickets } from "./tickets.js";
import type { Resources, ToolCaller } from "./toolServer.js";

/**
 * Serves an agent until stdin closes or a signal arrives; returns the exit code. All calls are attributed to that
 * agent. `calls`: loads what calls a tool or reads a resource; the agent's first call will need it, but its first request needs the tools.
 */
export async function serveMcp(
  start: Omit<ToolContext, "done" | "hasChosenId" | "tickets">,
  calls: () => Promise<{ readonly callTool: typeof callTool; readonly DocumentResources: typeof DocumentResources }>,
): Promise<number> {
  const tickets = createTickets<ToolResult>({
    waiting: (ticket) => ({ content: [{ type: "text", text: toolSentences.waiting(ticket) }] }),
    none: (ticket) => ({ content: [{ type: "text", text: toolSentences.noTicket(ticket) }], isError: true }),
    full: (ticket) => ({ content: [{ type: "text", text: toolSentences.tooManyTickets(ticket) }], isError: true }),
  });
  const hasChosenId = start.caller.agent !== undefined;
  const caller = { agent: newAgentId(), ...start.caller };
  const context: ToolContext = { ...start, done: [], hasChosenId, tickets, caller };
  let resources: Promise<Resources> | undefined;
  const server = {
    info: { name: "multi-edit", title: "Multi-edit", version: start.version },
    instructions: toolSentences.instructions,
    list: async () => (await import("./announcement.js")).announcement(),
    call: async (name: string, args: unknown, caller: ToolCaller) =>
      (await calls()).callTool(name, args, caller, context),
    resources: () => (resources ??= calls().then((loaded) => new loaded.DocumentResources(context))),
  };
  const streams = { input: process.stdin, output: process.stdout };
  await serveTools(server, streams, { ended: start.signal, maxLine: limits.inputBytes });
  tickets.close();
  return 0;
}
