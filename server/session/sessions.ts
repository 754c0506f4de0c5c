/** Finds the user's running editor sessions through their announcements and asks each for its open files. */
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Unreached } from "../disk/sentences.js";
import type { Caller, StatusResult } from "../lsp/protocol.js";
import { AnswerError } from "../lsp/wire/rpc.js";
import { limits } from "../text/limits.js";
import { codeOf, mapBounded } from "../workspace/identity.js";
import { isProcess } from "../workspace/process.js";
import { folderProblems } from "../workspace/sentences.js";
import { privacyProblem } from "../workspace/serverFolder.js";
import { type ConnectResult, connect, type SessionConnection } from "./connect.js";
import { isForeign, type ReadRecords, readRecords, recordPath, removeRecord, type SessionRecord } from "./record.js";
import { sessionProblems } from "./sentences.js";

/** A session that was reached and has reported its open files. */
export interface LiveSession extends SessionConnection {
  readonly status: StatusResult;
}

/** An announced session that could not be reached. */
export interface UnreachedSession {
  readonly record: SessionRecord;
  readonly why: Unreached;
}

/** The sessions found. The caller must close their connections with `closeSessions`. */
export interface FoundSessions extends Pick<ReadRecords, "closed" | "problems" | "hidden"> {
  readonly reached: readonly LiveSession[];
  /** Sessions that may be running and may have unsaved changes. */
  readonly unreached: readonly UnreachedSession[];
  /** The `problems` that keep every session from announcing itself or from being found. */
  readonly blind: readonly string[];
  /** The number of announcements removed because their sessions had ended. */
  readonly removed: number;
}

/** Which sessions are asked, and for what. */
export interface FindOptions {
  /** Reports whether a session may have a file of the caller; one that can't gets less time. By default, all may. */
  readonly matters?: (record: SessionRecord) => Promise<boolean>;
  /** The id of the session that is asking, which is skipped. */
  readonly except?: string | undefined;
  /** Absolute paths of the only files that the caller asks about; `undefined` for all open files. */
  readonly files?: readonly string[] | undefined;
}

/** Connects to every announced session as `caller` and asks for its open files. */
export async function findSessions(
  directory: string,
  caller: Caller,
  { matters = async () => true, except, files }: FindOptions = {},
): Promise<FoundSessions> {
  const announced = readAnnouncements(directory);
  const others = announced.records.filter(({ id }) => id !== except);
  const answers = await mapBounded(others, async (record) => {
    const patience = (await matters(record)) ? limits.connectMs : limits.strangerMs;
    const connection = await connect(record, caller, patience);
    const reply = connection.ok ? await askStatus(connection.session, patience, files) : connection;
    return { record, patience, reply, at: performance.now() };
  });
  // While a slow session was answering, files may have been opened in the others.
  const now = performance.now();
  const freshAnswers = await mapBounded(answers, async (one) => {
    if (!one.reply.ok || now - one.at < limits.staleStatusMs) return one;
    return { ...one, reply: await askStatus(one.reply.session, one.patience, files) };
  });
  const reached: LiveSession[] = [];
  const unreached: UnreachedSession[] = [];
  let { removed } = announced;
  for (const { record, reply } of freshAnswers) {
    if (reply.ok) reached.push(reply.session);
    else if (isWithdrawn(record, reply.why, directory)) continue;
    else if (hasEnded(record, reply.why, directory)) {
      removed += 1;
      removeRecord(directory, record);
    } else unreached.push({ record, why: reply.why });
  }
  const closed = announced.closed.filter(({ id }) => id !== except);
  return { ...announced, closed, reached, unreached, removed };
}

/** Closes every connection. */
export function closeSessions({ reached }: FoundSessions): void {
  for (const session of reached) session.close();
}

/** Asks a session for its open files. If it does not answer within `patience` milliseconds, it counts as unreached. */
async function askStatus(
  session: SessionConnection,
  patience: number,
  files?: readonly string[],
): Promise<ConnectResult<LiveSession>> {
  const late = new AbortController();
  const giveUp = (why: Unreached): ConnectResult<LiveSession> => {
    session.close();
    return { ok: false, why };
  };
  try {
    const status = await Promise.race([
      // A session elsewhere may know the same files under other paths.
      session.request("multiEdit/status", files === undefined || isForeign(session.record) ? null : { files }),
      delay(patience, "late" as const, { signal: late.signal }),
    ]);
    if (status === "late") return giveUp({ kind: "silent", seconds: patience / 1000 });
    return isStatus(status)
      ? { ok: true, session: { ...session, status } }
      : giveUp({ kind: "refused", message: sessionProblems.noStatus() });
  } catch (error) {
    const isRefusal = error instanceof AnswerError;
    return giveUp(isRefusal ? { kind: "refused", message: error.message } : { kind: "absent", code: "ECONNRESET" });
  } finally {
    late.abort();
  }
}

/** Reports whether a value is a status. Checks only the fields used here, because the others vary between versions. */
function isStatus(value: unknown): value is StatusResult {
  const { folders, open } = (value ?? {}) as Partial<Record<keyof StatusResult, unknown>>;
  const isOpen = (one: unknown): boolean => typeof (one as { uri?: unknown } | null)?.uri === "string";
  return (
    Array.isArray(folders) &&
    folders.every((uri) => typeof uri === "string") &&
    Array.isArray(open) &&
    open.every(isOpen)
  );
}

function readAnnouncements(directory: string): ReadRecords & Pick<FoundSessions, "blind"> {
  const problem = privacyProblem(directory);
  const blind = problem === undefined ? [] : [sessionProblems.blind(problem)];
  try {
    const read = readRecords(directory);
    return { ...read, problems: [...blind, ...read.problems], blind };
  } catch (error) {
    const unread = sessionProblems.blind(folderProblems.unusable(directory, folderProblems.system(codeOf(error))));
    return { records: [], closed: [], stale: [], removed: 0, problems: [unread], hidden: [], blind: [unread] };
  }
}

/** Reports whether a session has removed its record since it was read, as one does before it closes its socket. */
function isWithdrawn(record: SessionRecord, why: Unreached, directory: string): boolean {
  return why.kind === "absent" && !existsSync(recordPath(directory, record.id));
}

/** Reports whether a session has surely ended: not if it may be in a container, whose process nobody sees. */
function hasEnded(record: SessionRecord, why: Unreached, directory: string): boolean {
  if (why.kind !== "absent" || record.host !== hostname() || isProcess(record.pid, record.processStart)) return false;
  return why.code === "ECONNREFUSED" || process.platform === "win32" || dirname(record.address) === directory;
}
