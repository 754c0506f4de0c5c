/** An editor with a session, and an agent that reaches it over MCP. */
import { announced, ownStateHome } from "./agentPeer.js";
import type { Program } from "./build.js";
import { type Desk, type DeskOptions, layDesk } from "./desk.js";
import { type Agent, type AgentOptions, startAgent } from "./mcpAgent.js";

/** Starts the editor, waits until its session is announced, and starts the agent in the same folder. */
export async function layTable(
  program: Program,
  options: DeskOptions = {},
  { era = "2025", args = [] }: AgentOptions = {},
): Promise<Desk & { agent: Agent }> {
  const home = ownStateHome();
  const desk = await layDesk(program, { clientInfo: { name: "Tester" }, ...options });
  await announced(home);
  return { ...desk, agent: await startAgent(program, desk.root, { era, args }) };
}

/** An editor in which a line has been typed into a file, and not saved. */
export const unsaved: DeskOptions = { files: { "a.txt": "one\n" }, open: { "a.txt": "mine\none\n" } };

/** A call of `multi_edit` with one edit. */
export const edit = (path: string, oldText: string, newText: string): object => ({
  edits: [{ path, oldText, newText }],
});
