/** The socket of one editor's session, through which agents send the requests that the editor may send. */
import { randomBytes } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { hostname } from "node:os";
import { type CancellationToken, createMessageConnection, NullLogger, ResponseError } from "vscode-jsonrpc/node";
import type { Caller } from "../../lsp/protocol.js";
import { serveRequest } from "../../lsp/requests.js";
import type { Session } from "../../lsp/session.js";
import { streamChannel } from "../../lsp/wire/channel.js";
import { createGate } from "../../lsp/wire/gate.js";
import { requestFailed } from "../../lsp/wire/sentences.js";
import { limits } from "../../text/limits.js";
import { processStart } from "../../workspace/process.js";
import { makePrivate } from "../../workspace/serverFolder.js";
import { editorName, sessionLog, socketSentences } from "../sentences.js";
import { listen } from "./address.js";
import { type Handshake, isNonce, isProof, makeNonce, proofOf, readCaller, socketProtocols } from "./handshake.js";
import { recordPath, removeQuietly, type SessionRecord, writeRecord } from "./record.js";

/** A session that agents can find. */
export interface Listener {
  readonly id: string;
  /** Announces the session as it is now. */
  announce(): void;
  /** Takes the socket and its announcement away at once; called again, it does nothing. */
  close(): void;
}

/**
 * Opens the socket and announces it in a directory, with the workspace folders as they are at each announcement and the files that
 * `outside` gives, which are open outside of them; `undefined`: it could not, and the log says why.
 */
export async function openListener(
  session: Session,
  directory: string,
  outside: () => readonly string[],
): Promise<Listener | undefined> {
  const id = randomBytes(6).toString("hex");
  const secret = makeNonce();
  const server = createServer({ allowHalfOpen: true }, (socket) => serveAgent(socket, { session, secret, id }));
  server.maxConnections = limits.agentConnections;
  const problem = makePrivate(directory);
  const bound = problem === undefined ? await listen(server, id, directory) : ({ ok: false, problem } as const);
  if (!bound.ok) {
    session.log("warn", sessionLog.unreachable(bound.problem));
    return undefined;
  }
  const { address } = bound;
  // An agent that could not be accepted is that agent's trouble.
  server.on("error", (error) => session.log("warn", sessionLog.socketError(error)));
  let isOpen = true;
  const announce = (): void => {
    if (!isOpen) return;
    try {
      writeRecord(directory, toRecord(session, outside(), { id, secret, address: address.name }));
    } catch (error) {
      session.log("warn", sessionLog.notAnnounced(error));
    }
  };
  announce();
  session.log("info", sessionLog.reachable(id));
  return {
    id,
    announce,
    close() {
      if (!isOpen) return;
      isOpen = false;
      removeQuietly(recordPath(directory, id));
      server.close();
      address.remove();
    },
  };
}

/** It must fit what its readers take, whatever the editor says of itself: what can't be said in full may be anything. */
function toRecord(
  session: Session,
  outside: readonly string[],
  own: Pick<SessionRecord, "id" | "secret" | "address">,
): SessionRecord {
  const record: SessionRecord = {
    format: 1,
    ...own,
    pid: process.pid,
    processStart: processStart(process.pid),
    host: hostname(),
    folders: session.folders.map(({ uri, path }) => ({ uri, path })),
    outside,
    client: editorName(session.client).slice(0, 200),
    version: session.version,
    protocols: socketProtocols,
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
  };
  const isFitting = Buffer.byteLength(JSON.stringify(record)) <= mostRecordBytes;
  return isFitting ? record : { ...record, folders: [], outside: [] };
}

const mostRecordBytes = limits.sessionRecordBytes - 1024;

/** A session as its connections see it. */
interface ListeningSession {
  readonly session: Session;
  readonly secret: string;
  readonly id: string;
}

/** One agent: nothing is served before both sides have shown that they know the secret. */
function serveAgent(socket: Socket, listening: ListeningSession): void {
  const { session } = listening;
  const handshaker = createHandshaker(listening);
  const late = setTimeout(() => socket.destroy(), limits.helloMs);
  let running = 0;
  let receivedBytes = 0;

  function leave(): void {
    channel.stop();
    // An agent that does not close its end must not keep the place of another.
    void gate.whenAnswered().then(() => socket.destroySoon());
  }

  async function answer(method: string, params: unknown, token: CancellationToken): Promise<unknown> {
    const caller = handshaker.caller();
    if (caller === undefined) return greet(method, params);
    if (running >= limits.agentRequests) return rejection(socketSentences.busy(limits.agentRequests));
    running += 1;
    try {
      return await serveRequest(session, { method, params, applier: "server", caller }, token);
    } finally {
      running -= 1;
    }
  }

  function greet(method: string, params: unknown): object {
    const greeting = handshaker.answer(method, params);
    if (greeting instanceof ResponseError) setImmediate(leave);
    if (handshaker.caller() !== undefined) clearTimeout(late);
    return greeting;
  }

  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes > limits.helloBytes && handshaker.caller() === undefined) socket.destroy();
  });
  socket.on("close", () => {
    clearTimeout(late);
    // The library cancels what the agent takes back, but not what it has walked away from.
    gate.cancelRequests();
    connection.dispose();
  });
  socket.setTimeout(limits.agentIdleMs, () => running === 0 && socket.destroy());
  const channel = streamChannel(socket, socket);
  const gate = createGate(channel, (level, text) => session.log(level, sessionLog.fromAgent(text)), leave);
  const connection = createMessageConnection(gate.reader, gate.writer, NullLogger);
  connection.onRequest((method, params, token) => answer(method, params, token));
  connection.onNotification(() => undefined);
  connection.listen();
}

const rejection = (sentence: string): ResponseError<void> => new ResponseError(requestFailed, sentence);

/** Leads one agent through the handshake. */
function createHandshaker({ session, secret, id }: ListeningSession) {
  let handshake: Handshake | undefined;
  let caller: Caller | undefined;
  let isProved = false;

  function hello(params: unknown): object {
    const { protocols, nonce, client } = (params ?? {}) as { protocols?: unknown; nonce?: unknown; client?: unknown };
    if (!isNonce(nonce) || !Array.isArray(protocols)) return rejection(socketSentences.whoAreYou);
    const common = socketProtocols.filter((version) => protocols.includes(version));
    if (common.length === 0) {
      const isNewer = protocols.some((version) => Number(version) > Math.max(...socketProtocols));
      return rejection(socketSentences[isNewer ? "serverTooOld" : "agentTooOld"](session.version));
    }
    caller = readCaller(client);
    if (caller === undefined) return rejection(socketSentences.badAgent);
    handshake = { secret, session: id, agentNonce: nonce, serverNonce: makeNonce() };
    const proof = proofOf("server", handshake);
    return { protocol: Math.max(...common), nonce: handshake.serverNonce, proof, version: session.version };
  }

  return {
    /** The agent, once it has shown that it knows the secret; `undefined`: it has not. */
    caller: () => (isProved ? caller : undefined),
    /** The answer to a request that came before the proof; after an error the connection needs to end. */
    answer(method: string, params: unknown): object {
      if (method === "initialize") return hello(params);
      if (method !== "multiEdit/prove" || handshake === undefined) return rejection(socketSentences.whoAreYou);
      const { proof } = (params ?? {}) as { proof?: unknown };
      isProved = isProof("agent", handshake, proof);
      return isProved ? {} : rejection(socketSentences.notProved);
    },
  };
}
