/** Editors and agents that end while the user is asked: nothing is changed, and the other side is told so. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { announced, friend, ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { batch } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { type FakeEditor, startEditor } from "../support/fakeEditor.js";
import { startAgent, type Told } from "../support/mcpAgent.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

const call = batch(["a.txt", "old", "new"]);

/** An editor that asks about everything, and whose user does not answer. */
async function lay(options: { files?: Record<string, string>; open?: Record<string, string> } = {}) {
  const home = ownStateHome();
  const settings = { save: "never", confirm: "always" };
  const open = options.open ?? { "a.txt": "old\n" };
  const root = makeDirectory({ ...open, ...options.files });
  const server = [process.execPath, program.path, "--stdio"] as const;
  const editor = await startEditor({ server, folders: [root], settings });
  onTestFinished(() => void editor.process.kill("SIGKILL"));
  for (const [path, text] of Object.entries(open))
    await editor.open({ uri: pathToFileURL(join(root, path)).href, text });
  editor.beforeAnswers(() => new Promise(() => undefined));
  const [session] = await announced(home);
  const texts = (): string[] => [...editor.documents.values()].map(({ text }) => text);
  const disk = (): string[] => readdirSync(root).map((name) => readFileSync(join(root, name), "utf8"));
  return { editor, root, session, texts, disk };
}

const isAsked = ({ questions }: FakeEditor) => expect.poll(() => questions.length).toBe(1);

const closed =
  "The editor was closed before the user had answered the question about the call. Ask the user before you send the call again. Nothing was changed.";

/** The ways in which an editor ends. */
const ends: readonly [string, (editor: FakeEditor) => unknown][] = [
  ["shuts its server down", (editor) => editor.stop()],
  ["closes the connection", (editor) => editor.process.stdin.end()],
  ["dies, and its server with it", (editor) => editor.process.kill("SIGKILL")],
];

describe.each(ends)("an editor that %s during a question", (_, end) => {
  it("leaves the agent with the truth: nothing was changed", async () => {
    const { editor, root, disk } = await lay();
    const agent = await startAgent(program, root);
    const answer = agent.call("multi_edit", call);
    await isAsked(editor);
    await end(editor);
    expect(await answer).toMatchObject({ texts: [closed], isError: true });
    expect(disk()).toEqual(["old\n"]);
  });

  it("does so for a file that the agent's process would have changed on disk", async () => {
    const { editor, root, disk } = await lay({ files: { "b.txt": "old\n" }, open: {} });
    const agent = await startAgent(program, root, { args: ["--mode", "disk"] });
    const answer = agent.call("multi_edit", batch(["b.txt", "old", "new"]));
    await isAsked(editor);
    await end(editor);
    expect(await answer).toMatchObject({ texts: [closed], isError: true });
    expect(disk()).toEqual(["old\n"]);
  });
});

describe("an editor that ends after the user has agreed", () => {
  it("leaves the outcome unknown, because the edit may have been made", async () => {
    const { editor, root } = await lay();
    editor.beforeAnswers(() => undefined);
    editor.answerQuestionsWith("Apply");
    editor.beforeEdits(() => void editor.process.kill("SIGKILL"));
    const agent = await startAgent(program, root);
    const answer = await agent.call("multi_edit", call);
    expect(answer.texts[0]).toContain("the outcome of the call is unknown");
  });
});

describe("an agent that ends during a question", () => {
  it.each(["an edit", "an undo"])("withdraws the question about %s, even if it is killed", async (what) => {
    const { editor, session, texts } = await lay();
    if (what === "an undo") {
      editor.beforeAnswers(() => (editor.questions.length === 1 ? undefined : new Promise(() => undefined)));
      editor.answerQuestionsWith("Apply");
    }
    const peer = await friend(session, { name: "robot" });
    if (what === "an undo") await peer.ask(1, "multiEdit/apply", call);
    const [method, params] = what === "an edit" ? ["multiEdit/apply", call] : ["multiEdit/undo", {}];
    peer.ask(2, method, params).catch(() => undefined);
    await expect.poll(() => editor.questions.length).toBe(what === "an edit" ? 1 : 2);
    const before = texts();
    peer.socket.destroy();
    await expect.poll(() => editor.notices.filter(({ message }) => message.includes("withdrawn"))).toHaveLength(1);
    expect(texts()).toEqual(before);
  });

  it("withdraws the question about a change on disk, even if it is killed", async () => {
    const { editor, root, disk } = await lay({ files: { "b.txt": "old\n" }, open: {} });
    const child = spawn(process.execPath, [program.path, "apply", "--mode", "disk"], { cwd: root, stdio: "pipe" });
    child.stdin.end(JSON.stringify(batch(["b.txt", "old", "new"])));
    await isAsked(editor);
    child.kill("SIGKILL");
    await expect.poll(() => editor.notices.filter(({ message }) => message.includes("withdrawn"))).toHaveLength(1);
    expect(disk()).toEqual(["old\n"]);
  });

  it("keeps the question if it has only closed its side of the connection", async () => {
    const { editor, session, texts } = await lay();
    let decide = (): void => undefined;
    editor.beforeAnswers(() => new Promise<void>((resolve) => (decide = resolve)));
    editor.answerQuestionsWith("Apply");
    const peer = await friend(session, { name: "robot" });
    const answer = peer.ask(1, "multiEdit/apply", call);
    await isAsked(editor);
    peer.socket.end();
    await delay(100);
    decide();
    expect(await answer).toMatchObject({ result: { outcome: "applied" } });
    expect(texts()).toEqual(["new\n"]);
  });
});

