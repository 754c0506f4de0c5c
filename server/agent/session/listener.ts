/** The socket of one editor's session, through which agents ask what the editor may ask. */

import { randomBytes } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { hostname } from "node:os";
import {
  type CancellationToken,
  CancellationTokenSource,
  type Message,
  type MessageConnection,
  ResponseError,
} from "vscode-jsonrpc/node";
import type { Caller } from "../../lsp/protocol.js";
import { createGate } from "../../lsp/wire/gate.js";
import type { LogLevel } from "../../lsp/wire/lifetime.js";
import { limits } from "../../text/limits.js";
import { processStart } from "../../workspace/process.js";
import { makePrivate } from "../../workspace/serverFolder.js";
import { socketSentences } from "../sentences.js";
import { listen } from "./address.js";
import { readCaller } from "./caller.js";
import { commonProtocol, type Handshake, isNonce, isProof, makeNonce, proofOf, socketProtocols } from "./handshake.js";
import { recordPath, removeQuietly, type SessionRecord, writeRecord } from "./record.js";
import { openWire } from "./wire.js";

/** What is behind the socket. */
export interface Served {
  /** Answers a request, or gives the error to answer with. Does not throw for what an agent can send. */
  serve(request: AgentRequest, token: CancellationToken): Promise<unknown>;
  /** The workspace folders as they are now, and the files that are open outside of them. */
  scope(): Pick<SessionRecord, "folders" | "outside">;
  /** The editor, by the name that it gives itself. */
  readonly client: string;
  readonly version: string;
  log(level: LogLevel, text: string): void;
}

/** A request of an agent that has shown that it knows the secret. */
export interface AgentRequest {
  readonly method: string;
  /** As it came off the wire. */
  readonly params: unknown;
  /** The agent, as it has named itself. */
  readonly caller: Caller;
}

/** A session that agents can find. */
export interface Listener {
  readonly id: string;
  /** Announces the session as it is now. */
  announce(): void;
  /** Takes the socket and its announcement away at once; called again, it does nothing. */
  close(): void;
}

/** Opens the socket and announces it; `undefined`: it could not, and the log says why. */
export async function openListener(served: Served, directory: string): Promise<Listener | undefined> {
  const problem = makePrivate(directory);
  if (problem !== undefined) return refuse(served, problem);
  const id = randomBytes(6).toString("hex");
  const secret = makeNonce();
  const server = createServer({ allowHalfOpen: true }, (socket) => serveAgent(socket, { served, secret, session: id }));
  server.maxConnections = limits.agentConnections;
  const bound = await listen(server, id, directory);
  if (!bound.ok) return refuse(served, bound.problem);
  // An agent that could not be accepted is that agent's trouble.
  server.on("error", (error) => served.log("warn", `the socket for agents: ${error.message}`));
  const announce = (): void => {
    try {
      writeRecord(directory, recordOf(served, { id, secret, address: bound.address.name }));
    } catch (error) {
      served.log("warn", `agents can't find this session: ${String(error)}`);
    }
  };
  let isOpen = true;
  announce();
  served.log("info", `agents reach this session as ${id}`);
  return {
    id,
    announce: () => isOpen && announce(),
    close() {
      if (!isOpen) return;
      isOpen = false;
      removeQuietly(recordPath(directory, id));
      server.close();
      bound.address.remove();
    },
  };
}

function refuse(served: Served, problem: string): undefined {
  served.log("warn", `agents can't reach this session: ${problem}`);
}

type Own = Pick<SessionRecord, "id" | "secret" | "address">;

/** It must fit what its readers take, whatever the editor says of itself: what can't be said in full may be anything. */
function recordOf(served: Served, own: Own): SessionRecord {
  const record: SessionRecord = {
    format: 1,
    ...own,
    pid: process.pid,
    processStart: processStart(process.pid),
    host: hostname(),
    ...served.scope(),
    client: served.client.slice(0, 200),
    version: served.version,
    protocols: socketProtocols,
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
  };
  const isFitting = Buffer.byteLength(JSON.stringify(record)) <= mostRecordBytes;
  return isFitting ? record : { ...record, folders: [], outside: [] };
}

const mostRecordBytes = limits.sessionRecordBytes - 1024;

interface Door {
  readonly served: Served;
  readonly secret: string;
  /** The session's id. */
  readonly session: string;
}

