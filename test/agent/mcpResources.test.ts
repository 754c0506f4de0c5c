/** Open documents with unsaved text as resources of MCP. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../server/text/limits.js";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { layDesk } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { type AgentOptions, startAgent } from "../support/mcpAgent.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

/** An editor with these documents, and an agent in one of its folders. */
async function lay(
  {
    files = {},
    open,
    settings = {},
  }: { files?: Record<string, string>; open: Record<string, string>; settings?: object },
  { folder = ".", ...options }: AgentOptions & { readonly folder?: string } = {},
) {
  const home = ownStateHome();
  const desk = await layDesk(program, { files, open, settings: { save: "never", ...settings } });
  await announced(home);
  const agent = await startAgent(program, join(desk.root, folder), options);
  const listed = async (): Promise<string[]> =>
    (await agent.client.listResources()).resources.map(({ uri }) =>
      decodeURIComponent(uri).slice(desk.uri("x").length - 1),
    );
  return { ...desk, agent, listed, read: (uri: string) => agent.client.readResource({ uri }) };
}

const files = { "a.txt": "old\n", "b.txt": "same\n", "sub/c d.txt": "old\n" };
const open = { "a.txt": "typed\n", "b.txt": "same\n", "sub/c d.txt": "typed too\n" };

describe("the list", () => {
  it.each(["2025", "2026"] as const)("has what is typed and not saved, for clients of %s", async (era) => {
    const { agent, listed, uri } = await lay({ files, open }, { era });
    await expect.poll(listed).toEqual(["a.txt", "sub/c d.txt"]);
    const { resources } = await agent.client.listResources();
    expect(resources[1]).toEqual({
      uri: uri("sub/c d.txt"),
      name: join("sub", "c d.txt"),
      description: expect.stringMatching(/^Unsaved text in /),
      mimeType: "text/plain",
    });
  });

  it("has only files of the agent's folder", async () => {
    const { listed } = await lay({ files, open }, { folder: "sub" });
    await expect.poll(listed).toEqual(["sub/c d.txt"]);
  });

  it("has no files that read_document refuses, and is empty on disk", async () => {
    const secret = { ".env": "KEY=1\n", ".git/config": "typed\n", "a.txt": "typed\n" };
    const settings = { protectedNames: ["+.env"] };
    const { listed, read, uri, root, agent } = await lay({ files: { "a.txt": "" }, open: secret, settings });
    await expect.poll(listed).toEqual(["a.txt"]);
    for (const name of [".env", ".git/config"]) {
      await expect(read(uri(name))).rejects.toMatchObject({
        message: expect.stringContaining("No file of the project"),
      });
      expect((await agent.call("read_document", { path: name })).isError).toBe(true);
    }
    const onDisk = await startAgent(program, root, { args: ["--mode", "disk"] });
    expect((await onDisk.client.listResources()).resources).toEqual([]);
  });

  it("is bounded", async () => {
    const many = Object.fromEntries(Array.from({ length: limits.toolFiles + 5 }, (_, i) => [`${i}.txt`, "typed"]));
    const saved = Object.fromEntries(Object.keys(many).map((name) => [name, ""]));
    const { listed } = await lay({ files: saved, open: many });
    await expect.poll(async () => (await listed()).length).toBe(limits.toolFiles);
    await new Promise((resolve) => setTimeout(resolve, 3 * limits.unsavedMs));
    expect(await listed()).toHaveLength(limits.toolFiles);
  });
});

describe("a read", () => {
  it("gives the typed text, and then says where it is from", async () => {
    const { read, uri } = await lay({ files, open });
    const item = { uri: uri("a.txt"), mimeType: "text/plain" };
    expect((await read(uri("a.txt"))).contents).toEqual([
      { ...item, text: "typed\n" },
      { ...item, text: "Lines 1 to 1 of 1, from the editor, including unsaved changes." },
    ]);
  });

  it("counts as the agent's: an edit to lines that were changed since is found by them", async () => {
    const call = { edits: [{ path: "a.txt", startLine: 2, endLine: 2, newText: "2\n" }] };
    const text = "one\ntwo\nthree\n";
    const { agent, read, uri, typeBefore, texts } = await lay({ files, open: { "a.txt": text } });
    expect((await agent.call("multi_edit", call)).texts[0]).toContain("read");
    await read(uri("a.txt"));
    await typeBefore("a.txt", "one", "zero\n");
    expect(await agent.call("multi_edit", call)).toMatchObject({ isError: false });
    expect(texts()).toEqual({ "a.txt": "zero\none\n2\nthree\n" });
  });

  it("of a long text has its first lines and says so", async () => {
    const { read, uri } = await lay({ files, open: { "a.txt": "0123456789\n".repeat(limits.toolText / 10) } });
    const [text, note] = (await read(uri("a.txt"))).contents as { text: string }[];
    expect(text?.text.length).toBeLessThanOrEqual(limits.toolText);
    expect(note?.text).toMatch(/The rest is too long for one answer: continue with startLine \d+\.$/);
  });

  it("of a file outside the agent's folder is refused, by any name", async () => {
    const { read, uri, root, agent } = await lay({ files, open }, { folder: "sub" });
    symlinkSync(join(root, "a.txt"), join(root, "sub/link.txt"));
    const outside = makeDirectory({ "x.txt": "x\n" });
    for (const one of [
      uri("a.txt"),
      uri("sub/../a.txt"),
      uri("sub/link.txt"),
      pathToFileURL(join(outside, "x.txt")).href,
      "sub/c%20d.txt",
      "http://localhost/c",
    ])
      await expect(read(one), one).rejects.toMatchObject({
        message: expect.stringContaining("No file of the project"),
      });
    expect((await agent.client.readResource({ uri: uri("sub/c d.txt") })).contents[0]).toMatchObject({
      text: "typed too\n",
    });
  });
});

describe("changes", () => {
  it.each(["2025", "2026"] as const)("are told to a client of %s that wants to know", async (era) => {
    const { agent, listed, uri, typeBefore, editor, root } = await lay({ files, open }, { era });
    const told: string[] = [];
    agent.client.setNotificationHandler("notifications/resources/updated", ({ params }) => void told.push(params.uri));
    agent.client.setNotificationHandler("notifications/resources/list_changed", () => void told.push("list"));
    await expect.poll(listed).toHaveLength(2);
    // The first list may have been read before the editor had announced both files.
    await new Promise((resolve) => setTimeout(resolve, 3 * limits.unsavedMs));
    told.length = 0;
    const [first, second] = [uri("a.txt"), uri("b.txt")];
    if (era === "2025") await agent.client.subscribeResource({ uri: first });
    const stream =
      era === "2026"
        ? await agent.client.listen({ resourcesListChanged: true, resourceSubscriptions: [first] })
        : undefined;
    await typeBefore("b.txt", "same", "not the ");
    await expect.poll(() => told, { timeout: 10_000 }).toEqual(["list"]);
    expect(await listed()).toContain("b.txt");
    await typeBefore("a.txt", "typed", "more ");
    await expect.poll(() => told, { timeout: 10_000 }).toEqual(["list", first]);
    if (stream) await stream.close();
    else await agent.client.unsubscribeResource({ uri: first });
    await typeBefore("a.txt", "typed", "and more ");
    await typeBefore("b.txt", "same", "very ");
    writeFileSync(join(root, "b.txt"), "not the very same\n");
    await editor.notify("textDocument/didSave", { textDocument: { uri: second } });
    await new Promise((resolve) => setTimeout(resolve, 2 * limits.resourcePollMs));
    expect(told.filter((one) => one !== "list")).toEqual([first]);
  });
});
