/** Undoing operations on whole files over the wire: the files get their old names, texts and bytes back. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  batch,
  type Desk,
  type DeskOptions,
  failed,
  layDesk,
  patchOf,
  serverForDesks,
  throughEditor,
} from "./support/desk.js";

const program = serverForDesks();

const start = (options: DeskOptions = {}): Promise<Desk> => layDesk(program, options);

describe("an undo of changes to whole files", () => {
  const files = { "old.txt": "one\ntwo\n", "gone.txt": "gone\n", "binary.bin": "\0\u0001", "b.txt": "b\n" };

  it.each(["written", "opened"] as const)(
    "deletes a new file and its folders if the editor's new files are %s",
    async (unopened) => {
      const { apply, undo, disk, texts, root } = await start({ files, unopened, proofTimeout: 300 });
      await apply(throughEditor(batch(["deep/er/new.txt", "", "new\n"], ["b.txt", "b", "B"])));
      expect(existsSync(join(root, "deep/er/new.txt"))).toBe(true);
      const answer = await undo();
      // Changes to files that the editor opened are undone in the editor.
      const onDisk = unopened === "written" ? ["Changed on disk, because no editor has them open."] : [];
      const text = ["Undo 2 files (2 edits)", ...onDisk, "M b.txt", "D deep/er/new.txt"].join("\n");
      expect(answer).toMatchObject({ outcome: "applied", text });
      expect(existsSync(join(root, "deep"))).toBe(false);
      expect(disk()).toEqual(files);
      expect({ "b.txt": "b\n", ...texts() }).toEqual({ "b.txt": "b\n" });
    },
  );

  it("restores a deleted file, even a binary one, with its permissions", async () => {
    const { apply, undo, disk } = await start({ files });
    const applied = await apply(patchOf("*** Delete File: gone.txt", "*** Delete File: binary.bin"));
    expect(Object.keys(disk())).toEqual(["b.txt", "old.txt"]);
    const answer = await undo(applied.transaction);
    const onDisk = "Changed on disk, because no editor has them open.";
    expect(answer.text).toBe(`Undo ${applied.label}\n${onDisk}\nA gone.txt\nA binary.bin`);
    expect(answer.diff).toContain("+gone\n");
    expect(disk()).toEqual(files);
  });

  it.each(["open", "closed"] as const)(
    "gives a file that was moved and changed its old name and text, %s",
    async (state) => {
      const { apply, undo, disk, texts, root } = await start({
        files,
        ...(state === "open" ? { open: { "old.txt": files["old.txt"] } } : {}),
      });
      await apply(
        patchOf(
          "*** Update File: old.txt",
          "*** Move to: deep/new.txt",
          "@@",
          "-two",
          "+zwei",
          "*** Delete File: b.txt",
        ),
      );
      expect(existsSync(join(root, "old.txt"))).toBe(false);
      expect(await undo()).toMatchObject({ outcome: "applied" });
      expect(disk()).toEqual(files);
      expect(existsSync(join(root, "deep"))).toBe(false);
      expect(texts()).toEqual(state === "open" ? { "old.txt": files["old.txt"] } : {});
    },
  );

  it("restores a file that made room for another one, and the other one as well", async () => {
    const { apply, undo, disk } = await start({ files });
    const call = patchOf("*** Update File: old.txt", "*** Move to: b.txt", "@@", "-two", "+zwei");
    await apply({ ...call, options: { overwrite: true } });
    expect(disk()).toMatchObject({ "b.txt": "one\nzwei\n" });
    expect(await undo()).toMatchObject({ outcome: "applied" });
    expect(disk()).toEqual(files);
  });

  it("restores a deleted file if an equal one has got its name", async () => {
    const same = { "a.txt": "same\n", "b.txt": "same\n" };
    const { apply, undo, disk } = await start({ files: same });
    await apply(patchOf("*** Delete File: b.txt", "*** Update File: a.txt", "*** Move to: b.txt"));
    expect(disk()).toEqual({ "b.txt": "same\n" });
    await undo();
    expect(disk()).toEqual(same);
  });

  it("restores names that files passed on to others", async () => {
    const { apply, undo, disk } = await start({ files });
    await apply(
      patchOf("*** Update File: b.txt", "*** Move to: c.txt", "*** Update File: old.txt", "*** Move to: b.txt"),
    );
    expect(Object.keys(disk())).toEqual(["b.txt", "binary.bin", "c.txt", "gone.txt"]);
    expect(await undo()).toMatchObject({ outcome: "applied" });
    expect(disk()).toEqual(files);
  });

  it("restores unsaved text that was deleted with its file, and leaves it unsaved", async () => {
    const desk = await start({ open: { "a.txt": "one\n" }, proofTimeout: 400 });
    await desk.typeBefore("a.txt", "one", "typed ");
    await desk.apply({ ...patchOf("*** Delete File: a.txt"), options: { overwrite: true } });
    expect([desk.texts(), desk.disk()]).toEqual([{}, {}]);
    expect(await desk.undo()).toMatchObject({ outcome: "applied" });
    expect([desk.texts(), desk.disk()]).toEqual([{ "a.txt": "typed one\n" }, { "a.txt": "one\n" }]);
  });

  it.each<[string, (desk: Desk) => unknown]>([
    ["another file has the old name", ({ root }) => writeFileSync(join(root, "gone.txt"), "somebody's\n")],
    ["a new file was changed", ({ root }) => writeFileSync(join(root, "new.txt"), "somebody's\n")],
  ])("changes nothing if %s", async (_what, act) => {
    const desk = await start({ files: { "gone.txt": "gone\n", "b.txt": "b\n" } });
    await desk.apply(
      patchOf("*** Delete File: gone.txt", "*** Add File: new.txt", "+new", "*** Update File: b.txt", "@@", "-b", "+B"),
    );
    act(desk);
    const disk = desk.disk();
    expect((await failed(desk.undo())).codes).toEqual(["undoConflict"]);
    expect(desk.disk()).toEqual(disk);
  });

  it("fails before it changes anything if the editor no longer supports an operation", async () => {
    const { apply, undo, disk } = await start({
      files,
      capabilities: {
        workspace: { applyEdit: true, workspaceEdit: { documentChanges: true, resourceOperations: ["create"] } },
      },
    });
    await apply(throughEditor(batch(["new.txt", "", "new\n"], ["b.txt", "b", "B"])));
    const after = disk();
    expect((await failed(undo())).codes).toEqual(["clientCapability"]);
    expect(disk()).toEqual(after);
  });
});
