/** Who is calling: connections of agents come and go with each call, so an agent is known by an id that it gives itself. */
import { randomBytes } from "node:crypto";
import type { Caller } from "../../lsp/protocol.js";
import { limits } from "../../text/limits.js";

/** An id for an agent that has none: 16 hexadecimal digits. */
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
  const shownVersion = plain(version);
  return {
    name: plain(name) ?? "an agent without a name",
    ...(shownVersion === undefined ? {} : { version: shownVersion }),
    ...(isAgentId(agent) ? { agent } : {}),
  };
}

/** One line of a text without what could steer a terminal; `undefined`: it is none. */
function plain(value: unknown): string | undefined {
  const text =
    typeof value === "string"
      ? value
          .slice(0, limits.agentName)
          .replace(/[\p{C}\s]+/gu, " ")
          .trim()
      : "";
  return text === "" ? undefined : text;
}
