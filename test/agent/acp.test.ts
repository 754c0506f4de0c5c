/** The ACP proxy, between an editor that speaks ACP and an agent, with a session of an editor that has unsaved text. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { attempt } from "../../server/disk/fileSystem.js";
import { limits } from "../../server/text/limits.js";
import { type AcpClient, startAcp } from "../support/acpSides.js";
import { announced, ownConfigHome, ownStateHome } from "../support/agentPeer.js";
import { type DeskOptions, layDesk, serverForDesks } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { startStub } from "../support/sessionStub.js";

const program = serverForDesks();

const capabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: true };

/** Starts the proxy beside an editor that has the files, and begins a conversation. */
async function laid(options: DeskOptions, { version = 1, fs = capabilities.fs } = {}) {
  const home = ownStateHome();
  const desk = await layDesk(program, { clientInfo: { name: "Tester" }, ...options });
  await announced(home);
  const client = startAcp(program, desk.root);
  await begin(client, desk.root, { version, fs });
  const path = (name: string): string => join(desk.root, name);
  return { ...desk, client, path };
}

/** Reports whether a process runs; one that has ended, but that nobody has asked about yet, does not. */
function isProcess(pid: number): boolean {
  const state = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout;
  return state !== "" && !state.startsWith("Z");
}

async function begin(client: AcpClient, cwd: string, { version = 1, fs = capabilities.fs } = {}): Promise<void> {
  await client.request("initialize", { protocolVersion: version, clientCapabilities: { ...capabilities, fs } });
  await client.request("session/new", { cwd, mcpServers: [] });
}

const read = (path: string, more: object = {}): object => ({
  method: "fs/read_text_file",
  params: { sessionId: "s1", path, ...more },
});

const write = (path: string, content: string): object => ({
  method: "fs/write_text_file",
  params: { sessionId: "s1", path, content },
});

/** Lets the agent send requests for files, and returns the answers. */
async function asked(client: AcpClient, ...requests: readonly object[]): Promise<readonly object[]> {
  const { result } = await client.request("session/prompt", { sessionId: "s1", requests });
  return (result as { readonly answers: readonly object[] }).answers.map((answer) => {
    const { id: _id, jsonrpc: _jsonrpc, ...rest } = answer as { readonly id: string; readonly jsonrpc: string };
    return rest;
  });
}

/** What a session answers about itself. */
const status = { protocol: 1, folders: [], open: [], transactions: [], agents: [] };

const unsaved = { files: { "a.txt": "one\ntwo\n" }, open: { "a.txt": "one // mine\ntwo\n" } };

