/** Agents whose user takes longer to decide than the agent waits for an answer. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolSentences } from "../../server/programs/mcp/sentences.js";
import { createTickets } from "../../server/programs/mcp/tickets.js";
import { limits } from "../../server/text/limits.js";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { layDesk } from "../support/desk.js";
import { startAgent } from "../support/mcpAgent.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

const call = { edits: [{ path: "a.txt", oldText: "old", newText: "new" }] };
const other = { edits: [{ path: "a.txt", oldText: "two", newText: "2" }] };

/** An editor whose user is asked about everything and decides when `decide` is called, and an agent that waits 1 s. */
async function lay(options: { files?: Record<string, string>; open?: Record<string, string>; settings?: object } = {}) {
  const home = ownStateHome();
  const open = options.open ?? { "a.txt": "old\ntwo\n" };
  const settings = options.settings ?? { confirm: "always" };
  const desk = await layDesk(program, { files: options.files ?? {}, open, settings: { save: "never", ...settings } });
  await announced(home);
  let isDecided = new Promise<void>(() => undefined);
  let decide = (): void => undefined;
  const hold = (): void => {
    isDecided = new Promise((resolve) => {
      decide = resolve;
    });
  };
  hold();
  desk.editor.beforeAnswers(() => isDecided);
  desk.editor.answerQuestionsWith("Apply");
  const start = () => startAgent(program, desk.root, { args: ["--timeout", "1"] });
  return { ...desk, agent: await start(), start, decide: () => decide(), hold };
}

const waiting = (ticket: string): object => ({
  texts: [
    `Not applied: waiting for the user (ticket ${ticket}). editor_status {"ticket":"${ticket}"} waits for the decision.`,
  ],
  isError: false,
});

describe("a call whose user has not decided when the agent's time is up", () => {
  it("gets a ticket, which waits for the decision and gets the call's answer", async () => {
    const { agent, editor, decide, texts } = await lay();
    expect(await agent.call("multi_edit", call)).toMatchObject(waiting("q1"));
    expect(await agent.call("editor_status", { ticket: "q1" })).toMatchObject(waiting("q1"));
    expect(texts()).toEqual({ "a.txt": "old\ntwo\n" });
    decide();
    const answer = await agent.call("editor_status", { ticket: "q1" });
    expect(answer).toMatchObject({ texts: ["M a.txt, not saved"], isError: false });
    expect([editor.questions.length, texts()]).toEqual([1, { "a.txt": "new\ntwo\n" }]);
    // The edit is the agent's own, although it was applied between two of its requests.
    editor.beforeAnswers(() => undefined);
    expect((await agent.call("undo_last_edit", {})).isError).toBe(false);
    expect(texts()).toEqual({ "a.txt": "old\ntwo\n" });
  });

  it("gets the same ticket if it is sent again, and no second question", async () => {
    const { agent, editor, decide } = await lay();
    await agent.call("multi_edit", call);
    expect(await agent.call("multi_edit", call)).toMatchObject(waiting("q1"));
    expect(editor.questions).toHaveLength(1);
    decide();
    expect(await agent.call("multi_edit", call)).toMatchObject({ texts: ["M a.txt, not saved"], isError: false });
    expect(editor.questions).toHaveLength(1);
    // The ticket has ended with its answer.
    expect(await agent.call("editor_status", { ticket: "q1" })).toMatchObject({ isError: true });
    expect((await agent.call("multi_edit", call)).texts[0]).toContain("you sent this call before");
  });

  it("leaves other calls to their own tickets, which a rejection ends with its reason", async () => {
    const { agent, editor, decide, texts } = await lay();
    editor.answerQuestionsWith("Reject", "Apply");
    const [first, second] = await Promise.all([agent.call("multi_edit", call), agent.call("multi_edit", other)]);
    expect([first.texts[0]!.slice(0, 50), second.texts[0]!.slice(0, 50)].sort()).toEqual([
      "Not applied: waiting for the user (ticket q1). edi",
      "Not applied: waiting for the user (ticket q2). edi",
    ]);
    // One question at a time.
    expect(editor.questions).toHaveLength(1);
    decide();
    const answers = [
      await agent.call("editor_status", { ticket: "q1" }),
      await agent.call("editor_status", { ticket: "q2" }),
    ];
    expect(answers.map(({ isError }) => isError).sort()).toEqual([false, true]);
    expect(answers.find(({ isError }) => isError)!.texts[0]).toMatch(/^The user rejected "a\.txt \(1 edit\)"\./);
    expect(editor.questions).toHaveLength(2);
    expect([{ "a.txt": "new\ntwo\n" }, { "a.txt": "old\n2\n" }]).toContainEqual(texts());
  });

  it("does so for files on disk, too, about which another process asks the editor", async () => {
    const { agent, decide, disk, editor } = await lay({ files: { "closed.txt": "old\n" } });
    await editor.close(editor.documents.keys().next().value!);
    const onDisk = { edits: [{ path: "closed.txt", oldText: "old", newText: "new" }] };
    expect(await agent.call("multi_edit", onDisk)).toMatchObject(waiting("q1"));
    decide();
    expect((await agent.call("editor_status", { ticket: "q1" })).isError).toBe(false);
    expect(disk()["closed.txt"]).toBe("new\n");
  });

  it("belongs to its agent", async () => {
    const { agent, start, decide } = await lay();
    await agent.call("multi_edit", call);
    const stranger = await start();
    expect(await stranger.call("editor_status", { ticket: "q1" })).toMatchObject({
      texts: [
        'There is no ticket "q1": you have had its answer, it ended with the process that gave it, or it never existed. Nothing was changed by this request.',
      ],
      isError: true,
    });
    decide();
  });

  it("ends with the agent's process, which withdraws the question", async () => {
    const { agent, editor, texts } = await lay();
    await agent.call("multi_edit", call);
    await agent.client.close();
    await expect
      .poll(() => editor.notices.map(({ message }) => message))
      .toEqual([
        'The question about "a.txt (1 edit)" has been withdrawn: its answer no longer counts, and nothing was changed.',
      ]);
    expect(texts()).toEqual({ "a.txt": "old\ntwo\n" });
  });

  it("is withdrawn if the agent cancels it while it waits", async () => {
    const { agent, editor } = await lay();
    const stop = new AbortController();
    const answer = agent.call("multi_edit", call, stop.signal).catch(() => undefined);
    await expect.poll(() => editor.questions.length).toBe(1);
    stop.abort();
    await answer;
    await expect.poll(() => editor.notices.length).toBe(1);
  });
});

