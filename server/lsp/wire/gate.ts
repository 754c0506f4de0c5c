/**
 * Stands between the wire and the JSON-RPC library: checks each message's envelope and the order of the session, and
 * answers what the library would swallow, serve too early or log at the sender's length.
 */
import type { Message, RequestMessage, ResponseMessage } from "vscode-languageserver/node";
import { limits } from "../../text/limits.js";
import { dropReasons, noClientMessage, type Refusal, refusals, requestFailed } from "./sentences.js";

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
  const state: EnvelopeState = { ports, phase: "new", pending: new Set(), asked: new Set(), initializeKey: undefined };
  let clientGone = false;
  let idle: (() => void)[] = [];

  function sending(message: Message): void {
    const { id, method, error } = message as Partial<RequestMessage & ResponseMessage>;
    if (id === undefined || id === null) return;
    if (method !== undefined) {
      state.asked.add(id);
      if (clientGone) setImmediate(abandonClient);
      return;
    }
    const key = String(id);
    state.pending.delete(key);
    if (key === state.initializeKey) {
      state.initializeKey = undefined;
      // The client may correct what was wrong and ask again.
      if (error !== undefined && state.phase === "open") state.phase = "new";
    }
    if (state.pending.size > 0) return;
    for (const settle of idle) settle();
    idle = [];
  }

  function abandonClient(): void {
    clientGone = true;
    const open = [...state.asked];
    state.asked.clear();
    for (const id of open) ports.deliver(toErrorResponse(id, refusals.clientGone));
  }

  return {
    receive: (message) => receive(state, message),
    receiveUnreadable: () => refuse(state, null, refusals.unreadable),
    sending,
    whenAnswered: () =>
      new Promise((resolve) => {
        if (state.pending.size === 0) resolve();
        else idle.push(resolve);
      }),
    abandonClient,
  };
}

type Id = string | number;
type JsonRecord = Record<string, unknown>;

/** How far one connection has come, and what is open on it. */
interface EnvelopeState {
  readonly ports: GatePorts;
  phase: "new" | "open" | "shutDown";
  /** Requests of the client that wait for an answer. Keys are strings, because the library takes 9 and "9" for one. */
  readonly pending: Set<string>;
  /** Requests to the client that wait for an answer. */
  readonly asked: Set<Id>;
  /** Key of the `initialize` that waits for its answer. */
  initializeKey: string | undefined;
}

function receive(state: EnvelopeState, message: unknown): void {
  if (Array.isArray(message)) return refuse(state, null, refusals.batch);
  if (!isRecord(message)) return refuse(state, null, refusals.noObject);
  const { jsonrpc, method, result, error } = message;
  const id = isId(message.id) ? message.id : null;
  if (method === undefined && (result !== undefined || error !== undefined)) return receiveResponse(state, message);
  if (jsonrpc !== "2.0") return refuse(state, id, refusals.version);
  if (method === undefined && id !== null && state.asked.has(id)) return receiveResponse(state, message);
  if (typeof method !== "string") return refuse(state, id, refusals.method);
  if (method.length > limits.envelopeText) return refuse(state, id, refusals.longMethod);
  if (message.id === undefined) return receiveNotification(state, message, method);
  if (id === null) return refuse(state, null, refusals.id);
  const refusal = refusalOf(state, { method, key: String(id), params: message.params });
  if (refusal !== undefined) return refuse(state, id, refusal);
  admitRequest(state, message, { method, key: String(id) });
}

function refusalOf(
  state: EnvelopeState,
  { method, key, params }: { method: string; key: string; params: unknown },
): Refusal | undefined {
  if (state.phase === "new" && method !== "initialize") return refusals.notInitialized;
  if (state.phase === "open" && method === "initialize") return refusals.initializedTwice;
  if (state.phase === "shutDown") return refusals.shutDown;
  if (state.pending.has(key)) return refusals.duplicateId;
  if (state.pending.size >= limits.pendingRequests) return refusals.busy;
  if (method === "initialize") return isRecord(params) ? undefined : refusals.initializeParams;
  if (params === undefined || params === null || isRecord(params)) return undefined;
  // The library spreads an array over the handler's arguments, which have one place for params.
  if (Array.isArray(params)) return params.length === 1 ? undefined : refusals.positionalParams;
  return typeof params === "string" && method.startsWith(ownMethods) ? undefined : refusals.params;
}

function admitRequest(
  state: EnvelopeState,
  message: JsonRecord,
  { method, key }: { method: string; key: string },
): void {
  state.pending.add(key);
  if (method === "initialize") {
    state.phase = "open";
    state.initializeKey = key;
  }
  if (method === "shutdown") state.phase = "shutDown";
  // Without params the library would call the handler with the cancellation token in their place.
  if (method.startsWith(ownMethods) && message.params === undefined) message.params = null;
  deliver(state, message);
}

function receiveNotification(state: EnvelopeState, message: JsonRecord, method: string): void {
  const { ports, phase, pending } = state;
  if (method === "exit") return deliver(state, { jsonrpc: "2.0", method });
  if (phase === "new") return ports.dropped(dropReasons.early);
  if (phase === "shutDown") return ports.dropped(dropReasons.late);
  const params = message.params ?? undefined;
  if (params !== undefined && !isRecord(params)) return ports.dropped(dropReasons.params);
  if (method === "$/cancelRequest") {
    // The library throws on a cancellation without an id, and remembers one of an unknown id.
    const id = params?.id;
    if (!isId(id) || !pending.has(String(id))) return ports.dropped(dropReasons.cancellation);
  }
  if (params === undefined) delete message.params;
  deliver(state, message);
}

/**
 * A response is never answered, however wrong it is: its id is one of ours, and the client could take the answer for
 * that to a request of its own.
 */
function receiveResponse(state: EnvelopeState, { jsonrpc, id, error, result }: JsonRecord): void {
  const { ports, asked } = state;
  if (jsonrpc !== "2.0") return ports.dropped(dropReasons.responseVersion);
  if (!isId(id) || !asked.delete(id)) return ports.dropped(dropReasons.response);
  if (error !== undefined && error !== null) return deliver(state, { jsonrpc, id, error: toResponseError(error) });
  // Clients in languages that have no null leave a result out that is null.
  deliver(state, { jsonrpc, id, result: result ?? null });
}

function deliver({ ports }: EnvelopeState, message: JsonRecord): void {
  // The callers have checked what the library relies on: jsonrpc, and the types of id and method.
  ports.deliver(message as unknown as Message);
}

function refuse({ ports }: EnvelopeState, id: Id | null, refusal: Refusal): void {
  ports.reply(toErrorResponse(id, refusal));
}

function toErrorResponse(id: Id | null, { code, message }: Refusal): ResponseMessage {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** The server's own requests, whose params may be a bare string. */
const ownMethods = "multiEdit/";

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
    message: typeof message === "string" ? message : noClientMessage,
    ...(data === undefined ? {} : { data }),
  };
}