/** One agent: nothing is served before both sides have shown that they know the secret. */
function serveAgent(socket: Socket, door: Door): void {
  const { served } = door;
  const greeter = createGreeter(door);
  const desk = createDesk(served);
  const late = setTimeout(() => socket.destroy(), limits.helloMs);
  let heard = 0;

  function leave(): void {
    wire.channel.stop();
    void gate
      .whenAnswered()
      .then(wire.channel.whenFlushed)
      // An agent that does not close its end must not keep the place of another.
      .then(() => socket.destroySoon());
  }

  async function answer(method: string, params: unknown, token: CancellationToken): Promise<unknown> {
    const known = greeter.proved();
    if (known !== undefined) return desk.serve({ method, params, caller: known }, token);
    const greeting = greeter.greet(method, params);
    if (greeting instanceof ResponseError) setImmediate(leave);
    if (greeter.proved() !== undefined) clearTimeout(late);
    return greeting;
  }

  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => {
    heard += chunk.length;
    if (heard > limits.helloBytes && greeter.proved() === undefined) socket.destroy();
  });
  socket.on("close", () => {
    clearTimeout(late);
    desk.cancelAll();
    wire.connection.dispose();
  });
  socket.setTimeout(limits.agentIdleMs, () => desk.isIdle() && socket.destroy());
  let toLibrary = (_message: Message): void => undefined;
  const gate = createGate({
    deliver: (message) => toLibrary(message),
    reply: (message) => wire.channel.send(message),
    dropped: (why) => served.log("debug", `from an agent: ${why}`),
  });
  const receive = (message: unknown, deliver: (message: Message) => void): void => {
    toLibrary = deliver;
    gate.receive(message);
  };
  const register = (connection: MessageConnection): void => {
    connection.onRequest((method, params, token) => answer(method, params, token));
    connection.onNotification(() => undefined);
  };
  const { receiveUnreadable, sending } = gate;
  const wire = openWire(socket, { receive, receiveUnreadable, sending, ended: leave }, register);
}

/** The requests of one agent that are being served. */
interface Desk {
  serve(request: AgentRequest, token: CancellationToken): Promise<unknown>;
  isIdle(): boolean;
  /** The library cancels what the agent takes back, but not what it has walked away from. */
  cancelAll(): void;
}

function createDesk(served: Served): Desk {
  const running = new Set<CancellationTokenSource>();

  async function serve(request: AgentRequest, token: CancellationToken): Promise<unknown> {
    if (running.size >= limits.agentRequests) {
      return new ResponseError(requestFailed, socketSentences.busy(limits.agentRequests));
    }
    const source = new CancellationTokenSource();
    if (token.isCancellationRequested) source.cancel();
    const listening = token.onCancellationRequested(() => source.cancel());
    running.add(source);
    try {
      return await served.serve(request, source.token);
    } finally {
      running.delete(source);
      listening.dispose();
      source.dispose();
    }
  }

  return {
    serve,
    isIdle: () => running.size === 0,
    cancelAll() {
      for (const source of running) source.cancel();
    },
  };
}

/** Leads one agent through the handshake. */
interface Greeter {
  /** The agent, once it has shown that it knows the secret; `undefined`: it has not. */
  proved(): Caller | undefined;
  /** The answer to a request that came before the proof; after an error the connection is to end. */
  greet(method: string, params: unknown): object;
}

function createGreeter({ served, secret, session }: Door): Greeter {
  let handshake: Handshake | undefined;
  let caller: Caller | undefined;
  let isProved = false;
  const sendAway = (sentence: string): ResponseError<void> => new ResponseError(requestFailed, sentence);

  function hello(params: unknown): object {
    const { protocols, nonce, client } = (params ?? {}) as { protocols?: unknown; nonce?: unknown; client?: unknown };
    const protocol = commonProtocol(protocols);
    if (!isNonce(nonce) || !Array.isArray(protocols)) return sendAway(socketSentences.whoAreYou);
    if (protocol === undefined) {
      const isNewer = protocols.some((version) => Number(version) > Math.max(...socketProtocols));
      return sendAway(socketSentences[isNewer ? "serverTooOld" : "agentTooOld"](served.version));
    }
    caller = readCaller(client);
    if (caller === undefined) return sendAway(socketSentences.badAgent);
    handshake = { secret, session, agentNonce: nonce, serverNonce: makeNonce() };
    const proof = proofOf("server", handshake);
    return { protocol, nonce: handshake.serverNonce, proof, version: served.version };
  }

  return {
    proved: () => (isProved ? caller : undefined),
    greet(method, params) {
      if (method === "initialize") return hello(params);
      if (method !== "multiEdit/prove" || handshake === undefined) return sendAway(socketSentences.whoAreYou);
      const { proof } = (params ?? {}) as { proof?: unknown };
      isProved = isProof("agent", handshake, proof);
      return isProved ? {} : sendAway(socketSentences.notProved);
    },
  };
}

/** LSP's `RequestFailed`; the number is all that is needed of its package. */
const requestFailed = -32803;
