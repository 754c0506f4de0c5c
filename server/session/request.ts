/** Sends a request to the right session and returns the result, or a failure if no result arrives in time. */
import { resolve } from "node:path";
import type { CancellationToken } from "vscode-jsonrpc/node";
import { decodeCall } from "../dialect/decode.js";
import type { CallOptions } from "../dialect/options.js";
import type { Previewer } from "../dialect/sentences.js";
import { diskFailures } from "../disk/sentences.js";
import { failureMessage } from "../lsp/edit/failureMessage.js";
import { type Caller, type MultiEditResult, methods } from "../lsp/protocol.js";
import { nobody, type OnWaiting, type Outside } from "../lsp/session.js";
import { AnswerError } from "../lsp/wire/rpc.js";
import type { Failure } from "../plan/failure.js";
import { pathsOf } from "../plan/operation.js";
import { askUserOf } from "./askUser.js";
import { type FailedRequest, failureResult, type Patience, type RequestResult, resultOf } from "./awaitAnswer.js";
import { announcedGates, readUserSettings, warningsAbout } from "./gates.js";
import { canonicalPaths, closedSessionOf, mattersTo, openElsewhere, plainPaths } from "./holders.js";
import { sessionName } from "./record.js";
import { selectSession } from "./selectSession.js";
import { sessionFailures } from "./sentences.js";
import { closeSessions, findSessions } from "./sessions.js";

export type { FailedRequest, RequestResult };

/** The program that sends requests, with its settings. */
export interface RequestContext extends Patience {
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
  /** Asks the user in the agent's own program about a change on disk, if no editor can ask; see `Outside`. */
  readonly elicit?: Outside["elicit"];
  /** Called, if there is no editor, with each message that an editor would show to the user. */
  notify?(text: string): void;
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

/** Reads a call without options of its own, and adds `options`. `previewer`: recommended in messages. */
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

/** Sends a request to the session that has the files, or carries it out on disk. Rejects only on a bug. */
export async function sendRequest(request: SessionRequest, context: RequestContext): Promise<RequestResult> {
  const { session: id, directory, mode } = context;
  if (mode === "disk" && request.needsEditor !== true) return serveOnDisk(request, context);
  const query = { session: id, targets: request.targets, directory, isRead: request.method === methods.read };
  const found = await findSessions(context.sessions, context.caller, {
    matters: mattersTo(query),
    files: plainPaths(query),
  });
  try {
    const selected = await selectSession(found, query);
    if (!selected.ok) return failureResult(selected.failure);
    const { session } = selected;
    if (session !== undefined) {
      const respond = (token: CancellationToken, onWaiting: OnWaiting) => {
        session.whenWaiting(onWaiting);
        return session.request(request.method, request.params, token);
      };
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
  const { serveRequest } = await import("../lsp/requests.js");
  const { directory, version, sessions, caller } = context;
  const files = await canonicalPaths([directory, ...targets.map((target) => resolve(directory, target))]);
  const user = readUserSettings(directory);
  // A program that shows no messages itself gets them with the answer.
  const unshown = context.notify === undefined ? user.problems : [];
  const isAgreed = method === methods.undo && context.isTyped === true;
  const outside: Outside = {
    ...nobody,
    gates: () => announcedGates(sessions),
    ask: async (question, files, token) =>
      // Whoever types an undo has decided on it. What may not be changed at all is refused before anybody is asked.
      isAgreed ? "yes" : askUserOf(files, { question, sessions, caller, token }),
    holders: (paths) => openElsewhere(paths, sessions, caller),
    ...(context.elicit === undefined ? {} : { elicit: context.elicit }),
  };
  const log = (text: string): void => context.notify?.(text);
  const session = await openDiskSession({ directory, user, version, outside, log });
  const respond = async (token: CancellationToken, onWaiting: OnWaiting): Promise<unknown> => {
    const answer = await serveRequest(
      session,
      { method, params, applier: "server", caller, onWaiting },
      token,
      AnswerError,
    );
    if (answer instanceof AnswerError) throw answer;
    const result: object =
      method === methods.apply ? await withKept(session, answer as MultiEditResult) : Object(answer);
    const { warnings }: { readonly warnings?: readonly string[] } = result;
    return warnings === undefined
      ? result
      : { ...result, warnings: [...warnings, ...unshown, ...warningsAbout(sessions, files)] };
  };
  const answer = await resultOf({ version, editor: undefined, respond }, context);
  const mayBeWhy =
    !answer.ok && answer.failures.some(({ code }) => code === "clientCapability" || code === "protectedPath");
  const result = mayBeWhy ? { ...answer, message: [answer.message, ...unshown].join("\n") } : answer;
  // Nothing is written for a preview, so nothing else finds out that the call itself would fail.
  const refused = result.ok && method === methods.preview ? await closedTo(targets, context) : undefined;
  return refused === undefined ? result : failureResult(refused);
}

/** Returns the failure for the first target in a folder of a session that is closed to agents, if there is one. */
async function closedTo(
  targets: readonly string[],
  { directory, sessions }: RequestContext,
): Promise<Failure | undefined> {
  for (const target of targets) {
    const record = closedSessionOf(sessions, await canonicalPaths([resolve(directory, target)]));
    if (record === undefined) continue;
    return diskFailures.locked(target, { kind: "closed", session: sessionName(record), why: record.closed });
  }
  return undefined;
}
