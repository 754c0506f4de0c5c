/**
 * A person at a real Neovim is asked about an agent's edit: keys go into a terminal, and its screen is read. The test
 * asks instead of the server, so that the time and the order are known.
 */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { askAbout, askAboutHunks, oddNames, type Question, withdraw } from "./agentScenes.js";
import { buffersOf, capture, cursorOf, describeNeovim, lua, messagesOf, type View } from "./neovimView.js";

const escapeKey = "\u001b";

interface Typing {
  /** Keys before the question arrives. */
  readonly begin: string;
  /** Keys typed while it arrives. */
  readonly keys: string;
  /** Keys that end the typing. */
  readonly end: string;
  /** The first line afterwards. */
  readonly expected: string;
}

const typing: readonly (Typing & { readonly what: string })[] = [
  {
    what: "in insert mode",
    begin: "ggO",
    keys: "ga gr 1 2 apply reject",
    end: escapeKey,
    expected: "ga gr 1 2 apply reject",
  },
  { what: "in replace mode", begin: "ggOxxxxxxxx\u001b0R", keys: "ga gr 1y", end: escapeKey, expected: "ga gr 1y" },
  {
    what: "at the command line",
    begin: ":",
    keys: "call setline(1, 'ga gr 1 a')",
    end: "\r",
    expected: "ga gr 1 a",
  },
  { what: "in the middle of a command", begin: "ggd", keys: "", end: "d", expected: "" },
  {
    what: "in normal mode",
    begin: "gg0",
    keys: "xxxgarAgrBgg0ix",
    end: escapeKey,
    expected: "xBrt const rate = 0.19;",
  },
];

/** Keys with which a person leaves a question unanswered; the view then shows the file again. */
const leaving: readonly (readonly [what: string, keys: readonly string[]])[] = [
  ["closes it with q", [":MultiEditQuestion\r", "q"]],
  ["closes its window", [":MultiEditQuestion\r", ":close\r"]],
  ["makes its window the only one, and closes it with q", [":MultiEditQuestion\r", "\u0017o", "q"]],
  ["makes its window the only one with :only", [":MultiEditQuestion\r", ":only\r", "q"]],
  ["deletes its buffer", [":MultiEditQuestion\r", ":bdelete\r"]],
  ["deletes its buffer in the only window", [":MultiEditQuestion\r", ":only\r", ":bdelete\r"]],
  ["wipes out its buffer", [":MultiEditQuestion\r", ":bwipeout\r"]],
  ["splits its window and closes all parts", [":MultiEditQuestion\r", ":split | vsplit\r", "q", "q", "q"]],
  ["closes a tab page of its own", [":MultiEditQuestion\r", "\u0017T", ":tabclose\r"]],
  ["quits the window of the file", [":quit\r", "q"]],
];

describeNeovim("the question", (inNeovim) => {
  it("shows a diff of 240 lines to its end, and applies it", inNeovim(readsToTheEnd));
  it("rejects with a reason", inNeovim(rejects));
  it("applies an edit without the changes that the user leaves out", inNeovim(leavesOut));
  for (const one of typing)
    it(
      `takes no key and no answer from a person ${one.what}`,
      inNeovim((view) => typesOn(view, one)),
    );
  it("opens beside a terminal at once, and the keys still go to the terminal", inNeovim(typesInTerminal));
  it("withdraws a question, says so, and leaves nothing", inNeovim(withdraws));
  it("says that a question has expired", inNeovim(expires));
  it("asks one question after the other, and withdraws the right one", inNeovim(asksInTurn));
  it("keeps a question whose window is closed", inNeovim(asksAgain));
  for (const [what, keys] of leaving)
    it(
      `keeps a question for a person who ${what}`,
      inNeovim((view) => leaves(view, keys)),
    );
  it("asks about files with odd names", inNeovim(asksAboutOddNames));
  it("ends a question in the command-line window, whose keys then answer no other", inNeovim(endsInCommandWindow));
  it("shows a question again whose window shows another file or is in another tab page", inNeovim(returns));
});