describe("an equal call on another connection of the same agent", () => {
  /** Two connections, the call on each, and the user's decision. */
  async function layTwo(agents: readonly [string, string]) {
    const desk = await lay();
    const { editor, session } = desk;
    let decide = (): void => undefined;
    const decided = new Promise<void>((resolve) => (decide = resolve));
    editor.beforeAnswers(() => decided);
    editor.answerQuestionsWith("Reject", "Apply");
    const [first, second] = await Promise.all(agents.map((agent) => friend(session, { name: "robot", agent })));
    const answers = [first!.ask(1, "multiEdit/apply", call), second!.ask(1, "multiEdit/apply", call)] as const;
    for (const answer of answers) answer.catch(() => undefined);
    await isAsked(editor);
    await delay(200);
    return { ...desk, first: first!, answers, decide };
  }
  const codes = ({ error }: { error?: unknown }): unknown =>
    (error as { data: { failures: { code: string }[] } })?.data.failures[0]?.code;

  it("gets the same answer, and the user is asked once", async () => {
    const { answers, decide, editor } = await layTwo(["a", "a"]);
    decide();
    expect((await Promise.all(answers)).map(codes)).toEqual(["userRejected", "userRejected"]);
    expect(editor.questions).toHaveLength(1);
  });

  it("keeps the question when the first connection ends, or its request is cancelled", async () => {
    const { answers, decide, editor, first, texts } = await layTwo(["a", "a"]);
    editor.answerQuestionsWith("Apply");
    first.socket.destroy();
    await delay(300);
    expect(editor.notices).toEqual([]);
    decide();
    expect(await answers[1]).toMatchObject({ result: { outcome: "applied" } });
    expect([editor.questions.length, texts()]).toEqual([1, ["new\n"]]);
  });

  it("is asked about on its own if it is another agent's", async () => {
    const { answers, decide, editor, texts } = await layTwo(["a", "b"]);
    decide();
    expect((await Promise.all(answers)).map(codes).sort()).toEqual(["userRejected", undefined]);
    expect([editor.questions.length, texts()]).toEqual([2, ["new\n"]]);
  });

  it("is asked about once, too, if another process changes the file on disk", async () => {
    const { editor, session } = await lay();
    let decide = (): void => undefined;
    editor.beforeAnswers(() => new Promise<void>((resolve) => (decide = resolve)));
    editor.answerQuestionsWith("Apply");
    const question = { label: "b.txt (1 edit)", diff: "-old\n+new\n", added: 1, removed: 1, files: [] };
    const peers = await Promise.all(["a", "a"].map((agent) => friend(session, { name: "robot", agent })));
    const answers = Promise.all(peers.map((peer) => peer.ask(1, "multiEdit/confirm", question)));
    await isAsked(editor);
    await delay(200);
    decide();
    expect(await answers).toMatchObject([{ result: { consent: "yes" } }, { result: { consent: "yes" } }]);
    expect(editor.questions).toHaveLength(1);
  });
});

describe("an undo about which the user is asked", () => {
  it("gets a ticket, as an edit does", async () => {
    const { editor, root, texts } = await lay();
    let decide = (): void => undefined;
    editor.beforeAnswers(() =>
      editor.questions.length === 1 ? undefined : new Promise<void>((resolve) => (decide = resolve)),
    );
    editor.answerQuestionsWith("Apply");
    const agent = await startAgent(program, root, { args: ["--timeout", "1"] });
    const ticketIn = ({ texts: [text] }: Told): string | undefined =>
      /waiting for the user \(ticket (q\d)\)/.exec(text!)?.[1];
    /** The final answer, which even a user who answers at once may give only after the tool's patience of 1 s. */
    const final = async (told: Told): Promise<string | undefined> => {
      const ticket = ticketIn(told);
      return ticket === undefined ? told.texts[0] : final(await agent.call("editor_status", { ticket }));
    };
    await final(await agent.call("multi_edit", call));
    const asked = await agent.call("undo_last_edit", {});
    expect(ticketIn(asked)).toBeDefined();
    expect(texts()).toEqual(["new\n"]);
    decide();
    expect(await final(asked)).toMatch(/^Undone:/);
    expect(texts()).toEqual(["old\n"]);
  });
});
