/** The envelopes and params of messages on the wire, and the order of messages in a session. */
import { describe, expect, it } from "vitest";
import { limits } from "../server/text/limits.js";
import { probeServers } from "./support/probeServers.js";
import { framesOf, initialize, request } from "./support/rawClient.js";

const { start, startInitialized } = probeServers();

describe("input that is not a message", () => {
  const refused: readonly (readonly [string, string | Uint8Array, number | string | null, number])[] = [
    ["not JSON", "{", null, -32700],
    ["spaces", "  ", null, -32700],
    ["JSON and more", "{} {}", null, -32700],
    ["a byte order mark", "\ufeff{}", null, -32700],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xe9, 0x22]), null, -32700],
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

  it("names what the params lack", async () => {
    const server = await startInitialized();
    const textDocument = { uri: "file:///a" };
    const start = { line: 0, character: 0 };
    const all: readonly (readonly [string, unknown, string])[] = [
      ["textDocument/hover", undefined, "textDocument.uri"],
      ["textDocument/hover", null, "textDocument.uri"],
      ["textDocument/hover", [{}], "textDocument.uri"],
      ["textDocument/hover", { textDocument }, "position.line"],
      ["textDocument/hover", { textDocument, position: { line: "0", character: 0 } }, "position.line"],
      ["textDocument/codeAction", { textDocument: null }, "textDocument.uri"],
      ["textDocument/codeAction", { textDocument, range: { start } }, "range.end.line"],
      ["workspace/executeCommand", undefined, "command"],
      ["workspace/executeCommand", { command: 1 }, "command"],
    ];
    for (const [method, params, part] of all) {
      const { error } = await server.ask("a", method, params);
      expect(error).toEqual({ code: -32602, message: `The params of ${method} must have ${part}.` });
    }
    // The server of this test has no hovers.
    const params = { textDocument, position: start };
    for (const sent of [params, [params]])
      expect((await server.ask("a", "textDocument/hover", sent)).error?.code).toBe(-32601);
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

  it("is dropped if it can't be answered", async () => {
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

describe("the order of messages in a session", () => {
  it("begins with initialize", async () => {
    const server = start();
    server.send({ jsonrpc: "2.0", method: "textDocument/didOpen", params: {} });
    expect((await server.ask(1, "multiEdit/echo", {})).error?.code).toBe(-32002);
    expect((await server.ask(2, "shutdown")).error?.code).toBe(-32002);
    server.send(initialize);
    expect((await server.answer(0)).result).toBeDefined();
    expect((await server.ask(3, "multiEdit/echo", {})).result).toBeDefined();
  });

  it("allows one initialize, or another one if it failed", async () => {
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
  ])("does not allow open requests with the ids %j and %j at the same time", async (first, second) => {
    const server = await startInitialized();
    server.send(request(first, "multiEdit/never", {}), request(second, "multiEdit/echo", {}));
    expect((await server.answer(second)).error?.code).toBe(-32600);
    server.send({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: first } });
    expect((await server.answer(first)).result).toBe("cancelled");
    expect((await server.ask(second, "multiEdit/echo", {})).result).toBeDefined();
  });

  it("limits the number of open requests", async () => {
    const server = await startInitialized();
    for (let id = 1; id <= limits.pendingRequests + 1; id += 1) server.send(request(id, "multiEdit/never", {}));
    const refused = await server.answer(limits.pendingRequests + 1);
    expect(refused.error).toEqual({
      code: -32803,
      message: expect.stringContaining("10000 requests are already pending"),
    });
  });

  it("accepts answers to the server's requests, even without a result", async () => {
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
  it("make only one request fail", async () => {
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
    expect(stderr).toContain("a line outside the protocol");
    expect(framesOf(Buffer.from(server.received())).messages.map(({ id }) => id)).toEqual([0, 1, 2]);
  });
});
