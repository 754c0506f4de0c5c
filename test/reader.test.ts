/** Answers that a program shows to a person: edits count from 1 in every message, and from 0 in every other field. */
import { describe, expect, it } from "vitest";
import { batch, failed, layDesk, serverForDesks } from "./support/desk.js";

const program = serverForDesks();
const start = () => layDesk(program, { open: { "a.txt": "one\ntwo\n" } });
const person = { reader: "person" } as const;

describe("the option reader", () => {
  it("counts edits from 1 in the messages and hints of a call that fails", async () => {
    const { apply } = await start();
    const call = batch(["a.txt", "one", "1"], ["a.txt", "nowhere", "x"]);
    const model = await failed(apply(call));
    const shown = await failed(apply({ ...call, options: person }));
    expect([model.message, shown.message]).toEqual([
      expect.stringContaining("The old text of edit 1 (a.txt)"),
      expect.stringContaining("The old text of edit 2 (a.txt)"),
    ]);
    expect(model.message).toContain("Edit 0 needs no correction");
    expect(shown.message).toContain("Edit 1 needs no correction");
    expect(shown.failures.map(({ index, message }) => [index, message.slice(0, 30)])).toEqual([
      [1, "The old text of edit 2 (a.txt)"],
    ]);
    expect(shown.edits).toMatchObject([{ index: 0 }, { index: 1, failure: { index: 1 } }]);
    expect(shown.edits[1]!.failure!.message).toContain("edit 2 (a.txt)");
  });

  it("speaks to the user", async () => {
    const { editor, apply } = await start();
    editor.answerQuestionsWith("Reject");
    const failure = await failed(apply({ ...batch(["a.txt", "one", "1"]), options: { ...person, confirm: true } }));
    expect(failure.message).toBe('You rejected "a.txt (1 edit)". Nothing was changed.');
  });

  it("rewords the warnings of a call that succeeds, and the answer to a proposal", async () => {
    const { apply, propose } = await start();
    const call = batch(["a.txt", "absent", "x"], ["a.txt", "two", "2"]);
    expect((await failed(propose({ ...call, options: person }))).message).toContain("dit 1 (a.txt)");
    const emptied = batch(["a.txt", "one", ""]);
    const [model] = (await propose(emptied)).warnings;
    const [shown] = (await apply({ ...emptied, options: person })).warnings;
    expect([model, shown]).toEqual([expect.stringContaining("dit 0"), expect.stringContaining("dit 1")]);
  });
});

describe("the message of a failed call with SEARCH/REPLACE blocks", () => {
  it("speaks of blocks and their text, also where it says what needs no correction", async () => {
    const { apply } = await start();
    const block = (from: string, to: string) => `a.txt\n<<<<<<< SEARCH\n${from}\n=======\n${to}\n>>>>>>> REPLACE\n`;
    const { message } = await failed(apply({ patch: block("one", "1") + block("nowhere", "x") }));
    expect(message).toContain("Nothing was changed: 1 of 2 blocks failed.");
    expect(message).toContain("Block 0 needs no correction: leave it as it is and send the whole text again.");
    expect(message).not.toMatch(/\b(?:edit|patch)/i);
  });
});
