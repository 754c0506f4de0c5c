/** `--overwrite` from a shell: the editor asks before unsaved text is lost, and nothing happens if it can't ask. */
import { describe, expect, it } from "vitest";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { runCommand } from "../support/commands.js";
import { type DeskOptions, layDesk, serverForDesks } from "../support/desk.js";

const program = serverForDesks();

/** An editor with an unsaved document, and a function that sends a patch. */
async function layBench(options: DeskOptions = {}) {
  const home = ownStateHome();
  const files = { "a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n" };
  const desk = await layDesk(program, {
    clientInfo: { name: "Tester" },
    files,
    open: { "a.txt": "mine\none\n", "b.txt": "one\n" },
    ...options,
  });
  await announced(home);
  const send = (args: readonly string[], ...sections: readonly string[]) => {
    const input = ["*** Begin Patch", ...sections, "*** End Patch\n"].join("\n");
    return runCommand(program, ["apply", ...args], { cwd: desk.root, input });
  };
  return { ...desk, send };
}

const lossy = [
  ["deletes it", ["*** Delete File: a.txt"]],
  ["moves it", ["*** Update File: a.txt\n*** Move to: d.txt\n@@\n-one\n+two"]],
  ["replaces it", ["*** Add File: a.txt\n+new"]],
  ["moves another file onto it", ["*** Update File: c.txt\n*** Move to: a.txt\n@@\n-one\n+two"]],
] as const;

describe("a patch for a document with unsaved text", () => {
  it.each(lossy)("that %s is refused without --overwrite", async (_, sections) => {
    const { send, disk, texts, editor } = await layBench();
    const before = [disk(), texts()];
    expect(await send([], ...sections)).toMatchObject({ code: 1 });
    expect([disk(), texts()]).toEqual(before);
    expect(editor.questions).toEqual([]);
  });

  it.each(lossy)("that %s is applied with --overwrite if the user agrees", async (_, sections) => {
    const { send, texts, editor } = await layBench();
    editor.answerQuestionsWith("Apply");
    expect(await send(["--overwrite"], ...sections)).toMatchObject({ code: 0 });
    expect(texts()["a.txt"]).not.toBe("mine\none\n");
    expect(editor.questions).toHaveLength(1);
  });

  it.each(lossy)(
    "that %s is not applied with --overwrite if the user rejects it, or can't be asked",
    async (_, sections) => {
      const { send, disk, texts, editor } = await layBench();
      const before = [disk(), texts()];
      editor.answerQuestionsWith("Reject");
      expect(await send(["--overwrite"], ...sections)).toMatchObject({
        code: 4,
        stderr: expect.stringContaining("rejected"),
      });
      editor.beforeAnswers(() => {
        throw new Error("no questions here");
      });
      const unasked = await send(["--overwrite"], ...sections);
      expect([unasked.code, unasked.stderr]).toEqual([4, expect.stringContaining("can't ask")]);
      expect([disk(), texts()]).toEqual(before);
    },
  );
});

describe("with --overwrite, nobody is asked", () => {
  it.each([
    ["a file that is not open", ["*** Delete File: c.txt"]],
    ["an open file without unsaved text", ["*** Delete File: b.txt"]],
    ["an edit of unsaved text", ["*** Update File: a.txt\n@@\n-one\n+two"]],
  ])("about %s", async (_, sections) => {
    const { send, editor } = await layBench();
    expect(await send(["--overwrite"], ...sections)).toMatchObject({ code: 0 });
    expect(editor.questions).toEqual([]);
  });

  it("if an integration sends the option as true", async () => {
    const { apply, editor, disk } = await layBench();
    const patch = "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch";
    await apply({ patch, options: { overwrite: true } });
    expect([editor.questions, disk()["a.txt"]]).toEqual([[], undefined]);
  });
});
