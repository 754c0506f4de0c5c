/** The agents that the tests run. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { AgentKind, ToolName } from "./agent.js";
import type { Heard } from "./protocols.js";

const toolNames: readonly ToolName[] = [
  ...(["multi_edit", "apply_patch", "preview_edits", "read_document"] as const),
  ...(["undo_last_edit", "editor_status"] as const),
];

/** Finds the server's tools among those of a request. `prefix`: the agent's part of the names. */
export const declaredWith =
  (prefix: string) =>
  ({ tools }: Heard): readonly string[] =>
    toolNames.filter((name) => tools.some((tool) => tool.name === `${prefix}${name}` && tool.description !== ""));

export const claude: AgentKind = {
  name: "Claude Code",
  folder: "claude",
  packageName: "@anthropic-ai/claude-code",
  setup: "claude",
  projectFile: "CLAUDE.md",
  prepare: () => undefined,
  env: ({ url }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "scripted" }),
  command: ({ installed }, prompt) => [join(installed, "claude/node_modules/.bin/claude"), "-p", prompt],
  shell: { flags: ["--allowedTools", "Bash(env)"], call: (command) => ({ tool: "Bash", arguments: { command } }) },
  call: (tool, args) => ({ tool: `mcp__multi-edit__${tool}`, arguments: args }),
  answerIn: (result) => result,
  tools: toolNames,
  ownTools: {
    edit: (file_path, { oldText, newText }) => ({
      tool: "Edit",
      arguments: { file_path, old_string: oldText, new_string: newText },
    }),
    read: (file_path) => ({ tool: "Read", arguments: { file_path } }),
    named: "mcp__multi-edit__multi_edit",
    done: /^The file .* has been updated successfully\./,
    missing: "String to replace not found in file.",
    args: ["--permission-mode", "acceptEdits", "--allowedTools", "Bash(env)"],
  },
  declared: declaredWith("mcp__multi-edit__"),
};

const codexConfig = (url: string, model: string): string => `model = "${model}"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`;

const codexBase = {
  folder: "codex",
  packageName: "@openai/codex",
  setup: "codex",
  projectFile: "AGENTS.md",
  env: () => ({ SCRIPTED_KEY: "scripted" }),
} as const;

const codexPatch = (path: string, { oldText, newText }: { oldText: string; newText: string }): string =>
  `*** Begin Patch\n*** Update File: ${path}\n@@\n-${oldText}\n+${newText}\n*** End Patch`;

const codexOwn = {
  named: "mcp__multi_edit__apply_patch",
  done: /Success\. Updated the following files:\nM |^Script completed\n.*\n\{\}\s*$/s,
  args: ["--dangerously-bypass-hook-trust", "--sandbox", "workspace-write"],
} as const;

/**
 * With a model that Codex does not know, all tools are declared to the model. Its user keeps the state of programs in a
 * folder of their own choice.
 */
export const codexUnknown: AgentKind = {
  ...codexBase,
  env: ({ home }) => ({ ...codexBase.env(), XDG_STATE_HOME: join(home, "state") }),
  name: "Codex, unknown model",
  prepare: ({ put, url }) => put(".codex/config.toml", codexConfig(url, "scripted")),
  command: ({ installed }, prompt) => [
    join(installed, "codex/node_modules/.bin/codex"),
    ...["exec", "--skip-git-repo-check", prompt],
  ],
  resumed: ({ installed }, prompt) => [
    join(installed, "codex/node_modules/.bin/codex"),
    ...["exec", "resume", "--last", "--skip-git-repo-check", prompt],
  ],
  shell: { call: (cmd) => ({ tool: "exec_command", arguments: { cmd } }) },
  call: (tool, args) => ({ tool: `mcp__multi_edit/${tool}`, arguments: args }),
  tools: toolNames,
  ownTools: {
    ...codexOwn,
    edit: (path, edit) => ({
      tool: "exec_command",
      arguments: { cmd: `apply_patch <<'EOF'\n${codexPatch(path, edit)}\nEOF` },
    }),
  },
  answerIn: (result) => result.replace(/^Wall time: .*\nOutput:\n/, ""),
  declared: declaredWith("mcp__multi_edit/"),
};

