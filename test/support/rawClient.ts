/** A client that sends exactly the bytes that it is given and parses frames strictly, for tests of the wire itself. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

/** A received message, whose fields the tests inspect. */
export interface Received {
  readonly jsonrpc: "2.0";
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Both directions of one connection. */
export interface RawClient {
  /** Sends bytes as they are. */
  write(bytes: string | Uint8Array): void;
  /** Sends each message in a frame. */
  send(...messages: readonly unknown[]): void;
  /** Sends a request and returns its answer. */
  ask(id: number | string | null, method: string, params?: unknown): Promise<Received>;
  /** The next unread answer with this id; rejects if the connection ends without one. */
  answer(id: number | string | null): Promise<Received>;
  /** The next unread request or notification with this method. */
  call(method: string): Promise<Received>;
  /** Closes the client's side for writing. */
  end(): void;
  /** Everything received so far, as text. */
  received(): string;
}

/** One message as a frame. */
export function frame(message: unknown): string {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** A JSON-RPC request. */
export function request(id: unknown, method: unknown, params?: unknown): object {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

/** An `initialize` request with empty params. */
export const initialize = request(0, "initialize", { processId: null, rootUri: null, capabilities: {} });

/**
 * Splits bytes into the messages of complete frames and the remaining bytes; throws for anything that is not a frame.
 * Written from the protocol's specification, independently of the server.
 */
export function framesOf(bytes: Buffer): { messages: Received[]; rest: Buffer } {
  const messages: Received[] = [];
  let rest = bytes;
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end === -1) break;
    const header = /^Content-Length: ([1-9][0-9]*)$/.exec(rest.toString("latin1", 0, end));
    if (header === null) throw new Error(`not a frame: ${JSON.stringify(rest.toString("latin1", 0, 100))}`);
    const bodyEnd = end + 4 + Number(header[1]);
    if (rest.length < bodyEnd) break;
    messages.push(JSON.parse(rest.toString("utf8", end + 4, bodyEnd)));
    rest = rest.subarray(bodyEnd);
  }
  if (rest.length > 0 && !"Content-Length: ".startsWith(rest.toString("latin1", 0, 16))) {
    throw new Error(`not a frame: ${JSON.stringify(rest.toString("latin1", 0, 100))}`);
  }
  return { messages, rest };
}

/** A client that uses two streams: the server reads `input` and writes `output`. */
export function rawClient(input: Writable, output: Readable): RawClient {
  let all = "";
  let unread: Buffer = Buffer.alloc(0);
  let failure: Error | undefined;
  const inbox: Received[] = [];
  const waiting: {
    matches(message: Received): boolean;
    resolve(message: Received): void;
    reject(error: Error): void;
  }[] = [];

  function fail(error: Error): void {
    failure ??= error;
    for (const { reject } of waiting.splice(0)) reject(failure);
  }

  function deliver(message: Received): void {
    const at = waiting.findIndex(({ matches }) => matches(message));
    if (at === -1) inbox.push(message);
    else waiting.splice(at, 1)[0]!.resolve(message);
  }

  function next(matches: (message: Received) => boolean): Promise<Received> {
    const at = inbox.findIndex(matches);
    if (at !== -1) return Promise.resolve(inbox.splice(at, 1)[0]!);
    if (failure !== undefined) return Promise.reject(failure);
    return new Promise((resolve, reject) => waiting.push({ matches, resolve, reject }));
  }

  output.on("data", (chunk: Buffer) => {
    all += chunk.toString();
    try {
      const { messages, rest } = framesOf(Buffer.concat([unread, chunk]));
      unread = rest;
      for (const message of messages) deliver(message);
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)));
    }
  });
  output.on("close", () =>
    fail(new Error(`the server closed the connection after ${JSON.stringify(all.slice(-300))}`)),
  );
  input.on("error", () => {});

  const client: RawClient = {
    write: (bytes) => void input.write(bytes),
    send: (...messages) => void input.write(messages.map(frame).join("")),
    ask(id, method, params) {
      client.send(request(id, method, params));
      return client.answer(id);
    },
    answer: (id) => next((message) => message.method === undefined && message.id === id),
    call: (method) => next((message) => message.method === method),
    end: () => void input.end(),
    received: () => all,
  };
  return client;
}

/** A running program with a client on its stdio. */
export interface RunningServer extends RawClient {
  readonly process: ChildProcess;
  /** Settles when the process and its streams have ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; stderr: string }>;
}

/** Starts a Node program with its stdio as the wire. */
export function startServer(program: string, args: readonly string[]): RunningServer {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  return { ...rawClient(child.stdin, child.stdout), process: child, ended: endOf(child) };
}

/** Waits for a process to end; returns its exit code or signal, and its stderr. */
async function endOf(child: ChildProcess): Promise<Awaited<RunningServer["ended"]>> {
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  return { code, signal, stderr };
}
