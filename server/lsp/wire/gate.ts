/** The gate between wire and JSON-RPC library answers what the library would swallow, serve early, or log in full. */
import type { Message, NotificationMessage, RequestMessage, ResponseMessage } from "vscode-languageserver/node";
import { isObject } from "../../dialect/keys.js";
import { limits } from "../../text/limits.js";
import { type Channel, createRpcStreams, type RpcStreams } from "./channel.js";
import type { Note } from "./lifetime.js";
import {
  connectionSentences,
  dropReasons,
  noClientMessage,
  type Refusal,
  refusals,
  requestFailed,
} from "./sentences.js";

/** The gate for a connection, with the channel ends that the library uses. */
export interface Gate extends Pick<RpcStreams, "reader" | "writer"> {
  /** Settles once every delivered request is answered and the client has taken the answers or stopped doing so. */
  whenAnswered(): Promise<void>;
  /** Answers all pending and later requests to the client with an error, because the client will no longer answer. */
  abandonClient(): void;
  /** Cancels every pending request from the client. */
  cancelRequests(): void;
}

/** Creates the gate, before `initialize`. `note` gets a line about each dropped message; `end` serves the end. */
export function createGate(channel: Channel, note: Note, end: (fault: string | undefined) => void): Gate {
  const state: EnvelopeState = { phase: "new", pending: new Map(), asked: new Set(), initializeKey: undefined };
  let clientGone = false;
  let idle: (() => void)[] = [];

  function receive(message: unknown): void {
    const decision = judge(state, message);
    if (decision.kind === "deliver") streams.deliver(decision.message);
    else if (decision.kind === "drop") note("debug", decision.why);
    else channel.send(toErrorResponse(decision.id, decision.refusal));
  }

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
      // The client may correct its params and send the request again.
      if (error !== undefined && state.phase === "open") state.phase = "new";
    }
    if (state.pending.size > 0) return;
    for (const settle of idle) settle();
    idle = [];
  }

  async function whenAnswered(): Promise<void> {
    if (state.pending.size > 0) await new Promise<void>((resolve) => idle.push(resolve));
    await channel.whenFlushed();
  }

  function abandonClient(): void {
    clientGone = true;
    const open = [...state.asked];
    state.asked.clear();
    for (const id of open) streams.deliver(toErrorResponse(id, refusals.clientGone));
  }

  const unreadable = (): void => channel.send(toErrorResponse(null, refusals.unreadable));
  const lost = (error: unknown): void => note("error", connectionSentences.messageLost(error));
  const streams = createRpcStreams(channel, { message: receive, unreadable, sending, lost, end });
  return { ...streams, whenAnswered, abandonClient, cancelRequests: () => cancelAll(streams, state) };
}

function cancelAll(streams: RpcStreams, { pending }: EnvelopeState): void {
  for (const id of pending.values()) {
    const message: NotificationMessage = { jsonrpc: "2.0", method: cancelMethod, params: { id } };
    streams.deliver(message);
  }
}

type Id = string | number;
type JsonRecord = Record<string, unknown>;

/** A connection's phase and pending requests. */
interface EnvelopeState {
  phase: "new" | "open" | "shutDown";
  /** Ids of the client's pending requests. The keys are strings because the library treats 9 and "9" as the same id. */
  readonly pending: Map<string, Id>;
  /** Ids of pending requests to the client. */
  readonly asked: Set<Id>;
  /** Key of the pending `initialize` request; `undefined` if there is none. */
  initializeKey: string | undefined;
}

type GateDecision =
  | { readonly kind: "deliver"; readonly message: Message }
  | { readonly kind: "refuse"; readonly id: Id | null; readonly refusal: Refusal }
  | { readonly kind: "drop"; readonly why: string };

function judge(state: EnvelopeState, message: unknown): GateDecision {
  if (Array.isArray(message)) return refuse(null, refusals.batch);
  if (!isObject(message)) return refuse(null, refusals.noObject);
  const { jsonrpc, method, result, error } = message;
  const id = isId(message.id) ? message.id : null;
  if (method === undefined && (result !== undefined || error !== undefined)) return judgeResponse(state, message);
  if (jsonrpc !== "2.0") return refuse(id, refusals.version);
  if (method === undefined && id !== null && state.asked.has(id)) return judgeResponse(state, message);
  if (typeof method !== "string") return refuse(id, refusals.method);
  if (method.length > limits.envelopeText) return refuse(id, refusals.longMethod);
  if (message.id === undefined) return judgeNotification(state, message, method);
  if (id === null) return refuse(null, refusals.id);
  return judgeRequest(state, message, id, method);
}

