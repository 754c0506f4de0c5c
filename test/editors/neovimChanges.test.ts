/**
 * What a person at a real Neovim sees of edits, the agents' and the person's own: keys go into a terminal, and its screen
 * is read. The notifications about agents' edits come from the test instead of the server, so that their time, names and
 * order are known.
 */
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { batch } from "../support/desk.js";
import { lines, oddNames, price, tellChange } from "./agentScenes.js";
import { capture, cursorOf, describeNeovim, lua, marksOf, messagesOf, quickfixOf, type View } from "./neovimView.js";

describeNeovim("the view of changes", (inNeovim) => {
  it("says what an agent has changed, marks it, lists it and jumps to it", inNeovim(showsChanges));
  it("keeps the mark until the cursor has been there, also in a file that is opened later", inNeovim(keepsMarks));
  it("shows at most one message in five seconds, and sums up the others", inNeovim(sumsUp));
  it("shows its message also while text is typed", inNeovim(showsWhileTyping));
  it.each(["v", "V", "\x16"])("shows its message also while text is selected, with %j", (key) =>
    inNeovim((view) => showsWhileSelecting(view, key))(),
  );
  it("jumps from a window without a file, and says why it can't", inNeovim(jumpsFromAnywhere));
  it("follows the editor's own undo and redo, also after a save, an undo file and :edit!", inNeovim(followsUndo));
  it("follows text that comes back from disk, and a line that somebody deletes", inNeovim(followsReload));
  it("removes the marks of a call that is undone", inNeovim(forgetsUndone));
  it("lists files with odd names and jumps to them", inNeovim(showsOddNames));
  it("says why a file is not saved from the command-line window", inNeovim(failsToSave));
  it("applies the user's own call without asking for Enter, and saves what was clean", inNeovim(appliesOwnCall));
  it("gives the reason of each failure in the quickfix list, even if a path has a NUL", inNeovim(listsFailures));
});

/** The messages about changes, oldest first. */
const mentionsIn = async (view: View): Promise<string[]> =>
  (await messagesOf(view)).split("\n").filter((line) => / changed .* [+]/.test(line));

async function showsChanges(view: View): Promise<void> {
  const { stage, press, shows } = view;
  stage.lay({ "src/tax.ts": "export const tax = 0.2;\n" });
  tellChange(view.stage, [
    { uri: "src/price.ts", kind: "update", added: 2, removed: 1, ranges: [lines(1, 1), lines(4, 4)] },
    { uri: "src/tax.ts", kind: "create", added: 1, ranges: [lines(1, 1)] },
    { uri: "src/gone.ts", kind: "delete", removed: 7 },
    { uri: "src/money.ts", oldUri: "src/coins.ts", kind: "rename" },
  ]);
  const message = await shows("Claude Code changed src/price.ts +2 -1", ":MultiEditUndo");
  capture(view, "message", message);
  expect(await lua(view, "return vim.api.nvim_get_mode().mode")).toBe("n");
  expect(await marksOf(view)).toEqual(["1-1", "4-4"]);
  press("]a");
  await expect.poll(() => cursorOf(view)).toBe("price.ts:4");
  press("]a");
  await expect.poll(() => cursorOf(view)).toBe("tax.ts:1");
  capture(view, "jump", await shows("export const tax"));
  press("[a");
  await expect.poll(() => cursorOf(view)).toBe("price.ts:4");
  press(":MultiEditChanges\r");
  const list = await shows("Changes by agents", "src/gone.ts (deleted)");
  capture(view, "list", list);
  expect(await quickfixOf(view)).toEqual([
    expect.stringMatching(/^price\.ts:1: Claude Code \d\d:\d\d: src\/price\.ts \+2 -1 \| export const rate = 0\.19;$/),
    expect.stringMatching(/^price\.ts:4: Claude Code \d\d:\d\d \| return net \* \(1 \+ rate\);$/),
    expect.stringMatching(/^tax\.ts:1: Claude Code \d\d:\d\d: src\/tax\.ts \(new\) \+1 -0$/),
    expect.stringMatching(/^money\.ts:1: Claude Code \d\d:\d\d: src\/money\.ts \(was src\/coins\.ts\) \+0 -0$/),
    expect.stringMatching(/^:0: Claude Code \d\d:\d\d: src\/gone\.ts \(deleted\)$/),
  ]);
  await lua(view, 'vim.cmd("cclose | MultiEditClear")');
  expect(await marksOf(view)).toEqual([]);
  press("]a");
  await shows("No agent has changed anything");
}

