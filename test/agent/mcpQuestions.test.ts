/** Questions to the user in the agent's own program, by MCP's elicitation, about files on disk that need consent. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { announced, ownStateHome } from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { layDesk } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { type Era, type FormAnswer, type FormQuestion, startAgent } from "../support/mcpAgent.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

const edit = { edits: [{ path: ".npmrc", oldText: "one", newText: "two" }] };
const apply: FormAnswer = { action: "accept", content: { decision: "Apply" } };

/** A folder that no editor has, and an agent whose program answers the questions with `answers`, the last one again. */
async function lay(era: Era, answers: readonly (FormAnswer | "error")[], args: readonly string[] = []) {
  ownStateHome();
  const root = makeDirectory({ ".npmrc": "one\n", ".bashrc": "one\n", "a.txt": "one\n" });
  const questions: FormQuestion[] = [];
  const onQuestion = (question: FormQuestion): FormAnswer => {
    const answer = answers[Math.min(questions.length, answers.length - 1)];
    questions.push(question);
    if (answer === "error" || answer === undefined) throw new Error("no user is there");
    return answer;
  };
  const agent = await startAgent(program, root, { era, args, onQuestion });
  return { root, agent, questions, text: (name = ".npmrc") => readFileSync(join(root, name), "utf8") };
}

describe.each(["2025", "2026"] as const)("a client of %s that shows forms", (era) => {
  it("asks its user about a protected file, with the diff, and the change is made", async () => {
    const { agent, questions, text } = await lay(era, [apply]);
    expect(await agent.call("multi_edit", edit)).toMatchObject({
      texts: ["M .npmrc, on disk (no editor has it open)"],
      isError: false,
    });
    expect(text()).toBe("two\n");
    expect(questions).toHaveLength(1);
    expect(questions[0]?.message).toMatch(/^"tester": Apply \.npmrc \(1 edit\)\? [\s\S]*\n-one\n\+two/);
    expect(questions[0]?.requestedSchema).toEqual({
      type: "object",
      properties: { decision: { type: "string", title: "Decision", enum: ["Apply", "Reject"] } },
      required: ["decision"],
    });
  });

  it.each<[string, FormAnswer | "error", string]>([
    ["declines", { action: "decline" }, 'The user rejected ".npmrc (1 edit)".'],
    ["rejects in the form", { action: "accept", content: { decision: "Reject" } }, "The user rejected"],
    ["closes the form", { action: "cancel" }, "The user closed the question about"],
    ["declines, with a decision", { action: "decline", content: { decision: "Apply" } }, "The user rejected"],
  ])("changes nothing if the user %s", async (_, answer, message) => {
    const { agent, questions, text } = await lay(era, [answer]);
    const told = await agent.call("multi_edit", edit);
    expect([told.isError, questions.length, text()]).toEqual([true, 1, "one\n"]);
    expect(told.texts[0]).toContain(message);
  });

  it("is not asked about files that need no consent, nor about those that are refused", async () => {
    const { agent, questions, text } = await lay(era, [apply]);
    await agent.call("multi_edit", { edits: [{ path: "a.txt", oldText: "one", newText: "two" }] });
    const refused = await agent.call("multi_edit", { edits: [{ path: ".bashrc", oldText: "one", newText: "two" }] });
    expect([refused.isError, text("a.txt"), text(".bashrc"), questions.length]).toEqual([true, "two\n", "one\n", 0]);
  });

  it("is not asked if an editor can ask, also about a call on disk", async () => {
    const home = ownStateHome();
    const desk = await layDesk(program, { files: { ".npmrc": "one\n" }, settings: { save: "never" } });
    await announced(home);
    const onQuestion = (): FormAnswer => apply;
    const agents = [[], ["--mode", "disk"]].map((args) => startAgent(program, desk.root, { era, args, onQuestion }));
    desk.editor.answerQuestionsWith("Reject");
    for (const agent of await Promise.all(agents))
      expect((await agent.call("multi_edit", edit)).texts[0]).toContain("The user rejected");
    expect([desk.editor.questions.length, desk.disk()]).toEqual([2, { ".npmrc": "one\n" }]);
  });

  it("is not asked about a file of a session that is closed to agents", async () => {
    const home = ownStateHome();
    const settings = { save: "never", agent: { enabled: false } };
    const desk = await layDesk(program, { files: { ".npmrc": "one\n" }, settings });
    await announced(home);
    let asked = 0;
    const onQuestion = (): FormAnswer => {
      asked++;
      return apply;
    };
    const agent = await startAgent(program, desk.root, { era, args: ["--mode", "disk"], onQuestion });
    expect((await agent.call("multi_edit", edit)).isError).toBe(true);
    expect([asked, desk.disk()]).toEqual([0, { ".npmrc": "one\n" }]);
  });

  it("is asked again if the file has changed while the user was asked", async () => {
    ownStateHome();
    const root = makeDirectory({ ".npmrc": "one\n" });
    const questions: string[] = [];
    const onQuestion = ({ message }: FormQuestion): FormAnswer => {
      if (questions.push(message) === 1) writeFileSync(join(root, ".npmrc"), "one, more\n");
      return apply;
    };
    const agent = await startAgent(program, root, { era, onQuestion });
    expect(await agent.call("multi_edit", edit)).toMatchObject({ isError: false });
    expect(readFileSync(join(root, ".npmrc"), "utf8")).toBe("two, more\n");
    expect(questions[1]).toContain("+two, more");
  });

  it("may take longer than the agent waits for an answer", async () => {
    ownStateHome();
    const root = makeDirectory({ ".npmrc": "one\n" });
    const onQuestion = async (): Promise<FormAnswer> => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      return apply;
    };
    const agent = await startAgent(program, root, { era, args: ["--timeout", "1"], onQuestion });
    const first = await agent.call("multi_edit", edit);
    // A request of the server does not end the call, which then has a ticket.
    const last = era === "2026" ? first : await agent.call("editor_status", { ticket: "q1" });
    if (era === "2025") expect(first.texts[0]).toContain("waiting for the user (ticket q1)");
    expect(last).toMatchObject({ texts: ["M .npmrc, on disk (no editor has it open)"], isError: false });
  });
});

describe("a client that says nothing of what the user decided", () => {
  const none = 'A change to ".npmrc" needs the user\'s consent, because ".npmrc" matches a name in the setting';
  it.each<[string, FormAnswer | "error"]>([
    ["answers with an error", "error"],
    ["accepts without a decision", { action: "accept", content: {} }],
    ["accepts another one", { action: "accept", content: { decision: "Yes" } }],
  ])("is treated as one that shows no forms: it %s", async (_, answer) => {
    const { agent, text } = await lay("2025", [answer]);
    const told = await agent.call("multi_edit", edit);
    expect([told.isError, text()]).toEqual([true, "one\n"]);
    expect(told.texts[0]).toContain(none);
    expect(told.texts[0]).toContain("no editor is there to ask the user");
  });
});
