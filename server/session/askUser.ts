/** Asks the user, in an editor that has the files, about changes that this process will make to them on disk. */
import type { CancellationToken } from "vscode-jsonrpc/node";
import { agentMethods, type Caller, type ConfirmParams, type MultiEditErrorData } from "../lsp/protocol.js";
import { editorFailures } from "../lsp/sentences.js";
import { AnswerError, errorCodes } from "../lsp/wire/rpc.js";
import type { Failure } from "../plan/failure.js";
import { connect } from "./connect.js";
import { holds, readRecords, type SessionRecord } from "./record.js";
import { sessionFailures } from "./sentences.js";

/** A question for the user, and the way to the sessions. */
interface Asking {
  readonly question: ConfirmParams;
  /** The directory where sessions are announced. */
  readonly sessions: string;
  readonly caller: Caller;
  readonly token: CancellationToken;
}

/** Asks in the latest session with one of the files (absolute, canonical), or returns `nobody`. */
export async function askUserOf(files: readonly string[], asking: Asking): Promise<"yes" | "nobody" | Failure> {
  const { records } = readRecords(asking.sessions);
  for (const record of records.filter((one) => holds(one, files))) {
    const answer = await askIn(record, asking);
    if (answer !== undefined) return answer;
  }
  return "nobody";
}

async function askIn(record: SessionRecord, { question, caller, token }: Asking): Promise<"yes" | Failure | undefined> {
  const connected = await connect(record, caller);
  if (!connected.ok) return undefined;
  const { session } = connected;
  try {
    await session.request(agentMethods.confirm, question, token);
    return "yes";
  } catch (error) {
    if (!(error instanceof AnswerError)) return editorFailures.closedAsking();
    if (error.code === errorCodes.methodNotFound) return sessionFailures.tooOld(session.version);
    const { failures } = (error.data ?? {}) as Partial<MultiEditErrorData>;
    return failures?.[0] ?? editorFailures.cannotAsk();
  } finally {
    session.close();
  }
}
