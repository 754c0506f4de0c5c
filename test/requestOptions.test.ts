/** Call options over the wire, and answers to a client with fewer capabilities. */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { batch, type Desk, type DeskOptions, failed, layDesk, serverForDesks, throughEditor } from "./support/desk.js";

const program = serverForDesks();

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, options);
const open = { "a.txt": "one\ntwo\nthree\n" };
const edit = { path: "a.txt", oldText: "two", newText: "TWO" };
const diff = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";

describe("options", () => {
  it("versions: the current one is accepted with any spelling of the URI", async () => {
    const desk = await start({ open });
    const spelt = desk.uri("a.txt").replace("a.txt", "./%61.txt");
    for (const uri of [desk.uri("a.txt"), spelt]) {
      expect(await desk.propose({ ...edit, options: { versions: { [uri]: 1 } } })).toMatchObject({ warnings: [] });
    }
  });

  it.each<[string, (uri: string) => string]>([
    ["its own spelling", (uri) => uri],
    ["an escaped letter", (uri) => uri.replace("a.txt", "%61.txt")],
    ["a dot in the path", (uri) => uri.replace("a.txt", "./a.txt")],
    ["a symbolic link", (uri) => uri.replace("a.txt", "link.txt")],
  ])("versions: a stale one fails the call, with %s", async (_how, spell) => {
    const desk = await start({ open });
    symlinkSync(join(desk.root, "a.txt"), join(desk.root, "link.txt"));
    await desk.typeBefore("a.txt", "one", "x");
    const versions = { [spell(desk.uri("a.txt"))]: 1 };
    const doors = [
      [desk.propose, -32801],
      // If the answer to a command is ContentModified, VS Code's client library drops it without throwing.
      [desk.apply, -32803],
    ] as const;
    for (const [door, rpcCode] of doors) {
      const failure = await failed(door({ ...edit, options: { versions } }));
      expect([failure.rpcCode, failure.codes]).toEqual([rpcCode, ["contentModified"]]);
      expect(failure.failures[0]!.path).toBe("a.txt");
    }
    expect(desk.texts()).toEqual({ "a.txt": `x${open["a.txt"]}` });
  });

  it("versions: a file that is not open has none", async () => {
    const desk = await start({ files: open });
    const failure = await failed(desk.propose({ ...edit, options: { versions: { [desk.uri("a.txt")]: 1 } } }));
    expect([failure.rpcCode, failure.codes]).toEqual([-32801, ["contentModified"]]);
  });

  it("versions: are also checked for documents that the call does not change, and an unknown document causes a warning", async () => {
    const desk = await start({ open: { ...open, "b.txt": "" } });
    const propose = (path: string, version: number) =>
      desk.propose({ ...edit, options: { versions: { [desk.uri(path)]: version } } });
    expect((await propose("b.txt", 1)).warnings).toEqual([]);
    const failure = await failed(propose("b.txt", 7));
    expect([failure.rpcCode, failure.codes]).toEqual([-32801, ["contentModified"]]);
    const { warnings } = await propose("c.txt", 7);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("c.txt");
  });

  it("summary: has no edit, and a diff of at most 16,000 characters that ends with a whole line", async () => {
    const line = (i: number): string => `old line ${String(i).padStart(4, "0")}\n`;
    const lines = Array.from({ length: 800 }, (_, i) => line(i)).join("");
    const { propose } = await start({ open: { "a.txt": lines } });
    const call = { path: "a.txt", oldText: "old", newText: "new", replaceAll: true };
    const full = await propose(call);
    const summary = await propose({ ...call, options: { result: "summary" } });
    expect(full.diff.length).toBeGreaterThan(16_000);
    expect("edit" in summary).toBe(false);
    expect(full.diff.startsWith(summary.diff)).toBe(true);
    expect(summary.diff.endsWith("\n")).toBe(true);
    expect(summary.diff.length).toBeLessThanOrEqual(16_000);
    // One more line would exceed the limit.
    const next = full.diff.indexOf("\n", summary.diff.length) + 1;
    expect(next).toBeGreaterThan(16_000);
    expect(summary.warnings.join()).toContain((full.diff.length - summary.diff.length).toLocaleString("en"));
    expect(summary.files.map(({ added, removed }) => [added, removed])).toEqual([[800, 800]]);
    expect(JSON.stringify(summary).length).toBeLessThan(16_000 * 2 + 800 * 40);
  });

  it("summary: has only whole lines of the diff, even if one line is very long", async () => {
    const { propose } = await start({ open: { "a.txt": `${"x".repeat(40_000)}old\n` } });
    const { diff: cut } = await propose({ ...edit, oldText: "old", options: { result: "summary" } });
    expect(cut).toMatch(/^diff --git .*\n--- .*\n\+\+\+ .*\n@@ .* @@\n$/);
  });

  it("summary: says so if it leaves out only the edit", async () => {
    const { propose, apply, texts } = await start({ open });
    const summary = await propose({ ...edit, options: { result: "summary" } });
    expect(summary.diff).toBe(diff);
    expect(summary.warnings).toHaveLength(1);
    expect(summary.warnings[0]).toMatch(/summary.*not contain the edit/);
    expect(summary.warnings[0]).not.toContain("characters");
    expect("edit" in (await apply({ ...edit, options: { result: "summary" } }))).toBe(false);
    expect(texts()).toEqual({ "a.txt": "one\nTWO\nthree\n" });
  });

  it("confirm: a warning says that it had no effect if the client applies the edit, and only then", async () => {
    const desk = await start({ open });
    const warning = expect.stringContaining("options.confirm had no effect");
    expect((await desk.propose({ ...edit, options: { confirm: true } })).warnings).toEqual([warning]);
    expect((await desk.propose({ ...edit, options: { confirm: false } })).warnings).toEqual([]);
  });

  it("label: is shown by the editor", async () => {
    const { editor, apply } = await start({ open });
    expect(await apply({ ...edit, options: { label: "Shout" } })).toMatchObject({ label: "Shout" });
    expect(editor.asked.map(({ label }) => label)).toEqual(["Shout"]);
  });

  it("root: relative paths start there, and the root must be inside the workspace", async () => {
    const desk = await start({ files: { "sub/a.txt": open["a.txt"], "other/a.txt": open["a.txt"] } });
    for (const root of [join(desk.root, "sub"), desk.uri("sub")]) {
      const { files } = await desk.propose({ ...edit, options: { root } });
      expect(files).toMatchObject([{ path: "a.txt", uri: desk.uri("sub/a.txt") }]);
    }
    expect((await failed(desk.propose({ ...edit, options: { root: "/" } }))).codes).toEqual(["outsideWorkspace"]);
    expect((await failed(desk.propose({ ...edit, options: { root: "sub" } }))).codes).toEqual(["invalidParams"]);
  });

  const three = batch(["a.txt", "one", "ONE"], ["a.txt", "gone", "x"], ["b.txt", "old", "new"]);
  it.each<["file" | "none", Record<string, string>]>([
    ["file", { "a.txt": open["a.txt"], "b.txt": "new\n" }],
    ["none", { "a.txt": "ONE\ntwo\nthree\n", "b.txt": "new\n" }],
  ])("atomic: with %s, the edits that it allows are applied", async (atomic, expected) => {
    const { apply, texts } = await start({ open: { ...open, "b.txt": "old\n" } });
    const answer = await apply({ ...three, options: { atomic } });
    expect(answer).toMatchObject({ applied: true, outcome: "applied" });
    expect(answer.edits.map(({ failure }) => failure?.code)).toEqual([undefined, "noMatch", undefined]);
    expect(texts()).toEqual(expected);
  });

  it("atomic: if no edit is left to apply, the call fails", async () => {
    const { apply } = await start({ open });
    const failure = await failed(apply({ ...batch(["a.txt", "gone", "x"]), options: { atomic: "none" } }));
    expect(failure.codes).toEqual(["noMatch"]);
  });

  it("order and lenient: decide which match an old text has", async () => {
    const { propose } = await start({ open });
    const chain = batch(["a.txt", "one", "uno"], ["a.txt", "uno", "eins"]);
    expect(await propose(chain)).toMatchObject({ outcome: "proposed" });
    expect((await failed(propose({ ...chain, options: { order: "original" } }))).codes).toEqual(["noMatch"]);
    const loose = batch(["a.txt", "one  \ntwo", "1"]);
    expect(await propose(loose)).toMatchObject({ edits: [{ rung: "trailingBlanks" }] });
    expect((await failed(propose({ ...loose, options: { lenient: false } }))).codes).toEqual(["noMatch"]);
  });

  it("that can't be read make the call fail", async () => {
    const { propose } = await start({ open });
    for (const options of [{ atomic: "some" }, { versions: { x: 1.5 } }, { confirm: "yes" }, 7, { lenint: false }]) {
      expect((await failed(propose({ ...edit, options }))).rpcCode, JSON.stringify(options)).toBe(-32602);
    }
  });
});

