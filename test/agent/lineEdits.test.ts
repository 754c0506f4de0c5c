/** Whole files and insertions after a line, as agents send them over MCP, to an editor and on the command line. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ownStateHome } from "../support/agentPeer.js";
import { runCommand } from "../support/commands.js";
import { type Desk, failed, layDesk, serverForDesks } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { layTable } from "../support/mcpTable.js";

const program = serverForDesks();
const before = "one\ntwo\nthree\nfour\nfive\n";
const open = { files: { "a.txt": before }, open: { "a.txt": before } };
const start = (): Promise<Desk> => layDesk(program, open);

describe("an agent over MCP", () => {
  it("writes and inserts in the text that it has read, and sees its own edits in it", async () => {
    const { agent, ...desk } = await layTable(program, open);
    const edit = async (args: object): Promise<string> => {
      const { texts, isError } = await agent.call("multi_edit", args);
      expect(isError, texts.join()).toBe(false);
      return texts.join("\n");
    };
    await agent.call("read_document", { path: "a.txt" });
    await desk.typeBefore("a.txt", "one", "typed\n");
    const told = await edit({ file_path: "a.txt", content: before.replace("four", "4") });
    expect(desk.texts()["a.txt"]).toBe("typed\none\ntwo\nthree\n4\nfive\n");
    expect(told).toContain("typed");
    // In the agent's text, `five` is still line 5.
    await edit({ command: "insert", path: "a.txt", insert_line: 4, insert_text: "new\n" });
    expect(desk.texts()["a.txt"]).toBe("typed\none\ntwo\nthree\n4\nnew\nfive\n");
    await edit({ command: "create", path: "a.txt", file_text: "one\ntwo\nthree\n4\nnew\n5\n" });
    expect(desk.texts()["a.txt"]).toBe("typed\none\ntwo\nthree\n4\nnew\n5\n");
    const { texts, isError } = await agent.call("multi_edit", { command: "view", path: "a.txt" });
    expect([isError, texts.join()]).toEqual([true, expect.stringContaining("read_document")]);
  });

  it("replaces nothing that it has not read, and then does what it is told", async () => {
    const { agent, ...desk } = await layTable(program, open);
    await desk.typeBefore("a.txt", "two", "typed ");
    const first = await agent.call("multi_edit", { path: "a.txt", content: "new\n" });
    expect([first.isError, first.texts.join()]).toEqual([true, expect.stringContaining("read_document")]);
    expect(desk.texts()["a.txt"]).toBe(before.replace("two", "typed two"));
    await agent.call("read_document", { path: "a.txt" });
    expect((await agent.call("multi_edit", { path: "a.txt", content: "new\n" })).isError).toBe(false);
    expect(desk.texts()["a.txt"]).toBe("new\n");
  });

  it("must read the lines that a longer text has, too", async () => {
    const { agent, ...desk } = await layTable(program, open);
    await agent.call("read_document", { path: "a.txt", startLine: 1, endLine: 3 });
    await desk.typeBefore("a.txt", "five", "typed ");
    const content = before.replace("four", "4");
    expect((await agent.call("multi_edit", { path: "a.txt", content })).isError).toBe(true);
    expect((await agent.call("multi_edit", { path: "a.txt", insert_line: 4, insert_text: "x" })).isError).toBe(true);
    expect((await agent.call("multi_edit", { path: "a.txt", insert_line: 3, insert_text: "x" })).isError).toBe(false);
    expect(desk.texts()["a.txt"]).toBe("one\ntwo\nthree\nx\nfour\ntyped five\n");
  });
});

describe("a whole file that is sent again", () => {
  it("is skipped, unless somebody has typed in what it wrote", async () => {
    const desk = await start();
    await desk.read({ path: "a.txt" });
    const call = { path: "a.txt", content: before.replace("three", "a third") };
    expect((await desk.apply(call)).edits[0]).toMatchObject({ status: "applied" });
    expect((await desk.apply(call)).edits[0]).toMatchObject({ status: "skipped" });
    await desk.typeBefore("a.txt", "third", "typed ");
    expect((await failed(desk.apply(call))).codes).toEqual(["contentModified"]);
    expect(desk.texts()["a.txt"]).toBe(before.replace("three", "a typed third"));
  });
});

describe("a call that names the version that its author has seen", () => {
  it("replaces the present text", async () => {
    const desk = await start();
    await desk.typeBefore("a.txt", "one", "typed ");
    const { version } = await desk.read({ path: "a.txt" });
    const options = { versions: { [desk.uri("a.txt")]: version } };
    expect(await desk.apply({ path: "a.txt", content: "new\n", options })).toMatchObject({ outcome: "applied" });
    expect(desk.texts()["a.txt"]).toBe("new\n");
  });
});

describe("the command line without an editor", () => {
  const run = (cwd: string, call: object) =>
    runCommand(program, ["apply", "--mode=disk"], { cwd, input: JSON.stringify(call) });

  it("writes whole files, and guesses no line", async () => {
    ownStateHome();
    const root = makeDirectory({ "a.txt": before });
    const textOf = (path: string): string => readFileSync(join(root, path), "utf8");
    const files = [
      { path: "a.txt", content: "new\n" },
      { path: "b/c.txt", content: "other" },
    ];
    expect(await run(root, { files })).toMatchObject({ code: 0 });
    expect([textOf("a.txt"), textOf("b/c.txt")]).toEqual(["new\n", "other"]);
    const refused = await run(root, { command: "insert", path: "a.txt", insert_line: 1, insert_text: "x\n" });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("names line 1") });
    expect(textOf("a.txt")).toBe("new\n");
  });
});
