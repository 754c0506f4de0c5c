/** Begins a session: its state before the client has said anything, and the recovery after a crash. */
import { createDocuments } from "../workspace/documents.js";
import { isAbsent } from "../workspace/identity.js";
import { toGate } from "../workspace/protection.js";
import type { Folder } from "../workspace/resolvedPath.js";
import { absentFolders } from "../workspace/sentences.js";
import { defaultSettings } from "../workspace/settings.js";
import { recoverAtStart } from "./apply/steps/disk.js";
import { factsOf } from "./clients.js";
import { createDiskStamps } from "./diskStamps.js";
import { createHistory } from "./history.js";
import { type ClientConnection, createTurns, messageTypes, nobody, type Outside, type Session } from "./session.js";
import { shorten } from "./wire/lifetime.js";
import { type LogLevel, logLevels } from "./wire/logLevel.js";

/** Recovers batches interrupted by a crash and tells the user about them. Runs before any other batch. */
export async function reportRecovered(session: Session): Promise<void> {
  await session.ready;
  for (const message of await recoverAtStart(session)) {
    session.log("warn", message);
    showWarning(session, message);
  }
}

/** Tells the user which workspace folders do not exist here, because every call for their files would fail. */
export function reportAbsent(session: Session, folders: readonly Folder[]): void {
  const absent = folders.filter(({ path }) => isAbsent(path));
  if (absent.length === 0) return;
  const message = absentFolders(absent.map(({ path, uri }) => path || uri));
  session.log("warn", message);
  showWarning(session, message);
}

/** Shows a warning to the user. */
export function showWarning({ connection }: Session, message: string): void {
  // The library's own method would send `window/showMessageRequest`, which asks the user a question.
  connection.sendNotification("window/showMessage", { type: messageTypes.warn, message }).catch(() => undefined);
}

/** Creates the state of a session. `logLevel`: if `undefined`, the setting `logLevel` applies. */
export function createSession(
  connection: ClientConnection,
  { version, logLevel }: { readonly version: string; readonly logLevel: LogLevel | undefined },
  outside: Outside = nobody,
): Session {
  const session: Session = {
    connection,
    documents: createDocuments(),
    trails: undefined,
    history: createHistory(),
    diskStamps: createDiskStamps(),
    disk: undefined,
    review: undefined,
    callers: [],
    lastCallAt: undefined,
    version,
    client: undefined,
    capabilities: {},
    facts: factsOf(undefined),
    encoding: "utf-16",
    folders: [],
    settings: defaultSettings,
    settingProblems: [],
    unsynced: [],
    refused: new Set(),
    gate: toGate(defaultSettings),
    outside,
    leftOnScreen: new Set(),
    ready: Promise.resolve(),
    inTurn: createTurns(),
    askInTurn: createTurns(),
    log(level, text) {
      const most = logLevel ?? session.settings.logLevel;
      if (logLevels.indexOf(level) > logLevels.indexOf(most)) return;
      const message = { type: messageTypes[level], message: shorten(text) };
      connection.sendNotification("window/logMessage", message).catch(() => undefined);
    },
  };
  return session;
}
