/** The language server: announces its capabilities, mirrors the client's documents and dispatches the requests. */
import { setTimeout as delay } from "node:timers/promises";
import {
  type Connection,
  ErrorCodes,
  type InitializeParams,
  type InitializeResult,
  MessageType,
  ResponseError,
  TextDocumentSyncKind,
} from "vscode-languageserver/node";
import { announcedShapes } from "../dialect/shapes.js";
import { limits } from "../text/limits.js";
import { createDocuments, type SyncOutcome } from "../workspace/documents.js";
import type { Folder } from "../workspace/paths.js";
import { pathOfSyncedUri } from "../workspace/pathText.js";
import { toGate } from "../workspace/protection.js";
import { settingWarnings } from "../workspace/sentences.js";
import { createWarnOnce, defaultSettings, readSettings } from "../workspace/settings.js";
import { settleProposals, watchProposals } from "./apply/recordApplied.js";
import { recoverAtStart } from "./apply/steps/disk.js";
import { factsOf } from "./clients.js";
import { createDiskStamps } from "./diskStamps.js";
import { chooseEncoding, spanOf } from "./edit/positions.js";
import { createHistory } from "./history.js";
import { commands, methods, notifications, protocolVersion } from "./protocol.js";
import { asCommandAnswer, serveRequest } from "./requests.js";
import { serverLog, unknownCommand } from "./sentences.js";
import { announcedBy, type ClientInfo, createTurns, type Session } from "./session.js";
import { shorten } from "./wire/lifetime.js";
import { type LogLevel, logLevels } from "./wire/logLevel.js";

/** The server's startup parameters. */
export interface ServerStart {
  readonly version: string;
  /** Log level from the command line; if `undefined`, the setting `logLevel` applies. */
  readonly logLevel: LogLevel | undefined;
  /**
   * Announces the session to agents, and opens it to them if the user's settings allow it. Called once, after the session
   * has begun.
   */
  openToAgents(session: Session): Promise<void>;
}

/** Registers all handlers on a connection that is not listening yet. */
export function registerServer(connection: Connection, start: ServerStart): void {
  const session = createSession(connection, start);
  const settings = createSettings(session);
  connection.onInitialize((params) => {
    settings.push(params.initializationOptions);
    return initialize(session, params);
  });
  connection.onInitialized(() => {
    session.ready = settings.pull();
    settings.subscribe();
    session.inTurn(() => reportRecovered(session)).catch((error: unknown) => session.log("error", String(error)));
    // During initialization, the library adds its own listener, which would replace any listener added earlier.
    connection.onNotification("workspace/didChangeWorkspaceFolders", (params: unknown) =>
      changeFolders(session, params),
    );
    void session.ready.then(() => openToAgents(session, start));
  });
  connection.onDidChangeConfiguration(({ settings: pushed }) => {
    settings.push(pushed);
    session.ready = settings.pull();
  });
  registerSync(session);
  registerRequests(session);
}

/**
 * Announces the session to agents and, if the settings allow it, opens it to them. A later change to that setting takes
 * effect only after a restart.
 */
async function openToAgents(session: Session, start: ServerStart): Promise<void> {
  try {
    await start.openToAgents(session);
  } catch (error) {
    session.log("warn", serverLog.closedToAgents(error));
  }
}

/** Recovers batches interrupted by a crash and tells the user about them. Runs before any other batch. */
async function reportRecovered(session: Session): Promise<void> {
  await session.ready;
  for (const message of await recoverAtStart(session)) {
    session.log("warn", message);
    showWarning(session, message);
  }
}

function showWarning({ connection }: Session, message: string): void {
  // The library's own method would send `window/showMessageRequest`, which asks the user a question.
  connection.sendNotification("window/showMessage", { type: MessageType.Warning, message }).catch(() => undefined);
}

function createSession(connection: Connection, start: ServerStart): Session {
  const session: Session = {
    connection,
    documents: createDocuments(),
    history: createHistory(),
    diskStamps: createDiskStamps(),
    callers: [],
    lastCallAt: undefined,
    version: start.version,
    client: undefined,
    capabilities: {},
    facts: factsOf(undefined),
    encoding: "utf-16",
    folders: [],
    settings: defaultSettings,
    settingProblems: [],
    unsynced: [],
    gate: toGate(defaultSettings),
    otherGates: undefined,
    askElsewhere: undefined,
    ready: Promise.resolve(),
    openElsewhere: async () => new Map(),
    inTurn: createTurns(),
    foldersChanged: () => undefined,
    announcedChanged: () => undefined,
    log(level, text) {
      const most = start.logLevel ?? session.settings.logLevel;
      if (logLevels.indexOf(level) > logLevels.indexOf(most)) return;
      const message = { type: messageTypes[level], message: shorten(text) };
      connection.sendNotification("window/logMessage", message).catch(() => undefined);
    },
  };
  return session;
}

