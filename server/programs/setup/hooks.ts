/** The hooks for agents' own tools, in the form of each agent's configuration. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Input } from "../cli/input.js";
import type { hookNames } from "../cli/table.js";
import { type ConfigFile, type JsonEntry, wholeFile } from "./configFile.js";
import { hookFile } from "./hookFile.js";
import type { Installation } from "./installation.js";

/** The form of a hook: it turns calls away, or applies them; `none`: no hook. */
export type HookForm = "deny" | "apply" | "none";

/** Returns the command that an agent runs, for a shell. */
function hookCommand({ command }: Installation, name: (typeof hookNames)[number], form: HookForm): string {
  const words = [...command, "hook", name, ...(form === "apply" ? ["--apply"] : [])];
  return words.map((word) => (/^[\w./:@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/** Reports whether a hook in a configuration is ours, in any form and of any installation: by the end of its command. */
const isOurHook = (name: string) => (hook: unknown) =>
  new RegExp(` hook ${name}(?: --apply)?"`).test(JSON.stringify(hook) ?? "");

/** Returns the hooks of an agent that has them in a JSON file. `matchers`: the tools, by event. */
function jsonHooks(
  installation: Installation,
  name: "claude" | "gemini" | "qwen",
  form: HookForm,
  matchers: Readonly<Record<string, string>>,
): JsonEntry[] {
  const command = hookCommand(installation, name, form);
  const about = name === "claude" ? {} : { name: "multi-edit" };
  return Object.entries(matchers).map(([event, matcher]) => ({
    path: ["hooks", event],
    value: form === "none" ? undefined : { matcher, hooks: [{ type: "command", ...about, command }] },
    kind: "ownItem",
    isOurs: isOurHook(name),
  }));
}

/** Returns the hooks of Claude Code. */
export const claudeHooks = (installation: Installation, form: HookForm): JsonEntry[] =>
  jsonHooks(installation, "claude", form, {
    PreToolUse: "Edit|MultiEdit|Write|NotebookEdit",
    PostToolUse: "Read|Bash",
  });

/** Returns the hooks of Gemini CLI. */
export const geminiHooks = (installation: Installation, form: HookForm): JsonEntry[] =>
  jsonHooks(installation, "gemini", form, {
    BeforeTool: "^(replace|write_file)$",
    AfterTool: "^(read_file|run_shell_command)$",
  });

/** Returns the hooks of Qwen Code. */
export const qwenHooks = (installation: Installation, form: HookForm): JsonEntry[] =>
  jsonHooks(installation, "qwen", form, {
    PreToolUse: "^(edit|write_file|notebook_edit)$",
    PostToolUse: "^(read_file|run_shell_command)$",
  });

/**
 * Returns the file of our own that has Copilot CLI's hooks. One of them allows our tools, for which Copilot has no setting;
 * the others are left out without a hook for Copilot's own tools.
 */
export function copilotHooks(path: string, installation: Installation, form: HookForm): ConfigFile {
  return wholeFile(path, copilotText(installation, form), (present) => present.includes('"multi-edit/.*"'));
}

/** Returns the text of the file with Copilot CLI's hooks, which wait longer than the hook waits for the user. */
function copilotText(installation: Installation, form: HookForm): string {
  const command = hookCommand(installation, "copilot", form);
  const own = (matcher: string): object[] => [{ type: "command", matcher, command, timeoutSec: 60 }];
  const hooks = {
    permissionRequest: [
      { type: "command", matcher: "multi-edit/.*", command: `echo '${JSON.stringify({ behavior: "allow" })}'` },
    ],
    ...(form === "none" ? {} : { PreToolUse: own("Edit|Write"), PostToolUse: own("Read") }),
  };
  return `${JSON.stringify({ version: 1, hooks }, undefined, 2)}\n`;
}

/** Returns the tables of Codex's hook, which may be empty. */
export function codexHook(installation: Installation, form: HookForm): string {
  if (form === "none") return "";
  const command = `command = ${JSON.stringify(hookCommand(installation, "codex", form))}`;
  const [event, hook] = ["[[hooks.PreToolUse]]", "[[hooks.PreToolUse.hooks]]"];
  return ["", event, 'matcher = "^(apply_patch|Bash)$"', "", hook, 'type = "command"', command, ""].join("\n");
}

/** Returns the plugin that has opencode's hooks; without a hook, an empty text. */
function pluginText({ command, samples }: Installation, form: HookForm): string {
  const sample = form === "none" ? "" : readFileSync(join(samples, "agents", "opencode", "multiEdit.js"), "utf8");
  return sample
    .replace('= ["multi-edit"];', () => `= ${JSON.stringify(command)};`)
    .replace("hookOptions = [];", () => (form === "apply" ? 'hookOptions = ["--apply"];' : "hookOptions = [];"));
}

/** Returns the hook as text to paste, with the name of its file, in the form of a comment of the agent's other lines. */
export function hookText(name: (typeof hookNames)[number], installation: Installation, form: HookForm): string {
  if (name === "codex") return codexHook(installation, form);
  const about = name === "claude" ? "\n# The hook, in" : "\n// The hook, in";
  if (name === "opencode") return `${about} ${hookFile.opencode()}.\n${pluginText(installation, form)}`;
  if (name === "copilot") return `${about} ${hookFile.copilot()}:\n${copilotText(installation, form)}`;
  const entriesOf = { claude: claudeHooks, gemini: geminiHooks, qwen: qwenHooks }[name];
  const entries = entriesOf(installation, form);
  const hooks = Object.fromEntries(entries.map(({ path, value }) => [path.at(-1), [value]]));
  return `${about} ${hookFile[name]()}:\n${JSON.stringify({ hooks }, undefined, 2)}\n`;
}

/** Returns the file with the plugin that has opencode's hooks; without a hook, there is none. */
export function openCodePlugin(path: string, installation: Installation, form: HookForm): ConfigFile {
  const text = pluginText(installation, form);
  const isOurs = (present: string): boolean => /^\/\*\*\s+\* A plugin for opencode: .*\bmulti-edit\b/s.test(present);
  // Another file of this name is the user's; without a hook, it is no reason to refuse.
  const withoutOurs = (present: string | undefined): Input<string | undefined> => ({
    ok: true,
    value: present === undefined || isOurs(present) ? undefined : present,
  });
  return { ...wholeFile(path, text, isOurs), ...(form === "none" ? { add: withoutOurs } : {}), remove: withoutOurs };
}
