/** Calls of tools: sends the request to a session, and words the answer for a model. */
import { relative as relativeTo } from "node:path";
import { mostTextFor } from "../../agents/agents.js";
import { agentFields } from "../../dialect/keys.js";
import type { Caller, MultiEditResult, ReadResult } from "../../lsp/protocol.js";
import { agentIdFor } from "../../session/agentId.js";
import { readCaller } from "../../session/handshake.js";
import { closedSessionOf } from "../../session/holders.js";
import { type RequestContext, sendRequest } from "../../session/request.js";
import { isUnopened } from "../../session/sentences.js";
import { limits } from "../../text/limits.js";
import { fromDirectory, pathOfSyncedUri } from "../../workspace/pathText.js";
import { inServerFolder } from "../../workspace/serverFolder.js";
import { answerLines } from "../shared/answer.js";
import { describeSessions } from "../shared/describeSessions.js";
import { findOwnEdit, hasEnded, type OwnEdit } from "./ownEdits.js";
import { toolSentences } from "./sentences.js";
import { callKey, type Tickets } from "./tickets.js";
import { type RequestTool, toolRequests } from "./toolRequests.js";
import type { ToolCaller } from "./toolServer.js";
import type { ToolName } from "./tools.js";

/** The context of an agent's requests, and the form of the answers. */
export interface ToolContext extends RequestContext {
  /** `true` if answers to edits also have a structured part, which some agents show their model instead of the text. */
  readonly structured: boolean;
  /** `true` if the user has chosen the agent's id. */
  readonly hasChosenId: boolean;
  /** `true` if the server was started in a plugin's folder, so that it does not know to which folder relative paths refer. */
  readonly isHomeless: boolean;
  /** The agent's own edits over this connection that can be undone, the latest last. */
  readonly done: OwnEdit[];
  /** The agent's calls that wait for the user. */
  readonly tickets: Tickets<ToolResult>;
}

/** A tool's result, as MCP defines it. */
export interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
}

/**
 * Returns the caller, under the MCP client's name and version if the client gives a name. In a conversation that the
 * client names, the agent's id is always the same, also over a later connection, unless the user has chosen one.
 */
function callerOf({ client, conversation }: ToolCaller, { caller: known, hasChosenId }: ToolContext): Caller {
  const { name, version } = (client ?? {}) as { readonly name?: unknown; readonly version?: unknown };
  const isNamed = conversation !== undefined && !hasChosenId;
  const caller = isNamed ? { ...known, agent: agentIdFor(`${String(name)} ${conversation}`) } : known;
  return name === undefined ? caller : (readCaller({ name, version, agent: caller.agent }) ?? caller);
}

/** Calls a tool; returns `undefined` if there is no tool of this name. */
export async function callTool(
  name: string,
  args: unknown,
  asker: ToolCaller,
  server: ToolContext,
): Promise<ToolResult | undefined> {
  if (!isTool(name)) return undefined;
  const { signal, elicit } = asker;
  const asking = elicit === undefined ? {} : { elicit };
  const context: ToolContext = { ...server, ...asking, caller: callerOf(asker, server), signal };
  const { tickets } = server;
  const patience = asker.isTask === true ? undefined : server.patience;
  if (name === "editor_status" || name === "undo_last_edit") {
    const unknown = unknownFieldOf(args, name === "editor_status" ? ["ticket"] : []);
    if (unknown !== undefined) return { ...textResult(toolSentences.unknownField[name](unknown)), isError: true };
  }
  if (name === "editor_status") {
    const { ticket }: { readonly ticket?: unknown } = Object(args);
    if (ticket === undefined || ticket === null) return textResult(await describeSessions(context));
    return tickets.wait(typeof ticket === "string" ? ticket : JSON.stringify(ticket), { patience, signal });
  }
  if (name === "read_document" || name === "preview_edits") return serveCall(name, args, context);
  // The call goes on if the user takes longer to decide than the agent waits.
  const start = (signal: AbortSignal, onAsked: () => void): Promise<ToolResult> => {
    const lasting: ToolContext = { ...context, signal, onAsked };
    return name === "undo_last_edit" ? undoLast(lasting) : serveCall(name, args, lasting);
  };
  return tickets.run(callKey(name, args), start, { patience, signal });
}

/** Returns the first field that a tool does not know; `undefined` if it knows all. */
function unknownFieldOf(args: unknown, known: readonly string[]): string | undefined {
  return Object.keys(Object(args)).find((field) => !known.includes(field) && !agentFields.has(field));
}

/** Serves a call of one of the tools that send a request. */
async function serveCall(name: RequestTool, args: unknown, context: ToolContext): Promise<ToolResult> {
  const most = mostTextFor(context.caller.name);
  const input = toolRequests[name](args, context.directory, most);
  const relative = context.isHomeless ? relativeIn(name, args) : undefined;
  if (relative !== undefined) return { ...textResult(toolSentences.relativePath(relative)), isError: true };
  const answer = input.ok ? await sendRequest(input.request, context) : input;
  if (!answer.ok) {
    const isOutside = context.isHomeless && answer.failures.some(isUnopened);
    const message = isOutside ? `${answer.message}\n${toolSentences.onlyInEditors}` : answer.message;
    return { ...textResult(message), isError: true };
  }
  if (name !== "read_document") {
    const result = answer.result as MultiEditResult;
    const { transaction, outcome, files } = result;
    if (outcome !== "proposed" && transaction !== undefined) {
      context.done.push({
        transaction,
        session: answer.session,
        files: files.map((file) => file.newPath ?? file.path),
      });
    }
    return editResult(result, context);
  }
  const { endLine }: { readonly endLine?: number } = Object(input.ok ? input.request.params : {});
  return readResult(answer.result as ReadResult, { ...context, most, endLine: endLine ?? Number.POSITIVE_INFINITY });
}

