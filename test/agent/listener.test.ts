/**
 * The session's socket as other processes see it: which agents it serves, which strangers it refuses, and its files.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MultiEditResult } from "../../server/lsp/protocol.js";
import { listen } from "../../server/session/address.js";
import { limits } from "../../server/text/limits.js";
import {
  type Announced,
  announced,
  filesIn,
  friend,
  greet,
  hmac,
  openSocket,
  ownStateHome,
  sessionsIn,
  stranger,
} from "../support/agentPeer.js";
import { buildProgram, type Program } from "../support/build.js";
import { runCommand } from "../support/commands.js";
import { type DeskOptions, layDesk } from "../support/desk.js";
import { makeDirectory } from "../support/directory.js";
import { startServer } from "../support/rawClient.js";

let program: Program;
beforeAll(async () => {
  program = await buildProgram(new URL("../../server/main.ts", import.meta.url));
});
afterAll(() => program.remove());

/**
 * Options that keep a desk from being shared between tests, because its server must use this test's state directory.
 */
const alone: DeskOptions = { clientInfo: { name: "Tester", version: "7" } };

async function layTable(options: DeskOptions = {}) {
  const home = ownStateHome();
  const desk = await layDesk(program, { ...alone, ...options });
  const [session] = await announced(home);
  return { ...desk, home, session };
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe("an announced session", () => {
  it("names its address, and no other user may read it", async () => {
    const { home, session, editor, uri, root } = await layTable({ files: { "a.txt": "one\n" } });
    expect(session).toEqual({
      format: 1,
      id: expect.stringMatching(/^[0-9a-f]{12}$/),
      pid: editor.process.pid,
      ...(process.platform === "linux" ? { processStart: expect.stringMatching(/^\d+$/) } : {}),
      host: hostname(),
      owner: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{8}-\d+-\d+$/),
      address: join(sessionsIn(home), `${session.id}.sock`),
      secret: expect.stringMatching(/^[0-9a-f]{64}$/),
      folders: [{ uri: uri("").replace(/\/$/, ""), path: root }],
      client: "Tester 7",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      protocols: [1],
      outside: [],
      unsaved: [],
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    expect([sessionsIn(home), join(sessionsIn(home), ".."), `${session.address}`].map(modeOf)).toEqual([
      0o700, 0o700, 0o600,
    ]);
    expect(modeOf(join(sessionsIn(home), `${session.id}.json`))).toBe(0o600);
  });

  it("includes new workspace folders", async () => {
    const { home, editor } = await layTable();
    const folder = { uri: "file:///elsewhere", name: "elsewhere" };
    await editor.notify("workspace/didChangeWorkspaceFolders", { event: { added: [folder], removed: [] } });
    await editor.request("multiEdit/status", null);
    const [session] = await announced(home);
    expect(session.folders).toContainEqual({ uri: "file:///elsewhere", path: "/elsewhere" });
  });

  it("is removed at shutdown", async () => {
    const { home, editor } = await layTable();
    expect(await editor.stop()).toBe(0);
    expect(filesIn(home)).toEqual([]);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("is removed after %s", async (signal) => {
    const { home, server } = await startServerAlone();
    server.process.kill(signal);
    await server.ended;
    expect(filesIn(home)).toEqual([]);
  });

  it("may start at the same time as others, and each is removed when it ends", async () => {
    const home = ownStateHome();
    const servers = Array.from({ length: 5 }, () => startServer(program.path, ["--stdio"]));
    for (const server of servers) {
      await server.ask(0, "initialize", { processId: null, rootUri: null, capabilities: {} });
    }
    for (const server of servers) server.send({ jsonrpc: "2.0", method: "initialized", params: {} });
    const sessions = await announced(home, servers.length);
    expect(new Set(sessions.map(({ pid }) => pid)).size).toBe(servers.length);
    for (const session of sessions) await friend(session);
    for (const server of servers) server.end();
    await Promise.all(servers.map(({ ended }) => ended));
    expect(filesIn(home)).toEqual([]);
  });

  it("is removed after the end of the input", async () => {
    const { home, server } = await startServerAlone();
    server.end();
    await server.ended;
    expect(filesIn(home)).toEqual([]);
  });

  it("has neither an address nor a secret if agents are switched off", async () => {
    const home = ownStateHome();
    const { root } = await layDesk(program, { ...alone, settings: { agent: { enabled: false } } });
    const [session] = await announced(home);
    expect(session).toMatchObject({ closed: "switchedOff", folders: [{ path: root }] });
    expect([session.address, session.secret]).toEqual([undefined, undefined]);
    expect(filesIn(home)).toEqual([`${session.id}.json`]);
  });
});

/** A server without a desk, so that each test can end it in its own way. */
async function startServerAlone() {
  const home = ownStateHome();
  const server = startServer(program.path, ["--stdio"]);
  await server.ask(0, "initialize", { processId: null, rootUri: null, capabilities: {} });
  server.send({ jsonrpc: "2.0", method: "initialized", params: {} });
  await announced(home);
  return { home, server };
}

describe("an agent that knows the secret", () => {
  it("reads and changes the text that the editor holds, and keeps the unsaved part", async () => {
    const { session, texts, disk } = await layTable({ files: { "a.txt": "one\n" }, open: { "a.txt": "mine\none\n" } });
    const agent = await friend(session);
    const read = await agent.ask(1, "multiEdit/read", { path: "a.txt" });
    expect(read.result).toMatchObject({ text: "mine\none\n", onDisk: "differs" });
    const applied = await agent.ask(2, "multiEdit/apply", { path: "a.txt", oldText: "one", newText: "two" });
    expect(applied.result).toMatchObject({ applied: true, outcome: "applied" } satisfies Partial<MultiEditResult>);
    expect(texts()["a.txt"]).toBe("mine\ntwo\n");
    expect(disk()["a.txt"]).toBe("one\n");
  });

  it("gets the same failures as the editor, and an error for an unknown method", async () => {
    const { session, uri } = await layTable({ files: { "a.txt": "one\n" } });
    const agent = await friend(session);
    const failed = await agent.ask(1, "multiEdit/apply", { path: "a.txt", oldText: "none", newText: "two" });
    expect(failed.error).toMatchObject({ code: -32803, data: { failures: [{ code: "noMatch", index: 0 }] } });
    expect((await agent.ask(2, "multiEdit/dance", {})).error?.code).toBe(-32601);
    const options = { versions: { [uri("a.txt")]: 7 } };
    const stale = await agent.ask("stale", "multiEdit/apply", {
      path: "a.txt",
      oldText: "one",
      newText: "two",
      options,
    });
    expect(stale.error).toMatchObject({ code: -32801, data: { failures: [{ code: "contentModified" }] } });
    expect((await agent.ask(3, "multiEdit/apply", "*** Begin Patch\n*** Delete File: a.txt")).result).toBeDefined();
  });

  it("is refused a call that asks for a dry run with another tool's key", async () => {
    const { session, disk } = await layTable({ files: { "a.txt": "one\n" } });
    const agent = await friend(session);
    const call = { path: "a.txt", oldText: "one", newText: "two", options: { preview: true } };
    const { error } = await agent.ask(1, "multiEdit/apply", call);
    expect(error).toMatchObject({ code: -32602, data: { failures: [{ code: "unknownField" }] } });
    expect(error?.message).toContain("the request multiEdit/preview");
    expect(disk()["a.txt"]).toBe("one\n");
  });

  it("gets its answer even if it has already closed its side for writing", async () => {
    const { session } = await layTable({ files: { "a.txt": "one\n" } });
    const agent = await friend(session);
    agent.send({ jsonrpc: "2.0", id: 1, method: "multiEdit/read", params: { path: "a.txt" } });
    agent.end();
    expect((await agent.answer(1)).result).toMatchObject({ text: "one\n" });
    await agent.closed;
  });

  it("may have only a limited number of requests pending", async () => {
    const { session, editor } = await layTable({ files: { "a.txt": "one\n" }, settings: { confirm: "always" } });
    let answer = (): void => undefined;
    editor.beforeAnswers(() => new Promise<void>((resolve) => (answer = resolve)));
    const agent = await friend(session);
    const call = { path: "a.txt", oldText: "one", newText: "two" };
    const first = Array.from({ length: limits.agentRequests }, (_, id) => ({ id, ...apply(call) }));
    agent.send(...first);
    const refused = await agent.ask("more", "multiEdit/read", { path: "a.txt" });
    expect(refused.error?.message).toContain(`${limits.agentRequests} requests`);
    // The server abandons pending requests as soon as the agent disconnects.
    agent.socket.destroy();
    answer();
    await expect.poll(() => editor.owesAnswers()).toBe(false);
    expect(editor.asked).toEqual([]);
  });
});

const apply = (params: unknown): object => ({ jsonrpc: "2.0", method: "multiEdit/apply", params });

describe("a client that does not know the secret", () => {
  it("is not served", async () => {
    const { session } = await layTable({ files: { "a.txt": "one\n" } });
    const early = await stranger(session);
    expect((await early.ask(1, "multiEdit/read", { path: "a.txt" })).error?.code).toBe(-32002);
    const hasty = await stranger(session);
    await greet(hasty, session);
    expect((await hasty.ask(1, "multiEdit/read", { path: "a.txt" })).error).toBeDefined();
    await hasty.closed;
  });

  it.each([
    ["wrong", "0".repeat(64)],
    ["empty", ""],
    ["absent", undefined],
    ["a number", 7],
    ["made with another secret", "other"],
  ])("is disconnected if the proof is %s", async (_, sent) => {
    const { session } = await layTable();
    const peer = await stranger(session);
    const { nonces } = await greet(peer, session);
    const other: Announced = { ...session, secret: "1".repeat(64) };
    const proof = sent === "other" ? hmac("agent", other, nonces) : sent;
    expect((await peer.ask(1, "multiEdit/prove", { proof })).error?.message).toMatch(/^The proof is wrong/);
    await peer.closed;
    await friend(session);
  });

  it.each([
    ["a token of a megabyte", "x".repeat(1024 * 1024)],
    ["a header without an end", "y"],
  ])("is disconnected if it sends %s", async (kind, text) => {
    const { session } = await layTable();
    const peer = await stranger(session);
    if (kind.startsWith("a token")) peer.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: { nonce: text } });
    else peer.write(`Content-Length: 5${"0".repeat(10)}\r\n`.repeat(2_000));
    await peer.closed;
    await friend(session);
  });

  it("is disconnected if it does not complete the handshake in time", async () => {
    const { session } = await layTable();
    const peers = [await stranger(session), await stranger(session), await stranger(session)];
    peers[1]?.write("Content-Length: 100\r\n");
    peers[2]?.end();
    const start = performance.now();
    await Promise.all(peers.map(({ closed }) => closed));
    // Not a measurement: this checks only that the server does not wait forever. The factor allows for slow machines.
    expect(performance.now() - start).toBeLessThan(limits.helloMs * 5);
    await friend(session);
  });

  it("learns which side to update if the versions are incompatible", async () => {
    const { session } = await layTable();
    const nonce = "a".repeat(64);
    const newer = await (await stranger(session)).ask(1, "initialize", { protocols: [2, 3], nonce });
    expect(newer.error?.message).toMatch(/too old for this agent\. Update the server and restart it/);
    const older = await (await stranger(session)).ask(1, "initialize", { protocols: [0], nonce });
    expect(older.error?.message).toMatch(/too new for this agent/);
    const both = await (await stranger(session)).ask(1, "initialize", { protocols: [0, 1, 2], nonce });
    expect(both.result).toMatchObject({ protocol: 1 });
  });

  // Only root can act as another user.
  it.runIf(process.getuid?.() === 0)("is kept out by the system if it runs as another user", async () => {
    const { session, home } = await layTable();
    const script = `require("net").connect(${JSON.stringify(session.address)})
      .on("connect", () => process.exit(process.stdout.write("in")))
      .on("error", (error) => process.stdout.write(error.code))`;
    const run = (command: string, ...args: string[]): string =>
      spawnSync("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", command, ...args], {
        encoding: "utf8",
        cwd: "/",
      }).stdout;
    expect(run(process.execPath, "-e", script)).toBe("EACCES");
    // Access is refused even if the directories' permissions allow it.
    for (const path of [home, join(sessionsIn(home), ".."), sessionsIn(home)]) chmodSync(path, 0o755);
    expect(run(process.execPath, "-e", script)).toBe("EACCES");
    expect(run("cat", join(sessionsIn(home), `${session.id}.json`))).toBe("");
  });
});

describe("a crowd", () => {
  it("of 2,000 clients that connect at the same time does no harm", async () => {
    const { session, editor } = await layTable({ files: { "a.txt": "one\n" } });
    const sockets = await Promise.allSettled(Array.from({ length: 2_000 }, () => openSocket(session.address)));
    expect(sockets.length).toBe(2_000);
    for (const socket of sockets) if (socket.status === "fulfilled") socket.value.destroy();
    expect(await editor.request("multiEdit/read", { path: "a.txt" })).toMatchObject({ text: "one\n" });
    const agent = await eventually(() => friend(session));
    expect((await agent.ask(1, "multiEdit/read", { path: "a.txt" })).result).toMatchObject({ text: "one\n" });
  });

  it("that stays connected is limited in size, and makes room for others when it leaves", async () => {
    const { session } = await layTable();
    const inside = await Promise.all(Array.from({ length: limits.agentConnections }, () => friend(session)));
    const outside = await stranger(session);
    await outside.closed;
    // The command line retries until it gets a slot.
    const waiting = runCommand(program, ["sessions"]);
    setTimeout(() => inside[0]?.socket.destroy(), 500);
    expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringContaining(session.id) });
    const agent = await eventually(() => friend(session));
    expect((await agent.ask(1, "multiEdit/status", null)).result).toBeDefined();
  });
});

