/** Two hooks of one agent on one call: that of a plugin, and that of the agent's own settings, which applies calls. */
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { inServerFolder } from "../../server/workspace/serverFolder.js";
import { makeDirectory } from "../support/directory.js";
import { columnNames, hookColumns, type Name, reasonIn } from "../support/hookColumns.js";
import { answer, layProject, unsaved } from "../support/hookEvents.js";

const line = { from: "const rate = 0.19;", to: "const rate = 0.2;" };

/** A project, and an agent whose settings have a hook, which applies calls if `applies`. */
async function layAgent(name: Name, applies: boolean) {
  const { root, editor } = await layProject();
  const { edit, settings } = hookColumns[name];
  const { variable, file } = settings;
  const folder = makeDirectory({ [file]: applies ? settings.applies : settings.applies.replace("--apply", "") });
  const before = process.env[variable];
  process.env[variable] = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env[variable];
    else process.env[variable] = before;
  });
  const path = join(root, "price.ts");
  // Claude asks the user in its other modes.
  const event = { ...edit(path, root, line), ...(name === "claude" ? { permission_mode: "bypassPermissions" } : {}) };
  return {
    editor,
    settings: join(folder, file),
    ask: (...form: string[]) => answer(name, event, ...form),
    text: () => editor.documents.get(pathToFileURL(path).href)?.text,
  };
}

describe("the hook of a plugin", () => {
  it.each(columnNames)("of %s turns a call away if no other hook applies calls", async (name) => {
    const { ask, text } = await layAgent(name, false);
    expect(reasonIn(name, await ask())).toMatch(hookColumns[name].ours);
    expect(text()).toBe(unsaved);
  });

  it.each(columnNames)("of %s leaves a call to the hook that applies it", async (name) => {
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
      expect(reasonIn(name, await ask())).toMatch(hookColumns[name].ours);
      expect(text()).toBe(unsaved);
      writeFileSync(settings, "");
      expect(reasonIn(name, await ask())).toMatch(hookColumns[name].ours);
    },
  );
});
