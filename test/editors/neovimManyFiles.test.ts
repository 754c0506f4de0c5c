/** A real Neovim with 1,000 open files, of which another program changes one, 100 by a branch switch, or all. */
import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { layBranches, names, notices, textOf, whenAllOpen } from "./manyFiles.js";
import { neovim, olderNeovim } from "./neovim.js";
import { absence, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

vi.setConfig({ testTimeout: 120_000 });

for (const kind of [neovim, olderNeovim]) {
  const missing = absence(kind);
  describe(`${kind.name} (${kind.root}) with 1,000 open files`, () => {
    it("has each change on disk within seconds, tells of a branch switch once, and asks nothing at a save", async () => {
      if (missing === undefined) {
        const session = await startSession(kind);
        return onStage(session, changes).finally(session.stop);
      }
      if (process.env.REQUIRE_EDITORS === "1") throw new Error(missing);
      console.log(`left out: 1,000 open files in ${kind.name} (${kind.root}): ${missing}`);
    });
  });
}

/**
 * The longest time, in milliseconds, until the buffer of one file that was written has its text, and until all have theirs:
 * Neovim needs about 4 ms for each, and as much for the server, and the machine may be busy.
 */
const [soon, latest] = [2_000, 40_000];

/** Counts the buffers that have a line. */
const countOf = (stage: Stage, line: string): Promise<unknown> =>
  stage.driver.run!(`local count = 0
    for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
      if vim.tbl_contains(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), ${JSON.stringify(line)}) then
        count = count + 1
      end
    end
    return count`);

/** Replaces lines in a file's buffer, as typing does; `from`, `to`: as in `nvim_buf_set_lines`. */
const type = (stage: Stage, name: string, [from, to]: readonly [number, number], line: string): Promise<unknown> =>
  stage.driver.run!(`vim.cmd.buffer(vim.fn.bufnr(${JSON.stringify(`${stage.path(name)}$`)}))
    vim.api.nvim_buf_set_lines(0, ${from}, ${to}, true, { ${JSON.stringify(line)} })`);

async function openAll(stage: Stage): Promise<void> {
  // A hundred at a time, because an editor that does not answer for long counts as hung.
  for (let from = 0; from < names.length; from += 100) {
    const paths = JSON.stringify(names.slice(from, from + 100).map((name) => stage.path(name)));
    await stage.driver.run!(`for _, path in ipairs(vim.json.decode([=[${paths}]=])) do vim.cmd.edit(path) end`);
  }
  await whenAllOpen(stage);
}

async function changes(stage: Stage): Promise<void> {
  const git = layBranches(stage, 100);
  await openAll(stage);

  await type(stage, names[1]!, [2, 2], "mine");
  await type(stage, names[2]!, [0, 1], "rate = 0.07");
  for (const name of names.slice(1, 3)) await stage.synced(name);
  writeFileSync(stage.path(names[500]!), textOf("0.21"));
  await expect.poll(() => countOf(stage, "rate = 0.21"), { timeout: soon, interval: 20 }).toBe(1);
  // What is loaded at the same time would be counted with the files of the branch.
  await delay(1_000);
  expect(notices(stage)).toEqual([]);

  git("checkout", "-q", "other");
  await expect.poll(() => countOf(stage, "rate = 0.20"), { timeout: latest, interval: 200 }).toBe(99);
  await expect.poll(() => notices(stage), { timeout: 5_000 }).toHaveLength(1);
  // On a busy machine, what is loaded more than two seconds after the first file is not mentioned.
  expect(notices(stage)[0]).toMatch(
    /^\d+ files taken over from disk, 1 conflict\. "[^"]*f2\.txt": not merged, you and/,
  );

  const start = performance.now();
  for (const name of names) if (name !== names[2]) writeFileSync(stage.path(name), textOf("0.22"));
  await expect.poll(() => countOf(stage, "rate = 0.22"), { timeout: latest, interval: 200 }).toBe(999);
  console.log(`999 open files were changed on disk within ${Math.round(performance.now() - start)} ms`);
  expect((await stage.held())[names[1]!]).toBe("rate = 0.22\nnet\nmine\nend\n");
  await expect.poll(() => notices(stage).length, { timeout: 5_000 }).toBeGreaterThan(1);
  const conflicts = notices(stage).filter((notice) => notice.includes("conflict"));
  expect(conflicts).toHaveLength(1);

  await stage.driver.run!(`vim.cmd.buffer(vim.fn.bufnr(${JSON.stringify(`${stage.path(names[1]!)}$`)}))`);
  await stage.driver.save(stage.path(names[1]!));
  expect(stage.disk()[names[1]!]).toBe("rate = 0.22\nnet\nmine\nend\n");
  expect((await stage.held())[names[2]!]).toBe(textOf("0.07"));
}
