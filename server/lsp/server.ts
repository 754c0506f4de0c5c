/** The language server: announces its capabilities, mirrors the client's documents and dispatches the requests. */
import {
  type Connection,
  type InitializeParams,
  type InitializeResult,
  ResponseError,
  TextDocumentSyncKind,
} from "vscode-languageserver/node";
import { announcedShapes } from "../dialect/shapes.js";
import { oneLine } from "../text/chars.js";
import { limits } from "../text/limits.js";
import type { SyncOutcome } from "../workspace/documents.js";
import { isRegularFile } from "../workspace/identity.js";
import type { Folder } from "../workspace/paths.js";
import { pathBehindUri, pathOfSyncedUri, refusedScheme } from "../workspace/pathText.js";
import { toGate } from "../workspace/protection.js";
import { settingWarnings } from "../workspace/sentences.js";
import { createWarnOnce, readSettings } from "../workspace/settings.js";
import { Trails } from "../workspace/trails.js";
import { settleProposals, watchProposals } from "./apply/recordApplied.js";
import { diffClosed } from "./apply/viewer.js";
import { factsOf } from "./clients.js";
import { chooseEncoding, editorPositions } from "./edit/positions.js";
import { createSession, reportAbsent, reportRecovered, showWarning } from "./newSession.js";
import { OpenFilesOnDisk } from "./onDisk/follow.js";
import { patchCapabilities, servePatches, showCommand, showText } from "./patches/patches.js";
import { commands, methods, notifications, protocolVersion } from "./protocol.js";
import { serveRequest } from "./requests.js";
import { reviewCommands, reviewMethods } from "./review/protocol.js";
import { beginReview } from "./review/review.js";
import { serverLog, unknownCommand } from "./sentences.js";
import { announcedBy, type ClientInfo, type Session, within } from "./session.js";
import { shorten } from "./wire/lifetime.js";
import type { LogLevel } from "./wire/logLevel.js";
import { errorCodes } from "./wire/rpc.js";

/** The server's startup parameters. */
export interface ServerStart {
  readonly version: string;
  /** Log level from the command line; if `undefined`, the setting `logLevel` applies. */
  readonly logLevel: LogLevel | undefined;
  /** Announces the session to agents, opened to them if the settings allow it. Called once, after it has begun. */
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
    beginReview(session);
    session.ready = settings.pull();
    reportAbsent(session, session.folders);
    watchSettings(session);
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
  session.disk = new OpenFilesOnDisk(session);
  registerSync(connection, session, servePatches(connection, session));
  registerRequests(connection, session);
}

/** Announces the session to agents and, if allowed, opens it. A later change of the setting needs a restart. */
async function openToAgents(session: Session, start: ServerStart): Promise<void> {
  try {
    await start.openToAgents(session);
  } catch (error) {
    session.log("warn", serverLog.closedToAgents(error));
  }
}

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
      executeCommandProvider: { commands: [...allCommands, showCommand] },
      ...patchCapabilities,
      workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
      experimental: {
        multiEdit: { version: protocolVersion, shapes: announcedShapes, commands: allCommands, review: true },
      },
    },
  };
}

const allCommands = [...Object.values(commands), ...Object.values(reviewCommands)];

/** Reports whether a value is a valid `syncDelay`: a number of milliseconds from 0 to `limits.syncDelayMs`. */
const isDelay = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= limits.syncDelayMs;

function clientOf({ clientInfo }: InitializeParams): ClientInfo | undefined {
  const { name, version }: { name?: unknown; version?: unknown } = clientInfo ?? {};
  const shown = oneLine(name, limits.agentName);
  if (shown === undefined) return undefined;
  // lsp-mode gives the whole text of `emacs-version`, of several lines, in which the number comes third.
  const text = oneLine(version, limits.agentName);
  const number = text?.includes(" ") ? (/\S*\d\.\d\S*/.exec(text)?.[0] ?? text) : text;
  return number === undefined ? { name: shown } : { name: shown, version: number };
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
  const isKept = (uri: string) => session.folders.some((folder) => folder.uri === uri && !gone.has(uri));
  const fresh = urisIn(added)
    .filter((uri) => !isKept(uri))
    .map(toFolder);
  session.folders = [...session.folders.filter(({ uri }) => !gone.has(uri)), ...fresh];
  reportAbsent(session, fresh);
  session.outside.changed("folders");
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
    session.outside.changed("others");
    beginReview(session);
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
      await within(answer, limits.settingsMs, undefined);
      tell();
    },
  };
}

/** Asks the client to notify the server of changes to the settings. */
function watchSettings(session: Session): void {
  if (session.capabilities.workspace?.didChangeConfiguration?.dynamicRegistration !== true) return;
  const registration = {
    id: "settings",
    method: "workspace/didChangeConfiguration",
    registerOptions: { section: "multiEdit" },
  };
  session.connection
    .sendRequest("client/registerCapability", { registrations: [registration] })
    .catch((error: unknown) => session.log("warn", serverLog.noNewSettings(error)));
}

