/** Parts that the descriptions of several agents share. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../text/limits.js";
import { homeFolder } from "../workspace/serverFolder.js";
import type {
  AgentFile,
  AgentHook,
  EventFields,
  HookForm,
  InstalledHook,
  InstalledProgram,
  JsonEntry,
} from "./agent.js";

/** Returns the folder of the user's configuration files. `inWindows`: a program's other folder for them on Windows. */
export const configFolder = (inWindows?: string): string =>
  process.env.XDG_CONFIG_HOME || (process.platform === "win32" && inWindows) || join(homeFolder(), ".config");

/** Returns an agent's own folder. `variable`: the name of the variable in which the user may name another one. */
export const agentFolder = (variable: string, name: string): string =>
  process.env[variable] || join(homeFolder(), name);

/** The arguments with which an agent starts a server whose calls wait as long as the user may take to decide. */
export const patientMcp = ["mcp", "--timeout", String(limits.commandMs / 1000)] as const;
/** The limit of such an agent, in milliseconds: a little longer than that of its server. */
export const patientMs: number = limits.commandMs + 3 * limits.stopMs;

/** Returns the command of the MCP server, as most agents have it in their configuration. */
export function mcpCommand({ command: [command, ...args] }: InstalledProgram) {
  return { command, args: [...args, ...patientMcp] };
}

/** Returns the file that has the MCP servers by name. `value`: our entry. */
export function serverFile(path: string, value: object): AgentFile {
  return { kind: "json", path, entries: [{ path: ["mcpServers", "multi-edit"], value, kind: "own" }] };
}

/** Quotes an argument for a shell if necessary. */
export const quotedForShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Returns the command of an agent's hook, for a shell. */
export function hookCommand({ command }: InstalledProgram, name: string, form: HookForm): string {
  return [...command, "hook", name, ...(form === "apply" ? ["--apply"] : [])].map(quotedForShell).join(" ");
}

/** Matches the command of a hook that applies calls, at the end of a string. */
export const appliesCalls = (name: string): RegExp => new RegExp(` hook ${name} --apply["']`);

/** Describes a hook in a JSON file. `matchers`: the tools, by event; `about`: further properties of each hook. */
export function jsonHook(
  name: string,
  path: () => string,
  matchers: Readonly<Record<string, string>>,
  about: object = {},
): InstalledHook {
  // A hook is ours in any form and of any installation: by the end of its command.
  const ours = new RegExp(` hook ${name}(?: --apply)?"`);
  const isOurs = (hook: unknown): boolean => ours.test(JSON.stringify(hook) ?? "");
  return {
    path,
    applies: appliesCalls(name),
    file(program, form) {
      const hooks = [{ type: "command", ...about, command: hookCommand(program, name, form) }];
      const entries = Object.entries(matchers).map(([event, matcher]): JsonEntry => {
        const value = form === "none" ? undefined : { matcher, hooks };
        return { path: ["hooks", event], value, kind: "item", isOurs };
      });
      return { kind: "json", path: path(), entries };
    },
  };
}

/** The fields of an edit in several agents. */
export const snakeCase = { oldText: "old_string", newText: "new_string" } as const;

/** The consent in modes that have the same names in several agents. `free`: the modes in which edits need no consent. */
export const byMode =
  (...free: readonly string[]): AgentHook["consent"] =>
  ({ permission_mode: mode }) =>
    mode === "plan" ? "none" : free.includes(String(mode)) ? "given" : "needed";

/** The names of an event's fields in most agents. */
export const hookFields: EventFields = {
  tool: "tool_name",
  input: "tool_input",
  directory: "cwd",
  id: "tool_use_id",
  session: "session_id",
  duration: "duration_ms",
  subagent: "agent_id",
};

/** Tells events apart by their names, and adds a note to what a tool has returned. */
export const events = (before: string, after: string): Pick<AgentHook, "when" | "tell"> => ({
  // An event that does not say what it is may be sent before a tool runs.
  when: ({ hook_event_name: name }) =>
    name === before || typeof name !== "string" ? "before" : name === after ? "after" : undefined,
  tell: (note) => ({ hookSpecificOutput: { hookEventName: after, additionalContext: note } }),
});

/** The events and answers of Claude Code's hooks, which other agents have taken over. */
export const likeClaude = {
  fields: hookFields,
  ...events("PreToolUse", "PostToolUse"),
  deny: (permissionDecisionReason: string): object => ({
    hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason },
  }),
} as const;

/** What our plugins for agents send and accept. */
export const likePlugin = {
  // A subagent has a conversation of its own.
  fields: {
    tool: "tool",
    input: "args",
    directory: "directory",
    id: "callID",
    session: "sessionID",
    duration: "",
    subagent: "",
  },
  deny: (reason: string): object => ({ deny: reason }),
} as const;

/** An agent's names for our tools, which begin with the server's name in some form. */
export const ourNames = (prefix: string): AgentHook["ours"] => ({
  edit: `${prefix}multi_edit`,
  read: `${prefix}read_document`,
  patch: `${prefix}apply_patch`,
});

/** Reads a file of the user's; returns an empty text if it can't be read. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
