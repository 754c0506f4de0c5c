/** Checks the first part of the protocol page: it is short, and its client, calls and messages work as printed. */
import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { decodeCall } from "../server/dialect/decode.js";
import { announcedShapes } from "../server/dialect/shapes.js";
import { proofOf } from "../server/session/handshake.js";
import { failureCodes } from "./pages/protocol.js";
import { buildProgram, type Program } from "./support/build.js";
import { makeDirectory } from "./support/directory.js";
import { startServer } from "./support/rawClient.js";

const page = readFileSync(new URL("../server/PROTOCOL.md", import.meta.url), "utf8");
const start = /^## Start here\n[\s\S]*?(?=^## )/m.exec(page)?.[0] ?? "";
const text = "export const rate = 0.19;\n";
const edited = "export const rate = 0.2;\n";

/** Returns the body of a block with this info string. `part`: by default, the first part of the page. */
function block(info: string, part = start): string {
  const body = new RegExp(`^\`\`\`${info}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(part)?.[1];
  if (body === undefined) throw new Error(`this part has no block \`\`\`${info}`);
  return body;
}

/** Finds a table in the first part by the name of its first column and returns its rows. */
function rows(column: string): string[][] {
  const lines = start.split("\n");
  const first = lines.findIndex((line) => line.startsWith(`| ${column} |`)) + 2;
  const length = lines.slice(first).indexOf("");
  return lines.slice(first, first + length).map((row) => row.slice(2, -2).split(" | "));
}

let program: Program;
let shop = "";

beforeAll(async () => {
  program = await buildProgram(new URL("../server/main.ts", import.meta.url));
  const command = `#!${process.execPath}\nrequire(${JSON.stringify(program.path)});\n`;
  writeFileSync(join(program.folder, "multi-edit-language-server"), command, { mode: 0o755 });
});
afterAll(() => program.remove());

beforeEach(() => {
  shop = realpathSync(makeDirectory({ "src/price.ts": text, "README.md": "The rate is 0.19.\n" }));
});

it("the first part has at most 150 lines", () => {
  expect(start.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

// On Windows, a program on the search path can be spawned by its bare name only if it is an .exe file.
describe.skipIf(process.platform === "win32")("the smallest client", () => {
  /** Runs the client with a call and returns what it prints. */
  function run(call: unknown): string {
    writeFileSync(join(shop, "client.mjs"), block("js client"));
    const env = { ...process.env, PATH: `${program.folder}${delimiter}${process.env.PATH}` };
    return execFileSync(process.execPath, ["client.mjs", JSON.stringify(call)], { cwd: shop, encoding: "utf8", env });
  }

  const calls = rows("shape").map(([name = "", call = ""]) => ({
    name: cellCode(name),
    call: JSON.parse(cellCode(call)),
  }));

  it("is shown with a call of each shape", () => {
    expect(calls.map(({ name }) => name)).toEqual(announcedShapes);
  });

  it.each(calls)("applies the call of the shape $name as it is printed", ({ name, call }) => {
    expect(decodeCall(call, { optionsAllowed: true })).toMatchObject({ ok: true, shape: name });
    const printed = run(call);
    expect(printed).toContain("M src/price.ts\n");
    expect(printed.endsWith(`${edited}\n`)).toBe(true);
  });

  it("leaves the files that it does not have open to the server", () => {
    const path = "README.md";
    expect(run({ path, oldText: "0.19", newText: "0.2" })).toContain("M README.md\n");
    expect(readFileSync(join(shop, path), "utf8")).toBe("The rate is 0.2.\n");
  });

  it("prints why a call failed, and changes nothing", () => {
    const printed = run({ path: "src/price.ts", oldText: "0.18", newText: "0.2" });
    expect(printed).toContain("edit 0 (src/price.ts)");
    expect(printed.endsWith(`${text}\n`)).toBe(true);
  });
});

it("the first part shows a conversation as it is on the wire", async () => {
  const shown = block("text conversation").replaceAll(pathToFileURL("/home/me/shop").href, pathToFileURL(shop).href);
  const messages = shown.split(/^(?=[→←] )/m).map((message) => ({
    isSent: message.startsWith("→"),
    message: JSON.parse(message.slice(2)),
  }));
  const server = startServer(program.path, ["--stdio"]);
  for (const { isSent, message } of messages) {
    if (isSent) server.send({ jsonrpc: "2.0", ...message });
    else expect(await server.answer(message.id)).toMatchObject(message);
  }
  await server.ask(99, "shutdown");
  server.send({ jsonrpc: "2.0", method: "exit" });
  expect(await server.ended).toMatchObject({ code: 0, stderr: "" });
});

it("the first part says once for each code what to do", () => {
  const codes = rows("to do").flatMap(([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)].map(([, code]) => code));
  expect(codes.sort()).toEqual([...failureCodes].sort());
});

it("the appendix contains a test vector with which the socket agrees", () => {
  const { server, agent, ...handshake } = JSON.parse(block("json handshake", page));
  expect(Object.keys(handshake)).toEqual(["secret", "session", "agentNonce", "serverNonce"]);
  expect({ server, agent }).toEqual({ server: proofOf("server", handshake), agent: proofOf("agent", handshake) });
});

/** Returns the code in a cell that contains nothing else. */
function cellCode(cell: string): string {
  return cell.trim().slice(1, -1);
}
