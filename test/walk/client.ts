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
  /** The document's text. */
  text(): string;
  /** Sends a `multiEdit/apply` request, which changes nothing. */
  propose(call: object): Promise<MultiEditResult>;
  /** Sends the `multiEdit.apply` command. */
  apply(call: object): Promise<MultiEditResult>;
}

/** Starts the server compiled into this folder, without a socket for agents, and initializes it. */
export async function startClient(compiled: string, root: string): Promise<Client> {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  await startServer(compiled, toServer, toClient);
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
  return {
    async open(uri, text) {
      document = TextDocument.create(uri, "typescript", 1, text);
      const textDocument = { uri, languageId: "typescript", version: 1, text };
      await connection.sendNotification("textDocument/didOpen", { textDocument });
    },
    text: () => document.getText(),
    propose: (call) => connection.sendRequest("multiEdit/apply", call),
    apply: (call) =>
      connection.sendRequest("workspace/executeCommand", { command: "multiEdit.apply", arguments: [call] }),
  };
}

async function startServer(compiled: string, input: PassThrough, output: PassThrough): Promise<void> {
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
  registerServer(session.connection, { version: "0.0.0", logLevel: "error", openToAgents: async () => undefined });
  session.connection.listen();
}
