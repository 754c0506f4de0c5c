/** Opens an editor's session to the user's agents until the process ends: creates the socket and admits the agents. */
import { randomBytes } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { hostname } from "node:os";
import {
  type CancellationToken,
  createMessageConnection,
  type MessageConnection,
  NullLogger,
  ResponseError,
} from "vscode-jsonrpc/node";
import { cancelled } from "../lsp/apply/applyLoop.js";
import { hasNewsForWriters } from "../lsp/diagnostics/ownWrites.js";
import { toErrorData } from "../lsp/edit/result.js";
import { type AskingParams, agentMethods, agentNotifications, type Caller, methods } from "../lsp/protocol.js";
import { type IncomingRequest, serveRequest } from "../lsp/requests.js";
import { cancellation, createTurns, nobody, type OnWaiting, type Session, type Share } from "../lsp/session.js";
import { type Channel, streamChannel } from "../lsp/wire/channel.js";
import { createGate } from "../lsp/wire/gate.js";
import { AnswerError, createCancelSource, errorCodes } from "../lsp/wire/rpc.js";
import { limits } from "../text/limits.js";
import { processStart, realOwners } from "../workspace/process.js";
import { inServerFolder, makePrivate } from "../workspace/serverFolder.js";
import { listen } from "./address.js";
import { announcedGates, gatesToAnnounce, warningsAbout } from "./gates.js";
import { createHandshaker, makeNonce, rejection, socketProtocols } from "./handshake.js";
import { openElsewhere } from "./holders.js";
import { type ClosedRecord, recordPath, removeQuietly, type SessionRecord, writeRecord } from "./record.js";
import { editorName, sessionLog, socketSentences } from "./sentences.js";
import { SharedCalls, type StartCall } from "./sharedCalls.js";
import { type WatchedFiles, watchFiles } from "./watchFiles.js";

/** Announces the session, open on a socket or closed, so that nobody else changes its files. The log has errors. */
export async function serveAgents(session: Session): Promise<void> {
  const sessions = inServerFolder("sessions");
  const id = randomBytes(6).toString("hex");
  const secret = makeNonce();
  let access: Access | undefined;
  const announce = (): void => {
    if (access === undefined) return;
    try {
      writeRecord(sessions, toRecord(session, files, id, access));
    } catch (error) {
      session.log("warn", sessionLog.notAnnounced(error));
    }
  };
  const files = await watchFiles(session, announce);
  const caller = { name: "multi-edit-language-server", version: session.version };
  session.outside = {
    gates: () => announcedGates(sessions, id),
    ask: nobody.ask,
    holders(paths) {
      for (const warning of warningsAbout(sessions, paths)) session.log("warn", warning);
      return openElsewhere(paths, sessions, caller, id);
    },
    changed(what) {
      announce();
      if (what === "folders") void files.foldersChanged();
    },
    saved: files.saved,
  };
  const problem = makePrivate(sessions);
  if (problem !== undefined) return session.log("warn", sessionLog.unreachable(problem));
  let bound: Awaited<ReturnType<typeof openSocket>> | undefined;
  const open = async (): Promise<void> => {
    bound = session.settings.agent.enabled ? await openSocket(session, { sessions, id, secret }) : undefined;
    if (bound?.ok === true) access = { address: bound.address.name, secret };
    else access = { closed: bound === undefined ? "switchedOff" : "unreachable" };
    announce();
    if (bound?.ok === false) session.log("warn", sessionLog.unreachable(bound.problem));
    else session.log("info", bound === undefined ? sessionLog.switchedOff(id) : sessionLog.reachable(id));
  };
  await open();
  renew(async () => {
    files.checkUnsaved();
    // Somebody, such as a program that cleans up, may have removed the folder with the record, the socket, or both.
    if (makePrivate(sessions) !== undefined) return;
    if (bound?.ok !== true || !bound.address.isGone()) return announce();
    bound.close();
    await open();
  });
  // Runs however the process exits, unless an uncaught signal kills it.
  process.on("exit", () => {
    removeQuietly(recordPath(sessions, id));
    if (bound?.ok === true) bound.close();
  });
}

