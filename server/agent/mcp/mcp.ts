/** Serves agents over MCP on stdin and stdout, with tools that reach the user's editor. */
import { once } from "node:events";
import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  fromJsonSchema,
  type Implementation,
  type JsonSchemaValidatorResult,
  McpServer,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Caller, MultiEditResult, ReadResult } from "../../lsp/protocol.js";
import { callSentences, isAboutSummary } from "../../lsp/sentences.js";
import { limits } from "../../text/limits.js";
import { describeSessions } from "../cli/doctor.js";
import { newAgentId, readCaller } from "../session/handshake.js";
import { type RequestContext, sendRequest } from "../session/request.js";
import { toolSentences } from "./sentences.js";
import { type ToolRow, tools } from "./tools.js";

/** The context of an agent's requests, and the form of the answers. */
export interface ToolContext extends RequestContext {
  /** `true` if answers to edits also have a structured part, which some agents show their model instead of the text. */
  readonly structured: boolean;
}

/**
 * Serves an agent until stdin closes or a signal arrives; returns the exit code. All calls are attributed to that
 * agent.
 */
export async function serveMcp(start: ToolContext): Promise<number> {
  const context: ToolContext = { ...start, caller: { agent: newAgentId(), ...start.caller } };
  const ended = Promise.race([once(process.stdin, "end"), once(process.stdin, "close"), once(context.signal, "abort")]);
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: limits.inputBytes });
  const handle = serveStdio(() => createServer(context), { transport });
  await ended;
  await handle.close();
  return 0;
}

/** Creates the server for one connection. */
function createServer(context: ToolContext): McpServer {
  const server = new McpServer(
    { name: "multi-edit", title: "Multi-edit", version: context.version },
    { instructions: toolSentences.instructions },
  );
  for (const tool of tools) {
    const { name, title, description, readOnly, meta } = tool;
    const annotations = {
      title,
      readOnlyHint: readOnly,
      destructiveHint: !readOnly,
      idempotentHint: readOnly,
      openWorldHint: false,
    };
    // Accept every input: the server's own decoder reads calls that do not follow the schema, or says why it can't.
    const inputSchema = fromJsonSchema(tool.inputSchema, { getValidator: () => accept });
    const config = { title, description, inputSchema, annotations, ...(meta === undefined ? {} : { _meta: meta }) };
    server.registerTool(name, config, (args, { mcpReq }) => {
      // Clients that use newer MCP revisions identify themselves in each request; older clients do so only once.
      const { [CLIENT_INFO_META_KEY]: client = server.server.getClientVersion() }: { [key: string]: unknown } =
        mcpReq.envelope ?? {};
      return callTool(tool, args, { ...context, caller: callerOf(client, context), signal: mcpReq.signal });
    });
  }
  return server;
}

/** Returns the caller, under the MCP client's name and version if the client gives a name. */
function callerOf(client: unknown, { caller }: ToolContext): Caller {
  const { name, version } = (client ?? {}) as Partial<Implementation>;
  return name === undefined ? caller : (readCaller({ name, version, agent: caller.agent }) ?? caller);
}

function accept<T>(input: unknown): JsonSchemaValidatorResult<T> {
  return { valid: true, data: input as T, errorMessage: undefined };
}

async function callTool(tool: ToolRow, args: unknown, context: ToolContext): Promise<CallToolResult> {
  if (tool.toRequest === undefined) return textResult(await describeSessions(context));
  const input = tool.toRequest(args, context.directory);
  const answer = input.ok ? await sendRequest(input.request, context) : input;
  if (!answer.ok) return { ...textResult(answer.message), isError: true };
  if (tool.name !== "read_document") return editResult(answer.result as MultiEditResult, context);
  return readResult(answer.result as ReadResult, context);
}

const textResult = (...texts: readonly string[]): CallToolResult => ({
  content: texts.map((text) => ({ type: "text", text })),
});

/**
 * Shows a note, then the lines, verbatim. The note comes first because agents truncate the middle or end of an answer.
 */
function readResult(
  { text, startLine, totalLines, version, onDisk }: ReadResult,
  context: RequestContext,
): CallToolResult {
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
 * Shows an answer's text and, only for a preview, its diff: after an edit, the caller already knows what it has
 * changed. Reports an unknown outcome as an error.
 */
function editResult(result: MultiEditResult, { structured }: ToolContext): CallToolResult {
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
      // JSON omits `undefined` fields.
      return { path, kind, newPath, firstChangedLine, added, removed, onDisk };
    });
  return { outcome, label, text, diff, files: shown, warnings, transaction };
}
