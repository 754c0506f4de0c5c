/** The agents, by the names that `multi-edit setup` and `multi-edit hook` have for them. */
import { limits } from "../text/limits.js";
import type { Agent } from "./agent.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import { copilot } from "./copilot.js";
import { gemini } from "./gemini.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";
import { qwen } from "./qwen.js";

const byName = { claude, codex, copilot, gemini, opencode, qwen, pi } as const;

/** An agent's name for the commands. */
export type AgentName = keyof typeof byName;

/** All agents. */
export const agents: Readonly<Record<AgentName, Agent>> = byName;

const names = Object.keys(byName) as AgentName[];

/** The agents that run the command `hook`. */
export const askingNames: readonly AgentName[] = names.filter((name) => agents[name].hook !== undefined);

/** Those whose configuration can have a hook; the extensions of the others run the command. */
export const hookNames: readonly AgentName[] = names.filter((name) => agents[name].hook?.installed !== undefined);

/** Names of all variables that agents set for the commands that they run; several agents set the first two. */
export const agentVariables: readonly string[] = [
  ...["AI_AGENT", "AGENT", "CURSOR_AGENT"],
  ...Object.values(agents).flatMap(({ variables }) => variables.commands),
];

/** Returns the values of the variables that agents have set for a purpose. */
export const valuesSet = (purpose: "project" | "plugin"): readonly string[] =>
  Object.values(agents).flatMap(({ variables }) => process.env[variables[purpose] ?? ""] || []);

/** Returns the agent that runs the hook of the agent `name`: others install Claude Code's plugin, too. */
export function runnerOf(name: AgentName): Agent {
  const others = name === "claude" ? Object.values(agents) : [];
  return others.find(({ variables }) => process.env[variables.hooks ?? ""]) ?? agents[name];
}

/** Returns the longest text, in UTF-16 code units, that the MCP client `name` passes on, as seen with real agents. */
export function mostTextFor(name: string): number {
  return Object.values(agents).find(({ client }) => client?.name === name)?.client?.mostText ?? limits.toolText;
}
