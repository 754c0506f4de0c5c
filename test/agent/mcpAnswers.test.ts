/** The answers of the MCP server's tools: short, true, and as long as the agent can pass on. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../server/text/limits.js";
import { buildProgram, type Program } from "../support/build.js";
import { runCommand } from "../support/commands.js";
import { layDesk } from "../support/desk.js";
import { startAgent } from "../support/mcpAgent.js";
import { edit, layTable, unsaved } from "../support/mcpTable.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

/** A call whose edits revert `edits`. */
const reverted = (edits: readonly { path: string; oldText: string; newText: string }[]): object => ({
  edits: edits.map(({ path, oldText, newText }) => ({ path, oldText: newText, newText: oldText })),
});

describe("a large answer", () => {
  it("is limited in its diff, its text and its list of files", async () => {
    const line = `${"x".repeat(99)}\n`;
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}.txt`, `one ${i}\n`]));
    const { agent, root } = await layTable(program, { files: { "a.txt": line.repeat(3_000), ...files } });
    const read = await agent.call("read_document", { path: "a.txt" });
    expect(read.texts[1]?.length).toBeLessThanOrEqual(limits.toolText);
    expect(read.texts[1]?.endsWith(line)).toBe(true);
    expect(read.texts[0]).toBe(
      "Lines 1 to 200 of 3000, from disk: no editor has the file open. The rest is too long for one answer: continue with startLine 201.\n",
    );
    const edits = Object.keys(files).map((path) => ({ path, oldText: "one", newText: "two" }));
    const many = await agent.call("preview_edits", { edits });
    const [head = "", diff = ""] = many.texts[0]?.split(/\n\n(?=diff --git )/) ?? [];
    expect(head.match(/^M /gm)).toHaveLength(limits.toolFiles);
    expect(head).toContain("and 100 more files\nNothing was changed.");
    expect(head).toContain("characters of the diff are left out");
    expect(diff.length).toBeLessThanOrEqual(limits.summaryDiff);
    expect(diff.length).toBeGreaterThan(limits.summaryDiff / 2);
    const done = await agent.call("multi_edit", { edits });
    expect(done.texts[0]).toContain("M f0.txt, on disk (no editor has it open)\n");
    expect(done.texts[0]).not.toContain("diff");
    const cut = await startAgent(program, root, { args: ["--structured"] });
    expect((await cut.call("preview_edits", reverted(edits))).structured?.files).toHaveLength(limits.toolFiles);
  });
});

describe("an answer", () => {
  it("says which edits were not done as they were sent, and where", async () => {
    const text = "if (x) {\n\tone();\n\ttwo();\n}\nlast  \n";
    const { agent, texts } = await layTable(program, { open: { "a.txt": text } });
    const edits = [
      { oldText: "one();\ntwo();", newText: "one();\nsix();" },
      { oldText: "last\n", newText: "end\n" },
      { oldText: "if (x)", newText: "if (y)" },
      { oldText: "if (x)", newText: "if (y)" },
    ];
    const answer = await agent.call("multi_edit", { edits: edits.map((one) => ({ path: "a.txt", ...one })) });
    expect(answer.texts).toEqual([
      [
        "M a.txt, not saved",
        "edit 0, line 2: new text indented like the file",
        "edit 1, line 5: trailing spaces differ",
        "edit 3: nothing to change, skipped",
      ].join("\n"),
    ]);
    expect(texts()["a.txt"]).toBe("if (y) {\n\tone();\n\tsix();\n}\nend\n");
  });

  it("counts the places of an edit that replaces several", async () => {
    const { agent } = await layTable(program, { open: { "a.txt": "one\n".repeat(400) } });
    const call = { edits: [{ path: "a.txt", oldText: "one", newText: "two", replaceAll: true }] };
    expect((await agent.call("multi_edit", call)).texts).toEqual(["M a.txt, 400 places, not saved"]);
  });

  it("to a read says that another program has changed the file on disk", async () => {
    const { agent, root, editor, uri } = await layTable(program, unsaved);
    const note = async (): Promise<string | undefined> =>
      (await agent.call("read_document", { path: "a.txt", endLine: 1 })).texts[0];
    expect(await note()).toBe("Lines 1 to 1 of 2, from the editor, including unsaved changes.\n");
    writeFileSync(join(root, "a.txt"), "theirs\n");
    expect(await note()).toBe(
      "Lines 1 to 1 of 2, from the editor, including unsaved changes; the file on disk has changed since.\n",
    );
    await editor.connection.sendNotification("textDocument/didSave", { textDocument: { uri: uri("a.txt") } });
    expect(await note()).toBe("Lines 1 to 1 of 2, from the editor, including unsaved changes.\n");
  });

  it("to a read has as much of a text as the agent is known to pass on", async () => {
    const { root } = await layTable(program, { files: { "a.txt": "one line\n".repeat(10_000) } });
    const known = await startAgent(program, root, { clientName: "opencode" });
    const [note = ""] = (await known.call("read_document", { path: "a.txt" })).texts;
    expect(note).toContain("Lines 1 to 5000 of 10000");
  });
});

describe("a line that is too long for one answer", () => {
  it("is cut, and the note says so and where to go on", async () => {
    const long = `${"x".repeat(limits.toolText - 1)}😀\n`;
    const { agent } = await layTable(program, { files: { "a.txt": `${long}last\n`, "b.txt": long } });
    const shown = `only ${limits.toolText - 1} of its ${limits.toolText + 2} characters are shown.`;
    const first = await agent.call("read_document", { path: "a.txt" });
    expect(first.texts).toEqual([
      `Lines 1 to 1 of 2, from disk: no editor has the file open. Line 1 is too long for one answer: ${shown} The rest is too long for one answer: continue with startLine 2.\n`,
      "x".repeat(limits.toolText - 1),
    ]);
    const only = await agent.call("read_document", { path: "b.txt" });
    expect(only.texts[0]).toBe(
      `Lines 1 to 1 of 1, from disk: no editor has the file open. Line 1 is too long for one answer: ${shown}\n`,
    );
    const rest = await agent.call("read_document", { path: "a.txt", startLine: 2 });
    expect(rest.texts[1]).toBe("last\n");
  });
});

describe("undo_last_edit", () => {
  it("says that the user has already undone the edit, and then undoes the one before it", async () => {
    const { agent, root } = await layTable(program, { open: {}, files: { "a.txt": "one\nold\n" } });
    await agent.call("multi_edit", edit("a.txt", "one", "two"));
    await agent.call("multi_edit", edit("a.txt", "old", "new"));
    const undone = await runCommand(program, ["undo"], { cwd: root });
    expect(undone).toMatchObject({ code: 0 });
    const answer = await agent.call("undo_last_edit", {});
    expect(answer.isError).toBe(true);
    expect(answer.texts[0]).toMatch(
      /^The transaction "[\w-]+" \("a\.txt \(1 edit\)"\) has already been undone; an undo can't be undone\. Nothing was changed\. The next undo_last_edit undoes your edit before it\.$/,
    );
    expect((await agent.call("undo_last_edit", {})).isError).toBe(false);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\nold\n");
  });

  it("undoes the agent's own edits, the latest first, and leaves what others did", async () => {
    const { agent, root, texts } = await layTable(program, { open: { "a.txt": "one\nold\n" } });
    const other = await startAgent(program, root);
    await agent.call("multi_edit", edit("a.txt", "one", "two"));
    await agent.call("multi_edit", edit("a.txt", "two", "three"));
    await other.call("multi_edit", edit("a.txt", "old", "new"));
    expect((await agent.call("undo_last_edit", {})).isError).toBe(false);
    expect(texts()["a.txt"]).toBe("two\nnew\n");
    expect(await agent.call("undo_last_edit", {})).toMatchObject({ texts: ["Undone:\nM a.txt, line 1, not saved"] });
    expect(texts()["a.txt"]).toBe("one\nnew\n");
    expect(await agent.call("undo_last_edit", {})).toMatchObject({
      isError: true,
      texts: [expect.stringContaining("There is no edit of yours that can be undone")],
    });
    expect(texts()["a.txt"]).toBe("one\nnew\n");
  });
});

describe("undo_last_edit, of an edit in an editor that has been restarted", () => {
  it("says so with the names of the files, and then undoes the edit before it", async () => {
    const { agent, editor, disk } = await layTable(program, {
      folderNames: ["sub"],
      files: { "sub/a.txt": "one\n", "b.txt": "old\n" },
      open: { "sub/a.txt": "one\n" },
    });
    await agent.call("multi_edit", edit("b.txt", "old", "new"));
    await agent.call("multi_edit", edit("sub/a.txt", "one", "two"));
    expect(await editor.stop()).toBe(0);
    await layDesk(program, { open: { "c.txt": "c\n" } });
    expect(await agent.call("undo_last_edit", {})).toMatchObject({
      isError: true,
      texts: [
        "Your last edit (sub/a.txt) was made through an editor that has been closed or restarted since, so undo_last_edit can't undo it. Nothing was changed. The next undo_last_edit undoes your edit before it. To undo this one, read the files and change the text back.",
      ],
    });
    expect(await agent.call("undo_last_edit", {})).toMatchObject({ isError: false });
    expect(disk()["b.txt"]).toBe("old\n");
  });

  it("says so of an edit that the editor's server made on disk, as well", async () => {
    const { agent, editor } = await layTable(program, { files: { "a.txt": "one\n" }, open: {}, unopened: "written" });
    expect((await agent.call("multi_edit", edit("a.txt", "one", "two"))).texts[0]).toContain(", on disk");
    expect(await editor.stop()).toBe(0);
    expect((await agent.call("undo_last_edit", {})).texts[0]).toMatch(
      /^Your last edit \(a\.txt\) was made through an editor that has been closed /,
    );
  });
});

describe("undo_last_edit, in a conversation that is resumed over another connection", () => {
  const turn = (thread: string): object => ({ "x-codex-turn-metadata": { thread_id: thread, turn_id: "1" } });

  it("undoes the conversation's edits, in the editor and on disk, and not those of another", async () => {
    const { agent, root, texts } = await layTable(program, {
      files: { "a.txt": "one\n", "b.txt": "old\n" },
      open: { "a.txt": "one\n" },
    });
    await agent.call("multi_edit", edit("b.txt", "old", "new"), { meta: turn("first") });
    await agent.call("multi_edit", edit("a.txt", "one", "1\n2\n3"), { meta: turn("first") });
    await agent.call("multi_edit", edit("a.txt", "3", "three"), { meta: turn("second") });
    await agent.client.close();
    const resumed = await startAgent(program, root);
    const undo = async (thread: string) => resumed.call("undo_last_edit", {}, { meta: turn(thread) });
    expect(await undo("third")).toMatchObject({ isError: true });
    expect(await undo("second")).toMatchObject({ texts: ["Undone:\nM a.txt, line 3, not saved"] });
    expect(await undo("first")).toMatchObject({ texts: ["Undone:\nM a.txt, line 1, saved"] });
    expect(texts()["a.txt"]).toBe("one\n");
    expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("new\n");
    expect(await undo("first")).toMatchObject({ isError: false });
    expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("old\n");
    expect((await undo("first")).texts[0]).toContain("There is no edit of yours that can be undone");
  });
});

describe("a field that a tool does not have", () => {
  it("is refused by undo_last_edit, which would otherwise undo more than is meant", async () => {
    const { agent, texts } = await layTable(program, { open: { "a.txt": "one\nold\n" } });
    await agent.call("multi_edit", edit("a.txt", "one", "two"));
    expect(await agent.call("undo_last_edit", { path: "b.txt" })).toMatchObject({
      isError: true,
      texts: [
        'undo_last_edit has no field "path": it undoes your last edit, in all of its files. Nothing was changed. Leave "path" out, or change the text back with an edit.',
      ],
    });
    expect(texts()).toEqual({ "a.txt": "two\nold\n" });
  });

  it("is refused by editor_status, which would otherwise not wait", async () => {
    const { agent } = await layTable(program, unsaved);
    expect(await agent.call("editor_status", { tickets: "q1" })).toMatchObject({
      isError: true,
      texts: [
        'editor_status has no field "tickets"; its only field is ticket. Leave "tickets" out; to wait for the user, send {"ticket":"q1"} with the ticket that you were given.',
      ],
    });
    expect((await agent.call("editor_status", { ticket: { id: "q1" } })).texts[0]).toMatch(
      /^There is no ticket "\{\\"id\\":\\"q1\\"\}": /,
    );
  });
});

describe("fields that agents add to all tools", () => {
  it("are ignored, and no answer mentions them", async () => {
    const { agent } = await layTable(program, unsaved);
    const extra = { wait_for_previous: true, task_progress: "- [x] Read the file" };
    expect((await agent.call("read_document", { path: "a.txt", ...extra })).isError).toBe(false);
    const { texts } = await agent.call("multi_edit", { ...edit("a.txt", "one", "two"), ...extra });
    expect(texts).toEqual(["M a.txt, not saved"]);
    expect((await agent.call("editor_status", extra)).isError).toBe(false);
    expect((await agent.call("undo_last_edit", extra)).isError).toBe(false);
  });
});
