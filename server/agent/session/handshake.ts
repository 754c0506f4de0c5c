/** How the two ends of a session's socket meet: who is calling, and the proof that both know the secret, without saying it. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ResponseError } from "vscode-jsonrpc/node";
import type { Caller } from "../../lsp/protocol.js";
import { requestFailed } from "../../lsp/wire/sentences.js";
import { limits } from "../../text/limits.js";
import { namelessAgent, socketSentences } from "../sentences.js";

/** Versions of the socket's protocol that this build speaks. */
export const socketProtocols: readonly number[] = [1];

/** A random value that makes every handshake another one: 32 bytes in hexadecimal digits. */
export function makeNonce(): string {
  return randomBytes(32).toString("hex");
}

/** Tells whether something that the other side sent can be a nonce. */
function isNonce(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** The facts that both sides know once each has sent its nonce. */
export interface Handshake {
  /** Of the session, in hexadecimal digits. */
  readonly secret: string;
  readonly session: string;
  readonly agentNonce: string;
  readonly serverNonce: string;
}

/** The proof that one side sends to show that it knows the secret; its role keeps it from being sent back as the other's. */
export function proofOf(role: "agent" | "server", handshake: Handshake): string {
  const { secret, session, agentNonce, serverNonce } = handshake;
  const claim = ["multi-edit", role, session, agentNonce, serverNonce].join("\n");
  return createHmac("sha256", Buffer.from(secret, "hex")).update(claim).digest("hex");
}

/** Tells whether what the other side sent is its proof; takes as long for a wrong one as for the right one. */
export function isProof(role: "agent" | "server", handshake: Handshake, sent: unknown): boolean {
  if (!isNonce(sent)) return false;
  return timingSafeEqual(Buffer.from(sent, "hex"), Buffer.from(proofOf(role, handshake), "hex"));
}

/**
 * An id for an agent that has none: 16 hexadecimal digits. Connections of agents come and go with each call, so an agent is
 * known by an id that it gives itself.
 */
export function newAgentId(): string {
  return randomBytes(8).toString("hex");
}

/** Returns `true` if a value can be an agent's id: printable ASCII without spaces, at most `limits.agentId` characters. */
export function isAgentId(value: unknown): value is string {
  return typeof value === "string" && value.length <= limits.agentId && /^[\x21-\x7e]+$/.test(value);
}

/**
 * Reads `client` of an agent's `initialize`, which may be any JSON value; `undefined`: its `agent` is no id. A name that is
 * missing or too long is no reason to refuse anybody.
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

/** One line of a text without what could steer a terminal; `undefined`: it is none. */
function oneLine(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.slice(0, limits.agentName).replace(/[\p{C}\s]+/gu, " ");
  return text.trim() || undefined;
}

/** The answer to a request of an agent that is not served. */
export const rejection = (sentence: string): ResponseError<void> => new ResponseError(requestFailed, sentence);

/** A session, as far as an agent must prove that it knows it. */
export interface ProvableSession {
  /** Of the server, for the agent. */
  readonly version: string;
  readonly secret: string;
  readonly id: string;
}

/** Leads one agent through the handshake. */
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
