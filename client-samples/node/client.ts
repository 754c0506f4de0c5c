/**
 * A complete client for the server, small enough to copy. It holds the open documents, sends calls, and applies each
 * edit either completely or not at all.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  type CancellationToken,
  createMessageConnection,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import type {
  ApplyWorkspaceEditParams,
  InitializeParams,
  InitializeResult,
  LogMessageParams,
  ShowDocumentParams,
  ShowMessageRequestParams,
} from "vscode-languageserver/node";
// Outside this repository, import from "multi-edit-language-server/protocol".
import type {
  ClientMultiEdit,
  ConfirmRequestParams,
  ConfirmRequestResult,
  DidApplyParams,
  DidChangeUnsyncedParams,
  ForwardedCall,
  MultiEditErrorData,
  MultiEditParams,
  MultiEditResult,
  ReadParams,
  ReadResult,
  SaveDocumentsParams,
  SaveDocumentsResult,
  StatusResult,
  UndoParams,
} from "../../server/lsp/protocol.js";
import { createDocumentStore, type DocumentStore } from "./documents.js";

/** The server's command line, workspace folder and settings, and the handlers for its messages. */
export interface ClientOptions {
  /** Program and arguments, such as `["multi-edit-language-server", "--stdio"]`. */
  readonly command: readonly [string, ...string[]];
  /** Absolute path of the workspace folder. */
  readonly folder: string;
  /** The user's settings; missing settings take their default values. */
  readonly settings?: object;
  /** Receives the server's log messages. */
  readonly onLog?: (message: string) => void;
  /**
   * Asks the user a question and returns the title of the chosen answer; `undefined`, or no function at all, means no.
   */
  readonly ask?: (message: string, titles: readonly string[]) => Promise<string | undefined>;
  /**
   * Asks the user about a change in a view of the program's own, with the whole diff; replaces `ask` and `show`. The
   * signal is aborted when the server withdraws the question, so that the view can be closed.
   */
  readonly confirm?: (question: ConfirmRequestParams, signal: AbortSignal) => Promise<ConfirmRequestResult>;
  /**
   * Shows a file to the user, such as the diff that a question is about; without this function, the question itself
   * contains part of the diff.
   */
  readonly show?: (path: string) => void;
  /** Receives each batch that was applied or undone: which agent sent it, and which lines it changed in which files. */
  readonly onDidApply?: (applied: DidApplyParams) => void;
}

/** The outcome of a call; failures are returned as values, so that a model can read them. */
export type Answer<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly code: number; readonly message: string; readonly data?: MultiEditErrorData };

/** A running server and the documents that the client has synced with it. */
export interface Client {
  readonly initialized: InitializeResult;
  /** The open documents. Use this store to open, change and save documents, so that the server is notified. */
  readonly documents: DocumentStore;
  /** Sends one tool call, as the model wrote it, and applies the edit in the answer. */
  apply(call: MultiEditParams | ForwardedCall): Promise<Answer<MultiEditResult>>;
  /**
   * Sends one tool call and leaves its application to the server, which asks this client to apply the edits and then
   * checks the texts.
   */
  applyByServer(call: MultiEditParams | ForwardedCall): Promise<Answer<MultiEditResult>>;
  /** Returns the answer that `apply` would get, and changes nothing. */
  preview(call: MultiEditParams | ForwardedCall): Promise<Answer<MultiEditResult>>;
  /** Returns the text that the server would match a call against. Show the model this text, not the file on disk. */
  read(params: ReadParams): Promise<Answer<ReadResult>>;
  /** Undoes a batch that the server applied, by default the last one: either in all of its files or in none. */
  undo(params?: UndoParams): Promise<Answer<MultiEditResult>>;
  /** Returns the server's state: open documents, folders, and the batches that can be undone. */
  status(): Promise<Answer<StatusResult>>;
  /**
   * Reports all files with unsaved changes in editors or tabs that this client does not sync, as absolute paths, so that
   * the server does not write these files on disk. Each report replaces the one before.
   */
  reportUnsynced(paths: readonly string[]): Promise<void>;
  /** Stops the server, waits for it to exit, and returns its exit code. */
  stop(): Promise<number | null>;
}