/** Returns the first relative path of a call: one that depends on the directory; `undefined` if there is none. */
function relativeIn(name: RequestTool, args: unknown): string | undefined {
  // Deep enough for "..".
  const directories = ["/1".repeat(64), "/2".repeat(64)] as const;
  const [one = [], other = []] = directories.map((directory) => {
    const call = toolRequests[name](args, directory, 0);
    return call.ok ? call.request.targets.map((target) => fromDirectory(directory, target)) : [];
  });
  const path = one.find((target, index) => target !== other[index]);
  return path === undefined ? undefined : relativeTo(directories[0], path);
}

/** Undoes the agent's latest edit that was not undone. What the user or another agent did since stays. */
async function undoLast(context: ToolContext): Promise<ToolResult> {
  const last = context.done.at(-1) ?? (await findOwnEdit(context));
  if (last === undefined) return { ...textResult(toolSentences.nothingToUndo), isError: true };
  const { transaction, session, files } = last;
  const needsEditor = session !== undefined;
  const request = { method: "multiEdit/undo", params: { transaction }, targets: [], needsEditor };
  const answer = await sendRequest(request, { ...context, session: session ?? context.session });
  // A conflict in no particular file is final, for example because the user has already undone the edit.
  const isGone = !answer.ok && answer.failures.every(({ code, path }) => code === "undoConflict" && path === undefined);
  if (answer.ok || isGone) context.done.pop();
  if (isGone) return { ...textResult(toolSentences.goneEdit(answer.failures, context.done.length)), isError: true };
  if (!answer.ok && session !== undefined && hasEnded(answer, session, context.sessions)) {
    context.done.pop();
    return { ...textResult(toolSentences.lostEdit(files, context.done.length)), isError: true };
  }
  if (!answer.ok) return { ...textResult(answer.message), isError: true };
  return editResult(answer.result as MultiEditResult, { ...context, session: undefined }, "undone");
}

const isTool = (name: string): name is ToolName =>
  Object.hasOwn(toolRequests, name) || name === "undo_last_edit" || name === "editor_status";

const textResult = (...texts: readonly string[]): ToolResult => ({
  content: texts.map((text) => ({ type: "text", text })),
});

/**
 * Shows a note, then the lines, verbatim. The note comes first because agents truncate the middle or end of an answer.
 */
function readResult(
  { uri, text, startLine, endLine: last, totalLines, version, onDisk, changedOnDisk, note: news }: ReadResult,
  context: RequestContext & { readonly most: number; readonly endLine: number },
): ToolResult {
  const { most, endLine } = context;
  // A line that is too long on its own is cut, but not within a surrogate pair.
  const isLong = text.length > most;
  const shown = isLong ? text.slice(0, most).replace(/[\ud800-\udbff]$/, "") : text;
  // If the user has named a session or chosen the disk, an editor that was not asked may have the file open. So may one
  // in which agents are switched off.
  const wasAsked = context.mode !== "disk" && context.session === undefined && !isClosedTo(uri);
  const unopened = wasAsked ? "unopened" : "disk";
  const from =
    version === null ? unopened : onDisk === "same" ? "saved" : changedOnDisk === true ? "outdated" : "unsaved";
  const longLine = isLong ? { length: text.length, shown: shown.length } : undefined;
  const isCut = last < Math.min(totalLines, endLine);
  const note = toolSentences.linesShown({ first: startLine, last, total: totalLines, from, isCut, longLine });
  // Some agents show the two texts to their model with nothing between them.
  return textResult(news === undefined ? `${note}\n` : `${news}\n${note}\n`, shown);
}

/** Reports whether a file is in a folder of a session that agents can't ask. */
function isClosedTo(uri: string): boolean {
  const path = pathOfSyncedUri(uri);
  return path !== undefined && closedSessionOf(inServerFolder("sessions"), [path]) !== undefined;
}

/** Shows the answer to an edit, with the diff only for a preview. An unknown outcome is reported as an error. */
function editResult(result: MultiEditResult, context: ToolContext, done: "applied" | "undone" = "applied"): ToolResult {
  const { outcome, diff } = result;
  // If the user has named a session or chosen the disk, an editor that was not asked may have the files open.
  const wasAsked = context.mode !== "disk" && context.session === undefined;
  const heading = done === "undone" && outcome === "applied" ? [toolSentences.undone] : [];
  const lines = [...heading, ...answerLines(result, { wasAsked, isUndo: done === "undone" })];
  const text = lines.join("\n");
  return {
    ...textResult(outcome === "proposed" && diff !== "" ? `${text}\n\n${diff}` : text),
    ...(context.structured ? { structuredContent: structuredOf({ ...result, text }) } : {}),
    ...(outcome === "unknown" ? { isError: true } : {}),
  };
}

/** Builds the structured part of an answer, for programs. */
function structuredOf(result: MultiEditResult): Record<string, unknown> {
  const { outcome, label, text, diff, files, warnings, transaction, diagnostics } = result;
  const shown = files
    .slice(0, limits.toolFiles)
    .map(({ path, kind, newPath, added, removed, firstChangedLine, onDisk }) => {
      // JSON omits `undefined` fields.
      return { path, kind, newPath, firstChangedLine, added, removed, onDisk };
    });
  return { outcome, label, text, diff, files: shown, warnings, transaction, diagnostics };
}
