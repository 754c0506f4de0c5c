/** Connects the language server to its client: opens the channel, installs the gate, and ends the connection. */
import { once } from "node:events";
import { connect as connectSocket, type NetConnectOpts } from "node:net";
import { constants } from "node:os";
import { createConnection } from "vscode-languageserver";
import { type Connection, createProtocolConnection, type Logger } from "vscode-languageserver/node";
import { limits } from "../../text/limits.js";
import { type Channel, parentChannel, streamChannel } from "./channel.js";
import { createGate } from "./gate.js";
import { type Note, noteOnStderr, shorten, surviveThrows, takeStdout, watchClient } from "./lifetime.js";
import type { LogLevel } from "./logLevel.js";
import { connectionSentences } from "./sentences.js";

/** The kind of channel to the client. For a socket or a pipe, the client listens and the server connects. */
export type Transport =
  | { readonly kind: "stdio" }
  | { readonly kind: "node-ipc" }
  | { readonly kind: "socket"; readonly port: number }
  | { readonly kind: "pipe"; readonly path: string };

/** The server's startup options. */
export interface ServeOptions {
  readonly transport: Transport;
  /** Id of a process whose exit also makes the server exit. `initialize` may name another such process. */
  readonly clientProcessId: number | undefined;
  /** Most verbose level of the log on stderr, which covers the connection and the process; `undefined` means `warn`. */
  readonly logLevel: LogLevel | undefined;
}

/** Serves one client, then exits: with 0 after `shutdown`, else 1. All cleanup belongs in an `exit` listener. */
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
    watchClient(processId, { gone: () => client.leave(), note });
  }
  const client = openClientConnection(channel, { exit: (code) => process.exit(code), note, watch });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => client.leave(128 + constants.signals[signal]));
  }
  if (options.clientProcessId !== undefined) watch(options.clientProcessId);
  register(client.connection);
  client.connection.listen();
}

/** The process that serves a connection. */
export interface ConnectionHost {
  /** Ends the process. Called when the connection has ended; expected not to return. */
  exit(code: number): void;
  readonly note: Note;
  /** Called with the process id that `initialize` names. */
  watch(processId: number): void;
}

/** Builds the connection over a channel, with the gate between them. The connection is not listening yet. */
export function openClientConnection(channel: Channel, host: ConnectionHost) {
  const { note } = host;
  let leaving = false;

  const gate = createGate(channel, note, (fault) => {
    if (fault !== undefined) note("error", connectionSentences.noProtocol(fault));
    leave(fault === undefined ? undefined : 1);
  });

  const watchDog = {
    shutdownReceived: false,
    initialize(params: { processId: number | null }) {
      if (typeof params.processId === "number") host.watch(params.processId);
    },
    exit: () => leave(),
  };

  /** Ends the process once all is answered, or after `limits.exitGraceMs`; at once if called again with a code. */
  function leave(code?: number): void {
    if (leaving) {
      if (code !== undefined) host.exit(code);
      return;
    }
    leaving = true;
    channel.stop();
    gate.abandonClient();
    const grace = new Promise((resolve) => setTimeout(resolve, limits.exitGraceMs));
    const settled = channel.isBroken() ? undefined : gate.whenAnswered();
    void Promise.race([grace, settled]).then(() => host.exit(code ?? (watchDog.shutdownReceived ? 0 : 1)));
  }

  const connection = createConnection(
    (logger) => createProtocolConnection(gate.reader, gate.writer, shortLogger(logger)),
    watchDog,
  );
  return { connection, leave };
}

/** Truncates the library's log entries, which may quote a message of any length. */
function shortLogger(logger: Logger): Logger {
  return {
    error: (text) => logger.error(shorten(text)),
    warn: (text) => logger.warn(shorten(text)),
    info: (text) => logger.info(shorten(text)),
    log: (text) => logger.log(shorten(text)),
  };
}

async function openChannel(transport: Transport): Promise<Channel> {
  // Reserve stdout even when another channel is used, because an editor may show output on stdout as an error.
  const stdout = takeStdout();
  switch (transport.kind) {
    case "stdio":
      return streamChannel(process.stdin, stdout);
    case "node-ipc": {
      const channel = parentChannel();
      if (channel === undefined) throw new Error(connectionSentences.noParent);
      return channel;
    }
    case "socket":
      return connectTo({ host: "127.0.0.1", port: transport.port }, connectionSentences.port(transport.port));
    case "pipe": {
      const most = process.platform === "linux" ? limits.linuxSocketPathBytes : limits.bsdSocketPathBytes;
      if (process.platform !== "win32" && Buffer.byteLength(transport.path) > most) {
        throw new Error(connectionSentences.longPath(most));
      }
      return connectTo({ path: transport.path }, connectionSentences.pipe);
    }
  }
}

async function connectTo(address: NetConnectOpts, name: string): Promise<Channel> {
  // A client that has nothing more to send may still be reading its answers.
  const socket = connectSocket({ ...address, allowHalfOpen: true });
  await once(socket, "connect").catch((error: Error) => {
    throw new Error(connectionSentences.unreached(name, error.message));
  });
  return streamChannel(socket, socket);
}
