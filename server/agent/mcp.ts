/** Serves agents over MCP on stdin and stdout: tools that reach the user's editor. */
import { once } from "node:events";
import {
  type CallToolResult,
  fromJsonSchema,
  type JsonSchemaValidatorResult,
  McpServer,
} from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { MultiEditResult, ReadResult } from "../lsp/protocol.js";
import { answerSentences, callSentences, toolSentences } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { type Answered, type Asker, ask } from "./ask.js";
import { describeSessions } from "./report.js";
import { type ToolRow, tools } from "./tools.js";

/** Serves until the agent closes stdin; gives the exit code. */
export async function serveMcp(asker: Asker): Promise<number> {
  const ended = Promise.race([once(process.stdin, "end"), once(process.stdin, "close"), aborted(asker.signal)]);
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: limits.inputBytes });
  const handle = serveStdio(() => createServer(asker), { transport });
  await ended;
  await handle.close();
  return 0;
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener("abort", () => resolve()));
}

/** One server for one connection. */
function createServer(asker: Asker): McpServer {
  const server = new McpServer(
    { name: "multi-edit", title: "Multi-edit", version: asker.version },
    { instructions: toolSentences.instructions },
  );
  for (const tool of tools) {
    const { name, title, description, readOnly } = tool;
    const annotations = {
      title,
      readOnlyHint: readOnly,
      destructiveHint: !readOnly,
      idempotentHint: readOnly,
      openWorldHint: false,
    };
    // What a model sends in another way than the schema says is understood, or refused with the reason, by our own decoder.
    const inputSchema = fromJsonSchema(tool.inputSchema, { getValidator: () => accept });
    server.registerTool(name, { title, description, inputSchema, annotations }, (args, context) =>
      callTool(tool, args, { ...asker, signal: context.mcpReq.signal }),
    );
  }
  return server;
}

function accept<T>(input: unknown): JsonSchemaValidatorResult<T> {
  return { valid: true, data: input as T, errorMessage: undefined };
}

async function callTool(tool: ToolRow, args: unknown, asker: Asker): Promise<CallToolResult> {
  if (tool.ask === undefined) return said(await describeSessions(asker));
  const asked = tool.ask(args, asker.directory);
  if (!asked.ok) return failed(asked.message);
  const answered = await ask(asked.question, asker);
  if (!answered.ok) return failed(answered.message);
  return tool.name === "read_document" ? shownText(answered.result as ReadResult) : shownEdit(answered);
}

const said = (...texts: readonly string[]): CallToolResult => ({
  content: texts.map((text) => ({ type: "text", text })),
});

const failed = (message: string): CallToolResult => ({ ...said(message), isError: true });

/** The text as it is, and what is to be known of it apart from it. */
function shownText({ text, startLine, totalLines, onDisk }: ReadResult): CallToolResult {
  const end = text.length <= limits.toolText ? text.length : text.lastIndexOf("\n", limits.toolText - 1) + 1;
  const shown = text.slice(0, end === 0 ? limits.toolText : end);
  const lines = shown.split("\n").length - (shown.endsWith("\n") ? 1 : 0);
  const last = Math.min(totalLines, startLine + lines - 1);
  return said(shown, toolSentences.linesShown({ first: startLine, last, total: totalLines, onDisk }));
}

/**
 * The diff stands in the structured part, which is all that some agents hand to their model; the files stand in both. A
 * change of which not all is known is no success.
 */
function shownEdit({ result, editor }: Extract<Answered, { ok: true }>): CallToolResult {
  const { outcome, label, text, diff, files, warnings, transaction } = result as MultiEditResult;
  const shown = files
    .slice(0, limits.toolFiles)
    .map(({ path, kind, newPath, added, removed, firstChangedLine, onDisk }) => ({
      path,
      kind,
      ...(newPath === undefined ? {} : { newPath }),
      firstChangedLine,
      added,
      removed,
      ...(onDisk === undefined ? {} : { onDisk }),
    }));
  const lines = text.split("\n");
  const listed = lines.slice(0, limits.toolFiles + 1);
  const rest = lines.length > listed.length ? [toolSentences.moreFiles(lines.length - listed.length)] : [];
  // Of a change that is in doubt the doubt comes first.
  const known = outcome === "unknown" ? [] : warnings;
  const onDisk = outcome === "applied" && editor === undefined ? [answerSentences.written] : [];
  const where = outcome === "proposed" ? [callSentences.nothingChanged] : onDisk;
  const told = [...(outcome === "unknown" ? warnings : []), ...listed, ...rest, ...where, ...known];
  const structuredContent = {
    outcome,
    label,
    diff,
    files: shown,
    warnings,
    ...(transaction === undefined ? {} : { transaction }),
  };
  const isError = outcome === "unknown" ? { isError: true } : {};
  return { ...said(told.join("\n")), structuredContent, ...isError };
}