const ask = ({ stage }: View, more?: object): Question => askAbout(stage, "src/price.ts", more);

async function readsToTheEnd(view: View): Promise<void> {
  const { press, shows } = view;
  const before = await buffersOf(view);
  const { answer } = ask(view);
  const shown = await shows("Claude Code asks to change 1 file (+237 -0)", "+line 1");
  capture(view, "question", shown);
  // The cursor has stayed where it was.
  expect(await cursorOf(view)).toBe("price.ts:1");
  press(":MultiEditQuestion\r");
  await expect.poll(() => lua(view, "return vim.bo.filetype")).toBe("diff");
  press("\u0004");
  await shows("+line 13");
  press("G");
  await shows("+line 237");
  press("ga");
  expect((await answer).result).toEqual({ answer: "apply" });
  await expect.poll(() => cursorOf(view)).toBe("price.ts:1");
  await leftNothing(view, before);
}

async function leftNothing(view: View, buffers: unknown): Promise<void> {
  await expect.poll(() => buffersOf(view)).toEqual(buffers);
  expect(await lua(view, "return vim.fn.winnr('$')")).toBe(1);
  await lua(view, "vim.cmd.checktime()");
  expect(await messagesOf(view)).not.toMatch(/E\d+:/);
}

async function rejects(view: View): Promise<void> {
  const { press, shows } = view;
  const before = await buffersOf(view);
  const { answer } = ask(view);
  await shows("+line 1");
  press(":MultiEditQuestion\r");
  await expect.poll(() => lua(view, "return vim.bo.filetype")).toBe("diff");
  press("gr");
  await shows("Reason for the agent");
  press("use cents, not floats");
  capture(view, "reject", await shows("use cents, not floats"));
  press("\r");
  expect((await answer).result).toEqual({ answer: "reject", reason: "use cents, not floats" });
  await leftNothing(view, before);
  // By a command, from another window, once the question is shown.
  const { answer: second } = ask(view);
  await shows("+line 1");
  press(":MultiEditQuestion reject no\r");
  expect((await second).result).toEqual({ answer: "reject", reason: "no" });
  await leftNothing(view, before);
}

async function leavesOut(view: View): Promise<void> {
  const { press, shows } = view;
  const before = await buffersOf(view);
  const { answer } = askAboutHunks(view.stage, "src/");
  await shows("x: leave out the change at the cursor", "-one");
  press(":MultiEditQuestion\r");
  await expect.poll(() => lua(view, "return vim.bo.filetype")).toBe("diff");
  press("/-three\rx");
  const one = await shows("-two left out");
  expect(one.match(/left out/g)).toHaveLength(1);
  // All selected lines, of which one change is taken again.
  press("ggVGx");
  expect(await shows("-one left out", "-four left out")).not.toContain("-two left out");
  press("/-one\rx");
  const shown = await shows("-four left out");
  expect(shown).not.toContain("-one left out");
  capture(view, "choice", shown);
  // A line that belongs to no change.
  press("ggxga");
  await shows("Reason for the agent");
  press("other tax\r");
  expect((await answer).result).toEqual({ answer: "apply", refused: ["3"], reason: "other tax" });
  await leftNothing(view, before);
}

async function typesOn(view: View, { begin, keys, end, expected }: Typing): Promise<void> {
  const { press, stage, shows } = view;
  press(begin);
  await delay(150);
  const { answer, isAnswered } = ask(view);
  await delay(50);
  for (const key of keys) {
    press(key);
    await delay(20);
  }
  await delay(200);
  press(end);
  await shows("+line 1");
  await expect.poll(async () => (await stage.held())["src/price.ts"]!.split("\n")[0]).toBe(expected);
  expect(isAnswered()).toBe(false);
  expect(await lua(view, 'return vim.fn.expand("%:t")')).toBe("price.ts");
  press(":MultiEditQuestion reject\r");
  expect((await answer).result).toEqual({ answer: "reject" });
}

