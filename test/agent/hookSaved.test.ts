/** `multi-edit hook --apply`: calls of agents' own tools for files that are open and saved. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { announced } from "../support/agentPeer.js";
import { type Name, reasonIn } from "../support/hookColumns.js";
import { answer, events, layProject, saved, startDesk, unsaved } from "../support/hookEvents.js";

const [from, to] = ["rate = 0.19", "rate = 0.2"];
const snake = { old_string: from, new_string: to };
const changed = saved.replace(from, to);
const done =
  "Done. This call was applied in the user's editor, so the tool itself did not run. Do not send it again.\n";
const saving = { experimental: { multiEdit: { save: true } } };
const uriOf = (path: string): string => pathToFileURL(path).href;
const patch = (...names: readonly string[]): string =>
  [
    "*** Begin Patch",
    ...names.flatMap((name) => [`*** Update File: ${name}`, "@@", "-const rate = 0.19;", "+const rate = 0.2;"]),
    "*** End Patch",
  ].join("\n");

const edits: Readonly<Partial<Record<Name, (path: string) => object>>> = {
  claude: (file_path) => ({ ...events.claude("Edit", { file_path, ...snake }), permission_mode: "acceptEdits" }),
  codex: (path) => events.codex("apply_patch", patch(path), dirname(path)),
  gemini: (file_path) => events.gemini("replace", { file_path, ...snake }, dirname(file_path)),
  opencode: (filePath) => events.opencode("edit", { filePath, oldString: from, newString: to }),
};
const named = Object.entries(edits) as [Name, (path: string) => object][];

/** A project whose editor can save; by default, as the user's settings say, it does not. */
const laySaving = (settings: object = {}) => layProject(settings, saving, "saves");

describe("with --apply, an edit of a file that is open and saved", () => {
  it.each(named)(
    "is made by the editor of %s's user and saved there, whatever the settings say",
    async (name, event) => {
      const { root, editor } = await laySaving();
      const path = join(root, "saved.ts");
      expect(reasonIn(name, await answer(name, event(path), "--apply"))).toBe(`${done}M saved.ts, saved`);
      expect([editor.documents.get(uriOf(path))?.text, readFileSync(path, "utf8")]).toEqual([changed, changed]);
    },
  );

  it.each(named)("is left to %s in the other form, and if the editor can't save", async (name, event) => {
    const { root } = await laySaving();
    expect(await answer(name, event(join(root, "saved.ts")))).toBeUndefined();
    const other = await layProject();
    expect(await answer(name, event(join(other.root, "saved.ts")), "--apply")).toBeUndefined();
  });

  it("is left to an agent that asks the user afterwards, or whose next edit would be refused", async () => {
    const { root, editor } = await laySaving();
    const path = join(root, "saved.ts");
    const calls: readonly [Name, object][] = [
      ["claude", events.claude("Edit", { file_path: path, ...snake })],
      ["copilot", events.copilot("Edit", { path, old_str: from, new_str: to }, root)],
      ["qwen", events.qwen("edit", { file_path: path, ...snake }, root)],
      ["opencode", { ...edits.opencode!(path), mayApply: false }],
    ];
    for (const [name, event] of calls) expect(await answer(name, event, "--apply"), name).toBeUndefined();
    expect(editor.documents.get(uriOf(path))?.text).toBe(saved);
  });

  it("is left to the agent if our tool finds no place for it, and not if the user rejects it", async () => {
    const { root, editor } = await laySaving({ confirm: "always" });
    const path = join(root, "saved.ts");
    const event = (old_string: string) =>
      events.gemini("replace", { file_path: path, old_string, new_string: to }, root);
    expect(await answer("gemini", event("no such text"), "--apply")).toBeUndefined();
    editor.answerQuestionsWith("Reject");
    expect(reasonIn("gemini", await answer("gemini", event(from), "--apply"))).toMatch(/^The user rejected /);
    expect(editor.documents.get(uriOf(path))?.text).toBe(saved);
  });

  it("replaces a whole text, and reaches all files of a patch, unless two editors have them", async () => {
    const { root, editor } = await laySaving();
    const [path, closed] = [join(root, "saved.ts"), join(root, "closed.ts")];
    const both = events.codex("apply_patch", patch("saved.ts", "closed.ts"), root);
    const other = await startDesk(root, {}, saving, "saves");
    await other.open({ uri: uriOf(closed), text: saved });
    await announced(process.env.XDG_STATE_HOME!, 2);
    expect(await answer("codex", both, "--apply")).toBeUndefined();
    await other.close(uriOf(closed));
    expect(reasonIn("codex", await answer("codex", both, "--apply"))).toBe(
      `${done}M saved.ts, saved\nM closed.ts, on disk (no editor has it open)`,
    );
    const write = events.gemini("write_file", { file_path: path, content: "export {};\n" }, root);
    expect(reasonIn("gemini", await answer("gemini", write, "--apply"))).toBe(`${done}M saved.ts, saved`);
    expect([editor.documents.get(uriOf(path))?.text, readFileSync(path, "utf8")]).toEqual([
      "export {};\n",
      "export {};\n",
    ]);
  });

  it("is left to the agent if the editor has an older text, or if another editor with the file does not load it", async () => {
    const { root } = await laySaving();
    const other = await startDesk(root, {}, saving, "saves");
    const path = join(root, "saved.ts");
    await other.open({ uri: uriOf(path), text: saved });
    await announced(process.env.XDG_STATE_HOME!, 2);
    expect(await answer("gemini", edits.gemini!(path), "--apply")).toBeUndefined();
    process.env.MULTI_EDIT_SESSION = "none";
    try {
      await other.close(uriOf(path));
      expect(await answer("gemini", edits.gemini!(path), "--apply")).toBeUndefined();
    } finally {
      delete process.env.MULTI_EDIT_SESSION;
    }
    expect(reasonIn("gemini", await answer("gemini", edits.gemini!(path), "--apply"))).toBe(`${done}M saved.ts, saved`);
  });
});

describe("with --apply, a file with unsaved text beside one that is open and saved", () => {
  it("keeps its text unsaved, as the settings say", async () => {
    const { root, editor } = await laySaving();
    const both = events.codex("apply_patch", patch("price.ts", "saved.ts"), root);
    expect(reasonIn("codex", await answer("codex", both, "--apply"))).toBe(
      `${done}M price.ts, not saved\nM saved.ts, not saved`,
    );
    expect(editor.documents.get(uriOf(join(root, "price.ts")))?.text).toBe(unsaved.replace(from, to));
  });
});
