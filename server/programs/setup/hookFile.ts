/** The files in which agents' own configurations have our hooks. */
import { join } from "node:path";
import { homeFolder } from "../../workspace/serverFolder.js";
import type { hookNames } from "../cli/table.js";

/** Returns the folder of the user's configuration files. */
export const configFolder = (): string => process.env.XDG_CONFIG_HOME || join(homeFolder(), ".config");

/** Returns the folder of Copilot CLI's configuration. */
export const copilotFolder = (): string => process.env.COPILOT_HOME || join(homeFolder(), ".copilot");

/** The path of the file with an agent's hook, by the agent's name for `multi-edit hook`. */
export const hookFile: Readonly<Record<(typeof hookNames)[number], () => string>> = {
  claude: () => join(process.env.CLAUDE_CONFIG_DIR || join(homeFolder(), ".claude"), "settings.json"),
  codex: () => join(process.env.CODEX_HOME || join(homeFolder(), ".codex"), "config.toml"),
  copilot: () => join(copilotFolder(), "hooks", "multi-edit.json"),
  gemini: () => join(homeFolder(), ".gemini", "settings.json"),
  opencode: () => join(configFolder(), "opencode", "plugin", "multi-edit.js"),
  qwen: () => join(process.env.QWEN_HOME || join(homeFolder(), ".qwen"), "settings.json"),
};
