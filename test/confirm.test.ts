/** The person in front of the editor: asked before anything changes, never twice for one diff, and free to go away. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import { buildProgram, type Program } from "./support/build.js";
import { batch, clearDesks, type Desk, type DeskOptions, failed, layDesk } from "./support/desk.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../server/main.ts", import.meta.url));
});
afterAll(async () => {
  await clearDesks(program);
  program.remove();
});

/** Ten lines, so that there is text beyond the three lines of a diff's context. */
const text = "1\n2\n3\n4\nold\n6\n7\n8\n9\n10\n";
const after = text.replace("old", "new");
const edits = { ...batch(["a.txt", "old", "new"]), options: { confirm: true } };

async function start(options: DeskOptions = {}): Promise<Desk> {
  const desk = await layDesk(program, { open: { "a.txt": text }, ...options });
  desk.editor.answerQuestionsWith("Apply");
  return desk;
}

describe("a call that is to be confirmed", () => {
  it("asks once, with what is to be done, and applies it when told to", async () => {
    const { editor, apply, texts } = await start();
    expect(await apply(edits)).toMatchObject({ outcome: "applied" });
    expect(editor.questions).toHaveLength(1);
    expect(editor.questions[0]!.message).toContain("a.txt (1 edit)");
    expect(editor.questions[0]!.actions?.map(({ title }) => title)).toEqual(["Apply", "Reject"]);
    expect(texts()).toEqual({ "a.txt": after });
  });

  it("asks with the caller's own label", async () => {
    const { editor, apply } = await start();
    await apply({ ...edits, options: { confirm: true, label: "Rename old to new" } });
    expect(editor.questions[0]!.message).toContain("Rename old to new");
  });

  it.each([["Reject"], [undefined]])("changes nothing when the answer is %s", async (answer) => {
    const { editor, apply, texts } = await start();
    editor.answerQuestionsWith(answer);
    const failure = await failed(apply(edits));
    expect([failure.rpcCode, failure.codes]).toEqual([-32803, ["userRejected"]]);
    expect(failure.message).toContain("a.txt (1 edit)");
    expect(failure.edits).toMatchObject([{ index: 0, status: "notAttempted" }]);
    expect(texts()).toEqual({ "a.txt": text });
    expect(editor.asked).toEqual([]);
  });

  it("does not advise to send again what the person has rejected", async () => {
    const { editor, apply } = await start();
    editor.answerQuestionsWith("Reject");
    expect((await failed(apply(edits))).message).not.toMatch(/send (?:it|them) again|sent again/);
  });

  it("changes nothing, and fails in words, when the editor can't ask", async () => {
    const { editor, apply, texts } = await start();
    editor.beforeAnswers(() => {
      throw new Error("no window");
    });
    const failure = await failed(apply(edits));
    expect(failure.codes).toHaveLength(1);
    expect(texts()).toEqual({ "a.txt": text });
    expect(editor.asked).toEqual([]);
  });

  it("does not ask about a call that fails anyway, nor about one that changes nothing", async () => {
    const { editor, apply } = await start();
    await failed(apply({ ...batch(["a.txt", "gone", "new"]), options: { confirm: true } }));
    const nothing = batch(["a.txt", "old", "new"], ["a.txt", "new", "old"]);
    expect(await apply({ ...nothing, options: { confirm: true } })).toMatchObject({ outcome: "applied", diff: "" });
    expect(editor.questions).toEqual([]);
  });

  it("is asked by a setting, too, but for proposals and previews", async () => {
    const { editor, apply, propose, texts } = await start({ settings: { confirm: "always" } });
    await propose(batch(["a.txt", "old", "new"]));
    await editor.request("multiEdit/preview", batch(["a.txt", "old", "new"]));
    expect(editor.questions).toEqual([]);
    expect(await apply(batch(["a.txt", "old", "new"]))).toMatchObject({ outcome: "applied" });
    expect(editor.questions).toHaveLength(1);
    expect(texts()).toEqual({ "a.txt": after });
  });

  it("is asked where the person wants it, whatever the caller wants", async () => {
    const { editor, apply } = await start({ settings: { confirm: "always" } });
    editor.answerQuestionsWith("Reject");
    const failure = await failed(apply({ ...batch(["a.txt", "old", "new"]), options: { confirm: false } }));
    expect(failure.codes).toEqual(["userRejected"]);
    expect(editor.questions).toHaveLength(1);
  });
});

