/**
 * The README's quick start, run as it is printed, in each editor and from an empty home: from a clone to the changed line
 * with unsaved text in it. Prints the time that it takes without downloads.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { removeTree } from "../support/directory.js";
import { projectRoot } from "../support/project.js";
import { blockOf, cloneTo } from "./attach.js";
import type { EditorKind, Place } from "./editor.js";
import { eglot } from "./emacs.js";
import { helix, olderHelix } from "./helix.js";
import { neovim, olderNeovim } from "./neovim.js";
import { absence, insideOf } from "./session.js";
import { startTerminal } from "./terminal.js";

const block = (name: string): string => blockOf("README.md", `sh quick start${name === "" ? "" : ` ${name}`}`);

/** Keys that type a comment at the end of the first line. */
const comment = { vi: "A // ask Ann\u001b", emacs: "\u0005 // ask Ann" };

const rows: readonly [EditorKind, block: string, keys: string, shell: string][] = [
  [neovim, "neovim", comment.vi, "sh"],
  [neovim, "neovim", comment.vi, "bash"],
  [olderNeovim, "neovim", comment.vi, "sh"],
  [helix, "helix", comment.vi, "sh"],
  [olderHelix, "helix", comment.vi, "sh"],
  [eglot, "emacs", comment.emacs, "sh"],
];

/** The longest time that the quick start may take, in milliseconds: five minutes. */
const longest = 300_000;

vi.setConfig({ testTimeout: longest, hookTimeout: longest });

const missing = absence(neovim);

if (missing !== undefined) {
  it("has no editors", () => {
    const leftOut = `left out: the quick start in real editors; ${missing}`;
    if (process.env.REQUIRE_EDITORS === "1") throw new Error(leftOut);
    console.log(leftOut);
  });
} else {
  describe("the quick start", quickStart);
}

function quickStart(): void {
  let base = "";
  /** The folder of the installed programs. */
  let bin = "";
  let installation = 0;

  beforeAll(() => {
    // A socket's path must be short.
    base = realpathSync(mkdtempSync(join(tmpdir(), "me-")));
    const clone = join(base, "clone");
    cloneTo(clone, { isBuilt: false });
    const before = performance.now();
    bin = install(base, clone);
    installation = performance.now() - before;
  });

  afterAll(() => removeTree(base));

  it.each(rows.map(([kind, name, keys, shell]) => ({ kind, name, keys, shell, version: kind.root })))(
    "leads to the changed line in $name ($version), pasted into $shell",
    async ({ kind, name, keys, shell }) => {
      const home = join(base, `${name}-${kind.root}-${shell}`);
      mkdirSync(home);
      const env = {
        PATH: process.env.PATH ?? "",
        INSIDE_PATH: bin,
        HOME: home,
        TMPDIR: home,
        LANG: "C.UTF-8",
        TERM: "xterm",
      };
      const place: Omit<Place, "link" | "repository" | "servers"> = {
        folder: home,
        home,
        env,
        inside: insideOf(kind, [base, projectRoot]),
      };
      const agent = (command: string): string =>
        execFileSync(shell, ["-euc", command], {
          cwd: home,
          encoding: "utf8",
          stdio: "pipe",
          env: { HOME: home, TMPDIR: home, PATH: `${bin}:${process.env.PATH}` },
        });
      const before = performance.now();
      const terminal = startTerminal(place, [shell, "-euc", block(name)]);
      try {
        await terminal.whenShown("return net", 0);
        terminal.write(keys);
        await vi.waitFor(() => expect(agent("multi-edit doctor || true")).toContain("price.ts, differs from disk"), {
          timeout: 60_000,
        });
        expect(agent(block("call"))).toBe(blockOf("README.md", "diff quick start"));
        const took = performance.now() - before;
        const path = join(home, "multi-edit-try/price.ts");
        expect(readFileSync(path, "utf8")).toContain("export const rate = 0.19;\n");
        expect(agent(`multi-edit read '${path}'`)).toContain("export const rate = 0.2; // ask Ann\n");
        expect(took + installation).toBeLessThan(longest);
        const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);
        console.log(
          `quick start, ${name} (${kind.root}), ${shell}: ${seconds(took)} s after ${seconds(installation)} s of building`,
        );
      } finally {
        await terminal.stop();
      }
    },
  );
}

/**
 * Runs the README's first block in the clone. Instead of the download, `npm ci` gets the packages that the project has.
 * Returns the folder of the installed programs.
 */
function install(base: string, clone: string): string {
  const [shims, prefix, home] = [join(base, "shims"), join(base, "npm"), join(base, "home")];
  for (const folder of [shims, prefix, home]) mkdirSync(folder);
  const npm = execFileSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).trim();
  const ci = `if [ "$1" = ci ]; then exec ln -s '${projectRoot}/node_modules' node_modules; fi`;
  writeFileSync(join(shims, "npm"), `#!/bin/sh\n${ci}\nexec '${npm}' "$@"\n`, { mode: 0o755 });
  const env = {
    HOME: home,
    PATH: `${shims}:${process.env.PATH}`,
    npm_config_prefix: prefix,
    npm_config_offline: "true",
  };
  execFileSync("sh", ["-euc", block("")], { cwd: clone, env, stdio: "pipe" });
  const bin = join(prefix, "bin");
  expect(existsSync(join(bin, "multi-edit"))).toBe(true);
  return bin;
}
