/**
 * The test's end of a socket to which the tap and the driver inside an editor connect; it carries one JSON value per
 * line.
 */
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

/** The socket and its connections. */
export interface Link {
  /** Path of the Unix socket, short enough for every system. */
  readonly path: string;
  /** The next connection whose first line has this key; other connections are kept until the test asks for them. */
  next(hello: string): Promise<Line>;
  close(): void;
}

/** A connection. */
export interface Line {
  /** Its first line. */
  readonly hello: Readonly<Record<string, unknown>>;
  send(value: unknown): void;
  /** Receives all further lines, including any that have already arrived. Call it only once. */
  listen(take: (value: unknown) => void): void;
}

/** Listens on a socket. */
export async function openLink(path: string): Promise<Link> {
  const waiting: Line[] = [];
  const wanted: { readonly hello: string; readonly take: (line: Line) => void }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // Killing an editor resets the connection; a test that waits for the editor learns of its end in another way.
    socket.on("error", () => undefined);
    whenHello(socket, (line) => {
      const index = wanted.findIndex(({ hello }) => hello in line.hello);
      if (index === -1) waiting.push(line);
      else wanted.splice(index, 1)[0]?.take(line);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    path,
    next: (hello) => {
      const index = waiting.findIndex((line) => hello in line.hello);
      if (index !== -1) return Promise.resolve(waiting.splice(index, 1)[0]!);
      return new Promise((take) => wanted.push({ hello, take }));
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function whenHello(socket: Socket, greet: (line: Line) => void): void {
  const early: unknown[] = [];
  let take: ((value: unknown) => void) | undefined;
  let isGreeted = false;
  // The interface re-emits the socket's errors, which need no handling.
  const lines = createInterface({ input: socket }).on("error", () => undefined);
  lines.on("line", (text) => {
    const value = JSON.parse(text);
    if (!isGreeted) {
      isGreeted = true;
      greet({
        hello: value,
        send: (message) => void socket.write(`${JSON.stringify(message)}\n`),
        listen: (taker) => {
          for (const one of early.splice(0)) taker(one);
          take = taker;
        },
      });
    } else if (take === undefined) early.push(value);
    else take(value);
  });
}

/** Calls functions inside an editor: sends `{id, method, params}`, and receives `{id, result}` or `{id, error}`. */
export interface Remote {
  call(method: string, params?: unknown): Promise<unknown>;
  /** Calls a function without waiting for an answer. */
  tell(method: string, params?: unknown): void;
}

/**
 * Connects to the driver in an editor. If a call is not answered in time, its promise is rejected with an error that
 * names the call.
 */
export function remoteOf(line: Line, patience = 20_000): Remote {
  const pending = new Map<number, (answer: { result?: unknown; error?: string }) => void>();
  let last = 0;
  line.listen((value) => {
    // Only our own drivers connect here, and they send nothing else.
    const answer = value as { id: number; result?: unknown; error?: string };
    pending.get(answer.id)?.(answer);
    pending.delete(answer.id);
  });
  return {
    tell: (method, params = {}) => line.send({ id: ++last, method, params }),
    call: (method, params = {}) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        const late = setTimeout(() => {
          pending.delete(id);
          reject(new Error(`the editor does not answer to ${method} ${JSON.stringify(params).slice(0, 200)}`));
        }, patience);
        pending.set(id, ({ result, error }) => {
          clearTimeout(late);
          if (error === undefined) resolve(result);
          else reject(new Error(`${method}: ${error}`));
        });
        line.send({ id, method, params });
      }),
  };
}
