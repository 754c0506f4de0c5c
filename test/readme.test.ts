/**
 * Checks that the README is true: its examples produce the results shown, its commands exist, and its links resolve.
 */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
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
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client as McpClient } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Client, startClient } from "../client-samples/node/client.js";
import { announced, ownStateHome } from "./support/agentPeer.js";
import { buildProgram, type Program } from "./support/build.js";
import { runCommand } from "./support/commands.js";
import { layDesk } from "./support/desk.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readme = readFileSync(join(root, "README.md"), "utf8");
const manifest: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Fenced blocks, keyed by the info string after the opening fence. */
const blocks = new Map(
  [...readme.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(([, info = "", body = ""]) => [info, body]),
);

/** A block that the README must have, with its folder replaced by the test's. */
function block(info: string, folder = shop): string {
  const body = blocks.get(info);
  if (body === undefined) throw new Error(`README.md has no block \`\`\`${info}`);
  return body.replaceAll(pathToFileURL("/home/me/shop").href, pathToFileURL(folder).href);
}

const remark = " // ask Ann";
const path = "src/price.ts";

let program: Program;
let client: Client;
let shop = "";

beforeAll(async () => {
  program = await buildProgram(new URL("../server/main.ts", import.meta.url));
  shop = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-readme-")));
  mkdirSync(join(shop, "src"));
  const text = block("ts src/price.ts");
  writeFileSync(join(shop, path), text.replace(remark, ""));
  client = await startClient({ command: [process.execPath, program.path, "--stdio"], folder: shop });
  const { version } = client.documents.open(join(shop, path));
  for (let next = version; next < 7; next++) client.documents.change(join(shop, path), text);
});

afterAll(async () => {
  await client.stop();
  program.remove();
  rmSync(shop, { recursive: true, force: true });
});

describe("the example", () => {
  it("starts where the README says", () => {
    expect(client.documents.get(join(shop, path))).toMatchObject({ version: 7, saved: false });
    expect(block("ts src/price.ts")).toContain(remark);
  });

  it("fails with the message that is shown, and nothing changes", async () => {
    const answer = await client.apply(JSON.parse(block("json request that fails")));
    expect(answer).toMatchObject({ ok: false, code: -32803, message: block("text message").trimEnd() });
    expect(client.documents.get(join(shop, path))).toMatchObject({ version: 7, text: block("ts src/price.ts") });
  });

  it("gets the answer that is shown, as a preview", async () => {
    const answer = await client.preview(JSON.parse(block("json request")));
    expect(answer).toEqual({ ok: true, result: JSON.parse(block("json answer")) });
  });

  it("is applied, and the unsaved remark stays", async () => {
    const answer = await client.apply(JSON.parse(block("json request")));
    expect(answer).toMatchObject({
      ok: true,
      result: { ...JSON.parse(block("json answer")), applied: true, outcome: "applied" },
    });
    const text = block("ts src/price.ts").replace("rate = 0.19", "vatRate = 0.2").replace("+ rate", "+ vatRate");
    expect(client.documents.get(join(shop, path))?.text).toBe(text);
    expect(text).toContain(remark);
  });
});

/** Runs a line of the quick start for a user who has no configuration yet; returns the user's home. */
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
  const [build = "", setup = "", apply = "", agent = "", ...more] = block("sh quick start").trimEnd().split("\n");

  it("has four commands", () => {
    expect(more).toEqual([]);
    expect(build).toBe("npm ci && npm run build && npm link");
  });

  // test/editors/setup.test.ts starts real editors with what this command writes.
  it("sets the editor up with a sample that exists", () => {
    const home = runAtHome(setup);
    const written = readFileSync(join(home, ".config/nvim/plugin/multi_edit.lua"), "utf8");
    const sample = /append\("(.+)"\)/.exec(written)?.[1] ?? "";
    expect(existsSync(join(sample, "lua/multi_edit.lua"))).toBe(true);
    expect(written).toContain('require("multi_edit").setup(');
  });

  it("changes the line in the editor, keeps the remark, and prints what is shown", async () => {
    const home = ownStateHome();
    const text = block("ts src/price.ts");
    const desk = await layDesk(program, {
      clientInfo: { name: "Tester" },
      files: { [path]: text.replace(remark, "") },
      open: { [path]: text },
    });
    await announced(home);
    const call = /^multi-edit apply <<< '(.+)'$/.exec(apply)?.[1] ?? "";
    const ran = await runCommand(program, ["apply"], { cwd: desk.root, input: call });
    expect(ran).toMatchObject({ code: 0, stdout: block("diff quick start") });
    expect(desk.texts()[path]).toBe(text.replace("0.19", "0.2"));
    expect(desk.texts()[path]).toContain(remark);
    const undone = await runCommand(program, ["undo"], { cwd: desk.root });
    expect([undone.code, desk.texts()[path]]).toEqual([0, text]);
    expect(await runCommand(program, ["doctor"], { cwd: desk.root })).toMatchObject({ code: 0 });
  });

  // test/agents starts the real agent with what this command writes.
  it("sets the agent up with a server that serves its tools", async () => {
    const home = runAtHome(agent);
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

describe("the patch", () => {
  it("has the effect that the README describes on the file that the call above left", async () => {
    const before = client.documents.get(join(shop, path))?.text ?? "";
    const answer = await client.applyByServer({ patch: block("patch"), options: { overwrite: true } });
    expect(answer).toMatchObject({
      ok: true,
      result: { outcome: "applied", text: block("text patched").trimEnd(), edits: [{}, {}, {}] },
    });
    const moved = client.documents.get(join(shop, "src/gross.ts"));
    expect(moved?.text).toBe(before.replace("return net * (1 + vatRate)", "return round(net * (1 + vatRate))"));
    expect(moved?.text).toContain(remark);
    expect(readFileSync(join(shop, "src/round.ts"), "utf8")).toMatch(/^export const round = .*;\n$/);
    expect(existsSync(join(shop, path))).toBe(false);
    expect(client.documents.get(join(shop, path))).toBeUndefined();
  });
});

describe("the demo", () => {
  it("prints everything that the README shows of it, except for the times, and succeeds", async () => {
    const demo = await buildProgram(new URL("../client-samples/node/demo.ts", import.meta.url));
    // The demo looks for the server in its own folder and for the packages in the parent folders.
    const stage = join(demo.folder, "dist");
    mkdirSync(stage);
    copyFileSync(program.path, join(stage, "main.cjs"));
    copyFileSync(demo.path, join(stage, "demo.cjs"));
    symlinkSync(join(root, "node_modules"), join(demo.folder, "node_modules"), "dir");
    const timeless = (text: string): string => text.replace(/[\d.]+ ms$/gm, "… ms");
    try {
      const printed = execFileSync(process.execPath, [join(stage, "demo.cjs")], { encoding: "utf8" });
      for (const shown of block("text demo").split("\n\n")) {
        expect(timeless(printed)).toContain(timeless(shown.trimEnd()));
      }
    } finally {
      demo.remove();
    }
  });
});

describe("the README", () => {
  it("names commands that package.json defines", () => {
    const commands = [...block("sh").matchAll(/npm (?:run )?(\w+)/g)].map((match) => match[1]);
    expect(commands).toEqual(["ci", "demo", "ci", "test"]);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(["demo", "test", "build"]));
  });

  it("links to files that exist", () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] ?? "");
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });
});