async function typesInTerminal(view: View): Promise<void> {
  const { press, shows } = view;
  press(":split | terminal cat\ri");
  await shows("-- TERMINAL --");
  const { answer } = ask(view);
  await shows("@@ -1,3 +1,240 @@", "-- TERMINAL --");
  press("ga gr 1 2\r");
  // What is typed, and what the program answers.
  expect(await shows("ga gr 1 2\nga gr 1 2")).toContain("-- TERMINAL --");
  press("\u001c\u000e");
  await shows("Claude Code asks to change 1 file (+237 -0): :MultiEditQuestion");
  press(":bwipeout!\r:MultiEditQuestion reject\r");
  expect((await answer).result).toEqual({ answer: "reject" });
}

async function withdraws(view: View): Promise<void> {
  const before = await buffersOf(view);
  const question = ask(view);
  await view.shows("+line 1");
  withdraw(view.stage, question);
  expect((await question.answer).error).toMatchObject({ code: -32800 });
  const shown = await view.shows(
    "The question of Claude Code about 1 file (+237 -0) was withdrawn. Nothing was changed.",
  );
  expect(shown).not.toContain("+line 1");
  await leftNothing(view, before);
  view.press(":MultiEditQuestion apply\r");
  await view.shows("No agent is asking.");
}

async function expires(view: View): Promise<void> {
  const before = await buffersOf(view);
  // Withdrawn while the person writes the reason.
  const question = ask(view, { expiresInMs: 1_000 });
  await view.shows("+line 1");
  view.press(":MultiEditQuestion\r");
  await expect.poll(() => lua(view, "return vim.bo.filetype")).toBe("diff");
  view.press("gr");
  await view.shows("Reason for the agent");
  view.press("too l");
  await delay(1_500);
  withdraw(view.stage, question);
  expect((await question.answer).error).toMatchObject({ code: -32800 });
  view.press("ate\r");
  const shown = await view.shows("has expired. Nothing was changed.");
  capture(view, "expired", shown);
  await leftNothing(view, before);
  // Without a word from the server, the plugin's own clock ends the question.
  const { answer: second } = ask(view, { expiresInMs: 100 });
  expect((await second).error).toMatchObject({ code: -32800 });
  await leftNothing(view, before);
}

async function asksInTurn(view: View): Promise<void> {
  const before = await buffersOf(view);
  const [one, two, three] = ["first", "second", "third"].map((agent) => ask(view, { agent })) as [
    Question,
    Question,
    Question,
  ];
  await view.shows("first asks to apply", "more waiting");
  withdraw(view.stage, two);
  expect((await two.answer).error).toMatchObject({ code: -32800 });
  view.press(":MultiEditQuestion apply\r");
  expect((await one.answer).result).toEqual({ answer: "apply" });
  await view.shows("third asks to apply");
  view.press(":MultiEditQuestion apply\r");
  expect((await three.answer).result).toEqual({ answer: "apply" });
  await leftNothing(view, before);
}

async function asksAgain(view: View): Promise<void> {
  const before = await buffersOf(view);
  const { answer } = ask(view);
  await view.shows("+line 1");
  view.press(":MultiEditQuestion\r");
  await expect.poll(() => lua(view, "return vim.bo.filetype")).toBe("diff");
  view.press("q");
  await expect.poll(() => lua(view, "return vim.fn.winnr('$')")).toBe(1);
  // An answer to a question that is not visible only shows it.
  view.press(":MultiEditQuestion apply\r");
  await view.shows("+line 1");
  view.press("ga");
  expect((await answer).result).toEqual({ answer: "apply" });
  await leftNothing(view, before);
}