function judgeRequest(state: EnvelopeState, message: JsonRecord, id: Id, method: string): GateDecision {
  const key = String(id);
  const refusal = refusalOf(state, method, key, message.params);
  if (refusal !== undefined) return refuse(id, refusal);
  state.pending.set(key, id);
  if (method === "initialize") {
    state.phase = "open";
    state.initializeKey = key;
  }
  if (method === "shutdown") state.phase = "shutDown";
  // If params were missing, the library would pass the cancellation token to the handler in their place.
  if (method.startsWith(ownMethods) && message.params === undefined) message.params = null;
  return deliver(message);
}

function refusalOf(state: EnvelopeState, method: string, key: string, params: unknown): Refusal | undefined {
  if (state.phase === "new" && method !== "initialize") return refusals.notInitialized;
  if (state.phase === "open" && method === "initialize") return refusals.initializedTwice;
  if (state.phase === "shutDown") return refusals.shutDown;
  if (state.pending.has(key)) return refusals.duplicateId;
  if (state.pending.size >= limits.pendingRequests) return refusals.busy;
  if (method === "initialize") return isObject(params) ? undefined : refusals.initializeParams;
  const lacking = lackingPart(method, Array.isArray(params) ? params[0] : params);
  if (lacking !== undefined) return refusals.lacking(method, lacking);
  if (params === undefined || params === null || isObject(params)) return undefined;
  // The library spreads an array over the handler's arguments, but handlers take the params as a single argument.
  if (Array.isArray(params)) return params.length === 1 ? undefined : refusals.positionalParams;
  return typeof params === "string" && method.startsWith(ownMethods) ? undefined : refusals.params;
}

/** The numbers and texts that the params of LSP's own requests must have, by method. */
const parts: Readonly<Record<string, readonly string[]>> = {
  "textDocument/hover": ["textDocument.uri", "position.line", "position.character"],
  "textDocument/codeAction": [
    "textDocument.uri",
    ...["range.start.line", "range.start.character", "range.end.line", "range.end.character"],
  ],
  "workspace/executeCommand": ["command"],
};

/** Returns the first part that the params of a request lack; `undefined` if they lack none. */
function lackingPart(method: string, params: unknown): string | undefined {
  const required = Object.hasOwn(parts, method) ? parts[method] : undefined;
  return required?.find((part) => {
    const found: unknown = part.split(".").reduce((value: unknown, key) => Object(value)[key], params);
    return typeof found !== (/(?:line|character)$/.test(part) ? "number" : "string");
  });
}

function judgeNotification(state: EnvelopeState, message: JsonRecord, method: string): GateDecision {
  if (method === "exit") return deliver({ jsonrpc: "2.0", method });
  if (state.phase === "new") return drop(dropReasons.early);
  if (state.phase === "shutDown") return drop(dropReasons.late);
  const params = message.params ?? undefined;
  if (params !== undefined && !isObject(params)) return drop(dropReasons.params);
  if (method === cancelMethod) {
    // The library throws on a cancellation without an id, and remembers a cancellation whose id is unknown.
    const id = params?.id;
    if (!isId(id) || !state.pending.has(String(id))) return drop(dropReasons.cancellation);
  }
  if (params === undefined) delete message.params;
  return deliver(message);
}

/** Judges a response. Even an invalid one is never answered, because its id belongs to the server's request. */
function judgeResponse(state: EnvelopeState, { jsonrpc, id, error, result }: JsonRecord): GateDecision {
  if (jsonrpc !== "2.0") return drop(dropReasons.responseVersion);
  if (!isId(id) || !state.asked.delete(id)) return drop(dropReasons.response);
  if (error !== undefined && error !== null) return deliver({ jsonrpc, id, error: toResponseError(error) });
  // Clients written in languages without null omit a null result.
  return deliver({ jsonrpc, id, result: result ?? null });
}

/** Delivers a message whose `jsonrpc`, `id` and `method` were checked, because the library does not check them. */
const deliver = (message: JsonRecord): GateDecision => ({ kind: "deliver", message: message as unknown as Message });

const refuse = (id: Id | null, refusal: Refusal): GateDecision => ({ kind: "refuse", id, refusal });

const drop = (why: string): GateDecision => ({ kind: "drop", why });

const toErrorResponse = (id: Id | null, error: Refusal): ResponseMessage => ({ jsonrpc: "2.0", id, error });

/** Prefix of the server's own requests, whose params may be a bare string. */
const ownMethods = "multiEdit/";

const cancelMethod = "$/cancelRequest";

function isId(value: unknown): value is Id {
  return typeof value === "string" ? value.length <= limits.envelopeText : Number.isSafeInteger(value);
}

function toResponseError(error: unknown): { code: number; message: string; data: unknown } {
  const { code, message, data }: JsonRecord = isObject(error) ? error : {};
  return {
    code: Number.isSafeInteger(code) ? Number(code) : requestFailed,
    message: typeof message === "string" ? message : noClientMessage,
    data,
  };
}
