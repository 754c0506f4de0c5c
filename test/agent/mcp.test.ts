import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../server/text/limits.js";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { hurry } from "../support/commands.js";
import { layDesk } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { type Agent, startAgent } from "../support/mcpAgent.js";
import { edit, layTable, unsaved } from "../support/mcpTable.js";
import { startStub } from "../support/sessionStub.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

describe("the tools", () => {
  it.each(["2025", "2026"] as const)(
    "are announced to clients of %s in a form that every model accepts",
    async (era) => {
      ownStateHome();
      const { client } = await startAgent(program, makeDirectory({}), { era, isAlone: true });
      expect(client.getServerVersion()).toMatchObject({ name: "multi-edit" });
      const instructions = client.getInstructions() ?? "";
      expect(instructions.length).toBeLessThanOrEqual(512);
      // One agent shows its model only the first line.
      expect(instructions.split("\n")[0]).toContain('multi_edit {"edits":[{"path","oldText","newText"}]}');
      expect(instructions).toContain("read_document");
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toEqual([
        ...["multi_edit", "apply_patch", "preview_edits", "read_document"],
        ...["undo_last_edit", "editor_status"],
      ]);
      for (const { name, description = "", inputSchema, annotations } of tools) {
        expect(description.length, name).toBeGreaterThan(20);
        expect(Buffer.byteLength(description), name).toBeLessThan(2_000);
        expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
        const isReadOnly = !["multi_edit", "apply_patch", "undo_last_edit"].includes(name);
        expect(annotations).toEqual({
          title: expect.any(String),
          readOnlyHint: isReadOnly,
          destructiveHint: !isReadOnly,
          idempotentHint: isReadOnly,
          openWorldHint: false,
        });
        for (const schema of schemasIn(inputSchema)) {
          for (const key of ["oneOf", "anyOf", "allOf", "$ref", "$defs"]) expect(schema, name).not.toHaveProperty(key);
          if ("type" in schema) expect(typeof schema.type, name).toBe("string");
          if (schema.type === "object") expect(schema.additionalProperties, name).toBe(false);
        }
      }
    },
  );
});

describe("the metadata for Claude Code alone", () => {
  it("shows the model the editing tools from the first request on, and lets a whole text through", async () => {
    const line = `${"x".repeat(99)}\n`;
    const { agent } = await layTable(program, {
      files: { "a.txt": line.repeat(3_000) },
      open: { "a.txt": line.repeat(2_000) },
    });
    const { tools } = await agent.client.listTools();
    const metas = Object.fromEntries(tools.map(({ name, _meta }) => [name, _meta ?? {}]));
    const loaded = Object.keys(metas).filter((name) => metas[name]?.["anthropic/alwaysLoad"] === true);
    expect(loaded).toEqual(["multi_edit", "read_document"]);
    const { texts } = await agent.call("read_document", { path: "a.txt" });
    expect(texts.join("").length).toBeGreaterThan(limits.toolText);
    expect(metas.read_document?.["anthropic/maxResultSizeChars"]).toBeGreaterThan(texts.join("").length + 200);
  });
});

/** A schema and all schemas nested in it. */
function schemasIn(schema: object): Record<string, unknown>[] {
  const { properties = {}, items } = schema as { properties?: Record<string, object>; items?: object };
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items])];
  return [schema as Record<string, unknown>, ...inner.flatMap(schemasIn)];
}