/** Starts the server and initializes it. Throws if the server cannot be started. */
export async function startClient(options: ClientOptions): Promise<Client> {
  const [program, ...args] = options.command;
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  await once(server, "spawn");
  const exited = once(server, "exit");
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  // If the server dies, only this settles the pending requests.
  connection.onClose(() => connection.dispose());

  const documents = createDocumentStore((method, params) => {
    // If the server has exited, the next request will report that.
    connection.sendNotification(method, params).catch(() => undefined);
  });
  connection.onRequest("workspace/applyEdit", ({ edit }: ApplyWorkspaceEditParams) => documents.applyEdit(edit));
  answerWindow(connection, options);
  connection.onRequest("multiEdit/saveDocuments", ({ uris }: SaveDocumentsParams) => saveAll(documents, uris));
  connection.onNotification("multiEdit/didApply", (applied: DidApplyParams) => options.onDidApply?.(applied));
  connection.listen();

  const initialized = await connection.sendRequest<InitializeResult>("initialize", introduction(options));
  await connection.sendNotification("initialized", {});

  async function ask<Result>(method: string, params: unknown): Promise<Answer<Result>> {
    try {
      return { ok: true, result: await connection.sendRequest<Result>(method, params) };
    } catch (error) {
      if (!(error instanceof ResponseError)) throw error;
      return { ok: false, code: error.code, message: error.message, data: error.data };
    }
  }

  return {
    initialized,
    documents,
    async apply(call) {
      const answer = await ask<MultiEditResult>("multiEdit/apply", call);
      if (!answer.ok || answer.result.edit === undefined) return answer;
      // A created file did not exist before; its name may be that of a file that the edit moves away first.
      const existing = answer.result.files.filter(({ kind }) => kind !== "create");
      const matched = new Map(existing.map(({ uri, version, hash }) => [uri, { version, hash }]));
      const { applied, failureReason = "" } = documents.applyEdit(answer.result.edit, matched);
      // The text has changed since the answer was sent: nothing was applied, and the same call can be sent again.
      if (!applied) return { ok: false, code: contentModified, message: failureReason };
      return { ok: true, result: { ...answer.result, applied: true, outcome: "applied" } };
    },
    applyByServer: (call) => ask("workspace/executeCommand", { command: "multiEdit.apply", arguments: [call] }),
    preview: (call) => ask("multiEdit/preview", call),
    read: (params) => ask("multiEdit/read", params),
    undo: (params = {}) => ask("multiEdit/undo", params),
    status: () => ask("multiEdit/status", {}),
    reportUnsynced(paths) {
      const params: DidChangeUnsyncedParams = { uris: paths.map((path) => pathToFileURL(path).href) };
      return connection.sendNotification("multiEdit/didChangeUnsynced", params);
    },
    async stop() {
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      const [code]: (number | null)[] = await exited;
      return code ?? null;
    },
  };
}

/** Answers the server's questions, shows its documents and passes on its log. */
function answerWindow(connection: MessageConnection, options: ClientOptions): void {
  connection.onRequest("window/showMessageRequest", async ({ message, actions = [] }: ShowMessageRequestParams) => {
    const titles = actions.map(({ title }) => title);
    const chosen = await options.ask?.(message, titles);
    return actions.find(({ title }) => title === chosen) ?? null;
  });
  connection.onRequest("window/showDocument", ({ uri }: ShowDocumentParams) => {
    options.show?.(fileURLToPath(uri));
    return { success: options.show !== undefined };
  });
  connection.onRequest("multiEdit/confirm", async (question: ConfirmRequestParams, token: CancellationToken) => {
    const withdrawal = new AbortController();
    token.onCancellationRequested(() => withdrawal.abort());
    const withdrawn = new Promise<ResponseError<void>>((resolve) => {
      withdrawal.signal.addEventListener("abort", () => resolve(new ResponseError(requestCancelled, "Withdrawn.")));
    });
    const answer = options.confirm?.(question, withdrawal.signal) ?? { answer: "reject" };
    return Promise.race([answer, withdrawn]);
  });
  connection.onNotification("window/logMessage", ({ message }: LogMessageParams) => options.onLog?.(message));
}

/** `LSPErrorCodes.ContentModified` and `LSPErrorCodes.RequestCancelled`. */
const contentModified = -32801;
const requestCancelled = -32800;

/** Saves open documents; if one file cannot be written, the others are still saved. */
function saveAll(documents: DocumentStore, uris: readonly string[]): SaveDocumentsResult {
  const answer: SaveDocumentsResult = { saved: [], failed: [] };
  for (const uri of uris) {
    try {
      const path = fileURLToPath(uri);
      if (documents.get(path) === undefined) throw new Error("it is not open");
      documents.save(path);
      answer.saved.push(uri);
    } catch (error) {
      answer.failed.push({ uri, message: error instanceof Error ? error.message : String(error) });
    }
  }
  return answer;
}

/**
 * Returns the params of `initialize`. Without `documentChanges` or the file operations, the server could do less.
 * Positions count UTF-16 code units, as JavaScript does.
 */
function introduction({ folder, settings, show, confirm }: ClientOptions): InitializeParams {
  const uri = pathToFileURL(folder).href;
  const multiEdit: ClientMultiEdit = { save: true, didApply: true, confirm: confirm !== undefined, syncDelay: 0 };
  return {
    processId: process.pid,
    clientInfo: { name: "multi-edit-node-sample" },
    rootUri: uri,
    workspaceFolders: [{ uri, name: folder }],
    initializationOptions: settings,
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      workspace: {
        applyEdit: true,
        workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] },
      },
      window: { showDocument: { support: show !== undefined } },
      experimental: { multiEdit },
    },
  };
}
