/** The MCP server as an independent client sees it, against an editor with unsaved text. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../server/text/limits.js";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { type Desk, type DeskOptions, layDesk } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { type Agent, type Era, startAgent } from "../support/mcpAgent.js";
import { startStub } from "../support/sessionStub.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

async function layTable(options: DeskOptions = {}, era: Era = "2025"): Promise<Desk & { agent: Agent }> {
  const home = ownStateHome();
  const desk = await layDesk(program, { clientInfo: { name: "Tester" }, ...options });
  await announced(home);
  return { ...desk, agent: await startAgent(program, desk.root, { era }) };
}

const unsaved: DeskOptions = { files: { "a.txt": "one\n" }, open: { "a.txt": "mine\none\n" } };
const edit = (path: string, oldText: string, newText: string): object => ({ edits: [{ path, oldText, newText }] });

describe("the tools", () => {
  it.each(["2025", "2026"] as const)("are announced to clients of %s, as every model takes them", async (era) => {
    ownStateHome();
    const { client } = await startAgent(program, makeDirectory({}), { era });
    expect(client.getServerVersion()).toMatchObject({ name: "multi-edit" });
    expect(client.getInstructions()?.length).toBeLessThan(2_000);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(["multi_edit", "apply_patch", "preview_edits", "read_document", "editor_status"]);
    for (const { name, description = "", inputSchema, annotations } of tools) {
      expect(description.length, name).toBeGreaterThan(50);
      expect(Buffer.byteLength(description), name).toBeLessThan(2_000);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      const isReadOnly = !["multi_edit", "apply_patch"].includes(name);
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
  });
});

/** A schema and all schemas in it. */
function schemasIn(schema: object): Record<string, unknown>[] {
  const { properties = {}, items } = schema as { properties?: Record<string, object>; items?: object };
  const inner = [...Object.values(properties), ...(items === undefined ? [] : [items])];
  return [schema as Record<string, unknown>, ...inner.flatMap(schemasIn)];
}

describe.each(["2025", "2026"] as const)("for a client of %s", (era) => {
  it("multi_edit changes the text in the editor, and keeps what is not saved", async () => {
    const { agent, texts, disk } = await layTable(unsaved, era);
    const { texts: said, structured, isError } = await agent.call("multi_edit", edit("a.txt", "one", "two"));
    expect([isError, said[0]]).toEqual([false, expect.stringContaining("a.txt (1 edit)\nM a.txt")]);
    expect(said[0]).not.toContain("no edit");
    expect(structured).toMatchObject({
      outcome: "applied",
      diff: expect.stringContaining("-one\n+two\n"),
      files: [{ path: "a.txt", kind: "update", added: 1, removed: 1, onDisk: "differs" }],
    });
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
    expect(disk()["a.txt"]).toBe("one\n");
  });

  it("apply_patch does, too, and preview_edits does not", async () => {
    const { agent, texts } = await layTable(unsaved, era);
    const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch";
    const preview = await agent.call("preview_edits", { patch });
    expect(preview.structured).toMatchObject({ outcome: "proposed", warnings: [] });
    expect(preview.texts).toEqual(["a.txt (1 edit)\nM a.txt\nNothing was changed."]);
    expect((await agent.call("preview_edits", edit("a.txt", "one", "six"))).structured).toMatchObject({
      diff: expect.stringContaining("+six"),
    });
    expect(texts()["a.txt"]).toBe("mine\none\n");
    expect((await agent.call("apply_patch", { patch })).structured).toMatchObject({ outcome: "applied" });
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
  });

  it("read_document gives the editor's text, and nothing around it", async () => {
    const { agent } = await layTable(unsaved, era);
    const whole = await agent.call("read_document", { path: "a.txt" });
    expect(whole).toEqual({
      texts: ["mine\none\n", "Lines 1 to 2 of 2, as they are in the editor and not on disk."],
      structured: undefined,
      isError: false,
    });
    expect((await agent.call("read_document", { path: "./a.txt", startLine: 2, endLine: 2 })).texts[0]).toBe("one\n");
    expect((await agent.call("read_document", { path: "a.txt", startLine: 7 })).texts[1]).toMatch(
      /^No lines: there are 2/,
    );
  });

  it("a call that fails says what to send instead, and is an error", async () => {
    const text = "// unsaved\nconst price = one;\n";
    const { agent, texts } = await layTable({ open: { "a.txt": text } }, era);
    const { texts: said, isError } = await agent.call("multi_edit", edit("a.txt", "const price = onee;", "two"));
    expect([isError, said]).toEqual([true, [expect.stringContaining("Nearest: line 2")]]);
    expect(texts()["a.txt"]).toBe(text);
  });
});