describe("an agent's request for a file", () => {
  it("is answered with the text in the editor, or some of its lines", async () => {
    const { client, path } = await laid(unsaved);
    expect(await asked(client, read(path("a.txt")))).toEqual([{ result: { content: "one // mine\ntwo\n" } }]);
    expect(await asked(client, read(path("a.txt"), { line: 2, limit: 1 }))).toEqual([{ result: { content: "two\n" } }]);
    expect(await asked(client, read(path("a.txt"), { line: 3 }))).toEqual([{ result: { content: "" } }]);
  });

  it("writes into the editor, and keeps what was typed since the agent read the text", async () => {
    const { client, path, typeBefore, texts, disk } = await laid(unsaved);
    await asked(client, read(path("a.txt")));
    await typeBefore("a.txt", "one", "typed\n");
    expect(await asked(client, write(path("a.txt"), "one // mine\nTWO\n"))).toEqual([{ result: {} }]);
    expect(texts()["a.txt"]).toBe("typed\none // mine\nTWO\n");
    expect(disk()["a.txt"]).toBe("one\ntwo\n");
  });

  it("writes nothing over a line that was typed since, and says so", async () => {
    const { client, path, typeBefore, texts } = await laid(unsaved);
    await asked(client, read(path("a.txt")));
    await typeBefore("a.txt", "wo", "typed");
    const [answer] = await asked(client, write(path("a.txt"), "one // mine\nTWO\n"));
    expect(answer).toMatchObject({ error: { code: -32_603, message: expect.stringContaining("ttypedwo") } });
    expect(texts()["a.txt"]).toBe("one // mine\nttypedwo\n");
  });

  it("makes a file, and one for a missing file fails as agents know it", async () => {
    const { client, path, disk } = await laid(unsaved);
    const [answer] = await asked(client, read(path("b.txt")));
    expect(answer).toMatchObject({ error: { code: -32_002, message: expect.stringMatching(/^Resource not found: /) } });
    expect(await asked(client, write(path("b.txt"), "new\n"))).toEqual([{ result: {} }]);
    expect(disk()["b.txt"]).toBe("new\n");
  });

  it("is carried out on disk without an editor", async () => {
    ownStateHome();
    const root = makeDirectory({ "a.txt": "one\n" });
    const client = startAcp(program, root);
    await begin(client, root);
    const path = join(root, "a.txt");
    expect(await asked(client, read(path), write(path, "two\n"))).toEqual([
      { result: { content: "one\n" } },
      { result: {} },
    ]);
    expect(readFileSync(path, "utf8")).toBe("two\n");
  });

  it("outside the folder is left to a client that answers such requests, and refused otherwise", async () => {
    const other = makeDirectory({ "c.txt": "other\n" });
    const able = await laid(unsaved, { fs: { readTextFile: true, writeTextFile: false } });
    const answer = asked(able.client, read(join(other, "c.txt")));
    const passed = await able.client.next();
    expect(passed).toMatchObject(read(join(other, "c.txt")));
    able.client.write(`${JSON.stringify({ jsonrpc: "2.0", id: passed.id, result: { content: "from the client" } })}\n`);
    expect(await answer).toEqual([{ result: { content: "from the client" } }]);
    const [refused] = await asked(able.client, write(join(other, "c.txt"), "changed\n"));
    expect(refused).toMatchObject({ error: { code: -32_603 } });
    expect(readFileSync(join(other, "c.txt"), "utf8")).toBe("other\n");
  });

  it("is carried out after those before it for the same file, also if they come at once", async () => {
    const { client, path, texts } = await laid(unsaved);
    const requests = [
      read(path("a.txt")),
      write(path("a.txt"), "1\n"),
      read(path("a.txt")),
      write(path("a.txt"), "2\n"),
    ];
    const { result } = await client.request("session/prompt", { sessionId: "s1", requests, atOnce: true });
    expect((result as { answers: { result: object }[] }).answers.map(({ result }) => result)).toEqual([
      { content: "one // mine\ntwo\n" },
      {},
      { content: "1\n" },
      {},
    ]);
    expect(texts()["a.txt"]).toBe("2\n");
  });

  it("that the session refuses altogether does not say that the file is missing", async () => {
    const home = ownStateHome();
    const root = makeDirectory({ "a.txt": "one\n" });
    const error = { code: -32_803, message: "Not now." };
    const serve = ({ method }: { readonly method?: string }): object =>
      method === "multiEdit/read" ? { error } : { result: { ...status, folders: [`file://${root}`] } };
    await startStub(home, { folders: [root], serve });
    const client = startAcp(program, root);
    await begin(client, root);
    const [answer] = await asked(client, read(join(root, "a.txt")));
    expect(answer).toEqual({ error: { code: -32_603, message: "Not now." } });
  });

  it("that the agent cancels is given up while the user is asked, also if its id is used twice", async () => {
    const { client, path, editor, texts } = await laid({ ...unsaved, settings: { save: "never", confirm: "always" } });
    editor.beforeAnswers(() => new Promise(() => undefined));
    await asked(client, read(path("a.txt")));
    const send = (message: object): void => {
      const raw = `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
      void client.request("session/prompt", { sessionId: "s1", raw });
    };
    send({ id: "x", ...write(path("a.txt"), "changed\n") });
    await expect.poll(() => editor.questions).toHaveLength(1);
    send({ id: "x", ...read(path("b.txt")) });
    const heard = async (): Promise<unknown> =>
      JSON.parse(((await client.next()).params as { readonly line: string }).line);
    expect(await heard()).toMatchObject({ id: "x", error: { code: -32_002 } });
    send({ method: "$/cancel_request", params: { requestId: "x" } });
    expect(await heard()).toMatchObject({ id: "x", error: { code: -32_800 } });
    expect(texts()["a.txt"]).toBe("one // mine\ntwo\n");
  });

  it("of a forked conversation is for a file in the fork's folder", async () => {
    ownStateHome();
    const [root, other] = [makeDirectory({ "a.txt": "root\n" }), makeDirectory({ "a.txt": "other\n" })];
    const client = startAcp(program, root);
    await begin(client, root);
    await client.request("session/fork", { sessionId: "s1", cwd: other, mcpServers: [] });
    const ofFork = { method: "fs/read_text_file", params: { sessionId: "s2", path: "a.txt" } };
    expect(await asked(client, ofFork, read("a.txt"))).toEqual([
      { result: { content: "other\n" } },
      { result: { content: "root\n" } },
    ]);
  });

  it("of an agent that does not say who it is has the program's name, and no version", async () => {
    const home = ownStateHome();
    const root = makeDirectory({ "a.txt": "one\n" });
    const callers: unknown[] = [];
    const serve = (): object => ({ result: status });
    await startStub(home, { folders: [root], serve, hello: (client) => callers.push(client) });
    const client = startAcp(program, root);
    await client.request("initialize", { protocolVersion: 1, _meta: { nameless: true } });
    await client.request("session/new", { cwd: root, mcpServers: [] });
    await asked(client, read(join(root, "a.txt")));
    expect(callers[0]).toEqual({ name: "node", agent: expect.any(String) });
  });

  it("that can't be read is refused", async () => {
    const { client, path } = await laid(unsaved);
    const [badLine, badLimit] = await asked(
      client,
      read(path("a.txt"), { line: 1.5, limit: null }),
      read(path("a.txt"), { line: 1, limit: "1" }),
    );
    expect(badLine).toMatchObject({ error: { code: -32_602 } });
    expect(badLimit).toMatchObject({ error: { code: -32_602 } });
    const [noPath, noContent] = await asked(
      client,
      { method: "fs/read_text_file", params: { sessionId: "s1" } },
      { method: "fs/write_text_file", params: { sessionId: "s1", path: "/x" } },
    );
    expect(noPath).toMatchObject({ error: { code: -32_602 } });
    expect(noContent).toMatchObject({ error: { code: -32_602 } });
  });
});

describe("the proxy", () => {
  it("says that the editor answers requests for files, and gives the agent the tools", async () => {
    ownConfigHome(ownStateHome());
    const root = makeDirectory({});
    const client = startAcp(program, root);
    const { result } = await client.request("initialize", { protocolVersion: 1, clientCapabilities: capabilities });
    expect(result).toMatchObject({
      sent: { clientCapabilities: { terminal: true, fs: { readTextFile: true, writeTextFile: true } } },
    });
    const theirs = { name: "theirs", command: "x", args: [], env: [] };
    const begun = await client.request("session/new", { cwd: root, mcpServers: [theirs] });
    const { mcpServers } = (begun.result as { sent: { mcpServers: Record<string, unknown>[] } }).sent;
    expect(mcpServers).toHaveLength(2);
    const [first, added] = mcpServers;
    expect(first).toEqual(theirs);
    expect(added).toMatchObject({ name: "multi-edit" });
    for (const name of ["XDG_STATE_HOME", "XDG_CONFIG_HOME"])
      expect(added?.env).toContainEqual({ name, value: process.env[name] });
    expect(added).not.toHaveProperty("type");
    expect(added?.args).toEqual(expect.arrayContaining(["mcp", `--workspace=${root}`]));
    const again = await client.request("session/new", { cwd: root, mcpServers });
    expect((again.result as { sent: object }).sent).toEqual({ cwd: root, mcpServers });
  });

  it("gives only the tools in version 2, in which there are no such requests", async () => {
    const { client, path, root } = await laid(unsaved, { version: 2 });
    const begun = await client.request("session/new", { cwd: root, mcpServers: [] });
    expect(begun.result).toMatchObject({ sent: { mcpServers: [{ type: "stdio", name: "multi-edit" }] } });
    void asked(client, read(path("a.txt")));
    expect(await client.next()).toMatchObject(read(path("a.txt")));
  });

  it("passes on everything else, byte for byte", async () => {
    ownStateHome();
    const root = makeDirectory({});
    const client = startAcp(program, root);
    await begin(client, root);
    const strange = '{ "jsonrpc":"2.0",\t"method" : "x\\/\\u00e4", "params":{"n":12345678901234567890, "a":1,"a":2} }';
    client.write(`${strange}\nno JSON\n`);
    expect(await client.next()).toMatchObject({ method: "heard", params: { line: strange } });
    expect(await client.next()).toMatchObject({ method: "heard", params: { line: "no JSON" } });
    void client.request("session/prompt", { sessionId: "s1", raw: `${strange}\n` });
    await expect.poll(client.output).toContain(`\n${strange}\n`);
  });

  it("ends with the agent's exit code", async () => {
    ownStateHome();
    const root = makeDirectory({});
    const client = startAcp(program, root);
    await begin(client, root);
    void client.request("session/prompt", { sessionId: "s1", exit: 7 });
    expect(await client.code).toBe(7);
  });

  it("ends the agent if the editor ends", async () => {
    ownStateHome();
    const root = makeDirectory({});
    const client = startAcp(program, root, { code: 5 });
    await begin(client, root);
    client.end();
    expect(await client.code).toBe(5);
  });

  it("makes an agent end that does not end by itself", async () => {
    ownStateHome();
    const root = makeDirectory({});
    const client = startAcp(program, root, { staysOpen: true });
    await begin(client, root);
    client.end();
    expect(await client.code).toBe(128 + 15);
  });

  it.each([
    ["as a group", "linux"],
    ["by the tree of processes on Windows, which has no groups", "win32"],
    ["on Windows, at least the agent if that fails", "win32 without taskkill"],
  ])("ends what the agent has started, too: %s", async (_, system) => {
    ownStateHome();
    const [platform, ...without] = system.split(" ");
    // A stand-in for Windows' program: it ends the children of a process, and then the process.
    const taskkill = '#!/bin/sh\necho "$*" >>"$SystemRoot/log"\npkill -KILL -P "$2"; kill -KILL "$2"\n';
    const root = makeDirectory({ log: "", pids: "", "System32/": "" });
    if (without.length === 0) writeFileSync(join(root, "System32/taskkill.exe"), taskkill, { mode: 0o755 });
    writeFileSync(join(root, "as.cjs"), `Object.defineProperty(process, "platform", { value: "${platform}" });`);
    const child = 'setInterval(() => {}, 1000); process.on("SIGTERM", () => process.exit())';
    const agent = `const { pid } = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "ignore" });
      require("fs").writeFileSync("pids", process.pid + " " + pid);
      setInterval(() => {}, 1000);`;
    const command = ["--require", join(root, "as.cjs"), program.path, "acp", "--", process.execPath, "-e", agent];
    const env = { ...process.env, SystemRoot: root };
    const proxy = spawn(process.execPath, command, { cwd: root, env, stdio: ["pipe", "ignore", "inherit"] });
    const pids = () => readFileSync(join(root, "pids"), "utf8").split(" ").map(Number);
    await expect.poll(() => pids().length).toBe(2);
    const [ofAgent = 0, ofChild = 0] = pids();
    onTestFinished(() => void attempt(() => process.kill(ofChild, "SIGKILL")));
    proxy.stdin.end();
    await once(proxy, "exit");
    expect(isProcess(ofAgent)).toBe(false);
    await expect.poll(() => isProcess(ofChild)).toBe(without.length > 0);
    const wanted = platform === "win32" && without.length === 0 ? `/pid ${ofAgent} /t /f\n` : "";
    expect(readFileSync(join(root, "log"), "utf8")).toBe(wanted);
  });

  it("passes a signal on to the agent at once", async () => {
    ownStateHome();
    const root = makeDirectory({});
    const client = startAcp(program, root, { staysOpen: true });
    await begin(client, root);
    const start = performance.now();
    client.kill("SIGINT");
    expect(await client.code).toBe(128 + 2);
    expect(performance.now() - start).toBeLessThan(limits.agentEndMs);
  });

  it("ends if the editor has ended its side, but does not read what the agent has written", async () => {
    const agent =
      'process.stdout.write("x".repeat(1e7) + "\\n"); process.stdin.resume().on("end", () => process.exit(5))';
    const child = spawn(process.execPath, [program.path, "acp", "--", process.execPath, "-e", agent]);
    await once(child.stdout, "readable");
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([5, null]);
    child.stdout.destroy();
  });

  it("says which program it can't start", async () => {
    ownStateHome();
    const client = startAcp(program, makeDirectory({}), { command: "no-such-agent" });
    expect(await client.code).toBe(127);
    expect(client.stderr()).toContain('can\'t start "no-such-agent" (ENOENT)');
  });
});
