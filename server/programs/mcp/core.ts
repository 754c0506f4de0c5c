/**
 * The part of the Model Context Protocol that a server needs if it has only tools: JSON-RPC with a message per line on
 * stdin and stdout. It serves clients that begin with `initialize` (revisions 2024-11-05 to 2025-11-25), and clients
 * that describe themselves in each request (2026-07-28). The SDK does the same, but loading it takes several times as
 * long as starting Node. An agent sends its first request without the tools of a server that has not answered by then.
 */
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { protocolErrors } from "./sentences.js";

/** The tools, and the server that offers them. */
export interface ToolServer {
  readonly info: { readonly name: string; readonly title: string; readonly version: string };
  /** Text for the model about the tools as a whole. */
  readonly instructions: string;
  /** Returns the tools as `tools/list` answers them; the answer never changes. */
  list(): Promise<readonly object[]>;
  /** Returns the result of a call; `undefined` if there is no such tool. */
  call(name: string, args: unknown, caller: ToolCaller): Promise<object | undefined>;
}

/** The program that calls a tool. */
export interface ToolCaller {
  /** The client's own description of itself, which may be any JSON value; `undefined` if there is none. */
  readonly client: unknown;
  /** The client's own name for the conversation that the call is part of; `undefined` if it gives none. */
  readonly conversation: string | undefined;
  /** Aborted if the client cancels the call, or if the connection ends. */
  readonly signal: AbortSignal;
}

/** Revisions in which a client begins with `initialize`, the newest first. */
const revisions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/** The revision in which each request describes its client. */
const statelessRevision = "2026-07-28";

/** Names of the properties with which a stateless request describes its client, and a result its server. */
const metaKeys = {
  revision: "io.modelcontextprotocol/protocolVersion",
  client: "io.modelcontextprotocol/clientInfo",
  server: "io.modelcontextprotocol/serverInfo",
} as const;

/** Error codes of JSON-RPC, and the one that MCP adds for a revision that the server does not know. */
const errorCodes = { methodNotFound: -32601, invalidParams: -32602, internalError: -32603, unknownRevision: -32022 };

/** The property with which Codex describes its call: `thread_id` stays the same when a conversation is resumed. */
const codexTurn = "x-codex-turn-metadata";

/** Returns the client's name for the conversation, from a request's `_meta`. */
function conversationIn(meta: Record<string, unknown> | undefined): string | undefined {
  const { thread_id: id }: { readonly thread_id?: unknown } = Object(meta?.[codexTurn]);
  return typeof id === "string" && id !== "" ? id : undefined;
}

interface Request {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly [name: string]: unknown };
}

/** An error that is the answer to a request. */
class RequestError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
  ) {
    super(message);
  }
}

/**
 * Serves a client until the input ends or `ended` is aborted; calls that are still running are then cancelled.
 * `maxLine`: the length of the longest line that is read, in UTF-16 units; the connection ends at a longer one.
 */
export async function serveTools(
  server: ToolServer,
  { input, output }: { readonly input: Readable; readonly output: Writable },
  { ended, maxLine }: { readonly ended: AbortSignal; readonly maxLine: number },
): Promise<void> {
  const connection = new ToolConnection(server, (message) => void output.write(`${JSON.stringify(message)}\n`));
  const stop = (): void => void input.destroy();
  ended.addEventListener("abort", stop, { once: true });
  try {
    for await (const line of linesIn(input, maxLine)) connection.receive(line);
  } catch {
    // The input was destroyed, or its other end is lost.
  } finally {
    ended.removeEventListener("abort", stop);
    connection.close();
  }
}

async function* linesIn(input: Readable, maxLine: number): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of input) {
    const lines = decoder.write(chunk as Buffer).split("\n");
    for (const [index, part] of lines.entries()) {
      parts.push(part);
      length += part.length;
      if (length > maxLine) return;
      if (index === lines.length - 1) break;
      yield parts.join("");
      parts = [];
      length = 0;
    }
  }
}

