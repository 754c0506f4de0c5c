/** The configuration files that `multi-edit setup NAME --write` changes, by the program's name. */
import { existsSync, readFileSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { homeFolder } from "../../../workspace/serverFolder.js";
import type { Input } from "../input.js";
import { blockFile, type ConfigFile, jsonFile, wholeFile } from "./configFile.js";
import { helixSetup, helixUserFile } from "./helix.js";

/** Facts about this installation. */
export interface Installation {
  /** The command that starts this program, and its first arguments. */
  readonly command: readonly [string, ...string[]];
  /** Path of the folder with the samples. */
  readonly samples: string;
}

/** Returns the files of a program. `words`: the arguments after the program's name. */
type FilesOf = (
  installation: Installation,
  words: readonly string[],
  task: "add" | "remove",
) => Input<readonly ConfigFile[]>;

const files = (...list: ConfigFile[]): Input<readonly ConfigFile[]> => ({ ok: true, value: list });

/** The folder of the user's configuration files. */
const configFolder = (): string => process.env.XDG_CONFIG_HOME || join(homeFolder(), ".config");

/** The files of each program. */
export const setupFiles: Readonly<Record<string, FilesOf>> = {
  neovim({ command, samples }) {
    const cmd = `{ ${serverCommand(command)
      .map((word) => JSON.stringify(word))
      .join(", ")} }`;
    const text = `-- multi-edit: this file is written and removed by "multi-edit setup".
vim.opt.runtimepath:append(${JSON.stringify(join(samples, "neovim"))})
require("multi_edit").setup({ cmd = ${cmd} })
`;
    const folder = join(configFolder(), process.env.NVIM_APPNAME || "nvim", "plugin");
    return files(wholeFile(join(folder, "multi_edit.lua"), text, (present) => present.startsWith("-- multi-edit:")));
  },
  emacs({ command, samples }) {
    const list = serverCommand(command)
      .map((word) => JSON.stringify(word))
      .join(" ");
    const block = `(add-to-list 'load-path ${JSON.stringify(join(samples, "emacs"))})
(require 'multi-edit)
(setq multi-edit-command '(${list}))
(multi-edit-beside-mode)
`;
    return files(blockFile(emacsInit(), { comment: ";;", block, byHand: /^\s*\(require 'multi-edit\)/m }));
  },
  helix({ command }, languages, task) {
    if (task === "remove") return files(blockFile(helixUserFile(), { comment: "#", block: "", byHand: /(?!)/ }));
    const setup = helixSetup(languages, serverCommand(command));
    if (!setup.ok) return setup;
    const { file, block } = setup.value;
    return files(blockFile(file, { comment: "#", block, byHand: /(?!)/ }));
  },
  claude({ command: [command, ...args] }) {
    const own = process.env.CLAUDE_CONFIG_DIR;
    const server = { type: "stdio", command, args: [...args, "mcp"], alwaysLoad: true };
    return files(
      jsonFile(join(own || homeFolder(), ".claude.json"), [
        { path: ["mcpServers", "multi-edit"], value: server, kind: "own" },
      ]),
      jsonFile(join(own || join(homeFolder(), ".claude"), "settings.json"), [
        { path: ["permissions", "allow"], value: "mcp__multi-edit__*", kind: "item" },
      ]),
    );
  },
  codex({ command: [command, ...args] }) {
    const block = `[mcp_servers.multi-edit]
command = ${JSON.stringify(command)}
args = ${JSON.stringify([...args, "mcp"])}
startup_timeout_sec = 20
tool_timeout_sec = 60
env_vars = ["XDG_STATE_HOME"]
required = true
default_tools_approval_mode = "approve"
omit_tools_from = ["deferred"]

[mcp_servers.multi-edit.tools.read_document]
output_token_limit = 40000
`;
    const byHand = /^\s*\[\s*mcp_servers\s*\.\s*["']?multi-edit["']?\s*[\].]/m;
    const folder = process.env.CODEX_HOME || join(homeFolder(), ".codex");
    return files(blockFile(join(folder, "config.toml"), { comment: "#", block, byHand }));
  },
  opencode({ command }) {
    const server = { type: "local", command: [...command, "mcp"], enabled: true };
    const folder = join(configFolder(), "opencode");
    const names = ["opencode.jsonc", "opencode.json", "config.json"];
    const name = names.find((one) => existsSync(join(folder, one))) ?? "opencode.json";
    const permissions = ["multi-edit_multi_edit", "multi-edit_apply_patch", "multi-edit_undo_last_edit"];
    return files(
      jsonFile(join(folder, name), [
        { path: ["mcp", "multi-edit"], value: server, kind: "own" },
        ...permissions.map((one) => ({ path: ["permission", one], value: "allow", kind: "default" }) as const),
        ...permissions.map(
          (one) => ({ path: ["agent", "plan", "permission", one], value: "deny", kind: "default" }) as const,
        ),
      ]),
    );
  },
  gemini({ command: [command, ...args] }) {
    const server = { command, args: [...args, "mcp"], timeout: 60_000, trust: true };
    return files(
      jsonFile(join(homeFolder(), ".gemini", "settings.json"), [
        { path: ["mcpServers", "multi-edit"], value: server, kind: "own" },
      ]),
    );
  },
  pi({ samples }) {
    const text = readFileSync(join(samples, "pi", "multiEdit.ts"), "utf8");
    const folder = process.env.PI_CODING_AGENT_DIR || join(homeFolder(), ".pi", "agent");
    const isOurs = (present: string): boolean => present.includes("multi-edit");
    return files(wholeFile(join(folder, "extensions", "multiEdit.ts"), text, isOurs));
  },
};

/** Returns the command that starts this program: its name if the PATH has it, otherwise Node and the program's path. */
export function ownCommand(program: string): readonly [string, ...string[]] {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const isOnPath = folders.some((folder) => existsSync(join(folder, "multi-edit")));
  return isOnPath ? ["multi-edit"] : [process.execPath, program];
}

/** Returns the command line of the language server. */
function serverCommand([program, ...args]: Installation["command"]): readonly string[] {
  return args.length === 0 ? ["multi-edit-language-server", "--stdio"] : [program, ...args, "--stdio"];
}

/** Returns the path of the file that Emacs reads at startup: the first that exists, in Emacs' own order. */
function emacsInit(): string {
  const home = homeFolder();
  const folder = join(home, ".emacs.d");
  const old = [join(home, ".emacs.el"), join(home, ".emacs"), join(folder, "init.el")];
  const found = old.find((path) => existsSync(path));
  return found ?? join(existsSync(folder) ? folder : join(configFolder(), "emacs"), "init.el");
}
