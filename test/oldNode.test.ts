/** The built program on a Node version that is too old, and after an uncaught error. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import { runCommand } from "./support/commands.js";
import { makeDirectory } from "./support/directory.js";
import { isAll } from "./support/extent.js";
import { initialize, rawClient } from "./support/rawClient.js";
import { builtServer } from "./support/wireServer.js";

const manifest: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** A folder with only the program's first file, and a module that makes the running Node report a different version. */
function layOld(version: string): { folder: string; args: readonly string[]; problem: string } {
  const folder = makeDirectory({
    "main.cjs": readFileSync(builtServer),
    "older.cjs": `
      Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } });
      Object.defineProperty(process, "version", { value: "v${version}" });
    `,
  });
  const problem = `multi-edit-language-server needs Node 20.19 or later; this is ${version} at ${process.execPath}`;
  return { folder, args: ["--require", join(folder, "older.cjs"), join(folder, "main.cjs")], problem };
}

describe("a Node that is too old", () => {
  const versions = ["6.17.1", "14.21.3", "16.20.2", "18.20.8", "20.0.0", "20.9.0", "20.18.3"];
  it.each(isAll ? versions : versions.slice(-1))(
    "is refused in one line, before anything else is loaded: %s",
    async (version) => {
      const { folder, args, problem } = layOld(version);
      for (const words of [["--version"], ["apply"], ["mcp"], ["doctor"], [], ["--stdio"]]) {
        const ran = await runCommand({ path: args[0] ?? "" }, [...args.slice(1), ...words], { cwd: folder });
        expect(ran).toEqual({ code: 1, stdout: "", stderr: `${problem}\n` });
      }
    },
  );

  it.each(["20.19.0", "20.20.1", "21.0.0", "22.4.1", "24.0.0-nightly", "100.0.0"])(
    "does not include one that is new enough: %s",
    async (version) => {
      const { args } = layOld(version);
      const ran = await runCommand({ path: args[0] ?? "" }, [args[1] ?? "", builtServer, "--version"]);
      expect(ran).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
    },
  );

  const answer = (message: string) => ({ jsonrpc: "2.0", id: 0, error: { code: -32803, message } });

  it.each(["18.20.8", "20.18.3"])(
    "is reported to the editor on stdio, as the answer to initialize: %s",
    async (version) => {
      const { args, problem } = layOld(version);
      const child = spawn(process.execPath, [...args, "--stdio"]);
      const client = rawClient(child.stdin, child.stdout);
      const { id, method, params } = initialize as { id: number; method: string; params: object };
      expect(await client.ask(id, method, params)).toMatchObject(answer(problem));
      expect(await codeOf(child)).toBe(1);
    },
  );

  it("answers an initialize that comes in pieces, with a second header and letters of any width", async () => {
    const { args, problem } = layOld("18.20.8");
    const child = spawn(process.execPath, [...args, "--stdio"]);
    const client = rawClient(child.stdin, child.stdout);
    const body = JSON.stringify({ ...initialize, id: "ü", params: { name: "ä😀" } });
    const bytes = Buffer.from(
      `Content-Type: utf-8\r\ncontent-length:${Buffer.byteLength(body)}\r\n\r\n${body}{"later": 1}`,
    );
    for (const at of bytes.keys()) {
      client.write(bytes.subarray(at, at + 1));
      if (at % 40 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await client.answer("ü")).toMatchObject({ error: { message: problem } });
    expect(await codeOf(child)).toBe(1);
  });

  it("is reported to the editor on Node's own channel", async () => {
    const { args, problem } = layOld("18.20.8");
    const child = spawn(process.execPath, [...args, "--node-ipc"], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    child.send(initialize);
    expect((await once(child, "message"))[0]).toMatchObject(answer(problem));
    expect(await codeOf(child)).toBe(1);
  });

  it.each([["--socket="], ["--socket"], ["--pipe="], ["--pipe"]])("is reported to the editor over %s", async (flag) => {
    const { args, folder, problem } = layOld("18.20.8");
    const listener = createServer();
    const pipe = process.platform === "win32" ? `\\\\.\\pipe\\multi-edit-old-${process.pid}` : join(folder, "s");
    if (flag.startsWith("--socket")) listener.listen(0, "127.0.0.1");
    else listener.listen(pipe);
    await once(listener, "listening");
    const address = listener.address();
    const value = typeof address === "string" ? address : String(address?.port);
    const child = spawn(process.execPath, [...args, ...(flag.endsWith("=") ? [flag + value] : [flag, value])]);
    const [socket] = await once(listener, "connection");
    const client = rawClient(socket, socket);
    client.send(initialize);
    expect(await client.answer(0)).toMatchObject(answer(problem));
    expect(await codeOf(child)).toBe(1);
    listener.close();
  });

  it("can parse the file that reports it: its syntax is at most ES2015, and it loads only `net` before the program", async () => {
    const source = readFileSync(builtServer, "utf8");
    const [old, present] = await Promise.all([
      transform(source, { target: "es2015", charset: "utf8" }),
      transform(source, { target: "esnext", charset: "utf8" }),
    ]);
    expect(old.code).toBe(present.code);
    const loaded = (requires: RegExp) => [...source.matchAll(requires)].map(([, module]) => module).sort();
    expect(loaded(/^var .*\brequire\((.*?)\)/gm)).toEqual(['"net"']);
    // The others are in functions, which run only if Node is new enough.
    const later = ['"./agent.cjs"', '"./hook.cjs"', '"./program.cjs"'];
    expect(loaded(/\brequire\((.*?)\)/g)).toEqual([...later, '"net"', '"util"']);
  });
});

describe("an uncaught error", () => {
  it("is printed with the line in which it was thrown, which is short", async () => {
    const folder = makeDirectory({ "bare.cjs": "delete String.prototype.isWellFormed;" });
    const input = JSON.stringify({ path: "a.txt", oldText: "a", newText: "b" });
    const args = [join(folder, "bare.cjs"), builtServer, "preview", "--mode=disk"];
    const { code, stderr } = await runCommand({ path: "--require" }, args, { cwd: folder, input });
    expect([code, stderr]).toEqual([1, expect.stringContaining("text.isWellFormed is not a function")]);
    expect(stderr.length).toBeLessThan(2_000);
  });

  it("can't be printed with a long line, because no bundle contains one", () => {
    const folder = dirname(builtServer);
    const bundles = readdirSync(folder).filter((name) => name.endsWith(".cjs"));
    expect(bundles).toEqual(expect.arrayContaining(["agent.cjs", "main.cjs", "mcp.cjs", "program.cjs"]));
    for (const name of bundles) {
      const lines = readFileSync(join(folder, name), "utf8").split("\n");
      expect(Math.max(...lines.map(({ length }) => length)), name).toBeLessThan(1_500);
    }
  });
});

async function codeOf(child: ChildProcess): Promise<unknown> {
  if (child.exitCode === null) await once(child, "exit");
  return child.exitCode;
}
