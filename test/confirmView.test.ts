/** The question in a view of the client's own, and questions that nobody has answered in time. */
import { describe, expect, it, vi } from "vitest";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import { limits } from "../server/text/limits.js";
import { announced, friend, ownStateHome } from "./support/agentPeer.js";
import {
  batch,
  type Desk,
  type DeskOptions,
  failed,
  hastyServer,
  layDesk,
  patchOf,
  serverForDesks,
} from "./support/desk.js";

const program = serverForDesks();

const edits = { ...batch(["a.txt", "old", "new"]), options: { confirm: true } };

/** Capabilities of a client that has a view for questions, and those of one that can show a document. */
const view = { experimental: { multiEdit: { confirm: true } }, window: { showDocument: { support: true } } };
const documents = { window: { showDocument: { support: true } } };

const start = (options: DeskOptions = {}): Promise<Desk> =>
  layDesk(program, { open: { "a.txt": "old\n" }, capabilities: view, ...options });

describe("a client that announces confirm", () => {
  it("gets the whole question, and no message, no document and no file", async () => {
    const { editor, apply, texts, uri } = await start({ files: { "b.txt": "b\n" } });
    const patch = patchOf(
      ...["*** Update File: a.txt", "@@", "-old", "+new", "+newer"],
      ...["*** Update File: b.txt", "*** Move to: c.txt", "*** Add File: d.txt", "+d"],
    );
    const { diff } = await apply({ ...patch, options: { confirm: true } });
    expect(editor.confirms).toEqual([
      {
        label: "3 files (3 edits)",
        diff,
        added: 3,
        removed: 1,
        files: [
          { uri: uri("a.txt"), kind: "update", added: 2, removed: 1 },
          { uri: uri("c.txt"), kind: "rename", oldUri: uri("b.txt"), added: 0, removed: 0 },
          { uri: uri("d.txt"), kind: "create", added: 1, removed: 0 },
        ],
        expiresInMs: limits.confirmMs,
      },
    ]);
    expect([editor.questions, editor.shown, editor.withdrawn]).toEqual([[], [], []]);
    expect(texts()["a.txt"]).toBe("new\nnewer\n");
  });

  it.each<[string, object, string | undefined]>([
    ["a reason", { answer: "reject", reason: "use\na \u001b[1mconstant" }, "use a [1mconstant"],
    ["a reason of spaces", { answer: "reject", reason: " \n" }, undefined],
    ["a reason that is no text", { answer: "reject", reason: 7 }, undefined],
    ["no reason", { answer: "reject" }, undefined],
  ])("rejects with %s, which reaches the caller", async (_, answer, reason) => {
    const { editor, apply, texts } = await start();
    editor.answerConfirmsWith(answer);
    const failure = await failed(apply(edits));
    expect([failure.codes, failure.diff]).toEqual([["userRejected"], expect.stringContaining("-old\n+new\n")]);
    expect(failure.failures[0]!.reason).toBe(reason);
    expect(failure.message).toBe(
      reason === undefined
        ? 'The user rejected "a.txt (1 edit)". Ask the user what to do instead. Nothing was changed.'
        : `The user rejected "a.txt (1 edit)" and said: ${JSON.stringify(reason)}. Do what the user asks for, as a new call. Nothing was changed.`,
    );
    expect(texts()).toEqual({ "a.txt": "old\n" });
  });

  it.each<[string, unknown, string]>([
    ["null", null, "null"],
    ["an answer that does not exist", { answer: "yes", reason: "well" }, '{"answer":"yes","reason":"well"}'],
    ["no answer", {}, "{}"],
    ["a list", [1], "[1]"],
    ["a very long text", "x".repeat(10_000), `"${"x".repeat(98)}…`],
  ])("does not reject with %s, which says nothing about the user", async (_, answer, shown) => {
    const { editor, apply, texts } = await start();
    editor.answerConfirmsWith(answer as object);
    const { codes, message } = await failed(apply(edits));
    expect([codes, message]).toEqual([
      ["clientCapability"],
      `The editor's answer to the question about "a.txt (1 edit)" does not say what the user decided: ${shown}. Ask the user. Nothing was changed.`,
    ]);
    expect(texts()).toEqual({ "a.txt": "old\n" });
  });

  it("cuts a very long reason", async () => {
    const { editor, apply } = await start();
    editor.answerConfirmsWith({ answer: "reject", reason: "x".repeat(5_000) });
    expect((await failed(apply(edits))).failures[0]!.reason).toBe("x".repeat(limits.rejectReason));
  });

  it("can't ask if it answers with an error, and the call fails", async () => {
    const { editor, apply, texts } = await start();
    editor.beforeAnswers(() => {
      throw new Error("no window");
    });
    expect((await failed(apply(edits))).codes).toEqual(["clientCapability"]);
    expect(texts()).toEqual({ "a.txt": "old\n" });
  });

  it("is not said to be missing if it answers with an error", async () => {
    const { editor, apply } = await start({ settings: { confirm: "always" } });
    editor.beforeAnswers(() => {
      throw new Error("no window");
    });
    expect((await failed(apply(batch(["a.txt", "old", "new"])))).message).toBe(
      'A change to "a.txt" needs the user\'s consent, because the setting "confirm" says so, but the editor can\'t ask the user. Ask the user to change the setting "confirm", or to make the change. Nothing was changed.',
    );
  });

  it("is asked again, in a new view, if the diff changes while the question is open", async () => {
    const desk = await start({ open: { "a.txt": "1\nold\n3\n" } });
    desk.editor.beforeAnswers(async () => {
      if (desk.editor.confirms.length === 1) await desk.typeBefore("a.txt", "1", "typed ");
    });
    expect(await desk.apply(edits)).toMatchObject({ outcome: "applied" });
    expect(desk.editor.confirms.map(({ diff }) => diff.includes(" typed 1\n"))).toEqual([false, true]);
  });

  it("learns that the question is withdrawn when the call is cancelled", async () => {
    const { editor, apply, texts } = await start();
    editor.answerConfirmsWith("waits");
    const source = new CancellationTokenSource();
    const answer = failed(apply(edits, source.token));
    await vi.waitUntil(() => editor.confirms.length === 1, { timeout: 10_000 });
    source.cancel();
    expect((await answer).codes).toEqual(["cancelled"]);
    await expect.poll(() => editor.withdrawn).toEqual(["a.txt (1 edit)"]);
    expect([editor.notices, texts()]).toEqual([[], { "a.txt": "old\n" }]);
  });

  it("learns that the question has expired, and can be asked again", async () => {
    const { editor, apply, texts } = await start({ server: hastyServer(program, 1_000) });
    editor.answerConfirmsWith("waits");
    expect((await failed(apply(edits))).codes).toEqual(["timeout"]);
    await expect.poll(() => editor.withdrawn).toEqual(["a.txt (1 edit)"]);
    editor.answerConfirmsWith({ answer: "apply" });
    expect(await apply(edits)).toMatchObject({ outcome: "applied" });
    expect([editor.notices, texts()]).toEqual([[], { "a.txt": "new\n" }]);
  });
});

