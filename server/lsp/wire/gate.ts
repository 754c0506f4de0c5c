/**
 * Stands between the wire and the JSON-RPC library: checks each message's envelope and the order of the session, and
 * answers what the library would swallow, serve too early or log at the sender's length.
 */
import type { Message, RequestMessage, ResponseMessage } from "vscode-languageserver/node";
import { limits } from "../../text/limits.js";

/** The gate's surroundings. */
export interface GatePorts {
  /** Hands a well-formed message on to the library. */
  deliver(message: Message): void;
  /** Sends an answer that the gate gives itself. */
  reply(message: ResponseMessage): void;
  /** Takes one line on what was dropped; it never holds text of the message. */
  dropped(why: string): void;
}

/** The envelope checks of one connection. */
export interface Gate {
  /** Takes a message as parsed from JSON; its object may be changed. */
  receive(message: unknown): void;
  /** Takes notice of a body that is not JSON. */
  receiveUnreadable(): void;
  /** Takes notice of a message that the library is about to send. */
  sending(message: Message): void;
  /** Settles as soon as every request that was handed on has its answer. */
  whenAnswered(): Promise<void>;
  /** Answers all requests to the client with an error, those asked already and those to come: nobody is there to answer. */
  abandonClient(): void;
}

/** Makes the gate of one connection, in the state before `initialize`. */
export function createGate(ports: GatePorts): Gate {
  const session: Session = { phase: "new", pending: new Set(), asked: new Set(), initializeKey: undefined };
  let clientGone = false;
  let idle: (() => void)[] = [];

  function act(verdict: Verdict): void {
    if (verdict.kind === "deliver") ports.deliver(verdict.message);
    else if (verdict.kind === "drop") ports.dropped(verdict.why);
    else ports.reply(toErrorResponse(verdict.id, verdict.refusal));
  }

  function sending(message: Message): void {
    noteSending(session, message);
    if (clientGone && session.asked.size > 0) setImmediate(abandonClient);
    if (session.pending.size > 0) return;
    for (const settle of idle) settle();
    idle = [];
  }

  function abandonClient(): void {
    clientGone = true;
    const open = [...session.asked];
    session.asked.clear();
    for (const id of open) ports.deliver(toErrorResponse(id, refusals.clientGone));
  }

  return {
    receive: (message) => act(judge(session, message)),
    receiveUnreadable: () => act(refuse(null, refusals.unreadable)),
    sending,
    whenAnswered: () =>
      new Promise((resolve) => {
        if (session.pending.size === 0) resolve();
        else idle.push(resolve);
      }),
    abandonClient,
  };
}

type Id = string | number;
type JsonRecord = Record<string, unknown>;

interface Session {
  phase: "new" | "open" | "shutDown";
  /** Requests of the client that wait for an answer. Keys are strings, because the library takes 9 and "9" for one. */
  readonly pending: Set<string>;
  /** Requests to the client that wait for an answer. */
  readonly asked: Set<Id>;
  /** Key of the `initialize` that waits for its answer. */
  initializeKey: string | undefined;
}

type Verdict =
  | { readonly kind: "deliver"; readonly message: Message }
  | { readonly kind: "refuse"; readonly id: Id | null; readonly refusal: Refusal }
  | { readonly kind: "drop"; readonly why: string };

function judge(session: Session, message: unknown): Verdict {
  if (Array.isArray(message)) return refuse(null, refusals.batch);
  if (!isRecord(message)) return refuse(null, refusals.noObject);
  const { jsonrpc, method, result, error } = message;
  const id = isId(message.id) ? message.id : null;
  if (method === undefined && (result !== undefined || error !== undefined)) return judgeResponse(session, message);
  if (jsonrpc !== "2.0") return refuse(id, refusals.version);
  if (method === undefined && id !== null && session.asked.has(id)) return judgeResponse(session, message);
  if (typeof method !== "string") return refuse(id, refusals.method);
  if (method.length > limits.envelopeText) return refuse(id, refusals.longMethod);
  if (message.id === undefined) return judgeNotification(session, message, method);
  if (id === null) return refuse(null, refusals.id);
  const refusal = judgeRequest(session, { method, key: String(id), params: message.params });
  if (refusal !== undefined) return refuse(id, refusal);
  return admit(session, message, { method, key: String(id) });
}

function judgeRequest(
  session: Session,
  request: { method: string; key: string; params: unknown },
): Refusal | undefined {
  const { method, key, params } = request;
  if (session.phase === "new" && method !== "initialize") return refusals.notInitialized;
  if (session.phase === "open" && method === "initialize") return refusals.initializedTwice;
  if (session.phase === "shutDown") return refusals.shutDown;
  if (session.pending.has(key)) return refusals.duplicateId;
  if (session.pending.size >= limits.pendingRequests) return refusals.busy;
  if (method === "initialize") return isRecord(params) ? undefined : refusals.initializeParams;
  if (params === undefined || params === null || isRecord(params)) return undefined;
  // The library spreads an array over the handler's arguments, which have one place for params.
  if (Array.isArray(params)) return params.length === 1 ? undefined : refusals.positionalParams;
  return typeof params === "string" && method.startsWith(ownMethods) ? undefined : refusals.params;
}

