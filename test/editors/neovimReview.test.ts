/**
 * A person at a real Neovim reviews what agents have changed: keys go into a terminal, and its screen is read. What the
 * server would send comes from the test, so that names, texts and order are known.
 */
import { expect, it } from "vitest";
import { oddNames, price, tellReview, wholeLines } from "./agentScenes.js";
import { capture, cursorOf, describeNeovim, lua, marksOf, messagesOf, quickfixOf, type View } from "./neovimView.js";
import { hears, others, reviewedCall } from "./reviewedCall.js";

describeNeovim("the review of changes", (inNeovim) => {
  it("marks changes, jumps to them, shows the former text there, and lists them", inNeovim(showsChanges));
  it("highlights a change until the cursor has been there, also in a file that is opened later", inNeovim(fades));
  it("highlights only the agent's parts of a change in which the user has typed", inNeovim(leavesTyped));
  it("jumps from a window without a file, and says why it can't", inNeovim(jumpsFromAnywhere));
  it("lists files with odd names and jumps to them", inNeovim(showsOddNames));
  it("reviews a call over three files, and the agent hears of it", inNeovim(reviews));
  it("follows the editor's own undo and redo, and :edit!", inNeovim(followsUndo));
});

const changed = { message: "Claude Code: 1 line changed", newText: "new\n" };
const removed = { message: "Claude Code: 1 line removed", oldText: "gone\n" };

async function showsChanges(view: View): Promise<void> {
  const { stage, press, shows } = view;
  stage.lay({ "src/tax.ts": "export const tax = 0.2;\n" });
  tellReview(stage, "src/price.ts", [
    { ...changed, range: wholeLines(1, 1), oldText: "\tfirst\n" },
    { ...changed, range: wholeLines(3, 4), oldText: "older\nold\n" },
    { ...removed, range: wholeLines(5, 4) },
  ]);
  tellReview(stage, "src/tax.ts", [{ kind: "create", message: "Claude Code: created", range: wholeLines(1, 0) }]);
  tellReview(stage, "src/gone.ts", [{ kind: "delete", message: "Claude Code: deleted", range: wholeLines(1, 0) }]);
  await expect.poll(() => marksOf(view)).toEqual(["1-1", "3-4", "5 removal"]);
  const [first, , third, fourth, fifth] = (await shows("text was removed here")).split("\n");
  expect([first, third, fourth, fifth].map((line) => line![0])).toEqual(["▎", "▎", "▎", "▔"]);
  press("]a");
  await expect.poll(() => cursorOf(view)).toBe("price.ts:3");
  await shows("\n  Claude Code: 1 line changed\n  older\n  old\n▎ export function");
  press("]a");
  await expect.poll(() => cursorOf(view)).toBe("price.ts:5");
  expect(await shows("\n  Claude Code: 1 line removed\n  gone\n▔ }")).not.toContain("older");
  press("]a");
  await expect.poll(() => cursorOf(view)).toBe("tax.ts:1");
  await shows("+ export const tax", "Claude Code: created");
  press("]a");
  await expect.poll(() => cursorOf(view)).toBe("price.ts:1");
  await shows("  Claude Code: 1 line changed\n          first\n▎ export const rate", "This is the first change again.");
  press("j");
  expect((await shows("▎ export const rate")).startsWith("▎ export const rate")).toBe(true);
  press("[a[a");
  await expect.poll(() => cursorOf(view)).toBe("tax.ts:1");
  press(":MultiEditChanges\r");
  await shows("[Quickfix List] Changes by agents");
  expect(await quickfixOf(view)).toEqual([
    expect.stringMatching(/^:0: src\/gone\.ts: \d\d:30 Claude Code: deleted$/),
    expect.stringMatching(/^price\.ts:1: \d\d:30 Claude Code: 1 line changed \| new$/),
    expect.stringMatching(/^price\.ts:3: \d\d:30 Claude Code: 1 line changed \| new$/),
    expect.stringMatching(/^price\.ts:5: \d\d:30 Claude Code: 1 line removed$/),
    expect.stringMatching(/^tax\.ts:1: \d\d:30 Claude Code: created$/),
  ]);
  // The list follows the review.
  tellReview(stage, "src/price.ts", []);
  await expect.poll(async () => ((await quickfixOf(view)) as unknown[]).length).toBe(2);
  for (const name of ["src/tax.ts", "src/gone.ts"]) tellReview(stage, name, []);
  await expect.poll(() => quickfixOf(view)).toEqual([]);
  press(":cclose\r]a");
  await shows("No change of an agent waits for review.");
}

