/** Waits for the answer to a request: until it arrives, the time is up, the connection is lost, or nobody wants it. */
import type { CancellationToken } from "vscode-jsonrpc/node";
import type { EditResult, MultiEditErrorData } from "../lsp/protocol.js";
import { callSentences, editorFailures } from "../lsp/sentences.js";
import type { OnWaiting } from "../lsp/session.js";
import { AnswerError, createCancelSource, errorCodes } from "../lsp/wire/rpc.js";
import { type Failure, withRest } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { ConnectionLost } from "./connect.js";
import { sessionFailures } from "./sentences.js";

/** Limits to the wait for an answer. */
export interface Patience {
  /** The time to wait, in milliseconds. */
  readonly patience: number;
  /** Called once if the answer is slow. Without a name, it is about the disk. `isAsked`: the user has a question. */
  slow?(session: string | undefined, isAsked: boolean): void;
  /** Called when the user is asked about the call. If it is set, the user's time does not count as the call's. */
  onAsked?(): void;
  /** Aborted when the user no longer wants the answer. */
  readonly signal: AbortSignal;
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

/** The session that answers a request, either at the other end of a socket or in this process. */
interface Responder {
  readonly version: string;
  /** The session's editor; `undefined` if it has none. */
  readonly editor: string | undefined;
  respond(token: CancellationToken, onWaiting: OnWaiting): Promise<unknown>;
}

/**
 * Waits up to `patience` milliseconds for an answer, or up to `limits.commandMs` longer if the user has been asked, then
 * cancels the request and waits a little longer.
 */
export async function resultOf(
  responder: Responder,
  { patience, signal, slow, onAsked }: Patience,
): Promise<RequestResult> {
  let isAsked = false;
  let waiting = false;
  const onWaiting = (isWaiting: boolean): void => {
    waiting = isWaiting;
    if (!isWaiting) return;
    isAsked = onAsked !== undefined;
    onAsked?.();
  };
  const source = createCancelSource();
  const timers: NodeJS.Timeout[] = [];
  const started = performance.now();
  const after = (milliseconds: number): Promise<"late"> =>
    new Promise((resolve) => timers.push(setTimeout(resolve, milliseconds, "late")));
  const aborted = new Promise<"late">((resolve) => {
    // The signal may have been aborted while the session was being looked for.
    if (signal.aborted) resolve("late");
    signal.addEventListener("abort", () => resolve("late"));
  });
  const result = responder.respond(source.token, onWaiting).then(
    (answer): RequestResult => ({ ok: true, result: answer, editor: responder.editor }),
    (error: unknown) => failureOf(error, responder.version),
  );
  timers.push(setTimeout(() => slow?.(responder.editor, waiting), limits.progressAfterMs));
  try {
    const early = await Promise.race([result, after(patience), aborted]);
    if (early !== "late") return early;
    const first = isAsked && !signal.aborted ? await Promise.race([result, after(limits.commandMs), aborted]) : early;
    if (first !== "late") return first;
    const seconds = Math.round((performance.now() - started) / 1000);
    source.cancel();
    const last = await Promise.race([result, after(limits.stopMs)]);
    if (last === "late") return { ...failureResult(sessionFailures.noAnswer(seconds)), unknown: true };
    const wasCancelled = !last.ok && last.failures.some(({ code }) => code === "cancelled");
    return wasCancelled && signal.aborted !== true ? failureResult(sessionFailures.stopped(seconds)) : last;
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

function failureOf(error: unknown, version: string): RequestResult {
  if (error instanceof ConnectionLost) {
    return error.wasWaiting
      ? failureResult(withRest(editorFailures.closedAsking(), callSentences.nothingChanged))
      : { ...failureResult(sessionFailures.lost()), unknown: true };
  }
  if (!(error instanceof AnswerError)) throw error;
  if (error.code === errorCodes.methodNotFound) return failureResult(sessionFailures.tooOld(version));
  const { failures = [], edits = [] } = (error.data ?? {}) as Partial<MultiEditErrorData>;
  return { ok: false, message: error.message, failures, edits, unknown: false };
}

/** Returns the result of a request that failed for one reason. */
export function failureResult(failure: Failure): FailedRequest {
  return { ok: false, message: failure.message, failures: [failure], edits: [], unknown: false };
}
