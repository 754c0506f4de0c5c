/** Clean files are saved, and an answer gives the true reason if one is not; an undo accepts what the user has undone. */
import { describe, expect, it } from "vitest";
import { batch, failed, layDesk, serverForDesks } from "./support/desk.js";

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
});
