/** The sessions of the user's editors that live now: found by their announcements, asked whether they are there. */

import { hostname } from "node:os";
import { basename, dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ResponseError } from "vscode-jsonrpc/node";
import type { Unreached } from "../../disk/sentences.js";
import type { Caller, StatusResult } from "../../lsp/protocol.js";
import { limits } from "../../text/limits.js";
import { codeOf, mapBounded } from "../../workspace/identity.js";
import { isProcess } from "../../workspace/process.js";
import { folderProblems } from "../../workspace/sentences.js";
import { privacyProblem } from "../../workspace/serverFolder.js";
import { sessionProblems } from "../sentences.js";
import { connect, type Reached } from "./connect.js";
import { readRecords, recordPath, removeQuietly, type SessionRecord } from "./record.js";

/** A session that was reached and has said what it has open. */
export interface LiveSession extends Reached {
  readonly status: StatusResult;
}

/** A session that is announced and could not be asked. */
export interface Missed {
  readonly record: SessionRecord;
  readonly why: Unreached;
}

/** What was found; the connections are the caller's to close. */
export interface Found {
  readonly reached: readonly LiveSession[];
  /** They may live, and hold text that nobody has seen. */
  readonly missed: readonly Missed[];
  /** Files that are no announcements, and why the directory can't be read, as sentences. */
  readonly problems: readonly string[];
  /** Those of them that announce a session in a way that this version can't read. */
  readonly hidden: readonly string[];
  /** Those of them because of which no session can announce itself, or be read. */
  readonly blind: readonly string[];
  /** Announcements of sessions that have ended, which were removed. */
  readonly removed: number;
}

/** Which of the announced sessions are asked, and for how long. */
export interface Search {
  /** Tells whether a session may have to do with the files; one that has not gets little time. Absent: all of them may. */
  readonly matters?: (record: SessionRecord) => Promise<boolean>;
  /** The id of a session that is left out: the one that asks. */
  readonly except?: string | undefined;
}

/** Connects to every announced session, as this caller, and asks what it has open. */
export async function findSessions(
  directory: string,
  caller: Caller,
  { matters = async () => true, except }: Search = {},
): Promise<Found> {
  const read = readAll(directory);
  const others = read.records.filter(({ id }) => id !== except);
  const tried = await mapBounded(others, async (record) => {
    const patience = (await matters(record)) ? limits.connectMs : limits.strangerMs;
    const connected = await connect(record, caller, patience);
    const asked = connected.ok ? await askStatus(connected.session, patience) : connected;
    return { record, patience, asked, at: performance.now() };
  });
  // While one was slow to answer, files may have been opened in the others.
  const now = performance.now();
  const fresh = await mapBounded(tried, async (one) => {
    if (!one.asked.ok || now - one.at < limits.staleStatusMs) return one;
    return { ...one, asked: await askStatus(one.asked.session, one.patience) };
  });
  const reached: LiveSession[] = [];
  const missed: Missed[] = [];
  let removed = 0;
  for (const { record, asked } of fresh) {
    if (asked.ok) reached.push(asked.session);
    else if (hasEnded(record, asked.why, directory)) {
      removed += 1;
      removeQuietly(recordPath(directory, record.id));
      if (basename(record.address) === `${record.id}.sock`) removeQuietly(record.address);
    } else if (record.host === hostname()) missed.push({ record, why: asked.why });
  }
  return { ...read, reached, missed, removed };
}

/** Ends every connection. */
export function closeSessions({ reached }: Found): void {
  for (const session of reached) session.close();
}

type Asked = { readonly ok: true; readonly session: LiveSession } | { readonly ok: false; readonly why: Unreached };

/** Asks a session what it has open, within some milliseconds: one that is too busy to say may have anything open. */
async function askStatus(session: Reached, patience: number): Promise<Asked> {
  const late = new AbortController();
  const failed = (why: Unreached): Asked => {
    session.close();
    return { ok: false, why };
  };
  try {
    const status = await Promise.race([
      session.request("multiEdit/status", null),
      delay(patience, "late" as const, { signal: late.signal }),
    ]);
    if (status === "late") return failed({ kind: "silent", seconds: patience / 1000 });
    return isStatus(status)
      ? { ok: true, session: { ...session, status } }
      : failed({ kind: "refused", message: sessionProblems.noStatus() });
  } catch (error) {
    const isRefusal = error instanceof ResponseError;
    return failed(isRefusal ? { kind: "refused", message: error.message } : { kind: "absent", code: "ECONNRESET" });
  } finally {
    late.abort();
  }
}

/** Another version may answer in another way: only what is used here is looked at. */
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

function readAll(directory: string): ReturnType<typeof readRecords> & Pick<Found, "blind"> {
  const problem = privacyProblem(directory);
  const blind = problem === undefined ? [] : [sessionProblems.blind(problem)];
  try {
    const { records, problems, hidden } = readRecords(directory);
    return { records, problems: [...blind, ...problems], hidden, blind };
  } catch (error) {
    const unread = sessionProblems.blind(folderProblems.unusable(directory, folderProblems.system(codeOf(error))));
    return { records: [], problems: [unread], hidden: [], blind: [unread] };
  }
}

/**
 * Whether a session is gone for certain. Its process may have a number that means nothing here, and its socket may stand
 * where this process can't look; but one that nobody listens on is dead wherever it is seen from.
 */
function hasEnded(record: SessionRecord, why: Unreached, directory: string): boolean {
  if (why.kind !== "absent" || record.host !== hostname() || isProcess(record.pid, record.processStart)) return false;
  return why.code === "ECONNREFUSED" || process.platform === "win32" || dirname(record.address) === directory;
}
