/** The server's command line: what each flag prints, how the process exits, and how an editor starts the server. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../server/text/limits.js";
import { buildProgram, type Program } from "./support/build.js";
import { framesOf, type RunningServer, rawClient, startServer } from "./support/rawClient.js";

const manifest: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

let program: Program;
const running: RunningServer[] = [];

beforeAll(async () => {
  program = await buildProgram(new URL("../server/main.ts", import.meta.url));
});
afterAll(() => {
  for (const server of running) server.process.kill("SIGKILL");
  program.remove();
});

/** Runs the program with an empty stdin until it exits. */
function run(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program.path, ...args], {
    encoding: "utf8",
    input: "",
  });
  return { status, stdout, stderr };
}

function start(...args: readonly string[]): RunningServer {
  const server = startServer(program.path, args);
  running.push(server);
  return server;
}

const initializeParams = { processId: null, rootUri: null, capabilities: {} };

describe("flags that print", () => {
  it.each(["--version", "-V"])("%s prints the version and nothing else", (flag) => {
    expect(run(flag)).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
  });

  it.each(["--help", "-h"])("%s prints the help", (flag) => {
    const { status, stdout, stderr } = run(flag);
    expect([status, stderr]).toEqual([0, ""]);
    const flags = ["stdio", "node-ipc", "socket", "pipe", "clientProcessId", "log-level", "version", "help"];
    for (const name of flags) expect(stdout).toContain(`--${name}`);
    for (const editor of ["Neovim", "Helix", "Emacs"]) expect(stdout).toContain(editor);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("print whatever the other arguments are", () => {
    expect(run("--stdio", "--version").stdout).toBe(`${manifest.version}\n`);
    expect(run("--stdio", "--help").stdout).toMatch(/^Usage: /);
  });
});

describe("a command line without a transport", () => {
  it.each([[[]], [["--log-level", "debug"]], [["--clientProcessId=1"]]])("%j prints the help on stderr", (args) => {
    const { status, stdout, stderr } = run(...args);
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(run("--help").stdout);
  });
});

describe("an invalid command line", () => {
  it.each([
    [["--stdoi"], "--stdoi"],
    [["--stdio=yes"], "--stdio"],
    [["--stdio", "--socket=1"], "--stdio and --socket"],
    [["--node-ipc", "--pipe", "a"], "--node-ipc and --pipe"],
    [["--socket"], "--socket"],
    [["--socket="], "--socket requires a port"],
    [["--socket=0"], "--socket requires a port"],
    [["--socket=65536"], "--socket requires a port"],
    [["--socket=1e3"], "--socket requires a port"],
    [["--pipe="], "--pipe requires a name"],
    [["--stdio", "--clientProcessId=me"], "--clientProcessId requires a process id"],
    [["--stdio", "--clientProcessId=-1"], "--clientProcessId requires a process id"],
    [["--stdio", "--log-level=loud"], "--log-level must be one of error, warn, info, debug"],
    [["--stdio", "here"], "here"],
  ])("%j exits with 2 and says why", (args, why) => {
    const { status, stdout, stderr } = run(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(why);
    expect(stderr).toMatch(/^multi-edit-language-server: .+\nSee multi-edit-language-server --help\.\n$/);
  });

  it("is quoted only up to a limit", () => {
    expect(run(`--${"x".repeat(5_000)}`).stderr.length).toBeLessThan(400);
  });
});

describe("a server on stdio", () => {
  it("answers, shuts down and exits with 0, with nothing but frames on stdout", async () => {
    const server = start("--stdio");
    const { result } = await server.ask(0, "initialize", initializeParams);
    expect(result).toMatchObject({
      serverInfo: { version: manifest.version },
      capabilities: { experimental: { multiEdit: { version: 1 } } },
    });
    server.send({ jsonrpc: "2.0", method: "initialized", params: {} });
    expect((await server.ask(1, "no/such/method", {})).error?.code).toBe(-32601);
    expect((await server.ask(2, "shutdown")).result).toBeNull();
    server.send({ jsonrpc: "2.0", method: "exit" });
    expect(await server.ended).toEqual({ code: 0, signal: null, stderr: "" });
    expect(framesOf(Buffer.from(server.received())).rest).toHaveLength(0);
  });

  it("exits with 1 when its input ends before shutdown", () => {
    expect(run("--stdio")).toEqual({ status: 1, stdout: "", stderr: "" });
  });

  it("exits with 1 and a reason when its input is not the protocol", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program.path, "--stdio"], {
      encoding: "utf8",
      input: "hello?\r\n",
    });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(
      /^multi-edit-language-server: the input does not follow the Language Server Protocol: .+\n$/,
    );
  });
});

describe.concurrent("the client's process", () => {
  it("does not matter if it never ran on this machine", async () => {
    const dead = spawn(process.execPath, ["-e", ""]);
    await once(dead, "exit");
    const servers = [
      start("--stdio", `--clientProcessId=${dead.pid}`),
      start("--stdio", "--clientProcessId", String(dead.pid)),
    ];
    for (const server of servers) await server.ask(0, "initialize", { ...initializeParams, processId: dead.pid });
    await new Promise((resolve) => setTimeout(resolve, limits.clientWatchMs + 500));
    for (const server of servers) expect((await server.ask(1, "shutdown")).result).toBeNull();
  });

  it("ends the server when it ends", async () => {
    const client = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const server = start("--stdio", `--clientProcessId=${client.pid}`);
    await server.ask(0, "initialize", initializeParams);
    client.kill("SIGKILL");
    expect(await server.ended).toEqual({ code: 1, signal: null, stderr: expect.stringContaining(`${client.pid}`) });
  });
});

describe("a server that connects to its client", () => {
  it.each([
    ["--socket=", "joined"],
    ["--socket", "apart"],
    ["--pipe=", "joined"],
    ["--pipe", "apart"],
  ])("%s, with its value %s", async (flag, how) => {
    const listener = createServer();
    const path = join(program.folder, `${flag.replace(/\W/g, "")}-${how}.sock`);
    if (flag.startsWith("--socket")) listener.listen(0, "127.0.0.1");
    else listener.listen(process.platform === "win32" ? `\\\\.\\pipe\\multi-edit-${process.pid}-${how}` : path);
    await once(listener, "listening");
    const address = listener.address();
    const value = typeof address === "string" ? address : String(address?.port);
    const server = start(...(how === "joined" ? [`${flag}${value}`] : [flag, value]));
    const [socket] = await once(listener, "connection");
    const client = rawClient(socket, socket);
    expect((await client.ask(0, "initialize", initializeParams)).result).toBeDefined();
    expect((await client.ask(1, "shutdown")).result).toBeNull();
    client.send({ jsonrpc: "2.0", method: "exit" });
    expect((await server.ended).code).toBe(0);
    expect(server.received()).toBe("");
    listener.close();
  });
});
