import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { announced, friend, ownStateHome } from "./support/agentPeer.js";
import { type Ran, runCommand } from "./support/commands.js";
import { batch, type DeskOptions, hastyServer, layDesk, serverForDesks } from "./support/desk.js";
import { textsBelow } from "./support/directory.js";

const program = serverForDesks();

const call = { ...batch(["a.txt", "old", "new"]), options: { confirm: true } };
const label = "a.txt (1 edit)";
const noAnswer = "No question is waiting for an answer from a shell.";

/** A Helix whose user answers a question with each of `answers` in turn, and an agent whose call is about to be asked about. */
async function start(answers: readonly (string | undefined)[], options: DeskOptions = {}) {
  const home = ownStateHome();
  const desk = await layDesk(program, {
    open: { "a.txt": "old\n" },
    settings: { save: "never" },
    clientInfo: { name: "helix", version: "25.07.1" },
    capabilities: { window: { showDocument: { support: true } } },
    ...options,
  });
  const { editor } = desk;
  const [first, ...others] = answers;
  editor.answerQuestionsWith(first, ...others);
  // The answers are not enough: the next question stays open.
  editor.beforeAnswers(() => (editor.questions.length > answers.length ? new Promise(() => undefined) : undefined));
  const [session] = await announced(home);
  const agent = await friend(session, { name: "robot" });
  const told = (): string[] => editor.notices.map(({ message }) => message);
  return {
    ...desk,
    home,
    told,
    agent,
    send: () => agent.ask(1, "multiEdit/apply", call) as Promise<object>,
    run: (...args: string[]): Promise<Ran> => runCommand(program, args, { cwd: desk.root }),
    /** Waits for a message of the editor that has the code, and returns the code. */
    code: async (): Promise<string> => {
      const found = (): string => /multi-edit answer (\w+) apply/.exec(told().join("\n"))?.[1] ?? "";
      await expect.poll(found, { timeout: 5_000 }).not.toBe("");
      return found();
    },
    asked: (times: number) => expect.poll(() => editor.questions.length, { timeout: 5_000 }).toBe(times),
  };
}

describe("a user who reads the diff", () => {
  it("has 20 seconds before the question covers it again, and may apply the change from a shell", async () => {
    const { editor, send, told, run, code, texts } = await start(["Show diff"]);
    const answer = send();
    const secret = await code();
    expect(told().at(-1)).toBe(
      `The question comes back in 20 s. To answer from a shell, run: multi-edit answer ${secret} apply (or reject).`,
    );
    expect((await run("status")).stdout).toContain(`    waits for your answer to "${label}"\n`);
    expect(texts()).toEqual({ "a.txt": "old\n" });
    expect(await run("answer", secret, "apply")).toEqual({
      code: 0,
      stdout: "",
      stderr: `Your answer to "${label}": apply.\n`,
    });
    expect(await answer).toMatchObject({ result: { outcome: "applied" } });
    expect(texts()).toEqual({ "a.txt": "new\n" });
    expect(editor.questions).toHaveLength(1);
    expect(told().filter((message) => message.includes("no longer counts"))).toEqual([]);
    expect((await run("status")).stdout).not.toContain("waits");
    expect((await run("answer", secret, "apply")).stderr).toContain(noAnswer);
  });

  it("may reject it there, with a reason that the agent gets", async () => {
    const { send, run, code, texts } = await start(["Show diff"]);
    const answer = send();
    expect((await run("answer", await code(), "reject", "smaller steps", "--json")).stdout).toBe(
      `{"label":"${label}"}\n`,
    );
    expect(await answer).toMatchObject({
      error: { data: { failures: [{ code: "userRejected", reason: "smaller steps" }] } },
    });
    expect(texts()).toEqual({ "a.txt": "old\n" });
  });

  it("is asked again after that time", async () => {
    const { send, asked, editor, code, run } = await start(["Show diff", "Show diff", "Apply"], {
      server: hastyServer(program, 100, 20_000),
    });
    expect(await send()).toMatchObject({ result: { outcome: "applied" } });
    await asked(3);
    const howTo = `\nTo answer from a shell, run: multi-edit answer ${await code()} apply (or reject).`;
    expect(editor.questions.map(({ message }) => message.endsWith(howTo))).toEqual([false, true, true]);
    expect((await run("answer", await code(), "apply")).stderr).toContain(noAnswer);
    // The same diff is the same document.
    expect(new Set(editor.shown.map(({ path }) => path)).size).toBe(1);
  });

  it("is asked again once the diff has been closed", async () => {
    const { send, asked, editor, code } = await start(["Show diff", "Reject"]);
    const answer = send();
    await code();
    const { path, text } = editor.shown[0]!;
    await editor.open({ uri: pathToFileURL(path).href, text });
    await editor.close(pathToFileURL(path).href);
    await asked(2);
    expect(await answer).toMatchObject({ error: { data: { failures: [{ code: "userRejected" }] } } });
  });

  it("may close the question, which then stays open for the shell, until it expires", async () => {
    const server = hastyServer(program, 100, 20_000);
    const { send, told, asked } = await start(["Show diff", undefined], { server });
    expect(await send()).toMatchObject({ error: { data: { failures: [{ code: "timeout" }] } } });
    expect(told().filter((text) => text.startsWith("The question"))).toEqual([
      expect.stringMatching(/^The question comes back in 20 s\. /),
      expect.stringMatching(/^The question stays open\. To answer from a shell, run: multi-edit answer \w{4} apply/),
      `The question about "${label}" has expired: its answer no longer counts, and nothing was changed.`,
    ]);
    // No old question is on the screen, so the same one may be asked again.
    send().catch(() => undefined);
    await asked(3);
  });

  it("may answer from a shell while the question is on the screen, which then says so and opens nothing", async () => {
    const { editor, send, run, code, asked, told } = await start(["Show diff", "Show diff"], {
      server: hastyServer(program, 100, 20_000),
    });
    let choose = (): void => undefined;
    const chosen = new Promise<void>((resolve) => {
      choose = resolve;
    });
    editor.beforeAnswers(() => (editor.questions.length > 1 ? chosen : undefined));
    const answer = send();
    await asked(2);
    await run("answer", await code(), "apply");
    expect(await answer).toMatchObject({ result: { outcome: "applied" } });
    expect(told()).toContain(
      `The question about "${label}" has been answered from a shell: an answer here no longer counts.`,
    );
    choose();
    await expect.poll(editor.owesAnswers).toBe(false);
    await run("status");
    expect(editor.shown).toHaveLength(1);
    expect(editor.questions).toHaveLength(2);
  });
});

