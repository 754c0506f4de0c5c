/** Ids of agents, which stay the same on all connections of one agent. */
import { createHash, randomBytes } from "node:crypto";
import { limits } from "../text/limits.js";

/** Generates an agent's id, 16 hexadecimal digits, which alone shows that calls come from the same agent. */
export function newAgentId(): string {
  return randomBytes(8).toString("hex");
}

/** Returns the id of a conversation's agent, always the same one; a new one each time for `undefined`. */
export function agentIdFor(conversation: string | undefined): string {
  if (conversation === undefined) return newAgentId();
  return createHash("sha256").update(conversation).digest("hex").slice(0, 16);
}

/** Reports whether a value is a valid agent id: 1 to `limits.agentId` printable ASCII characters, without spaces. */
export function isAgentId(value: unknown): value is string {
  return typeof value === "string" && value.length <= limits.agentId && /^[\x21-\x7e]+$/.test(value);
}
