/** A session without an editor, in the process that serves a call on disk. */
import { userWorkspace } from "../disk/diskWorkspace.js";
import { isKept } from "../disk/keptBatches.js";
import { newId } from "../disk/recover.js";
import { createSession, reportRecovered } from "../lsp/newSession.js";
import type { MultiEditResult } from "../lsp/protocol.js";
import { callSentences } from "../lsp/sentences.js";
import type { ClientConnection, Outside, Session } from "../lsp/session.js";
import { uriOfPath } from "../workspace/pathText.js";
import { type FileGate, toGate } from "../workspace/protection.js";
import { defaultSettings } from "../workspace/settings.js";
import type { UserSettings } from "./gates.js";

/** A folder's session without an editor. */
interface DiskSession {
  /** The folder, as an absolute path. */
  readonly directory: string;
  /** The user's settings file. */
  readonly user: Pick<UserSettings, "settings" | "isStricterOnly" | "problems">;
  readonly version: string;
  readonly outside: Outside;
  /** Receives the messages that an editor would show. */
  log(text: string): void;
}

/** Opens a session without an editor, whose calls' old files are kept for undo, unless the user forbids that. */
export async function openDiskSession({ directory, user, version, outside, log }: DiskSession): Promise<Session> {
  const stricter = user.isStricterOnly ? [{ ...toGate(user.settings), isFallback: true }] : [];
  const gates = (): readonly FileGate[] => [...stricter, ...outside.gates()];
  const session = createSession(connectionToNobody(log), { version, logLevel: "warn" }, { ...outside, gates });
  session.capabilities = capabilities;
  session.folders = [{ uri: uriOfPath(directory), path: directory }];
  session.settings = user.isStricterOnly ? defaultSettings : user.settings;
  session.gate = { ...session.gate, ...toGate(session.settings), isFallback: true };
  session.settingProblems = user.problems;
  for (const problem of user.problems) session.log("warn", problem);
  session.history.isOnDisk = !/^(?:off|no|false|0)$/i.test(process.env.MULTI_EDIT_HISTORY ?? "");
  if (session.history.isOnDisk) session.history.newId = newId;
  session.inTurn(() => reportRecovered(session)).catch((error: unknown) => session.log("error", String(error)));
  return session;
}

/** Removes the transaction's id from an answer if the call was not kept: the session ends with the call. */
export async function withKept(
  session: Session,
  { transaction, ...result }: MultiEditResult,
): Promise<MultiEditResult> {
  if (transaction === undefined || !session.history.isOnDisk) return result;
  return isKept(userWorkspace([]), transaction)
    ? { ...result, transaction }
    : { ...result, warnings: [...result.warnings, callSentences.tooLargeToUndo] };
}

/** Returns the connection of a session that has no client: messages for its log go to `log`, and nobody answers. */
function connectionToNobody(log: (text: string) => void): ClientConnection {
  const refuse = async (): Promise<never> => Promise.reject(new TypeError("nobody is connected"));
  return {
    sendRequest: refuse,
    async sendNotification(method, params) {
      const { message }: { readonly message?: unknown } = params;
      // A message that an editor would display is left out, because the server also logs it.
      if (method === "window/logMessage") log(String(message));
    },
    tracer: { log() {} },
    window: { createWorkDoneProgress: refuse },
    workspace: { applyEdit: refuse, getConfiguration: refuse },
  };
}

/** Lets the server propose any kind of edit. Lacks `workspace/applyEdit`, so the server itself writes to disk. */
const capabilities: Session["capabilities"] = {
  workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] } },
};