async function leaves(view: View, keys: readonly string[]): Promise<void> {
  const before = await buffersOf(view);
  const { answer, isAnswered } = ask(view);
  await view.shows("+line 1");
  for (const one of keys) {
    view.press(one);
    await delay(100);
  }
  await expect.poll(() => cursorOf(view)).toBe("price.ts:1");
  expect(await lua(view, "return #vim.api.nvim_list_wins()")).toBe(1);
  expect(await messagesOf(view)).not.toMatch(/E\d+:/);
  expect(isAnswered()).toBe(false);
  view.press(":MultiEditQuestion\r");
  await view.shows("+line 1");
  view.press("ga");
  expect((await answer).result).toEqual({ answer: "apply" });
  await leftNothing(view, before);
}

async function asksAboutOddNames(view: View): Promise<void> {
  for (const [name, shown] of Object.entries(oddNames)) {
    const { answer } = askAbout(view.stage, name, { agent: "one\ntwo\0three", label: "one\ntwo\0three" });
    await view.shows("one␊two␀three asks to apply: one two␀three", `  ${shown} +237 -0`);
    view.press(":MultiEditQuestion apply\r");
    expect((await answer).result).toEqual({ answer: "apply" });
  }
  expect(await messagesOf(view)).not.toMatch(/E\d+:/);
}

const questionBuffers = `vim.tbl_filter(function(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, 1, false)):find(" asks to apply", 1, true) ~= nil
end, vim.api.nvim_list_bufs())`;

async function endsInCommandWindow(view: View): Promise<void> {
  const before = await buffersOf(view);
  const first = ask(view, { agent: "first" });
  const second = ask(view, { agent: "second" });
  await view.shows("first asks to apply");
  // What `ga` does in the window of the first question.
  await lua(
    view,
    `for _, map in ipairs(vim.api.nvim_buf_get_keymap(${questionBuffers}[1], "n")) do
       if map.lhs == "ga" then _G.apply_first = map.callback end
     end`,
  );
  view.press("q:");
  await expect.poll(() => lua(view, "return vim.fn.getcmdwintype()")).toBe(":");
  withdraw(view.stage, first);
  expect((await first.answer).error).toMatchObject({ code: -32800 });
  view.press(":q\r");
  await view.shows("second asks to apply");
  await expect.poll(() => lua(view, `return #${questionBuffers}`)).toBe(1);
  await lua(view, "_G.apply_first()");
  await view.shows("This question is over. Nothing was answered.");
  expect(second.isAnswered()).toBe(false);
  view.press(":MultiEditQuestion apply\r");
  expect((await second.answer).result).toEqual({ answer: "apply" });
  await leftNothing(view, before);
}

async function returns(view: View): Promise<void> {
  const { answer, isAnswered } = ask(view);
  await view.shows("@@ -1,3 +1,240 @@");
  view.press(":MultiEditQuestion\r");
  await expect.poll(() => lua(view, "return vim.bo.filetype")).toBe("diff");
  view.press(":edit src/old.ts\r");
  await expect.poll(() => cursorOf(view)).toBe("old.ts:1");
  view.press(":MultiEditQuestion apply\r");
  await view.shows("@@ -1,3 +1,240 @@");
  await expect.poll(() => lua(view, "return vim.bo.filetype")).toBe("diff");
  view.press(":tabnew\r");
  await expect.poll(() => lua(view, "return vim.fn.tabpagenr()")).toBe(2);
  view.press(":MultiEditQuestion apply\r");
  await view.shows("@@ -1,3 +1,240 @@");
  expect(await lua(view, "return vim.fn.tabpagenr()")).toBe(2);
  expect(isAnswered()).toBe(false);
  view.press("ga");
  expect((await answer).result).toEqual({ answer: "apply" });
  await expect.poll(() => lua(view, `return #${questionBuffers}`)).toBe(0);
  await lua(view, "vim.cmd('tabonly | only | silent! bwipeout! src/old.ts')");
}
