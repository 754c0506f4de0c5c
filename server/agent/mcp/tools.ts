/** The tools that a model sees over MCP: their names, their schemas, and the request that each sends to a session. */
import { shapeJsonSchemas } from "../../dialect/jsonSchema.js";
import { limits } from "../../text/limits.js";
import { fromDirectory } from "../../workspace/pathText.js";
import { type CallRequest, readCall } from "../session/request.js";
import { readParameterTexts, toolTexts } from "./sentences.js";

/** One tool. */
export interface ToolRow {
  readonly name: "multi_edit" | "apply_patch" | "preview_edits" | "read_document" | "editor_status";
  readonly title: string;
  /** Shorter than 2 KB, because agents truncate longer descriptions. */
  readonly description: string;
  /** A plain object with plain properties, because some model APIs reject unions, references and lists of types. */
  readonly inputSchema: object;
  readonly readOnly: boolean;
  /** Hints for particular agents, under keys that those agents define. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Builds the request; `undefined` if the tool describes all sessions instead of sending a request to one. */
  readonly toRequest: ((args: unknown, directory: string) => CallRequest) | undefined;
}

const { batch, patch } = shapeJsonSchemas() as Record<
  "batch" | "patch",
  { properties: Readonly<Record<string, object>> }
>;

const lineNumber = (description: string): object => ({ type: "integer", minimum: 1, description });

/**
 * Marks a tool so that Claude Code always shows its description to the model, which sees only the names of other tools
 * until it searches for them. Only the two tools that every edit needs are marked: the others are rarely needed (to
 * move or delete a file, to preview a call, or to list the editors), and their descriptions would cost tokens in every
 * request.
 */
const declared = { "anthropic/alwaysLoad": true } as const;

/** All tools. They are announced in this order. */
export const tools: readonly ToolRow[] = [
  {
    name: "multi_edit",
    ...toolTexts.multi_edit,
    inputSchema: inputSchema(batch.properties, ["edits"]),
    readOnly: false,
    meta: declared,
    toRequest: (args, directory) => editRequest("multiEdit/apply", args, directory),
  },
  {
    name: "apply_patch",
    ...toolTexts.apply_patch,
    inputSchema: inputSchema(patch.properties, ["patch"]),
    readOnly: false,
    toRequest: patchRequest,
  },
  {
    name: "preview_edits",
    ...toolTexts.preview_edits,
    inputSchema: inputSchema({ ...batch.properties, ...patch.properties }, []),
    readOnly: true,
    toRequest: (args, directory) => editRequest("multiEdit/preview", args, directory),
  },
  {
    name: "read_document",
    ...toolTexts.read_document,
    inputSchema: inputSchema(
      {
        path: { type: "string", minLength: 1, description: readParameterTexts.path },
        startLine: lineNumber(readParameterTexts.startLine),
        endLine: lineNumber(readParameterTexts.endLine),
      },
      ["path"],
    ),
    readOnly: true,
    meta: { ...declared, "anthropic/maxResultSizeChars": limits.toolText + 1_000 },
    toRequest: readRequest,
  },
  {
    name: "editor_status",
    ...toolTexts.editor_status,
    inputSchema: inputSchema({}, []),
    readOnly: true,
    toRequest: undefined,
  },
];

function inputSchema(properties: Readonly<Record<string, object>>, required: readonly string[]): object {
  return { type: "object", properties, required, additionalProperties: false };
}

function editRequest(method: string, args: unknown, directory: string): CallRequest {
  return readCall(args, method, { root: directory, result: "summary" }, "tool");
}

/** Reads a call to `apply_patch`. A call with no content fails as if its patch were empty. */
function patchRequest(args: unknown, directory: string): CallRequest {
  const call = editRequest("multiEdit/apply", args, directory);
  const hasContent = call.ok || call.failures.some(({ code, index }) => code !== "missingField" || index !== undefined);
  return hasContent ? call : editRequest("multiEdit/apply", { patch: "" }, directory);
}

/** Reads a call to `read_document`. If the path is not a string, the session reports the error. */
function readRequest(args: unknown, directory: string): CallRequest {
  const { path, ...lines } = (args ?? {}) as { path?: unknown };
  if (typeof path !== "string") return { ok: true, request: { method: "multiEdit/read", params: args, targets: [] } };
  const target = fromDirectory(directory, path);
  return { ok: true, request: { method: "multiEdit/read", params: { ...lines, path: target }, targets: [target] } };
}
