/** The README is true: its examples give what it shows, its commands exist, its links lead somewhere. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, startClient } from "../client-samples/node/client.js";
import { buildProgram, type Program } from "./support/build.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const readme = readFileSync(join(root, "README.md"), "utf8");
const manifest: { scripts: Record<string, string> } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Fenced blocks by all that stands after the fence. */
const blocks = new Map(
  [...readme.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(([, info = "", body = ""]) => [info, body]),
);

/** A block that the README must have, with its folder replaced by the one of the test. */
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

  it("fails with the message that it shows, and nothing changes", async () => {
    const answer = await client.apply(JSON.parse(block("json request that fails")));
    expect(answer).toMatchObject({ ok: false, code: -32803, message: block("text message").trimEnd() });
    expect(client.documents.get(join(shop, path))).toMatchObject({ version: 7, text: block("ts src/price.ts") });
  });

  it("gets the answer that it shows, as a preview", async () => {
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

describe("what it names", () => {
  it("are commands that package.json has", () => {
    const commands = [...block("sh").matchAll(/npm (?:run )?(\w+)/g)].map((match) => match[1]);
    expect(commands).toEqual(["ci", "demo", "ci", "test"]);
    expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(["demo", "test", "build"]));
  });

  it("are files that are there", () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1] ?? "");
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });
});
