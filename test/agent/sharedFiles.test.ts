/** Calls for files that several editors have open, as with two terminals in one folder. */
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { type Ran, runCommand } from "../support/commands.js";
import { makeDirectory } from "../support/directory.js";
import { type FakeEditor, startEditor } from "../support/fakeEditor.js";
import { startAgent } from "../support/mcpAgent.js";
import { edit } from "../support/mcpTable.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

const clients = {
  Neovim: { name: "Neovim", version: "0.12.4" },
  Helix: { name: "helix", version: "25.7" },
  "VS Code": { name: "Visual Studio Code", version: "1.139.1" },
} as const;

/** A folder, and editors that have it as their workspace folder. */
interface Desks {
  readonly folder: string;
  readonly editors: readonly FakeEditor[];
  /** Ids of the editors' sessions, in the same order. */
  readonly ids: readonly string[];
}

async function layDesks(...names: readonly (keyof typeof clients)[]): Promise<Desks> {
  const home = ownStateHome();
  const folder = makeDirectory({ "a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n" });
  const editors: FakeEditor[] = [];
  for (const name of names) {
    const server = [process.execPath, program.path, "--stdio"] as const;
    const editor = await startEditor({ server, folders: [folder], clientInfo: clients[name], saves: "saves" });
    onTestFinished(() => void editor.process.kill("SIGKILL"));
    editors.push(editor);
    await announced(home, editors.length);
  }
  const sessions = await announced(home, names.length);
  return { folder, editors, ids: editors.map(({ process: { pid } }) => sessions.find((one) => one.pid === pid)!.id) };
}

const uriOf = ({ folder }: Desks, name: string): string => pathToFileURL(join(folder, name)).href;
const openIn = (desks: Desks, editor: FakeEditor, name: string, text = "one\n"): Promise<void> =>
  editor.open({ uri: uriOf(desks, name), text });
const onDisk = ({ folder }: Desks, name = "a.txt"): string => readFileSync(join(folder, name), "utf8");
const textsOf = (desks: Desks, name = "a.txt"): (string | undefined)[] =>
  desks.editors.map(({ documents }) => documents.get(uriOf(desks, name))?.text);

/** Replaces a text in each of the files, in one call. */
function replace({ folder }: Desks, oldText: string, newText: string, names = ["a.txt"]): Promise<Ran> {
  const input = JSON.stringify({ edits: names.map((path) => ({ path, oldText, newText })) });
  return runCommand(program, ["apply"], { cwd: folder, input });
}

/** The editor loads the file again. */
async function reload(desks: Desks, editor: FakeEditor): Promise<void> {
  const [uri, text] = [uriOf(desks, "a.txt"), onDisk(desks)];
  await editor.notify("textDocument/didClose", { textDocument: { uri } });
  await editor.open({ uri, text });
}

describe("a file that is saved in two editors", () => {
  it("is edited in the one used last, call after call, if the other one loads it again", async () => {
    const desks = await layDesks("Neovim", "Neovim");
    const [first, second] = desks.editors;
    for (const editor of desks.editors) await openIn(desks, editor, "a.txt");
    await openIn(desks, second!, "b.txt");
    expect(await replace(desks, "one", "two")).toMatchObject({ code: 0 });
    expect([onDisk(desks), ...textsOf(desks)]).toEqual(["two\n", "two\n", "one\n"]);
    // The second editor has not loaded it yet.
    expect(await replace(desks, "two", "three")).toMatchObject({ code: 0 });
    expect([onDisk(desks), ...textsOf(desks)]).toEqual(["three\n", "three\n", "one\n"]);
    await reload(desks, second!);
    expect(await replace(desks, "one", "two", ["b.txt"])).toMatchObject({ code: 0 });
    expect(await replace(desks, "three", "four")).toMatchObject({ code: 0 });
    expect([onDisk(desks), ...textsOf(desks)]).toEqual(["four\n", "three\n", "four\n"]);
    expect(await runCommand(program, ["read", "a.txt"], { cwd: desks.folder })).toMatchObject({ stdout: "four\n" });
    // Another program writes the file, and the editor used last has not loaded it.
    writeFileSync(join(desks.folder, "a.txt"), "three\n");
    await reload(desks, first!);
    expect(await replace(desks, "three", "four")).toMatchObject({ code: 0 });
    expect([onDisk(desks), ...textsOf(desks)]).toEqual(["four\n", "four\n", "four\n"]);
    // What a person types counts, also in a text that has not been loaded again.
    await first!.type({ uri: uriOf(desks, "a.txt"), from: 0, to: 0, insert: "mine\n" });
    expect(await replace(desks, "four", "five")).toMatchObject({ code: 0 });
    expect([onDisk(desks), ...textsOf(desks)]).toEqual(["four\n", "mine\nfive\n", "four\n"]);
  });

  it.each(["Neovim", "VS Code"] as const)(
    "is edited in Helix, which does not load it again, if %s does",
    async (other) => {
      const desks = await layDesks(other, "Helix");
      for (const editor of desks.editors) await openIn(desks, editor, "a.txt");
      expect(await replace(desks, "one", "two")).toMatchObject({ code: 0 });
      expect([onDisk(desks), ...textsOf(desks)]).toEqual(["two\n", "one\n", "two\n"]);
    },
  );

  it("is read, but not edited, if neither loads it again, and both are named", async () => {
    const desks = await layDesks("Helix", "Helix");
    for (const editor of desks.editors) await openIn(desks, editor, "a.txt");
    expect(await runCommand(program, ["read", "a.txt"], { cwd: desks.folder })).toMatchObject({ stdout: "one\n" });
    const { code, stderr } = await replace(desks, "one", "two");
    const line = (id: string): string =>
      `  "a.txt": ${id} (helix 25.7 in ${desks.folder}), which does not load a changed file again\n`;
    expect(code).toBe(3);
    expect(stderr).toContain(
      `Several editors have these files open:\n${desks.ids.map(line).join("")}Nothing was changed. Ask the user to close each file in all of these editors but one. Then send the call again.`,
    );
    expect([onDisk(desks), ...textsOf(desks)]).toEqual(["one\n", "one\n", "one\n"]);
  });
});