describe("what models send in another way", () => {
  it("is understood as at every door", async () => {
    const { agent, texts } = await layTable(unsaved);
    const edits = JSON.stringify([{ old_string: "one", new_string: "two" }]);
    expect((await agent.call("multi_edit", { file_path: "a.txt", edits })).isError).toBe(false);
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
  });

  it.each([
    ["options", { ...edit("a.txt", "one", "two"), options: { atomic: "none" } }],
    ["a misspelt key", { edits: [{ path: "a.txt", oldText: "one", newText: "two", replaceALL: true }] }],
    ["nothing at all", {}],
    ["a path that is none", { edits: 7 }],
  ])("is refused with a reason where it is %s", async (_, args) => {
    const { agent, texts } = await layTable(unsaved);
    const { texts: said, isError } = await agent.call("multi_edit", args);
    expect([isError, said[0]?.length]).toEqual([true, expect.any(Number)]);
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });

  it.each([{}, { command: ["apply_patch", "*** Begin Patch\n*** End Patch"] }])(
    "is told of patches where it is to be one: %j",
    async (args) => {
      const { agent } = await layTable(unsaved);
      const { texts: said, isError } = await agent.call("apply_patch", args);
      expect([isError, said[0]]).toEqual([true, expect.stringContaining("*** Begin Patch")]);
    },
  );

  it("also of lines to read", async () => {
    const { agent } = await layTable(unsaved);
    expect(await agent.call("read_document", { path: "a.txt", startLine: "2" })).toMatchObject({ isError: true });
    expect(await agent.call("read_document", {})).toMatchObject({ isError: true });
  });
});

describe("a large answer", () => {
  it("is bounded: the diff, the text, the files", async () => {
    const line = `${"x".repeat(99)}\n`;
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}.txt`, `one ${i}\n`]));
    const { agent } = await layTable({ files: { "a.txt": line.repeat(3_000), ...files } });
    const read = await agent.call("read_document", { path: "a.txt" });
    expect(read.texts[0]?.length).toBeLessThanOrEqual(limits.toolText);
    expect(read.texts[0]?.endsWith(line)).toBe(true);
    expect(read.texts[1]).toBe(`Lines 1 to ${limits.toolText / 100} of 3000.`);
    const edits = Object.keys(files).map((path) => ({ path, oldText: "one", newText: "two" }));
    const many = await agent.call("preview_edits", { edits });
    expect(many.structured?.files).toHaveLength(limits.toolFiles);
    expect(String(many.structured?.diff).length).toBeLessThanOrEqual(limits.summaryDiff);
    expect(many.texts[0]).toContain("and 100 more files");
  });
});

describe("the workspace", () => {
  it("is what the agent says, or where it was started", async () => {
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
    expect(status.texts[0]).toContain("a.txt, not as on disk");
    expect(status.texts[0]).toContain(`Calls for files in ${root} go to`);
    expect((await none.call("editor_status", {})).texts[0]).toContain(`No editor has ${elsewhere}`);
  });

  it("may be gone, come, and go again while the agent stays", async () => {
    const home = ownStateHome();
    const folder = makeDirectory({ "a.txt": "one\n" });
    const agent = await startAgent(program, folder, { args: ["--mode=editor"] });
    expect(await agent.call("read_document", { path: "a.txt" })).toMatchObject({ isError: true });
    const id = await startStub(home, { folders: [folder], isSilent: true });
    const silent = await agent.call("read_document", { path: "a.txt" });
    expect([silent.isError, silent.texts[0]]).toEqual([true, expect.stringContaining(id)]);
  });
});

describe("a user who is asked", () => {
  it("and does not answer in time keeps nobody waiting, and nothing is changed", async () => {
    const home = ownStateHome();
    const desk = await layDesk(program, { ...unsaved, settings: { confirm: "always" } });
    await announced(home);
    desk.editor.beforeAnswers(() => new Promise(() => undefined));
    const agent = await startAgent(program, desk.root, { args: ["--timeout=0.5"] });
    const { texts: said, isError } = await agent.call("multi_edit", edit("a.txt", "one", "two"));
    expect([isError, said[0]]).toEqual([true, expect.stringContaining("Nothing was changed")]);
    expect(desk.texts()["a.txt"]).toBe("mine\none\n");
    // Agents wait for a minute, so that the answer has to be there before.
    expect(limits.toolMs + limits.stopMs).toBeLessThan(60_000);
  });

  it("and whose agent does not want it any more is not waited for either", async () => {
    const { agent, editor, texts } = await layTable({ ...unsaved, settings: { confirm: "always" } });
    let answer = (): void => undefined;
    const aborting = new AbortController();
    editor.beforeAnswers(() => {
      aborting.abort();
      return new Promise<void>((resolve) => (answer = resolve));
    });
    editor.answerQuestionsWith("Apply");
    await expect(agent.call("multi_edit", edit("a.txt", "one", "two"), aborting.signal)).rejects.toThrow();
    expect((await agent.call("read_document", { path: "a.txt" })).texts[0]).toBe("mine\none\n");
    answer();
    await expect.poll(() => editor.owesAnswers()).toBe(false);
    expect(texts()["a.txt"]).toBe("mine\none\n");
  });
});