describe("a client that ignores a withdrawal", () => {
  it("is asked again, because an open view of a withdrawn question blocks nothing", async () => {
    const { editor, apply, texts } = await start();
    editor.answerConfirmsWith("ignores");
    const source = new CancellationTokenSource();
    const answer = failed(apply(edits, source.token));
    await vi.waitUntil(() => editor.confirms.length === 1, { timeout: 10_000 });
    source.cancel();
    await answer;
    editor.answerConfirmsWith({ answer: "apply" });
    expect(await apply(edits)).toMatchObject({ outcome: "applied" });
    expect([editor.confirms.length, texts()]).toEqual([2, { "a.txt": "new\n" }]);
  });
});

describe("a withdrawn message of one agent", () => {
  it("does not keep another agent's equal question from the user", async () => {
    const home = ownStateHome();
    const { editor, texts } = await start({ settings: { save: "never", confirm: "always" }, capabilities: {} });
    const [session] = await announced(home);
    const call = batch(["a.txt", "old", "new"]);
    editor.beforeAnswers(() => (editor.questions.length === 1 ? new Promise(() => undefined) : undefined));
    editor.answerQuestionsWith("Apply");
    const first = await friend(session, { name: "robot", agent: "a" });
    void first.ask(1, "multiEdit/apply", call).catch(() => undefined);
    await vi.waitUntil(() => editor.questions.length === 1, { timeout: 10_000 });
    first.socket.destroy();
    await expect
      .poll(() => editor.notices.map(({ message }) => message))
      .toEqual([expect.stringContaining("has been withdrawn")]);
    const second = await friend(session, { name: "robot", agent: "b" });
    expect(await second.ask(1, "multiEdit/apply", call)).toMatchObject({ result: { outcome: "applied" } });
    expect(texts()).toEqual({ "a.txt": "new\n" });
  });

  it("keeps the agent's own equal question from the user, who learns why", async () => {
    const home = ownStateHome();
    const { editor } = await start({ settings: { save: "never", confirm: "always" }, capabilities: {} });
    const [session] = await announced(home);
    const call = batch(["a.txt", "old", "new"]);
    editor.beforeAnswers(() => new Promise(() => undefined));
    const first = await friend(session, { name: "robot", agent: "a" });
    void first.ask(1, "multiEdit/apply", call).catch(() => undefined);
    await vi.waitUntil(() => editor.questions.length === 1, { timeout: 10_000 });
    first.socket.destroy();
    await expect.poll(() => editor.notices.length).toBe(1);
    const again = await friend(session, { name: "robot", agent: "a" });
    expect(await again.ask(1, "multiEdit/apply", call)).toMatchObject({
      error: { data: { failures: [{ code: "timeout" }] } },
    });
    expect(editor.questions).toHaveLength(1);
    await expect
      .poll(() => editor.notices[1]?.message)
      .toBe(
        'A call of "robot" failed: You have not answered the question about "a.txt (1 edit)" that was asked before; it may still be on the screen. Close it, then send the call again.',
      );
  });
});

