/** Saving applied changes over the wire: only files that should be saved are saved, as the disk confirms. */
import { describe, expect, it } from "vitest";
import { batch, type Desk, type DeskOptions, layDesk, patchOf, serverForDesks, throughEditor } from "./support/desk.js";
import type { SavingManner } from "./support/editorSaves.js";

const program = serverForDesks();

const open = { "a.txt": "old\n", "b.txt": "old\n" };
const both = batch(["a.txt", "old", "new"], ["b.txt", "old", "new"]);

/** An editor that can save on request, and whose `b.txt` has unsaved changes. */
async function start(options: DeskOptions = {}): Promise<Desk> {
  const desk = await layDesk(program, { open, saves: "saves", settings: { proofTimeout: 300 }, ...options });
  await desk.typeBefore("b.txt", "old", "typed ");
  return desk;
}

const onDisk = (answer: { files: { path: string; onDisk?: string }[] }) =>
  Object.fromEntries(answer.files.map(({ path, onDisk }) => [path, onDisk]));

describe("the policy", () => {
  it("by default saves files that had no unsaved changes before, and names the others", async () => {
    const { apply, disk, uri, editor } = await start();
    const answer = await apply(both);
    expect(editor.saving).toEqual([{ uris: [uri("a.txt")] }]);
    expect(disk()).toEqual({ "a.txt": "new\n", "b.txt": "old\n" });
    expect(onDisk(answer)).toEqual({ "a.txt": "same", "b.txt": "differs" });
    expect(answer.warnings).toEqual(["b.txt already had unsaved changes, so it was not saved"]);
  });

  it.each([
    ["the option", {}, { save: "always" }],
    ["the setting", { save: "always" }, {}],
    ["the option, contrary to the setting,", { save: "never" }, { save: "always" }],
  ])("saves everything if %s says so", async (_who, settings, options) => {
    const { apply, disk } = await start({ settings: { proofTimeout: 300, ...settings } });
    const answer = await apply({ ...both, options });
    expect(disk()).toEqual({ "a.txt": "new\n", "b.txt": "typed new\n" });
    expect([onDisk(answer), answer.warnings]).toEqual([{ "a.txt": "same", "b.txt": "same" }, []]);
  });

  it("saves nothing if its value is never, and does not warn about it", async () => {
    const { apply, disk, editor } = await start();
    const answer = await apply({ ...both, options: { save: "never" } });
    expect(editor.saving).toEqual([]);
    expect(disk()).toEqual(open);
    expect([onDisk(answer), answer.warnings]).toEqual([{ "a.txt": "differs", "b.txt": "differs" }, []]);
  });

  it("applies to changes that the server makes: proposals and previews save nothing", async () => {
    const { propose, editor, disk } = await start();
    await propose({ ...both, options: { save: "always" } });
    await editor.request("multiEdit/preview", { ...both, options: { save: "always" } });
    expect(editor.saving).toEqual([]);
    expect(disk()).toEqual(open);
  });

  it("saves new and moved files, and files that were not open, if the editor has opened them", async () => {
    const { apply, disk, texts } = await start({ files: { "c.txt": "old\n", "d.txt": "old\n" } });
    const answer = await apply(
      throughEditor(
        patchOf(
          ...["*** Update File: c.txt", "@@", "-old", "+new", "*** Add File: new.txt", "+text"],
          ...["*** Update File: a.txt", "*** Move to: moved.txt", "@@", "-old", "+new", "*** Delete File: d.txt"],
        ),
      ),
    );
    expect(answer.warnings).toEqual([]);
    expect(disk()).toEqual({ "b.txt": "old\n", "c.txt": "new\n", "moved.txt": "new\n", "new.txt": "text\n" });
    expect(texts()).toMatchObject({ "c.txt": "new\n", "moved.txt": "new\n", "new.txt": "text\n" });
  });

  it("saves the result of an undo if the edit was saved", async () => {
    const { apply, undo, disk, texts } = await start();
    await apply(both);
    expect(disk()["a.txt"]).toBe("new\n");
    await undo();
    expect(disk()).toEqual(open);
    expect(texts()).toEqual({ "a.txt": "old\n", "b.txt": "typed old\n" });
  });

  it("saves neither documents that are not files nor files that did not change", async () => {
    const { apply, editor } = await start({ open: { ...open, "untitled:c": "old\n" } });
    const answer = await apply({ ...batch(["untitled:c", "old", "new"]), options: { save: "always" } });
    expect(answer.warnings).toEqual([]);
    await apply({ ...batch(["a.txt", "old", "x"], ["a.txt", "x", "old"]), options: { save: "always" } });
    expect(editor.saving).toEqual([]);
  });
});

describe("an editor that can't be asked", () => {
  it("is reported in one sentence, and by the state of each file", async () => {
    const desk = await layDesk(program, { open: { ...open, "c.txt": "old\n" }, settings: {} });
    await desk.typeBefore("b.txt", "old", "typed ");
    const answer = await desk.apply({ edits: [...both.edits, { path: "c.txt", oldText: "old", newText: "new" }] });
    expect(desk.editor.saving).toEqual([]);
    expect(onDisk(answer)).toEqual({ "a.txt": "differs", "b.txt": "differs", "c.txt": "differs" });
    expect(answer.warnings).toEqual([
      expect.stringContaining("b.txt already had unsaved changes"),
      "a.txt, c.txt were changed in the editor but not saved: the server can't save files in this editor",
    ]);
  });
});

