/** Ids of agents, which stay the same on all connections of one agent. */
import { createHash, randomBytes } from "node:crypto";
import { limits } from "../text/limits.js";

/**
 * Generates an id for an agent that has none: 16 hexadecimal digits. An agent opens a new connection for each call, so
 * only this id shows which calls come from the same agent.
 */
export function newAgentId(): string {
  return randomBytes(8).toString("hex");
}

/**
 * Returns the id of the agent that takes part in a conversation: the same one for the same text, in the form of
 * `newAgentId`. `undefined`: the conversation is not known, so the id is a new one, and no two calls have it.
 */
export function agentIdFor(conversation: string | undefined): string {
  if (conversation === undefined) return newAgentId();
  return createHash("sha256").update(conversation).digest("hex").slice(0, 16);
}

/** Reports whether a value is a valid agent id: 1 to `limits.agentId` printable ASCII characters, without spaces. */
export function isAgentId(value: unknown): value is string {
  return typeof value === "string" && value.length <= limits.agentId && /^[\x21-\x7e]+$/.test(value);
}