describe.each(["2025", "2026"] as const)("for a client of %s", (era) => {
  it("multi_edit changes the text in the editor, and keeps unsaved text", async () => {
    const { agent, texts, disk } = await layTable(program, unsaved, { era });
    expect(await agent.call("multi_edit", edit("a.txt", "one", "two"))).toEqual({
      texts: ["M a.txt, not saved"],
      structured: undefined,
      isError: false,
    });
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
    expect(disk()["a.txt"]).toBe("one\n");
  });

  it("apply_patch changes the text, too, but preview_edits does not", async () => {
    const { agent, texts } = await layTable(program, unsaved, { era });
    const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch";
    const preview = await agent.call("preview_edits", { patch });
    const diff = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n mine\n-one\n+two\n";
    expect(preview.structured).toBeUndefined();
    expect(preview.texts).toEqual([`M a.txt\nNothing was changed.\n\n${diff}`]);
    expect((await agent.call("preview_edits", edit("a.txt", "one", "six"))).texts[0]).toContain("\n-one\n+six\n");
    expect(texts()["a.txt"]).toBe("mine\none\n");
    expect(await agent.call("apply_patch", { patch })).toMatchObject({ structured: undefined, isError: false });
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
  });

  it("read_document returns the editor's text and nothing else", async () => {
    const { agent } = await layTable(program, unsaved, { era });
    const whole = await agent.call("read_document", { path: "a.txt" });
    expect(whole).toEqual({
      texts: ["Lines 1 to 2 of 2, from the editor, including unsaved changes.\n", "mine\none\n"],
      structured: undefined,
      isError: false,
    });
    expect((await agent.call("read_document", { path: "./a.txt", startLine: 2, endLine: 2 })).texts[1]).toBe("one\n");
    expect((await agent.call("read_document", { path: "a.txt", startLine: 7 })).texts[0]).toMatch(
      /^No lines in this range: the file has 2 lines/,
    );
  });

  it("read_document takes the fields of agents' own tools that read files", async () => {
    const { agent } = await layTable(program, { open: { "a.txt": "1\n2\n3\n4\n" } }, { era });
    const read = async (fields: object): Promise<string> => {
      const { texts, isError } = await agent.call("read_document", fields);
      return (isError ? texts[0] : texts[1]) ?? "";
    };
    expect(await read({ file_path: "a.txt", offset: 2, limit: 2 })).toBe("2\n3\n");
    expect(await read({ file_path: "a.txt", offset: 0, limit: 1 })).toBe("1\n");
    expect(await read({ filePath: "a.txt", limit: 3 })).toBe("1\n2\n3\n");
    expect(await read({ path: "a.txt", start_line: 3, end_line: 3 })).toBe("3\n");
    // Nothing says which of two is meant.
    expect(await read({ path: "a.txt", offset: 2, startLine: 3 })).toContain('"offset"');
    expect(await read({ path: "a.txt", limit: 2, endLine: 3 })).toContain('"limit"');
  });

  it("a failed call is an error that says what to send instead", async () => {
    const text = "// unsaved\nconst price = one;\n";
    const { agent, texts } = await layTable(program, { open: { "a.txt": text } }, { era });
    const { texts: said, isError } = await agent.call("multi_edit", edit("a.txt", "const price = onee;", "two"));
    expect([isError, said]).toEqual([true, [expect.stringContaining("Nearest match: line 2")]]);
    expect(texts()["a.txt"]).toBe(text);
  });
});

describe("the structured part", () => {
  it("is included with --structured, next to the same text", async () => {
    const files = { "a.txt": "one\n", "b.txt": "one\n" };
    const { agent } = await layTable(program, { ...unsaved, files }, { args: ["--structured"] });
    const edits = ["a.txt", "b.txt"].map((path) => ({ path, oldText: "one", newText: "two" }));
    const { texts, structured } = await agent.call("multi_edit", { edits });
    expect(texts).toEqual(["M a.txt, not saved\nM b.txt, on disk (no editor has it open)"]);
    expect(texts[0]).toContain(structured?.text);
    expect(structured).toMatchObject({
      outcome: "applied",
      label: "2 files (2 edits)",
      diff: expect.stringContaining("-one\n+two\n"),
      files: [{ path: "a.txt", kind: "update", added: 1, removed: 1, onDisk: "differs" }, { path: "b.txt" }],
      warnings: [],
    });
    const preview = await agent.call("preview_edits", edit("a.txt", "two", "six"));
    expect(preview.texts[0]).toContain("-two\n+six\n");
    expect(preview.structured).toMatchObject({ outcome: "proposed", diff: expect.stringContaining("+six") });
  });
});

