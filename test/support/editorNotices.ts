/** A strict editor's notifications about its texts, some of which it sends after the test has killed its server. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { MessageConnection } from "vscode-jsonrpc/node";

/** Sends a notification. */
export type Notifier = (method: string, params: unknown) => Promise<void>;

/**
 * Returns a function that sends notifications to a server. An editor syncs an edit that it has just applied even if the
 * test has killed its server in the meantime; only then may the writing fail.
 */
export function notifierOf(connection: MessageConnection, server: ChildProcess): Notifier {
  return async (method, params) => {
    try {
      await connection.sendNotification(method, params);
    } catch (error) {
      if (!(await isKilled(server))) throw error;
    }
  };
}

/** Reports whether the test has ended a process with a signal. `killed` is also true after a signal that ends nothing. */
async function isKilled(server: ChildProcess): Promise<boolean> {
  if (!server.killed) return false;
  if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
  return server.signalCode !== null;
}
