/** The commands `log` and `status`: list the calls that were applied in a directory, and the editors that have it. */
import { userWorkspace } from "../../disk/diskWorkspace.js";
import { clearKept } from "../../disk/keptBatches.js";
import { sayUnreached } from "../../disk/sentences.js";
import type { StatusResult, TransactionStatus } from "../../lsp/protocol.js";
import { failureResult } from "../../session/awaitAnswer.js";
import { canonicalPaths } from "../../session/holders.js";
import { sessionName } from "../../session/record.js";
import { type FailedRequest, type RequestContext, sendRequest } from "../../session/request.js";
import { selectSession } from "../../session/selectSession.js";
import { closeSessions, findSessions, type LiveSession } from "../../session/sessions.js";
import { isInside, pathOfSyncedUri } from "../../workspace/pathText.js";
import { shownSession } from "../shared/describeSessions.js";
import { exitCodeOf, exitCodes, forStderr, print, printJson, say } from "../shared/output.js";
import { reachSentences } from "../shared/sentences.js";
import type { Arguments } from "./arguments.js";
import { doctorSentences, logSentences } from "./sentences.js";

/** A call that was applied, with the session that applied it: `undefined` if it wrote to disk without an editor. */
interface LoggedCall extends TransactionStatus {
  readonly session?: string;
  readonly editor?: string;
}

/** Lists the calls, the latest first, or removes the kept copies; returns the exit code. */
export async function showLog({ json, clear }: Arguments, context: RequestContext): Promise<number> {
  if (clear) {
    const [directory = context.directory] = await canonicalPaths([context.directory]);
    const removed = clearKept(userWorkspace([directory]));
    if (json) printJson({ removed });
    else say(logSentences.cleared(removed));
    return exitCodes.done;
  }
  const seen = await survey(context);
  if (!seen.ok) return showFailure(seen, { json });
  const { calls } = seen;
  if (json) printJson({ transactions: calls });
  else if (calls.length === 0) say(logSentences.none);
  else
    print(
      calls
        .map((call) => logSentences.call(call).join("\n"))
        .join("\n")
        .concat("\n"),
    );
  return exitCodes.done;
}

/** Shows the editors that have the directory, their open files, and the latest calls; returns the exit code. */
export async function showStatus({ json }: Arguments, context: RequestContext): Promise<number> {
  const seen = await survey(context);
  if (!seen.ok) return showFailure(seen, { json });
  const { sessions, calls } = seen;
  const shown = sessions.map((session) => {
    const { agents, question } = session.status;
    return { ...shownSession(session), agents, question };
  });
  if (json) {
    printJson({ directory: context.directory, sessions: shown, transactions: calls });
    return exitCodes.done;
  }
  const editors =
    shown.length === 0
      ? [logSentences.noEditor(context.directory)]
      : [logSentences.editors(context.directory), ...shown.flatMap(reachSentences.sessionLines)];
  const latest = calls.slice(0, callsShown).flatMap(logSentences.call);
  const more = calls.length > callsShown ? [logSentences.more(calls.length - callsShown)] : [];
  print(
    [...editors, "", calls.length === 0 ? logSentences.none : logSentences.latest, ...latest, ...more, ""].join("\n"),
  );
  return exitCodes.done;
}

/** The number of calls that `status` shows. */
const callsShown = 5;

/** Prints the failure to find the session that the user named; returns the exit code. */
function showFailure(failed: FailedRequest, { json }: Pick<Arguments, "json">): number {
  const { message, failures, edits } = failed;
  if (json) printJson({ error: { message, failures, edits } });
  say(forStderr(message));
  return exitCodeOf(failed);
}

/** The sessions and calls to show. */
interface Survey {
  readonly ok: true;
  readonly sessions: readonly LiveSession[];
  readonly calls: readonly LoggedCall[];
}

/** Finds the directory's sessions, their calls, and those that wrote to disk there, the latest first. */
async function survey(context: RequestContext): Promise<Survey | FailedRequest> {
  const found = await findSessions(context.sessions, context.caller);
  closeSessions(found);
  if (context.session !== undefined) {
    const named = await selectSession(found, { ...context, session: context.session, targets: [] });
    if (!named.ok) return failureResult(named.failure);
  }
  const [directory = context.directory] = await canonicalPaths([context.directory]);
  const sessions: LiveSession[] = [];
  for (const session of found.reached) if (await isAsked(session, directory, context)) sessions.push(session);
  for (const { record, why } of found.unreached) {
    say(doctorSentences.unreached(sessionName(record), sayUnreached(why).problem));
  }
  const calls = sessions.flatMap(({ record: { id, client }, status: { transactions = [] } }) =>
    transactions.map((one): LoggedCall => ({ ...one, session: id, editor: client })),
  );
  const ordered = [...(await callsOnDisk(context)), ...calls].map((call, index) => ({ call, index }));
  // Servers of older versions do not say when they applied a call.
  ordered.sort((a, b) =>
    (a.call.at ?? "") < (b.call.at ?? "") ? 1 : a.call.at === b.call.at ? b.index - a.index : -1,
  );
  return { ok: true, sessions, calls: ordered.map(({ call }) => call) };
}

/** Reports whether a session is the one that the user named or, if none is named, has the directory in a folder. */
async function isAsked({ record, status }: LiveSession, directory: string, context: RequestContext): Promise<boolean> {
  if (context.session !== undefined) return record.id.startsWith(context.session);
  const folders = await canonicalPaths(status.folders.map((uri) => pathOfSyncedUri(uri)));
  return folders.some((folder) => isInside(folder, directory));
}

/** Returns the calls that wrote to disk in the directory and whose old files are kept; none if a session is named. */
async function callsOnDisk(context: RequestContext): Promise<readonly TransactionStatus[]> {
  if (context.session !== undefined) return [];
  const request = { method: "multiEdit/status", params: null, targets: [] };
  const answer = await sendRequest(request, { ...context, mode: "disk" });
  if (!answer.ok) {
    say(answer.message);
    return [];
  }
  return (answer.result as StatusResult).transactions;
}
