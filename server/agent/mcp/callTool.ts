/** Calls of tools: sends the request to a session, and words the answer for a model. */
import type { Caller, MultiEditResult, ReadResult } from "../../lsp/protocol.js";
import { callSentences, isAboutSummary } from "../../lsp/sentences.js";
import { limits } from "../../text/limits.js";
import { describeSessions } from "../cli/doctor.js";
import { readCaller } from "../session/handshake.js";
import { type RequestContext, sendRequest } from "../session/request.js";
import type { ToolCaller } from "./core.js";
import type { ToolContext } from "./mcp.js";
import { toolSentences } from "./sentences.js";
import { toolRequests } from "./toolRequests.js";
import type { ToolName } from "./tools.js";

/** A tool's result, as MCP defines it. */
interface ToolResult {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: true;
}

/** Returns the calling agent, with the name and version that its client states, if it states a name. */
function callerOf(client: unknown, { caller }: ToolContext): Caller {
  const { name, version } = (client ?? {}) as { readonly name?: unknown; readonly version?: unknown };
  return name === undefined ? caller : (readCaller({ name, version, agent: caller.agent }) ?? caller);
}

/** Calls a tool; returns `undefined` if there is no tool of this name. */
export async function callTool(
  name: string,
  args: unknown,
  { client, signal }: ToolCaller,
  server: ToolContext,
): Promise<ToolResult | undefined> {
  if (!isTool(name)) return undefined;
  const toRequest = toolRequests[name];
  const context: ToolContext = { ...server, caller: callerOf(client, server), signal };
  if (toRequest === undefined) return textResult(await describeSessions(context));
  const input = toRequest(args, context.directory);
  const answer = input.ok ? await sendRequest(input.request, context) : input;
  if (!answer.ok) return { ...textResult(answer.message), isError: true };
  if (name !== "read_document") return editResult(answer.result as MultiEditResult, context);
  return readResult(answer.result as ReadResult, context);
}

const isTool = (name: string): name is ToolName => Object.hasOwn(toolRequests, name);

const textResult = (...texts: readonly string[]): ToolResult => ({
  content: texts.map((text) => ({ type: "text", text })),
});

/** Puts a note above the lines, which are shown as they are. Agents that truncate an answer drop its middle or end. */
function readResult({ text, startLine, totalLines, version, onDisk }: ReadResult, context: RequestContext): ToolResult {
  const end = text.length <= limits.toolText ? text.length : text.lastIndexOf("\n", limits.toolText - 1) + 1;
  const shown = text.slice(0, end === 0 ? limits.toolText : end);
  const lines = shown.split("\n").length - (shown.endsWith("\n") ? 1 : 0);
  const last = Math.min(totalLines, startLine + lines - 1);
  // If the user has named a session or chosen the disk, an editor that was not asked may have the file open.
  const unopened = context.mode === "disk" || context.session !== undefined ? "disk" : "unopened";
  const from = version === null ? unopened : onDisk === "same" ? "saved" : "unsaved";
  const isCut = end > 0 && end < text.length;
  return textResult(toolSentences.linesShown({ first: startLine, last, total: totalLines, from, isCut }), shown);
}

/**
 * Shows the text of an answer and, only for a preview, its diff: after an edit, the caller knows what it has changed.
 * An unknown outcome is reported as an error.
 */
function editResult(result: MultiEditResult, { structured }: ToolContext): ToolResult {
  const { outcome, text, diff } = result;
  const isPreview = outcome === "proposed";
  const warnings = isPreview ? result.warnings : result.warnings.filter((warning) => !isAboutSummary(warning));
  const lines = text.split("\n");
  const shownLines = lines.slice(0, limits.toolFiles + 1);
  const rest = lines.length > shownLines.length ? [toolSentences.moreFiles(lines.length - shownLines.length)] : [];
  const isUnchanged = isPreview || (outcome === "applied" && result.files.length === 0);
  const nothing = isUnchanged ? [callSentences.nothingChanged] : [];
  const summary = [...shownLines, ...rest, ...nothing];
  // If the outcome is unknown, the warnings come first.
  const inOrder = outcome === "unknown" ? [...warnings, ...summary] : [...summary, ...warnings];
  const shown = isPreview && diff !== "" ? [...inOrder, "", diff] : inOrder;
  return {
    ...textResult(shown.join("\n")),
    ...(structured ? { structuredContent: structuredOf({ ...result, text: summary.join("\n") }) } : {}),
    ...(outcome === "unknown" ? { isError: true } : {}),
  };
}

/** Builds the structured part of an answer, for programs. */
function structuredOf(result: MultiEditResult): Record<string, unknown> {
  const { outcome, label, text, diff, files, warnings, transaction } = result;
  const shown = files
    .slice(0, limits.toolFiles)
    .map(({ path, kind, newPath, added, removed, firstChangedLine, onDisk }) => {
      // JSON leaves out fields that are `undefined`.
      return { path, kind, newPath, firstChangedLine, added, removed, onDisk };
    });
  return { outcome, label, text, diff, files: shown, warnings, transaction };
}
