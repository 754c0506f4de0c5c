/**
 * The part of the Model Context Protocol that a server with tools and resources needs: JSON-RPC with a message per line on
 * stdin and stdout. It serves clients that begin with `initialize` (revisions 2024-11-05 to 2025-11-25), and clients
 * that describe themselves in each request (2026-07-28). The SDK does the same, but loading it takes several times as
 * long as starting Node. An agent sends its first request without the tools of a server that has not answered by then.
 */
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { type Elicit, Questions, showsForms } from "./elicitation.js";
import { protocolErrors } from "./sentences.js";
import { Subscriptions } from "./subscriptions.js";
import { relatedTo, Tasks } from "./tasks.js";
import { errorCodes, RequestError, type ToolCaller, type ToolServer } from "./toolServer.js";

/** The last revision in which a client begins with `initialize`, and the only one with tasks. */
const newest = "2025-11-25";
/** Revisions in which a client begins with `initialize`, the newest first. */
const revisions = [newest, "2025-06-18", "2025-03-26", "2024-11-05"];
/** The revision in which each request describes its client. */
const statelessRevision = "2026-07-28";

/** Names of the properties with which a stateless request describes its client, and a result its server. */
const metaKeys = {
  revision: "io.modelcontextprotocol/protocolVersion",
  client: "io.modelcontextprotocol/clientInfo",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
  server: "io.modelcontextprotocol/serverInfo",
} as const;

