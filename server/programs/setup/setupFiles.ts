/** The configuration files that `multi-edit setup NAME --write` changes, by the program's name. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { homeFolder } from "../../workspace/serverFolder.js";
import { type Input, unreadable } from "../cli/input.js";
import { configureSentences } from "../cli/sentences.js";
import { blockFile, type ConfigFile, jsonFile, wholeFile } from "./configFile.js";
import { helixSetup, helixUserFile } from "./helix.js";
import { configFolder, copilotFolder, hookFile } from "./hookFile.js";
import {
  claudeHooks,
  codexHook,
  copilotHooks,
  geminiHooks,
  type HookForm,
  openCodePlugin,
  qwenHooks,
} from "./hooks.js";
import { type Installation, serverCommand } from "./installation.js";
import { codexTables, emacsList, luaList, patientMcp, patientMs } from "./setupTexts.js";

/** Returns the files of a program. `words`: the arguments after the program's name; `hook`: for agents that have hooks. */
type FilesOf = (
  installation: Installation,
  words: readonly string[],
  task: "add" | "remove",
  hook: HookForm,
) => Input<readonly ConfigFile[]> | Promise<Input<readonly ConfigFile[]>>;

const files = (...list: ConfigFile[]): Input<readonly ConfigFile[]> => ({ ok: true, value: list });

/** The files of each program. */
export const setupFiles: Readonly<Record<string, FilesOf>> = {
  neovim(installation) {
    const text = `-- multi-edit: this file is written and removed by "multi-edit setup".
vim.opt.runtimepath:append(${JSON.stringify(join(installation.samples, "neovim"))})
require("multi_edit").setup({ cmd = ${luaList(serverCommand(installation))} })
`;
    const folder = join(configFolder(), process.env.NVIM_APPNAME || "nvim", "plugin");
    return files(wholeFile(join(folder, "multi_edit.lua"), text, (present) => present.startsWith("-- multi-edit:")));
  },
  emacs(installation) {
    const block = `(add-to-list 'load-path ${JSON.stringify(join(installation.samples, "emacs"))})
(require 'multi-edit)
(setq multi-edit-command ${emacsList(serverCommand(installation))})
(multi-edit-beside-mode)
`;
    return files(blockFile(emacsInit(), { comment: ";;", block, byHand: /^\s*\(require 'multi-edit\)/m }));
  },
  async helix(installation, languages, task) {
    if (task === "remove") return files(blockFile(helixUserFile(), { comment: "#", block: "", byHand: /(?!)/ }));
    const setup = await helixSetup(languages, { command: serverCommand(installation), keepsOthers: true });
    if (!setup.ok) return setup;
    const { file, before, block } = setup.value;
    const entries = blockFile(file, { comment: "#", block, byHand: /(?!)/ });
    // The entries repeat the user's lists, which must not have changed since.
    return files({
      ...entries,
      add: (text = "") => (text === before ? entries.add(text) : unreadable(configureSentences.justChanged)),
    });
  },
  claude(installation, _words, _task, hook) {
    const [command, ...args] = installation.command;
    const own = process.env.CLAUDE_CONFIG_DIR;
    const server = { type: "stdio", command, args: [...args, ...patientMcp], alwaysLoad: true };
    return files(
      jsonFile(join(own || homeFolder(), ".claude.json"), [
        { path: ["mcpServers", "multi-edit"], value: server, kind: "own" },
      ]),
      jsonFile(hookFile.claude(), [
        { path: ["permissions", "allow"], value: "mcp__multi-edit__*", kind: "item" },
        ...claudeHooks(installation, hook),
      ]),
    );
  },
  codex(installation, _words, _task, hook) {
    const block = codexTables(installation) + codexHook(installation, hook);
    return files(blockFile(hookFile.codex(), { comment: "#", block, byHand: codexByHand }));
  },
  opencode(installation, _words, _task, hook) {
    const { command } = installation;
    const server = { type: "local", command: [...command, ...patientMcp], enabled: true, timeout: patientMs };
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
      openCodePlugin(hookFile.opencode(), installation, hook),
    );
  },
  gemini(installation, _words, _task, hook) {
    const [command, ...args] = installation.command;
    const server = { command, args: [...args, ...patientMcp], timeout: patientMs, trust: true };
    return files(
      jsonFile(hookFile.gemini(), [
        { path: ["mcpServers", "multi-edit"], value: server, kind: "own" },
        ...geminiHooks(installation, hook),
      ]),
    );
  },
  copilot(installation, _words, _task, hook) {
    const [command, ...args] = installation.command;
    const server = { type: "local", command, args: [...args, ...patientMcp], tools: ["*"], timeout: patientMs };
    return files(
      jsonFile(join(copilotFolder(), "mcp-config.json"), [
        { path: ["mcpServers", "multi-edit"], value: server, kind: "own" },
      ]),
      copilotHooks(hookFile.copilot(), installation, hook),
    );
  },
  qwen(installation, _words, _task, hook) {
    const [command, ...args] = installation.command;
    const limits = { timeout: patientMs, trust: true, alwaysLoadTools: true };
    const server = { command, args: [...args, ...patientMcp], ...limits };
    return files(
      jsonFile(hookFile.qwen(), [
        { path: ["mcpServers", "multi-edit"], value: server, kind: "own" },
        ...qwenHooks(installation, hook),
      ]),
    );
  },
  pi({ samples, command }) {
    const sample = readFileSync(join(samples, "pi", "multiEdit.ts"), "utf8");
    const text = sample.replace('= ["multi-edit"];', () => `= ${JSON.stringify(command)};`);
    const folder = process.env.PI_CODING_AGENT_DIR || join(homeFolder(), ".pi", "agent");
    const isOurs = (present: string): boolean => /^\/\*\*\s+\* An extension for pi: .*\bmulti-edit\b/s.test(present);
    return files(wholeFile(join(folder, "extensions", "multiEdit.ts"), text, isOurs));
  },
};

/**
 * Matches Codex's table for this server, in any of TOML's forms, and tables that are written as a value. A second copy,
 * or a table that is added to a value, would make the file invalid, and Codex would not start.
 */
const codexByHand =
  /^\s*(?:\[\s*)?["']?mcp_servers["']?\s*(?:=|\.\s*["']?multi-edit["']?\s*[\].=])|^\s*["']?multi-edit["']?\s*[.=]/m;

/** Returns the path of the file that Emacs reads at startup: the first that exists, in Emacs' own order. */
function emacsInit(): string {
  const home = homeFolder();
  const folder = join(home, ".emacs.d");
  const old = [join(home, ".emacs.el"), join(home, ".emacs"), join(folder, "init.el")];
  const found = old.find((path) => existsSync(path));
  return found ?? join(existsSync(folder) ? folder : join(configFolder(), "emacs"), "init.el");
}
