/** Patches in chat buffers, applied with the editors' own menus of code actions: in each text dialect that there is. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { textDialects } from "../../server/dialect/textDialects.js";
import type { EditorKind } from "./editor.js";
import { type EmacsDriver, eglot, keys, lspMode } from "./emacs.js";
import { helix } from "./helix.js";
import { neovim, olderNeovim } from "./neovim.js";
import { absence, type Session, startSession } from "./session.js";
import { onStage, type Stage } from "./stage.js";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const price = "rate = 0.19\nname = 'VAT'\n";
const changed = "rate = 0.2\nname = 'VAT'\n";

/** For each dialect, a text that makes the same change, as a model writes it into a chat. */
const patches: Readonly<Record<string, readonly string[]>> = {
  "Codex patch": [
    "```",
    "*** Begin Patch",
    "*** Update File: price.txt",
    "@@",
    "-rate = 0.19",
    "+rate = 0.2",
    "*** End Patch",
    "```",
  ],
  "unified diff": [
    "```diff",
    "--- a/price.txt",
    "+++ b/price.txt",
    "@@ -1,2 +1,2 @@",
    "-rate = 0.19",
    "+rate = 0.2",
    " name = 'VAT'",
    "```",
  ],
  "SEARCH/REPLACE blocks": [
    "price.txt",
    "```",
    "<<<<<<< SEARCH",
    "rate = 0.19",
    "=======",
    "rate = 0.2",
    ">>>>>>> REPLACE",
    "```",
  ],
};

const chat = (dialect: string): string => `# Chat\n\nDo this:\n\n${patches[dialect]?.join("\n")}\n\nDone.\n`;

it("has a chat for each dialect", () => {
  expect(textDialects.map(({ name }) => name).filter((name) => patches[name] === undefined)).toEqual([]);
});

for (const kind of [helix, neovim, olderNeovim, eglot, lspMode]) {
  const missing = absence(kind);
  // A developer may lack the editor; CI requires it.
  describe.skipIf(missing !== undefined && process.env.REQUIRE_EDITORS !== "1")(`${kind.name} (${kind.root})`, () => {
    if (missing !== undefined) console.log(`left out: patches in the buffers of ${kind.name}: ${missing}`);
    let session: Session;
    beforeAll(async () => {
      session = await startSession(kind);
    });
    afterAll(() => session?.stop());

    it.each(textDialects.map(({ name }) => name))("applies a patch of a chat: %s", (dialect) =>
      onStage(session, async (stage) => {
        stage.lay({ "chat.md": chat(dialect), "price.txt": price });
        await stage.open("price.txt", "chat.md");
        await choose(kind, stage, "rate = 0.19", "Apply to price.txt");
        await expect.poll(async () => (await stage.held())["price.txt"]).toBe(changed);
      }),
    );

    it.runIf(kind.name === "Neovim")("applies a patch of an unnamed buffer and of one that is attached", () =>
      onStage(session, async (stage) => {
        stage.lay({ "price.txt": price });
        await stage.open("price.txt");
        for (const prepare of [
          "vim.cmd('enew')",
          "vim.cmd('new [Chat]') vim.bo.buftype = 'nofile' vim.cmd('MultiEditAttach')",
        ]) {
          await inNeovim(
            stage,
            `${prepare} vim.api.nvim_buf_set_lines(0, 0, -1, true, ${luaLines(chat("Codex patch"))})`,
          );
          await inNeovim(stage, "vim.wait(5000, function() return #vim.lsp.get_clients({ bufnr = 0 }) > 0 end, 10)");
          await choose(kind, stage, "rate = 0.19", "Apply to price.txt");
          await expect.poll(async () => (await stage.held())["price.txt"]).toBe(changed);
          await stage.driver.undo(stage.path("price.txt"));
        }
      }),
    );

    it.runIf(kind.name === "Neovim")("previews a patch, and copies a failure", () =>
      onStage(session, async (stage) => {
        stage.lay({
          "chat.md": `${chat("Codex patch")}\n${chat("Codex patch").replace("-rate", "-ratio")}`,
          "price.txt": price,
        });
        await stage.open("price.txt", "chat.md");
        await choose(kind, stage, "rate = 0.19", "Preview the changes to price.txt");
        const shown = "return vim.bo.filetype == 'diff' and vim.api.nvim_buf_get_lines(0, 4, 6, true) or nil";
        await expect.poll(() => inNeovim(stage, shown)).toEqual(["-rate = 0.19", "+rate = 0.2"]);
        await inNeovim(stage, "vim.cmd('normal q')");
        await choose(kind, stage, "ratio = 0.19", "Copy the failure: ");
        await expect.poll(() => inNeovim(stage, "return vim.fn.getreg('\"')")).toContain("1| rate = 0.19");
        expect(await stage.texts()).toMatchObject({ "price.txt": price });
      }),
    );

    it.runIf(kind.name === "Neovim")("is silent about a file without a hover", () =>
      onStage(session, async (stage) => {
        stage.lay({ "price.txt": price });
        await stage.open("price.txt");
        await inNeovim(stage, "vim.cmd('messages clear') vim.lsp.buf.hover() vim.wait(500)");
        const isNoted = "return vim.fn.execute('messages')";
        expect(await inNeovim(stage, isNoted)).toEqual(
          kind === olderNeovim ? "" : expect.stringContaining("No information"),
        );
      }),
    );

    it.runIf(kind === eglot || kind === lspMode)("copies a failure", () =>
      onStage(session, async (stage) => {
        stage.lay({ "chat.md": chat("Codex patch").replace("-rate", "-ratio"), "price.txt": price });
        await stage.open("price.txt", "chat.md");
        await choose(kind, stage, "ratio = 0.19", "Copy the failure: ");
        const emacs = stage.driver as EmacsDriver;
        await expect.poll(() => emacs.evaluate("(car kill-ring)")).toContain("1| rate = 0.19");
      }),
    );

    it.runIf(kind === eglot || kind === lspMode)("applies a patch of a buffer without a file", () =>
      onStage(session, async (stage) => {
        stage.lay({ "price.txt": price });
        await stage.open("price.txt");
        // The driver that an `EmacsKind` starts has this type.
        const emacs = stage.driver as EmacsDriver;
        const text = JSON.stringify(chat("Codex patch"));
        await emacs.evaluate(
          `(progn (switch-to-buffer "*chat*") (erase-buffer) (insert ${text}) (search-backward "rate = 0.19") t)`,
        );
        await choosing(emacs, "multi-edit-patch-actions", "Patch: ");
        emacs.press(keys.enter);
        await expect.poll(async () => (await stage.held())["price.txt"]).toBe(changed);
      }),
    );
  });
}

