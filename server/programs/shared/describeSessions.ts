/** Describes the editors that can be reached, for the doctor and for agents. */
import { sayUnreached } from "../../disk/sentences.js";
import { closedSessionOf } from "../../session/holders.js";
import { sessionName } from "../../session/record.js";
import type { RequestContext } from "../../session/request.js";
import { type SelectedSession, selectSession } from "../../session/selectSession.js";
import { closeSessions, type FoundSessions, findSessions, type LiveSession } from "../../session/sessions.js";
import { reachSentences, type ShownSession } from "./sentences.js";

/** Tells an agent which editors can be reached, what problems there are, and which session would receive its calls. */
export function describeSessions(context: RequestContext): Promise<string> {
  return withSessions(context, async (found, sessions) => {
    const selected = await sessionForDirectory(found, context);
    return [...stateOf(found, sessions), ...advice(selected, found, context)].join("\n");
  });
}

/** Finds the sessions, runs a task with them, and closes their connections when the task is done. */
export async function withSessions<T>(
  { sessions, caller }: RequestContext,
  task: (found: FoundSessions, sessions: readonly ShownSession[]) => Promise<T>,
): Promise<T> {
  const found = await findSessions(sessions, caller);
  try {
    return await task(found, found.reached.map(shownSession));
  } finally {
    closeSessions(found);
  }
}

/** Returns what is shown of a session. */
export function shownSession({ record, version, status }: LiveSession): ShownSession {
  const { id, client, pid, startedAt } = record;
  const { folders, absentFolders = [], open } = status;
  return { id, client, version, pid, startedAt, folders, absentFolders, open };
}

/** Finds the session that would get a call for files in the working directory. */
export function sessionForDirectory(
  found: FoundSessions,
  { session, directory }: RequestContext,
): Promise<SelectedSession> {
  return selectSession(found, { session, targets: [], directory });
}

/** Lists the sessions that can be reached, and those that can't. */
export function stateOf(found: FoundSessions, sessions: readonly ShownSession[]): string[] {
  return [
    sessions.length === 0 ? reachSentences.noneReached : reachSentences.reached,
    ...sessions.flatMap(reachSentences.sessionLines),
    ...found.unreached.flatMap(({ record, why }) =>
      reachSentences.unreachedLines(sessionName(record), record.pid, sayUnreached(why)),
    ),
    ...found.problems,
    ...(found.removed > 0 ? [reachSentences.removed(found.removed)] : []),
  ];
}

/** Says where calls for files in the working directory go. Mentions no options, because models also read this. */
export function advice(
  selected: SelectedSession,
  { reached }: FoundSessions,
  { directory, mode, session: named, sessions }: RequestContext,
): string[] {
  const closed = closedSessionOf(sessions, [directory]);
  if (closed !== undefined && (mode === "disk" || (selected.ok && selected.session === undefined))) {
    return [reachSentences.callsAreLocked(directory, sessionName(closed), closed.closed)];
  }
  if (mode === "disk") return [reachSentences.allGoToDisk];
  if (!selected.ok) return [reachSentences.wouldFail(selected.failure.message)];
  const { session } = selected;
  const isOnly = reached.length === 1 || named !== undefined;
  if (session !== undefined) return [reachSentences.callsGoTo(directory, sessionName(session.record), isOnly)];
  return [mode === "editor" ? reachSentences.callsFail(directory) : reachSentences.callsGoToDisk(directory)];
}