describe("a client with fewer capabilities", () => {
  const workspace = { applyEdit: true };
  const creation = batch(["a.txt", "two", "TWO"], ["new.txt", "", "text\n"]);

  it.each<[string, DeskOptions]>([
    ["no workspaceEdit", { capabilities: { workspace } }],
    ["an empty workspaceEdit", { capabilities: { workspace: { ...workspace, workspaceEdit: {} } } }],
    [
      "documentChanges: false",
      { capabilities: { workspace: { ...workspace, workspaceEdit: { documentChanges: false } } } },
    ],
  ])("%s: it gets changes instead of documentChanges", async (_what, options) => {
    const desk = await start({ open, ...options });
    const { edit: made } = await desk.propose(edit);
    expect(Object.keys(made!)).toEqual(["changes"]);
    expect(Object.keys(made!.changes!)).toEqual([desk.uri("a.txt")]);
    expect(await desk.apply(edit)).toMatchObject({ outcome: "applied" });
    expect(desk.editor.asked.map((one) => Object.keys(one.edit))).toEqual([["changes"]]);
    expect(desk.texts()).toEqual({ "a.txt": "one\nTWO\nthree\n" });
  });

  it.each<[string, DeskOptions]>([
    ["Neovim, which is known to support them", { clientInfo: { name: "Neovim" }, capabilities: { workspace } }],
    [
      "one that announces resource operations",
      { capabilities: { workspace: { ...workspace, workspaceEdit: { resourceOperations: ["rename"] } } } },
    ],
  ])("%s: it gets documentChanges although it does not announce them", async (_what, options) => {
    const desk = await start({ open, ...options });
    expect(Object.keys((await desk.propose(edit)).edit!)).toEqual(["documentChanges"]);
  });

  it.each([[undefined], [[]], [["rename", "delete"]]])(
    "with the file operations %j: a creation fails before anything happens",
    async (operations) => {
      const workspaceEdit = {
        documentChanges: true,
        ...(operations === undefined ? {} : { resourceOperations: operations as ("rename" | "delete")[] }),
      };
      const desk = await start({ open, capabilities: { workspace: { ...workspace, workspaceEdit } } });
      for (const door of [desk.propose, desk.apply]) {
        const failure = await failed(door(throughEditor(creation)));
        expect([failure.rpcCode, failure.codes]).toEqual([-32803, ["clientCapability"]]);
        expect(failure.failures[0]!.path).toBe("new.txt");
        expect(failure.edits.map(({ status }) => status)).not.toContain("applied");
      }
      expect(desk.editor.asked).toEqual([]);
      expect(desk.texts()).toEqual(open);
      expect(desk.disk()).toEqual(open);
    },
  );

  it("no workspace/applyEdit: the command fails, but the request and the preview do not", async () => {
    const desk = await start({ open, capabilities: { workspace: { workspaceEdit: { documentChanges: true } } } });
    const failure = await failed(desk.apply(edit));
    expect([failure.rpcCode, failure.codes]).toEqual([-32803, ["clientCapability"]]);
    expect(failure.message).toContain("multiEdit/apply");
    expect(desk.editor.asked).toEqual([]);
    expect(await desk.propose(edit)).toMatchObject({ outcome: "proposed" });
  });

  it("no workspace/applyEdit: the user is not asked to confirm a change that can't be made", async () => {
    const desk = await start({ open, capabilities: { workspace: {} } });
    expect((await failed(desk.apply({ ...edit, options: { confirm: true } }))).codes).toEqual(["clientCapability"]);
    expect(desk.editor.questions).toEqual([]);
  });
});
