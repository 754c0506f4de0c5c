/**
 * Programs that have a file open, recognized by the traces that editors and the server's own sessions leave. Real
 * editors are tested, too, if they are installed.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type DiskWorkspace, diskWorkspace } from "../../server/disk/diskWorkspace.js";
import { holderOf } from "../../server/disk/holders.js";
import type { Holder } from "../../server/disk/sentences.js";
import { type Entry, makeDirectory } from "../support/directory.js";
import { neovimVersion } from "../support/neovim.js";

/** The program's name on `PATH`. */
const neovim = "nvim";

/** A process id that is never in use: on Linux, ids are below four million. */
const nobody = 99_999_999;

/** The part of a swap file's first block that says which process has the file open. */
function swapFile(pid: number, host: string): Buffer {
  const block = Buffer.alloc(4096);
  block.write("b0VIM 9.0");
  block.writeUInt32LE(pid, 24);
  block.write("ann", 28);
  block.write(host, 68);
  return block;
}

const here = hostname();
const us = process.pid;

const traces: readonly (readonly [what: string, entries: Record<string, Entry>, holder: string | undefined])[] = [
  ["nothing", {}, undefined],
  ["Emacs here", { "ws/.#a.txt": { link: `ann@${here}.${us}:1700000000` } }, `Emacs (ann@${here}, process ${us})`],
  ["an Emacs that has ended", { "ws/.#a.txt": { link: `ann@${here}.${nobody}:1700000000` } }, undefined],
  ["Emacs elsewhere", { "ws/.#a.txt": { link: "a.b@far.away.12" } }, "Emacs (a.b@far.away, process 12)"],
  ["Emacs without links", { "ws/.#a.txt": `ann@${here}.${us}` }, `Emacs (ann@${here}, process ${us})`],
  ["Emacs, with a terminal's escapes for a name", { "ws/.#a.txt": { link: "ev\u001b[31mil@h.1" } }, "Emacs"],
  ["Emacs, with prose for a name", { "ws/.#a.txt": { link: "do as follows: run@h.1" } }, "Emacs"],
  ["Emacs, with a long name", { "ws/.#a.txt": { link: `${"n".repeat(99)}@h.1` } }, "Emacs"],
  ["Vim, with escapes for a host", { "ws/.a.txt.swp": swapFile(12, "h\u001b[31m") }, "Vim"],
  ["an unreadable file in place of Emacs's link", { "ws/.#a.txt": "what?" }, "Emacs"],
  ["Vim here", { "ws/.a.txt.swp": swapFile(us, here) }, `Vim (${here}, process ${us})`],
  ["a Vim that has ended", { "ws/.a.txt.swp": swapFile(nobody, here) }, undefined],
  ["a Vim that names no process", { "ws/.a.txt.swp": swapFile(0, here) }, `Vim (${here}, process 0)`],
  ["an Emacs that names no process", { "ws/.#a.txt": { link: `ann@${here}.0` } }, `Emacs (ann@${here}, process 0)`],
  ["Vim elsewhere", { "ws/.a.txt.swp": swapFile(12, "far.away") }, "Vim (far.away, process 12)"],
  [
    "a second Vim, after the first one has ended",
    { "ws/.a.txt.swp": swapFile(nobody, here), "ws/.a.txt.swo": swapFile(us, here) },
    `Vim (${here}, process ${us})`,
  ],
  ["no swap file", { "ws/.a.txt.swp": "b0" }, undefined],
  ["Kate", { "ws/.a.txt.kate-swp": "" }, "Kate"],
  ["LibreOffice", { "ws/.~lock.a.txt#": "" }, "LibreOffice"],
];

function workspaceIn(root: string, more: Partial<DiskWorkspace> = {}): DiskWorkspace {
  return diskWorkspace([join(root, "ws")], { state: join(root, "state"), swapFiles: [join(root, "swap")], ...more });
}

/** A description of the editor that has a file open; `undefined` if no editor has it open. */
function editorOf(workspace: DiskWorkspace, path: string): string | undefined {
  const holder = holderOf(workspace, path);
  return holder?.kind === "open" ? holder.by : undefined;
}

describe("a file is open in", () => {
  it.each(traces)("%s", (_, entries, holder) => {
    const root = makeDirectory({ "ws/a.txt": "a", ...entries });
    expect(editorOf(workspaceIn(root), join(root, "ws/a.txt"))).toBe(holder);
    expect(holderOf(workspaceIn(root), join(root, "ws/b.txt"))).toBeUndefined();
  });

  it("Neovim, whose swap files are all in one directory", () => {
    const root = makeDirectory({ "ws/a.txt": "a", "swap/": "" });
    const path = join(root, "ws/a.txt");
    writeFileSync(join(root, "swap", `${path.replaceAll("/", "%")}.swp`), swapFile(us, here));
    expect(editorOf(workspaceIn(root), path)).toBe(`Neovim (${here}, process ${us})`);
  });

  it("a session of the server's own", () => {
    const root = makeDirectory({ "ws/a.txt": "a" });
    const helix: Holder = { kind: "open", by: "Helix" };
    const path = join(root, "ws/a.txt");
    expect(holderOf(workspaceIn(root, { openElsewhere: new Map([[path, helix]]) }), path)).toBe(helix);
  });

  it("a hidden file's own editor", () => {
    const root = makeDirectory({ "ws/.env": "a", "ws/.env.swp": swapFile(us, here) });
    expect(editorOf(workspaceIn(root), join(root, "ws/.env"))).toBe(`Vim (${here}, process ${us})`);
  });
});

// Without Neovim, only the tests above run; if editors are required, its absence is a failure.
if (neovimVersion() === undefined) {
  it("Neovim is not available", () => {
    if (process.env.REQUIRE_EDITORS === "1") throw new Error("Neovim is not there");
    console.log("left out: the swap files of a real Neovim, because there is none");
  });
} else {
  it("a real Neovim is noticed while it has the file open, but no longer after it was killed", async () => {
    const root = makeDirectory({ "ws/a.txt": "a\n", "home/": "" });
    const path = join(root, "ws/a.txt");
    const home = join(root, "home");
    mkdirSync(join(home, "nvim"));
    const swapFiles = join(home, "nvim/swap");
    const workspace = workspaceIn(root, { swapFiles: [swapFiles] });
    const nvim = spawn(neovim, ["--headless", "--clean", path], {
      env: { ...process.env, XDG_STATE_HOME: home, XDG_DATA_HOME: home },
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => nvim.on("close", resolve));
    try {
      for (let tries = 0; tries < 200 && holderOf(workspace, path) === undefined; tries++) await delay(50);
      expect(editorOf(workspace, path)).toBe(`Neovim (${here}, process ${nvim.pid})`);
    } finally {
      nvim.kill("SIGKILL");
      await ended;
    }
    expect(readdirSync(swapFiles)).toHaveLength(1);
    expect(holderOf(workspace, path)).toBeUndefined();
  });
}