describe("the code", () => {
  it("is in no answer to an agent, and in no file", async () => {
    const { agent, send, run, code, home, root, editor } = await start(["Show diff"]);
    const answer = send();
    const secret = await code();
    const status = JSON.stringify(await agent.ask(2, "multiEdit/status", {}));
    expect(status).toContain(`"question":"${label}"`);
    const logs = editor.messages.map(({ message }) => message).join("\n");
    const seen = [
      status,
      logs,
      ...Object.values(textsBelow(home)),
      ...Object.values(textsBelow(root)),
      ...editor.shown.map(({ text }) => text),
    ].join("\n");
    await run("answer", secret, "reject");
    expect(`${seen}${JSON.stringify(await answer)}`).not.toMatch(new RegExp(`\\b${secret}\\b`));
  });

  it("can't be guessed: after 5 wrong ones, only the editor takes an answer, and it asks again", async () => {
    const { send, run, code, asked, editor, texts } = await start(["Show diff"]);
    send().catch(() => undefined);
    const secret = await code();
    for (const left of ["4 attempts left", "3 attempts left", "2 attempts left", "1 attempt left"]) {
      const ran = await run("answer", "zzzz", "apply");
      expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(left)]);
    }
    expect(editor.questions).toHaveLength(1);
    expect((await run("answer", "zzzz", "apply")).stderr).toContain("Answer in the editor");
    await asked(2);
    expect(editor.questions[1]!.message).not.toContain("shell");
    expect((await run("answer", secret, "apply")).stderr).toContain(noAnswer);
    expect(texts()).toEqual({ "a.txt": "old\n" });
  });

  it("does not exist before the diff is shown, or in an editor whose questions do not cover it", async () => {
    const { send, told, editor } = await start([undefined]);
    expect(await send()).toMatchObject({ error: { data: { failures: [{ code: "userRejected" }] } } });
    const other = await start(["Show diff", undefined], { clientInfo: { name: "another" } });
    expect(await other.send()).toMatchObject({ error: { data: { failures: [{ code: "userRejected" }] } } });
    const messages = [editor, other.editor].flatMap(({ questions }) => questions.map(({ message }) => message));
    expect([...told(), ...other.told(), ...messages].join("\n")).not.toContain("shell");
  });

  it("is needed, as is an answer", async () => {
    const { run } = await start([undefined]);
    expect(await run("answer", "abcd")).toMatchObject({ code: 2, stderr: expect.stringContaining("Usage") });
    expect(await run("answer", "abcd", "yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be "apply" or "reject"'),
    });
    expect(await run("answer", "abcd", "apply")).toMatchObject({ code: 2, stderr: expect.stringContaining(noAnswer) });
  });
});