class ToolConnection {
  /** The requests that are not answered yet, by id. */
  private readonly running = new Map<string | number, AbortController>();
  /** The client's description of itself in `initialize`. */
  private client: unknown;

  constructor(
    private readonly server: ToolServer,
    private readonly send: (message: object) => void,
  ) {}

  /** Reads a line. A line that is not JSON is ignored: nothing in it says which request it should have been. */
  receive(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (!Array.isArray(message)) {
      void this.answer(message as Request).then((answer) => answer && this.send(answer));
      return;
    }
    // Revision 2025-03-26 allows several messages in one.
    void Promise.all(message.map((one: Request) => this.answer(one))).then((answers) => {
      const given = answers.filter((answer) => answer !== undefined);
      if (given.length > 0) this.send(given);
    });
  }

  close(): void {
    for (const task of this.running.values()) task.abort();
  }

  /** Returns the answer to a message; `undefined` if it needs none, or was cancelled. */
  private async answer(request: Request | null): Promise<object | undefined> {
    const { id, method } = request ?? {};
    const params = request?.params ?? {};
    if (method === "notifications/cancelled") this.running.get(params.requestId as string | number)?.abort();
    if (method === undefined || id === undefined || id === null) return undefined;
    const task = new AbortController();
    this.running.set(id, task);
    try {
      const result = await this.resultOf(method, params, task.signal);
      return task.signal.aborted ? undefined : { jsonrpc: "2.0", id, result };
    } catch (error) {
      const { message } = error as Error;
      const { code = errorCodes.internalError, data } = error as Partial<RequestError>;
      return { jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } };
    } finally {
      this.running.delete(id);
    }
  }

  private async resultOf(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<object> {
    const meta = params._meta as Record<string, unknown> | undefined;
    const revision = meta?.[metaKeys.revision];
    const conversation = conversationIn(meta);
    if (revision === undefined) return this.statefulResult(method, params, { conversation, signal });
    if (revision !== statelessRevision) {
      const data = { supported: [statelessRevision], requested: revision };
      throw new RequestError(errorCodes.unknownRevision, protocolErrors.unknownRevision(revision), data);
    }
    const result = await this.statelessResult(method, params, {
      client: meta?.[metaKeys.client],
      conversation,
      signal,
    });
    return { ...result, resultType: "complete", _meta: { [metaKeys.server]: this.server.info } };
  }

  private async statefulResult(
    method: string,
    params: Record<string, unknown>,
    caller: Omit<ToolCaller, "client">,
  ): Promise<object> {
    if (method === "ping") return {};
    if (method !== "initialize") return this.toolResult(method, params, { client: this.client, ...caller });
    this.client = params.clientInfo;
    const asked = revisions.find((revision) => revision === params.protocolVersion);
    const { info: serverInfo, instructions } = this.server;
    return { protocolVersion: asked ?? revisions[0], capabilities: { tools: {} }, serverInfo, instructions };
  }

  private async statelessResult(method: string, params: Record<string, unknown>, caller: ToolCaller): Promise<object> {
    const uncached = { ttlMs: 0, cacheScope: "private" };
    if (method === "server/discover") {
      const { instructions } = this.server;
      return { supportedVersions: [statelessRevision], capabilities: { tools: {} }, instructions, ...uncached };
    }
    const result = await this.toolResult(method, params, caller);
    return method === "tools/list" ? { ...result, ...uncached } : result;
  }

  private async toolResult(method: string, params: Record<string, unknown>, caller: ToolCaller): Promise<object> {
    if (method === "tools/list") return { tools: await this.server.list() };
    if (method !== "tools/call")
      throw new RequestError(errorCodes.methodNotFound, protocolErrors.unknownMethod(method));
    const { name, arguments: args } = params;
    const result = typeof name === "string" ? await this.server.call(name, args, caller) : undefined;
    if (result === undefined) throw new RequestError(errorCodes.invalidParams, protocolErrors.unknownTool(name));
    return result;
  }
}
