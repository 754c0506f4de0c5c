/** The agent's own edits that it may undo: those of this connection, and earlier ones of the same conversation. */
import type { Caller, StatusResult, TransactionStatus } from "../../lsp/protocol.js";
import type { FailedRequest } from "../../session/awaitAnswer.js";
import { readRecords } from "../../session/record.js";
import { type RequestContext, sendRequest } from "../../session/request.js";
import { closeSessions, findSessions } from "../../session/sessions.js";

/** An edit of the agent. */
export interface OwnEdit {
  readonly transaction: string;
  /** Id of the session that made it; `undefined` if no editor had the files. */
  readonly session: string | undefined;
  /** The paths of the changed files, as the answer to the edit named them. */
  readonly files: readonly string[];
}

/**
 * Finds the latest applied edit of the agent in the editors and on disk; `undefined` if there is none. An agent that
 * continues a conversation over a new connection has edits there only if its id is the same as before.
 */
export async function findOwnEdit(context: RequestContext): Promise<OwnEdit | undefined> {
  const { caller, mode, session: chosen = "" } = context;
  const found = mode === "disk" ? undefined : await findSessions(context.sessions, caller);
  if (found !== undefined) closeSessions(found);
  const inEditors = (found?.reached ?? [])
    .filter(({ record }) => record.id.startsWith(chosen))
    .flatMap(({ record, status }) => ownOf(status, caller).map((call) => ({ ...call, session: record.id })));
  const request = { method: "multiEdit/status", params: null, targets: [] };
  const kept = await sendRequest(request, { ...context, mode: "disk" });
  const onDisk = kept.ok ? ownOf(kept.result as StatusResult, caller) : [];
  const all: (TransactionStatus & { session?: string })[] = [...onDisk, ...inEditors];
  const [latest] = all.sort((a, b) => (a.at < b.at ? 1 : -1));
  return latest && { transaction: latest.transaction, session: latest.session, files: latest.files };
}

/** Servers of older versions do not say which calls they applied. */
const ownOf = ({ transactions = [] }: Partial<StatusResult>, { agent }: Caller): readonly TransactionStatus[] =>
  transactions.filter(({ state, by }) => state === "applied" && agent !== undefined && by?.agent === agent);

/**
 * Reports whether an undo failed because the editor that made the edit has ended, so that it can never succeed. A session
 * whose record is still there, or may be one that can't be read, has not ended.
 */
export function hasEnded({ failures }: FailedRequest, id: string, directory: string): boolean {
  if (!failures.every(({ code }) => code === "noSession")) return false;
  try {
    const { records, closed, stale, hidden } = readRecords(directory);
    const left = [...records, ...closed, ...stale.map(({ record }) => record)];
    return hidden.length === 0 && left.every((record) => record.id !== id);
  } catch {
    return false;
  }
}