const messageTypes: Record<LogLevel, MessageType> = {
  error: MessageType.Error,
  warn: MessageType.Warning,
  info: MessageType.Info,
  debug: MessageType.Log,
};

function initialize(session: Session, params: InitializeParams): InitializeResult {
  // Some clients leave out fields that the protocol requires.
  const capabilities: Partial<InitializeParams>["capabilities"] = params.capabilities;
  session.client = clientOf(params);
  session.capabilities = capabilities ?? {};
  const { syncDelay } = announcedBy(session);
  const facts = factsOf(session.client);
  session.facts = isDelay(syncDelay) ? { ...facts, syncDelay } : facts;
  session.encoding = chooseEncoding(session.capabilities.general?.positionEncodings);
  session.folders = foldersOf(params);
  session.log("info", serverLog.initialized(session.version, session.client?.name, session.encoding));
  return {
    serverInfo: { name: "multi-edit-language-server", version: session.version },
    capabilities: {
      positionEncoding: session.encoding,
      textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
      executeCommandProvider: { commands: Object.values(commands) },
      workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      experimental: {
        multiEdit: { version: protocolVersion, shapes: announcedShapes, commands: Object.values(commands) },
      },
    },
  };
}

/** Reports whether a value is a valid `syncDelay`: a number of milliseconds from 0 to `limits.syncDelayMs`. */
const isDelay = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= limits.syncDelayMs;

function clientOf({ clientInfo }: InitializeParams): ClientInfo | undefined {
  const { name, version }: { name?: unknown; version?: unknown } = clientInfo ?? {};
  if (typeof name !== "string") return undefined;
  return typeof version === "string" ? { name, version } : { name };
}

function foldersOf({ workspaceFolders, rootUri, rootPath }: InitializeParams): Folder[] {
  if (Array.isArray(workspaceFolders)) return urisIn(workspaceFolders).map(toFolder);
  if (rootUri) return [toFolder(rootUri)];
  return rootPath ? [{ uri: rootPath, path: rootPath }] : [];
}

/** Returns a workspace folder, with an empty `path` if the URI does not refer to a path on this machine. */
const toFolder = (uri: string): Folder => ({ uri, path: pathOfSyncedUri(uri) ?? "" });

function urisIn(folders: unknown): string[] {
  if (!Array.isArray(folders)) return [];
  return folders.map((folder: { uri?: unknown } | null) => folder?.uri).filter((uri) => typeof uri === "string");
}

function changeFolders(session: Session, params: unknown): void {
  const { added, removed } = (params as { event?: { added?: unknown; removed?: unknown } } | null)?.event ?? {};
  const gone = new Set(urisIn(removed));
  const fresh = urisIn(added).filter((uri) => !session.folders.some((folder) => folder.uri === uri && !gone.has(uri)));
  session.folders = [...session.folders.filter(({ uri }) => !gone.has(uri)), ...fresh.map(toFolder)];
  session.foldersChanged();
}