async function fades(view: View): Promise<void> {
  const { stage, press, editor } = view;
  const hunks = [
    { ...changed, range: wholeLines(3, 3) },
    { ...removed, range: wholeLines(5, 4) },
  ];
  tellReview(stage, "src/price.ts", hunks);
  await expect.poll(() => marksOf(view)).toEqual(["3-3", "5 removal"]);
  // The marks move with the text.
  press("ggOabove\u001b");
  await expect.poll(() => marksOf(view)).toEqual(["4-4", "6 removal"]);
  press("4G");
  await expect.poll(() => cursorOf(view)).toBe("price.ts:4");
  expect(await marksOf(view)).toEqual(["4-4", "6 removal"]);
  press("gg");
  await expect.poll(() => marksOf(view)).toEqual(["6 removal"]);
  expect(await view.shows("▎ export function")).toContain("▔ }  text was removed here");
  // What the cursor has seen stays seen, until an agent changes it again.
  const moved = hunks.map((hunk, index) => ({ ...hunk, range: wholeLines(4 + 2 * index, 4 + index) }));
  tellReview(stage, "src/price.ts", moved);
  await expect.poll(() => marksOf(view)).toEqual(["6 removal"]);
  tellReview(stage, "src/price.ts", [{ ...moved[0], newText: "newer\n" }, moved[1]!]);
  await expect.poll(() => marksOf(view)).toEqual(["4-4", "6 removal"]);
  await editor.open(stage.path("src/old.ts"));
  tellReview(stage, "src/old.ts", [{ ...changed, range: wholeLines(1, 1) }]);
  await expect.poll(() => marksOf(view)).toEqual(["1-1"]);
  await lua(view, `vim.cmd.buffer(vim.fn.bufnr(${JSON.stringify(stage.path("src/price.ts"))}))`);
  await editor.open(stage.path("src/old.ts"));
  await expect.poll(() => marksOf(view)).toEqual([]);
}

async function leavesTyped(view: View): Promise<void> {
  const ranges = [wholeLines(1, 1), wholeLines(3, 4)];
  tellReview(view.stage, "src/price.ts", [{ ...changed, state: "changed", range: wholeLines(1, 4), ranges }]);
  await expect.poll(() => marksOf(view)).toEqual(["1-1", "3-4"]);
  view.press("j");
  await expect.poll(() => marksOf(view)).toEqual([]);
  view.press("]a");
  await view.shows("This is the first change again.");
}

async function jumpsFromAnywhere(view: View): Promise<void> {
  tellReview(view.stage, "src/old.ts", [{ ...changed, range: wholeLines(1, 1) }]);
  await expect.poll(() => lua(view, "return #require('multi_edit.review').all()")).toBe(1);
  view.press(":MultiEditChanges\r");
  await view.shows("[Quickfix List]");
  view.press("]a");
  await expect.poll(() => cursorOf(view)).toBe("old.ts:1");
  await view.shows("[Quickfix List]", "old.ts", "Claude Code: 1 line changed");
  view.press(":cclose | buffer price.ts | set nohidden\rOtyped\u001b]a");
  await view.shows("E37: No write since last change");
  expect(await lua(view, "return vim.api.nvim_get_mode().mode")).toBe("n");
  expect(await cursorOf(view)).toBe("price.ts:1");
  view.press(":set hidden\rq:");
  await view.shows("[Command Line]");
  view.press("]a");
  await view.shows("E11: Invalid in command-line window");
  view.press(":quit\r]a");
  await expect.poll(() => cursorOf(view)).toBe("old.ts:1");
}

async function showsOddNames(view: View): Promise<void> {
  const { stage, press, shows } = view;
  const existing = Object.keys(oddNames).filter((name) => !name.includes("%00"));
  stage.lay(Object.fromEntries(existing.map((name) => [decodeURIComponent(name), "a\n"])));
  // Not UTF-8.
  const all = [...Object.keys(oddNames), "a%FFb.ts"];
  const odd = { range: wholeLines(1, 1), message: "one\ntwo\0three: 1 line changed", newText: "a\tb\n" };
  for (const name of all) tellReview(stage, name, [odd]);
  await expect.poll(() => lua(view, "return #require('multi_edit.review').all()")).toBe(all.length);
  press(":MultiEditChanges\r");
  await shows("one␊two␀three: 1 line changed | a␉b");
  const texts = (await quickfixOf(view)) as string[];
  expect(texts).toHaveLength(all.length);
  expect(texts).toContainEqual(expect.stringMatching(/^:0: .*a␀b\.ts: \d\d:30 one␊two␀three/));
  press(":cclose\r");
  const visited = new Set<unknown>();
  for (let count = 0; count <= existing.length; count++) {
    press("]a");
    await shows("one␊two␀three: 1 line changed\n▎");
    visited.add(await cursorOf(view));
  }
  for (const name of existing) expect(visited).toContain(`${decodeURIComponent(name)}:1`);
  expect(await messagesOf(view)).not.toMatch(/E\d+:/);
}

