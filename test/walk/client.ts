/**
 * A client and the server in one process, connected by in-memory streams; the client applies every edit and syncs whole
 * texts.
 */
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import {
  type ApplyWorkspaceEditParams,
  type ApplyWorkspaceEditResult,
  TextDocumentEdit,
  TextEdit,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import type { MultiEditResult } from "../../server/lsp/protocol.js";

/** A client with one document. */
export interface Client {
  open(uri: string, text: string): Promise<void>;
  /** Adds a line at the start of the document, as the user does by typing. */
  type(line: string): Promise<void>;
  /** The document's text. */
  text(): string;
  /** Sends a `multiEdit/apply` request, which changes nothing. */
  propose(call: object): Promise<MultiEditResult>;
  /** Sends the `multiEdit.apply` command. */
  apply(call: object): Promise<MultiEditResult>;
}

/**
 * Starts the server compiled into this folder, and initializes it. `isOpen`: it has a socket for agents, and the client
 * can use it once this resolves.
 */
export async function startClient(compiled: string, root: string, isOpen: boolean): Promise<Client> {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const { opened } = await startServer(compiled, { input: toServer, output: toClient, isOpen });
  const connection = createMessageConnection(new StreamMessageReader(toClient), new StreamMessageWriter(toServer));
  let document = TextDocument.create("", "typescript", 0, "");

  connection.onNotification("window/logMessage", () => undefined);
  connection.onRequest("workspace/applyEdit", async ({ edit }: ApplyWorkspaceEditParams) => {
    for (const change of edit.documentChanges ?? []) {
      if (!TextDocumentEdit.is(change) || change.textDocument.uri !== document.uri) throw new Error("not the document");
      const edits = change.edits.filter((one) => TextEdit.is(one));
      const text = TextDocument.applyEdits(document, edits);
      document = TextDocument.create(document.uri, document.languageId, document.version + 1, text);
      // The change is synced before the answer is sent, so that the server finds proof of the change when it looks for
      // it.
      const textDocument = { uri: document.uri, version: document.version };
      await connection.sendNotification("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
    }
    return { applied: true } satisfies ApplyWorkspaceEditResult;
  });
  connection.listen();

  await connection.sendRequest("initialize", {
    processId: null,
    rootUri: null,
    workspaceFolders: [{ uri: pathToFileURL(root).href, name: "walk" }],
    capabilities: {
      workspace: {
        applyEdit: true,
        workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] },
      },
    },
  });
  await connection.sendNotification("initialized", {});
  await opened;
  return {
    async open(uri, text) {
      document = TextDocument.create(uri, "typescript", 1, text);
      const textDocument = { uri, languageId: "typescript", version: 1, text };
      await connection.sendNotification("textDocument/didOpen", { textDocument });
    },
    async type(line) {
      const { uri, languageId } = document;
      document = TextDocument.create(uri, languageId, document.version + 1, line + document.getText());
      const start = { line: 0, character: 0 };
      await connection.sendNotification("textDocument/didChange", {
        textDocument: { uri, version: document.version },
        contentChanges: [{ range: { start, end: start }, text: line }],
      });
    },
    text: () => document.getText(),
    propose: (call) => connection.sendRequest("multiEdit/apply", call),
    apply: (call) =>
      connection.sendRequest("workspace/executeCommand", { command: "multiEdit.apply", arguments: [call] }),
  };
}

/** Starts the server. `opened` resolves once it is open to agents, if it is to be. */
async function startServer(
  compiled: string,
  { input, output, isOpen }: { readonly input: PassThrough; readonly output: PassThrough; readonly isOpen: boolean },
): Promise<{ readonly opened: Promise<void> }> {
  const load = (path: string): Promise<unknown> => import(pathToFileURL(join(compiled, path)).href);
  const { streamChannel } = (await load("lsp/wire/channel.js")) as typeof import("../../server/lsp/wire/channel.js");
  const { openClientConnection } = (await load(
    "lsp/wire/transport.js",
  )) as typeof import("../../server/lsp/wire/transport.js");
  const { registerServer } = (await load("lsp/server.js")) as typeof import("../../server/lsp/server.js");
  const note = (_level: string, text: string): void => void process.stderr.write(`${text}\n`);
  const session = openClientConnection(streamChannel(input, output), {
    exit: () => undefined,
    note,
    watch: () => undefined,
  });
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  registerServer(session.connection, {
    version: "0.0.0",
    logLevel: "error",
    async openToAgents(session) {
      if (isOpen) {
        const { serveAgents } = (await load(
          "session/serveAgents.js",
        )) as typeof import("../../server/session/serveAgents.js");
        await serveAgents(session);
      }
      open();
    },
  });
  session.connection.listen();
  return { opened };
}
