/** A client of the server, whole and small enough to be copied: keeps documents, sends calls, applies edits all or none. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createMessageConnection, ResponseError, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import type {
  ApplyWorkspaceEditParams,
  InitializeParams,
  InitializeResult,
  LogMessageParams,
  ShowDocumentParams,
  ShowMessageRequestParams,
} from "vscode-languageserver/node";
// Elsewhere than in this repository: from "multi-edit-language-server/protocol".
import type {
  ClientMultiEdit,
  DidApplyParams,
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

/** How to start the server, and what the client does with what the server says. */
export interface ClientOptions {
  /** Program and arguments, as `["multi-edit-language-server", "--stdio"]`. */
  readonly command: readonly [string, ...string[]];
  /** Absolute path of the workspace folder. */
  readonly folder: string;
  /** The user's settings; what is absent has its default. */
  readonly settings?: object;
  /** Gets what the server logs. */
  readonly onLog?: (message: string) => void;
  /** Asks the user and gives one of the titles; `undefined`, and no function at all, means no. */
  readonly ask?: (message: string, titles: readonly string[]) => Promise<string | undefined>;
  /** Shows the user a file, as the diff of a question; without it the question itself has some of the diff in it. */
  readonly show?: (path: string) => void;
  /** Gets what was applied or taken back, and where. */
  readonly onDidApply?: (applied: DidApplyParams) => void;
}

/** What came of a call: failures are values, as a model is to read them. */
export type Answer<Result> =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly code: number; readonly message: string; readonly data?: MultiEditErrorData };

/** A running server and the documents that it is told of. */
export interface Client {
  readonly initialized: InitializeResult;
  /** Open documents; open, change and save them here, and the server knows. */
  readonly documents: DocumentStore;
  /** Sends one tool call, as the model wrote it, and applies the edit of the answer. */
  apply(call: MultiEditParams): Promise<Answer<MultiEditResult>>;
  /** Sends one tool call that the server applies itself, by asking this client and checking the text afterwards. */
  applyByServer(call: MultiEditParams): Promise<Answer<MultiEditResult>>;
  /** What `apply` would do. */
  preview(call: MultiEditParams): Promise<Answer<MultiEditResult>>;
  /** The text that a call would be matched against: show this to the model, not the file on disk. */
  read(params: ReadParams): Promise<Answer<ReadResult>>;
  /** Takes back a batch that the server applied, by default the last one: in all of its files, or not at all. */
  undo(params?: UndoParams): Promise<Answer<MultiEditResult>>;
  /** What the server knows: open documents, folders, what can be taken back. */
  status(): Promise<Answer<StatusResult>>;
  /** Ends the server and waits until it is gone; gives its exit code. */
  stop(): Promise<number | null>;
}

/** Starts the server and introduces the client to it. Throws when it can't be started. */
export async function startClient(options: ClientOptions): Promise<Client> {
  const [program, ...args] = options.command;
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  await once(server, "spawn");
  const exited = once(server, "exit");
  const connection = createMessageConnection(
    new StreamMessageReader(server.stdout),
    new StreamMessageWriter(server.stdin),
  );
  // Requests that are still open when the server dies are only settled by this.
  connection.onClose(() => connection.dispose());

  const documents = createDocumentStore((method, params) => {
    // That the server is gone is told by the next request.
    connection.sendNotification(method, params).catch(() => undefined);
  });
  connection.onRequest("workspace/applyEdit", ({ edit }: ApplyWorkspaceEditParams) => documents.applyEdit(edit));
  connection.onRequest("window/showMessageRequest", async ({ message, actions = [] }: ShowMessageRequestParams) => {
    const titles = actions.map(({ title }) => title);
    const chosen = await options.ask?.(message, titles);
    return actions.find(({ title }) => title === chosen) ?? null;
  });
  connection.onRequest("window/showDocument", ({ uri }: ShowDocumentParams) => {
    options.show?.(fileURLToPath(uri));
    return { success: options.show !== undefined };
  });
  connection.onRequest("multiEdit/saveDocuments", ({ uris }: SaveDocumentsParams) => saveAll(documents, uris));
  connection.onNotification("multiEdit/didApply", (applied: DidApplyParams) => options.onDidApply?.(applied));
  connection.onNotification("window/logMessage", ({ message }: LogMessageParams) => options.onLog?.(message));
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
      // What is created was not there; its name may be that of a file that is moved away first.
      const existing = answer.result.files.filter(({ kind }) => kind !== "create");
      const matched = new Map(existing.map(({ uri, version, hash }) => [uri, { version, hash }]));
      const { applied, failureReason = "" } = documents.applyEdit(answer.result.edit, matched);
      // The text moved on between the answer and now: nothing was changed, and the same call can be sent again.
      if (!applied) return { ok: false, code: contentModified, message: failureReason };
      return { ok: true, result: { ...answer.result, applied: true, outcome: "applied" } };
    },
    applyByServer: (call) => ask("workspace/executeCommand", { command: "multiEdit.apply", arguments: [call] }),
    preview: (call) => ask("multiEdit/preview", call),
    read: (params) => ask("multiEdit/read", params),
    undo: (params = {}) => ask("multiEdit/undo", params),
    status: () => ask("multiEdit/status", {}),
    async stop() {
      await connection.sendRequest("shutdown");
      await connection.sendNotification("exit");
      const [code]: (number | null)[] = await exited;
      return code ?? null;
    },
  };
}

/** `LSPErrorCodes.ContentModified`. */
const contentModified = -32801;

/** Saves what is open; a file that can't be written is no reason to leave the others. */
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

/** Without `documentChanges` and the file operations the server does less; positions count as JavaScript's strings do. */
function introduction({ folder, settings, show }: ClientOptions): InitializeParams {
  const uri = pathToFileURL(folder).href;
  const multiEdit: ClientMultiEdit = { save: true, didApply: true, syncDelay: 0 };
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
