/** The agents, each with the unit of `client-samples/agents` (or `pi`) that its own command installs. */
import { join } from "node:path";
import { projectRoot } from "../support/project.js";
import type { AgentKind, Place } from "./agent.js";
import { claude, codexKnown, copilot, declaredWith, geminiCli, openCode, pi, qwen } from "./kinds.js";
import type { Call } from "./protocols.js";

const samples = join(projectRoot, "client-samples");
const agents = join(samples, "agents");

/** The program of an agent, which `.ci/agents` has installed. */
const program = ({ installed }: Place, name: string): string => join(installed, name, "node_modules/.bin", name);

const claudeName = "mcp__plugin_multi-edit_multi-edit__";

/** The rule without which `gemini -p` refuses the tools of an extension. */
export const geminiPolicy = `[[rule]]
mcpName = "multi-edit"
toolName = "*"
decision = "allow"
priority = 100
`;

const patchOf = (path: string): string => `*** Begin Patch\n*** Update File: ${path}\n@@\n-one\n+two\n*** End Patch`;

/** An agent with a unit. */
export interface Unit extends AgentKind {
  /** Name of the unit's folder in `client-samples`. */
  readonly unit: string;
  /** Set if the agent starts the server in the unit's folder, so that it takes only absolute paths. */
  readonly isHomeless?: true;
  /** The commands that install the unit from the address of the repository, if the agent can clone it. */
  installFrom?(place: Place, address: string): readonly (readonly string[])[];
  /** The agent's own command that checks a unit, which follows as the last argument, if the agent has one. */
  readonly validator?: {
    readonly command: readonly string[];
    /** The files of the unit that it reads. */
    readonly reads: readonly string[];
  };
  /** The agent's own tools for files, which its hook watches; `undefined` if the unit replaces these tools. */
  readonly own?: {
    /** The call that reads a file, unless the agent reads with commands; `path` is absolute. */
    read?(path: string): Call;
    /** The call that replaces `one`, the last line of a file. */
    edit(path: string): Call;
    /** The name by which the model calls the tool that it should use instead. */
    readonly instead: string;
  };
}

const claudeInstall = (place: Place, source: string): readonly (readonly string[])[] => [
  [program(place, "claude"), "plugin", "marketplace", "add", source],
  [program(place, "claude"), "plugin", "install", "multi-edit@multi-edit"],
];

const codexInstall = (place: Place, source: string): readonly (readonly string[])[] => [
  [program(place, "codex"), "plugin", "marketplace", "add", source],
  [program(place, "codex"), "plugin", "add", "multi-edit@multi-edit"],
];

const geminiInstall = (place: Place, source: string): readonly (readonly string[])[] => [
  [program(place, "gemini"), "extensions", "install", source, "--consent"],
];

/** Each agent, with the command that installs the unit. The page of the agents shows the same commands. */
export const units: readonly Unit[] = [
  {
    ...claude,
    name: "Claude Code, plugin",
    unit: "agents/claude",
    validator: { command: ["plugin", "validate"], reads: [".claude-plugin/plugin.json", "hooks/hooks.json"] },
    install: (place) => claudeInstall(place, projectRoot),
    installFrom: claudeInstall,
    command: (place, prompt) => [...claude.command(place, prompt), "--allowedTools", `${claudeName}*`, "Edit"],
    call: (tool, args) => ({ tool: `${claudeName}${tool}`, arguments: args }),
    declared: declaredWith(claudeName),
    own: {
      read: (path) => ({ tool: "Read", arguments: { file_path: path } }),
      edit: (path) => ({ tool: "Edit", arguments: { file_path: path, old_string: "one", new_string: "two" } }),
      instead: `${claudeName}multi_edit`,
    },
  },
  {
    ...codexKnown,
    name: "Codex, plugin",
    unit: "agents/codex",
    install: (place) => codexInstall(place, projectRoot),
    installFrom: codexInstall,
    // Otherwise, Codex asks the user once.
    command: (place, prompt) => [
      ...codexKnown.command(place, prompt),
      ...["--dangerously-bypass-hook-trust", "--sandbox", "danger-full-access"],
    ],
    own: {
      edit: (path) => ({
        tool: "functions/exec",
        arguments: {},
        text: `text(await tools.apply_patch(${JSON.stringify(patchOf(path))}));`,
      }),
      instead: "mcp__multi_edit__apply_patch",
    },
  },
  {
    ...geminiCli,
    name: "Gemini CLI, extension",
    unit: "agents/gemini",
    validator: { command: ["extensions", "validate"], reads: ["gemini-extension.json"] },
    prepare(place) {
      geminiCli.prepare(place);
      place.put(".gemini/policies/multi-edit.toml", geminiPolicy);
    },
    install: (place) => geminiInstall(place, join(agents, "gemini")),
    installFrom: geminiInstall,
    command: (place, prompt) => [...geminiCli.command(place, prompt), "--approval-mode", "auto_edit"],
    own: {
      read: (path) => ({ tool: "read_file", arguments: { file_path: path } }),
      edit: (path) => ({
        tool: "replace",
        arguments: { file_path: path, instruction: "Replace one by two.", old_string: "one", new_string: "two" },
      }),
      instead: "mcp_multi-edit_multi_edit",
    },
  },
  {
    ...copilot,
    name: "Copilot CLI, Claude Code's plugin",
    unit: "agents/claude",
    install: (place) => [
      [program(place, "copilot"), "plugin", "marketplace", "add", projectRoot],
      [program(place, "copilot"), "plugin", "install", "multi-edit@multi-edit"],
    ],
    command: (place, prompt) => [
      ...copilot.command(place, prompt),
      ...["--allow-tool", "multi-edit", "--allow-tool", "write"],
    ],
    isHomeless: true,
    own: {
      read: (path) => ({ tool: "view", arguments: { path } }),
      edit: (path) => ({ tool: "edit", arguments: { path, old_str: "one", new_str: "two" } }),
      instead: "multi-edit-multi_edit",
    },
  },
  ...["claude", "gemini"].map(
    (folder): Unit => ({
      ...qwen,
      name: `Qwen Code, the folder ${folder}`,
      unit: `agents/${folder}`,
      install: (place) => [
        [...qwen.command(place, "").slice(0, 2), "extensions", "install", join(agents, folder), "--consent"],
      ],
      ...(folder === "gemini" ? {} : { tools: [] }),
      own: {
        read: (path) => ({ tool: "read_file", arguments: { file_path: path } }),
        edit: (path) => ({ tool: "edit", arguments: { file_path: path, old_string: "one", new_string: "two" } }),
        instead: "mcp__multi-edit__multi_edit",
      },
    }),
  ),
  {
    ...openCode,
    name: "opencode, plugin",
    unit: "agents/opencode",
    install: (place) => [[program(place, "opencode"), "plugin", join(agents, "opencode"), "--global"]],
    own: {
      read: (path) => ({ tool: "read", arguments: { filePath: path } }),
      edit: (path) => ({ tool: "edit", arguments: { filePath: path, oldString: "one", newString: "two" } }),
      instead: "multi-edit_multi_edit",
    },
  },
  {
    ...pi,
    name: "pi, package",
    unit: "pi",
    install: (place) => [[...pi.command(place, "").slice(0, 2), "install", join(samples, "pi")]],
  },
];
