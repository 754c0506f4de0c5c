/**
 * The user is asked before anything changes, is never asked twice about the same diff, and may leave without answering.
 */
import { describe, expect, it, vi } from "vitest";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import { batch, type Desk, type DeskOptions, failed, layDesk, serverForDesks } from "./support/desk.js";

const program = serverForDesks();

/** Ten lines: too many for a diff's three lines of context to cover the whole text. */
const text = "1\n2\n3\n4\nold\n6\n7\n8\n9\n10\n";
const after = text.replace("old", "new");
const edits = { ...batch(["a.txt", "old", "new"]), options: { confirm: true } };

async function start(options: DeskOptions = {}): Promise<Desk> {
  const desk = await layDesk(program, { open: { "a.txt": text }, ...options });
  desk.editor.answerQuestionsWith("Apply");
  return desk;
}

describe("a call that needs confirmation", () => {
  it("asks once, names the change, and applies it if the person agrees", async () => {
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

  it.each([["Reject"], [undefined]])("changes nothing if the answer is %s", async (answer) => {
    const { editor, apply, texts } = await start();
    editor.answerQuestionsWith(answer);
    const failure = await failed(apply(edits));
    expect([failure.rpcCode, failure.codes]).toEqual([-32803, ["userRejected"]]);
    expect(failure.message).toContain("a.txt (1 edit)");
    expect(failure.edits).toMatchObject([{ index: 0, status: "notAttempted" }]);
    expect(failure.diff).toContain("-old\n+new\n");
    expect(texts()).toEqual({ "a.txt": text });
    expect(editor.asked).toEqual([]);
  });

  it("does not advise the caller to resend an edit that the person has rejected", async () => {
    const { editor, apply } = await start();
    editor.answerQuestionsWith("Reject");
    expect((await failed(apply(edits))).message).not.toMatch(/send (?:it|them|the call) again|sent again/);
  });

  it("changes nothing, and fails with a message, if the editor can't ask", async () => {
    const { editor, apply, texts } = await start();
    editor.beforeAnswers(() => {
      throw new Error("no window");
    });
    const failure = await failed(apply(edits));
    expect(failure.codes).toHaveLength(1);
    expect(texts()).toEqual({ "a.txt": text });
    expect(editor.asked).toEqual([]);
  });

  it("does not ask about a call that fails anyway or changes nothing", async () => {
    const { editor, apply } = await start();
    await failed(apply({ ...batch(["a.txt", "gone", "new"]), options: { confirm: true } }));
    const nothing = batch(["a.txt", "old", "new"], ["a.txt", "new", "old"]);
    expect(await apply({ ...nothing, options: { confirm: true } })).toMatchObject({ outcome: "applied", diff: "" });
    expect(editor.questions).toEqual([]);
  });

  it("is asked about if a setting demands it, except in proposals and previews", async () => {
    const { editor, apply, propose, texts } = await start({ settings: { confirm: "always" } });
    await propose(batch(["a.txt", "old", "new"]));
    await editor.request("multiEdit/preview", batch(["a.txt", "old", "new"]));
    expect(editor.questions).toEqual([]);
    expect(await apply(batch(["a.txt", "old", "new"]))).toMatchObject({ outcome: "applied" });
    expect(editor.questions).toHaveLength(1);
    expect(texts()).toEqual({ "a.txt": after });
  });

  it("is asked about if the person wants to be asked, whatever the caller wants", async () => {
    const { editor, apply } = await start({ settings: { confirm: "always" } });
    editor.answerQuestionsWith("Reject");
    const failure = await failed(apply({ ...batch(["a.txt", "old", "new"]), options: { confirm: false } }));
    expect(failure.codes).toEqual(["userRejected"]);
    expect(editor.questions).toHaveLength(1);
  });
});

describe("a text that changes while the question is open", () => {
  const meanwhile = (desk: Desk, type: () => Promise<void>): void =>
    desk.editor.beforeAnswers(async () => {
      if (desk.editor.questions.length === 1) await type();
    });

  it("outside the diff: the answer remains valid", async () => {
    const desk = await start();
    meanwhile(desk, () => desk.typeBefore("a.txt", "10", "typed "));
    expect(await desk.apply(edits)).toMatchObject({ outcome: "applied" });
    expect(desk.editor.questions).toHaveLength(1);
    expect(desk.texts()).toEqual({ "a.txt": after.replace("10", "typed 10") });
  });

  it("so that the diff changes: the person is asked again", async () => {
    const desk = await start();
    meanwhile(desk, () => desk.typeBefore("a.txt", "6", "typed "));
    expect(await desk.apply(edits)).toMatchObject({ outcome: "applied" });
    expect(desk.editor.questions).toHaveLength(2);
    expect(desk.texts()).toEqual({ "a.txt": after.replace("6", "typed 6") });
  });

  it("so that the old text no longer exists: the call fails, and nothing changes", async () => {
    const desk = await start();
    meanwhile(desk, () => desk.typeBefore("a.txt", "ld", "u"));
    expect((await failed(desk.apply(edits))).codes).toEqual(["contentModified"]);
    expect(desk.texts()).toEqual({ "a.txt": text.replace("old", "ould") });
    expect(desk.editor.asked).toEqual([]);
  });

  it("after the answer: only a change that the person agreed to is applied, or the person is asked again", async () => {
    const desk = await start({ proofTimeout: 400 });
    desk.editor.beforeEdits(async () => {
      if (desk.editor.asked.length === 1) await desk.typeBefore("a.txt", "1", "typed ");
    });
    expect(await desk.apply(edits)).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": `typed ${after}` });
  });
});

describe("a person who wants to see the diff", () => {
  const capabilities = { window: { showDocument: { support: true } } };
  const diff = (before: string, now: string): string =>
    `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -2,7 +2,7 @@\n${[" 2", " 3", " 4", "-old", `+${now}`, ` ${before}`, " 7", " 8", ""].join("\n")}`;

  /** Starts a desk with the default capabilities and the capability to show documents. */
  const startShowing = (options: DeskOptions = {}): Promise<Desk> =>
    start({ capabilities, settings: { proofTimeout: 300 }, ...options });

  it("gets it as a document that only this user can read, and is asked again; the document is deleted afterwards", async () => {
    const { editor, apply, texts } = await startShowing();
    editor.answerQuestionsWith("Show diff", "Apply");
    expect(await apply(edits)).toMatchObject({ outcome: "applied" });
    expect(editor.questions.map(({ actions }) => actions?.map(({ title }) => title))).toEqual([
      ["Apply", "Show diff", "Reject"],
      ["Apply", "Show diff", "Reject"],
    ]);
    expect(editor.shown).toMatchObject([{ text: diff("6", "new"), mode: 0o600, folderMode: 0o700 }]);
    expect(editor.shown[0]!.path).toMatch(/\.diff$/);
    expect(editor.shown[0]!.isThere()).toBe(false);
    expect(texts()).toEqual({ "a.txt": after });
  });

  it("and rejects it: the caller gets the proposed diff, and the document is deleted", async () => {
    const { editor, apply, texts } = await startShowing();
    editor.answerQuestionsWith("Show diff", "Show diff", "Reject");
    const failure = await failed(apply(edits));
    expect([failure.codes, failure.diff]).toEqual([["userRejected"], diff("6", "new")]);
    expect(editor.shown).toHaveLength(2);
    expect(editor.shown.filter(({ isThere }) => isThere())).toEqual([]);
    expect(texts()).toEqual({ "a.txt": text });
  });

  it("is shown the new diff and asked again if the text changes so that the diff differs", async () => {
    const desk = await startShowing();
    desk.editor.answerQuestionsWith("Show diff", "Apply", "Apply");
    desk.editor.beforeAnswers(async () => {
      if (desk.editor.questions.length === 2) await desk.typeBefore("a.txt", "6", "typed ");
    });
    expect(await desk.apply(edits)).toMatchObject({ outcome: "applied" });
    expect(desk.editor.questions).toHaveLength(3);
    expect(desk.editor.shown.map((shown) => shown.text)).toEqual([diff("6", "new"), diff("typed 6", "new")]);
    expect(new Set(desk.editor.shown.map(({ path }) => path)).size).toBe(2);
    expect(desk.texts()).toEqual({ "a.txt": after.replace("6", "typed 6") });
  });

  it.each(["fails", "answersErrors", "answersNull"] as const)(
    "reads it in the question if showing %s, or if the editor can't show documents",
    async (shows) => {
      const { editor, apply } = await startShowing({ shows });
      editor.answerQuestionsWith("Show diff", "Apply");
      expect(await apply(edits)).toMatchObject({ outcome: "applied" });
      expect(editor.questions.map(({ actions }) => actions?.map(({ title }) => title))).toEqual([
        ["Apply", "Show diff", "Reject"],
        ["Apply", "Reject"],
      ]);
      expect(editor.questions[0]!.message).not.toContain("-old");
      expect(editor.questions[1]!.message).toContain(diff("6", "new"));
      expect(editor.shown.filter(({ isThere }) => isThere())).toEqual([]);
    },
  );

  it("reads in the question as much of a long diff as fits, and how many lines are left out", async () => {
    const lines = Array.from({ length: 200 }, (_, i) => `line ${i} old\n`).join("");
    const { editor, apply } = await start({ open: { "a.txt": lines } });
    await apply({ path: "a.txt", oldText: "old", newText: "new", replaceAll: true, options: { confirm: true } });
    const [head = "", ...rest] = editor.questions[0]!.message.split("\n\n");
    const shown = rest.join("\n\n").split("\n");
    expect(head).toBe("Apply a.txt (1 edit)? This adds 200 lines and removes 200.");
    // The diff has 404 lines.
    expect(shown.at(-1)).toBe(`… and ${404 - (shown.length - 1)} more lines`);
    expect(shown.join("\n").length).toBeLessThan(1_100);
  });

  it("leaves nothing behind if the call is cancelled or the server ends while the question is open", async () => {
    const desk = await startShowing();
    desk.editor.answerQuestionsWith("Show diff", "Apply");
    desk.editor.beforeAnswers(() => (desk.editor.questions.length < 2 ? undefined : new Promise(() => undefined)));
    const source = new CancellationTokenSource();
    const answer = failed(desk.apply(edits, source.token));
    await vi.waitUntil(() => desk.editor.questions.length === 2, { timeout: 10_000 });
    expect(desk.editor.shown[0]!.isThere()).toBe(true);
    source.cancel();
    expect((await answer).codes).toEqual(["cancelled"]);
    expect(desk.editor.shown[0]!.isThere()).toBe(false);

    const other = await startShowing();
    other.editor.answerQuestionsWith("Show diff", "Apply");
    other.editor.beforeAnswers(() => (other.editor.questions.length < 2 ? undefined : new Promise(() => undefined)));
    void other.apply(edits).catch(() => undefined);
    await vi.waitUntil(() => other.editor.questions.length === 2, { timeout: 10_000 });
    await other.editor.stop();
    expect(other.editor.shown[0]!.isThere()).toBe(false);
  });
});

describe("a person who does not answer", () => {
  /** Makes the editor never answer, as if the user had walked away. */
  const leave = (desk: Desk): void => desk.editor.beforeAnswers(() => new Promise(() => undefined));

  it("prevents neither a cancelled call nor the calls after it from ending", async () => {
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

  it("does not prevent a waiting call from being cancelled", async () => {
    const desk = await start();
    leave(desk);
    void desk.apply(edits).catch(() => undefined);
    await vi.waitUntil(() => desk.editor.questions.length === 1, { timeout: 10_000 });
    const source = new CancellationTokenSource();
    const answer = failed(desk.apply({ ...batch(["a.txt", "9", "nine"]), options: { confirm: true } }, source.token));
    source.cancel();
    const failure = await Promise.race([answer, patience("the cancelled call did not end")]);
    expect([failure.rpcCode, failure.codes]).toEqual([-32800, ["cancelled"]]);
    expect(desk.texts()).toEqual({ "a.txt": text });
  });

  it("does not prevent others from reading, previewing and typing", async () => {
    const desk = await start();
    leave(desk);
    void desk.apply(edits).catch(() => undefined);
    await vi.waitUntil(() => desk.editor.questions.length === 1, { timeout: 10_000 });
    await desk.typeBefore("a.txt", "10", "typed ");
    expect((await desk.read({ path: "a.txt" })).text).toBe(text.replace("10", "typed 10"));
    expect(await desk.propose(batch(["a.txt", "old", "new"]))).toMatchObject({ outcome: "proposed" });
  });
});

describe("a question that is open", () => {
  /** Holds back the answers to all questions until the returned function is called. */
  const holdAnswers = (desk: Desk): (() => void) => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    desk.editor.beforeAnswers(() => released);
    return release;
  };

  it("does not prevent other calls from being applied, and is not asked again unless they change the diff", async () => {
    const desk = await start();
    const release = holdAnswers(desk);
    const first = desk.apply(edits);
    await vi.waitUntil(() => desk.editor.questions.length === 1, { timeout: 10_000 });
    const second = await Promise.race([desk.apply(batch(["a.txt", "10", "ten"])), patience("the next call waits")]);
    expect(second).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": text.replace("10", "ten") });
    release();
    expect(await first).toMatchObject({ outcome: "applied" });
    expect(desk.editor.questions).toHaveLength(1);
    expect(desk.texts()).toEqual({ "a.txt": after.replace("10", "ten") });
  });

  it("is asked again if another call has changed the diff, and applies what the person agreed to last", async () => {
    const desk = await start();
    const release = holdAnswers(desk);
    const first = desk.apply(edits);
    await vi.waitUntil(() => desk.editor.questions.length === 1, { timeout: 10_000 });
    await desk.apply(batch(["a.txt", "6", "six"]));
    release();
    expect(await first).toMatchObject({ outcome: "applied" });
    expect(desk.editor.questions.map(({ message }) => message.includes(" six\n"))).toEqual([false, true]);
    expect(desk.texts()).toEqual({ "a.txt": after.replace("6", "six") });
  });

  it("is the only one: the next one waits, and shows the text as the first has left it", async () => {
    const desk = await start();
    const release = holdAnswers(desk);
    const first = desk.apply(edits);
    await vi.waitUntil(() => desk.editor.questions.length === 1, { timeout: 10_000 });
    const second = desk.apply({ ...batch(["a.txt", "6", "six"]), options: { confirm: true } });
    // The answer to a later request shows that the second call has been received.
    await desk.apply(batch(["a.txt", "10", "ten"]));
    expect(desk.editor.questions).toHaveLength(1);
    release();
    expect(await Promise.all([first, second])).toMatchObject([{ outcome: "applied" }, { outcome: "applied" }]);
    expect(desk.editor.questions).toHaveLength(2);
    expect(desk.editor.questions[1]!.message).toContain(" new\n-6\n+six\n");
    expect(desk.texts()).toEqual({ "a.txt": after.replace("10", "ten").replace("6", "six") });
  });

  it("leaves no document changed: what was done before the text moved is rolled back first", async () => {
    const desk = await start({
      open: { "a.txt": text, "b.txt": text },
      settings: { save: "never", proofTimeout: 400 },
    });
    const release = holdAnswers(desk);
    desk.editor.beforeEdits(async () => {
      if (desk.editor.asked.length === 2) await desk.typeBefore("b.txt", "6", "typed ");
    });
    const call = { ...batch(["a.txt", "old", "new"], ["b.txt", "old", "new"]), options: { confirm: true } };
    const answer = desk.apply(call);
    await vi.waitUntil(() => desk.editor.questions.length === 1, { timeout: 10_000 });
    const later = holdAnswers(desk);
    release();
    await vi.waitUntil(() => desk.editor.questions.length === 2, { timeout: 10_000 });
    expect(desk.texts()).toEqual({ "a.txt": text, "b.txt": text.replace("6", "typed 6") });
    later();
    expect(await answer).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": after, "b.txt": after.replace("6", "typed 6") });
  });

  it("about an undo is about the call that was the latest one when the undo was sent", async () => {
    const desk = await start({ settings: { save: "never", confirm: "always" } });
    await desk.apply(batch(["a.txt", "1\n", "one\n"]));
    const release = holdAnswers(desk);
    const undone = desk.undo();
    await vi.waitUntil(() => desk.editor.questions.length === 2, { timeout: 10_000 });
    await desk.editor.setSettings({ save: "never", confirm: "protected" });
    await desk.apply(batch(["a.txt", "10", "ten"]));
    release();
    expect(await undone).toMatchObject({ outcome: "applied" });
    expect(desk.texts()).toEqual({ "a.txt": text.replace("10", "ten") });
  });
});

/** Rejects after a delay that is long even on a machine under load. */
async function patience(what: string): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, 3_000).unref());
  throw new Error(what);
}
