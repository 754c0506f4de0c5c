/** The requests that every door serves, as one table: the editor's requests and commands, and the requests of agents. */
import { type CancellationToken, ErrorCodes, LSPErrorCodes, ResponseError } from "vscode-languageserver/node";
import { clip, type FailureCode } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { applyBatch, type ReceivedCall } from "./apply/apply.js";
import { undo } from "./apply/undo.js";
import { type Answer, toErrorData } from "./edit/result.js";
import { type Caller, type MultiEditErrorData, type MultiEditResult, methods } from "./protocol.js";
import { readDocument, statusOf } from "./read.js";
import { unknownRequest } from "./sentences.js";
import type { Session } from "./session.js";

/** A request as it came through one of the doors. */
export interface IncomingRequest extends ReceivedCall {
  /** One of `methods`, or anything else. */
  readonly method: string;
}

type Serve = (session: Session, request: IncomingRequest, token: CancellationToken) => Promise<Answer<unknown>>;

const table: ReadonlyMap<string, Serve> = new Map<string, Serve>([
  [methods.apply, traced],
  [methods.preview, (session, request, token) => traced(session, { ...request, applier: "preview" }, token)],
  [methods.read, (session, request) => readDocument(session, request.params)],
  [methods.undo, (session, request, token) => undo(session, request.params, token)],
  [methods.status, async (session) => ({ ok: true, result: await statusOf(session) })],
]);

/**
 * Serves one request of any door. What can go wrong is answered with a `ResponseError`, which JSON-RPC libraries send as
 * one: failures of a call have `MultiEditErrorData`; a method that nobody knows is MethodNotFound.
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
  const answer = await serve(session, request, token);
  if (request.caller !== undefined) noteCaller(session, request.method, request.caller, answer);
  if (answer.ok) return answer.result;
  const code = rpcCodes[answer.failures[0]?.code ?? "invalidParams"] ?? LSPErrorCodes.RequestFailed;
  return new ResponseError<MultiEditErrorData>(code, answer.message, toErrorData(answer));
}

/** JSON-RPC codes by failure code; all others are `RequestFailed`. */
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
 * The answer to a command, whose errors are never ContentModified: VS Code's client library takes that for a request that is
 * out of date, and resolves the command to `undefined` as if nothing had failed. `data` has the failure's own code.
 */
export function asCommandAnswer(answer: unknown): unknown {
  const isSwallowed = answer instanceof ResponseError && answer.code === LSPErrorCodes.ContentModified;
  return isSwallowed ? new ResponseError(LSPErrorCodes.RequestFailed, answer.message, answer.data) : answer;
}

/** The state of a session is asked for by every agent of the user that looks for an editor: that alone is no call. */
function noteCaller(session: Session, method: string, caller: Caller, answer: Answer<unknown>): void {
  if (method === methods.status) return;
  rememberCaller(session, caller);
  const level = method === methods.apply || method === methods.undo ? "info" : "debug";
  session.log(level, `${describeCaller(caller)}: ${method} ${outcomeOf(answer)}`);
}

/** Notes that an agent has asked. One without an id is known by its name; the list is bounded. */
function rememberCaller(session: Session, caller: Caller): void {
  const { name, agent } = caller;
  const others = session.callers.filter((one) => one.agent !== agent || (agent === undefined && one.name !== name));
  session.callers = [...others, caller].slice(-limits.agentsKnown);
}

/** A caller in the log: `claude-code 2.1.330 (agent 0f3a…)`. */
export function describeCaller({ name, version, agent }: Caller): string {
  return `${name}${version === undefined ? "" : ` ${version}`} (${agent === undefined ? "an unknown agent" : `agent ${agent}`})`;
}

/** The end of a request, in a few words for the log. */
function outcomeOf(answer: Answer<unknown>): string {
  if (!answer.ok) return `failed: ${answer.message.split("\n", 1)[0]}`;
  const { outcome, label } = answer.result as Partial<MultiEditResult>;
  return outcome === undefined ? "answered" : `${outcome}: ${label}`;
}

/** The library's trace tells how a call ended and how long it took. */
async function traced(session: Session, call: ReceivedCall, token: CancellationToken): Promise<Answer> {
  const start = performance.now();
  const answer = await applyBatch(session, call, token);
  const verbose = answer.ok ? answer.result.diff : answer.message;
  const duration = (performance.now() - start).toFixed(1);
  session.connection.tracer.log(`${call.applier} ${outcomeOf(answer)} (${duration} ms)`, clip(verbose, limits.logLine));
  return answer;
}
