/** The agent's end of a session's socket: connects, verifies the session's identity, and sends requests. */
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Unreached } from "../disk/sentences.js";
import { agentNotifications, type Caller } from "../lsp/protocol.js";
import type { OnWaiting } from "../lsp/session.js";
import { streamChannel } from "../lsp/wire/channel.js";
import { AnswerError, createRequester, type SendRequest } from "../lsp/wire/rpc.js";
import { limits } from "../text/limits.js";
import { codeOf } from "../workspace/identity.js";
import { type Handshake, isProof, makeNonce, proofOf, socketProtocols } from "./handshake.js";
import type { SessionRecord } from "./record.js";

/** A connection to a session that has proved its identity. */
export interface SessionConnection {
  readonly record: SessionRecord;
  /** The version that the session's language server reports. */
  readonly version: string;
  /** Returns the answer. Rejects with `AnswerError`, or with `ConnectionLost` if no answer arrives. */
  readonly request: SendRequest;
  /** Sets the function that is called with `true` when a call waits for the user, and then with `false`. */
  whenWaiting(onWaiting: OnWaiting): void;
  close(): void;
}

/** A session, or the reason why it was not reached. */
export type ConnectResult<T = SessionConnection> =
  | { readonly ok: true; readonly session: T }
  | { readonly ok: false; readonly why: Unreached };

/** The error for a request whose connection closed before the answer arrived. */
export class ConnectionLost extends Error {
  constructor(
    /** `true` if the request still waited for the user, so it changed nothing; otherwise, its outcome is unknown. */
    readonly wasWaiting: boolean,
  ) {
    super();
  }
}

/** Connects within `patience` milliseconds as `caller`; tries again if the session is full. Never throws. */
export async function connect(
  record: SessionRecord,
  caller: Caller,
  patience: number = limits.connectMs,
): Promise<ConnectResult> {
  const until = performance.now() + patience;
  for (;;) {
    const result = await connectOnce(record, caller, until);
    if (result !== "cutOff") return result;
    if (performance.now() >= until) return { ok: false, why: { kind: "silent", seconds: patience / 1000 } };
    await delay(retryMs);
  }
}

const retryMs = 50;

/** Tries once to connect. Returns `cutOff` if the session did not accept, or closed without an answer. */
async function connectOnce(record: SessionRecord, caller: Caller, until: number): Promise<ConnectResult | "cutOff"> {
  const socket = createConnection({ path: record.address });
  const code = await once(socket, "connect").then(() => undefined, codeOf);
  if (code !== undefined) return code === "EAGAIN" ? "cutOff" : { ok: false, why: unreached(code) };
  const { request, whenWaiting } = requestsOver(socket);
  const close = (): void => void socket.destroy();
  const timer = setTimeout(close, Math.max(0, until - performance.now()));
  try {
    const version = await shakeHands(record, caller, request);
    if (version !== undefined) return { ok: true, session: { record, version, request, whenWaiting, close } };
    close();
    return { ok: false, why: { kind: "impostor" } };
  } catch (error) {
    close();
    return error instanceof AnswerError ? { ok: false, why: { kind: "refused", message: error.message } } : "cutOff";
  } finally {
    clearTimeout(timer);
  }
}

function unreached(code: string): Unreached {
  const isForbidden = code === "EPERM" || code === "EACCES";
  return isForbidden ? { kind: "forbidden", code, sandbox: isInCodexSandbox() } : { kind: "absent", code };
}

/** Reports whether this process runs in Codex's sandbox, which sets a variable. Other sandboxes can't be detected. */
export function isInCodexSandbox(): boolean {
  return process.env.CODEX_SANDBOX_NETWORK_DISABLED === "1";
}

function requestsOver(socket: Socket): Pick<SessionConnection, "request" | "whenWaiting"> {
  let onWaiting: OnWaiting = () => undefined;
  /** The numbers of requests without an answer, and of those that wait for the user. */
  let open = 0;
  let waiting = 0;
  const lost = new Promise<never>((_resolve, reject) =>
    socket.once("close", () => reject(new ConnectionLost(open > 0 && waiting >= open))),
  );
  lost.catch(() => undefined);
  socket.on("error", () => undefined);
  const request = createRequester(streamChannel(socket, socket), {
    notified: (method, params) => {
      if (method !== agentNotifications.asking) return;
      const isWaiting = Object(params).waiting === true;
      waiting += isWaiting ? 1 : -1;
      onWaiting(isWaiting);
    },
    end: () => socket.destroy(),
  });
  return {
    request: async (method, params, token) => {
      open++;
      try {
        return await Promise.race([lost, request(method, params, token)]);
      } finally {
        open--;
      }
    },
    whenWaiting: (act) => {
      onWaiting = act;
    },
  };
}

/** Performs the handshake: first the other side proves its identity. `undefined`: it is another session. */
async function shakeHands(record: SessionRecord, caller: Caller, request: SendRequest): Promise<string | undefined> {
  const agentNonce = makeNonce();
  const answer = await request("initialize", { protocols: socketProtocols, nonce: agentNonce, client: caller });
  const { nonce, proof, version } = Object(answer) as Record<"nonce" | "proof" | "version", unknown>;
  const handshake: Handshake = {
    secret: record.secret,
    session: record.id,
    agentNonce,
    serverNonce: String(nonce),
  };
  if (!isProof("server", handshake, proof)) return undefined;
  await request("multiEdit/prove", { proof: proofOf("agent", handshake) });
  return String(version).slice(0, 100);
}
