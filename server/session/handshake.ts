/** A session's handshake with an agent: each side proves that it knows a secret without sending it. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Caller } from "../lsp/protocol.js";
import { namelessAgent } from "../lsp/sentences.js";
import { AnswerError, errorCodes } from "../lsp/wire/rpc.js";
import { oneLine } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { isAgentId } from "./agentId.js";
import { socketSentences } from "./sentences.js";

/** The versions of the socket protocol that this build supports. */
export const socketProtocols: readonly number[] = [1];

/** Returns a nonce, which makes every handshake unique: 32 random bytes, in hexadecimal. */
export function makeNonce(): string {
  return randomBytes(32).toString("hex");
}

/** Reports whether a received value has the form of a nonce or a proof. */
function isNonce(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** The inputs to the proofs. Both sides know all of them once the nonces have been exchanged. */
export interface Handshake {
  /** The session's secret, in hexadecimal. */
  readonly secret: string;
  readonly session: string;
  readonly agentNonce: string;
  readonly serverNonce: string;
}

/** Returns a side's proof of the secret. It covers the role, so no side can send back the other's proof. */
export function proofOf(role: "agent" | "server", handshake: Handshake): string {
  const { secret, session, agentNonce, serverNonce } = handshake;
  const claim = ["multi-edit", role, session, agentNonce, serverNonce].join("\n");
  return createHmac("sha256", Buffer.from(secret, "hex")).update(claim).digest("hex");
}

/** Reports whether `sent` is the proof for this role. Takes constant time for every well-formed proof. */
export function isProof(role: "agent" | "server", handshake: Handshake, sent: unknown): boolean {
  if (!isNonce(sent)) return false;
  return timingSafeEqual(Buffer.from(sent, "hex"), Buffer.from(proofOf(role, handshake), "hex"));
}

/** Reads the caller from the member `client`; `undefined` if its id is invalid. A bad name is mended. */
export function readCaller(client: unknown): Caller | undefined {
  const { name, version, agent } = (client ?? {}) as Partial<Record<keyof Caller, unknown>>;
  if (agent !== undefined && agent !== null && !isAgentId(agent)) return undefined;
  const shownVersion = oneLine(version, limits.agentName);
  return {
    name: oneLine(name, limits.agentName) ?? namelessAgent,
    ...(shownVersion === undefined ? {} : { version: shownVersion }),
    ...(isAgentId(agent) ? { agent } : {}),
  };
}

/** Returns the error for refusing an agent's request. */
export const rejection = (sentence: string): AnswerError => new AnswerError(errorCodes.requestFailed, sentence);

/** The parts of a session that the handshake needs. */
export interface ProvableSession {
  /** The server's version, which is sent to the agent. */
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
    /** Answers a request before the agent's proof was accepted. After an error, the connection must be closed. */
    answer(method: string, params: unknown): object {
      if (method === "initialize") return hello(params);
      if (method !== "multiEdit/prove" || handshake === undefined) return rejection(socketSentences.whoAreYou);
      const { proof } = (params ?? {}) as { proof?: unknown };
      isProved = isProof("agent", handshake, proof);
      return isProved ? {} : rejection(socketSentences.notProved);
    },
  };
}