describe("a file that no editor has open", () => {
  const files = { "a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n" };
  const both = (...paths: readonly string[]): object => ({
    edits: paths.map((path) => ({ path, oldText: "one", newText: "two" })),
  });

  it("is named if the call also changes files that an editor has open, but not in a preview or a failure", async () => {
    const { agent, disk } = await layTable(program, { files, open: { "a.txt": "mine\none\n" } });
    const preview = await agent.call("preview_edits", both("a.txt", "b.txt"));
    expect(preview.texts[0]).toMatch(/^M a.txt\nM b.txt\nNothing was changed\.\n/);
    expect(preview.texts[0]).not.toMatch(/on disk/i);
    const failing = await agent.call("multi_edit", { edits: [{ path: "b.txt", oldText: "none", newText: "two" }] });
    expect([failing.isError, failing.texts[0]]).toEqual([true, expect.not.stringMatching(/on disk/i)]);
    const { texts } = await agent.call("multi_edit", both("a.txt", "b.txt"));
    expect(texts).toEqual(["M a.txt, not saved\nM b.txt, on disk (no editor has it open)"]);
    expect(disk()).toMatchObject({ "a.txt": "one\n", "b.txt": "two\n" });
  });

  it("is named even if it is the only kind that changes, with or without an editor, but not if nothing changes", async () => {
    const { agent } = await layTable(program, { files, open: { "a.txt": "mine\none\n" } });
    expect((await agent.call("multi_edit", both("b.txt"))).texts).toEqual(["M b.txt, on disk (no editor has it open)"]);
    ownStateHome();
    const alone = await startAgent(program, makeDirectory(files));
    expect((await alone.call("multi_edit", both("b.txt", "c.txt"))).texts).toEqual([
      "M b.txt, on disk (no editor has it open)\nM c.txt, on disk (no editor has it open)",
    ]);
    const there = { path: "a.txt", oldText: "one", newText: "two" };
    const back = { path: "a.txt", oldText: "two", newText: "one" };
    const { texts, isError } = await alone.call("multi_edit", { edits: [there, back] });
    expect([isError, texts[0]]).toEqual([false, "Nothing was changed."]);
  });

  it("is also reported by a read, which omits the reason if not every editor was asked", async () => {
    const { agent, root } = await layTable(program, { files, open: { "a.txt": "one\n" } });
    const read = async (path: string, by: Agent = agent) => (await by.call("read_document", { path })).texts[0];
    expect(await read("a.txt")).toBe("Lines 1 to 1 of 1.\n");
    expect(await read("b.txt")).toBe("Lines 1 to 1 of 1, from disk: no editor has the file open.\n");
    const disk = await startAgent(program, root, { args: ["--mode=disk"], isAlone: true });
    expect(await read("a.txt", disk)).toBe("Lines 1 to 1 of 1, from disk.\n");
  });
});