/**
 * With most models that Codex knows, the model calls tools from a script. Codex hands a script that takes longer than
 * half a minute, here a second, back to the model.
 */
export const codexKnown: AgentKind = {
  ...codexUnknown,
  name: "Codex, gpt-6-sol",
  env: codexBase.env,
  prepare: ({ put, url }) => put(".codex/config.toml", codexConfig(url, "gpt-6-sol")),
  shell: {
    call: (cmd) => ({
      tool: "functions/exec",
      arguments: {},
      text: `text(await tools.exec_command(${JSON.stringify({ cmd })}));`,
    }),
  },
  call: (tool, args) => ({
    tool: "functions/exec",
    arguments: {},
    text: `// @exec: {"yield_time_ms": 1000}\ntext(await tools.mcp__multi_edit__${tool}(${JSON.stringify(args)}));`,
  }),
  waitOn(result) {
    const cell = /^Script running with cell ID (\S+)/.exec(result)?.[1];
    return cell === undefined ? undefined : { tool: "functions/wait", arguments: { cell_id: cell } };
  },
  ownTools: {
    ...codexOwn,
    edit: (path, edit) => ({
      tool: "functions/exec",
      arguments: {},
      text: `text(await tools.apply_patch(${JSON.stringify(codexPatch(path, edit))}));`,
    }),
  },
  answerIn(result) {
    const output = result.replace(/^Script (?:completed|failed)\nWall time.*\nOutput:\n+/, "");
    const { content } = JSON.parse(output) as { content: { text: string }[] };
    return content.map(({ text }) => text).join("\n");
  },
  declared({ tools }) {
    const exec = tools.find(({ name }) => name === "functions/exec");
    return toolNames.filter((name) => exec?.description.includes(`mcp__multi_edit__${name}(`) === true);
  },
};

export const openCode: AgentKind = {
  name: "opencode",
  folder: "opencode",
  packageName: "opencode-ai",
  setup: "opencode",
  projectFile: "AGENTS.md",
  prepare({ home, installed, put, url }) {
    const options = { baseURL: `${url}/v1`, apiKey: "scripted" };
    const provider = { scripted: { npm: "@ai-sdk/openai-compatible", options, models: { scripted: {} } } };
    put(".config/opencode/opencode.json", JSON.stringify({ model: "scripted/scripted", provider }, undefined, 2));
    // With a plugin, opencode first installs a package with types from the registry; here, it finds it installed.
    const dependencies = { "@opencode-ai/plugin": "1" };
    put(".config/opencode/package-lock.json", JSON.stringify({ packages: { "": { dependencies } } }));
    put(".config/opencode/node_modules/.keep", "");
    // For searches, opencode would download ripgrep; another agent brings it along.
    put(".cache/opencode/bin/.keep", "");
    const vendor = join(installed, "codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl");
    symlinkSync(join(vendor, "codex-path/rg"), join(home, ".cache/opencode/bin/rg"));
  },
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1" }),
  command: ({ installed }, prompt) => [join(installed, "opencode/node_modules/.bin/opencode"), "run", prompt],
  shell: { call: (command) => ({ tool: "bash", arguments: { command, description: "a command" } }) },
  call: (tool, args) => ({ tool: `multi-edit_${tool}`, arguments: args }),
  answerIn: (result) => result,
  tools: toolNames,
  ownTools: {
    edit: (filePath, { oldText, newText }) => ({
      tool: "edit",
      arguments: { filePath, oldString: oldText, newString: newText },
    }),
    read: (filePath) => ({ tool: "read", arguments: { filePath } }),
    search: (path, pattern) => ({ tool: "grep", arguments: { pattern, path } }),
    named: "multi-edit_multi_edit",
    done: /^Edit applied successfully\./,
    args: [],
  },
  declared: declaredWith("multi-edit_"),
};

