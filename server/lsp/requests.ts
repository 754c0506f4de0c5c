/** Dispatches requests and commands from the editor, and requests from agents. */
import { type CancellationToken, ErrorCodes, LSPErrorCodes, ResponseError } from "vscode-languageserver/node";
import { clip, type FailureCode } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { applyBatch, type ReceivedCall } from "./apply/apply.js";
import { confirmFor } from "./apply/confirm.js";
import { undo } from "./apply/undo.js";
import { type Answer, toErrorData } from "./edit/result.js";
import { agentMethods, type Caller, type MultiEditErrorData, type MultiEditResult, methods } from "./protocol.js";
import { readDocument, statusOf } from "./read.js";
import { unknownRequest } from "./sentences.js";
import type { Session } from "./session.js";

/** A request or command from the editor, or a request from an agent. */
export interface IncomingRequest extends ReceivedCall {
  /** One of `methods`, or an unknown method. */
  readonly method: string;
}

type Serve = (session: Session, request: IncomingRequest, token: CancellationToken) => Promise<Answer<unknown>>;

const table: ReadonlyMap<string, Serve> = new Map<string, Serve>([
  [methods.apply, traced],
  [methods.preview, (session, request, token) => traced(session, { ...request, applier: "preview" }, token)],
  [methods.read, (session, request) => readDocument(session, request.params)],
  [methods.undo, (session, request, token) => undo(session, request.params, token)],
  [
    agentMethods.confirm,
    async (session, { params }, token) => {
      await session.ready;
      return confirmFor(session, params, token);
    },
  ],
  [methods.status, async (session) => ({ ok: true, result: await statusOf(session) })],
]);

/**
 * Serves one request, whoever sent it. Returns a failure as a `ResponseError`, which JSON-RPC libraries send as an
 * error. The error's data is `MultiEditErrorData`; for an unknown method, the error has the code MethodNotFound and no
 * data.
 */
export async function serveRequest(
  session: Session,
  request: IncomingRequest,
  token: CancellationToken,
): Promise<unknown> {
  const serve = table.get(request.method);
  if (serve === undefined) {
    return new ResponseError(ErrorCodes.MethodNotFound, unknownRequest(request.method));
  }
  if (request.method !== methods.status && request.method !== agentMethods.confirm) session.lastCallAt = new Date();
  const answer = await serve(session, request, token);
  if (request.caller !== undefined) noteCaller(session, request.method, request.caller, answer);
  if (answer.ok) return answer.result;
  const code = rpcCodes[answer.failures[0]?.code ?? "invalidParams"] ?? LSPErrorCodes.RequestFailed;
  return new ResponseError<MultiEditErrorData>(code, answer.message, toErrorData(answer));
}

/** JSON-RPC error codes, by failure code; all other failures map to `RequestFailed`. */
const rpcCodes: Partial<Record<FailureCode, number>> = {
  invalidParams: ErrorCodes.InvalidParams,
  unknownField: ErrorCodes.InvalidParams,
  missingField: ErrorCodes.InvalidParams,
  missingPath: ErrorCodes.InvalidParams,
  patchSyntax: ErrorCodes.InvalidParams,
  contentModified: LSPErrorCodes.ContentModified,
  cancelled: LSPErrorCodes.RequestCancelled,
};

/**
 * Returns the answer to a command, replacing the error code ContentModified: VS Code's client library takes that code
 * to mean that the request is outdated, and resolves the command to `undefined`, as if nothing had failed. The error's
 * `data` still contains the failure's own code.
 */
export function asCommandAnswer(answer: unknown): unknown {
  const isSwallowed = answer instanceof ResponseError && answer.code === LSPErrorCodes.ContentModified;
  return isSwallowed ? new ResponseError(LSPErrorCodes.RequestFailed, answer.message, answer.data) : answer;
}

/** Remembers and logs the caller. Ignores status requests, because every agent that looks for an editor sends one. */
function noteCaller(session: Session, method: string, caller: Caller, answer: Answer<unknown>): void {
  if (method === methods.status) return;
  rememberCaller(session, caller);
  const level = method === methods.apply || method === methods.undo ? "info" : "debug";
  session.log(level, `${describeCaller(caller)}: ${method} ${outcomeOf(answer)}`);
}

/**
 * Adds an agent to the end of the bounded list or, if it is already listed, moves it there. An agent without an id is
 * identified by its name.
 */
function rememberCaller(session: Session, caller: Caller): void {
  const { name, agent } = caller;
  const others = session.callers.filter((one) => one.agent !== agent || (agent === undefined && one.name !== name));
  session.callers = [...others, caller].slice(-limits.agentsKnown);
}

/** Describes a caller for the log: `claude-code 2.1.330 (agent 0f3a…)`. */
export function describeCaller({ name, version, agent }: Caller): string {
  return `${name}${version === undefined ? "" : ` ${version}`} (${agent === undefined ? "an unknown agent" : `agent ${agent}`})`;
}

/** Describes a request's outcome briefly, for the log. */
function outcomeOf(answer: Answer<unknown>): string {
  if (!answer.ok) return `failed: ${answer.message.split("\n", 1)[0]}`;
  const { outcome, label } = answer.result as Partial<MultiEditResult>;
  return outcome === undefined ? "answered" : `${outcome}: ${label}`;
}

/** Serves a call and writes its outcome and duration to the connection's trace. */
async function traced(session: Session, call: ReceivedCall, token: CancellationToken): Promise<Answer> {
  const start = performance.now();
  const answer = await applyBatch(session, call, token);
  const verbose = answer.ok ? answer.result.diff : answer.message;
  const duration = (performance.now() - start).toFixed(1);
  session.connection.tracer.log(`${call.applier} ${outcomeOf(answer)} (${duration} ms)`, clip(verbose, limits.logLine));
  return answer;
}