/** The way to a session, or the reason why agents have none. */
type Access = Pick<SessionRecord, "address" | "secret"> | Pick<ClosedRecord, "closed">;

/** Calls `announce` again and again, so that others see that the session lives, and what was removed comes back. */
function renew(announce: () => Promise<void>): void {
  setTimeout(() => void announce().then(() => renew(announce)), limits.recordRenewedMs).unref();
}

/** Creates the session's socket. `close` removes it. */
async function openSocket(session: Session, own: { sessions: string; id: string; secret: string }) {
  const { sessions, id, secret } = own;
  const agents: ListeningSession["agents"] = new Map();
  const listening: ListeningSession = { session, secret, id, agents, shared: new SharedCalls() };
  const server = createServer({ allowHalfOpen: true }, (socket) => serveAgent(socket, listening));
  server.maxConnections = limits.agentConnections;
  const bound = await listen(server, id, sessions);
  if (!bound.ok) return bound;
  // A failure to accept an agent affects only that agent.
  server.on("error", (error) => session.log("warn", sessionLog.socketError(error)));
  const close = (): void => {
    server.close();
    bound.address.remove();
  };
  return { ...bound, close };
}

/** Builds the record. One too large lists no folders, so any file may be open, and demands consent to all. */
function toRecord(session: Session, files: WatchedFiles, id: string, access: Access): SessionRecord | ClosedRecord {
  const record = {
    format: 1 as const,
    id,
    ...access,
    pid: process.pid,
    processStart: processStart(process.pid),
    host: hostname(),
    owner: realOwners().self,
    folders: session.folders.map(({ uri, path }) => ({ uri, path })),
    outside: [...files.outside()],
    unsaved: [...files.unsaved()],
    gates: gatesToAnnounce(session.settings),
    ...(hasNewsForWriters(session) ? { tellsWriters: true } : {}),
    client: editorName(session.client).slice(0, 200),
    version: session.version,
    protocols: socketProtocols,
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
  };
  const isFitting = (one: object): boolean => Buffer.byteLength(JSON.stringify(one)) <= mostRecordBytes;
  if (isFitting(record)) return record;
  const { unsaved: _, ...shorter } = record;
  if (isFitting(shorter)) return shorter;
  return { ...shorter, folders: [], outside: [], gates: { confirm: "always", everywhere: true } };
}

const mostRecordBytes = limits.sessionRecordBytes - 1024;

/** The parts of a session that its connections need. */
interface ListeningSession {
  readonly session: Session;
  readonly secret: string;
  readonly id: string;
  /** The connected agents, by id or, if they have none, by name. */
  readonly agents: Map<string, ConnectedAgent>;
  /** The calls that may wait for the user. */
  readonly shared: SharedCalls<unknown>;
}

interface ConnectedAgent {
  readonly channels: Set<Channel>;
  readonly share: Share;
}

/** Creates an agent's share. The agent gets no more turns while its unread answers are larger than the limit. */
function connectedAgent(): ConnectedAgent {
  const channels = new Set<Channel>();
  const room = (): Promise<void> | undefined => {
    // A broken channel may keep its backlog, but nothing more will be taken, so there is nothing to wait for.
    const lagging = [...channels].filter((channel) => channel.backlog() > 0 && !channel.isBroken());
    const unread = lagging.reduce((sum, channel) => sum + channel.backlog(), 0);
    return unread <= limits.outputBacklogBytes ? undefined : Promise.race(lagging.map((one) => one.whenFlushed()));
  };
  return { channels, share: { room, inTurn: createTurns() } };
}

