/** The MCP core on streams in this process: messages that no client library sends, or not in this order. */
import { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveTools } from "../../server/programs/mcp/core.js";
import { Subscriptions } from "../../server/programs/mcp/subscriptions.js";
import type { Resources, ToolServer } from "../../server/programs/mcp/toolServer.js";

const echo: ToolServer = {
  info: { name: "tested", title: "Tested", version: "1" },
  instructions: "Use them.",
  list: async () => [{ name: "echo" }],
  async call(name, args, { client, signal }) {
    if (name === "wait") {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      return { ended: true };
    }
    if (name === "fail") throw new Error("broken");
    return name === "echo" ? { args, client } : undefined;
  },
  resources: () => Promise.reject(new Error("no resources")),
};

const capabilities = { tools: {}, resources: { subscribe: true, listChanged: true } };

/** A client that writes raw lines. */
function open(maxLine = 10_000) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const ended = new AbortController();
  let received = "";
  output.setEncoding("utf8").on("data", (text: string) => (received += text));
  const done = serveTools(echo, { input, output }, { ended: ended.signal, maxLine });
  const answers = (): object[] =>
    received
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as object);
  return {
    input,
    done,
    stop: () => ended.abort(),
    answers,
    send: (message: unknown) =>
      void input.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
    /** Waits for this number of answers. */
    got: (count: number) => expect.poll(answers).toHaveLength(count).then(answers),
  };
}

const request = (id: number | string, method: string, params?: object): object => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});
const stateless = (revision: string): object => ({
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientInfo": { name: "new" },
});

describe("a client that begins with initialize", () => {
  it.each([
    ["2025-06-18", "2025-06-18"],
    ["2024-11-05", "2024-11-05"],
    ["1999-01-01", "2025-11-25"],
    [undefined, "2025-11-25"],
  ])("and asks for revision %s gets %s, the instructions and the tools", async (asked, given) => {
    const { send, got } = open();
    send(request(1, "initialize", { protocolVersion: asked, clientInfo: { name: "old" } }));
    send({ jsonrpc: "2.0", method: "notifications/initialized" });
    send(request("two", "tools/list"));
    send(request(3, "tools/call", { name: "echo", arguments: { a: 1 } }));
    expect(await got(3)).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        result: {
          protocolVersion: given,
          capabilities,
          serverInfo: echo.info,
          instructions: "Use them.",
        },
      },
      { jsonrpc: "2.0", id: "two", result: { tools: [{ name: "echo" }] } },
      { jsonrpc: "2.0", id: 3, result: { args: { a: 1 }, client: { name: "old" } } },
    ]);
  });
});

