/** Answers the requests of an ACP agent for files: from the editor that has them open or, without one, from disk. */
import type { ReadResult } from "../../lsp/protocol.js";
import { readCaller } from "../../session/handshake.js";
import { type FailedRequest, type RequestContext, readCall, sendRequest } from "../../session/request.js";
import type { FileRequest } from "./proxy.js";
import { acpProblems } from "./sentences.js";

/** Error codes of ACP. */
const codes = { invalidParams: -32_602, internal: -32_603, notFound: -32_002, cancelled: -32_800 } as const;

/** The answer to a request; `undefined`: the file is the editor's own, or outside the folder, and the editor is to answer. */
export type FileAnswer =
  | { readonly result: object }
  | { readonly error: { readonly code: number; readonly message: string } }
  | undefined;

/** Answers one request. Rejects only if the program has a bug. `agent`: the id that all of its calls have. */
export async function answerFile(request: FileRequest, context: RequestContext): Promise<FileAnswer> {
  const { kind, params, directory, agent } = request;
  const { path } = params;
  if (typeof path !== "string" || path === "") return refused(codes.invalidParams, acpProblems.noPath);
  const named = agent && readCaller({ ...agent, agent: context.caller.agent });
  const own: RequestContext = {
    ...context,
    directory: directory ?? context.directory,
    caller: named ?? context.caller,
  };
  const failed = (answer: FailedRequest): FileAnswer => {
    const isOutside = answer.failures.some(({ code }) => code === "outsideWorkspace");
    if (isOutside && request.canPass) return undefined;
    // The failures may be empty: a session may refuse a request altogether.
    const isMissing = answer.failures.some(({ code }) => code === "fileNotFound");
    const message = isMissing ? acpProblems.notFound(path, answer.message) : answer.message;
    if (context.signal.aborted && !answer.unknown) return refused(codes.cancelled, message);
    return refused(isMissing && kind === "read" ? codes.notFound : codes.internal, message);
  };
  if (kind === "read") {
    if ([params.line, params.limit].some((value) => value != null && !Number.isSafeInteger(value)))
      return refused(codes.invalidParams, acpProblems.badLine);
    const answer = await sendRequest(
      { method: "multiEdit/read", params: { path, ...linesOf(params) }, targets: [path] },
      own,
    );
    return answer.ok ? { result: { content: (answer.result as ReadResult).text } } : failed(answer);
  }
  if (typeof params.content !== "string") return refused(codes.invalidParams, acpProblems.noContent);
  const call = readCall({ path, content: params.content }, "multiEdit/apply", { root: own.directory }, "tool");
  const answer = call.ok ? await sendRequest(call.request, own) : call;
  if (!answer.ok) return failed(answer);
  const { outcome } = answer.result as { readonly outcome?: unknown };
  return outcome === "unknown" ? refused(codes.internal, acpProblems.unknown(path)) : { result: {} };
}

/** Returns the lines that a read asks for: ACP gives the first one, counted from 1, and their number. */
function linesOf({ line, limit }: FileRequest["params"]): { readonly startLine?: number; readonly endLine?: number } {
  // Some agents count from 0; a line too many does no harm.
  const startLine = typeof line === "number" ? Math.max(1, line) : undefined;
  const end = typeof limit === "number" ? { endLine: Math.max(1, limit) - 1 + (startLine ?? 1) } : {};
  return { ...(startLine === undefined ? {} : { startLine }), ...end };
}

const refused = (code: number, message: string): FileAnswer => ({ error: { code, message } });