/** A screen without its last line, which may show an earlier test's message. */
const upToStatus = (screen: string): string => screen.replace(/(?<=^price\.ts\n).*$/ms, "");

async function keepsMarks(view: View): Promise<void> {
  const { stage, press, editor } = view;
  tellChange(view.stage, [
    {
      uri: "src/price.ts",
      kind: "update",
      ranges: [lines(3, 3), { start: lines(5, 5).start, end: lines(5, 5).start }],
    },
    { uri: "src/old.ts", kind: "update", ranges: [lines(1, 1)] },
  ]);
  await expect.poll(() => marksOf(view)).toEqual(["3-3", "5 removal"]);
  capture(view, "marks", upToStatus(await view.shows("text was removed here")));
  // The marks move with the text.
  press("ggOabove\u001b");
  await expect.poll(() => marksOf(view)).toEqual(["4-4", "6 removal"]);
  press("4G");
  await expect.poll(() => cursorOf(view)).toBe("price.ts:4");
  expect(await marksOf(view)).toEqual(["4-4", "6 removal"]);
  press("gg");
  await expect.poll(() => marksOf(view)).toEqual(["6 removal"]);
  await editor.open(stage.path("src/old.ts"));
  expect(await marksOf(view)).toEqual(["1-1"]);
  // A buffer that is read again keeps the marks that the cursor has not left.
  press(":edit!\r");
  await delay(200);
  expect(await marksOf(view)).toEqual(["1-1"]);
  await lua(view, `vim.cmd.buffer(vim.fn.bufnr(${JSON.stringify(stage.path("src/price.ts"))}))`);
  expect(await marksOf(view)).toEqual(["6 removal"]);
  await editor.open(stage.path("src/old.ts"));
  expect(await marksOf(view)).toEqual([]);
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

async function jumpsFromAnywhere(view: View): Promise<void> {
  tellChange(view.stage, [{ uri: "src/old.ts", kind: "update", ranges: [lines(1, 1)] }]);
  await expect.poll(() => lua(view, "return #require('multi_edit.changes').all()")).toBe(1);
  view.press(":MultiEditChanges\r");
  await view.shows("[Quickfix List]");
  view.press("]a");
  await expect.poll(() => cursorOf(view)).toBe("old.ts:1");
  await view.shows("[Quickfix List]", "old.ts", "|1| Claude Code");
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

/** The texts of the list's entries for a file, with their lines. */
async function listed(view: View): Promise<string[]> {
  await lua(view, 'vim.cmd("MultiEditChanges | cclose")');
  const entries = (await quickfixOf(view)) as string[];
  return entries.map((entry) => entry.replace(/ Claude Code \d\d:\d\d/, ""));
}

/** The lines, from 1, of all changes in the list, also those without a mark that can be seen. */
const placesOf = (view: View): Promise<unknown> =>
  lua(
    view,
    `return vim.tbl_map(function(change)
       local first, last = require("multi_edit.marks").lines_of(change)
       return change.is_removal and first + 1 .. " removal" or ("%d-%d"):format(first + 1, last + 1)
     end, require("multi_edit.changes").all())`,
  );

async function followsUndo(view: View): Promise<void> {
  const { stage, press } = view;
  await lua(view, 'vim.o.undodir = vim.fn.tempname() vim.fn.mkdir(vim.o.undodir) vim.cmd("set undofile")');
  press(':call append(2, ["// one", "// two"])\r');
  await view.shows("// two");
  tellChange(stage, [{ uri: "src/price.ts", kind: "update", added: 2, ranges: [lines(3, 4)] }]);
  await expect.poll(() => placesOf(view)).toEqual(["3-4"]);
  const entry = "price.ts:3:: src/price.ts +2 -0 | // one";
  expect(await listed(view)).toEqual([entry]);
  press("u");
  await expect.poll(() => placesOf(view)).toEqual([]);
  press("]a");
  // On the screen, the message about the change may follow at once.
  await expect.poll(() => lua(view, 'return vim.fn.execute("messages")')).toContain("No agent has changed anything");
  press("\u0012");
  await expect.poll(() => placesOf(view)).toEqual(["3-4"]);
  expect(await listed(view)).toEqual([entry]);
  // Text that is typed above moves the marks, and its undo moves them back.
  press("ggOabove\u001b");
  await expect.poll(() => placesOf(view)).toEqual(["4-5"]);
  press(":silent undo 0 | silent redo\r");
  await expect.poll(() => placesOf(view)).toEqual(["3-4"]);
  press("\u0012");
  await expect.poll(() => placesOf(view)).toEqual(["4-5"]);
  press("uugg");
  await expect.poll(() => placesOf(view)).toEqual([]);
  press("\u0012:silent write | silent edit!\r");
  await expect.poll(() => placesOf(view)).toEqual(["3-4"]);
  await lua(view, `vim.cmd("bdelete") vim.cmd.edit(${JSON.stringify(stage.path("src/price.ts"))})`);
  await expect.poll(() => placesOf(view)).toEqual(["3-4"]);
  press("gg");
  while (((await lua(view, 'return vim.fn.search("// one", "nw")')) as number) > 0) press("u");
  await expect.poll(() => placesOf(view)).toEqual([]);
  press("\u0012");
  await expect.poll(() => placesOf(view)).toEqual(["3-4"]);
  // The file still has the text, and without an undo file no state of the old tree counts.
  await lua(view, 'vim.cmd("set noundofile") vim.cmd.edit({ bang = true })');
  await lua(view, `vim.cmd("bdelete") vim.cmd.edit(${JSON.stringify(stage.path("src/price.ts"))})`);
  await expect.poll(() => placesOf(view)).toEqual(["3-4"]);
  press("ggOtyped\u001b");
  await expect.poll(() => placesOf(view)).toEqual(["4-5"]);
}

async function followsReload(view: View): Promise<void> {
  const { stage, press } = view;
  await lua(view, 'vim.cmd("set noundofile")');
  tellChange(stage, [
    {
      uri: "src/price.ts",
      kind: "update",
      ranges: [lines(2, 2), { start: lines(3, 3).start, end: lines(3, 3).start }, lines(4, 4)],
    },
  ]);
  await expect.poll(() => placesOf(view)).toEqual(["2-2", "3 removal", "4-4"]);
  press("4Gdd");
  await expect.poll(() => placesOf(view)).toEqual(["2-2", "3 removal"]);
  press("u1G");
  await expect.poll(() => placesOf(view)).toEqual(["2-2", "3 removal", "4-4"]);
  // Another program adds lines above, and changes the last marked line.
  const changed = price.split("\n");
  changed[3] += " // other";
  stage.lay({ "src/price.ts": ["// a", "// b", ...changed].join("\n") });
  press(":silent edit!\r");
  await expect.poll(() => placesOf(view)).toEqual(["4-4", "5 removal"]);
  press("u");
  await expect.poll(() => placesOf(view)).toEqual(["2-2", "3 removal", "4-4"]);
}

async function forgetsUndone(view: View): Promise<void> {
  const file = { uri: "src/price.ts", kind: "update", added: 1, removed: 1, ranges: [lines(1, 1)] };
  tellChange(view.stage, [file], { transaction: "t8" });
  tellChange(view.stage, [{ ...file, ranges: [lines(3, 3)] }], { transaction: "t9" });
  await expect.poll(() => marksOf(view)).toEqual(["1-1", "3-3"]);
  expect(await lua(view, 'return vim.fn.getcompletion("MultiEditUndo ", "cmdline")')).toEqual(["t9", "t8"]);
  tellChange(view.stage, [file], { transaction: "t8", kind: "undone", agent: undefined });
  await expect.poll(() => marksOf(view)).toEqual(["3-3"]);
}

async function showsOddNames(view: View): Promise<void> {
  const { stage, press, shows } = view;
  const existing = Object.keys(oddNames).filter((name) => !name.includes("%00"));
  stage.lay(Object.fromEntries(existing.map((name) => [decodeURIComponent(name), "a\n"])));
  // Not UTF-8.
  const all = [...Object.keys(oddNames), "a%FFb.ts"];
  tellChange(
    stage,
    all.map((uri) => ({ uri, kind: "update", ranges: [lines(1, 1)] })),
    { agent: "one\ntwo\0three" },
  );
  const known = async () => lua(view, "return #require('multi_edit.changes').all()");
  await expect.poll(known).toBe(all.length);
  press(":MultiEditChanges\r");
  await shows(": a␊b.ts +0 -0", `: a |"'b.ts +0 -0`, ": a<ff>b.ts +0 -0");
  const texts = ((await quickfixOf(view)) as string[]).map((entry) => entry.replace(/ \d\d:\d\d/, ""));
  for (const shown of Object.values(oddNames))
    expect(texts).toContainEqual(expect.stringContaining(`:1: one␊two␀three: ${shown} +0 -0`));
  press(":cclose\r");
  for (const name of existing) {
    press("]a");
    await expect.poll(() => cursorOf(view)).toBe(`${decodeURIComponent(name)}:1`);
    expect(await marksOf(view)).toEqual(["1-1"]);
  }
  expect(await messagesOf(view)).not.toMatch(/E\d+:/);
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
