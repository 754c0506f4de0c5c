/** The plugin for opencode, run in this process as opencode runs it, with the built program and an editor. */
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { fillDirectory, makeDirectory } from "../support/directory.js";
import { hookColumns } from "../support/hookColumns.js";
import { layProject, program, unsaved } from "../support/hookEvents.js";

type Config = Readonly<Record<string, unknown>>;

/** The hooks that the plugin returns for one project. */
interface Hooks {
  config(config: Config): Promise<void>;
  "tool.execute.before"(call: object, output: { readonly args: object }): Promise<void>;
}

/** Loads the plugin with the option `--apply`; one such module serves all projects of one opencode. */
async function loadPlugin(): Promise<(place: { readonly directory: string }) => Promise<Hooks>> {
  const sample = readFileSync(new URL("../../client-samples/agents/opencode/multiEdit.js", import.meta.url), "utf8");
  const folder = makeDirectory({ "package.json": '{"type": "module"}' });
  fillDirectory(folder, {
    "multiEdit.js": sample.replace("hookOptions = [];", 'hookOptions = ["--apply"];'),
    "multi-edit": `#!/bin/sh\nexec '${process.execPath}' '${program.path}' "$@"\n`,
  });
  chmodSync(join(folder, "multi-edit"), 0o755);
  process.env.MULTI_EDIT_PROGRAM = join(folder, "multi-edit");
  onTestFinished(() => void delete process.env.MULTI_EDIT_PROGRAM);
  const { MultiEdit } = await import(pathToFileURL(join(folder, "multiEdit.js")).href);
  return MultiEdit;
}

/** A project with unsaved text; `edit` sends an edit of it, and returns the reason for which opencode's tool does not run. */
async function layEdited() {
  const { root, editor } = await layProject();
  const path = join(root, "price.ts");
  let calls = 0;
  return {
    root,
    text: () => editor.documents.get(pathToFileURL(path).href)?.text,
    async edit(hooks: Hooks, oldString: string, newString: string): Promise<string> {
      calls += 1;
      const call = { tool: "edit", callID: `call_${calls}`, sessionID: "ses_1" };
      const sent = hooks["tool.execute.before"](call, { args: { filePath: path, oldString, newString } });
      return sent.then(
        () => "",
        (error: Error) => error.message,
      );
    },
  };
}

it("keeps the rules of a project for it when opencode opens a project without rules, and the other way round", async () => {
  const { root, text, edit } = await layEdited();
  const plugin = await loadPlugin();
  const [ruled, free, later] = [
    await plugin({ directory: root }),
    await plugin({ directory: root }),
    await plugin({ directory: root }),
  ];
  await ruled.config({ permission: { edit: "ask" } });
  await free.config({});
  expect(await edit(ruled, "0.19", "0.2")).toMatch(hookColumns.opencode.ours);
  expect(text()).toBe(unsaved);
  await later.config({ permission: { edit: "deny" } });
  expect(await edit(free, "0.19", "0.2")).toMatch(/^Done\./);
  expect(text()).toBe(unsaved.replace("0.19", "0.2"));
});

it("applies no edit if a rule asks about edits or denies them, also one with a wildcard", async () => {
  const { root, text, edit } = await layEdited();
  const hooks = await (await loadPlugin())({ directory: root });
  const rules: readonly (string | object)[] = [
    "ask",
    { "*": "deny" },
    { edit: { "*": "allow", "*.env": "ask" } },
    { "edi*": "ask" },
    { "e?it": { "*": "deny" } },
    { "edit *": "ask" },
  ];
  for (const permission of rules) {
    for (const config of [{ permission }, { agent: { build: { permission } } }]) {
      await hooks.config(config);
      expect(await edit(hooks, "0.19", "0.2"), JSON.stringify(config)).toMatch(hookColumns.opencode.ours);
    }
  }
  expect(text()).toBe(unsaved);
  const others = { edit: "allow", "e*t": "allow", "bash*": "ask", "(edit": "deny", "edi.*": "ask", "e.it": "ask" };
  for (const [permission, rate] of [
    [others, "0.2"],
    ["allow", "0.3"],
    [null, "0.4"],
  ] as const) {
    await hooks.config({ permission });
    const from = /[\d.]+(?=;)/.exec(text() ?? "")?.[0] ?? "";
    expect(await edit(hooks, from, rate), JSON.stringify(permission)).toMatch(/^Done\./);
    expect(text()).toBe(unsaved.replace("0.19", rate));
  }
}, 60_000);
