/** Calls that follow others: sent again, as after a time-out, or made for what the call before has written. */
import { describe, expect, it } from "vitest";
import { batch, type Desk, failed, layDesk, patchOf, serverForDesks } from "./support/desk.js";

const program = serverForDesks();

const text = "def a():\n    x = load()\n    return x\n\ndef b():\n    return a()\n";

const start = (): Promise<Desk> => layDesk(program, { files: { "f.py": text }, open: { "f.py": text } });

describe("a call that its caller sends again", () => {
  it.each([
    ["an edit", { path: "f.py", oldText: "    return x\n\ndef", newText: "    return x + 1\n\ndef" }],
    ["a short edit whose old text is still there", { path: "f.py", oldText: "def a()", newText: "def a() -> int" }],
    ["a patch that inserts a line", patchOf("*** Update File: f.py", "@@", " def a():", "+    # made")],
  ])("is skipped with a warning if its result is there: %s", async (_, call) => {
    const desk = await start();
    await desk.read({ path: "f.py" });
    await desk.apply(call);
    const made = desk.texts();
    const again = await desk.apply(call);
    expect(again.edits.map(({ status }) => status)).toEqual(["skipped"]);
    expect(again.warnings.join("\n")).toContain("you sent this call before");
    expect(desk.texts()).toEqual(made);
  });

  it("is made again if it names the version of the text", async () => {
    const desk = await start();
    await desk.read({ path: "f.py" });
    const call = batch(["f.py", "def a():\n", "def a():\n    # made\n"]);
    await desk.apply(call);
    const { version } = desk.editor.documents.get(desk.uri("f.py"))!;
    await desk.apply({ ...call, options: { versions: { "f.py": version } } });
    expect(desk.texts()["f.py"]).toBe(text.replace("def a():\n", "def a():\n    # made\n    # made\n"));
  });

  it("tells of an edit again that has failed before", async () => {
    const desk = await start();
    await desk.read({ path: "f.py" });
    const call = { ...batch(["f.py", "return x", "return y"], ["f.py", "nothing", "N"]), options: { atomic: "none" } };
    expect((await desk.apply(call)).edits.map(({ status }) => status)).toEqual(["applied", "failed"]);
    expect((await failed(desk.apply(call))).codes).toContain("noMatch");
  });

  it("is made again if the user has undone it", async () => {
    const desk = await start();
    await desk.read({ path: "f.py" });
    const call = batch(["f.py", "def a():\n", "def a():\n    # made\n"]);
    await desk.apply(call);
    const made = desk.texts()["f.py"]!;
    const from = made.indexOf("    # made\n");
    await desk.editor.type({ uri: desk.uri("f.py"), from, to: from + "    # made\n".length, insert: "" });
    expect(desk.texts()["f.py"]).toBe(text);
    await desk.apply(call);
    expect(desk.texts()["f.py"]).toBe(made);
  });
});

describe("a call for what the call before has written", () => {
  const lines = "aaa\nbbb ccc\nddd\n";

  async function afterCall(): Promise<Desk> {
    const desk = await layDesk(program, { files: { "f.py": lines }, open: { "f.py": lines } });
    await desk.read({ path: "f.py" });
    await desk.typeBefore("f.py", "\nddd", " # U");
    await desk.apply(batch(["f.py", "bbb ccc", "xxx + 1"]));
    expect(desk.texts()["f.py"]).toBe("aaa\nxxx + 1 # U\nddd\n");
    return desk;
  }

  const join = (desk: Desk, before: string): Promise<void> => {
    const from = desk.texts()["f.py"]!.indexOf(`\n${before}`);
    return desk.editor.type({ uri: desk.uri("f.py"), from, to: from + 1, insert: " " });
  };

  it("is refused if the user has joined its line with the next one, where it adds lines", async () => {
    const desk = await afterCall();
    await join(desk, "ddd");
    const typed = desk.texts();
    const refusal = await failed(desk.apply(batch(["f.py", "xxx + 1\n", "xxx + 1\nnew\n"])));
    expect([refusal.codes, desk.texts()]).toEqual([["contentModified"], typed]);
  });

  it("is not skipped if the user has joined the line that it removes", async () => {
    const desk = await afterCall();
    await join(desk, "xxx");
    const typed = desk.texts();
    const refusal = await failed(desk.apply(batch(["f.py", "aaa\nxxx + 1\nddd", "aaa\nddd"])));
    expect([refusal.codes, desk.texts()]).toEqual([["contentModified"], typed]);
  });

  it("is not skipped if the line that it removes was put at the end of another one", async () => {
    const source = "x();\nb(1);\nc();\n";
    const desk = await layDesk(program, { files: { "f.ts": source }, open: { "f.ts": source } });
    await desk.read({ path: "f.ts" });
    const uri = desk.uri("f.ts");
    await desk.editor.type({ uri, from: 5, to: 11, insert: "" });
    await desk.editor.type({ uri, from: 4, to: 4, insert: " b(1);" });
    const refusal = await failed(desk.apply(batch(["f.ts", "b(1);\n", ""])));
    expect([refusal.codes, desk.texts()["f.ts"]]).toEqual([["contentModified"], "x(); b(1);\nc();\n"]);
  });
});
