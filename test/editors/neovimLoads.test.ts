/** A real Neovim loads a file again that another program has changed: cursor, marks and folds stay with their lines. */
import { describe, expect, it, vi } from "vitest";
import { neovim, olderNeovim } from "./neovim.js";
import { absence, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

vi.setConfig({ testTimeout: 60_000 });

for (const kind of [neovim, olderNeovim]) {
  const missing = absence(kind);
  describe(`${kind.name} (${kind.root})`, () => {
    it("keeps cursor, mark, fold and undo of a buffer that it loads again", async () => {
      if (missing === undefined) {
        const session = await startSession(kind);
        return onStage(session, keepsPlaces).finally(session.stop);
      }
      if (process.env.REQUIRE_EDITORS === "1") throw new Error(missing);
      console.log(`left out: places in a buffer that ${kind.name} (${kind.root}) loads again: ${missing}`);
    });
  });
}

const lines = Array.from({ length: 60 }, (_, i) => `line ${i + 1}`);
const before = `${lines.join("\n")}\n`;
const after = `new\nnew too\n${before.replace("line 10\n", "line ten\n").replace("line 30\n", "")}`;

/** The lines with the cursor and the mark, the first and last line of the fold, and the number of the first shown line. */
const places = `local line = vim.fn.getline
  local fold = vim.fn.foldclosed(vim.fn.search("^line 22$", "nw"))
  return { line("."), line("'a"), line(fold), line(vim.fn.foldclosedend(fold)), vim.fn.line("w0") }`;

async function keepsPlaces(stage: Stage): Promise<void> {
  stage.lay({ "a.txt": before });
  await stage.open("a.txt");
  // The answer waits until the server has compared the file.
  await stage.wire.read(stage.path("a.txt"));
  await stage.driver.run!(`vim.wo.foldmethod = "manual"
    vim.cmd("20,25fold | 40mark a | normal! 50Gzt")`);
  const shown = ["line 50", "line 40", "line 20", "line 25", 50];
  expect(await stage.driver.run!(places)).toEqual(shown);
  stage.lay({ "a.txt": after });
  await expect.poll(async () => (await stage.held())["a.txt"], { timeout: 5_000 }).toBe(after);
  expect((await stage.driver.run!(places)) as unknown[]).toEqual([...shown.slice(0, 4), 51]);
  await stage.driver.undo(stage.path("a.txt"));
  expect((await stage.held())["a.txt"]).toBe(before);
}
