/** The wire: frames, the envelope of each message, the order of a session, and how it ends; over every transport. */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { streamChannel } from "../server/lsp/wire/channel.js";
import { createFrameDecoder, encodeFrame } from "../server/lsp/wire/framing.js";
import { openClientConnection } from "../server/lsp/wire/transport.js";
import { limits } from "../server/text/limits.js";
import { buildProgram, type Program } from "./support/build.js";
import { registerProbes } from "./support/probes.js";
import {
  frame,
  framesOf,
  initialize,
  type RunningServer,
  rawClient,
  request,
  startServer,
} from "./support/rawClient.js";

let program: Program;
const running: RunningServer[] = [];

beforeAll(async () => {
  program = await buildProgram(new URL("./support/probeServer.ts", import.meta.url));
});
afterAll(() => {
  for (const server of running) server.process.kill("SIGKILL");
  program.remove();
});

function start(...args: readonly string[]): RunningServer {
  const server = startServer(program.path, args.length === 0 ? ["stdio"] : args);
  running.push(server);
  return server;
}

async function startInitialized(...args: readonly string[]): Promise<RunningServer> {
  const server = start(...args);
  server.send(initialize);
  await server.answer(0);
  return server;
}

/** The bodies that a decoder finds in these pieces, as text, and why it gave up. */
function decode(pieces: readonly Uint8Array[]): { bodies: string[]; faults: string[]; inside: boolean } {
  const bodies: string[] = [];
  const faults: string[] = [];
  const decoder = createFrameDecoder({
    body: (bytes) => bodies.push(bytes.toString()),
    fault: (reason) => faults.push(reason),
  });
  for (const piece of pieces) decoder.push(Buffer.from(piece));
  return { bodies, faults, inside: decoder.isInsideFrame() };
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...at.map((place) => place % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

describe("a decoder of frames", () => {
  const body = fc.string({ minLength: 1, maxLength: 300, unit: "grapheme" });

  it("finds the same bodies however the bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(body, { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 12 }), (bodies, places) => {
        const bytes = Buffer.concat(bodies.map(encodeFrame));
        const expected = { bodies, faults: [], inside: false };
        expect(decode(cut(bytes, places))).toEqual(expected);
        expect(decode([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it("finds a body of many pieces that is larger than any of them", () => {
    const text = "äöü€😀".repeat(40_000);
    const bytes = encodeFrame(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 1_000) }, (_, n) =>
      bytes.subarray(n * 1_000, (n + 1) * 1_000),
    );
    expect(decode(pieces)).toEqual({ bodies: [text], faults: [], inside: false });
  });

  it("does not copy a body that comes in one piece", () => {
    const bytes = encodeFrame("{}");
    let given: Buffer | undefined;
    createFrameDecoder({ body: (lent) => (given = lent), fault() {} }).push(bytes);
    expect(given?.buffer).toBe(bytes.buffer);
  });

  it.each([
    "content-length: 2\r\n\r\n{}",
    "Content-Length:2\r\n\r\n{}",
    "Content-Length: \t 2 \r\n\r\n{}",
    "Content-Length: 002\r\n\r\n{}",
    "Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}",
    'Content-Type: application/vscode-jsonrpc; Charset="utf8"\r\nContent-Length: 2\r\n\r\n{}',
    "Content-Type: application/vscode-jsonrpc\r\nContent-Length: 2\r\n\r\n{}",
  ])("takes %j", (text) => {
    expect(decode([Buffer.from(text)])).toEqual({ bodies: ["{}"], faults: [], inside: false });
  });

  it.each(["Content-Le", "Content-Length: 2\r\n", "Content-Length: 2\r\n\r\n", "Content-Length: 2\r\n\r\n{"])(
    "knows that %j is not all",
    (text) => expect(decode([Buffer.from(text)])).toEqual({ bodies: [], faults: [], inside: true }),
  );
});

const many = "x".repeat(limits.headerBytes);
/** Streams that can't be read on, and a word of the reason. */
const malformed: readonly (readonly [string, string, RegExp])[] = [
  ["no Content-Length", "Content-Type: a/b\r\n\r\n{}", /no Content-Length/],
  ["a length that is a word", "Content-Length: abc\r\n\r\n{}", /not a decimal number/],
  ["a length without digits", "Content-Length:\r\n\r\n{}", /not a decimal number/],
  ["a negative length", "Content-Length: -5\r\n\r\n{}", /not a decimal number/],
  ["an exponent", "Content-Length: 1e2\r\n\r\n{}", /not a decimal number/],
  ["a hexadecimal length", "Content-Length: 0x2\r\n\r\n{}", /not a decimal number/],
  ["a length of 0", "Content-Length: 0\r\n\r\n", /is 0/],
  ["a length over the limit", `Content-Length: ${limits.messageBytes + 1}\r\n\r\n`, /is over 268435456 bytes/],
  ["a length beyond all numbers", `Content-Length: ${"9".repeat(400)}\r\n\r\n`, /is over/],
  ["two lengths", "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", /two Content-Length/],
  ["two types", "Content-Type: a/b\r\nContent-Type: a/b\r\n\r\n{}", /two Content-Type/],
  ["another charset", "Content-Type: a/b; charset=latin1\r\nContent-Length: 2\r\n\r\n{}", /charset/],
  ["line feeds alone", "Content-Length: 2\n\n{}", /CRLF/],
  ["a return alone", "Content-Length: 2\r\r\n{}", /CRLF/],
  ["a blank line first", "\r\nContent-Length: 2\r\n\r\n{}", /no Content-Length/],
  ["a blank before the colon", "Content-Length : 2\r\n\r\n{}", /neither/],
  ["a request of HTTP", "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", /neither/],
  ["a byte that is no ASCII", "Content-Length: 2\u00e9\r\n\r\n{}", /byte 0xc3/],
  ["a NUL", "\0", /byte 0x00/],
  ["a byte order mark", "\ufeffContent-Length: 2\r\n\r\n{}", /byte 0xef/],
  ["a header without an end", many + many, /more than 4096 bytes/],
  ["many header lines", `Content-Type: a/b\r\nContent-Length: 2${" ".repeat(limits.headerBytes)}`, /more than 4096/],
];

describe("what is no frame", () => {
  it.each(malformed)("%s is a fault, whole or byte by byte", (_name, text, reason) => {
    const bytes = Buffer.from(`${frame({})}${text}`);
    for (const pieces of [[bytes], [...bytes].map((byte) => Uint8Array.of(byte))]) {
      const { bodies, faults } = decode(pieces);
      expect(bodies).toEqual(["{}"]);
      expect(faults).toEqual([expect.stringMatching(reason)]);
      expect(faults[0]!.length).toBeLessThan(400);
    }
  });

  it.each(malformed)("%s ends the server with 1 and one line", async (_name, text) => {
    const server = await startInitialized();
    server.write(text + frame(request(1, "multiEdit/echo", {})));
    const { code, stderr } = await server.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^multi-edit-language-server: the input is not the language server protocol: .+\n$/);
    expect(stderr.split("\n")).toHaveLength(2);
    expect(framesOf(Buffer.from(server.received())).rest).toHaveLength(0);
  });

  it("ends the server at a megabyte of random bytes", async () => {
    const server = start();
    const bytes = fc.sample(fc.uint8Array({ minLength: 2 ** 20, maxLength: 2 ** 20, size: "max" }), {
      numRuns: 1,
      seed: 1,
    });
    server.write(bytes[0]!);
    expect((await server.ended).code).toBe(1);
    expect(server.received()).toBe("");
  });

  it("still answers what came before it", async () => {
    const server = start();
    server.write(`${frame(initialize) + frame(request(1, "multiEdit/echo", { a: 1 }))}Content-Length: abc\r\n\r\n`);
    expect((await server.answer(1)).result).toEqual({ params: { a: 1 } });
    expect((await server.ended).code).toBe(1);
  });

  it("is seen after a length that is too small, whose body is refused", async () => {
    const server = await startInitialized();
    const good = frame(request(1, "multiEdit/echo", {}));
    server.write(good.replace(/\d+/, (length) => String(Number(length) - 1)) + good);
    expect((await server.answer(null)).error?.code).toBe(-32700);
    expect((await server.ended).code).toBe(1);
  });

  it("is seen after a length that is too large, whose body is refused", async () => {
    const server = await startInitialized();
    const good = frame(request(1, "multiEdit/echo", {}));
    server.write(good.replace(/\d+/, (length) => String(Number(length) + 10)) + good);
    expect((await server.answer(null)).error?.code).toBe(-32700);
    expect((await server.ended).code).toBe(1);
  });

  it("is told when the input ends within it", async () => {
    const server = await startInitialized();
    server.write("Content-Length: 10\r\n\r\n{");
    server.end();
    const { code, stderr } = await server.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining("the input ends in the middle of a message")]);
  });
});

describe("what is no message", () => {
  const refused: readonly (readonly [string, string | Uint8Array, number | string | null, number])[] = [
    ["no JSON", "{", null, -32700],
    ["blanks", "  ", null, -32700],
    ["JSON and more", "{} {}", null, -32700],
    ["a byte order mark", "\ufeff{}", null, -32700],
    ["bytes that are no UTF-8", Buffer.from([0x22, 0xe9, 0x22]), null, -32700],
    ["null", "null", null, -32600],
    ["a number", "1", null, -32600],
    ["a string", '"a"', null, -32600],
    ["a batch", JSON.stringify([request(1, "multiEdit/echo", {})]), null, -32600],
    ["an empty batch", "[]", null, -32600],
    ["a deep array", "[".repeat(4_000) + "]".repeat(4_000), null, -32600],
    ["an empty object", "{}", null, -32600],
    ["no version", '{"id":1,"method":"multiEdit/echo"}', 1, -32600],
    ["version 1.0", '{"jsonrpc":"1.0","id":1,"method":"multiEdit/echo"}', 1, -32600],
    ["a number as version", '{"jsonrpc":2.0,"id":1,"method":"multiEdit/echo"}', 1, -32600],
    ["id null", JSON.stringify(request(null, "multiEdit/echo")), null, -32600],
    ["an object as id", JSON.stringify(request({}, "multiEdit/echo")), null, -32600],
    ["a fraction as id", JSON.stringify(request(1.5, "multiEdit/echo")), null, -32600],
    ["an id beyond integers", '{"jsonrpc":"2.0","id":1e300,"method":"multiEdit/echo"}', null, -32600],
    ["a long id", JSON.stringify(request("i".repeat(257), "multiEdit/echo")), null, -32600],
    ["a number as method", JSON.stringify(request(1, 7)), 1, -32600],
    ["null as method", JSON.stringify(request("a", null)), "a", -32600],
    ["a long method", JSON.stringify(request(1, "m".repeat(257))), 1, -32600],
    ["an id alone", '{"jsonrpc":"2.0","id":1}', 1, -32600],
    ["a string as params", JSON.stringify(request(1, "workspace/executeCommand", "a")), 1, -32602],
    ["a number as params", JSON.stringify(request(1, "multiEdit/echo", 1)), 1, -32602],
    ["no params by position", JSON.stringify(request(1, "multiEdit/echo", [])), 1, -32602],
    ["two params by position", JSON.stringify(request(1, "multiEdit/echo", [1, 2])), 1, -32602],
    ["an unknown method", JSON.stringify(request(1, "multiEdit/nothing", {})), 1, -32601],
    ["a method of Object", JSON.stringify(request(1, "__proto__", {})), 1, -32601],
  ];

  it("is refused, and the session goes on", async () => {
    const server = await startInitialized();
    for (const [name, body, id, code] of refused) {
      const bytes = Buffer.from(body);
      server.write(Buffer.concat([Buffer.from(`Content-Length: ${bytes.length}\r\n\r\n`), bytes]));
      expect([name, (await server.answer(id)).error]).toEqual([name, { code, message: expect.any(String) }]);
      expect((await server.ask("after", "multiEdit/echo", { name })).result).toEqual({ params: { name } });
    }
  });

  it("is not reflected", async () => {
    const server = await startInitialized();
    const before = server.received().length;
    server.send(
      Array.from({ length: 50_000 }, () => "reflected"),
      { jsonrpc: "2.0", id: 3, error: "reflected".repeat(50_000) },
    );
    await server.answer(null);
    await server.ask(4, "multiEdit/echo", {});
    expect(server.received().length - before).toBeLessThan(1_000);
  });

  it("is dropped where it can't be answered", async () => {
    const server = await startInitialized();
    server.send(
      { jsonrpc: "2.0", method: "$/cancelRequest" },
      { jsonrpc: "2.0", method: "$/cancelRequest", params: { id: null } },
      { jsonrpc: "2.0", method: "$/cancelRequest", params: { id: "nothing" } },
      { jsonrpc: "2.0", method: "textDocument/didOpen", params: [1, 2] },
      { jsonrpc: "2.0", method: "$/setTrace" },
      { jsonrpc: "2.0", id: null, error: { code: 1, message: "a" } },
      { jsonrpc: "2.0", id: 99, result: 1 },
    );
    expect((await server.ask(1, "multiEdit/echo", {})).result).toEqual({ params: {} });
  });
});

describe("params of the server's own requests", () => {
  it.each([
    ["an object", { a: 1 }, { a: 1 }],
    ["a bare string", "*** Begin Patch", "*** Begin Patch"],
    ["a string by position", ["*** Begin Patch"], "*** Begin Patch"],
    ["an object by position", [{ a: 1 }], { a: 1 }],
    ["null", null, null],
    ["none", undefined, null],
  ])("%s", async (_name, sent, got) => {
    const server = await startInitialized();
    expect((await server.ask(1, "multiEdit/echo", sent)).result).toEqual({ params: got });
  });
});

describe("the order of a session", () => {
  it("begins with initialize", async () => {
    const server = start();
    server.send({ jsonrpc: "2.0", method: "textDocument/didOpen", params: {} });
    expect((await server.ask(1, "multiEdit/echo", {})).error?.code).toBe(-32002);
    expect((await server.ask(2, "shutdown")).error?.code).toBe(-32002);
    server.send(initialize);
    expect((await server.answer(0)).result).toBeDefined();
    expect((await server.ask(3, "multiEdit/echo", {})).result).toBeDefined();
  });

  it("has one initialize, unless it failed", async () => {
    const server = start();
    expect((await server.ask(1, "initialize")).error?.code).toBe(-32602);
    const refuse = { processId: null, capabilities: {}, initializationOptions: "refuse" };
    expect((await server.ask(2, "initialize", refuse)).error?.code).toBe(-32603);
    expect((await server.ask(3, "multiEdit/echo", {})).error?.code).toBe(-32002);
    server.send(initialize);
    expect((await server.answer(0)).result).toBeDefined();
    server.send(initialize);
    expect((await server.answer(0)).error?.code).toBe(-32600);
  });

  it("ends with shutdown, after which only exit is served", async () => {
    const server = await startInitialized();
    expect((await server.ask(1, "shutdown")).result).toBeNull();
    expect((await server.ask(2, "multiEdit/echo", {})).error?.code).toBe(-32600);
    expect((await server.ask(3, "shutdown")).error?.code).toBe(-32600);
    server.send({ jsonrpc: "2.0", method: "exit" });
    expect(await server.ended).toEqual({ code: 0, signal: null, stderr: "" });
  });

  it.each([
    [7, 7],
    [9, "9"],
  ])("has no two open requests with the ids %j and %j", async (first, second) => {
    const server = await startInitialized();
    server.send(request(first, "multiEdit/never", {}), request(second, "multiEdit/echo", {}));
    expect((await server.answer(second)).error?.code).toBe(-32600);
    server.send({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: first } });
    expect((await server.answer(first)).result).toBe("cancelled");
    expect((await server.ask(second, "multiEdit/echo", {})).result).toBeDefined();
  });

  it("has a bound on open requests", async () => {
    const server = await startInitialized();
    for (let id = 1; id <= limits.pendingRequests + 1; id += 1) server.send(request(id, "multiEdit/never", {}));
    const refused = await server.answer(limits.pendingRequests + 1);
    expect(refused.error).toEqual({ code: -32803, message: expect.stringContaining("10000 requests are waiting") });
  });

  it("takes answers to the server's requests, also without a result", async () => {
    const server = await startInitialized();
    server.send(request(1, "multiEdit/ask", {}));
    const { id } = await server.call("probe/question");
    server.send(
      { jsonrpc: "1.0", id, result: 1 },
      { jsonrpc: "2.0", id: "other", result: 2 },
      { jsonrpc: "2.0", id, result: 3 },
    );
    expect((await server.answer(1)).result).toEqual({ answer: 3 });
    server.send(request(2, "multiEdit/ask", {}));
    server.send({ jsonrpc: "2.0", id: (await server.call("probe/question")).id });
    expect((await server.answer(2)).result).toEqual({ answer: null });
    server.send(request(3, "multiEdit/ask", {}));
    server.send({ jsonrpc: "2.0", id: (await server.call("probe/question")).id, error: "no" });
    expect((await server.answer(3)).result).toEqual({ failure: "The client gave no message." });
  });
});

