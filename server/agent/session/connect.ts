/** An agent's end of a session's socket: connects, has the session show that it is the announced one, and asks. */
import { createConnection, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  type CancellationToken,
  CancellationTokenSource,
  type MessageConnection,
  ResponseError,
} from "vscode-jsonrpc/node";
import type { Unreached } from "../../disk/sentences.js";
import type { Caller } from "../../lsp/protocol.js";
import { limits } from "../../text/limits.js";
import { codeOf } from "../../workspace/identity.js";
import { type Handshake, isProof, makeNonce, proofOf, socketProtocols } from "./handshake.js";
import type { SessionRecord } from "./record.js";
import { openWire } from "./wire.js";

/** A session that was reached. */
export interface Reached {
  readonly record: SessionRecord;
  /** Version of the language server, as it says itself. */
  readonly version: string;
  /** Answers as the session does; rejects with `ResponseError` where it does, and with `ConnectionLost`. */
  request(method: string, params: unknown, token?: CancellationToken): Promise<unknown>;
  close(): void;
}

/** A session, or why it was not reached. */
export type Connected =
  | { readonly ok: true; readonly session: Reached }
  | { readonly ok: false; readonly why: Unreached };

/** The connection ended before the answer came, so that nobody knows what became of the request. */
export class ConnectionLost extends Error {}

/**
 * Connects to an announced session within some milliseconds, as this caller; never throws. A session that has no place is
 * asked again until there is no time left.
 */
export async function connect(
  record: SessionRecord,
  caller: Caller,
  patience: number = limits.connectMs,
): Promise<Connected> {
  const until = performance.now() + patience;
  for (;;) {
    const tried = await attempt(record, caller, until);
    if (tried !== "cutOff") return tried;
    if (performance.now() >= until) return { ok: false, why: { kind: "silent", seconds: patience / 1000 } };
    await delay(retryMs);
  }
}

const retryMs = 50;

/** `cutOff`: the connection was not accepted, or ended before the session had answered. */
async function attempt(record: SessionRecord, caller: Caller, until: number): Promise<Connected | "cutOff"> {
  const opened = await openSocket(record.address);
  if (!opened.ok) return opened.code === "EAGAIN" ? "cutOff" : { ok: false, why: unreached(opened.code) };
  const { socket } = opened;
  const ends = createEnds(socket);
  const timer = setTimeout(() => socket.destroy(), Math.max(0, until - performance.now()));
  try {
    const greeted = await shakeHands(record, caller, ends.request);
    const { request } = ends;
    if (greeted.ok)
      return { ok: true, session: { record, version: greeted.version, request, close: () => socket.destroy() } };
    socket.destroy();
    return greeted;
  } catch (error) {
    socket.destroy();
    return error instanceof ResponseError ? { ok: false, why: { kind: "refused", message: error.message } } : "cutOff";
  } finally {
    clearTimeout(timer);
  }
}

type Opened = { readonly ok: true; readonly socket: Socket } | { readonly ok: false; readonly code: string };

function openSocket(address: string): Promise<Opened> {
  return new Promise((resolve) => {
    const socket = createConnection({ path: address });
    socket.once("connect", () => resolve({ ok: true, socket }));
    socket.once("error", (error) => resolve({ ok: false, code: codeOf(error) }));
  });
}

function unreached(code: string): Unreached {
  const isForbidden = code === "EPERM" || code === "EACCES";
  return isForbidden ? { kind: "forbidden", code, sandbox: isInSandbox() } : { kind: "absent", code };
}

/** Codex says so to the commands that it starts; other sandboxes say nothing. */
function isInSandbox(): boolean {
  return process.env.CODEX_SANDBOX_NETWORK_DISABLED === "1";
}

interface Ends {
  readonly request: Reached["request"];
}

function createEnds(socket: Socket): Ends {
  const lost = new Set<(error: Error) => void>();
  let isLost = false;
  const lose = (): void => {
    isLost = true;
    for (const reject of lost) reject(new ConnectionLost());
    lost.clear();
  };
  socket.on("error", () => undefined);
  socket.on("close", lose);
  const wire = openWire(
    socket,
    {
      receive: (message, deliver) => {
        if (isResponse(message)) deliver(message);
      },
      receiveUnreadable: () => undefined,
      sending: () => undefined,
      ended: () => socket.destroy(),
    },
    (connection: MessageConnection) => connection.onNotification(() => undefined),
  );
  return {
    request(method, params, token = new CancellationTokenSource().token) {
      if (isLost) return Promise.reject(new ConnectionLost());
      return new Promise((resolve, reject) => {
        lost.add(reject);
        wire.connection
          .sendRequest(method, params, token)
          .then(resolve, reject)
          .finally(() => lost.delete(reject));
      });
    },
  };
}

/** The library takes any message for what it looks like; a session has nothing to ask of an agent. */
function isResponse(message: unknown): message is { jsonrpc: "2.0" } {
  return typeof message === "object" && message !== null && "id" in message && !("method" in message);
}

type Greeted = { readonly ok: true; readonly version: string } | { readonly ok: false; readonly why: Unreached };

/** The session proves itself first, so that whoever has taken its place learns nothing. */
async function shakeHands(record: SessionRecord, caller: Caller, request: Reached["request"]): Promise<Greeted> {
  const agentNonce = makeNonce();
  const hello = await request("initialize", { protocols: socketProtocols, nonce: agentNonce, client: caller });
  const answer = (typeof hello === "object" ? hello : undefined) as
    | { nonce?: unknown; proof?: unknown; version?: unknown }
    | null
    | undefined;
  const handshake: Handshake = {
    secret: record.secret,
    session: record.id,
    agentNonce,
    serverNonce: String(answer?.nonce),
  };
  if (!isProof("server", handshake, answer?.proof)) return { ok: false, why: { kind: "impostor" } };
  await request("multiEdit/prove", { proof: proofOf("agent", handshake) });
  return { ok: true, version: String(answer?.version).slice(0, 100) };
}