describe("a wait that the agent cancels", () => {
  it("neither ends the call nor withdraws the question", async () => {
    const { agent, decide, editor, texts } = await lay();
    await agent.call("multi_edit", call);
    const stop = new AbortController();
    const wait = agent.call("editor_status", { ticket: "q1" }, stop.signal).catch(() => undefined);
    await delay(300);
    stop.abort();
    await wait;
    expect(await agent.call("editor_status", { ticket: "q1" })).toMatchObject(waiting("q1"));
    expect(editor.notices).toEqual([]);
    decide();
    expect(await agent.call("editor_status", { ticket: "q1" })).toMatchObject({ texts: ["M a.txt, not saved"] });
    expect(texts()).toEqual({ "a.txt": "new\ntwo\n" });
  });

  it("leaves the answer to those who wait beside it or later", async () => {
    const { agent, decide } = await lay();
    await agent.call("multi_edit", call);
    const stop = new AbortController();
    const cancelled = agent.call("editor_status", { ticket: "q1" }, stop.signal).catch(() => undefined);
    const other = agent.call("editor_status", { ticket: "q1" });
    await delay(300);
    stop.abort();
    await cancelled;
    expect(await other).toMatchObject(waiting("q1"));
    decide();
    // The answer arrives while nobody waits.
    await delay(500);
    expect(await agent.call("editor_status", { ticket: "q1" })).toMatchObject({ texts: ["M a.txt, not saved"] });
  });
});

describe("the same call", () => {
  it("may have its fields in another order", async () => {
    const { agent, decide, editor } = await lay();
    await agent.call("multi_edit", { edits: [{ path: "a.txt", oldText: "old", newText: "new" }], label: "x" });
    const sameCall = { label: "x", edits: [{ newText: "new", oldText: "old", path: "a.txt" }] };
    expect(await agent.call("multi_edit", sameCall)).toMatchObject(waiting("q1"));
    expect(editor.questions).toHaveLength(1);
    decide();
    expect((await agent.call("multi_edit", sameCall)).isError).toBe(false);
    expect(await agent.call("editor_status", { ticket: "q2" })).toMatchObject({ isError: true });
  });
});