describe("a handler's mistakes", () => {
  it("cost one request", async () => {
    const server = await startInitialized();
    expect((await server.ask(1, "multiEdit/throw", {})).error?.code).toBe(-32603);
    expect((await server.ask(2, "multiEdit/cyclic", {})).error?.code).toBe(-32603);
    expect((await server.ask(3, "multiEdit/throwLater", {})).result).toBe("alive");
    server.end();
    const { stderr } = await server.ended;
    expect(stderr).toContain("thrown where nobody catches");
    expect(stderr).toContain("rejected where nobody catches");
  });

  it("do not reach stdout", async () => {
    const server = await startInitialized();
    expect((await server.ask(1, "multiEdit/print", {})).result).toBe("printed");
    await server.ask(2, "shutdown");
    server.send({ jsonrpc: "2.0", method: "exit" });
    const { code, stderr } = await server.ended;
    expect(code).toBe(0);
    expect(stderr).toContain("a line that is no protocol");
    expect(framesOf(Buffer.from(server.received())).messages.map(({ id }) => id)).toEqual([0, 1, 2]);
  });
});

describe("the end of a session", () => {
  const exit = { jsonrpc: "2.0", method: "exit" };

  it.each([
    ["exit before initialize", [exit], 1],
    ["exit without shutdown", [initialize, exit], 1],
    ["shutdown and exit in one piece", [initialize, request(1, "shutdown"), exit], 0],
    ["the input's end", [initialize], 1],
    ["the input's end after shutdown", [initialize, request(1, "shutdown")], 0],
    ["the input's end before anything", [], 1],
  ])("%s", async (_name, messages, code) => {
    const server = start();
    server.send(...messages);
    server.end();
    expect(await server.ended).toEqual({ code, signal: null, stderr: "" });
    const requests = messages.filter((message) => "id" in message);
    expect(framesOf(Buffer.from(server.received())).messages).toHaveLength(requests.length);
  });

  it("leaves no question to the client open", async () => {
    const server = await startInitialized();
    server.send(request(1, "multiEdit/ask", {}));
    await server.call("probe/question");
    server.end();
    expect((await server.answer(1)).result).toEqual({ failure: "The client has closed the connection." });
    expect((await server.ended).code).toBe(1);
  });

  it("does not wait for ever for a request", async () => {
    const server = await startInitialized();
    server.send(request(1, "multiEdit/never", {}));
    server.end();
    expect((await server.ended).code).toBe(1);
  });

  it("is quiet when the client no longer reads", async () => {
    const server = await startInitialized();
    server.process.stdout?.destroy();
    server.send(request(1, "multiEdit/echo", {}), request(2, "multiEdit/echo", {}));
    expect(await server.ended).toEqual({ code: 1, signal: null, stderr: "" });
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("comes in order by %s", async (signal) => {
    const server = await startInitialized();
    server.process.kill(signal);
    const { code, signal: killedBy, stderr } = await server.ended;
    expect(killedBy).toBeNull();
    expect(code).toBeGreaterThan(128);
    expect(stderr).toBe("");
  });
});

describe.concurrent("the client's process", () => {
  /** A process that has ended, so that its id is nobody's. */
  async function deadProcess(): Promise<number> {
    const child = spawn(process.execPath, ["-e", ""]);
    await once(child, "exit");
    return child.pid ?? 0;
  }

  function livingProcess() {
    return spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  }

  it.each([["on the command line"], ["in initialize"]])("ends the server when it ends, named %s", async (where) => {
    const client = livingProcess();
    const server = start("stdio", "", ...(where === "on the command line" ? [String(client.pid)] : []));
    const processId = where === "in initialize" ? client.pid : null;
    expect((await server.ask(1, "initialize", { processId, capabilities: {} })).result).toBeDefined();
    client.kill("SIGKILL");
    expect(await server.ended).toEqual({ code: 1, signal: null, stderr: expect.stringContaining(`${client.pid}`) });
  });

  it("does not end the server when it never lived here", async () => {
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
    expect((await onCommandLine.ended).stderr).toMatch(/^multi-edit-language-server: no process \d+ lives here.*\n$/);
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
    expect(stderr).toContain("a line that is no protocol");
    expect(server.received()).toBe("");
    listener.close();
  });

  it("a pipe whose client goes without a word", async () => {
    const listener = await listening(pipeName("b.sock"));
    const server = start("pipe", pipeName("b.sock"));
    const [socket] = await once(listener, "connection");
    socket.destroy();
    expect((await server.ended).code).toBe(1);
    listener.close();
  });

  it("a pipe on which nobody listens, or whose name is too long", async () => {
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

  it("stdio, faster than it can be served", async () => {
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

describe("any damage to a stream of bytes", () => {
  const stream = Buffer.from(
    [
      initialize,
      request(1, "multiEdit/echo", { a: "äöü€😀" }),
      { jsonrpc: "2.0", method: "textDocument/didOpen", params: { textDocument: {} } },
      request("b", "multiEdit/ask", {}),
      { jsonrpc: "2.0", id: 0, result: 1 },
      { jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 1 } },
      request(2, "multiEdit/throw", "*** Begin Patch"),
      request(3, "shutdown"),
      { jsonrpc: "2.0", method: "exit" },
    ]
      .map(frame)
      .join(""),
  );
  const at = fc.nat({ max: stream.length - 1 });
  const fragments = ["\r\n", "\r\n\r\n", "Content-Length: 1\r\n\r\n", "[", "}", '"', "9", "null"];
  const inserted = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(...fragments).map((text) => Buffer.from(text)),
  );
  type Damage = (bytes: Buffer) => Buffer;
  /** Bytes in the place of others, which may be more or fewer or none. */
  const damage = fc.oneof(
    fc.tuple(at, fc.nat({ max: 80 }), fc.oneof(inserted, fc.constant(Buffer.alloc(0)))).map(
      ([start, count, bytes]): Damage =>
        (all) =>
          Buffer.concat([all.subarray(0, start), bytes, all.subarray(start + count)]),
    ),
    fc.tuple(at, fc.nat({ max: 300 })).map(
      ([start, count]): Damage =>
        (all) =>
          Buffer.concat([all.subarray(0, start + count), all.subarray(start)]),
    ),
  );

  /** Sends the bytes in pieces to a session of its own, ends them, and gives what came out. */
  async function run(pieces: readonly Buffer[]): Promise<{ code: number; output: Buffer; notes: string[] }> {
    const input = new PassThrough();
    const output = new PassThrough();
    const chunks: Buffer[] = [];
    output.on("data", (chunk: Buffer) => chunks.push(chunk));
    const notes: string[] = [];
    const code = await new Promise<number>((exit) => {
      const { connection } = openClientConnection(streamChannel(input, output), {
        exit,
        note: (_level, text) => notes.push(text),
        watch() {},
      });
      registerProbes(connection);
      connection.listen();
      for (const piece of pieces) input.write(piece);
      input.end();
    });
    await new Promise((resolve) => setImmediate(resolve));
    return { code, output: Buffer.concat(chunks), notes };
  }

  it("has none to begin with", async () => {
    const { code, output, notes } = await run([stream]);
    // The response comes before the question, which is asked in a later turn.
    expect([code, notes]).toEqual([0, ["a response names no open request of the server"]]);
    expect(
      framesOf(output)
        .messages.map(({ id }) => id)
        .filter((id) => id !== undefined)
        .sort(),
    ).toEqual([0, 0, 1, 2, 3, "b"]);
  });

  it("ends in answers and an exit, with nothing but frames", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(damage, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(), { maxLength: 4 }),
        async (damages, places) => {
          const bytes = damages.reduce<Buffer>((all, change) => change(all), stream);
          const { code, output, notes } = await run(cut(bytes, places));
          expect([0, 1]).toContain(code);
          expect(framesOf(output).rest).toHaveLength(0);
          expect(notes.every((note) => note.length < 500)).toBe(true);
          expect(notes.filter((note) => note.startsWith("a message was lost"))).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