function admit(session: Session, message: JsonRecord, request: { method: string; key: string }): Verdict {
  const { method, key } = request;
  session.pending.add(key);
  if (method === "initialize") {
    session.phase = "open";
    session.initializeKey = key;
  }
  if (method === "shutdown") session.phase = "shutDown";
  // Without params the library would call the handler with the cancellation token in their place.
  if (method.startsWith(ownMethods) && message.params === undefined) message.params = null;
  return deliver(message);
}

function judgeNotification(session: Session, message: JsonRecord, method: string): Verdict {
  if (method === "exit") return deliver({ jsonrpc: "2.0", method });
  if (session.phase === "new") return drop("a notification came before initialize");
  if (session.phase === "shutDown") return drop("a notification came after shutdown");
  const params = message.params ?? undefined;
  if (params !== undefined && !isRecord(params)) return drop("the params of a notification are no object");
  if (method === "$/cancelRequest") {
    // The library throws on a cancellation without an id, and remembers one of an unknown id.
    const id = params?.id;
    if (!isId(id) || !session.pending.has(String(id))) return drop("a cancellation names no pending request");
  }
  if (params === undefined) delete message.params;
  return deliver(message);
}

/**
 * A response is never answered, however wrong it is: its id is one of ours, and the client could take the answer for
 * that to a request of its own.
 */
function judgeResponse(session: Session, message: JsonRecord): Verdict {
  const { jsonrpc, id, error, result } = message;
  if (jsonrpc !== "2.0") return drop('a response does not say "jsonrpc": "2.0"');
  if (!isId(id) || !session.asked.delete(id)) return drop("a response names no open request of the server");
  if (error !== undefined && error !== null) return deliver({ jsonrpc, id, error: toResponseError(error) });
  // Clients in languages that have no null leave a result out that is null.
  return deliver({ jsonrpc, id, result: result ?? null });
}

function noteSending(session: Session, message: Message): void {
  const { id, method, error } = message as Partial<RequestMessage & ResponseMessage>;
  if (id === undefined || id === null) return;
  if (method !== undefined) {
    session.asked.add(id);
    return;
  }
  const key = String(id);
  session.pending.delete(key);
  if (key !== session.initializeKey) return;
  session.initializeKey = undefined;
  // The client may correct what was wrong and ask again.
  if (error !== undefined && session.phase === "open") session.phase = "new";
}

function deliver(message: JsonRecord): Verdict {
  // The callers have checked what the library relies on: jsonrpc, and the types of id and method.
  return { kind: "deliver", message: message as unknown as Message };
}

function refuse(id: Id | null, refusal: Refusal): Verdict {
  return { kind: "refuse", id, refusal };
}

function drop(why: string): Verdict {
  return { kind: "drop", why };
}

function toErrorResponse(id: Id | null, { code, message }: Refusal): ResponseMessage {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** The server's own requests, whose params may be a bare string. */
const ownMethods = "multiEdit/";

interface Refusal {
  readonly code: number;
  readonly message: string;
}

const parseError = -32700;
const invalidRequest = -32600;
const invalidParams = -32602;
const notInitialized = -32002;
const requestFailed = -32803;
const connectionClosed = -32097;

/** Codes from the JSON-RPC and LSP specifications; the last is the library's own for requests that a closed connection leaves open. */
const refusals = {
  unreadable: { code: parseError, message: "The message is not JSON in UTF-8." },
  batch: { code: invalidRequest, message: "LSP has no batches; send each message in a frame of its own." },
  noObject: { code: invalidRequest, message: "A message must be a JSON object." },
  version: { code: invalidRequest, message: 'A message must say "jsonrpc": "2.0".' },
  method: { code: invalidRequest, message: "A request or notification must have a method, as a string." },
  longMethod: { code: invalidRequest, message: `A method has at most ${limits.envelopeText} characters.` },
  id: {
    code: invalidRequest,
    message: `A request's id must be an integer, or a string of at most ${limits.envelopeText} characters.`,
  },
  duplicateId: { code: invalidRequest, message: "A request with this id is still waiting for its answer." },
  notInitialized: { code: notInitialized, message: "The first request must be initialize." },
  initializedTwice: { code: invalidRequest, message: "The server is initialized already." },
  shutDown: { code: invalidRequest, message: "The server is shut down; only the exit notification may follow." },
  initializeParams: { code: invalidParams, message: "The params of initialize must be an object." },
  params: { code: invalidParams, message: "Params must be an object." },
  positionalParams: { code: invalidParams, message: "Params by position must be an array of exactly one item." },
  busy: {
    code: requestFailed,
    message: `${limits.pendingRequests} requests are waiting already; send this one later.`,
  },
  clientGone: { code: connectionClosed, message: "The client has closed the connection." },
} as const satisfies Record<string, Refusal>;

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is Id {
  return typeof value === "string" ? value.length <= limits.envelopeText : Number.isSafeInteger(value);
}

function toResponseError(error: unknown): { code: number; message: string; data?: unknown } {
  const { code, message, data } = isRecord(error) ? error : { code: undefined, message: undefined, data: undefined };
  return {
    code: Number.isSafeInteger(code) ? Number(code) : requestFailed,
    message: typeof message === "string" ? message : "The client gave no message.",
    ...(data === undefined ? {} : { data }),
  };
}