describe("a text that changes while the person looks", () => {
  const meanwhile = (desk: Desk, type: () => Promise<void>): void =>
    desk.editor.beforeAnswers(async () => {
      if (desk.editor.questions.length === 1) await type();
    });

  it("out of the diff's sight: the answer stands", async () => {
    const desk = await start();
    meanwhile(desk, () => desk.typeBefore("a.txt", "10", "typed "));
    expect(await desk.apply(edits)).toMatchObject({ outcome: "applied" });
    expect(desk.editor.questions).toHaveLength(1);
    expect(desk.texts()).toEqual({ "a.txt": after.replace("10", "typed 10") });
  });

  it("so that the diff is another one: the person is asked again", async () => {
    const desk = await start();
    meanwhile(desk, () => desk.typeBefore("a.txt", "6", "typed "));
    expect(await desk.apply(edits)).toMatchObject({ outcome: "applied" });
    expect(desk.editor.questions).toHaveLength(2);
    expect(desk.texts()).toEqual({ "a.txt": after.replace("6", "typed 6") });
  });

  it("so that the edit has no place any more: the call fails, and nothing changes", async () => {
    const desk = await start();
    meanwhile(desk, () => desk.typeBefore("a.txt", "ld", "u"));
    expect((await failed(desk.apply(edits))).codes).toEqual(["noMatch"]);
    expect(desk.texts()).toEqual({ "a.txt": text.replace("old", "ould") });
    expect(desk.editor.asked).toEqual([]);
  });

  it("after the answer: what is applied in the end is what was agreed to, or it is asked about", async () => {
    const desk = await start({ proofTimeout: 400 });
    desk.editor.beforeEdits(async () => {
      if (desk.editor.asked.length === 1) await desk.typeBefore("a.txt", "1", "typed ");
    });
    expect(await desk.apply(edits)).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": `typed ${after}` });
  });
});

describe("a person who does not answer", () => {
  /** Never settles, as a question that nobody looks at. */
  const leave = (desk: Desk): void => desk.editor.beforeAnswers(() => new Promise(() => undefined));

  it("does not keep a cancelled call from ending, nor those behind it", async () => {
    const desk = await start();
    leave(desk);
    const source = new CancellationTokenSource();
    const answer = failed(desk.apply(edits, source.token));
    await vi.waitUntil(() => desk.editor.questions.length === 1, { timeout: 10_000 });
    source.cancel();
    const failure = await Promise.race([answer, patience("the cancelled call did not end")]);
    expect([failure.rpcCode, failure.codes]).toEqual([-32800, ["cancelled"]]);
    const next = await Promise.race([desk.apply(batch(["a.txt", "9", "nine"])), patience("the next call waits")]);
    expect(next).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": text.replace("9", "nine") });
  });

  it("does not keep a call that waits behind it from being cancelled", async () => {
    const desk = await start();
    leave(desk);
    void desk.apply(edits).catch(() => undefined);
    await vi.waitUntil(() => desk.editor.questions.length === 1, { timeout: 10_000 });
    const source = new CancellationTokenSource();
    const answer = failed(desk.apply(batch(["a.txt", "9", "nine"]), source.token));
    source.cancel();
    const failure = await Promise.race([answer, patience("the cancelled call did not end")]);
    expect([failure.rpcCode, failure.codes]).toEqual([-32800, ["cancelled"]]);
    expect(desk.texts()).toEqual({ "a.txt": text });
  });

  it("does not keep others from reading, previewing and typing", async () => {
    const desk = await start();
    leave(desk);
    void desk.apply(edits).catch(() => undefined);
    await vi.waitUntil(() => desk.editor.questions.length === 1, { timeout: 10_000 });
    await desk.typeBefore("a.txt", "10", "typed ");
    expect((await desk.read({ path: "a.txt" })).text).toBe(text.replace("10", "typed 10"));
    expect(await desk.propose(batch(["a.txt", "old", "new"]))).toMatchObject({ outcome: "proposed" });
  });
});

/** Rejects after a while that is long for a machine under load. */
async function patience(what: string): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, 3_000).unref());
  throw new Error(what);
}