describe("a file with unsaved text in one of two editors", () => {
  it("is edited there if the other one loads it again", async () => {
    const desks = await layDesks("Neovim", "Neovim");
    await openIn(desks, desks.editors[0]!, "a.txt");
    await openIn(desks, desks.editors[1]!, "a.txt", "one, unsaved\n");
    expect(await replace(desks, "one", "two")).toMatchObject({ code: 0 });
    expect([onDisk(desks), ...textsOf(desks)]).toEqual(["one\n", "one\n", "two, unsaved\n"]);
  });

  it("is not edited if both have unsaved text, and the reason says so", async () => {
    const desks = await layDesks("Neovim", "Neovim");
    for (const editor of desks.editors) await openIn(desks, editor, "a.txt", "one, unsaved\n");
    const { code, stderr } = await replace(desks, "one", "two");
    expect(code).toBe(3);
    for (const id of desks.ids) {
      expect(stderr).toContain(`\n  "a.txt": ${id} (Neovim 0.12.4 in ${desks.folder}), with unsaved changes\n`);
    }
    expect(await runCommand(program, ["read", "a.txt"], { cwd: desks.folder })).toMatchObject({ code: 3 });
  });

  it("counts as unsaved although an earlier text with the same version was saved", async () => {
    const desks = await layDesks("Neovim", "Neovim");
    const [first, second] = desks.editors;
    for (const editor of desks.editors) await openIn(desks, editor, "a.txt");
    // Both are found to be saved.
    await runCommand(program, ["read", "a.txt"], { cwd: desks.folder });
    const uri = uriOf(desks, "a.txt");
    await second!.notify("textDocument/didClose", { textDocument: { uri } });
    await second!.open({ uri, text: "one, unsaved\n" });
    expect(await replace(desks, "one", "two")).toMatchObject({ code: 0 });
    expect(textsOf(desks)).toEqual(["one\n", "two, unsaved\n"]);
    expect(first!.asked).toEqual([]);
  });
});

describe("a call for files of several editors", () => {
  it.each(["unsaved", "saved"])(
    "names the %s files of each, and a call for each editor's files succeeds",
    async (state) => {
      const desks = await layDesks("Neovim", "Neovim");
      const [first, second] = desks.editors;
      const more = state === "saved" ? "" : "unsaved\n";
      await openIn(desks, first!, "a.txt", `one\n${more}`);
      for (const name of ["b.txt", "c.txt"]) await openIn(desks, second!, name, `one\n${more}`);
      const { code, stderr } = await replace(desks, "one", "two", ["a.txt", "b.txt", "c.txt"]);
      expect(code).toBe(3);
      expect(stderr).toContain(
        `These files are open in different editors, and one call can't change text in several:
  "a.txt": ${desks.ids[0]} (Neovim 0.12.4 in ${desks.folder})
  "b.txt", "c.txt": ${desks.ids[1]} (Neovim 0.12.4 in ${desks.folder})
Nothing was changed. Send one call for each of these editors, with its files.`,
      );
      expect([first!.asked, second!.asked]).toEqual([[], []]);
      expect(await replace(desks, "one", "two", ["a.txt"])).toMatchObject({ code: 0 });
      expect(await replace(desks, "one", "two", ["b.txt", "c.txt"])).toMatchObject({ code: 0 });
      for (const [index, name] of [[0, "a.txt"] as const, [1, "b.txt"] as const, [1, "c.txt"] as const]) {
        expect(textsOf(desks, name)[index]).toBe(`two\n${more}`);
      }
    },
  );
});

describe("what an agent is told over MCP", () => {
  it("is where calls go, and no variable", async () => {
    const desks = await layDesks("Neovim", "Neovim");
    for (const editor of desks.editors) await openIn(desks, editor, "a.txt", "one, unsaved\n");
    const agent = await startAgent(program, desks.folder, { era: "2025", args: [] });
    const { texts: status } = await agent.call("editor_status", {});
    expect(status.join()).toContain(`(Neovim 0.12.4 in ${desks.folder}), or to the editor that has the files open.`);
    const { texts: refusal } = await agent.call("multi_edit", edit("a.txt", "one", "two"));
    expect(refusal.join()).toMatch(/^Several editors have these files open:/);
    expect([...status, ...refusal].join()).not.toContain("MULTI_EDIT_SESSION");
  });
});

describe("a file that only one of the editors has open", () => {
  it.each([
    ["under a link", "link.txt", "a.txt"],
    ["and that is called by a link", "a.txt", "link.txt"],
    ["and that is called with an @ before its name", "a.txt", "@a.txt"],
    ["although it is not on disk, and its name begins with @", "@new.txt", "@new.txt"],
  ])("%s is edited there", async (_, opened, called) => {
    const desks = await layDesks("Neovim", "Helix");
    symlinkSync("a.txt", join(desks.folder, "link.txt"));
    const [, editor] = desks.editors as [FakeEditor, FakeEditor];
    await openIn(desks, editor, opened, "unsaved\n");
    expect(await replace(desks, "unsaved", "two", [called])).toMatchObject({ code: 0 });
    expect(textsOf(desks, opened)).toEqual([undefined, "two\n"]);
    expect(onDisk(desks)).toBe("one\n");
  });
});
