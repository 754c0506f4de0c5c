/** The user's settings. One schema reads them, supplies the defaults, and describes them to editors. */
import * as z from "zod";
import { isObject } from "../dialect/keys.js";
import { limits } from "../text/limits.js";
import { folderPattern } from "./pathText.js";
import { settingWarnings } from "./sentences.js";

/**
 * Names of files and folders that can make version control, editors, agents, shells or package managers run code. The
 * list leaves out project files that agents edit every day (package.json, CI workflows).
 */
const protectedNames = [
  ...[".git", ".hg", ".svn", ".jj", ".bzr", ".gitmodules", ".gitconfig", ".husky"],
  ...[".vscode", ".idea", ".zed", ".fleet", ".helix", ".devcontainer", ".devcontainer.json"],
  ...[".vimrc", ".nvimrc", ".nvim.lua", ".exrc", ".emacs", ".emacs.d", ".dir-locals.el", ".dir-locals-2.el"],
  ...[".agents", ".claude", ".codex", ".cursor", ".gemini", ".windsurf", ".opencode", ".pi", ".mcp.json"],
  ...[".envrc", ".profile", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases"],
  ...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc", ".login", "config.fish"],
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".ssh"],
];

const folder = z
  .string()
  .max(limits.pathLength)
  .regex(folderPattern, "expected the absolute path of a folder, or a path that starts with ~/");

const name = z
  .string()
  .max(limits.pathLength)
  .regex(/^[^\\/]+$/, "expected one name, without slashes");

const schema = z.strictObject({
  lenient: z
    .boolean()
    .default(true)
    .describe(
      "Whether old texts may differ from the file in spaces at line ends, quotes and dashes, indentation, or line numbers copied from a file view. If false, only line ends may differ.",
    ),
  atomic: z
    .enum(["all", "file", "none"])
    .default("all")
    .describe(
      "What is abandoned if one edit in a call fails: the whole call (all), all edits to the same file (file), or only that edit (none).",
    ),
  confirm: z
    .enum(["never", "always"])
    .default("never")
    .describe("Whether the server asks you before it applies an agent's edits: always or never."),
  save: z
    .enum(["never", "ifWasClean", "always"])
    .default("ifWasClean")
    .describe(
      "When files are saved after the server has changed them, if the editor supports it: never, always, or only if they had no unsaved changes before (ifWasClean).",
    ),
  additionalFolders: z
    .array(folder)
    .max(limits.settingItems)
    .default([])
    .describe(
      "Folders outside the workspace in which files may also be edited: absolute paths, or paths that start with ~/.",
    ),
  protectedNames: z
    .array(name)
    .max(limits.settingItems)
    .default(protectedNames)
    .describe(
      "Names of files and folders that calls may neither read nor change. A name is protected anywhere in a path, in upper or lower case. Your own list replaces this one.",
    ),
  agent: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe("Whether your agents may reach this editor, through a socket that only you can open."),
    })
    .default({ enabled: true })
    .describe("Access for agents outside the editor. Read once, when the editor starts the server."),
  logLevel: z
    .enum(["error", "warn", "info", "debug"])
    .default("info")
    .describe("The lowest level of messages that are logged."),
  proofTimeout: z
    .int()
    .min(100)
    .max(60_000)
    .default(limits.proofMs)
    .describe("Milliseconds that the editor may take to send the changed text after it has applied an edit."),
});

/** The user's complete settings. A setting that the user has not set has its default value. */
export type Settings = {
  readonly [K in keyof z.output<typeof schema>]: Readonly<z.output<typeof schema>[K]>;
};

/** The settings of a user who has set nothing. */
export const defaultSettings: Settings = schema.parse({});

/** Returns the settings' JSON Schema, with descriptions and defaults, for editors that complete and check settings. */
export function settingsJsonSchema(): object {
  return { title: "multi-edit-language-server", ...z.toJSONSchema(schema, { io: "input" }) };
}

/**
 * Merges the sources of settings that the client has sent, the oldest first. A later source overrides the earlier ones
 * key by key and replaces lists as a whole. A source is either an object of settings, or an object that has the
 * settings under `multiEdit` and other programs' settings under other keys. A source or value that is `undefined` or
 * null sets nothing. Anything unusable is left out with a warning, so the settings are always usable.
 */
export function readSettings(values: readonly unknown[]): { settings: Settings; warnings: string[] } {
  const warnings = new Set<string>();
  const warn = (warning: string): void => {
    if (warnings.size < limits.settingWarnings) warnings.add(warning);
  };
  const merged = new Map<string, unknown>();
  for (const value of values) readSource(value, merged, warn);
  return { settings: schema.parse(Object.fromEntries(merged)), warnings: [...warnings] };
}

/**
 * Returns a filter that passes each warning on only once, and no more than `limits.settingWarnings` warnings in all.
 */
export function createWarnOnce(): (warnings: readonly string[]) => string[] {
  const warned = new Set<string>();
  return (warnings) =>
    warnings.filter((warning) => {
      if (warned.has(warning) || warned.size >= limits.settingWarnings) return false;
      warned.add(warning);
      return true;
    });
}

function readSource(sent: unknown, merged: Map<string, unknown>, warn: (warning: string) => void): void {
  const isNested = isObject(sent) && Object.hasOwn(sent, "multiEdit");
  const source = isNested ? sent.multiEdit : sent;
  if (source === undefined || source === null) return;
  if (!isObject(source)) {
    warn(settingWarnings.notAnObject(isNested ? "multiEdit" : undefined, source));
    return;
  }
  for (const [key, value] of Object.entries(source)) {
    if (!isKey(key)) {
      warn(settingWarnings.unknown(key, Object.keys(schema.shape)));
      continue;
    }
    if (value === undefined || value === null) continue;
    const parsed = schema.shape[key].safeParse(value);
    if (parsed.success) merged.set(key, parsed.data);
    else warn(settingWarnings.unusable(key, parsed.error.issues, merged.get(key) ?? defaultSettings[key]));
  }
}

function isKey(key: string): key is keyof Settings {
  return Object.hasOwn(schema.shape, key);
}