describe("an editor that", () => {
  it.each<[SavingManner, string]>([
    ["refuses", "the disk is full"],
    ["lies", "the editor was asked to save it"],
    ["answersErrors", "the editor broke"],
    ["answersGarbage", "the editor was asked to save it"],
  ])("%s: the text is applied, and the answer says that it is not on disk", async (saves, reason) => {
    const { apply, texts, disk } = await start({ saves });
    const answer = await apply(batch(["a.txt", "old", "new"]));
    const warning = `a.txt was changed in the editor but not saved: ${reason}`;
    expect(answer).toMatchObject({ applied: true, outcome: "applied", warnings: [expect.stringContaining(warning)] });
    expect(onDisk(answer)).toEqual({ "a.txt": "differs" });
    expect([texts()["a.txt"], disk()["a.txt"]]).toEqual(["new\n", "old\n"]);
  });

  it("formats on saving: the file is saved, and the answer says that it contains other changes", async () => {
    const { apply, texts, disk } = await start({ saves: "formats" });
    const answer = await apply(batch(["a.txt", "old", "new"]));
    expect(onDisk(answer)).toEqual({ "a.txt": "same" });
    expect(answer.warnings).toEqual(["a.txt: the editor made further changes to the text when it saved the file"]);
    expect([texts()["a.txt"], disk()["a.txt"]]).toEqual(["new\nformatted\n", "new\nformatted\n"]);
  });

  it.each<[string, SavingManner, string, string]>([
    ["Neovim", "endsLines", "no end", "no end\n"],
    ["Eglot", "crlf", "one\ntwo\n", "one\r\ntwo\r\n"],
  ])(
    "has the habits of %s: a change that these habits cause does not count as a difference",
    async (name, saves, text, saved) => {
      const desk = await start({
        saves,
        clientInfo: { name },
        files: { "c.txt": saved },
      });
      await desk.editor.open({ uri: desk.uri("c.txt"), text });
      expect(await desk.read({ path: "c.txt" })).toMatchObject({ onDisk: "same" });
      const answer = await desk.apply({ path: "c.txt", edits: [{ oldText: "o", newText: "0", replaceAll: true }] });
      expect([onDisk(answer), answer.warnings]).toEqual([{ "c.txt": "same" }, []]);
      expect(desk.disk()["c.txt"]).toBe(saved.replaceAll("o", "0"));
      // The file is now clean, so the next call may delete it.
      expect(await desk.apply(patchOf("*** Delete File: c.txt"))).toMatchObject({ outcome: "applied" });
    },
  );
});

describe("an undo after the editor has changed a text while saving it", () => {
  const saved = (saves: SavingManner, text: string) =>
    layDesk(program, { open: { "a.txt": text }, saves, settings: { proofTimeout: 300 } });

  it("reverses all changes between the versions that the editor names", async () => {
    const { apply, undo, texts, disk } = await saved("formatsAndSays", "old\n");
    await apply(batch(["a.txt", "old", "new"]));
    expect(texts()).toEqual({ "a.txt": "new\nformatted\n" });
    // The second save formats again.
    await undo();
    expect([texts(), disk()]).toEqual([{ "a.txt": "old\nformatted\n" }, { "a.txt": "old\nformatted\n" }]);
  });

  it("keeps what the user typed before the first of these versions", async () => {
    const { apply, undo, texts, editor } = await saved("typesMeanwhile", "one\nold\ntwo\n");
    await apply(batch(["a.txt", "old", "new"]));
    expect(texts()).toEqual({ "a.txt": "typed\none\nnew\ntwo\nformatted\n" });
    await editor.setSettings({ save: "never", proofTimeout: 300 });
    await undo();
    expect(texts()).toEqual({ "a.txt": "typed\none\nold\ntwo\n" });
  });

  it.each<[string, SavingManner, string, string]>([
    ["removes trailing spaces and ends the last line", "trims", "old  \nother\t\n  last", "new\nother\n  last\n"],
    ["formats the lines that the call has written", "upperCases", "a old b\nother\n", "a NEW b\nother\n"],
  ])("reverses the save if it %s, even without versions", async (_what, saves, text, formatted) => {
    const { apply, undo, texts, editor } = await saved(saves, text);
    const answer = await apply(batch(["a.txt", "old", "new"]));
    expect(texts()).toEqual({ "a.txt": formatted });
    expect(answer.warnings).toEqual(["a.txt: the editor made further changes to the text when it saved the file"]);
    await editor.setSettings({ save: "never", proofTimeout: 300 });
    expect(await undo()).toMatchObject({ outcome: "applied" });
    expect(texts()).toEqual({ "a.txt": text });
  });

  it("leaves other changes alone without versions, because they may be typing", async () => {
    const { apply, undo, texts, editor } = await saved("formats", "old\n");
    await apply(batch(["a.txt", "old", "new"]));
    await editor.setSettings({ save: "never", proofTimeout: 300 });
    await undo();
    expect(texts()).toEqual({ "a.txt": "old\nformatted\n" });
  });

  it("reverses all of it in a file that the call has created", async () => {
    const { apply, undo, disk, editor } = await saved("trims", "old\n");
    await apply(throughEditor(batch(["new.txt", "", "first  \nsecond"])));
    expect(disk()["new.txt"]).toBe("first\nsecond\n");
    await editor.setSettings({ save: "never", proofTimeout: 300 });
    expect(await undo()).toMatchObject({ outcome: "applied" });
    expect(disk()).toEqual({ "a.txt": "old\n" });
  });
});
