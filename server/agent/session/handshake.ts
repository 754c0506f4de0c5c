/** How the two ends of a session's socket show each other that they know its secret, without saying it. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Versions of the socket's protocol that this build speaks. */
export const socketProtocols: readonly number[] = [1];

/** The highest version that both sides speak; `undefined`: there is none. */
export function commonProtocol(theirs: unknown): number | undefined {
  if (!Array.isArray(theirs)) return undefined;
  const both = socketProtocols.filter((version) => theirs.includes(version));
  return both.length === 0 ? undefined : Math.max(...both);
}

/** A random value that makes every handshake another one: 32 bytes in hexadecimal digits. */
export function makeNonce(): string {
  return randomBytes(32).toString("hex");
}

/** Whether something that the other side sent can be a nonce. */
export function isNonce(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** What both sides know once each has told its nonce. */
export interface Handshake {
  /** Of the session, in hexadecimal digits. */
  readonly secret: string;
  readonly session: string;
  readonly agentNonce: string;
  readonly serverNonce: string;
}

/** What one side sends to show that it knows the secret; the role keeps it from being sent back as the other's. */
export function proofOf(role: "agent" | "server", handshake: Handshake): string {
  const { secret, session, agentNonce, serverNonce } = handshake;
  const said = ["multi-edit", role, session, agentNonce, serverNonce].join("\n");
  return createHmac("sha256", Buffer.from(secret, "hex")).update(said).digest("hex");
}

/** Whether what the other side sent is its proof; takes as long for a wrong one as for the right one. */
export function isProof(role: "agent" | "server", handshake: Handshake, sent: unknown): boolean {
  if (!isNonce(sent)) return false;
  return timingSafeEqual(Buffer.from(sent, "hex"), Buffer.from(proofOf(role, handshake), "hex"));
}
