/** Scenes in which the server asks the user or the client for more than an edit: questions, saving, undo. */
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { batch, patchOf } from "../support/desk.js";
import type { Traits } from "./editor.js";
import { applied, done, expectTexts, nothing, type Scene } from "./scenes.js";
import type { Stage, Told } from "./stage.js";
import type { Packet } from "./tapProtocol.js";

const edits = { ...batch(["a.txt", "old", "new 😀"], ["b.txt", "old", "new"]), options: { confirm: true } };
const before = { "a.txt": "first\nold\n", "b.txt": "old\n" };
const after = { "a.txt": "first\nnew 😀\n", "b.txt": "new\n" };

/** Questions are tested only with calls from agents; saving and undo are tested with other calls, too. */
export const dialogues: readonly Scene[] = [
  ...[["Apply"], ["Reject"], ["Show diff", "Apply"], ["Show diff", "Reject"]].map(
    (answers): Scene => ({
      name: `the server's question: ${answers.join(", then ")}`,
      doors: ["agent"],
      isFresh: true,
      run: (stage, _door, traits) => question(stage, traits, answers),
    }),
  ),
  {
    name: "files that had no unsaved changes before the batch",
    doors: ["agent"],
    run: async (stage, _door, traits) => {
      stage.lay({ "clean.txt": "old\n", "dirty.txt": "saved\n" });
      await stage.open("clean.txt", "dirty.txt");
      await stage.retype("dirty.txt", "typed\nold\n");
      await applied(stage, "agent", batch(["clean.txt", "old", "new"], ["dirty.txt", "old", "new"]));
      await expectTexts(stage, { "clean.txt": "new\n", "dirty.txt": "typed\nnew\n" }, traits);
      const disk = stage.disk();
      expect(disk["dirty.txt"]).toBe("saved\n");
      const isSaved = disk["clean.txt"] === "new\n";
      if (!isSaved) expect(disk["clean.txt"]).toBe("old\n");
      return isSaved ? "saved" : "left for the user to save";
    },
  },
  {
    name: "multiEdit/undo: texts, and files that were created, renamed and deleted",
    isFresh: true,
    run: async (stage, door, traits) => {
      stage.lay({ "a.txt": "one\nold\n", "moved.txt": "moved\n", "gone.txt": "gone\n", "shut.txt": "shut\nold\n" });
      await stage.open("a.txt", "moved.txt");
      await stage.retype("a.txt", "typed\none\nold\n");
      const texts = await stage.texts();
      await applied(stage, door, everything);
      const { result, error } = await stage.wire.request("multiEdit/undo", {});
      expect(error).toBeUndefined();
      expect(result).toMatchObject({ outcome: "applied" });
      await expectTexts(stage, texts, traits);
      return done;
    },
  },
];

const everything = patchOf(
  ...["*** Update File: a.txt", "@@", "-old", "+new", "+more"],
  ...["*** Update File: shut.txt", "@@", "-old", "+new"],
  ...["*** Update File: moved.txt", "*** Move to: dir/moved.txt"],
  ...["*** Delete File: gone.txt", "*** Add File: made.txt", "+made"],
);

/** Answers the server's questions and checks that the resulting texts match the final answer. */
async function question(stage: Stage, traits: Traits, answers: readonly string[]): Promise<string> {
  const told = await asked(stage, answers);
  const isWanted = answers.at(-1) === "Apply" && told.outcome === "applied";
  await expectTexts(stage, isWanted ? after : before, { ...traits, restoresFinalNewline: false });
  if (!isWanted) expect(stage.disk()).toEqual(before);
  if (told.codes.includes("clientCapability")) return `it can't ask: ${nothing}`;
  if (!isWanted) expect([told.outcome, told.codes], told.text).toEqual(["failed", ["userRejected"]]);
  const outcome = isWanted ? done : nothing;
  if (!answers.includes("Show diff")) return outcome;
  // A client's own question shows the diff, too.
  const isShown = stage.wire.messages.some(
    ({ message: { method } }) => method === "window/showDocument" || method === "multiEdit/confirm",
  );
  return isShown ? `shown, ${outcome}` : `the question has the diff in it, ${outcome}`;
}

/** Applies the edits and answers the server's questions in turn. */
async function asked(stage: Stage, answers: readonly string[]): Promise<Told> {
  stage.lay(before);
  await stage.open("a.txt", "b.txt");
  let mark = stage.wire.messages.length;
  let isAnswered = false;
  const told = stage.apply("agent", edits).finally(() => {
    isAnswered = true;
  });
  for (const answer of answers) {
    const question = await stage.wire.until(
      "a question",
      () => questionSince(stage, mark) ?? (isAnswered || undefined),
    );
    // An editor that can't ask its user says so immediately.
    await delay(200);
    if (question === true || isAnswered) return told;
    expect(question.params.label ?? question.params.message).toContain("2 files (2 edits)");
    // If the editor can't show the diff in answer to the question, the question itself shows it.
    if (!titlesOf(question).includes(answer)) continue;
    mark = stage.wire.messages.length;
    await answerQuestion(stage, question, answer);
  }
  return told;
}

/** The answers that a question offers. */
function titlesOf({ method, params }: Packet): readonly string[] {
  if (method === "multiEdit/confirm") return ["Apply", "Reject"];
  return params.actions.map(({ title }: { title: string }) => title);
}

/** Answers a question that the server has asked, by the sample's means or the editor's. */
export async function answerQuestion({ driver }: Stage, question: Packet, answer: string): Promise<void> {
  if (question.method === "multiEdit/confirm") await driver.confirm!(answer === "Apply" ? "apply" : "reject");
  else await driver.answer(question.params.message, answer, titlesOf(question));
}

/** A pending question, among the messages after the first `mark`. */
export function questionSince({ wire }: Stage, mark: number): Packet | undefined {
  const since = wire.messages.slice(mark).map(({ message }) => message);
  const question = since.find(({ method }) => method === "window/showMessageRequest" || method === "multiEdit/confirm");
  const isRefused = since.some(
    ({ id, method, error }) => method === undefined && id === question?.id && error !== undefined,
  );
  return isRefused ? undefined : question;
}
