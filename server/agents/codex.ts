/** Codex. */
import { join } from "node:path";
import type { Agent, InstalledProgram } from "./agent.js";
import {
  agentFolder,
  appliesCalls,
  byMode,
  hookCommand,
  likeClaude,
  mcpCommand,
  ourNames,
  patientMs,
} from "./parts.js";

const configFile = (): string => join(agentFolder("CODEX_HOME", ".codex"), "config.toml");

const tables = (program: InstalledProgram): string => {
  const { command, args } = mcpCommand(program);
  return `[mcp_servers.multi-edit]
command = ${JSON.stringify(command)}
args = [${args.map((arg) => JSON.stringify(arg)).join(", ")}]
startup_timeout_sec = 20
tool_timeout_sec = ${patientMs / 1000}
env_vars = ["XDG_STATE_HOME"]
required = true
default_tools_approval_mode = "approve"
omit_tools_from = ["deferred"]

[mcp_servers.multi-edit.tools.read_document]
output_token_limit = 40000
`;
};

/** Matches Codex's table for this server in any form: with a second copy, Codex would not start. */
const byHand =
  /^\s*(?:\[\s*)?["']?mcp_servers["']?\s*(?:=|\.\s*["']?multi-edit["']?\s*[\].=])|^\s*["']?multi-edit["']?\s*[.=]/m;

const blockOf = (block: string) => ({ kind: "block", path: configFile(), comment: "#", block, byHand }) as const;

/** Codex. */
export const codex: Agent = {
  title: "Codex",
  variables: { commands: ["CODEX_CI", "CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"] },
  // Models that call tools from a script get about 10,000 tokens.
  client: { name: "codex-mcp-client", mostText: 30_000 },
  about: `# Codex, in ~/.codex/config.toml.
# In Codex's sandbox, commands may not open sockets; MCP servers run outside the sandbox.
# env_vars: Codex passes on few variables, but the server looks for editors in XDG_STATE_HOME if you have set it.
# required: Codex waits for the server and exits with an error if the server does not start.
# approve: the tools change files without asking you, even on disk and under --sandbox read-only. Without this
# setting, codex exec refuses every edit.
# omit_tools_from: the tools cost about 1,500 tokens in each request. Without this setting, most models do not see the
# tools.
# tool_timeout_sec and --timeout: Codex waits as long as you may take to answer a question in your editor.
# output_token_limit: reading one file may cost up to that many tokens. Models that call tools from a script see less of
# a long file.
`,
  files: (program) => [blockOf(tables(program))],
  hook: {
    name: "codex",
    installed: {
      path: configFile,
      applies: appliesCalls("codex"),
      file(program, form) {
        if (form === "none") return blockOf("");
        const command = `command = ${JSON.stringify(hookCommand(program, "codex", form))}`;
        const lines = ["PreToolUse", "PostToolUse"].flatMap((event) => [
          ...["", `[[hooks.${event}]]`, 'matcher = "^(apply_patch|Bash)$"'],
          ...["", `[[hooks.${event}.hooks]]`, 'type = "command"', command, ""],
        ]);
        return blockOf(lines.join("\n"));
      },
    },
    ...likeClaude,
    // Models that have no tool for patches run the command `apply_patch` in a shell; Codex applies such a patch itself.
    tools: {
      apply_patch: { kind: "patch", field: "command" },
      Bash: { kind: "patch", field: "command", isCommand: true },
    },
    ours: ourNames("mcp__multi_edit__"),
    edit: { oldText: "", newText: "", replaceAll: "" },
    goesOn: true,
    consent: byMode("default", "acceptEdits", "dontAsk", "bypassPermissions"),
  },
};
