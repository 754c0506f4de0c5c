/** Reads the events that agents send before and after their own tools run. */
import { resolve } from "node:path";
import type { AgentHook, OwnTool } from "../../agents/agent.js";
import { limits } from "../../text/limits.js";
import { readPatchCommand } from "./shellPatch.js";

/** Matches the lines of a patch that name files. */
const patchHeader = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): *(.+?)[ \t]*$/gm;

const pathsIn = (patch: string): string[] => [...patch.matchAll(patchHeader)].map(([, path = ""]) => path);

/** Reports whether a text can't be a path as it is; a tool may make one of it, for example without `a/..`. */
const isNoPath = (path: string): boolean => path.length > limits.pathLength || path.includes("\0");

/** A call of one of the agent's own tools, as its event describes it. */
export interface OwnCall {
  readonly tool: OwnTool;
  readonly input: Readonly<Record<string, unknown>>;
  /** The patch; `undefined` if the tool takes none. */
  readonly patch: string | undefined;
  /** The command of which it is not certain whether it applies a patch, and to which files; otherwise `undefined`. */
  readonly perhaps: string | undefined;
  /** The paths as they were sent; only the directory for such a command. */
  readonly paths: readonly string[];
  /** The directory to which relative paths refer. */
  readonly directory: string;
  /**
   * The ids of the conversation and of the call in it, with the tool and its input, because a model may use an id again;
   * `undefined` if the agent gives its calls no ids.
   */
  readonly id: string | undefined;
  /** The same, for every call; without ids, equal calls have the same key. Each hook gets the same one for one call. */
  readonly key: string;
  /** The ids of the conversation and of the subagent in it; `undefined` if the event does not say which it is. */
  readonly conversation: string | undefined;
  readonly event: Readonly<Record<string, unknown>>;
}

/**
 * Reads an event; `undefined` if it is about none of the agent's own tools for files, and no command with a patch.
 * `unreadable`: it does not say which files a tool is about to change.
 */
export function readEvent(
  agent: AgentHook,
  event: Readonly<Record<string, unknown>>,
): OwnCall | "unreadable" | undefined {
  const { fields, tools } = agent;
  const name = event[fields.tool];
  const when = agent.when(event);
  if (typeof name !== "string") return when === "before" ? "unreadable" : undefined;
  const input = event[fields.input];
  const known = Object.hasOwn(tools, name) ? tools[name] : undefined;
  const isPatch = known?.mayBePatch === true && typeof input === "string";
  const tool = toolAt(when, isPatch ? { kind: "patch", field: "" } : known);
  if (tool === undefined) return undefined;
  const isAnywhere = tool.kind === "command" || (tool.kind === "search" && !Object(input)[tool.field]);
  const text: unknown = isAnywhere ? "." : isPatch ? input : Object(input)[tool.field];
  if (typeof text !== "string" || text === "") return when === "before" ? "unreadable" : undefined;
  const command = tool.isCommand ? readPatchCommand(text) : undefined;
  if (tool.isCommand && command === undefined) return undefined;
  const patch = command?.kind === "plain" ? command.patch : tool.kind === "patch" && !tool.isCommand ? text : undefined;
  const perhaps = command?.kind === "perhaps" ? command.command : undefined;
  const paths = perhaps !== undefined ? ["."] : patch === undefined ? [text] : pathsIn(patch);
  const given = event[fields.directory];
  const directory = typeof given === "string" && given !== "" ? given : process.cwd();
  if (paths.length === 0 || [directory, ...paths].some(isNoPath)) return when === "before" ? "unreadable" : undefined;
  const session = event[fields.session];
  const ids = [session, event[fields.id]];
  const key = JSON.stringify([...ids, name, input]);
  const hasSession = typeof session === "string" && session !== "";
  return {
    tool,
    input: Object(input) as Record<string, unknown>,
    paths: [...new Set(paths)],
    patch,
    perhaps,
    directory: resolve(directory, (command?.kind === "plain" && command.folder) || "."),
    id: ids.every((one) => typeof one === "string") ? key : undefined,
    key,
    conversation: hasSession ? JSON.stringify([session, event[fields.subagent] ?? ""]) : undefined,
    event,
  };
}

/** Returns a tool as it counts at an event: a command that has run may have done more than to apply a patch. */
function toolAt(when: ReturnType<AgentHook["when"]>, tool: OwnTool | undefined): OwnTool | undefined {
  if (when === undefined || tool === undefined) return undefined;
  const changesNothing = tool.kind === "read" || tool.kind === "search";
  if (when === "after") return tool.isCommand ? { kind: "command", field: tool.field } : tool;
  return changesNothing || tool.kind === "command" ? undefined : tool;
}