const { ownTools: _ownTools, ...openCodeWithoutEdits } = openCode;

export const openCodePlan: AgentKind = {
  ...openCodeWithoutEdits,
  name: "opencode, plan agent",
  tools: ["preview_edits", "read_document", "editor_status"],
  refuses: /unavailable|not found|invalid|denied|permission/i,
  command: (place, prompt) => [...openCode.command(place, prompt), "--agent", "plan"],
};

/** Gemini CLI marks each item of a result; it quotes a failed call and its result as JSON. */
function geminiAnswer(result: string): string {
  const failed = / with response: (\[.*\])$/s.exec(result)?.[1];
  if (failed === undefined) {
    const items = result.matchAll(/<untrusted_context>\n([\s\S]*?)\n<\/untrusted_context>/g);
    return [...items].map(([, text]) => text).join("\n");
  }
  const [item] = JSON.parse(failed) as { functionResponse: { response: { content: { text: string }[] } } }[];
  return (item?.functionResponse.response.content ?? []).map(({ text }) => text).join("\n");
}

export const geminiCli: AgentKind = {
  name: "Gemini CLI",
  folder: "gemini",
  packageName: "@google/gemini-cli",
  setup: "gemini",
  projectFile: "GEMINI.md",
  prepare({ put }) {
    const security = { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } };
    put(".gemini/settings.json", JSON.stringify({ security, model: { name: "gemini-2.5-pro" } }, undefined, 2));
  },
  env: ({ url }) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "scripted" }),
  command: ({ installed }, prompt) => [join(installed, "gemini/node_modules/.bin/gemini"), "-p", prompt],
  shell: {
    flags: ["--allowed-tools", "run_shell_command(env)"],
    call: (command) => ({ tool: "run_shell_command", arguments: { command } }),
  },
  call: (tool, args) => ({ tool: `mcp_multi-edit_${tool}`, arguments: args }),
  answerIn: geminiAnswer,
  tools: toolNames,
  ownTools: {
    edit: (file_path, { oldText, newText }) => ({
      tool: "replace",
      arguments: { file_path, instruction: "Change it.", old_string: oldText, new_string: newText },
    }),
    read: (file_path) => ({ tool: "read_file", arguments: { file_path } }),
    search: (dir_path, pattern) => ({ tool: "grep_search", arguments: { pattern, dir_path } }),
    named: "mcp_multi-edit_multi_edit",
    isReplaced: true,
    done: /^Successfully modified file/,
    args: ["--approval-mode", "auto_edit", "--allowed-tools", "run_shell_command(env)"],
  },
  declared: declaredWith("mcp_multi-edit_"),
};

export const copilot: AgentKind = {
  name: "Copilot CLI",
  folder: "copilot",
  packageName: "@github/copilot",
  setup: "copilot",
  projectFile: "AGENTS.md",
  prepare: () => undefined,
  env: ({ installed, url }) => ({
    // Copilot unpacks itself once, and not for each user.
    COPILOT_PKG_CACHE_HOME: join(installed, "copilot/unpacked"),
    COPILOT_OFFLINE: "true",
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_MODEL: "scripted",
  }),
  command: ({ installed }, prompt) => [join(installed, "copilot/node_modules/.bin/copilot"), "-p", prompt],
  shell: {
    flags: ["--allow-tool", "shell"],
    call: (command) => ({ tool: "bash", arguments: { command, description: "a command" } }),
  },
  call: (tool, args) => ({ tool: `multi-edit-${tool}`, arguments: args }),
  answerIn: (result) => result.replace(/^MCP server 'multi-edit': /, ""),
  tools: toolNames,
  ownTools: {
    edit: (path, { oldText, newText }) => ({
      tool: "edit",
      arguments: { path, old_str: oldText, new_str: newText },
    }),
    read: (path) => ({ tool: "view", arguments: { path } }),
    search: (path, pattern) => ({ tool: "grep", arguments: { pattern, path } }),
    named: "multi-edit-multi_edit",
    done: /^File .* updated with changes\./,
    args: ["--allow-tool", "write", "--allow-tool", "shell"],
  },
  declared: declaredWith("multi-edit-"),
};

