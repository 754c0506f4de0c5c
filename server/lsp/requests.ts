/** Dispatches requests and commands from the editor, and requests from agents. */
import type { CancellationToken } from "vscode-languageserver/node";
import { clip, type FailureCode } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { applyBatch, type ReceivedCall } from "./apply/apply.js";
import { confirmFor } from "./apply/confirm.js";
import { answerFromShell } from "./apply/shellAnswer.js";
import { undo } from "./apply/undo.js";
import { reportOwnWrites } from "./diagnostics/ownWrites.js";
import { forPerson } from "./edit/forPeople.js";
import { type Answer, toErrorData } from "./edit/result.js";
import { noticeFailed } from "./notices/notices.js";
import {
  agentMethods,
  type Caller,
  type MultiEditErrorData,
  type MultiEditResult,
  methods,
  type ReadResult,
} from "./protocol.js";
import { readDocument, statusOf } from "./read.js";
import { reviewMethods } from "./review/protocol.js";
import { withoutReview } from "./review/serve.js";
import { unknownRequest } from "./sentences.js";
import type { Session } from "./session.js";
import { type ErrorClass, errorCodes } from "./wire/rpc.js";

/** A request or command from the editor, or a request from an agent. */
export interface IncomingRequest extends ReceivedCall {
  /** One of `methods`, or an unknown method. */
  readonly method: string;
}

type Serve = (session: Session, request: IncomingRequest, token: CancellationToken) => Promise<Answer<unknown>>;

const table: ReadonlyMap<string, Serve> = new Map<string, Serve>([
  [methods.apply, traced],
  [methods.preview, (session, request, token) => traced(session, { ...request, applier: "preview" }, token)],
  [methods.read, (session, { params, caller }) => readDocument(session, params, caller)],
  [methods.undo, (session, request, token) => undo(session, request, token)],
  [
    agentMethods.confirm,
    async (session, request, token) => {
      await session.ready;
      return confirmFor(session, request, token);
    },
  ],
  [agentMethods.answer, async (session, { params }) => answerFromShell(session, params)],
  [agentMethods.ownWrites, reportOwnWrites],
  [reviewMethods.redo, (session, request, token) => undo(session, request, token, "redo")],
  ...Object.values(reviewMethods)
    .filter((method) => method !== reviewMethods.redo)
    .map((method): [string, Serve] => [
      method,
      async (session, request) => session.review?.serve(request) ?? withoutReview(session, request.method),
    ]),
  [methods.status, async (session, { params }) => ({ ok: true, result: await statusOf(session, params) })],
]);

/** Serves one request, whoever sent it. Returns a failure as an `ErrorType`, with `MultiEditErrorData` if known. */
export async function serveRequest(
  session: Session,
  request: IncomingRequest,
  token: CancellationToken,
  ErrorType: ErrorClass,
): Promise<unknown> {
  const serve = table.get(request.method);
  if (serve === undefined) {
    return new ErrorType(errorCodes.methodNotFound, unknownRequest(request.method));
  }
  if (!uncounted.has(request.method)) session.lastCallAt = new Date();
  const { method, share } = request;
  // An agent's previews and reads are served one after another, so that they take no more time and memory than one.
  const answer = await (share !== undefined && (method === methods.preview || method === methods.read)
    ? share.inTurn(() => serve(session, request, token), share)
    : serve(session, request, token));
  if (request.caller !== undefined) noteCaller(session, request.method, request.caller, answer);
  if (request.caller !== undefined || session.facts.hidesAnswers) noticeProblem(session, request, answer);
  const { reader } = Object(Object(request.params).options) as { readonly reader?: unknown };
  const shown = reader === "person" ? forPerson(answer) : answer;
  // The agent hears once what the user has made of its edits.
  const { transaction } = (answer.ok ? answer.result : {}) as Partial<MultiEditResult>;
  const note =
    request.caller && isHeard(method, answer) ? session.review?.noteFor(request.caller, transaction) : undefined;
  if (shown.ok) return note === undefined ? shown.result : withNote(note, shown.result as object);
  const code = rpcCodes[shown.failures[0]?.code ?? "invalidParams"] ?? errorCodes.requestFailed;
  const data: MultiEditErrorData = toErrorData(shown);
  return new ErrorType(code, note === undefined ? shown.message : `${note}\n${shown.message}`, data);
}

/** Requests whose answers begin with a note about the user's review. */
const notingMethods: ReadonlySet<string> = new Set([methods.apply, methods.preview, methods.undo]);

/** Reports whether an agent's model reads an answer. A hook that only tries a file reads no lines. */
function isHeard(method: string, answer: Answer<unknown>): boolean {
  if (method !== methods.read || !answer.ok) return notingMethods.has(method);
  const { startLine, endLine } = answer.result as ReadResult;
  return endLine >= startLine;
}

/** Adds a note to a result and, if the result has a text for the agent and no text of a file, to the head of that text. */
function withNote(note: string, result: object): object {
  const { text, label, note: own } = result as Partial<MultiEditResult>;
  const notes = own === undefined ? note : `${note}\n${own}`;
  return { ...result, note: notes, ...(label === undefined ? {} : { text: `${note}\n${text}` }) };
}

/** Requests that do not count as use of the session. */
const uncounted: ReadonlySet<string> = new Set([methods.status, ...Object.values(agentMethods)]);

/** JSON-RPC error codes, by failure code; all other failures map to `RequestFailed`. */
const rpcCodes: Partial<Record<FailureCode, number>> = {
  invalidParams: errorCodes.invalidParams,
  unknownField: errorCodes.invalidParams,
  missingField: errorCodes.invalidParams,
  missingPath: errorCodes.invalidParams,
  patchSyntax: errorCodes.invalidParams,
  contentModified: errorCodes.contentModified,
  cancelled: errorCodes.requestCancelled,
};

/** Tells the user about a command, or an agent's change, that failed for another reason than the user's own decision. */
function noticeProblem(session: Session, request: IncomingRequest, answer: Answer<unknown>): void {
  const { method, applier, caller } = request;
  const isOwn = caller === undefined && applier !== "client";
  if (!isOwn && (caller === undefined || (method !== methods.apply && method !== methods.undo))) return;
  if (!answer.ok) {
    // The user knows of these, or has been told by a message about the question.
    const isKnown = answer.failures.some(
      ({ code, path }) => code === "userRejected" || code === "cancelled" || (code === "timeout" && path === undefined),
    );
    if (!isKnown) noticeFailed(session, caller, answer.message);
    return;
  }
  const { outcome, warnings } = answer.result as Partial<MultiEditResult>;
  if (outcome === "unknown") noticeFailed(session, caller, warnings?.[0] ?? "");
}

/** Remembers and logs the caller. Ignores status requests, because every agent that looks for an editor sends one. */
function noteCaller(session: Session, method: string, caller: Caller, answer: Answer<unknown>): void {
  if (method === methods.status || method === agentMethods.answer) return;
  rememberCaller(session, caller);
  const level = method === methods.apply || method === methods.undo ? "info" : "debug";
  session.log(level, `${describeCaller(caller)}: ${method} ${outcomeOf(answer)}`);
}

/** Puts an agent at the end of the bounded list. An agent without an id is identified by its name. */
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
