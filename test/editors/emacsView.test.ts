/**
 * What a person at a real Emacs hears of agents' edits, and how that person answers their questions: keys go into a
 * terminal, and its screen is read. The test speaks instead of the server, so that time, names and order are known.
 */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { askAbout, askAboutHunks, lines, oddNames, price, type Question, tellChange, withdraw } from "./agentScenes.js";
import { keys, lspMode } from "./emacs.js";
import { countsUnseenChanges, editsBehindIndirect, editsNarrowed } from "./emacsBuffers.js";
import { buffersOf, capture, describeEmacs, pointOf, runCommand, untilPoint, type View } from "./emacsView.js";

describeEmacs("what the user sees", (inEmacs, kind) => {
  it("says what an agent has changed", inEmacs(saysChanges));
  it("shows at most one message in five seconds, and sums up the others", inEmacs(sumsUp));
  it("asks about files with odd names", inEmacs(asksAboutOddNames));
  it("edits a narrowed buffer", inEmacs(editsNarrowed));
  // lsp-mode does not see what is typed in an indirect buffer.
  if (kind !== lspMode)
    it("edits a buffer that was changed by way of an indirect buffer", inEmacs(editsBehindIndirect));
  if (kind !== lspMode) it("sends changes of which Emacs calls no hook", inEmacs(countsUnseenChanges));
  it("shows a diff of 240 lines to its end, and applies it", inEmacs(readsToTheEnd));
  it("rejects with a reason", inEmacs(rejects));
  it("applies an edit without the changes that the user leaves out", inEmacs(leavesOut));
  it("takes no key and no answer from a person who types text", inEmacs(typesText));
  it("takes no key and no answer from a person in the minibuffer", inEmacs(typesInMinibuffer));
  it("withdraws a question, says so, and leaves nothing", inEmacs(withdraws));
  it("asks one question after the other, and withdraws the right one", inEmacs(asksInTurn));
  it("says that a question has expired", inEmacs(expires));
});

async function saysChanges(view: View): Promise<void> {
  const { stage } = view;
  tellChange(stage, [
    { uri: "price.ts", kind: "update", added: 2, removed: 1, ranges: [lines(1, 1), lines(4, 4)] },
    { uri: "tax.ts", kind: "create", added: 1, ranges: [lines(1, 1)] },
    { uri: "gone.ts", kind: "delete", removed: 7 },
    { uri: "money.ts", oldUri: "coins.ts", kind: "rename" },
  ]);
  capture(view, "message", await view.shows("/price.ts +2 -1, ", "/tax.ts (new) +1 -0", "M-x multi-edit-undo"));
}

async function asksAboutOddNames(view: View): Promise<void> {
  const agent = "one\ntwo\0three";
  // eglot itself takes an encoded line feed for a space; the server refuses such names.
  const { "a%0Ab.ts": _, ...odd } = oddNames;
  for (const [name, shown] of Object.entries(odd)) {
    const { answer } = askAbout(view.stage, name, { agent, label: agent });
    await view.shows("one␊two␀three asks to apply: one two␀three", `/${shown} +237 -0`);
    runCommand(view, "multi-edit-apply-proposal");
    expect((await answer).result).toEqual({ answer: "apply" });
  }
}

async function sumsUp(view: View): Promise<void> {
  const messages = async (): Promise<string[]> => {
    const all = await view.evaluate('(with-current-buffer "*Messages*" (buffer-string))');
    return String(all)
      .split("\n")
      .filter((line) => / changed .* [+]/.test(line));
  };
  // The five seconds of an earlier test's message must be over.
  await delay(5_100);
  const before = (await messages()).length;
  const update = (transaction: string, agent: string, uri: string) =>
    tellChange(view.stage, [{ uri, kind: "update", added: 1, removed: 2, ranges: [lines(1, 1)] }], {
      transaction,
      agent,
    });
  update("t1", "Claude Code", "price.ts");
  await view.shows("Claude Code changed ", "/price.ts +1 -2");
  update("t2", "Claude Code", "price.ts");
  update("t3", "Codex", "old.ts");
  update("t4", "Codex", "old.ts");
  await delay(1_000);
  expect(await messages()).toHaveLength(before + 1);
  await view.shows("Claude Code and Codex changed 2 files +3 -6, in 3 calls");
  expect(await messages()).toHaveLength(before + 2);
}

const ask = ({ stage }: View, more?: object): Question => askAbout(stage, "price.ts", more);

async function readsToTheEnd(view: View): Promise<void> {
  const before = await buffersOf(view);
  const { answer } = ask(view);
  const shown = await view.shows("Claude Code asks to change 1 file (+237 -0): M-x multi-edit-question", "+line 1");
  capture(view, "question", shown);
  // The selected window is still that of the file.
  expect(await pointOf(view)).toBe("price.ts:1");
  runCommand(view, "multi-edit-question");
  await untilPoint(view, "*multi-edit question*:1");
  view.press("\u0016");
  await view.shows("+line 20");
  view.press("\u001b>");
  await view.shows("+line 237");
  view.press("\u0003\u0003");
  expect((await answer).result).toEqual({ answer: "apply" });
  await leftNothing(view, before);
}