export const qwen: AgentKind = {
  name: "Qwen Code",
  folder: "qwen",
  packageName: "@qwen-code/qwen-code",
  setup: "qwen",
  projectFile: "AGENTS.md",
  prepare({ put }) {
    // Otherwise, Qwen asks its model at the end what it should remember.
    const memory = { enableManagedAutoMemory: false, enableManagedAutoDream: false, enableAutoSkill: false };
    const security = { auth: { selectedType: "openai" } };
    put(".qwen/settings.json", JSON.stringify({ security, memory }, undefined, 2));
  },
  env: ({ url }) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "scripted", OPENAI_MODEL: "scripted" }),
  command: ({ installed }, prompt) => [
    join(installed, "qwen/node_modules/.bin/node"),
    join(installed, "qwen/node_modules/@qwen-code/qwen-code/cli-entry.js"),
    ...["-p", prompt],
  ],
  shell: {
    flags: ["--approval-mode", "yolo"],
    call: (command) => ({
      tool: "run_shell_command",
      arguments: { command, description: "a command", is_background: false },
    }),
  },
  call: (tool, args) => ({ tool: `mcp__multi-edit__${tool}`, arguments: args }),
  answerIn: (result) => (result.includes(" with response: [") ? geminiAnswer(result) : result),
  tools: toolNames,
  ownTools: {
    edit: (file_path, { oldText, newText }) => ({
      tool: "edit",
      arguments: { file_path, old_string: oldText, new_string: newText },
    }),
    read: (file_path) => ({ tool: "read_file", arguments: { file_path } }),
    search: (path, pattern) => ({ tool: "grep_search", arguments: { pattern, path } }),
    named: "mcp__multi-edit__multi_edit",
    done: /^The file: .* has been updated\./,
    missing: "0 occurrences found",
    args: ["--approval-mode", "auto-edit", "--allowed-tools", "run_shell_command(env)"],
  },
  declared: declaredWith("mcp__multi-edit__"),
};

/** pi's tool for the server's tools, if it has another name. */
const piTools: Readonly<Partial<Record<ToolName, string>>> = { multi_edit: "edit", apply_patch: "edit" };

/** pi without MCP: the extension replaces its tool `edit`, which also takes patches, and adds `read_document`. */
export const pi: AgentKind = {
  name: "pi",
  folder: "pi",
  packageName: "@earendil-works/pi-coding-agent",
  setup: "pi",
  projectFile: "AGENTS.md",
  prepare({ put, url }) {
    const provider = {
      baseUrl: `${url}/v1`,
      api: "openai-completions",
      apiKey: "scripted",
      models: [{ id: "scripted" }],
    };
    put(".pi/agent/models.json", JSON.stringify({ providers: { scripted: provider } }, undefined, 2));
  },
  env: () => ({}),
  command: ({ installed }, prompt) => [
    join(installed, "pi/node_modules/.bin/node"),
    join(installed, "pi/node_modules/@earendil-works/pi-coding-agent/dist/cli.js"),
    ...["-p", prompt, "--provider", "scripted", "--model", "scripted"],
  ],
  shell: { call: (command) => ({ tool: "bash", arguments: { command } }) },
  call: (tool, args) => ({ tool: piTools[tool] ?? tool, arguments: args }),
  answerIn: (result) => result,
  tools: ["multi_edit", "apply_patch", "read_document"],
  declared: ({ tools }) => toolNames.filter((name) => tools.some((tool) => tool.name === (piTools[name] ?? name))),
};

/** All agents, each in the modes that differ. */
export const kinds: readonly AgentKind[] = [
  ...[claude, codexUnknown, codexKnown, copilot, geminiCli, openCode, openCodePlan, pi, qwen],
];
