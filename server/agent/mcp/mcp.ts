/** Serves agents over MCP on stdin and stdout, with tools that reach the user's editor. */
import { limits } from "../../text/limits.js";
import { newAgentId } from "../session/agentId.js";
import type { RequestContext } from "../session/request.js";
import { serveTools, type ToolCaller } from "./core.js";
import { toolSentences } from "./sentences.js";

/** The context of an agent's requests, and the form of the answers. */
export interface ToolContext extends RequestContext {
  /** `true` if answers to edits also have a structured part, which some agents show their model instead of the text. */
  readonly structured: boolean;
  /** The agent's own edits that an editor can undo, the latest last. */
  readonly done: OwnEdit[];
}

/** An edit of the agent. */
export interface OwnEdit {
  readonly transaction: string;
  /** Id of the session that did it. */
  readonly session: string;
}

/**
 * Serves an agent until stdin closes or a signal arrives; returns the exit code. All calls are attributed to that
 * agent.
 */
export async function serveMcp(start: Omit<ToolContext, "done">): Promise<number> {
  const context: ToolContext = { ...start, done: [], caller: { agent: newAgentId(), ...start.caller } };
  // The agent's first call will need them, but its first request needs the tools.
  const calls = (): Promise<typeof import("../calls.js")> => import("../calls.js");
  const server = {
    info: { name: "multi-edit", title: "Multi-edit", version: start.version },
    instructions: toolSentences.instructions,
    list: async () => (await import("./announcement.js")).announcement(),
    call: async (name: string, args: unknown, caller: ToolCaller) =>
      (await calls()).callTool(name, args, caller, context),
  };
  const streams = { input: process.stdin, output: process.stdout };
  await serveTools(server, streams, { ended: start.signal, maxLine: limits.inputBytes });
  return 0;
}
