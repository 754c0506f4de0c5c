/** The sessions of the user's editors that live now: found by their announcements, asked whether they are there. */
import { hostname } from "node:os";
import { basename, dirname } from "node:path";
import type { StatusResult } from "../lsp/protocol.js";
import { sessionProblems, type Unreached } from "../plan/failure.js";
import { limits } from "../text/limits.js";
import { codeOf, mapBounded } from "../workspace/identity.js";
import { isProcess } from "../workspace/process.js";
import { connect, type Reached } from "./connect.js";
import { readRecords, recordPath, removeQuietly, type SessionRecord } from "./record.js";
import { announcementProblem } from "./stateDirectory.js";

/** A session that is announced and could not be reached. */
export interface Missed {
  readonly record: SessionRecord;
  readonly why: Unreached;
}

/** What was found; the connections are the caller's to close. */
export interface Found {
  readonly reached: readonly Reached[];
  /** They may live, and hold text that nobody has seen. */
  readonly missed: readonly Missed[];
  /** Files that are no announcements, and why the directory can't be read, as sentences. */
  readonly problems: readonly string[];
  /** Those of them that may hide a session. */
  readonly hidden: readonly string[];
  /** Announcements of sessions that have ended, which were removed. */
  readonly removed: number;
}

/** Connects to every announced session. `version` is that of this program; those that do not matter get little time. */
export async function findSessions(
  directory: string,
  version: string,
  matters: (record: SessionRecord) => Promise<boolean> = async () => true,
): Promise<Found> {
  const read = readAll(directory);
  const tried = await mapBounded(read.records, async (record) => {
    const patience = (await matters(record)) ? limits.connectMs : limits.strangerMs;
    return { record, ...(await connect(record, version, patience)) };
  });
  const reached: Reached[] = [];
  const missed: Missed[] = [];
  let removed = 0;
  for (const one of tried) {
    if (one.ok) reached.push(one.session);
    else if (hasEnded(one.record, one.why, directory)) {
      removed += 1;
      removeQuietly(recordPath(directory, one.record.id));
      if (basename(one.record.address) === `${one.record.id}.sock`) removeQuietly(one.record.address);
    } else if (one.record.host === hostname()) missed.push(one);
  }
  return { reached, missed, problems: read.problems, hidden: read.hidden, removed };
}

/** Ends every connection. */
export function closeSessions({ reached }: Found): void {
  for (const session of reached) session.close();
}

/** The state of a session. `undefined`: it has ended, or does not say. */
export async function statusOf(session: Reached): Promise<StatusResult | undefined> {
  try {
    return (await session.request("multiEdit/status", null)) as StatusResult;
  } catch {
    return undefined;
  }
}

function readAll(directory: string): ReturnType<typeof readRecords> {
  const problem = announcementProblem(directory);
  const blind = problem === undefined ? [] : [sessionProblems.blind(problem)];
  try {
    const { records, problems, hidden } = readRecords(directory);
    return { records, problems: [...blind, ...problems], hidden: [...blind, ...hidden] };
  } catch (error) {
    const unread = sessionProblems.blind(sessionProblems.directory(directory, sessionProblems.system(codeOf(error))));
    return { records: [], problems: [unread], hidden: [unread] };
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
