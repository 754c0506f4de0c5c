/** Reads agents' own settings, as far as they decide what a hook may do. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { askingNames } from "../cli/table.js";
import { hookFile } from "../setup/hookFile.js";
import type { HookPair } from "./remembered.js";

/**
 * Reports whether the hook in the agent's own configuration applies a call. If two hooks answered one call, and one of them
 * turned it away, the model would make the same change again with another tool. The agents other than opencode start both
 * at the same time, but may have switched one off, or not trust it: then it does not note the call.
 */
export async function isAppliedElsewhere(name: (typeof askingNames)[number], pair: HookPair): Promise<boolean> {
  if (name === "pi") return false;
  const text = readOrEmpty(hookFile[name]());
  if (name === "opencode") return /^const hookOptions = \["--apply"\];/m.test(text);
  return / hook (?:claude|codex|copilot|gemini|qwen) --apply["']/.test(text) && (await pair.isNoted());
}

/**
 * Returns the user's rules about Claude Code's edits, which it would look at only after its hooks: `ask` if it must ask the
 * user about some edits, `allow` if it need not ask about any. Rules that deny edits come before the hooks. `directory`: the
 * directory in which Claude works.
 */
export function claudeRule(directory: string): "ask" | "allow" | undefined {
  const project = join(process.env.CLAUDE_PROJECT_DIR || directory, ".claude");
  const paths = [
    hookFile.claude(),
    ...["settings.json", "settings.local.json"].map((name) => join(project, name)),
    ...["/etc/claude-code", "/Library/Application Support/ClaudeCode", "C:\\Program Files\\ClaudeCode"].map((folder) =>
      join(folder, "managed-settings.json"),
    ),
  ];
  const settings = paths.map((path) => readOrEmpty(path)).filter((text) => text !== "");
  const hasRule = (text: string, list: "ask" | "allow", meant: RegExp): boolean => {
    try {
      const rules: unknown = Object(Object(JSON.parse(text)).permissions)[list];
      return Array.isArray(rules) && rules.some((rule) => meant.test(String(rule)));
    } catch {
      // What can't be read may have a rule to ask.
      return list === "ask";
    }
  };
  if (settings.some((text) => hasRule(text, "ask", /^(?:Edit|MultiEdit|Write|\*)/))) return "ask";
  // Claude applies a rule for Edit, without a pattern of paths, to all of its tools that edit files.
  return settings.some((text) => hasRule(text, "allow", /^Edit$/)) ? "allow" : undefined;
}

/**
 * Reports whether Gemini CLI has our MCP server, and calls its tools without asking the user: in the user's settings or the
 * project's. An extension can't say so. `directory`: the directory in which Gemini works.
 */
export function geminiTrusts(directory: string): boolean {
  return [hookFile.gemini(), join(directory, ".gemini", "settings.json")].some((path) => {
    try {
      const { mcpServers }: { readonly mcpServers?: unknown } = Object(JSON.parse(readOrEmpty(path)));
      return Object(Object(mcpServers)["multi-edit"]).trust === true;
    } catch {
      return false;
    }
  });
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