describe("a client that describes itself in each request", () => {
  it("is served without initialize, and each result names the server", async () => {
    const { send, got } = open();
    const _meta = stateless("2026-07-28");
    send(request(1, "server/discover", { _meta }));
    send(request(2, "tools/call", { _meta, name: "echo" }));
    const named = { resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": echo.info } };
    expect(await got(2)).toMatchObject([
      { id: 1, result: { supportedVersions: ["2026-07-28"], capabilities, ...named } },
      { id: 2, result: { client: { name: "new" }, ...named } },
    ]);
  });

  it("is told which revision the server knows", async () => {
    const { send, got } = open();
    send(request(1, "tools/list", { _meta: stateless("2099-01-01") }));
    expect(await got(1)).toMatchObject([
      { id: 1, error: { code: -32022, data: { supported: ["2026-07-28"], requested: "2099-01-01" } } },
    ]);
  });
});

describe("an error", () => {
  it.each([
    ["an unknown method", request(1, "prompts/list"), -32601],
    ["tasks, of a client that has announced none", request(1, "tasks/get", { taskId: "1" }), -32601],
    ["an unknown tool", request(1, "tools/call", { name: "none" }), -32602],
    ["a call without a name", request(1, "tools/call"), -32602],
    ["a tool that throws", request(1, "tools/call", { name: "fail" }), -32603],
  ])("answers %s", async (_, message, code) => {
    const { send, got } = open();
    send(message);
    expect(await got(1)).toMatchObject([{ jsonrpc: "2.0", id: 1, error: { code } }]);
  });

  it("does not answer notifications, responses and lines that are not messages, and ends nothing", async () => {
    const { send, got } = open();
    for (const line of [
      "",
      "garbage",
      "null",
      "7",
      "[]",
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":9,"result":{}}',
    ]) {
      send(line);
    }
    send({ jsonrpc: "2.0", method: "notifications/unknown" });
    send(request(1, "ping"));
    expect(await got(1)).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  });
});

describe("the connection", () => {
  it("answers several messages in one with one line", async () => {
    const { send, got } = open();
    send([request(1, "ping"), { jsonrpc: "2.0", method: "notifications/initialized" }, request(2, "ping")]);
    expect(await got(1)).toEqual([
      [
        { jsonrpc: "2.0", id: 1, result: {} },
        { jsonrpc: "2.0", id: 2, result: {} },
      ],
    ]);
  });

  it("reads messages that arrive in pieces, even within a character", async () => {
    const { input, got } = open();
    const bytes = Buffer.from(`${JSON.stringify(request(1, "tools/call", { name: "echo", arguments: "äß😀" }))}\n`);
    for (const byte of bytes) input.write(Buffer.from([byte]));
    expect(await got(1)).toMatchObject([{ id: 1, result: { args: "äß😀" } }]);
  });

  it("does not answer a call that the client has cancelled", async () => {
    const { send, got, answers } = open();
    send(request(1, "tools/call", { name: "wait" }));
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    send(request(2, "ping"));
    await got(1);
    expect(answers()).toMatchObject([{ id: 2 }]);
  });

  it.each(["the end of the input", "a signal", "a line that is too long"])("ends with %s", async (what) => {
    const { input, send, stop, done } = open(100);
    send(request(1, "tools/call", { name: "wait" }));
    if (what === "a signal") stop();
    else if (what === "the end of the input") input.end();
    else send("x".repeat(101));
    await done;
  });
});

describe("a subscription that could not be made", () => {
  /** Subscriptions to resources of which each attempt fails or succeeds in turn; `ends` counts those that were ended. */
  function lay(...outcomes: readonly boolean[]) {
    const counts = { attempts: 0, ends: 0 };
    const listen = async () => {
      const isFailed = outcomes[counts.attempts++];
      await Promise.resolve();
      if (isFailed) throw new Error("no folder");
      return () => void counts.ends++;
    };
    const resources: Resources = { list: async () => [], read: async () => ({ ok: false, message: "" }), listen };
    return { counts, subscribed: new Subscriptions({ resources: async () => resources }, () => undefined) };
  }
  const uri = "file:///a.txt";

  it("is tried again by the next request", async () => {
    const { subscribed, counts } = lay(true, false);
    await expect(subscribed.serve("resources/subscribe", { uri })).rejects.toThrow("no folder");
    expect(await subscribed.serve("resources/subscribe", { uri })).toEqual({});
    expect(await subscribed.serve("resources/subscribe", { uri })).toEqual({});
    expect(counts.attempts).toBe(2);
    await subscribed.serve("resources/unsubscribe", { uri });
    expect(counts.ends).toBe(1);
  });

  it("is not answered as made to a client that asks twice at once", async () => {
    const { subscribed } = lay(true, true);
    const asked = ["resources/subscribe", "resources/subscribe"].map((method) => subscribed.serve(method, { uri }));
    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it("fails for nobody but its client if it ends meanwhile", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    const { subscribed } = lay(true);
    const asked = subscribed.serve("resources/subscribe", { uri });
    subscribed.close();
    await expect(asked).rejects.toThrow("no folder");
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
    expect(await subscribed.serve("resources/unsubscribe", { uri })).toEqual({});
  });
});
