/**
 * Features that only the sample for Neovim has: its commands, its quickfix list of failure locations, and its check
 * before it applies an answer.
 */
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { batch, patchOf } from "../support/desk.js";
import { changedNothing, done, expectTexts, nothing, type Scene } from "./scenes.js";
import type { Stage } from "./stage.js";

/** Runs Lua code that returns a value. */
const lua = (stage: Stage, text: string): Promise<unknown> => stage.driver.run!(text);

/** Scenes that run only in Neovim. */
export const neovimScenes: readonly Scene[] = [
  {
    name: ":MultiEdit with the buffer, a selection and a register; :MultiEditUndo",
    doors: ["request"],
    run: async (stage, _door, traits) => {
      const call = JSON.stringify(batch(["a.txt", "one", "1"]));
      const patch = patchOf("*** Update File: a.txt", "@@", "-two", "+2").patch;
      stage.lay({ "a.txt": "one\ntwo\nthree\n", "call.txt": `${call}\n`, "mixed.txt": `Here it is:\n${patch}Done.\n` });
      await stage.open("a.txt", "mixed.txt", "call.txt");
      const others = { "call.txt": `${call}\n`, "mixed.txt": `Here it is:\n${patch}Done.\n` };
      await lua(stage, "vim.cmd.MultiEdit()");
      await untilText(stage, "1\ntwo\nthree\n");
      await stage.driver.open(stage.path("mixed.txt"));
      await lua(stage, "vim.cmd('2,7MultiEdit')");
      await untilText(stage, "1\n2\nthree\n");
      await lua(
        stage,
        `vim.fn.setreg("a", [[${JSON.stringify(batch(["a.txt", "three", "3"]))}]]) vim.cmd.MultiEdit("a")`,
      );
      await untilText(stage, "1\n2\n3\n");
      await lua(stage, "vim.cmd.MultiEditUndo()");
      await untilText(stage, "1\n2\nthree\n");
      await expectTexts(stage, { ...others, "a.txt": "1\n2\nthree\n" }, traits);
      return done;
    },
  },
  {
    name: "failure locations in the quickfix list",
    doors: ["request"],
    run: async (stage, door, traits) => {
      stage.lay({ "a.txt": "log(x)\nother\nlog(x)\n" });
      await stage.open("a.txt");
      await changedNothing(stage, traits, () => stage.apply(door, batch(["a.txt", "log(x)", "log(y)"])), []);
      const listed = /^ambiguousMatch: The old text of edit \d \(a\.txt\) occurs 2 times \| log\(x\)$/;
      const items =
        "return vim.tbl_map(function(item) return { vim.fn.bufname(item.bufnr), item.lnum, item.text } end, vim.fn.getqflist())";
      expect(await lua(stage, items)).toMatchObject([
        [expect.stringMatching(/a\.txt$/), 1, expect.stringMatching(listed)],
        [expect.stringMatching(/a\.txt$/), 3, expect.stringMatching(listed)],
      ]);
      return done;
    },
  },
  {
    name: "the user types into the second of three files before the answer is applied",
    doors: ["request"],
    run: async (stage, _door, traits) => {
      const files = { "a.txt": "old\n", "b.txt": "old\n", "c.txt": "old\n" };
      stage.lay(files);
      await stage.open("a.txt", "b.txt", "c.txt");
      const call = batch(["a.txt", "old", "new"], ["b.txt", "old", "new"], ["c.txt", "old", "new"]);
      // The user's line is typed after the answer has arrived but before it is applied. The sample looks for such
      // changes before it applies anything.
      const told = await lua(
        stage,
        `local asked, util = nil, vim.lsp.util
         local find = vim.uri_to_fname
         vim.uri_to_fname = function(uri)
           vim.uri_to_fname = find
           vim.api.nvim_buf_set_lines(vim.fn.bufnr("b.txt$"), 0, 0, true, { "typed" })
           return find(uri)
         end
         require("multi_edit").apply(vim.json.decode([[${JSON.stringify(call)}]]), function(problem) asked = problem or "applied" end)
         vim.wait(5000, function() return asked ~= nil end, 5)
         return asked`,
      );
      expect(told).toMatch(/b\.txt has changed$/);
      await expectTexts(stage, { ...files, "b.txt": "typed\nold\n" }, traits);
      return nothing;
    },
  },
];

async function untilText(stage: Stage, text: string): Promise<void> {
  for (const end = performance.now() + 10_000; performance.now() < end; await delay(10))
    if ((await stage.driver.held(stage.path("a.txt")))?.text === text) return;
  throw new Error(`a.txt is ${JSON.stringify(await stage.texts())} instead of ${JSON.stringify(text)}`);
}