describe("a message that the user closes without an answer", () => {
  it("is not told as a rejection, nor is an answer that was not offered", async () => {
    const { editor, apply, texts } = await start({ capabilities: documents });
    editor.answerQuestionsWith(undefined, "Later");
    const closed = await failed(apply(edits));
    expect([closed.codes, closed.message]).toEqual([
      ["userRejected"],
      'The user closed the question about "a.txt (1 edit)" without an answer. Ask the user what to do instead. Nothing was changed.',
    ]);
    const other = await failed(apply(edits));
    expect([other.codes, other.message]).toEqual([
      ["clientCapability"],
      'The editor\'s answer to the question about "a.txt (1 edit)" does not say what the user decided: {"title":"Later"}. Ask the user. Nothing was changed.',
    ]);
    expect(texts()).toEqual({ "a.txt": "old\n" });
  });
});

describe("names that could deceive a reader", () => {
  const path = "safe\u202etxt.sh";

  it("are quoted or escaped in messages to the user", async () => {
    const home = ownStateHome();
    const { editor } = await start({
      settings: { save: "never", confirm: "always" },
      capabilities: {},
      open: { [path]: "old\n", "b.txt": "b\n" },
    });
    editor.answerQuestionsWith("Apply");
    const [session] = await announced(home);
    const robot = await friend(session, { name: "You" });
    await robot.ask(1, "multiEdit/apply", batch([path, "old", "a\u202eb\u0007"]));
    await robot.ask(2, "multiEdit/apply", batch([path, "gone", "x"]));
    await robot.ask(3, "multiEdit/apply", batch([path, "a", "x"], ["b.txt", "b", "x"]));
    const shown = [...editor.questions, ...editor.notices].map(({ message }) => message);
    expect(shown.filter((text) => text.includes("\u202e") || text.includes("\u0007"))).toEqual([]);
    expect(editor.questions[0]!.message.split("\n\n")).toEqual([
      '"You": Apply safe\ufffdtxt.sh (1 edit)? This adds 1 line and removes 1.\nFiles: safe\\u202etxt.sh (+1 -1).',
      expect.stringContaining("-old\n+a\\u202eb\\u0007\n"),
    ]);
    expect(editor.notices[0]!.message).toMatch(/^"You" changed safe\\u202etxt\.sh \(\+1 -1\)\./);
    await expect
      .poll(() => editor.notices.at(-1)!.message, { timeout: 10_000 })
      .toMatch(/A call of "You" failed: .*safe/);
    expect(editor.notices.filter(({ message }) => message.includes("\u202e"))).toEqual([]);
  }, 20_000);
});