/** The capabilities of the server, for every client. */
const capabilities = { tools: {}, resources: { subscribe: true, listChanged: true } };
const taskCapabilities = { cancel: {}, requests: { tools: { call: {} } } };

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
  /** Set in an answer to a request of the server. */
  readonly result?: unknown;
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
  /** `true` if it has announced there that it shows forms. */
  private hasForms = false;
  /** The client's tasks; `undefined` if it has announced none. */
  private tasks: Tasks | undefined;
  private asked: Questions | undefined;
  private subscribed: Subscriptions | undefined;

  constructor(
    private readonly server: ToolServer,
    private readonly send: (message: object) => void,
  ) {}

  private get questions(): Questions {
    this.asked ??= new Questions(this.send);
    return this.asked;
  }

  private get subscriptions(): Subscriptions {
    this.subscribed ??= new Subscriptions(this.server, this.send);
    return this.subscribed;
  }

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
    this.subscribed?.close();
    this.tasks?.close();
  }

  /** Returns the answer to a message; `undefined` if it needs none, or was cancelled. */
  private async answer(request: Request | null): Promise<object | undefined> {
    const { id, method } = request ?? {};
    const params = request?.params ?? {};
    if (method === "notifications/cancelled") this.running.get(params.requestId as string | number)?.abort();
    if (id === undefined || id === null) return undefined;
    if (method === undefined) this.asked?.receive(id, request?.result);
    if (method === undefined) return undefined;
    const task = new AbortController();
    this.running.set(id, task);
    try {
      const result = await this.resultOf(method, params, { id, signal: task.signal });
      return task.signal.aborted ? undefined : { jsonrpc: "2.0", id, result };
    } catch (error) {
      const { message } = error as Error;
      const { code = errorCodes.internalError, data } = error as Partial<RequestError>;
      return { jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } };
    } finally {
      this.running.delete(id);
    }
  }

  private async resultOf(
    method: string,
    params: Record<string, unknown>,
    { id, signal }: { readonly id: string | number; readonly signal: AbortSignal },
  ): Promise<object> {
    const meta = params._meta as Record<string, unknown> | undefined;
    const revision = meta?.[metaKeys.revision];
    const conversation = conversationIn(meta);
    if (revision === undefined) return this.statefulResult(method, params, { conversation, signal });
    if (revision !== statelessRevision) {
      const data = { supported: [statelessRevision], requested: revision };
      throw new RequestError(errorCodes.unknownRevision, protocolErrors.unknownRevision(revision), data);
    }
    if (method === "subscriptions/listen") return this.subscriptions.listen(id, params.notifications, signal);
    const caller = { client: meta?.[metaKeys.client], conversation, signal };
    const result = await this.statelessResult(method, params, caller, showsForms(meta?.[metaKeys.capabilities]));
    return { resultType: "complete", ...result, _meta: { [metaKeys.server]: this.server.info } };
  }

  private async statefulResult(
    method: string,
    params: Record<string, unknown>,
    asker: Omit<ToolCaller, "client">,
  ): Promise<object> {
    if (method === "ping") return {};
    if (method === "initialize") return this.initialize(params);
    const { tasks } = this;
    const elicit: Elicit | undefined = this.hasForms
      ? (question, token) => this.questions.ask(question, token)
      : undefined;
    const caller: ToolCaller = { client: this.client, ...asker, elicit };
    if (tasks !== undefined && method === "tools/list") return { tools: (await this.server.list()).map(asTaskTool) };
    if (tasks !== undefined && method === "tools/call" && params.task !== undefined) {
      return tasks.create(params.task, (taskId, signal) => {
        const asTask: Elicit = (question, token) => this.questions.ask(question, token, relatedTo(taskId));
        return this.toolResult(method, params, { ...caller, signal, isTask: true, elicit: elicit && asTask });
      });
    }
    const ofTask = await tasks?.serve(method, params);
    const result =
      ofTask ?? (method.startsWith("resources/") ? await this.subscriptions.serve(method, params) : undefined);
    return result ?? this.toolResult(method, params, caller);
  }

  private initialize(params: Record<string, unknown>): object {
    this.client = params.clientInfo;
    this.hasForms = showsForms(params.capabilities);
    const protocolVersion = revisions.find((revision) => revision === params.protocolVersion) ?? newest;
    const hasTasks = protocolVersion === newest && Object(params.capabilities).tasks instanceof Object;
    this.tasks = hasTasks ? new Tasks() : undefined;
    const { info: serverInfo, instructions } = this.server;
    const all = hasTasks ? { ...capabilities, tasks: taskCapabilities } : capabilities;
    return { protocolVersion, capabilities: all, serverInfo, instructions };
  }

  private async statelessResult(
    method: string,
    params: Record<string, unknown>,
    caller: ToolCaller,
    hasForms: boolean,
  ): Promise<object> {
    const uncached = { ttlMs: 0, cacheScope: "private" };
    if (method === "server/discover") {
      const { instructions } = this.server;
      return { supportedVersions: [statelessRevision], capabilities, instructions, ...uncached };
    }
    if (method !== "tools/call" || !hasForms) {
      const result = await this.toolResult(method, params, caller, errorCodes.invalidParams);
      return method === "tools/call" ? result : { ...result, ...uncached };
    }
    return this.questions.inRounds(params, caller.signal, (elicit, signal) =>
      this.toolResult(method, params, { ...caller, elicit, signal }),
    );
  }

  /** `notFound`: the code of the error for a resource that is not found. */
  private async toolResult(
    method: string,
    params: Record<string, unknown>,
    caller: ToolCaller,
    notFound: number = errorCodes.resourceNotFound,
  ): Promise<object> {
    if (method === "tools/list") return { tools: await this.server.list() };
    if (method === "resources/list") return { resources: await (await this.server.resources()).list() };
    if (method === "resources/templates/list") return { resourceTemplates: [] };
    if (method === "resources/read") {
      const read = await (await this.server.resources()).read(params.uri, caller);
      if (!read.ok) throw new RequestError(notFound, read.message, { uri: params.uri });
      return { contents: read.contents };
    }
    if (method !== "tools/call")
      throw new RequestError(errorCodes.methodNotFound, protocolErrors.unknownMethod(method));
    const { name, arguments: args } = params;
    const result = typeof name === "string" ? await this.server.call(name, args, caller) : undefined;
    if (result === undefined) throw new RequestError(errorCodes.invalidParams, protocolErrors.unknownTool(name));
    return result;
  }
}

const asTaskTool = (tool: object): object => ({ ...tool, execution: { taskSupport: "optional" } });
