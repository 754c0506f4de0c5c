/**
 * Checks that the README is true: its examples produce the results shown, its commands exist, and its links resolve.
 */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Client as McpClient } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { trySentences } from "../server/programs/cli/sentences.js";
import { configFolder, homeFolder, inServerFolder } from "../server/workspace/serverFolder.js";
import { announced, ownStateHome } from "./support/agentPeer.js";
import { buildProgram, type Program } from "./support/build.js";
import { runCommand } from "./support/commands.js";
import { layDesk } from "./support/desk.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readme = readFileSync(join(root, "README.md"), "utf8");
const manifest: { name: string; scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);

/** Fenced blocks, keyed by the info string after the opening fence. */
const blocks = new Map(
  [...readme.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(([, info = "", body = ""]) => [info, body]),
);

/** A block that the README must have. */
function block(info: string): string {
  const body = blocks.get(info);
  if (body === undefined) throw new Error(`README.md has no block \`\`\`${info}`);
  return body;
}

/** The file that `multi-edit try` makes, with a comment that is typed and not saved. */
const typed = trySentences.file.replace("\n", " // ask Ann\n");

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

/** Runs a block of the quick start for a user who has no configuration yet; returns the user's home. */
function runAtHome(line: string): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-home-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const bin = join(home, "bin");
  mkdirSync(bin);
  const linked = `#!/bin/sh\nexec '${process.execPath}' '${join(root, "dist/main.cjs")}' "$@"\n`;
  writeFileSync(join(bin, "multi-edit"), linked, { mode: 0o755 });
  execFileSync("sh", ["-euc", line], { env: { PATH: `${bin}:/usr/bin:/bin`, HOME: home } });
  return home;
}

describe("the quick start", () => {
  // test/editors/quickStart.test.ts runs all of it in real editors.
  it("sets the editor up with a sample that exists", () => {
    const home = runAtHome(block("sh quick start neovim").replace(/^nvim .*/m, ""));
    const written = readFileSync(join(home, ".config/nvim/plugin/multi_edit.lua"), "utf8");
    const sample = /append\("(.+)"\)/.exec(written)?.[1] ?? "";
    expect(existsSync(join(sample, "lua/multi_edit/init.lua"))).toBe(true);
    expect(written).toContain('require("multi_edit").setup(');
    expect(readFileSync(join(home, "multi-edit-try/price.ts"), "utf8")).toBe(trySentences.file);
  });

  it("changes the line in the editor, keeps the remark, and prints what is shown", async () => {
    const home = ownStateHome();
    const desk = await layDesk(program, {
      clientInfo: { name: "Tester" },
      files: { "price.ts": trySentences.file },
      open: { "price.ts": typed },
    });
    await announced(home);
    const tried = runAtHome("multi-edit try ~/multi-edit-try");
    const input = readFileSync(join(tried, "multi-edit-try/call.json"), "utf8");
    const ran = await runCommand(program, ["apply", "--mode=editor"], { cwd: desk.root, input });
    expect(ran).toMatchObject({ code: 0, stdout: block("diff quick start") });
    expect(desk.texts()["price.ts"]).toBe(typed.replace("0.19", "0.2"));
    const undone = await runCommand(program, ["undo"], { cwd: desk.root });
    expect([undone.code, desk.texts()["price.ts"]]).toEqual([0, typed]);
    expect(await runCommand(program, ["doctor"], { cwd: desk.root })).toMatchObject({ code: 0 });
  });

  // test/agents starts the real agent with what this command writes.
  it("sets the agent up with a server that serves its tools", async () => {
    const home = runAtHome(block("sh quick start agent"));
    const { command, args } = JSON.parse(readFileSync(join(home, ".claude.json"), "utf8")).mcpServers["multi-edit"];
    const client = new McpClient({ name: "claude-code", version: "1" });
    await client.connect(
      new StdioClientTransport({ command, args, cwd: home, env: { HOME: home, PATH: `${home}/bin:/usr/bin:/bin` } }),
    );
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("multi_edit");
  });
});

describe("the demo", () => {
  const page = readFileSync(join(root, "client-samples/node/README.md"), "utf8");
  const demoShown = /^```text demo\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? "";

  it("prints everything that its page shows of it, except for the times, and succeeds", async () => {
    const demo = await buildProgram(new URL("../client-samples/node/demo.ts", import.meta.url));
    // The demo looks for the server in its own folder and for the packages in the parent folders.
    const stage = join(demo.folder, "dist");
    cpSync(dirname(program.path), stage, { recursive: true });
    copyFileSync(demo.path, join(stage, "demo.cjs"));
    symlinkSync(join(root, "node_modules"), join(demo.folder, "node_modules"), "dir");
    const timeless = (text: string): string => text.replace(/[\d.]+ ms$/gm, "… ms");
    try {
      const printed = execFileSync(process.execPath, [join(stage, "demo.cjs")], { encoding: "utf8" });
      for (const shown of demoShown.split("\n\n")) {
        expect(timeless(printed)).toContain(timeless(shown.trimEnd()));
      }
    } finally {
      demo.remove();
    }
  });
});

describe("the README", () => {
  it("is short enough to be read in a few minutes", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(171);
  });

  it("names commands that package.json defines, and installs the packages twice at most", () => {
    const commands = [...readme.matchAll(/\bnpm (?:run )?(ci|build|demo|test)\b/g)].map((match) => match[1] ?? "");
    expect(commands.filter((name) => name === "ci").length).toBeLessThanOrEqual(2);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(commands.filter((name) => name !== "ci")));
    expect(commands).toEqual(expect.arrayContaining(["demo", "test", "build"]));
  });

  it("leads without npm link, by the program's path, to entries that need no PATH", () => {
    expect(readme).toContain("full path of `dist/main.cjs` in place of `multi-edit`");
    const home = runAtHome(
      `PATH=/usr/bin:/bin '${process.execPath}' '${join(root, "dist/main.cjs")}' setup claude --write`,
    );
    const { command, args } = JSON.parse(readFileSync(join(home, ".claude.json"), "utf8")).mcpServers["multi-edit"];
    expect([command, args[0]]).toEqual([process.execPath, join(root, "dist/main.cjs")]);
  });

  it("names the folders that stay after the program is removed", () => {
    const section = /^## Upgrade and uninstall\n([\s\S]*?)^## /m.exec(readme)?.[1] ?? "";
    for (const folder of [inServerFolder("", {}, "linux"), configFolder({}, "linux")]) {
      expect(section).toContain(`\`~/${relative(homeFolder(), folder)}\``);
    }
    expect(section).toContain(`npm rm -g ${manifest.name}`);
  });

  it("names the editors that people ask for, and those for which setup refers to this part", () => {
    const section = /^\[Other editors\]([\s\S]*?)^## /m.exec(readme)?.[1] ?? "";
    expect(readme).toContain("`multi-edit setup vscode --write`");
    const names = ["Vim", "Kate", "Zed", "JetBrains", "Sublime Text", "Kakoune"];
    expect(names.filter((name) => !section.includes(`${name}`))).toEqual([]);
    const page = readFileSync(join(root, "client-samples/README.md"), "utf8");
    const table = /^## Other editors\n([\s\S]*?)^## /m.exec(page)?.[1] ?? "";
    expect(names.filter((name) => !table.includes(name))).toEqual([]);
  });

  it("links to files that exist", () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] ?? "");
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });
});
