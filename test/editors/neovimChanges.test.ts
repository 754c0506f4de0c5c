/**
 * What a person at a real Neovim hears of edits, the agents' and the person's own: keys go into a terminal, and its screen
 * is read. The notifications about agents' edits come from the test instead of the server, so that their time, names and
 * order are known.
 */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { batch } from "../support/desk.js";
import { lines, price, tellChange } from "./agentScenes.js";
import { capture, describeNeovim, lua, messagesOf, quickfixOf, type View } from "./neovimView.js";

describeNeovim("the view of changes", (inNeovim) => {
  it("says what an agent has changed", inNeovim(saysChanges));
  it("shows at most one message in five seconds, and sums up the others", inNeovim(sumsUp));
  it("shows its message also while text is typed", inNeovim(showsWhileTyping));
  it.each(["v", "V", "\x16"])("shows its message also while text is selected, with %j", (key) =>
    inNeovim((view) => showsWhileSelecting(view, key))(),
  );
  it("says why a file is not saved from the command-line window", inNeovim(failsToSave));
  it("applies the user's own call without asking for Enter, and saves what was clean", inNeovim(appliesOwnCall));
  it("gives the reason of each failure in the quickfix list, even if a path has a NUL", inNeovim(listsFailures));
});

/** The messages about changes, oldest first. */
const mentionsIn = async (view: View): Promise<string[]> =>
  (await messagesOf(view)).split("\n").filter((line) => / changed .* [+]/.test(line));

async function saysChanges(view: View): Promise<void> {
  tellChange(view.stage, [
    { uri: "src/price.ts", kind: "update", added: 2, removed: 1, ranges: [lines(1, 1), lines(4, 4)] },
    { uri: "src/tax.ts", kind: "create", added: 1, ranges: [lines(1, 1)] },
    { uri: "src/gone.ts", kind: "delete", removed: 7 },
    { uri: "src/money.ts", oldUri: "src/coins.ts", kind: "rename" },
  ]);
  const message = await view.shows("Claude Code changed src/price.ts +2 -1", ":MultiEditUndo");
  capture(view, "message", message);
  expect(await lua(view, "return vim.api.nvim_get_mode().mode")).toBe("n");
}

async function sumsUp(view: View): Promise<void> {
  // The five seconds of an earlier test's message must be over.
  await delay(5_100);
  const update = (transaction: string, agent: string, uri: string) =>
    tellChange(view.stage, [{ uri, kind: "update", added: 1, removed: 2, ranges: [lines(1, 1)] }], {
      transaction,
      agent,
    });
  update("t1", "Claude Code", "src/price.ts");
  await view.shows("Claude Code changed src/price.ts +1 -2");
  update("t2", "Claude Code", "src/price.ts");
  update("t3", "Codex", "src/old.ts");
  update("t4", "Codex", "src/old.ts");
  await delay(1_000);
  expect(await mentionsIn(view)).toHaveLength(1);
  await view.shows("Claude Code and Codex changed 2 files +3 -6, in 3 calls");
  expect(await mentionsIn(view)).toHaveLength(2);
  expect(await lua(view, "return vim.api.nvim_get_mode().mode")).toBe("n");
}

async function showsWhileTyping(view: View): Promise<void> {
  await delay(5_100);
  view.press("ggOtyped");
  await view.shows("-- INSERT --");
  tellChange(view.stage, [{ uri: "src/price.ts", kind: "update", added: 1, removed: 2, ranges: [lines(3, 3)] }]);
  await view.shows("Claude Code changed src/price.ts +1 -2");
  view.press(" more");
  await view.shows("typed more", "Claude Code changed src/price.ts +1 -2");
  view.press("\u001bo");
  await view.shows("-- INSERT --");
  view.press("\u0003");
  expect(await lua(view, "return vim.o.showmode")).toBe(true);
}

async function showsWhileSelecting(view: View, key: string): Promise<void> {
  view.press(`gg${key}`);
  await view.shows("-- VISUAL");
  await lua(view, 'require("multi_edit.notice").show("an agent was here")');
  await view.shows("an agent was here");
  view.press("j");
  expect(await view.shows("an agent was here")).not.toContain("-- VISUAL");
  view.press("\u001b");
  await expect.poll(() => lua(view, "return { vim.o.showmode, vim.api.nvim_get_mode().mode }")).toEqual([true, "n"]);
  await view.shows("an agent was here");
}

async function failsToSave({ stage, press, shows }: View): Promise<void> {
  press("q:");
  await shows("[Command Line]");
  const { outcome, text } = await stage.apply("agent", batch(["src/price.ts", "0.19", "0.2"]));
  expect(outcome, text).toBe("applied");
  expect(text).toMatch(/not saved: Vim:E11: Invalid in command-line window/);
  press(":quit\r");
  await shows("export const rate = 0.2;");
}

async function appliesOwnCall(view: View): Promise<void> {
  const { stage, press, shows, editor } = view;
  stage.lay({ "shut.ts": "old\n" });
  await stage.open("src/old.ts", "src/price.ts");
  await stage.retype("src/price.ts", `${price}// typed\n`);
  const call = batch(["src/price.ts", "0.19", "0.2"], ["src/old.ts", "{}", "{ a }"], ["shut.ts", "old", "new"]);
  await lua(view, `vim.fn.setreg("c", [[${JSON.stringify(call)}]])`);
  press(":MultiEdit c\r");
  await expect.poll(() => stage.disk()["src/old.ts"]).toBe("export { a };\n");
  await shows("export const rate = 0.2;");
  expect(await lua(view, "return vim.api.nvim_get_mode().mode")).toBe("n");
  expect(stage.disk()).toMatchObject({ "src/price.ts": price, "shut.ts": "new\n" });
  expect((await editor.held(stage.path("src/price.ts")))?.modified).toBe(true);
  press(":MultiEditUndo\r");
  await shows("export const rate = 0.19;");
  await expect.poll(() => stage.disk()["src/old.ts"]).toBe("export {};\n");
  expect(await lua(view, "return vim.api.nvim_get_mode().mode")).toBe("n");
}

async function listsFailures(view: View): Promise<void> {
  const call = batch(["src/price.ts", "rate", "r"], ["a\0b.ts", "x", "y"], ["src/price.ts", "nowhere", ""]);
  await lua(view, `vim.fn.setreg("c", [[${JSON.stringify(call)}]])`);
  view.press(":MultiEdit c\r");
  await view.shows("\nNothing was changed: 3 of 3 edits failed.");
  await expect.poll(() => quickfixOf(view)).not.toEqual([]);
  expect(await lua(view, "return vim.api.nvim_get_mode().mode")).toBe("n");
  const entries = (await quickfixOf(view)) as string[];
  expect(entries.filter((entry) => entry.startsWith("price.ts:"))[0]).toMatch(
    /^price\.ts:1: ambiguousMatch: The old text of edit 1 \(src\/price\.ts\) occurs 2 times \| export const rate = 0\.19;$/,
  );
  for (const entry of entries) expect(entry).toMatch(/: \w+: \w.* \w/);
  expect(entries).toContainEqual(expect.stringMatching(/^:1: invalidParams: .*b\.ts.* can't be used/));
}