/** Combines the session's settings from all sources and keeps them up to date. */
function createSettings(session: Session) {
  const warnOnce = createWarnOnce();
  let pushed: unknown[] = [];
  let pulled: unknown;
  let pulls = 0;
  let isTold = true;
  const read = (): void => {
    const { settings, warnings } = readSettings([...pushed, pulled]);
    session.settings = settings;
    session.gate = { ...session.gate, ...toGate(settings) };
    session.announcedChanged();
    session.settingProblems = warnings;
    const fresh = warnOnce(warnings);
    for (const warning of fresh) session.log("warn", warning);
    isTold &&= fresh.length === 0;
  };
  /** If there are new problems with the settings, shows all problems in one message, whatever is logged. */
  const tell = (): void => {
    if (!isTold) showWarning(session, shorten(settingWarnings.shown(session.settingProblems)));
    isTold = true;
  };
  return {
    /** Accepts settings that the client sends unprompted. */
    push(value: unknown): void {
      // The first settings are the `initializationOptions`. Of those sent later, only the latest count.
      pushed = pushed.length === 0 ? [value] : [pushed[0], value];
      read();
    },
    /** Requests the settings from the client, if the client supports such requests. */
    async pull(): Promise<void> {
      if (session.capabilities.workspace?.configuration !== true) return tell();
      const turn = ++pulls;
      const answer = session.connection.workspace.getConfiguration("multiEdit").then(
        (settings: unknown) => {
          // The answer to an older request may arrive after the answer to a newer one.
          if (turn !== pulls) return;
          pulled = settings;
          read();
          tell();
        },
        (error: unknown) => session.log("warn", serverLog.noSettings(error)),
      );
      // Requests wait for the settings, so a client that does not answer must not keep them waiting forever.
      await Promise.race([answer, delay(limits.settingsMs, undefined, { ref: false })]);
      tell();
    },
    /** Asks the client to notify the server of changes to the settings. */
    subscribe(): void {
      if (session.capabilities.workspace?.didChangeConfiguration?.dynamicRegistration !== true) return;
      const registration = {
        id: "settings",
        method: "workspace/didChangeConfiguration",
        registerOptions: { section: "multiEdit" },
      };
      session.connection
        .sendRequest("client/registerCapability", { registrations: [registration] })
        .catch((error: unknown) => session.log("warn", serverLog.noNewSettings(error)));
    },
  };
}

/** Mirrors the client's documents. A malformed notification puts only the document that it names out of sync. */
function registerSync(session: Session): void {
  const { connection, documents } = session;
  watchProposals(session);
  const note = (uri: unknown, outcome: SyncOutcome): void => {
    if (outcome.kind === "desynced") session.log("warn", serverLog.outOfSync(uri, outcome.problem));
    if (outcome.kind === "ignored") session.log("debug", serverLog.ignored(outcome.problem));
  };
  connection.onNotification("textDocument/didOpen", (params: Loose) => {
    const { uri, version, text } = params?.textDocument ?? {};
    note(uri, documents.open(uri, version, text, session.facts));
    if (typeof uri === "string") session.diskStamps.remember(uri);
  });
  connection.onNotification("textDocument/didChange", (params: Loose) => {
    const { uri, version } = params?.textDocument ?? {};
    note(
      uri,
      documents.change(uri, version, params?.contentChanges, (range, text, lines) =>
        spanOf(text, lines, range, session.encoding),
      ),
    );
  });
  connection.onNotification("textDocument/didClose", (params: Loose) => {
    const { uri } = params?.textDocument ?? {};
    note(uri, documents.close(uri));
    if (typeof uri === "string") session.diskStamps.forget(uri);
  });
  connection.onNotification("textDocument/didSave", (params: Loose) => {
    const { uri } = params?.textDocument ?? {};
    if (typeof uri === "string" && documents.get(uri) !== undefined) session.diskStamps.remember(uri);
  });
}

/** Params as received, not yet validated. */
type Loose =
  | { textDocument?: { uri?: unknown; version?: unknown; text?: unknown }; contentChanges?: unknown }
  | null
  | undefined;

/**
 * Registers the handlers for requests and commands. For `multiEdit/apply`, the client applies the returned edit; for
 * the command `multiEdit.apply`, the server applies it.
 */
function registerRequests(session: Session): void {
  const { connection } = session;
  // If the client reports that it has applied a proposal, the server does not have to wait for the text to be synced.
  connection.onNotification(notifications.didApply, () => {
    settleProposals(session).catch((error: unknown) => session.log("warn", String(error)));
  });
  connection.onNotification(notifications.didChangeUnsynced, (params: unknown) => {
    const { uris }: { uris?: unknown } = Object(params);
    if (Array.isArray(uris))
      session.unsynced = uris.filter((uri) => typeof uri === "string").slice(0, limits.unsyncedDocuments);
  });
  for (const method of Object.values(methods)) {
    connection.onRequest(method, (params: unknown, token) =>
      serveRequest(session, { method, params, applier: "client", caller: undefined }, token),
    );
  }
  connection.onExecuteCommand(async ({ command, arguments: given }, token) => {
    const method = methodsByCommand.get(command);
    if (method === undefined) return new ResponseError(ErrorCodes.InvalidParams, unknownCommand(command));
    const request = { method, params: given?.[0], applier: "server", caller: undefined } as const;
    return asCommandAnswer(await serveRequest(session, request, token));
  });
}

/** Maps each command to the request of the same name. */
const methodsByCommand: ReadonlyMap<unknown, string> = new Map(
  Object.entries(commands).map(([name, command]) => [command, methods[name as keyof typeof commands]]),
);
