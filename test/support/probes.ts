/**
 * Handlers that fail or are slow in every possible way, for tests of the code between the handlers and the client.
 */
import { PassThrough } from "node:stream";
import { type Connection, TextDocumentSyncKind } from "vscode-languageserver/node";
import { streamChannel } from "../../server/lsp/wire/channel.js";
import { openClientConnection } from "../../server/lsp/wire/transport.js";

/** Registers the handlers on a connection that is not listening yet. */
export function registerProbes(connection: Connection): void {
  connection.onInitialize((params) => {
    if (params.initializationOptions === "refuse") throw new Error("refused");
    return { capabilities: { textDocumentSync: TextDocumentSyncKind.Incremental }, serverInfo: { name: "probes" } };
  });
  connection.onRequest("multiEdit/echo", (params: unknown) => ({ params }));
  connection.onRequest("multiEdit/print", () => {
    console.log("a line outside the protocol");
    console.table([{ a: 1 }]);
    process.stdout.write("Content-Length: 2\r\n\r\n{}");
    return "printed";
  });
  connection.onRequest("multiEdit/throw", () => {
    throw new Error("thrown in the handler");
  });
  connection.onRequest("multiEdit/throwLater", () => {
    setImmediate(() => {
      throw new Error("thrown where nobody catches");
    });
    void Promise.reject(new Error("rejected where nobody catches"));
    return new Promise((resolve) => setTimeout(() => resolve("alive"), 20));
  });
  connection.onRequest("multiEdit/cyclic", () => {
    const value: { self?: unknown } = {};
    value.self = value;
    return value;
  });
  connection.onRequest("multiEdit/never", (_params: unknown, token) => {
    return new Promise((resolve) => {
      // A request that is cancelled before it is dispatched gets a token that never tells of it.
      if (token.isCancellationRequested) resolve("cancelled");
      token.onCancellationRequested(() => resolve("cancelled"));
    });
  });
  connection.onRequest("multiEdit/ask", async (): Promise<unknown> => {
    try {
      return { answer: await connection.sendRequest("probe/question", {}) };
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error) };
    }
  });
}

/** Sends bytes in pieces to a new session in this process, closes the stream, and returns the output. */
export async function runProbes(
  pieces: readonly (Buffer | string)[],
): Promise<{ code: number; output: Buffer; notes: string[] }> {
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