const luaLines = (text: string): string =>
  `{ ${text
    .split("\n")
    .map((line) => JSON.stringify(line))
    .join(", ")} }`;

const inNeovim = (stage: Stage, lua: string): Promise<unknown> => stage.driver.run!(lua);

/** Chooses a code action on the first line of the chat that has a text. */
async function choose(kind: EditorKind, stage: Stage, text: string, title: string): Promise<void> {
  const { driver } = stage;
  if (kind.name === "Neovim") {
    const lua = `vim.fn.cursor(1, 1) vim.fn.search(${JSON.stringify(text)})
      vim.lsp.buf.code_action({ apply = true, filter = function(action) return vim.startswith(action.title, ${JSON.stringify(title)}) end })`;
    await inNeovim(stage, lua);
    return;
  }
  if (kind === helix) {
    await driver.run!(`gg/${text.replace(".", "\\.")}\r`);
    driver.key(" a");
    await driver.answer(title, "first", ["first"]);
    return;
  }
  const emacs = driver as EmacsDriver;
  const buffer = `(find-buffer-visiting ${JSON.stringify(stage.path("chat.md"))})`;
  // Otherwise, lsp-mode takes a single action without a question.
  await emacs.evaluate(
    `(progn (setq lsp-auto-execute-action nil) (switch-to-buffer ${buffer}) (goto-char (point-min)) (search-forward ${JSON.stringify(text)}) t)`,
  );
  await choosing(emacs, kind === eglot ? "eglot-code-actions" : "lsp-execute-code-action", "action");
  // The tab completes the title.
  emacs.press(`${title}\t${keys.enter}`);
}

/** Runs a command of Emacs, and waits until it asks its question. */
async function choosing(emacs: EmacsDriver, command: string, question: string): Promise<void> {
  await emacs.evaluate(`(progn (setq driver-next (lambda () (call-interactively #'${command}))) t)`);
  emacs.press(keys.obey);
  await emacs.asked(question);
}
