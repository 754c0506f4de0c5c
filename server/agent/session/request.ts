/** Asks the right session, for as long as may be, and gives an answer in any case. */
import { type CancellationToken, CancellationTokenSource, ErrorCodes, ResponseError } from "vscode-jsonrpc/node";
import type { Caller, EditResult, MultiEditErrorData } from "../../lsp/protocol.js";
import type { Failure } from "../../plan/failure.js";
import { limits } from "../../text/limits.js";
import { sessionFailures } from "../sentences.js";
import { ConnectionLost, type Reached } from "./connect.js";
import { openElsewhere } from "./otherSessions.js";
import { chooseSession, mattersTo, shortOf } from "./selectSession.js";
import { closeSessions, findSessions } from "./sessions.js";

/** Where a program that asks stands. */
export interface Asker {
  /** Version of the program. */
  readonly version: string;
  /** Who asks, as sessions are told. */
  readonly caller: Caller;
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
  /** Called with what the user of an editor would be told, where there is none. */
  tell?(text: string): void;
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
  /** It makes no sense without an editor. */
  readonly needsEditor?: boolean;
}

/** What came of it. */
export type Answered =
  | {
      readonly ok: true;
      readonly result: unknown;
      /** The editor that answered; `undefined`: there was none, and it is the disk that was read or written. */
      readonly editor: string | undefined;
    }
  | {
      readonly ok: false;
      /** For people and models. */
      readonly message: string;
      readonly failures: readonly Failure[];
      readonly edits: readonly EditResult[];
      /** Whether the files may or may not be changed. */
      readonly unknown: boolean;
    };

/** Asks the session that has the files, or does without one. Never rejects for what a caller, an editor or a session can do. */
export async function ask(question: Question, asker: Asker): Promise<Answered> {
  const { session: id, directory, mode } = asker;
  if (mode === "disk" && question.needsEditor !== true) return askDisk(question, asker);
  const wish = { session: id, targets: question.targets, directory };
  const found = await findSessions(asker.sessions, asker.caller, { matters: mattersTo(wish) });
  try {
    const chosen = await chooseSession(found, wish);
    if (!chosen.ok) return failed(chosen.failure);
    if (chosen.session !== undefined) {
      const { record } = chosen.session;
      return await askSession({ ...chosen.session, editor: shortOf(record) }, question, asker);
    }
    if (mode === "auto" && question.needsEditor !== true) return await askDisk(question, asker);
    return failed(sessionFailures.none(found.reached.map(({ record }) => shortOf(record))));
  } finally {
    closeSessions(found);
  }
}

/** The same server in this process, with no editor behind it. */
async function askDisk({ method, params }: Question, asker: Asker): Promise<Answered> {
  const [{ openDiskSession }, { serveRequest }] = await Promise.all([
    import("./diskSession.js"),
    import("../../lsp/requests.js"),
  ]);
  const { directory, version, sessions, caller } = asker;
  const session = await openDiskSession(directory, version, (text) => asker.tell?.(text));
  session.openElsewhere = (paths) => openElsewhere(paths, { sessions, caller });
  const request = async (asked: string, given: unknown, token?: CancellationToken): Promise<unknown> => {
    const answer = await serveRequest(
      session,
      { method: asked, params: given, applier: "server", caller },
      token ?? new CancellationTokenSource().token,
    );
    if (answer instanceof ResponseError) throw answer;
    // Nobody is there to whom it could be sent later.
    const { transaction: _, ...result } = answer as { transaction?: string };
    return result;
  };
  return askSession({ request, version, editor: undefined }, { method, params }, asker);
}

/** Who answers: a session at the other end of a socket, or in this process. */
interface Answerer extends Pick<Reached, "request" | "version"> {
  readonly editor: string | undefined;
}

async function askSession(
  session: Answerer,
  { method, params }: Pick<Question, "method" | "params">,
  asker: Asker,
): Promise<Answered> {
  const source = new CancellationTokenSource();
  const timers: NodeJS.Timeout[] = [];
  const after = (milliseconds: number): Promise<"late"> =>
    new Promise((resolve) => timers.push(setTimeout(resolve, milliseconds, "late")));
  const stopped = new Promise<"late">((resolve) => asker.signal?.addEventListener("abort", () => resolve("late")));
  const answered = answerOf(session, session.request(method, params, source.token));
  timers.push(setTimeout(() => asker.slow?.(session.editor ?? "the disk"), limits.progressAfterMs));
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

async function answerOf({ version, editor }: Answerer, request: Promise<unknown>): Promise<Answered> {
  try {
    return { ok: true, result: await request, editor };
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
