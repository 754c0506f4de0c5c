/** The server's report on its session, over the wire. */
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import type { StatusResult } from "../server/lsp/protocol.js";
import { type Desk, type DeskOptions, layDesk, serverForDesks } from "./support/desk.js";

const program = serverForDesks();

const status = ({ editor }: Desk): Promise<unknown> => editor.request("multiEdit/status", undefined);
const lay = (options: DeskOptions): Promise<Desk> => layDesk(program, options);

describe("multiEdit/status", () => {
  it("reports the server, the client, the folders, and the open documents with their state on disk", async () => {
    const desk = await lay({ open: { "a.txt": "one\n", "b.txt": "two\n", "untitled:c": "three\n" } });
    await desk.typeBefore("b.txt", "two", "x");
    expect(await status(desk)).toEqual({
      server: { name: "multi-edit-language-server", version: packageJson.version },
      protocol: 1,
      client: { name: "fake editor", version: "1" },
      folders: [pathToFileURL(desk.root).href],
      open: [
        { uri: desk.uri("a.txt"), version: 1, onDisk: "same" },
        { uri: desk.uri("b.txt"), version: 2, onDisk: "differs" },
        { uri: "untitled:c", version: 1, onDisk: "differs" },
      ],
      unsynced: [],
      transactions: [],
      agents: [],
      settingProblems: [],
    });
  });

  it("lists only the open documents that a path may refer to, if it is asked about paths", async () => {
    const desk = await lay({ open: { "a.txt": "one\n", "b.txt": "two\n", "untitled:c": "three\n" } });
    symlinkSync(join(desk.root, "b.txt"), join(desk.root, "link.txt"));
    const openOf = async (...names: string[]): Promise<unknown> => {
      const files = names.map((name) => join(desk.root, name));
      const { open } = (await desk.editor.request("multiEdit/status", { files })) as StatusResult;
      return open.map(({ uri }) => uri);
    };
    expect(await openOf()).toEqual([]);
    expect(await openOf("none.txt")).toEqual([]);
    expect(await openOf("a.txt", "none.txt")).toEqual([desk.uri("a.txt")]);
    expect(await openOf("link.txt", "a.txt")).toEqual([desk.uri("a.txt"), desk.uri("b.txt")]);
  });

  it("looks at the disk as it is when asked", async () => {
    const desk = await lay({ open: { "a.txt": "one\n" } });
    writeFileSync(join(desk.root, "a.txt"), "other\n");
    expect(await status(desk)).toMatchObject({ open: [{ onDisk: "differs" }] });
  });

  it.each([
    ["no name", { name: 7 }, null],
    ["no version", { name: "ed" }, { name: "ed" }],
    ["an invalid version", { name: "ed", version: {} }, { name: "ed" }],
    ["line ends in its name", { name: "an\r\ned\n", version: "1\n" }, { name: "an ed", version: "1" }],
    ["an empty name", { name: " \n" }, null],
    [
      "a text around its version, as lsp-mode has it",
      { name: "emacs", version: "GNU Emacs 30.2 (build 2, x86_64-pc-linux-gnu)\n of 2026-08-15, modified by Debian" },
      { name: "emacs", version: "30.2" },
    ],
  ])("accepts a client with %s", async (_what, clientInfo, client) => {
    const desk = await lay({ params: { clientInfo: clientInfo as { name: string } } });
    expect(await status(desk)).toMatchObject({ client });
  });
});
