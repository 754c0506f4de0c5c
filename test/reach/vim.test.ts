/** The server in a real Vim with ALE, which `.ci/vim` unpacks, set up by the block of its page. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { blockOf } from "../editors/attach.js";
import { startTerminal, type Terminal } from "../editors/terminal.js";
import { stateHome } from "../support/agentPeer.js";
import { runCommand } from "../support/commands.js";
import { serverForDesks } from "../support/desk.js";
import { removeTree } from "../support/directory.js";
import { edits } from "./edits.js";
import { preparedFolder } from "./stage.js";

const prepared = preparedFolder("VIM_ROOT", ".ci/vim");
const program = serverForDesks();

const patchOf = (name: string, from: string, to: string): string =>
  `*** Begin Patch\n*** Update File: ${name}\n@@\n-${from}\n+${to}\n*** End Patch\n`;

const files = {
  "open.txt": "one\n",
  "closed.txt": "two\n",
  "closed.patch": patchOf("closed.txt", "two", "2"),
  "open.patch": patchOf("open.txt", "one", "1"),
};

/** A Vim with ALE and open.txt, in a folder of its own, for a user with nothing but the page's lines. */
function startVim(root: string) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "me-vim-")));
  onTestFinished(() => removeTree(base));
  const [folder, home, state, bin] = ["work", "home", "state", "bin"].map((name) => join(base, name)) as [
    ...[string, string, string, string],
  ];
  for (const path of [folder, home, state, bin]) mkdirSync(path, { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const server = join(bin, "multi-edit-language-server");
  writeFileSync(server, `#!/bin/sh\nexec '${process.execPath}' '${program.path}' "$@"\n`);
  chmodSync(server, 0o755);
  const usr = join(root, "usr");
  const vim = readdirSync(join(usr, "share/vim")).find((name) => /^vim\d+$/.test(name)) ?? "";
  const runtime = join(usr, "share/vim", vim);
  const rc = join(home, "vimrc");
  writeFileSync(
    rc,
    [
      "set nocompatible hidden noswapfile nomore",
      `let &runtimepath = '${runtime},${join(usr, "share/vim-ale")}'`,
      "filetype on",
      "runtime plugin/ale.vim",
      blockOf("client-samples/vim/README.md", "vim ale"),
    ].join("\n"),
  );
  stateHome(state);
  const terminal = startTerminal(
    {
      inside: ["env"],
      folder,
      env: {
        PATH: `${bin}:/usr/bin:/bin`,
        HOME: home,
        TERM: "xterm",
        VIMRUNTIME: runtime,
        XDG_STATE_HOME: state,
        LD_LIBRARY_PATH: join(usr, "lib/x86_64-linux-gnu"),
      },
    },
    [join(usr, "bin/vim.basic"), "-Nu", rc, "open.txt"],
  );
  onTestFinished(() => terminal.stop());
  return {
    terminal,
    disk: (name: string) => readFileSync(join(folder, name), "utf8"),
    run: (args: readonly string[], input = "") => runCommand(program, args, { cwd: folder, input }),
  };
}

/** Opens a patch and chooses the first code action, *Apply*. */
async function applyPatch({ write, whenShown, mark }: Terminal, name: string, title: string): Promise<void> {
  write(`\u001b:e ${name}\r`);
  await expect
    .poll(
      async () => {
        const before = mark();
        write("\u001b:ALECodeAction\r");
        return whenShown(title, before).then(() => true);
      },
      { timeout: 30_000 },
    )
    .toBe(true);
  write("1\r");
}

if ("missing" in prepared) {
  it("Vim with ALE: not available", () => {
    const leftOut = `left out: the tests in Vim with ALE: ${prepared.missing}`;
    if (process.env.REQUIRE_REACH === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  it("in Vim with ALE, unsaved text is read, closed files change, and open ones are refused", async () => {
    const { terminal, disk, run } = startVim(prepared.folder);
    await terminal.whenShown("one", 0);
    terminal.write("ityped \u001b");
    await expect.poll(async () => (await run(["read", "open.txt"])).stdout, { timeout: 30_000 }).toBe("typed one\n");
    // Also while insert mode goes on.
    terminal.write("iX");
    await expect.poll(async () => (await run(["read", "open.txt"])).stdout, { timeout: 30_000 }).toBe("typedX one\n");
    terminal.write("\u001bu");
    await expect.poll(async () => (await run(["read", "open.txt"])).stdout, { timeout: 30_000 }).toBe("typed one\n");
    const both = edits(["open.txt", "one", "1"], ["closed.txt", "two", "2"]);
    const refused = await run(["apply"], JSON.stringify(both));
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('"workspace/applyEdit"')]);
    expect([disk("open.txt"), disk("closed.txt")]).toEqual(["one\n", "two\n"]);
    expect(await run(["apply"], JSON.stringify(edits(["closed.txt", "two", "zwei"])))).toMatchObject({ code: 0 });
    expect(disk("closed.txt")).toBe("zwei\n");
    expect(await run(["undo"])).toMatchObject({ code: 0 });
    expect(disk("closed.txt")).toBe("two\n");

    await applyPatch(terminal, "closed.patch", "1) Apply to closed.txt");
    await expect.poll(() => disk("closed.txt"), { timeout: 10_000 }).toBe("2\n");
    await applyPatch(terminal, "open.patch", "1) Apply to open.txt");
    await delay(1_500);
    expect((await run(["read", "open.txt"])).stdout).toBe("typed one\n");
    expect(disk("open.txt")).toBe("one\n");
  }, 120_000);
}