/** Retries for as long as it may take for a slot to become free. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

describe("a planted file", () => {
  it.each([
    ["a link", (path: string) => symlinkSync(makeDirectory({}), path)],
    ["a file", (path: string) => writeFileSync(path, "")],
    ["a directory that others may enter", (path: string) => mkdirSync(path, { mode: 0o755 })],
  ])("%s in place of the directory is not used, and the editor is still served", async (_, plant) => {
    const home = ownStateHome();
    mkdirSync(join(home, "multi-edit-language-server"), { mode: 0o700 });
    plant(sessionsIn(home));
    const { editor } = await layDesk(program, { ...alone, files: { "a.txt": "one\n" } });
    await expect
      .poll(() => editor.messages.map(({ message }) => message))
      .toContainEqual(expect.stringMatching(/^agents can't reach this session: the directory /));
    expect(await editor.request("multiEdit/read", { path: "a.txt" })).toMatchObject({ text: "one\n" });
    expect(filesIn(home)).toEqual([]);
  });

  it.each([
    ["a link", (path: string) => symlinkSync("/nowhere/at/all", path)],
    ["a file", (path: string) => writeFileSync(path, "mine")],
    ["a FIFO", (path: string) => void execFileSync("mkfifo", [path])],
  ])("%s in place of the socket is not touched, and the socket gets another path", async (_, plant) => {
    const directory = makeDirectory({ "s/": "" });
    chmodSync(directory, 0o700);
    chmodSync(join(directory, "s"), 0o700);
    const planted = join(directory, "s", "0123456789ab.sock");
    plant(planted);
    const before = statOf(planted);
    const server = createServer();
    const bound = await listen(server, "0123456789ab", join(directory, "s"));
    if (!bound.ok) throw new Error(bound.problem);
    const { name, remove } = bound.address;
    expect(name).not.toBe(planted);
    expect([modeOf(name), modeOf(join(name, ".."))]).toEqual([0o600, 0o700]);
    server.close();
    await once(server, "close");
    remove();
    expect(existsSync(join(name, ".."))).toBe(process.env.XDG_RUNTIME_DIR !== undefined);
    expect(statOf(planted)).toEqual(before);
  });

  it("is not the only obstacle: if a path is too long for a socket, the record names a different one", async () => {
    const before = process.env.XDG_STATE_HOME;
    const root = mkdtempSync(join(tmpdir(), "multi-edit-home-"));
    const home = join(root, "d".repeat(60), "e".repeat(60));
    mkdirSync(home, { recursive: true });
    process.env.XDG_STATE_HOME = home;
    try {
      const { editor } = await layDesk(program, { ...alone, files: { "a.txt": "one\n" } });
      const [session] = await announced(home);
      expect(Buffer.byteLength(session.address)).toBeLessThanOrEqual(limits.linuxSocketPathBytes);
      const agent = await friend(session);
      expect((await agent.ask(1, "multiEdit/read", { path: "a.txt" })).result).toMatchObject({ text: "one\n" });
      expect(await editor.stop()).toBe(0);
      expect(existsSync(session.address)).toBe(false);
    } finally {
      process.env.XDG_STATE_HOME = before;
      rmSync(root, { recursive: true, force: true });
    }
  });
});

function statOf(path: string): unknown {
  const { ino, mode, size } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return { ino, mode, size };
}
