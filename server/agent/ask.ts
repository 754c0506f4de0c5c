/** Asks the right session, for as long as may be, and gives an answer in any case. */
import { CancellationTokenSource, ErrorCodes, ResponseError } from "vscode-jsonrpc/node";
import type { EditResult, MultiEditErrorData, StatusResult } from "../lsp/protocol.js";
import { type Failure, sessionFailures } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { chooseSession, shortOf } from "./choose.js";
import { ConnectionLost, type Reached } from "./connect.js";
import { closeSessions, findSessions } from "./sessions.js";

/** Where a program that asks stands. */
export interface Asker {
  /** Version of the program. */
  readonly version: string;
  /** Where sessions are announced. */
  readonly sessions: string;
  /** Absolute path at which relative ones start. */
  readonly directory: string;
  /** The start of the id of the session that the user has named; `undefined`: the files decide. */
  readonly session: string | undefined;
  /** `editor`: an editor, or nothing. `disk`: the disk, whatever editors have. `auto`: the disk where no editor has the files. */
  readonly mode: Mode;
  /** Milliseconds that an answer may take. */
  readonly patience: number;
  /** Called once when the answer takes more than a second, with the session's name. */
  slow?(session: string): void;
  /** Aborted when the user does not want the answer any more. */
  readonly signal?: AbortSignal;
}

/** Where files are changed. */
export type Mode = "auto" | "editor" | "disk";

/** A request, and the files that it is about. */
export interface Question {
  readonly method: string;
  readonly params: unknown;
  readonly targets: readonly string[];
}

/** What came of it. */
export type Answered =
  | { readonly ok: true; readonly result: unknown }
  | {
      readonly ok: false;
      /** For people and models. */
      readonly message: string;
      readonly failures: readonly Failure[];
      readonly edits: readonly EditResult[];
      /** Whether the files may or may not be changed. */
      readonly unknown: boolean;
    };

/** Asks the session that has the files. Never rejects for what a caller, an editor or a session can do. */
export async function ask(question: Question, asker: Asker): Promise<Answered> {
  const found = await findSessions(asker.sessions, asker.version);
  try {
    const { session: id, directory } = asker;
    const chosen = await chooseSession(found, { session: id, targets: question.targets, directory });
    if (!chosen.ok) return failed(chosen.failure);
    if (chosen.session === undefined) {
      return failed(sessionFailures.none(found.reached.map(({ record }) => shortOf(record))));
    }
    return await askSession(chosen.session, question, asker);
  } finally {
    closeSessions(found);
  }
}

/** The state of a session, for those who only look. `undefined`: it has ended, or does not say. */
export async function statusOf(session: Reached): Promise<StatusResult | undefined> {
  try {
    return (await session.request("multiEdit/status", null)) as StatusResult;
  } catch {
    return undefined;
  }
}

async function askSession(session: Reached, { method, params }: Question, asker: Asker): Promise<Answered> {
  const source = new CancellationTokenSource();
  const timers: NodeJS.Timeout[] = [];
  const after = (milliseconds: number): Promise<"late"> =>
    new Promise((resolve) => timers.push(setTimeout(resolve, milliseconds, "late")));
  const stopped = new Promise<"late">((resolve) => asker.signal?.addEventListener("abort", () => resolve("late")));
  const answered = answerOf(session, session.request(method, params, source.token));
  timers.push(setTimeout(() => asker.slow?.(shortOf(session.record)), limits.progressAfterMs));
  try {
    const first = await Promise.race([answered, after(asker.patience), stopped]);
    if (first !== "late") return first;
    source.cancel();
    const last = await Promise.race([answered, after(limits.stopMs)]);
    const seconds = Math.round(asker.patience / 1000);
    if (last === "late") return { ...failed(sessionFailures.noAnswer(seconds)), unknown: true };
    const wasStopped = !last.ok && last.failures.some(({ code }) => code === "cancelled");
    return wasStopped && asker.signal?.aborted !== true ? failed(sessionFailures.stopped(seconds)) : last;
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

async function answerOf({ version }: Reached, request: Promise<unknown>): Promise<Answered> {
  try {
    return { ok: true, result: await request };
  } catch (error) {
    if (error instanceof ConnectionLost) return { ...failed(sessionFailures.lost()), unknown: true };
    if (!(error instanceof ResponseError)) throw error;
    if (error.code === ErrorCodes.MethodNotFound) return failed(sessionFailures.tooOld(version));
    const { failures = [], edits = [] } = (error.data ?? {}) as Partial<MultiEditErrorData>;
    return { ok: false, message: error.message, failures, edits, unknown: false };
  }
}

function failed(failure: Failure): Answered & { readonly ok: false } {
  return { ok: false, message: failure.message, failures: [failure], edits: [], unknown: false };
}
