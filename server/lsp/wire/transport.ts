/** Connects the language server to its client: over which channel, through the gate, and until when. */
import { connect as connectSocket, type NetConnectOpts, type Socket } from "node:net";
import { constants } from "node:os";
import { createConnection } from "vscode-languageserver";
import { type Connection, createProtocolConnection, type Logger, type Message } from "vscode-languageserver/node";
import { limits } from "../../text/limits.js";
import { type Channel, parentChannel, streamChannel } from "./channel.js";
import { createGate } from "./gate.js";
import { type LogLevel, type Note, noteOnStderr, shorten, surviveThrows, takeStdout, watchClient } from "./lifetime.js";
import { createReader, createWriter } from "./rpcStreams.js";

/** How the client is reached; the server connects to a socket or pipe on which the client listens. */
export type Transport =
  | { readonly kind: "stdio" }
  | { readonly kind: "node-ipc" }
  | { readonly kind: "socket"; readonly port: number }
  | { readonly kind: "pipe"; readonly path: string };

/** How the server was started. */
export interface ServeOptions {
  readonly transport: Transport;
  /** Process to end with, besides the one that `initialize` names. */
  readonly clientProcessId: number | undefined;
  /** Up to which level stderr hears of the connection itself. `undefined`: `warn`. */
  readonly logLevel: LogLevel | undefined;
}

/**
 * Serves one client until it ends the connection, then ends the process: with 0 after `shutdown`, else with 1.
 * `register` adds the handlers. Everything that is cleaned up belongs into a listener of the process's `exit`.
 */
export async function serve(options: ServeOptions, register: (connection: Connection) => void): Promise<void> {
  const note = noteOnStderr(options.logLevel);
  surviveThrows(note);
  let channel: Channel;
  try {
    channel = await openChannel(options.transport);
  } catch (error) {
    note("error", error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
  const watched = new Set<number>();
  function watch(processId: number): void {
    if (watched.has(processId)) return;
    watched.add(processId);
    watchClient(processId, { gone: () => session.leave(), note });
  }
  const session = openSession(channel, { exit: (code) => process.exit(code), note, watch });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => session.leave(128 + constants.signals[signal]));
  }
  if (options.clientProcessId !== undefined) watch(options.clientProcessId);
  register(session.connection);
  session.connection.listen();
}

/** What a session needs of its process. */
export interface SessionHost {
  /** Called when the session is over; expected not to return. */
  exit(code: number): void;
  readonly note: Note;
  /** Takes the process id that `initialize` names. */
  watch(processId: number): void;
}

/** One client's connection and its end. */
export interface Session {
  /** Not listening yet. */
  readonly connection: Connection;
  /**
   * Ends the session once its requests are answered and sent, or after `limits.exitGraceMs`; called again with a code,
   * at once. The code is by default 0 after `shutdown`, else 1.
   */
  leave(code?: number): void;
}

/** Builds the connection on a channel, behind the gate. */
export function openSession(channel: Channel, host: SessionHost): Session {
  const { note } = host;
  let leaving = false;
  let toLibrary = (_message: Message): void => {};

  const gate = createGate({
    deliver(message) {
      try {
        toLibrary(message);
      } catch (error) {
        note("error", `a message was lost: ${String(error)}`);
      }
    },
    reply: (message) => channel.send(message),
    dropped: (why) => note("debug", why),
  });

  const watchDog = {
    shutdownReceived: false,
    initialize(params: { processId: number | null }) {
      if (typeof params.processId === "number") host.watch(params.processId);
    },
    exit: () => leave(),
  };

  function endOfInput(fault: string | undefined): void {
    if (fault !== undefined) note("error", `the input is not the language server protocol: ${fault}`);
    leave(fault === undefined ? undefined : 1);
  }

  function leave(code?: number): void {
    if (leaving) {
      if (code !== undefined) host.exit(code);
      return;
    }
    leaving = true;
    channel.stop();
    gate.abandonClient();
    const grace = new Promise((resolve) => setTimeout(resolve, limits.exitGraceMs));
    const settled = channel.isBroken() ? undefined : gate.whenAnswered().then(channel.whenFlushed);
    void Promise.race([grace, settled]).then(() => host.exit(code ?? (watchDog.shutdownReceived ? 0 : 1)));
  }

  const reader = createReader((callback) => {
    toLibrary = callback;
    channel.listen({ message: gate.receive, unreadable: gate.receiveUnreadable, end: endOfInput });
    return { dispose: channel.stop };
  });
  const writer = createWriter(channel, gate.sending);
  const connection = createConnection(
    (logger) => createProtocolConnection(reader, writer, shortLogger(logger)),
    watchDog,
  );
  return { connection, leave };
}

/** What the library logs may quote a message at any length. */
function shortLogger(logger: Logger): Logger {
  return {
    error: (text) => logger.error(shorten(text)),
    warn: (text) => logger.warn(shorten(text)),
    info: (text) => logger.info(shorten(text)),
    log: (text) => logger.log(shorten(text)),
  };
}

async function openChannel(transport: Transport): Promise<Channel> {
  // On the other channels too, an editor may show whatever stdout says as an error.
  const stdout = takeStdout();
  switch (transport.kind) {
    case "stdio":
      return streamChannel(process.stdin, stdout);
    case "node-ipc": {
      const send = process.send?.bind(process);
      if (send === undefined) throw new Error("--node-ipc needs a parent process with an IPC channel");
      return parentChannel({
        send: (message, handle, options, done) => send(message, handle, options, done),
        on: (event: string, listener: (message: unknown) => void) => process.on(event, listener),
        off: (event, listener) => process.off(event, listener),
      });
    }
    case "socket":
      return connectTo({ host: "127.0.0.1", port: transport.port }, `port ${transport.port} of this machine`);
    case "pipe": {
      const most = process.platform === "linux" ? limits.linuxSocketPathBytes : limits.bsdSocketPathBytes;
      if (process.platform !== "win32" && Buffer.byteLength(transport.path) > most) {
        throw new Error(`the path of a socket has at most ${most} bytes here`);
      }
      return connectTo({ path: transport.path }, "the given pipe");
    }
  }
}

async function connectTo(address: NetConnectOpts, name: string): Promise<Channel> {
  // A client that has said all it wants to say may still read its answers.
  const socket = connectSocket({ ...address, allowHalfOpen: true });
  await new Promise<Socket>((resolve, reject) => {
    socket.once("connect", () => resolve(socket));
    socket.once("error", (error) => reject(new Error(`can't connect to ${name}: ${error.message}`)));
  });
  return streamChannel(socket, socket);
}