/** Mirrors the client's documents. A malformed notification puts only the document that it names out of sync. */
function registerSync(
  connection: Connection,
  session: Session,
  opening: (uri: string, languageId: unknown) => void,
): void {
  const { documents } = session;
  watchProposals(session);
  const note = (uri: unknown, outcome: SyncOutcome): void => {
    if (outcome.kind === "desynced") session.log("warn", serverLog.outOfSync(uri, outcome.problem));
    if (outcome.kind === "ignored") session.log("debug", serverLog.ignored(outcome.problem));
  };
  /** Keeps nothing of a document but the fact that it may have unsaved changes to a file. */
  const refuse = (uri: string): void => {
    const path = pathBehindUri(uri);
    // For example, a page of a chat, or the list of a folder's files.
    if (path === undefined || !isRegularFile(path) || session.refused.size >= limits.unsyncedDocuments) return;
    session.refused.add(uri);
    session.outside.changed("others");
  };
  connection.onNotification("textDocument/didOpen", (params: Loose) => {
    const { uri, version, text, languageId } = params?.textDocument ?? {};
    if (typeof uri === "string" && refusedScheme(uri, session.settings.schemes) !== undefined) return refuse(uri);
    session.trails ??= new Trails(documents, Date.now);
    if (typeof uri === "string") opening(uri, languageId);
    note(uri, documents.open(uri, version, text, session.facts));
    if (typeof uri === "string") session.diskStamps.remember(uri, documents.get(uri)?.version);
  });
  connection.onNotification("textDocument/didChange", (params: Loose) => {
    const { uri, version } = params?.textDocument ?? {};
    note(uri, documents.change(uri, version, params?.contentChanges, editorPositions[session.encoding]));
  });
  connection.onNotification("textDocument/didClose", (params: Loose) => {
    const { uri } = params?.textDocument ?? {};
    note(uri, documents.close(uri));
    if (typeof uri !== "string") return;
    session.diskStamps.forget(uri);
    if (session.refused.delete(uri)) session.outside.changed("others");
    diffClosed(uri);
  });
  connection.onNotification("textDocument/didSave", (params: Loose) => {
    const { uri } = params?.textDocument ?? {};
    const document = typeof uri === "string" ? documents.get(uri) : undefined;
    if (typeof uri !== "string" || document === undefined) return;
    session.diskStamps.remember(uri, document.version);
    session.trails?.saved(uri);
    session.outside.saved(uri);
    session.disk?.saved(uri);
    session.review?.saved(uri);
  });
}

/** Params as received, not yet validated. */
type Loose = { textDocument?: Readonly<Record<string, unknown>>; contentChanges?: unknown } | null | undefined;

/** Registers the handlers. For `multiEdit/apply`, the client applies the edit; for the command, the server does. */
function registerRequests(connection: Connection, session: Session): void {
  // If the client reports that it has applied a proposal, the server does not have to wait for the text to be synced.
  connection.onNotification(notifications.didApply, () => {
    settleProposals(session).catch((error: unknown) => session.log("warn", String(error)));
  });
  connection.onNotification(notifications.didChangeUnsynced, (params: unknown) => {
    const { uris }: { uris?: unknown } = Object(params);
    if (Array.isArray(uris))
      session.unsynced = uris.filter((uri) => typeof uri === "string").slice(0, limits.unsyncedDocuments);
    session.outside.changed("others");
  });
  connection.onNotification(notifications.didMerge, (params: unknown) => {
    session.disk?.merged(params).catch((error: unknown) => session.log("error", String(error)));
  });
  for (const method of Object.values(methodsByName)) {
    connection.onRequest(method, (params: unknown, token) =>
      serveRequest(session, { method, params, applier: "client", caller: undefined }, token, ResponseError),
    );
  }
  connection.onExecuteCommand(async ({ command, arguments: given }, token) => {
    if (command === showCommand) return showText(session, given ?? []);
    if (showingCommands.has(command)) return session.review?.show(command, given?.[0]) ?? null;
    const method = methodsByCommand.get(command);
    if (method === undefined) return new ResponseError(errorCodes.invalidParams, unknownCommand(command));
    const request = { method, params: given?.[0], applier: "server", caller: undefined } as const;
    const answer = await serveRequest(session, request, token, ResponseError);
    // VS Code's client library takes the code ContentModified to mean that the request is outdated, and resolves the
    // command to `undefined`, as if nothing had failed. The error's `data` still contains the failure's own code.
    const isSwallowed = answer instanceof ResponseError && answer.code === errorCodes.contentModified;
    return isSwallowed ? new ResponseError(errorCodes.requestFailed, answer.message, answer.data) : answer;
  });
}

const methodsByName: Readonly<Record<string, string>> = { ...methods, ...reviewMethods };

/** Maps each command to the request of the same name. */
const methodsByCommand: ReadonlyMap<unknown, string> = new Map(
  Object.entries({ ...commands, ...reviewCommands }).map(([name, command]) => [command, methodsByName[name] ?? ""]),
);

/** The commands that only show something. */
const showingCommands: ReadonlySet<string> = new Set([
  reviewCommands.next,
  reviewCommands.previous,
  reviewCommands.diff,
]);
