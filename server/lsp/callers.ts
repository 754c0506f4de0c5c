/** The agents that have asked a session, and how the log names them: a bounded list. */
import { limits } from "../text/limits.js";
import type { Caller } from "./protocol.js";

/** The agents that one session has served. */
export interface Callers {
  /** Notes that one has asked. */
  note(caller: Caller): void;
  /** Each of them once, the one that asked last at the end. */
  all(): readonly Caller[];
}

/** A list that holds nobody yet. */
export function createCallers(): Callers {
  const seen = new Map<string, Caller>();
  return {
    note(caller) {
      const key = JSON.stringify([caller.agent, caller.agent === undefined ? caller.name : undefined]);
      seen.delete(key);
      seen.set(key, caller);
      if (seen.size > limits.agentsKnown) for (const oldest of seen.keys()) if (seen.delete(oldest)) break;
    },
    all: () => [...seen.values()],
  };
}

/** A caller in the log: `claude-code 2.1.330 (agent 0f3a…)`. */
export function describeCaller({ name, version, agent }: Caller): string {
  return `${name}${version === undefined ? "" : ` ${version}`} (${agent === undefined ? "an unknown agent" : `agent ${agent}`})`;
}