describe("a call in another form", () => {
  it("is understood here as at every other door", async () => {
    const { agent, texts } = await layTable(program, unsaved);
    const edits = JSON.stringify([{ old_string: "one", new_string: "two" }]);
    expect((await agent.call("multi_edit", { file_path: "a.txt", edits })).isError).toBe(false);
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
  });

  it.each([
    ["options", { ...edit("a.txt", "one", "two"), options: { atomic: "none" } }],
    ["a misspelt key", { edits: [{ path: "a.txt", oldText: "one", newText: "two", replaceALL: true }] }],
    ["nothing at all", {}],
    ["a list that is a number", { edits: 7 }],
  ])("is refused with a reason if it has %s", async (_, args) => {
    const { agent, texts } = await layTable(program, unsaved);
    const { texts: said, isError } = await agent.call("multi_edit", args);
    expect([isError, said[0]?.length]).toEqual([true, expect.any(Number)]);
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });

  it.each([
    ["multi_edit", { ...edit("a.txt", "one", "two"), preview: true }],
    ["multi_edit", { edits: [{ path: "a.txt", oldText: "one", newText: "two", dry_run: true }] }],
    ["multi_edit", { ...edit("a.txt", "one", "two"), options: { simulate: true } }],
    ["apply_patch", { patch: "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch", dryRun: "yes" }],
    ["preview_edits", { ...edit("a.txt", "one", "two"), preview: true }],
  ])("is refused by %s if it asks for a dry run: %j", async (tool, args) => {
    const { agent, texts, disk } = await layTable(program, unsaved);
    const { texts: said, isError } = await agent.call(tool, args);
    expect([isError, said[0]]).toEqual([true, expect.stringContaining("the tool preview_edits shows what")]);
    expect([texts()["a.txt"], disk()["a.txt"]]).toEqual(["mine\none\n", "one\n"]);
  });

  it("is an error if it is a patch that changes nothing", async () => {
    const { agent, texts } = await layTable(program, unsaved);
    const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n mine\n two\n*** End Patch";
    const { texts: said, isError } = await agent.call("apply_patch", { patch });
    expect([isError, said[0]]).toEqual([
      true,
      expect.stringMatching(/^Edit 0 .* has no line that begins with - or \+/),
    ]);
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });

  it.each([{}, { command: ["apply_patch", "*** Begin Patch\n*** End Patch"] }])(
    "is refused with an explanation of patches if it should be a patch: %j",
    async (args) => {
      const { agent } = await layTable(program, unsaved);
      const { texts: said, isError } = await agent.call("apply_patch", args);
      expect([isError, said[0]]).toEqual([true, expect.stringContaining("*** Begin Patch")]);
    },
  );

  it("is refused as well if it does not say correctly what to read", async () => {
    const { agent } = await layTable(program, unsaved);
    expect(await agent.call("read_document", { path: "a.txt", startLine: "2" })).toMatchObject({ isError: true });
    expect(await agent.call("read_document", {})).toMatchObject({ isError: true });
  });
});

describe("the workspace", () => {
  it.each(["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT", "COPILOT_PLUGIN_ROOT"])(
    "is unknown if the agent starts the server in its plugin's folder, named in %s: only absolute paths are taken",
    async (variable) => {
      const home = ownStateHome();
      const { root, texts } = await layDesk(program, { clientInfo: { name: "Tester" }, ...unsaved });
      await announced(home);
      const plugin = makeDirectory({ "a.txt": "one\n" });
      const agent = await startAgent(program, plugin, { env: { [variable]: plugin } });
      const relative: readonly (readonly [string, object])[] = [
        ["multi_edit", { edits: [{ path: "new.txt", oldText: "", newText: "x\n" }] }],
        ["multi_edit", edit("../a.txt", "one", "two")],
        ["apply_patch", { patch: "*** Begin Patch\n*** Add File: src/new.txt\n+x\n*** End Patch" }],
        ["preview_edits", edit("a.txt", "one", "two")],
        ["read_document", { path: "a.txt" }],
      ];
      for (const [tool, args] of relative) {
        const { texts: said, isError } = await agent.call(tool, args);
        expect([isError, said.join("")], tool).toEqual([
          true,
          expect.stringMatching(/^The path ".+\.txt" is relative, .* Send the call again with absolute paths\.$/),
        ]);
      }
      expect((await agent.call("multi_edit", edit(join(root, "a.txt"), "one", "two"))).isError).toBe(false);
      expect(texts()["a.txt"]).toBe("mine\ntwo\n");
      // Nothing says that a file outside the editors' folders belongs to the project.
      expect(await agent.call("multi_edit", edit(join(plugin, "a.txt"), "one", "two"))).toMatchObject({
        isError: true,
        texts: [expect.stringMatching(/^No editor has these files open .* For other files, use your own tools\.$/s)],
      });
      expect(
        Object.fromEntries(readdirSync(plugin).map((name) => [name, readFileSync(join(plugin, name), "utf8")])),
      ).toEqual({ "a.txt": "one\n" });
      const known = await startAgent(program, plugin, { env: { [variable]: plugin, CLAUDE_PROJECT_DIR: root } });
      expect((await known.call("multi_edit", edit("a.txt", "two", "six"))).isError).toBe(false);
      // Somebody works on the plugin itself.
      const developed = await startAgent(program, plugin, { env: { [variable]: plugin, CLAUDE_PROJECT_DIR: plugin } });
      expect((await developed.call("multi_edit", edit("a.txt", "one", "two"))).isError).toBe(false);
    },
  );

  it("is the folder that the agent names, or the one in which it was started", async () => {
    const home = ownStateHome();
    const { root, texts } = await layDesk(program, { clientInfo: { name: "Tester" }, ...unsaved });
    await announced(home);
    const elsewhere = makeDirectory({});
    const [told, claude, none] = [
      await startAgent(program, elsewhere, { args: ["--workspace", root] }),
      await startAgent(program, elsewhere, { env: { CLAUDE_PROJECT_DIR: root } }),
      await startAgent(program, elsewhere),
    ];
    expect((await told.call("multi_edit", edit("a.txt", "one", "two"))).isError).toBe(false);
    expect((await claude.call("multi_edit", edit("a.txt", "two", "six"))).isError).toBe(false);
    expect(texts()["a.txt"]).toBe("mine\nsix\n");
    const status = await claude.call("editor_status", {});
    expect(status.texts[0]).toContain("Tester");
    expect(status.texts[0]).toContain("a.txt, differs from disk");
    expect(status.texts[0]).toContain(`Calls that edit files in ${root} go to`);
    expect((await none.call("editor_status", {})).texts[0]).toContain(
      `No editor has ${elsewhere} in a workspace folder`,
    );
  });

  it.each([
    [
      "auto",
      (folder: string) =>
        `No editor has ${folder} in a workspace folder, so calls that edit files there write to disk.`,
    ],
    [
      "editor",
      (folder: string) => `No editor has ${folder} in a workspace folder, and calls may go only to an editor, so`,
    ],
    ["disk", () => "All calls go to disk, not to an editor."],
  ])("without an editor is described as --mode=%s requires, and no option is named", async (mode, says) => {
    ownStateHome();
    const folder = makeDirectory({});
    const agent = await startAgent(program, folder, { args: [`--mode=${mode}`] });
    const [text] = (await agent.call("editor_status", {})).texts;
    expect(text).toContain(says(folder));
    expect(text).not.toContain("--");
  });

  it("may disappear and appear again while the agent runs", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    hurry();
    const agent = await startAgent(program, folder, { args: ["--mode=editor"] });
    expect(await agent.call("read_document", { path: "a.txt" })).toMatchObject({ isError: true });
    const id = await startStub(home, { folders: [folder], isSilent: true });
    const silent = await agent.call("read_document", { path: "a.txt" });
    expect([silent.isError, silent.texts[0]]).toEqual([true, expect.stringContaining(id)]);
  });
});

