/** Sends a request to the right session and returns the result, or a failure if no result arrives in time. */
import { resolve } from "node:path";
import { type CancellationToken, CancellationTokenSource, ErrorCodes, ResponseError } from "vscode-jsonrpc/node";
import { decodeCall } from "../../dialect/decode.js";
import type { CallOptions } from "../../dialect/options.js";
import type { Previewer } from "../../dialect/sentences.js";
import { failureMessage } from "../../lsp/edit/failureMessage.js";
import {
  type Caller,
  type EditResult,
  type MultiEditErrorData,
  type MultiEditResult,
  methods,
} from "../../lsp/protocol.js";
import type { Failure } from "../../plan/failure.js";
import { pathsOf } from "../../plan/operation.js";
import { limits } from "../../text/limits.js";
import { sessionFailures } from "../sentences.js";
import { askUserOf } from "./askUser.js";
import { ConnectionLost } from "./connect.js";
import { announcedGates, readUserSettings, warningsAbout } from "./gates.js";
import { canonicalPaths, mattersTo, openElsewhere, selectSession, sessionName } from "./selectSession.js";
import { closeSessions, findSessions } from "./sessions.js";

/** The program that sends requests, with its settings. */
export interface RequestContext {
  /** The program's version. */
  readonly version: string;
  /** The agent, as it identifies itself to sessions. */
  readonly caller: Caller;
  /** The directory where sessions are announced. */
  readonly sessions: string;
  /** The base directory for relative paths, as an absolute path. */
  readonly directory: string;
  /** A prefix of the id of the session that the user chose; `undefined` if the files determine the session. */
  readonly session: string | undefined;
  /** `editor`: use only an editor; `disk`: only the disk; `auto`: the editor that has the files, or else the disk. */
  readonly mode: Mode;
  /** `true` if the user typed the command at a terminal, as far as this program can tell. */
  readonly isTyped?: boolean;
  /** The time to wait for an answer, in milliseconds. */
  readonly patience: number;
  /**
   * Called once if the answer is slow, with the session's name, or `undefined` if the request is carried out on disk.
   */
  slow?(session: string | undefined): void;
  /** Called, if there is no editor, with each message that an editor would show to the user. */
  notify?(text: string): void;
  /** Aborted when the user no longer wants the answer. */
  readonly signal: AbortSignal;
}

/** The choice between editor and disk. */
export type Mode = "auto" | "editor" | "disk";

/** A request and the files that it concerns. */
export interface SessionRequest {
  readonly method: string;
  readonly params: unknown;
  readonly targets: readonly string[];
  /** `true` if the request makes no sense without an editor. */
  readonly needsEditor?: boolean;
}

/** The request for a call, or the failures if the call can't be read. */
export type CallRequest = { readonly ok: true; readonly request: SessionRequest } | FailedRequest;

/**
 * Reads one call, which may be any JSON value, and adds `options`; the call itself must not contain options.
 * `previewer`: the request, tool or command that messages recommend for a preview.
 */
export function readCall(value: unknown, method: string, options: CallOptions, previewer: Previewer): CallRequest {
  const call: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const decoded = decodeCall(call, { optionsAllowed: false, previewer });
  if (!decoded.ok) {
    const { failures } = decoded;
    const message = failureMessage(failures, { sound: [], total: 0, isPatch: false });
    return { ok: false, message, failures, edits: [], unknown: false };
  }
  const paths = decoded.operations.flatMap((operation) => pathsOf(operation).map(({ path }) => path));
  // A call that could be decoded is an object or a string.
  const params = typeof call === "string" ? { patch: call, options } : { ...(call as object), options };
  return { ok: true, request: { method, params, targets: [...new Set(paths)] } };
}

/** The result of a request. */
export type RequestResult =
  | {
      readonly ok: true;
      readonly result: unknown;
      /** The editor that answered; `undefined` if the request was carried out on disk. */
      readonly editor: string | undefined;
      /** Id of that editor's session. */
      readonly session?: string;
    }
  | FailedRequest;

/** A request that failed or was not sent. */
export interface FailedRequest {
  readonly ok: false;
  /** All failures in one message, for people and models. */
  readonly message: string;
  readonly failures: readonly Failure[];
  readonly edits: readonly EditResult[];
  /** `true` if it is unclear whether the files were changed. */
  readonly unknown: boolean;
}

/**
 * Sends a request to the session that has the files or, if there is none, carries it out on disk. Rejects only if the
 * program has a bug.
 */
