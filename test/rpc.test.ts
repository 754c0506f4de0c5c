/** The agent's end of JSON-RPC, which replaces the library's so that commands start quickly, against the library itself. */
import { PassThrough } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import {
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { ErrorCodes, LSPErrorCodes, MessageType } from "vscode-languageserver/node";
import { messageTypes } from "../server/lsp/session.js";
import { streamChannel } from "../server/lsp/wire/channel.js";
import { AnswerError, createCancelSource, createRequester, errorCodes } from "../server/lsp/wire/rpc.js";

let library: MessageConnection;
afterEach(() => library?.dispose());

/** Connects a requester with the library. `ends` counts how often the requester was told that the channel has ended. */
function connected() {
  const [toLibrary, fromLibrary] = [new PassThrough(), new PassThrough()];
  library = createMessageConnection(new StreamMessageReader(toLibrary), new StreamMessageWriter(fromLibrary));
  let ends = 0;
  const notified: string[] = [];
  const request = createRequester(streamChannel(fromLibrary, toLibrary), {
    notified: (method) => void notified.push(method),
    end: () => void ends++,
  });
  return { request, fromLibrary, ends: () => ends, notified };
}

describe("requests over a channel", () => {
  it("get the answers that the library gives, whatever their order", async () => {
    const { request } = connected();
    library.onRequest("after", async (params: { ms: number }) => delay(params.ms, params));
    library.onRequest("nothing", () => null);
    library.listen();
    const answers = Promise.all([request("after", { ms: 30 }), request("after", { ms: 1 }), request("nothing", null)]);
    expect(await answers).toEqual([{ ms: 30 }, { ms: 1 }, null]);
  });

  it("fail with the code, the message and the data of an error", async () => {
    const { request } = connected();
    library.onRequest("fail", () => new ResponseError(7, "no", { why: "so" }));
    library.onRequest("throw", () => {
      throw new ResponseError(8, "never");
    });
    library.listen();
    const failed = request("fail", {}).catch((error: unknown) => error);
    expect(await failed).toBeInstanceOf(AnswerError);
    expect(await failed).toMatchObject({ code: 7, message: "no", data: { why: "so" } });
    await expect(request("throw", {})).rejects.toMatchObject({ code: 8, message: "never", data: undefined });
    await expect(request("unknown", {})).rejects.toMatchObject({ code: errorCodes.methodNotFound });
  });

  it.each([
    ["before it is sent", 0],
    ["while it is being served", 20],
  ])("are cancelled %s", async (_, ms) => {
    const { request } = connected();
    library.onRequest("wait", async (_params: unknown, token) => {
      await new Promise<void>((resolve) => token.onCancellationRequested(() => resolve()));
      return "cancelled";
    });
    library.listen();
    const source = createCancelSource();
    if (ms === 0) source.cancel();
    const answer = request("wait", {}, source.token);
    if (ms > 0) setTimeout(source.cancel, ms);
    expect(await answer).toBe("cancelled");
  });

  it("report requests and notifications, and ignore answers that nobody waits for", async () => {
    const { request, fromLibrary, notified } = connected();
    library.onRequest("echo", (params: unknown) => params);
    library.listen();
    const strange = [
      { id: 1, method: "ask" },
      { method: "note", params: {} },
      { id: 99, result: 1 },
      { id: null },
      [],
      3,
    ];
    for (const message of strange) {
      const body = JSON.stringify(message);
      fromLibrary.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
    }
    expect(await request("echo", { a: 1 })).toEqual({ a: 1 });
    expect(notified).toEqual(["ask", "note"]);
  });

  it("are told once that the other side has gone", async () => {
    const { fromLibrary, ends } = connected();
    fromLibrary.end();
    await delay(5);
    expect(ends()).toBe(1);
  });
});

describe("a token", () => {
  it.each([
    ["ours", createCancelSource],
    ["the library's", () => new CancellationTokenSource()],
  ])("calls its listeners once, also those that come too late, and none that has left (%s)", async (_, create) => {
    const source = create();
    const called: string[] = [];
    const { token } = source;
    token.onCancellationRequested(() => called.push("first"));
    token.onCancellationRequested(() => called.push("left")).dispose();
    expect(token.isCancellationRequested).toBe(false);
    source.cancel();
    source.cancel();
    expect(token.isCancellationRequested).toBe(true);
    expect(called).toEqual(["first"]);
    token.onCancellationRequested(() => called.push("late"));
    token.onCancellationRequested(() => called.push("left late")).dispose();
    expect(called).toEqual(["first"]);
    await delay(10);
    expect(called).toEqual(["first", "late"]);
  });
});

describe("numbers that the library has names for", () => {
  it("are the library's", () => {
    expect(errorCodes).toEqual({
      methodNotFound: ErrorCodes.MethodNotFound,
      invalidParams: ErrorCodes.InvalidParams,
      requestCancelled: LSPErrorCodes.RequestCancelled,
      contentModified: LSPErrorCodes.ContentModified,
      requestFailed: LSPErrorCodes.RequestFailed,
    });
    expect(messageTypes).toEqual({
      error: MessageType.Error,
      warn: MessageType.Warning,
      info: MessageType.Info,
      debug: MessageType.Log,
    });
  });
});