/** Signs, by the lines of the current buffer, from 1. */
const signsOf = (view: View): Promise<unknown> =>
  lua(
    view,
    `local lines = {}
     local namespace = vim.api.nvim_get_namespaces().multi_edit_review
     for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
       if mark[4].sign_text then
         table.insert(lines, ("%d-%d"):format(mark[2] + 1, (mark[4].end_row or mark[2]) + 1))
       end
     end
     return lines`,
  );

async function followsUndo(view: View): Promise<void> {
  view.stage.lay({ "src/tax.ts": others["tax.ts"] });
  const agent = await reviewedCall(view.stage, "src/");
  agent.stop();
  await expect.poll(() => signsOf(view)).toEqual(["1-1", "4-5"]);
  for (const [key, signs] of [
    ["u", []],
    ["\u0012", ["1-1", "4-5"]],
  ] as const) {
    view.press(key);
    await expect.poll(() => signsOf(view)).toEqual(signs);
  }
  view.press(":edit!\r");
  await expect.poll(() => signsOf(view)).toEqual(["1-1", "4-5"]);
}

async function reviews(view: View): Promise<void> {
  const { stage, press, shows } = view;
  stage.lay({ "src/tax.ts": others["tax.ts"] });
  const agent = await reviewedCall(stage, "src/");
  await expect.poll(() => signsOf(view)).toEqual(["1-1", "4-5"]);
  press("gg:MultiEditChanges\r");
  capture(view, "list", aboveMessage(await shows("[Quickfix List]", "▎ export const rate = 0.2;")));
  press(":cclose\r]a");
  capture(view, "former", upToStatus(await shows("\n    return net * (1 + rate);\n▎   const sum")));
  // Text that is typed above the change is no part of it.
  press("ggOtyped\u001b5G\\u");
  await expect.poll(async () => (await stage.held())["src/price.ts"]).toBe(`typed\n${price.replace("0.19", "0.2")}`);
  await expect.poll(() => signsOf(view)).toEqual(["2-2"]);
  expect(await shows("▎ export const rate")).not.toContain("▎   return");
  press("2G\\k");
  await shows("Kept 1 change");
  await expect.poll(() => signsOf(view)).toEqual([]);
  press("]a");
  await expect.poll(() => cursorOf(view)).toBe("tax.ts:1");
  press("\\c");
  await shows("Comment for the agent:");
  press("use cents");
  capture(view, "comment", await shows("Comment for the agent: use cents"));
  press("\r");
  await shows("The agent will read this about src/tax.ts:1");
  const told = await agent.apply({ edits: [{ path: "src/old.ts", oldText: "{}", newText: "{ a }" }] });
  expect(told).toContain(hears("src/"));
  press(":MultiEditLog\r");
  capture(view, "log", aboveMessage(await shows("Calls by agents", "partly undone")));
  press("2Gu");
  await expect.poll(() => stage.disk()["src/tax.ts"]).toBe(others["tax.ts"]);
  await shows("src/cents.ts (undone)");
  expect(stage.disk()["src/cents.ts"]).toBe(undefined);
  press("\u0012");
  await expect.poll(() => stage.disk()["src/tax.ts"]).toContain("0.21");
  expect(await shows("▎ export const tax = 0.21;", "src/cents.ts\n")).not.toContain("(undone)");
  press("q:%MultiEditUndo\r");
  await expect.poll(() => stage.disk()["src/tax.ts"]).toBe(others["tax.ts"]);
  agent.stop();
}

/** A screen without its last row, where a message may appear. */
const aboveMessage = (screen: string): string => screen.replace(/\n[^\n]*$/, "");

/** A screen without its last line, which may show an earlier message. */
const upToStatus = (screen: string): string => screen.replace(/(?<=^price\.ts\n).*$/ms, "");
