/** Says which agent hears what the user has made of an agent's changes. */
import type { Caller } from "../protocol.js";
import type { ReviewedCall } from "./item.js";

/** The start of the ids by which hooks name their agents. */
export const hookPrefix = "hook-";

/** Returns the id of an agent; its name if it has none. */
const idOf = ({ agent, name }: Caller): string => agent ?? `name ${name}`;

const isHook = ({ agent }: Caller): boolean => agent?.startsWith(hookPrefix) === true;

/** Reports whether a hook is of the program that has this name as an MCP client, such as `codex-mcp-client`. */
const isOf = (hook: Caller, { name }: Caller): boolean => name.split("-").includes(hook.name.split("-")[0] ?? "");

/**
 * Reports whether `by` hears of a change of `author`: as the same agent; as the same program, if one of the two is known from
 * a hook, which has ids of its own; or as the same program started again. `calls`: all that are known, oldest first.
 */
export function hears(by: Caller, author: Caller, calls: Iterable<ReviewedCall>): boolean {
  if (idOf(by) === idOf(author)) return true;
  if (isHook(by)) return isOf(by, author);
  if (isHook(author)) return isOf(author, by);
  if (by.name !== author.name) return false;
  const ids = [...calls].map(({ caller }) => caller && idOf(caller));
  const first = ids.indexOf(idOf(by));
  return first < 0 || ids.lastIndexOf(idOf(author)) < first;
}
