/** Two hooks of one agent on one call: that of a plugin, and that of the agent's own settings, which applies calls. */
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { inServerFolder } from "../../server/workspace/serverFolder.js";
import { makeDirectory } from "../support/directory.js";
import { answer, events, layProject, type Name, ours, reasonIn, unsaved } from "../support/hookEvents.js";

const body = "@@\n-const rate = 0.19;\n+const rate = 0.2;";

/** Each agent's variable and file for its settings, the lines of a hook with `--apply` in it, and a call. */
const rows: Readonly<Record<Name, readonly [string, string, string, (path: string, root: string) => object]>> = {
  claude: [
    "CLAUDE_CONFIG_DIR",
    "settings.json",
    '{"command": "multi-edit hook claude --apply"}',
    (file_path) => ({
      ...events.claude("Edit", { file_path, old_string: "0.19", new_string: "0.2" }),
      permission_mode: "bypassPermissions",
    }),
  ],
  codex: [
    "CODEX_HOME",
    "config.toml",
    'command = "multi-edit hook codex --apply"',
    (path, root) =>
      events.codex("apply_patch", `*** Begin Patch\n*** Update File: ${path}\n${body}\n*** End Patch`, root),
  ],
  gemini: [
    "HOME",
    ".gemini/settings.json",
    '{"command": "multi-edit hook gemini --apply"}',
    (file_path, root) => events.gemini("replace", { file_path, old_string: "0.19", new_string: "0.2" }, root),
  ],
  copilot: [
    "HOME",
    ".copilot/hooks/multi-edit.json",
    '{"command": "multi-edit hook copilot --apply"}',
    (path, root) => events.copilot("Edit", { path, old_str: "0.19", new_str: "0.2" }, root),
  ],
  qwen: [
    "HOME",
    ".qwen/settings.json",
    '{"command": "multi-edit hook qwen --apply"}',
    (file_path, root) => events.qwen("edit", { file_path, old_string: "0.19", new_string: "0.2" }, root),
  ],
  opencode: [
    "XDG_CONFIG_HOME",
    "opencode/plugin/multi-edit.js",
    'const hookOptions = ["--apply"];',
    (filePath) => events.opencode("edit", { filePath, oldString: "0.19", newString: "0.2" }),
  ],
};

/** A project, and an agent whose settings have a hook, which applies calls if `applies`. */
async function layAgent(name: Name, applies: boolean) {
  const { root, editor } = await layProject();
  const [variable, file, text, event] = rows[name];
  const folder = makeDirectory({ [file]: applies ? text : text.replace("--apply", "") });
  const before = process.env[variable];
  process.env[variable] = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env[variable];
    else process.env[variable] = before;
  });
  const path = join(root, "price.ts");
  return {
    editor,
    settings: join(folder, file),
    ask: (...form: string[]) => answer(name, event(path, root), ...form),
    text: () => editor.documents.get(pathToFileURL(path).href)?.text,
  };
}

describe("the hook of a plugin", () => {
  it.each(Object.keys(rows) as Name[])("of %s turns a call away if no other hook applies calls", async (name) => {
    const { ask, text } = await layAgent(name, false);
    expect(reasonIn(name, await ask())).toMatch(ours[name]);
    expect(text()).toBe(unsaved);
  });

  it.each(Object.keys(rows) as Name[])("of %s leaves a call to the hook that applies it", async (name) => {
    const { ask, text, editor } = await layAgent(name, true);
    editor.answerQuestionsWith("Apply");
    const [left, applied] = await Promise.all([ask(), ask("--apply")]);
    expect(left).toBeUndefined();
    expect(reasonIn(name, applied)).toMatch(/^Done\./);
    expect(text()).toBe(unsaved.replace("0.19", "0.2"));
  });

  it.each(["claude", "codex"] as const)("of %s leaves a call that was applied before to that hook", async (name) => {
    const { ask } = await layAgent(name, true);
    const first = await ask("--apply");
    // What the hook has noted of the first call is too old to count for the second.
    const folder = inServerFolder("hooks");
    const old = new Date(Date.now() - 60_000);
    for (const file of readdirSync(folder)) if (file.endsWith(".noted")) utimesSync(join(folder, file), old, old);
    const [left, again] = await Promise.all([ask(), ask("--apply")]);
    expect([left, again]).toEqual([undefined, first]);
  });

  it.each(["claude", "codex", "gemini"] as const)(
    "of %s turns a call away if the other hook is in the settings, but does not run",
    async (name) => {
      const { ask, text, settings } = await layAgent(name, true);
      expect(reasonIn(name, await ask())).toMatch(ours[name]);
      expect(text()).toBe(unsaved);
      writeFileSync(settings, "");
      expect(reasonIn(name, await ask())).toMatch(ours[name]);
    },
  );
});
