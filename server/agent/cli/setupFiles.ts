/** The configuration files that `multi-edit setup NAME --write` changes, by the program's name. */
import { existsSync, readFileSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { homeFolder } from "../../workspace/serverFolder.js";
import { blockFile, type ConfigFile, jsonFile, wholeFile } from "./configFiles.js";

/** Facts about this installation. */
export interface Installation {
  /** The command that starts this program, and its first arguments. */
  readonly command: readonly [string, ...string[]];
  /** Path of the folder with the samples. */
  readonly samples: string;
}

/** The files of each program. */
export const setupFiles: Readonly<Record<string, (installation: Installation) => readonly ConfigFile[]>> = {
  claude({ command: [command, ...args] }) {
    const own = process.env.CLAUDE_CONFIG_DIR;
    const server = { type: "stdio", command, args: [...args, "mcp"], alwaysLoad: true };
    return [
      jsonFile(join(own || homeFolder(), ".claude.json"), [
        { path: ["mcpServers", "multi-edit"], value: server, kind: "own" },
      ]),
      jsonFile(join(own || join(homeFolder(), ".claude"), "settings.json"), [
        { path: ["permissions", "allow"], value: "mcp__multi-edit__*", kind: "item" },
      ]),
    ];
  },
  codex({ command: [command, ...args] }) {
    const block = `[mcp_servers.multi-edit]
command = ${JSON.stringify(command)}
args = ${JSON.stringify([...args, "mcp"])}
startup_timeout_sec = 20
tool_timeout_sec = 60
required = true
default_tools_approval_mode = "approve"
omit_tools_from = ["deferred"]

[mcp_servers.multi-edit.tools.read_document]
output_token_limit = 40000
`;
    const byHand = /^\s*\[\s*mcp_servers\s*\.\s*["']?multi-edit["']?\s*[\].]/m;
    const folder = process.env.CODEX_HOME || join(homeFolder(), ".codex");
    return [blockFile(join(folder, "config.toml"), { comment: "#", block, byHand })];
  },
  opencode({ command }) {
    const server = { type: "local", command: [...command, "mcp"], enabled: true };
    const folder = join(process.env.XDG_CONFIG_HOME || join(homeFolder(), ".config"), "opencode");
    const names = ["opencode.jsonc", "opencode.json", "config.json"];
    const name = names.find((one) => existsSync(join(folder, one))) ?? "opencode.json";
    const permissions = ["multi-edit_multi_edit", "multi-edit_apply_patch"];
    return [
      jsonFile(join(folder, name), [
        { path: ["mcp", "multi-edit"], value: server, kind: "own" },
        ...permissions.map((one) => ({ path: ["permission", one], value: "allow", kind: "default" }) as const),
        ...permissions.map(
          (one) => ({ path: ["agent", "plan", "permission", one], value: "deny", kind: "default" }) as const,
        ),
      ]),
    ];
  },
  gemini({ command: [command, ...args] }) {
    const server = { command, args: [...args, "mcp"], timeout: 60_000, trust: true };
    return [
      jsonFile(join(homeFolder(), ".gemini", "settings.json"), [
        { path: ["mcpServers", "multi-edit"], value: server, kind: "own" },
      ]),
    ];
  },
  pi({ samples }) {
    const text = readFileSync(join(samples, "pi", "multiEdit.ts"), "utf8");
    const folder = process.env.PI_CODING_AGENT_DIR || join(homeFolder(), ".pi", "agent");
    const isOurs = (present: string): boolean => present.includes("multi-edit");
    return [wholeFile(join(folder, "extensions", "multiEdit.ts"), text, isOurs)];
  },
};

/** Returns the command that starts this program: its name if the PATH has it, otherwise Node and the program's path. */
export function ownCommand(program: string): readonly [string, ...string[]] {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const isOnPath = folders.some((folder) => existsSync(join(folder, "multi-edit")));
  return isOnPath ? ["multi-edit"] : [process.execPath, program];
}