describe("a user who is asked", () => {
  it("and does not answer in time does not keep the agent waiting, and nothing is changed", async () => {
    const home = ownStateHome();
    const desk = await layDesk(program, { ...unsaved, settings: { confirm: "always" } });
    await announced(home);
    desk.editor.beforeAnswers(() => new Promise(() => undefined));
    const agent = await startAgent(program, desk.root, { args: ["--timeout=0.5"] });
    const { texts: said, isError } = await agent.call("multi_edit", edit("a.txt", "one", "two"));
    expect([isError, said[0]]).toEqual([
      false,
      expect.stringMatching(/^Not applied: waiting for the user \(ticket q1\)/),
    ]);
    expect(desk.texts()["a.txt"]).toBe("mine\none\n");
    // Agents give up after one minute, so the answer must arrive sooner.
    expect(limits.toolMs + limits.stopMs).toBeLessThan(60_000);
  });

  it("and whose agent cancels the call is not waited for, either", async () => {
    const { agent, editor, texts } = await layTable(program, { ...unsaved, settings: { confirm: "always" } });
    let answer = (): void => undefined;
    const aborting = new AbortController();
    editor.beforeAnswers(() => {
      aborting.abort();
      return new Promise<void>((resolve) => (answer = resolve));
    });
    editor.answerQuestionsWith("Apply");
    await expect(agent.call("multi_edit", edit("a.txt", "one", "two"), aborting.signal)).rejects.toThrow();
    expect((await agent.call("read_document", { path: "a.txt" })).texts[1]).toBe("mine\none\n");
    answer();
    await expect.poll(() => editor.owesAnswers()).toBe(false);
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });
});
