/** A session without an editor: the same server, connected to an in-process client that opens no documents. */
import { userWorkspace } from "../../disk/diskWorkspace.js";
import { isKept } from "../../disk/keptBatches.js";
import { newId } from "../../disk/recover.js";
import type { MultiEditResult } from "../../lsp/protocol.js";
import { callSentences } from "../../lsp/sentences.js";
import { registerServer } from "../../lsp/server.js";
import type { Session } from "../../lsp/session.js";
import type { Channel, ChannelEvents } from "../../lsp/wire/channel.js";
import { openClientConnection } from "../../lsp/wire/transport.js";
import { uriOfPath } from "../../workspace/pathText.js";

/**
 * Opens a session for the folder `directory`, an absolute path. `settings`: the user's settings, which may be any JSON
 * value. `log` receives the messages an editor would show. The disk keeps the old files of the session's calls, so that
 * they can be undone, unless the user has forbidden that.
 */
export function openDiskSession(
  directory: string,
  settings: unknown,
  version: string,
  log: (text: string) => void,
): Promise<Session> {
  const isKeeping = !/^(?:off|no|false|0)$/i.test(process.env.MULTI_EDIT_HISTORY ?? "");
  return new Promise((resolve) => {
    const { connection } = openClientConnection(createAbsentClient(directory, settings, log), {
      exit() {},
      note: (level, text) => (level === "error" ? log(text) : undefined),
      watch() {},
    });
    registerServer(connection, {
      version,
      logLevel: "warn",
      // Called when the session has started.
      openToAgents: async (session) => {
        session.history.isOnDisk = isKeeping;
        if (isKeeping) session.history.newId = newId;
        resolve(session);
      },
    });
    connection.listen();
  });
}

/** Removes the transaction's id from an answer if the call was not kept: the session ends with the call. */
export async function withKept(
  session: Session,
  { transaction, ...result }: MultiEditResult,
): Promise<MultiEditResult> {
  if (transaction === undefined || !session.history.isOnDisk) return result;
  return isKept(await userWorkspace([]), transaction)
    ? { ...result, transaction }
    : { ...result, warnings: [...result.warnings, callSentences.tooLargeToUndo] };
}

/** Creates a client that opens the session, passes log messages to `log`, and dismisses every question. */
function createAbsentClient(directory: string, settings: unknown, log: (text: string) => void): Channel {
  let server: ChannelEvents | undefined;
  const say = (message: object): void => void setImmediate(() => server?.message({ jsonrpc: "2.0", ...message }));
  const workspaceFolders = [{ uri: uriOfPath(directory), name: directory }];
  const params = { processId: null, rootUri: null, workspaceFolders, capabilities, initializationOptions: settings };
  return {
    listen(events) {
      server = events;
      say({ id: 0, method: "initialize", params });
    },
    send(message) {
      const sent = message as { id?: string | number; method?: string; params?: { message?: string } };
      if (sent.method === undefined && sent.id === 0) say({ method: "initialized", params: {} });
      else if (sent.method !== undefined && sent.id !== undefined) say({ id: sent.id, result: null });
      // Ignore messages that an editor would display: the server also logs each of them.
      else if (sent.method === "window/logMessage") log(sent.params?.message ?? "");
    },
    whenFlushed: async () => undefined,
    isBroken: () => false,
    stop: () => {
      server = undefined;
    },
  };
}

/** Lets the server propose any kind of edit. Lacks `workspace/applyEdit`, so the server itself writes to disk. */
const capabilities = {
  workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] } },
};
