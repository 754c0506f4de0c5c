/** Opening and closing connections on each transport. */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { limits } from "../server/text/limits.js";
import { probeServers } from "./support/probeServers.js";
import { frame, framesOf, initialize, rawClient, request } from "./support/rawClient.js";

const { program, start, startInitialized } = probeServers();

describe("the end of a session", () => {
  const exit = { jsonrpc: "2.0", method: "exit" };

  it.each([
    ["exit before initialize", [exit], 1],
    ["exit without shutdown", [initialize, exit], 1],
    ["shutdown and exit in one piece", [initialize, request(1, "shutdown"), exit], 0],
    ["the end of the input", [initialize], 1],
    ["the end of the input after shutdown", [initialize, request(1, "shutdown")], 0],
    ["the end of the input before any message", [], 1],
  ])("%s", async (_name, messages, code) => {
    const server = start();
    server.send(...messages);
    server.end();
    expect(await server.ended).toEqual({ code, signal: null, stderr: "" });
    const requests = messages.filter((message) => "id" in message);
    expect(framesOf(Buffer.from(server.received())).messages).toHaveLength(requests.length);
  });

  it("leaves no request to the client unanswered", async () => {
    const server = await startInitialized();
    server.send(request(1, "multiEdit/ask", {}));
    await server.call("probe/question");
    server.end();
    expect((await server.answer(1)).result).toEqual({ failure: "The client closed the connection." });
    expect((await server.ended).code).toBe(1);
  });

  it("does not wait forever for a request", async () => {
    const server = await startInitialized();
    server.send(request(1, "multiEdit/never", {}));
    server.end();
    expect((await server.ended).code).toBe(1);
  });

  it("causes no complaint if the client no longer reads", async () => {
    const server = await startInitialized();
    server.process.stdout?.destroy();
    server.send(request(1, "multiEdit/echo", {}), request(2, "multiEdit/echo", {}));
    expect(await server.ended).toEqual({ code: 1, signal: null, stderr: "" });
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("is orderly on %s", async (signal) => {
    const server = await startInitialized();
    server.process.kill(signal);
    const { code, signal: killedBy, stderr } = await server.ended;
    expect(killedBy).toBeNull();
    expect(code).toBeGreaterThan(128);
    expect(stderr).toBe("");
  });
});

describe.concurrent("the client's process", () => {
  /** The id of a process that has exited; no running process has this id. */
  async function deadProcess(): Promise<number> {
    const child = spawn(process.execPath, ["-e", ""]);
    await once(child, "exit");
    return child.pid ?? 0;
  }

  function livingProcess() {
    return spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  }

  it.each([["on the command line"], ["in initialize"]])(
    "ends the server when it ends, if it is named %s",
    async (where) => {
      const client = livingProcess();
      const server = start("stdio", "", ...(where === "on the command line" ? [String(client.pid)] : []));
      const processId = where === "in initialize" ? client.pid : null;
      expect((await server.ask(1, "initialize", { processId, capabilities: {} })).result).toBeDefined();
      client.kill("SIGKILL");
      expect(await server.ended).toEqual({ code: 1, signal: null, stderr: expect.stringContaining(`${client.pid}`) });
    },
  );

  it("does not end the server if it never ran on this machine", async () => {
    const ids = [await deadProcess(), 2 ** 31 - 1, 2 ** 40, 1.5, -1, 0];
    const onCommandLine = start("stdio", "", String(ids[0]));
    const servers = ids.map((processId) => ({ processId, server: start() }));
    const told = [{ processId: null as number | null, server: onCommandLine }, ...servers];
    for (const { processId, server } of told) {
      expect((await server.ask(1, "initialize", { processId, capabilities: {} })).result).toBeDefined();
    }
    await new Promise((resolve) => setTimeout(resolve, limits.clientWatchMs + 500));
    for (const { processId, server } of told) {
      expect([processId, (await server.ask(2, "multiEdit/echo", {})).result]).toEqual([processId, { params: {} }]);
    }
    onCommandLine.end();
    expect((await onCommandLine.ended).stderr).toMatch(/^multi-edit-language-server: process \d+ was not found.*\n$/);
  });
});

describe("transports", () => {
  async function talk(client: ReturnType<typeof rawClient>): Promise<void> {
    client.send(initialize);
    expect((await client.answer(0)).result).toMatchObject({ serverInfo: { name: "probes" } });
    expect((await client.ask(1, "multiEdit/print", {})).result).toBe("printed");
    expect((await client.ask(2, "multiEdit/echo", "a".repeat(300_000))).result).toEqual({
      params: "a".repeat(300_000),
    });
    expect((await client.ask(3, "shutdown")).result).toBeNull();
  }

  async function listening(address: number | string): Promise<Server> {
    const listener = createServer();
    if (typeof address === "number") listener.listen(address, "127.0.0.1");
    else listener.listen(address);
    await once(listener, "listening");
    return listener;
  }

  const pipeName = (name: string): string =>
    process.platform === "win32" ? `\\\\.\\pipe\\multi-edit-${process.pid}-${name}` : join(program.folder, name);

  it.each(["socket", "pipe"])("%s, to which the server connects", async (kind) => {
    const listener = await listening(kind === "socket" ? 0 : pipeName("a.sock"));
    const address = listener.address();
    const server = start(kind, typeof address === "string" ? address : String(address?.port));
    const [socket] = await once(listener, "connection");
    await talk(rawClient(socket, socket));
    socket.end();
    const { code, stderr } = await server.ended;
    expect(code).toBe(0);
    expect(stderr).toContain("a line outside the protocol");
    expect(server.received()).toBe("");
    listener.close();
  });

  it("a pipe whose client disconnects without a message", async () => {
    const listener = await listening(pipeName("b.sock"));
    const server = start("pipe", pipeName("b.sock"));
    const [socket] = await once(listener, "connection");
    socket.destroy();
    expect((await server.ended).code).toBe(1);
    listener.close();
  });

  it("a pipe without a listener, or with too long a name", async () => {
    for (const name of [pipeName("nobody.sock"), `/${"a".repeat(200)}`]) {
      const { code, stderr } = await start("pipe", name).ended;
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^multi-edit-language-server: .+\n$/)]);
    }
  });

  it("node-ipc, without frames", async () => {
    const child = fork(program.path, ["node-ipc"], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    const ended = once(child, "exit");
    const ask = async (message: unknown): Promise<unknown> => {
      child.send(message as object);
      return (await once(child, "message"))[0];
    };
    expect(await ask(request(1, "multiEdit/echo", {}))).toMatchObject({ id: 1, error: { code: -32002 } });
    expect(await ask(initialize)).toMatchObject({ id: 0, result: { serverInfo: { name: "probes" } } });
    expect(await ask(request(2, "multiEdit/print", {}))).toMatchObject({ id: 2, result: "printed" });
    expect(await ask([])).toMatchObject({ id: null, error: { code: -32600 } });
    expect(await ask(request(3, "shutdown"))).toMatchObject({ id: 3, result: null });
    child.disconnect();
    expect(await ended).toEqual([0, null]);
  });

  it("node-ipc without a parent", async () => {
    const { code, stderr } = await start("node-ipc").ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining("IPC channel")]);
  });

  it("stdio, byte by byte", async () => {
    const server = start();
    for (const byte of Buffer.from(frame(initialize) + frame(request(1, "multiEdit/echo", "äöü€😀")))) {
      server.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await server.answer(1)).result).toEqual({ params: "äöü€😀" });
  });

  it("stdio, faster than the server can answer", async () => {
    const server = await startInitialized();
    const count = 20_000;
    server.write(
      Array.from({ length: count }, (_, id) =>
        id % 2 === 0 ? frame(request(id, "multiEdit/echo", { id })) : frame({ jsonrpc: "2.0", method: "a/b" }),
      ).join(""),
    );
    expect((await server.answer(count - 2)).result).toEqual({ params: { id: count - 2 } });
  });
});
