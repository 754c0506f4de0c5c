/** Applies a call of an agent's own tool in the editor that has its files, and words the answer for the model. */

import { existsSync } from "node:fs";
import type { CancellationToken } from "vscode-jsonrpc/node";
import type { AgentHook } from "../../agents/agent.js";
import { type MultiEditResult, methods } from "../../lsp/protocol.js";
import type { Failure } from "../../plan/failure.js";
import { type FailedRequest, resultOf } from "../../session/awaitAnswer.js";
import { sessionName } from "../../session/record.js";
import type { LiveSession } from "../../session/sessions.js";
import { limits } from "../../text/limits.js";
import { answerLines } from "../shared/answer.js";
import type { OwnCall } from "./readEvent.js";
import type { CallMemory } from "./remembered.js";
import { hookSentences } from "./sentences.js";

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A file with unsaved text, and the editor that has the text. */
export interface HeldFile {
  readonly path: string;
  readonly session: LiveSession;
}

/** Returns the reason for which a patch is turned away if several editors have unsaved text in its files. */
export function heldApart(held: readonly HeldFile[], { ours }: AgentHook, applies: boolean): string {
  const sessions = [...new Set(held.map(({ session }) => session))];
  const groups = sessions.map((session) => ({
    editor: sessionName(session.record),
    paths: held.filter((one) => one.session === session).map(({ path }) => path),
  }));
  return hookSentences.heldApart(groups, applies ? undefined : ours);
}

/** A call for a file with unsaved text, or for one that is open and saved, that may be applied. */
interface PermittedCall extends OwnCall {
  readonly agent: AgentHook;
  /** The first such file. */
  readonly path: string;
  /** `needed`: once the user has agreed in the editor. */
  readonly consent: "given" | "needed";
  /** `true` if no file has unsaved text. */
  readonly isSaved: boolean;
}

/** The failures of a call for saved files after which the agent's own tool must not make the same change. */
const finalFailures: readonly Failure["code"][] = [
  ...(["userRejected", "timeout", "cancelled"] as const),
  ...(["clientDiverged", "contentModified", "dirty"] as const),
];

/**
 * Sends a call to its editor; returns the answer for the model, `undefined` if the agent's own tool may make the change.
 * `params`: the call as the server takes it.
 */
export async function applyCall(
  { directory, consent, tool, agent, path, isSaved }: PermittedCall,
  params: object,
  session: LiveSession,
  memory: CallMemory,
): Promise<string | undefined> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  // An agent stops a hook that takes too long, and goes on; the editor must not apply the call after that.
  for (const name of stopSignals) process.on(name, abort);
  if (!memory.claim()) return memory.recall() || hookSentences.underway;
  // The agent's own tool would write the file, so the text is saved whatever the user's setting says.
  const save = isSaved ? { save: "ifWasClean" } : {};
  const common = { root: directory, result: "summary", ...save, ...(consent === "needed" ? { confirm: true } : {}) };
  const options = tool.kind === "write" ? { ...common, lenient: true } : common;
  const respond = (token: CancellationToken): Promise<unknown> =>
    session.request(methods.apply, { ...params, options }, token);
  const responder = { version: session.version, editor: sessionName(session.record), respond };
  const result = await resultOf(responder, { patience: limits.toolMs, signal: stop.signal });
  if (!result.ok) {
    if (result.unknown) return hookSentences.unknown(result.message);
    memory.forget();
    if (isSaved) return result.failures.some(({ code }) => finalFailures.includes(code)) ? result.message : undefined;
    return failureFor(result, { tool, agent, path });
  }
  const answer = result.result as MultiEditResult;
  const lines = answerLines(answer, { wasAsked: true, isUndo: false, isWrite: tool.kind === "write" });
  const text = answer.outcome === "unknown" ? hookSentences.unknown(lines.join("\n")) : hookSentences.applied(lines);
  memory.keep(text);
  return text;
}

/** Words a failure for the model, which may only know the fields of its own tool. */
function failureFor(
  { message, failures }: FailedRequest,
  { tool, agent, path }: Pick<PermittedCall, "tool" | "agent" | "path">,
): string {
  const has = (code: Failure["code"]): boolean => failures.some((failure) => failure.code === code);
  const reader = readerOf(agent);
  const unseen = failures.find((failure) => failure.unseen !== undefined)?.unseen;
  // A file that does not exist can't be read by the agent's own tool.
  if (has("dirty") && !existsSync(path)) return hookSentences.deleted(path, agent.ours);
  if (has("dirty") && tool.kind === "write")
    return hookSentences.wouldReplace(path, agent.ours, { unseen, tool: reader });
  const isAmbiguous =
    tool.kind === "edit" && failures.some(({ code, matches }) => code === "ambiguousMatch" && matches !== undefined);
  return [
    hookSentences.failed(message),
    unseen !== undefined ? hookSentences.readsThatCount(agent.ours, reader) : "",
    isAmbiguous ? hookSentences.ownFields(agent.ours, agent.edit.replaceAll) : "",
  ].join("");
}

/** Returns the name of the agent's own tool that reads files; `undefined` if it has none. */
function readerOf({ tools }: AgentHook): string | undefined {
  return Object.entries(tools).find(([, { kind }]) => kind === "read")?.[0];
}
