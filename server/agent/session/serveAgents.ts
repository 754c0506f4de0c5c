/** Opens an editor's session to the user's agents until the process ends: creates the socket and admits the agents. */
import { randomBytes } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { hostname } from "node:os";
import { type CancellationToken, createMessageConnection, NullLogger, ResponseError } from "vscode-jsonrpc/node";
import { serveRequest } from "../../lsp/requests.js";
import type { Session } from "../../lsp/session.js";
import { streamChannel } from "../../lsp/wire/channel.js";
import { createGate } from "../../lsp/wire/gate.js";
import { limits } from "../../text/limits.js";
import { isInside, pathOfSyncedUri } from "../../workspace/pathText.js";
import { processStart, realOwners } from "../../workspace/process.js";
import { inServerFolder, makePrivate } from "../../workspace/serverFolder.js";
import { editorName, sessionLog, socketSentences } from "../sentences.js";
import { listen } from "./address.js";
import { announcedGates, gatesToAnnounce, warningsAbout } from "./gates.js";
import { createHandshaker, makeNonce, rejection, socketProtocols } from "./handshake.js";
import { type ClosedRecord, recordPath, removeQuietly, type SessionRecord, writeRecord } from "./record.js";
import { canonicalPaths, openElsewhere } from "./selectSession.js";

/**
 * Opens the socket and announces the session; if either fails, the log says why. Agents may send the same requests as
 * the editor, but the server itself applies the edits in their calls. If agents may not use the session, or can't, it is
 * announced as closed, so that nobody else changes its files.
 */
export async function serveAgents(session: Session): Promise<void> {
  const sessions = inServerFolder("sessions");
  const id = randomBytes(6).toString("hex");
  const secret = makeNonce();
  let access: Access | undefined;
  const announce = (): void => {
    if (access === undefined) return;
    try {
      writeRecord(sessions, toRecord(session, outside.paths(), id, access));
    } catch (error) {
      session.log("warn", sessionLog.notAnnounced(error));
    }
  };
  const outside = await watchOutside(session, announce);
  const caller = { name: "multi-edit-language-server", version: session.version };
  session.openElsewhere = (paths) => {
    for (const warning of warningsAbout(sessions, paths)) session.log("warn", warning);
    return openElsewhere(paths, sessions, caller, id);
  };
  session.otherGates = () => announcedGates(sessions, id);
  const problem = makePrivate(sessions);
  if (problem !== undefined) return session.log("warn", sessionLog.unreachable(problem));
  const bound = session.settings.agent.enabled ? await openSocket(session, { sessions, id, secret }) : undefined;
  if (bound?.ok === true) access = { address: bound.address.name, secret };
  else access = { closed: bound === undefined ? "switchedOff" : "unreachable" };
  announce();
  if (bound?.ok === false) session.log("warn", sessionLog.unreachable(bound.problem));
  else session.log("info", bound === undefined ? sessionLog.switchedOff(id) : sessionLog.reachable(id));
  session.announcedChanged = announce;
  session.foldersChanged = () => {
    announce();
    void outside.foldersChanged();
  };
  renew(announce);
  // Runs however the process exits, unless an uncaught signal kills it.
  process.on("exit", () => {
    removeQuietly(recordPath(sessions, id));
    if (bound?.ok === true) bound.close();
  });
}

/** The way to a session, or the reason why agents have none. */
type Access = Pick<SessionRecord, "address" | "secret"> | Pick<ClosedRecord, "closed">;

/** Announces the session again and again, so that others see that it lives, and a removed record comes back. */
function renew(announce: () => void): void {
  setTimeout(() => {
    announce();
    renew(announce);
  }, limits.recordRenewedMs).unref();
}

/** Creates the session's socket. `close` removes it. */
async function openSocket(session: Session, own: { sessions: string; id: string; secret: string }) {
  const { sessions, id, secret } = own;
  const server = createServer({ allowHalfOpen: true }, (socket) => serveAgent(socket, { session, secret, id }));
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

/**
 * Keeps a list of the files that a session has open outside its folders, and calls `changed` when the list may have
 * changed. `paths` returns the files' canonical paths; `foldersChanged` must be called whenever the folders change.
 */
async function watchOutside(session: Session, changed: () => void) {
  /** Canonical paths of all open documents, by URI; `undefined` if the path is not known yet or there is no file. */
  const files = new Map<string, string | undefined>();
  let folders: readonly string[] = [];
  const isOutside = (path: string | undefined): path is string =>
    path !== undefined && !folders.some((folder) => isInside(folder, path));

  async function addFile(uri: string): Promise<void> {
    files.set(uri, undefined);
    const [file] = await canonicalPaths([pathOfSyncedUri(uri)]);
    if (!files.has(uri)) return; // The document was closed in the meantime.
    files.set(uri, file);
    if (isOutside(file)) changed();
  }

  function removeFile(uri: string): void {
    const file = files.get(uri);
    files.delete(uri);
    if (isOutside(file)) changed();
  }

  async function foldersChanged(): Promise<void> {
    folders = await canonicalPaths(session.folders.map(({ path }) => path));
    changed();
  }

  session.documents.onChange((uri) => {
    const isOpen = session.documents.get(uri) !== undefined;
    if (isOpen && !files.has(uri)) void addFile(uri);
    if (!isOpen && files.has(uri)) removeFile(uri);
  });
  await foldersChanged();
  await Promise.all(session.documents.all().map(({ uri }) => addFile(uri)));
  return { paths: () => [...new Set([...files.values()].filter(isOutside))], foldersChanged };
}

/**
 * Builds the session's record. If it would be too large, lists no folders, which tells agents that any file may be open,
 * and demands the user's consent to every change.
 */
function toRecord(
  session: Session,
  outside: readonly string[],
  id: string,
  access: Access,
): SessionRecord | ClosedRecord {
  const record = {
    format: 1 as const,
    id,
    ...access,
    pid: process.pid,
    processStart: processStart(process.pid),
    host: hostname(),
    owner: realOwners().self,
    folders: session.folders.map(({ uri, path }) => ({ uri, path })),
    outside,
    gates: gatesToAnnounce(session.settings),
    client: editorName(session.client).slice(0, 200),
    version: session.version,
    protocols: socketProtocols,
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
  };
  const isFitting = Buffer.byteLength(JSON.stringify(record)) <= mostRecordBytes;
  return isFitting ? record : { ...record, folders: [], outside: [], gates: { confirm: "always", everywhere: true } };
}

const mostRecordBytes = limits.sessionRecordBytes - 1024;

/** The parts of a session that its connections need. */
interface ListeningSession {
  readonly session: Session;
  readonly secret: string;
  readonly id: string;
}

/** Serves one agent. Answers only the handshake until both sides have proved that they know the secret. */
function serveAgent(socket: Socket, listening: ListeningSession): void {
  const { session } = listening;
  const handshaker = createHandshaker({ ...listening, version: session.version });
  const late = setTimeout(() => socket.destroy(), limits.helloMs);
  let running = 0;
  let receivedBytes = 0;

  function leave(): void {
    channel.stop();
    // An agent that does not close its end of the connection must not keep other agents out.
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
    // The library cancels a request when the agent asks for it, but not when the agent disconnects.
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