async function leftNothing(view: View, buffers: unknown): Promise<void> {
  await vi.waitFor(async () => expect(await buffersOf(view)).toEqual(buffers), { timeout: 5_000 });
  await untilPoint(view, "price.ts:1");
  expect(await view.evaluate("(length (window-list))")).toBe(1);
}

async function rejects(view: View): Promise<void> {
  const before = await buffersOf(view);
  const { answer } = ask(view);
  await view.shows("+line 1");
  runCommand(view, "multi-edit-question");
  await untilPoint(view, "*multi-edit question*:1");
  view.press("\u0003\u000b");
  await view.shows("Reason for the agent");
  view.press("use cents, not floats");
  capture(view, "reject", await view.shows("use cents, not floats"));
  view.press("\r");
  expect((await answer).result).toEqual({ answer: "reject", reason: "use cents, not floats" });
  await leftNothing(view, before);
}

async function leavesOut(view: View): Promise<void> {
  const { press, shows } = view;
  const before = await buffersOf(view);
  const { answer } = askAboutHunks(view.stage);
  await shows("x: leave out the change at point", "-one");
  runCommand(view, "multi-edit-question");
  await untilPoint(view, "*multi-edit question*:1");
  press("\u0013-three\rx");
  const one = await shows("+2 left out");
  expect(one.match(/left out/g)).toHaveLength(1);
  // All selected lines, of which one change is taken again.
  press("\u001b<\u0000\u001b>x");
  expect(await shows("+1 left out", "+4 left out")).not.toContain("+2 left out");
  press("\u001b<\u0013-one\rx");
  expect(await shows("+1\n")).not.toContain("+1 left out");
  press("\u001b>");
  capture(view, "choice", await shows("+4 left out"));
  // A line that belongs to no change.
  press("\u001b<x\u0003\u0003");
  await shows("Reason for the agent");
  press("other tax\r");
  expect((await answer).result).toEqual({ answer: "apply", refused: ["3"], reason: "other tax" });
  await leftNothing(view, before);
}

/** Asks while keys are typed; none may be lost, and none may answer. */
async function typesOn(view: View, text: string): Promise<Question> {
  const asked = ask(view);
  for (const key of text) {
    view.press(key);
    await delay(40);
  }
  await view.settled();
  expect(asked.isAnswered()).toBe(false);
  return asked;
}

const rejectByHand = async (view: View, { answer }: Question): Promise<void> => {
  await view.shows("+line 1");
  runCommand(view, "multi-edit-reject-proposal");
  await view.shows("Reason for the agent");
  view.press("\r");
  expect((await answer).result).toEqual({ answer: "reject" });
};

async function typesText(view: View): Promise<void> {
  const typed = "y n a r q Apply Reject 1 2 3";
  const asked = await typesOn(view, typed);
  expect((await view.stage.held())["price.ts"]).toBe(`${typed}${price}`);
  expect(await pointOf(view)).toBe("price.ts:1");
  await rejectByHand(view, asked);
}

async function typesInMinibuffer(view: View): Promise<void> {
  view.press("\u001b:");
  await view.shows("Eval:");
  const asked = await typesOn(view, '(insert "y a r q Apply")');
  // Not even if the person pauses: the window opens once the minibuffer is left.
  await delay(1_500);
  expect(await view.evaluate('(null (get-buffer "*multi-edit question*"))')).toBe(true);
  view.press("\r");
  await expect.poll(async () => (await view.stage.held())["price.ts"]).toBe(`y a r q Apply${price}`);
  await rejectByHand(view, asked);
}

async function withdraws(view: View): Promise<void> {
  const before = await buffersOf(view);
  const question = ask(view);
  await view.shows("+line 1");
  withdraw(view.stage, question);
  expect((await question.answer).error).toMatchObject({ code: -32800 });
  await view.shows("The question of Claude Code about 1 file (+237 -0) was withdrawn. Nothing was changed.");
  await leftNothing(view, before);
  runCommand(view, "multi-edit-apply-proposal");
  await view.shows("No agent is asking");
}

async function asksInTurn(view: View): Promise<void> {
  const before = await buffersOf(view);
  const [one, two, three] = ["first", "second", "third"].map((agent) => ask(view, { agent })) as [
    Question,
    Question,
    Question,
  ];
  await view.shows("first asks to apply", "2 more waiting");
  withdraw(view.stage, two);
  expect((await two.answer).error).toMatchObject({ code: -32800 });
  runCommand(view, "multi-edit-apply-proposal");
  expect((await one.answer).result).toEqual({ answer: "apply" });
  await view.shows("third asks to apply");
  runCommand(view, "multi-edit-apply-proposal");
  expect((await three.answer).result).toEqual({ answer: "apply" });
  await leftNothing(view, before);
}

async function expires(view: View): Promise<void> {
  const before = await buffersOf(view);
  // Withdrawn while the person writes the reason.
  const question = ask(view, { expiresInMs: 3_000 });
  await view.shows("+line 1");
  runCommand(view, "multi-edit-question");
  await untilPoint(view, "*multi-edit question*:1");
  view.press("\u0003\u000b");
  await view.shows("Reason for the agent");
  view.press("too l");
  await delay(3_000);
  withdraw(view.stage, question);
  expect((await question.answer).error).toMatchObject({ code: -32800 });
  const shown = await view.shows("has expired. Nothing was changed.");
  capture(view, "expired", shown);
  view.press(`ate${keys.enter}`);
  await leftNothing(view, before);
}