describe("a question of an agent", () => {
  it("names the agent, in a view and in a message", async () => {
    const home = ownStateHome();
    const settings = { save: "never", confirm: "always" };
    const { editor } = await start({ settings });
    const [session] = await announced(home);
    const robot = await friend(session, { name: "robot" });
    await robot.ask(1, "multiEdit/apply", batch(["a.txt", "old", "new"]));
    expect(editor.confirms).toMatchObject([{ agent: "robot" }]);
  });

  it("names the files in a message, unless the label does", async () => {
    const home = ownStateHome();
    const settings = { save: "never", confirm: "always" };
    const { editor } = await start({ settings, capabilities: {} });
    editor.answerQuestionsWith("Apply");
    const [session] = await announced(home);
    const robot = await friend(session, { name: "robot" });
    await robot.ask(1, "multiEdit/apply", batch(["a.txt", "old", "new"]));
    await robot.ask(2, "multiEdit/apply", batch(["a.txt", "new", "newer"], ["dir/b.txt", "", "b\n"]));
    expect(editor.questions.map(({ message }) => message.split("\n\n", 1)[0])).toEqual([
      '"robot": Apply a.txt (1 edit)? This adds 1 line and removes 1.',
      '"robot": Apply 2 files (2 edits)? This adds 2 lines and removes 1.\nFiles: a.txt (+1 -1), dir/b.txt (new, +1).',
    ]);
  });
});

describe("a message that nobody has answered in time", () => {
  it("is followed by another one that says so, and is not asked again as long as it may be on the screen", async () => {
    const { editor, apply, texts } = await start({ server: hastyServer(program, 1_000), capabilities: documents });
    let answerNow = (): void => undefined;
    editor.beforeAnswers(() => new Promise<void>((resolve) => (answerNow = resolve)));
    editor.answerQuestionsWith("Apply");
    expect((await failed(apply(edits))).codes).toEqual(["timeout"]);
    await expect
      .poll(() => editor.notices)
      .toEqual([
        {
          type: 3,
          message:
            'The question about "a.txt (1 edit)" has expired: its answer no longer counts, and nothing was changed.',
        },
      ]);
    const again = await failed(apply(edits));
    expect([again.codes, again.message]).toEqual([
      ["timeout"],
      'The user has not answered the question about "a.txt (1 edit)" that was asked before; it may still be on the screen. Ask the user to close it, then send the call again. Nothing was changed.',
    ]);
    expect(editor.questions).toHaveLength(1);
    answerNow();
    editor.beforeAnswers(() => undefined);
    await expect.poll(async () => (await apply(edits).catch(() => undefined))?.outcome).toBe("applied");
    expect([editor.questions.length, texts()]).toEqual([2, { "a.txt": "new\n" }]);
  });

  it("is withdrawn with a message if the call is cancelled", async () => {
    const { editor, apply } = await start({ capabilities: documents });
    editor.beforeAnswers(() => new Promise(() => undefined));
    const source = new CancellationTokenSource();
    const answer = failed(apply(edits, source.token));
    await vi.waitUntil(() => editor.questions.length === 1, { timeout: 10_000 });
    source.cancel();
    await answer;
    await expect
      .poll(() => editor.notices.map(({ message }) => message))
      .toEqual([
        'The question about "a.txt (1 edit)" has been withdrawn: its answer no longer counts, and nothing was changed.',
      ]);
  });
});

describe("a diff that can't be written to disk", () => {
  it("is shown in the question, instead of an untrue failure", async () => {
    const server = ["env", "TMPDIR=/dev/null/none", process.execPath, program.path, "--stdio"] as const;
    const { editor, apply } = await start({ server, capabilities: documents });
    editor.answerQuestionsWith("Show diff", "Apply");
    expect(await apply(edits)).toMatchObject({ outcome: "applied" });
    expect(editor.questions.map(({ actions }) => actions?.map(({ title }) => title))).toEqual([
      ["Apply", "Show diff", "Reject"],
      ["Apply", "Reject"],
    ]);
    expect(editor.questions[1]!.message).toContain("-old\n+new\n");
  });
});
