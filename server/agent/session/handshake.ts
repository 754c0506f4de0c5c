/**
 * A session's handshake: the agent gives its name, and each side proves that it knows a secret, which is never sent.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ResponseError } from "vscode-jsonrpc/node";
import type { Caller } from "../../lsp/protocol.js";
import { requestFailed } from "../../lsp/wire/sentences.js";
import { limits } from "../../text/limits.js";
import { namelessAgent, socketSentences } from "../sentences.js";
import { isAgentId } from "./agentId.js";

/** Versions of the socket's protocol that this build supports. */
export const socketProtocols: readonly number[] = [1];

/** Returns a random value that makes every handshake different: 32 bytes in hexadecimal digits. */
export function makeNonce(): string {
  return randomBytes(32).toString("hex");
}

/** Reports whether a value that the other side sent has the form of a nonce or a proof. */
function isNonce(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** The values on which the proofs depend. Both sides know all of them as soon as the nonces have been exchanged. */
export interface Handshake {
  /** The session's secret, in hexadecimal digits. */
  readonly secret: string;
  readonly session: string;
  readonly agentNonce: string;
  readonly serverNonce: string;
}

/** Returns a side's proof that it knows the secret. The proof covers the role, so neither side can echo the other's. */
export function proofOf(role: "agent" | "server", handshake: Handshake): string {
  const { secret, session, agentNonce, serverNonce } = handshake;
  const claim = ["multi-edit", role, session, agentNonce, serverNonce].join("\n");
  return createHmac("sha256", Buffer.from(secret, "hex")).update(claim).digest("hex");
}

/** Reports whether `sent` is the proof of the side with this role. Takes equally long for every well-formed proof. */
export function isProof(role: "agent" | "server", handshake: Handshake, sent: unknown): boolean {
  if (!isNonce(sent)) return false;
  return timingSafeEqual(Buffer.from(sent, "hex"), Buffer.from(proofOf(role, handshake), "hex"));
}

/**
 * Reads `client` from the params of an agent's `initialize`; it may be any JSON value. Returns `undefined` if it
 * contains an invalid id. Replaces a missing name and shortens a long one: neither is a reason to refuse an agent.
 */
export function readCaller(client: unknown): Caller | undefined {
  const { name, version, agent } = (client ?? {}) as Partial<Record<keyof Caller, unknown>>;
  if (agent !== undefined && agent !== null && !isAgentId(agent)) return undefined;
  const shownVersion = oneLine(version);
  return {
    name: oneLine(name) ?? namelessAgent,
    ...(shownVersion === undefined ? {} : { version: shownVersion }),
    ...(isAgentId(agent) ? { agent } : {}),
  };
}

/** Returns a string as one short line, without control characters; `undefined` for a blank string or a non-string. */
function oneLine(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.slice(0, limits.agentName).replace(/[\p{C}\s]+/gu, " ");
  return text.trim() || undefined;
}

/** Returns the error with which the session refuses an agent's request. */
export const rejection = (sentence: string): ResponseError<void> => new ResponseError(requestFailed, sentence);

/** The parts of a session that the handshake needs. */
export interface ProvableSession {
  /** Version of the server, sent to the agent. */
  readonly version: string;
  readonly secret: string;
  readonly id: string;
}

/** Creates the session's side of the handshake with one agent. */
export function createHandshaker({ version, secret, id }: ProvableSession) {
  let handshake: Handshake | undefined;
  let caller: Caller | undefined;
  let isProved = false;

  function hello(params: unknown): object {
    const { protocols, nonce, client } = (params ?? {}) as { protocols?: unknown; nonce?: unknown; client?: unknown };
    if (!isNonce(nonce) || !Array.isArray(protocols)) return rejection(socketSentences.whoAreYou);
    const common = socketProtocols.filter((protocol) => protocols.includes(protocol));
    if (common.length === 0) {
      const isNewer = protocols.some((protocol) => Number(protocol) > Math.max(...socketProtocols));
      return rejection(socketSentences[isNewer ? "serverTooOld" : "agentTooOld"](version));
    }
    caller = readCaller(client);
    if (caller === undefined) return rejection(socketSentences.badAgent);
    handshake = { secret, session: id, agentNonce: nonce, serverNonce: makeNonce() };
    const proof = proofOf("server", handshake);
    return { protocol: Math.max(...common), nonce: handshake.serverNonce, proof, version };
  }

  return {
    /** Returns the agent if it has proved that it knows the secret, otherwise `undefined`. */
    caller: () => (isProved ? caller : undefined),
    /** Answers a request that comes before the proof is accepted. After an error, the connection must be closed. */
    answer(method: string, params: unknown): object {
      if (method === "initialize") return hello(params);
      if (method !== "multiEdit/prove" || handshake === undefined) return rejection(socketSentences.whoAreYou);
      const { proof } = (params ?? {}) as { proof?: unknown };
      isProved = isProof("agent", handshake, proof);
      return isProved ? {} : rejection(socketSentences.notProved);
    },
  };
}
