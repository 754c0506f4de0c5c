/** The request that each tool sends to a session. */
import { editFields } from "../../dialect/fields.js";
import { agentFields } from "../../dialect/keys.js";
import { type CallRequest, readCall } from "../../session/request.js";
import { fromDirectory } from "../../workspace/pathText.js";
import type { ToolName } from "./tools.js";

/**
 * Builds a tool's request. `directory`: the directory to which relative paths refer. `most`: the maximum number of UTF-16
 * code units that a read returns.
 */
export type ToRequest = (args: unknown, directory: string, most: number) => CallRequest;

/** The tools that send a request which depends on their arguments. */
export type RequestTool = Exclude<ToolName, "undo_last_edit" | "editor_status">;

/** The request of each of these tools. */
export const toolRequests: Readonly<Record<RequestTool, ToRequest>> = {
  multi_edit: (args, directory) => editRequest("multiEdit/apply", args, directory),
  apply_patch: patchRequest,
  preview_edits: (args, directory) => editRequest("multiEdit/preview", args, directory),
  read_document: readRequest,
};

function editRequest(method: string, args: unknown, directory: string): CallRequest {
  return readCall(args, method, { root: directory, result: "summary" }, "tool");
}

/** Reads a call to `apply_patch`. A call with no content fails as if its patch were empty. */
function patchRequest(args: unknown, directory: string): CallRequest {
  const call = editRequest("multiEdit/apply", args, directory);
  const hasContent = call.ok || call.failures.some(({ code, index }) => code !== "missingField" || index !== undefined);
  return hasContent ? call : editRequest("multiEdit/apply", { patch: "" }, directory);
}

/**
 * Reads a call to `read_document`, also with the fields of agents' own tools that read files. If the path is not a string,
 * the session reports the error.
 */
function readRequest(args: unknown, directory: string, maxLength: number): CallRequest {
  const given = new Map(Object.entries((args ?? {}) as object).filter(([name]) => !agentFields.has(name)));
  for (const [name, other] of readNames) {
    // With both names, the session refuses the unknown one.
    if (!given.has(other) || given.has(name)) continue;
    // Some tools count lines from 0; a line too many does no harm.
    given.set(name, other === "offset" ? Math.max(1, Number(given.get(other))) : given.get(other));
    given.delete(other);
  }
  const { limit, path, ...lines }: Record<string, unknown> = Object.fromEntries(given);
  const isCount = typeof limit === "number" && lines.endLine === undefined;
  const end = isCount
    ? { endLine: Math.max(1, limit) - 1 + Number(lines.startLine ?? 1) }
    : limit === undefined
      ? {}
      : { limit };
  if (typeof path !== "string") return { ok: true, request: { method: "multiEdit/read", params: args, targets: [] } };
  const target = fromDirectory(directory, path);
  return {
    ok: true,
    request: { method: "multiEdit/read", params: { ...lines, ...end, path: target, maxLength }, targets: [target] },
  };
}

/** The names of a read's fields in other tools, after ours. */
const readNames: readonly (readonly [ours: string, other: string])[] = [
  ...editFields.path.spellings.slice(1).map((other) => ["path", other] as const),
  ["startLine", "offset"],
  ["startLine", "start_line"],
  ["endLine", "end_line"],
];