export async function sendRequest(request: SessionRequest, context: RequestContext): Promise<RequestResult> {
  const { session: id, directory, mode } = context;
  if (mode === "disk" && request.needsEditor !== true) return serveOnDisk(request, context);
  const query = { session: id, targets: request.targets, directory };
  const found = await findSessions(context.sessions, context.caller, mattersTo(query));
  try {
    const selected = await selectSession(found, query);
    if (!selected.ok) return failureResult(selected.failure);
    const { session } = selected;
    if (session !== undefined) {
      const respond = (token: CancellationToken) => session.request(request.method, request.params, token);
      const { version, record } = session;
      const result = await resultOf({ version, editor: sessionName(record), respond }, context);
      return result.ok ? { ...result, session: record.id } : result;
    }
    if (mode === "auto" && request.needsEditor !== true) return await serveOnDisk(request, context);
    return failureResult(sessionFailures.none(found.reached.map(({ record }) => sessionName(record))));
  } finally {
    closeSessions(found);
  }
}

/** Carries out a request on disk, by running the same server in this process, without an editor. */
async function serveOnDisk(
  { method, params, targets }: SessionRequest,
  context: RequestContext,
): Promise<RequestResult> {
  const { openDiskSession, withKept } = await import("./diskSession.js");
  const { serveRequest } = await import("../../lsp/requests.js");
  const { directory, version, sessions, caller } = context;
  const files = await canonicalPaths([directory, ...targets.map((target) => resolve(directory, target))]);
  const settings = readUserSettings(directory);
  if (settings.problem !== undefined) context.notify?.(settings.problem);
  const session = await openDiskSession(directory, settings.value, version, (text) => context.notify?.(text));
  session.gate = { ...session.gate, isFallback: true };
  session.otherGates = () => announcedGates(sessions);
  const isAgreed = method === methods.undo && context.isTyped === true;
  session.askElsewhere = async (question, files, token) =>
    // Whoever types an undo has decided on it. What may not be changed at all is refused before anybody is asked.
    isAgreed ? "yes" : askUserOf(files, { question, sessions, caller, token });
  session.openElsewhere = (paths) => openElsewhere(paths, sessions, caller);
  const respond = async (token: CancellationToken): Promise<unknown> => {
    const answer = await serveRequest(session, { method, params, applier: "server", caller }, token);
    if (answer instanceof ResponseError) throw answer;
    const result: object =
      method === methods.apply ? await withKept(session, answer as MultiEditResult) : Object(answer);
    const { warnings }: { readonly warnings?: readonly string[] } = result;
    return warnings === undefined ? result : { ...result, warnings: [...warnings, ...warningsAbout(sessions, files)] };
  };
  return resultOf({ version, editor: undefined, respond }, context);
}

/** The session that answers a request, either at the other end of a socket or in this process. */
interface Responder {
  readonly version: string;
  /** The session's editor; `undefined` if it has none. */
  readonly editor: string | undefined;
  respond(token: CancellationToken): Promise<unknown>;
}

/** Waits up to `patience` milliseconds for an answer, then cancels the request and waits a little longer. */
async function resultOf(responder: Responder, { patience, signal, slow }: RequestContext): Promise<RequestResult> {
  const source = new CancellationTokenSource();
  const timers: NodeJS.Timeout[] = [];
  const after = (milliseconds: number): Promise<"late"> =>
    new Promise((resolve) => timers.push(setTimeout(resolve, milliseconds, "late")));
  const aborted = new Promise<"late">((resolve) => signal.addEventListener("abort", () => resolve("late")));
  const result = responder.respond(source.token).then(
    (answer): RequestResult => ({ ok: true, result: answer, editor: responder.editor }),
    (error: unknown) => failureOf(error, responder.version),
  );
  timers.push(setTimeout(() => slow?.(responder.editor), limits.progressAfterMs));
  try {
    const first = await Promise.race([result, after(patience), aborted]);
    if (first !== "late") return first;
    source.cancel();
    const last = await Promise.race([result, after(limits.stopMs)]);
    const seconds = Math.round(patience / 1000);
    if (last === "late") return { ...failureResult(sessionFailures.noAnswer(seconds)), unknown: true };
    const wasCancelled = !last.ok && last.failures.some(({ code }) => code === "cancelled");
    return wasCancelled && signal.aborted !== true ? failureResult(sessionFailures.stopped(seconds)) : last;
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

function failureOf(error: unknown, version: string): RequestResult {
  if (error instanceof ConnectionLost) return { ...failureResult(sessionFailures.lost()), unknown: true };
  if (!(error instanceof ResponseError)) throw error;
  if (error.code === ErrorCodes.MethodNotFound) return failureResult(sessionFailures.tooOld(version));
  const { failures = [], edits = [] } = (error.data ?? {}) as Partial<MultiEditErrorData>;
  return { ok: false, message: error.message, failures, edits, unknown: false };
}

function failureResult(failure: Failure): FailedRequest {
  return { ok: false, message: failure.message, failures: [failure], edits: [], unknown: false };
}