describe("the same call, sent again before it has a ticket", () => {
  it("gets the same ticket, and no second question", async () => {
    const { agent, decide, editor, texts } = await lay();
    const both = await Promise.all([agent.call("multi_edit", call), agent.call("multi_edit", call)]);
    expect(both).toMatchObject([waiting("q1"), waiting("q1")]);
    expect(editor.questions).toHaveLength(1);
    decide();
    expect(await agent.call("editor_status", { ticket: "q1" })).toMatchObject({ texts: ["M a.txt, not saved"] });
    expect([editor.questions.length, texts()]).toEqual([1, { "a.txt": "new\ntwo\n" }]);
  });

  it("shares the answer, also if one of the two requests is cancelled", async () => {
    const { agent, decide, editor } = await lay();
    const stop = new AbortController();
    const first = agent.call("multi_edit", call, stop.signal).catch(() => undefined);
    await expect.poll(() => editor.questions.length).toBe(1);
    const again = agent.call("multi_edit", call);
    await delay(300);
    stop.abort();
    await first;
    expect(await again).toMatchObject(waiting("q1"));
    decide();
    expect(await agent.call("editor_status", { ticket: "q1" })).toMatchObject({ texts: ["M a.txt, not saved"] });
    expect([editor.questions.length, editor.notices.filter(({ message }) => /withdrawn/.test(message))]).toEqual([
      1,
      [],
    ]);
  });

  it("is asked about again if the first was cancelled before", async () => {
    const { agent, decide, editor } = await lay();
    const stop = new AbortController();
    const first = agent.call("multi_edit", call, stop.signal).catch(() => undefined);
    await expect.poll(() => editor.questions.length).toBe(1);
    stop.abort();
    await first;
    // An answer that came before the cancellation would count.
    await expect.poll(() => editor.notices.filter(({ message }) => /withdrawn/.test(message))).toHaveLength(1);
    decide();
    editor.beforeAnswers(() => undefined);
    await expect.poll(async () => (await agent.call("multi_edit", call)).texts).toEqual(["M a.txt, not saved"]);
  });

  it("is asked about once, also if the call before both of them is answered without a question", async () => {
    const tickets = createTickets<string>({
      waiting: (ticket) => ticket,
      none: (ticket) => ticket,
      full: () => "full",
    });
    const patience = { patience: 20, signal: new AbortController().signal };
    let started = 0;
    const start = async (_: AbortSignal, onAsked: () => void): Promise<string> => {
      if (++started === 1) return "applied";
      onAsked();
      return new Promise(() => undefined);
    };
    const answers = await Promise.all([1, 2, 3].map(() => tickets.run("same", start, patience)));
    expect([answers, started]).toEqual([["applied", "q1", "q1"], 2]);
  });

  it("runs after the first if the user is not asked, and is skipped, because its result is there", async () => {
    const { agent, editor, texts } = await lay({ settings: {} });
    const more = { edits: [{ path: "a.txt", oldText: "old", newText: "old, old" }] };
    const twice = { edits: [{ path: "a.txt", oldText: "two\n", newText: "two\ntwo\n", occurrence: 1 }] };
    const answers = await Promise.all([agent.call("multi_edit", twice), agent.call("multi_edit", twice)]);
    expect(answers.map(({ isError }) => isError)).toEqual([false, false]);
    expect([editor.questions, texts()]).toEqual([[], { "a.txt": "old\ntwo\ntwo\n" }]);
    await agent.call("multi_edit", more);
    const undone = await Promise.all([agent.call("undo_last_edit", {}), agent.call("undo_last_edit", {})]);
    expect(undone.map(({ texts }) => texts[0]!.split("\n")[0])).toEqual(["Undone:", "Undone:"]);
    expect(texts()).toEqual({ "a.txt": "old\ntwo\n" });
  });
});

describe("too many calls that wait", () => {
  it("are refused, and none is forgotten", async () => {
    const tickets = createTickets<string>({
      waiting: (ticket) => ticket,
      none: (ticket) => `no ${ticket}`,
      full: toolSentences.tooManyTickets,
    });
    const patience = { patience: 1, signal: new AbortController().signal };
    const answers: ((answer: string) => void)[] = [];
    const run = (key: number): Promise<string> =>
      tickets.run(
        String(key),
        (_, onAsked) => {
          onAsked();
          return new Promise((resolve) => answers.push(resolve));
        },
        patience,
      );
    for (let key = 1; key <= limits.tickets; key++) expect(await run(key)).toBe(`q${key}`);
    expect(await run(51)).toBe(
      'Not applied: 50 of your calls wait for the user, or their answers have not been fetched. Fetch the answer to the oldest with editor_status {"ticket":"q1"}, then send this call again. Nothing was changed by this request.',
    );
    expect(answers).toHaveLength(50);
    // The same call again is no further call.
    expect(await run(50)).toBe("q50");
    answers[0]!("done");
    expect(await tickets.wait("q1", { ...patience, patience: 1_000 })).toBe("done");
    expect(await run(51)).toBe("q51");
  });

  it("are counted before they have tickets, and nobody is asked about more", async () => {
    const { agent, editor } = await lay();
    const calls = Array.from({ length: limits.tickets + 10 }, (_, i) => ({
      edits: [{ path: "a.txt", oldText: "old", newText: `new ${i}` }],
    }));
    const answers = await Promise.all(calls.map((one) => agent.call("multi_edit", one)));
    const texts = answers.map(({ texts: [text = ""] }) => text);
    expect(texts.filter((text) => text.startsWith("Not applied: waiting for the user"))).toHaveLength(limits.tickets);
    expect(texts.filter((text) => text.startsWith(`Not applied: ${limits.tickets} of your calls`))).toHaveLength(10);
    expect(editor.questions).toHaveLength(1);
  });
});

describe("a call that is slow for another reason", () => {
  it("gets no ticket, and ends with its own failure", async () => {
    const { agent, editor, texts } = await lay();
    editor.beforeAnswers(() => undefined);
    editor.behave("answersLate");
    const answer = await agent.call("multi_edit", call);
    expect(answer.texts.join()).not.toContain("ticket");
    editor.answerNow();
    expect(texts()["a.txt"]).toContain("new");
  });
});