/** Serves one agent. Answers only the handshake until both sides have proved that they know the secret. */
function serveAgent(socket: Socket, listening: ListeningSession): void {
  const handshaker = createHandshaker({ ...listening, version: listening.session.version });
  const late = setTimeout(() => socket.destroy(), limits.helloMs);
  let running = 0;
  let receivedBytes = 0;
  let forget = (): void => {};

  function leave(): void {
    channel.stop();
    // An agent that does not close its end of the connection must not keep other agents out.
    void gate.whenAnswered().then(() => socket.destroySoon());
  }

  async function answer(method: string, params: unknown, token: CancellationToken): Promise<unknown> {
    const caller = handshaker.caller();
    if (caller === undefined) return greet(method, params);
    if (running >= limits.agentRequests) return refused(rejection(socketSentences.busy(limits.agentRequests)));
    running += 1;
    try {
      const tellWaiting = (waiting: boolean): void => tell(connection, agentNotifications.asking, { waiting });
      const request = { method, params, applier: "server", caller, share: agentOf(caller).share } as const;
      return await serveShared(listening, request, { token, onWaiting: tellWaiting });
    } finally {
      running -= 1;
    }
  }

  function agentOf({ agent, name }: Caller): ConnectedAgent {
    const key = agent ?? name;
    const found = listening.agents.get(key) ?? connectedAgent();
    listening.agents.set(key, found);
    found.channels.add(channel);
    forget = () => {
      found.channels.delete(channel);
      if (found.channels.size === 0) listening.agents.delete(key);
    };
    return found;
  }

  function greet(method: string, params: unknown): object {
    const greeting = handshaker.answer(method, params);
    if (handshaker.caller() !== undefined) clearTimeout(late);
    if (!(greeting instanceof AnswerError)) return greeting;
    setImmediate(leave);
    return refused(greeting);
  }

  socket.on("error", () => undefined);
  socket.on("data", (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes > limits.helloBytes && handshaker.caller() === undefined) socket.destroy();
  });
  // An agent that has ended looks like one that has only closed its side, until something is sent to it.
  socket.on("end", () => running > 0 && tell(connection, agentNotifications.alive, {}));
  socket.on("close", () => {
    clearTimeout(late);
    // The library cancels a request when the agent asks for it, but not when the agent disconnects.
    gate.cancelRequests();
    connection.dispose();
    forget();
  });
  const channel = streamChannel(socket, socket);
  // An agent that does not read its answers is idle, too.
  socket.setTimeout(limits.agentIdleMs, () => (running === 0 || channel.backlog() > 0) && socket.destroy());
  const gate = createGate(channel, (level, text) => listening.session.log(level, sessionLog.fromAgent(text)), leave);
  const connection = createMessageConnection(gate.reader, gate.writer, NullLogger);
  connection.onRequest((method, params, token) => answer(method, params, token));
  connection.onNotification(() => undefined);
  connection.listen();
}

/** The methods of calls that may wait for the user. */
const asking: ReadonlySet<string> = new Set([methods.apply, methods.undo, agentMethods.confirm]);

/** Serves a request, or returns the answer to an equal call of the same agent about which the user is asked. */
async function serveShared(
  { session, shared }: ListeningSession,
  request: IncomingRequest & { readonly caller: Caller },
  { token, onWaiting }: { readonly token: CancellationToken; readonly onWaiting: OnWaiting },
): Promise<unknown> {
  const { method, params, caller } = request;
  const serve = (token: CancellationToken, onWaiting: OnWaiting): Promise<unknown> => {
    // A question for another process is about nothing but waiting.
    const isQuestion = method === agentMethods.confirm;
    if (isQuestion) onWaiting(true);
    const answer = serveRequest(session, { ...request, onWaiting }, token, ResponseError);
    return answer.finally(() => isQuestion && onWaiting(false));
  };
  if (caller.agent === undefined || !asking.has(method)) return serve(token, onWaiting);
  const left = new AbortController();
  void cancellation(token).then(() => left.abort());
  const begin: StartCall<unknown> = (signal, tell) => {
    const source = createCancelSource();
    signal.addEventListener("abort", () => source.cancel());
    return serve(source.token, tell);
  };
  const call = await shared.enter(JSON.stringify([caller.agent, method, params]), begin, left.signal);
  const got = await shared.answerTo({ signal: left.signal, onWaiting }, call);
  if (got !== undefined) return got.answer;
  // The call goes on for another request.
  const refusal = cancelled();
  return new ResponseError(errorCodes.requestCancelled, refusal.message, toErrorData(refusal));
}

/** Sends a notification, unless the agent has ended. */
function tell(connection: MessageConnection, method: string, params: AskingParams | object): void {
  connection.sendNotification(method, params).catch(() => undefined);
}

/** Returns an error as the library expects it. */
const refused = ({ code, message }: AnswerError): object => new ResponseError(code, message);
