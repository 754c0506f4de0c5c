/** Clean files are saved, and an answer gives the true reason if one is not; an undo accepts what the user has undone. */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { batch, failed, layDesk, patchOf, serverForDesks } from "./support/desk.js";

const program = serverForDesks();
const start = { saves: "saves", settings: { proofTimeout: 300 } } as const;

describe("a file without unsaved changes", () => {
  it("is saved in VS Code if the editor has made its line endings alike", async () => {
    const desk = await layDesk(program, {
      ...start,
      clientInfo: { name: "Visual Studio Code" },
      files: { "a.txt": "one\r\nold\nlast\r\n" },
      open: { "a.txt": "one\r\nold\r\nlast\r\n" },
    });
    const answer = await desk.apply(batch(["a.txt", "old", "new"]));
    expect(answer.warnings).toEqual([]);
    expect(desk.disk()).toEqual({ "a.txt": "one\r\nnew\r\nlast\r\n" });
  });

  it("is named if it can't be compared, because it is in another encoding", async () => {
    const desk = await layDesk(program, {
      ...start,
      files: { "a.txt": Buffer.from("caf\u00e9 old\n", "latin1") },
      open: { "a.txt": "caf\u00e9 old\n" },
    });
    const answer = await desk.apply(batch(["a.txt", "old", "new"]));
    expect(answer.warnings).toEqual([
      "a.txt was changed in the editor but not saved: the server can't read the file on disk as UTF-8 text, so it can't tell whether there were unsaved changes",
    ]);
  });

  it.each([
    ["is saved if it was empty", "", "", "new\n", [], "new\n"],
    ["is saved if it was empty, as Neovim syncs it", "\n", "", "new\n", [], "new\n"],
    [
      "is left to the user if it had text",
      "typed old\n",
      "old",
      "new",
      ["a.txt already had unsaved changes, so it was not saved"],
      undefined,
    ],
  ])("that nobody has saved yet %s", async (_, text, oldText, newText, warnings, onDisk) => {
    const desk = await layDesk(program, start);
    await desk.editor.open({ uri: desk.uri("a.txt"), text });
    expect((await desk.apply(batch(["a.txt", oldText, newText]))).warnings).toEqual(warnings);
    expect(desk.disk()["a.txt"]).toBe(onDisk);
  });

  it("that nobody has saved yet is saved if the setting asks for it", async () => {
    const settings = { ...start.settings, save: "always" };
    const desk = await layDesk(program, { ...start, settings });
    await desk.editor.open({ uri: desk.uri("a.txt"), text: "typed old\n" });
    expect((await desk.apply(batch(["a.txt", "old", "new"]))).warnings).toEqual([]);
    expect(desk.disk()).toEqual({ "a.txt": "typed new\n" });
  });

  it("is saved again after its change has been rolled back, and one with unsaved changes is not", async () => {
    const files = { "a.txt": "old\n", "b.txt": "old\n", "c.txt": "old\n" };
    const desk = await layDesk(program, { ...start, files, open: files });
    await desk.typeBefore("b.txt", "old", "typed ");
    desk.editor.behave("honest", "honest", "refuses", "honest");
    await failed(desk.apply(batch(["a.txt", "old", "new"], ["b.txt", "old", "new"], ["c.txt", "old", "new"])));
    expect(desk.texts()).toEqual({ "a.txt": "old\n", "b.txt": "typed old\n", "c.txt": "old\n" });
    expect(desk.editor.saving).toEqual([{ uris: [desk.uri("a.txt")] }]);
  });
});

describe("an undo of a batch", () => {
  it("accepts a file that the user has already undone in the editor, and undoes the others", async () => {
    const files = { "a.txt": "old\n", "b.txt": "old\n", "closed.txt": "old\n" };
    const open = { "a.txt": "old\n", "b.txt": "old\n" };
    const desk = await layDesk(program, { ...start, files, open });
    const edits = ["a.txt", "b.txt", "closed.txt"].map((path): [string, string, string] => [path, "old", "new"]);
    const { transaction } = await desk.apply(batch(...edits));
    await desk.editor.type({ uri: desk.uri("a.txt"), from: 0, to: 3, insert: "old" });
    expect(await desk.undo(transaction)).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual(open);
    expect(desk.disk()["closed.txt"]).toBe("old\n");
  });

  const files = { "a.txt": "old\n", "deleted.txt": "deleted\n", "here.txt": "moved\n" };
  const everything = patchOf(
    ...["*** Update File: a.txt", "@@", "-old", "+new", "*** Add File: made.txt", "+made"],
    ...["*** Delete File: deleted.txt", "*** Update File: here.txt", "*** Move to: there.txt"],
  );

  it.each<[string, (path: (name: string) => string) => void]>([
    ["a created file", (path) => rmSync(path("made.txt"))],
    ["a deleted file", (path) => writeFileSync(path("deleted.txt"), "deleted\n")],
    ["a moved file", (path) => renameSync(path("there.txt"), path("here.txt"))],
  ])("accepts %s that is as it was before, and undoes the others", async (_what, undone) => {
    const desk = await layDesk(program, { ...start, files, open: { "a.txt": "old\n" } });
    const { transaction } = await desk.apply(everything);
    undone((name) => join(desk.root, name));
    expect(await desk.undo(transaction)).toMatchObject({ outcome: "applied" });
    expect([desk.texts(), desk.disk()]).toEqual([{ "a.txt": "old\n" }, files]);
  });

  it("succeeds if the user has undone all of it", async () => {
    const desk = await layDesk(program, { ...start, files });
    const { transaction } = await desk.apply(patchOf("*** Add File: made.txt", "+made"));
    rmSync(join(desk.root, "made.txt"));
    expect(await desk.undo(transaction)).toMatchObject({ outcome: "applied", files: [], warnings: [] });
    expect(desk.disk()).toEqual(files);
  });

  it("restores a deleted file even if a moved one with the same text has its name", async () => {
    const twins = { "a.txt": "same\n", "b.txt": "same\n" };
    const desk = await layDesk(program, { ...start, files: twins });
    const { transaction } = await desk.apply(
      patchOf("*** Delete File: b.txt", "*** Update File: a.txt", "*** Move to: b.txt"),
    );
    expect(desk.disk()).toEqual({ "b.txt": "same\n" });
    expect(await desk.undo(transaction)).toMatchObject({ outcome: "applied" });
    expect(desk.disk()).toEqual(twins);
  });

  it("is refused if a deleted file has come back with other text", async () => {
    const desk = await layDesk(program, { ...start, files });
    const { transaction } = await desk.apply(patchOf("*** Delete File: deleted.txt"));
    writeFileSync(join(desk.root, "deleted.txt"), "other\n");
    expect(await failed(desk.undo(transaction))).toMatchObject({ codes: ["undoConflict"] });
    expect(desk.disk()["deleted.txt"]).toBe("other\n");
  });
});
