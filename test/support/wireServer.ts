/**
 * The built server, with a client based on vscode-jsonrpc that sends whatever it is given, without an editor or any
 * checks.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import {
  createMessageConnection,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import type { WorkspaceEdit } from "vscode-languageserver/node";
import type { Failure, MultiEditErrorData, MultiEditResult, ReadResult } from "../../server/lsp/protocol.js";
import { builtServer } from "./build.js";

export { builtServer };

/** The answer to a call. */
export type Answered =
  | { readonly ok: true; readonly result: MultiEditResult }
  | { readonly ok: false; readonly code: number; readonly message: string; readonly failures: readonly Failure[] };

/** A server and the connection to it; both end with the test. */
export interface WireServer {
  readonly connection: MessageConnection;
  readonly process: ChildProcess;
  open(uri: string, text: string): Promise<void>;
  /** Sends `multiEdit/apply` with these params, whatever they are. */
  apply(params: unknown): Promise<Answered>;
  /** Sends `multiEdit/read`; the promise is rejected if the server refuses the request. */
  read(path: string, more?: object): Promise<ReadResult>;
  /** Every edit that the server asked the client to apply; the client applies none of them. */
  readonly asked: readonly WorkspaceEdit[];
}

/** Starts a server for these workspace folders and initializes it. */
export async function startWireServer(...folders: readonly string[]): Promise<WireServer> {
  const child = spawn(process.execPath, [builtServer, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const asked: WorkspaceEdit[] = [];
  connection.onRequest("workspace/applyEdit", ({ edit }: { edit: WorkspaceEdit }) => {
    asked.push(edit);
    return { applied: false };
  });
  connection.onNotification("window/logMessage", () => undefined);
  connection.listen();
  onTestFinished(() => {
    connection.dispose();
    child.kill("SIGKILL");
  });
  const workspaceFolders = folders.map((path) => ({ uri: pathToFileURL(path).href, name: path }));
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: null,
    workspaceFolders,
    capabilities: {
      workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] } },
    },
  });
  await connection.sendNotification("initialized", {});
  return {
    connection,
    process: child,
    asked,
    open: (uri, text) =>
      connection.sendNotification("textDocument/didOpen", {
        textDocument: { uri, languageId: "plaintext", version: 1, text },
      }),
    apply: (params) => answered(connection.sendRequest("multiEdit/apply", params)),
    read: (path, more = {}) => connection.sendRequest("multiEdit/read", { path, ...more }),
  };
}

async function answered(request: Promise<unknown>): Promise<Answered> {
  try {
    return { ok: true, result: (await request) as MultiEditResult };
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    const data = error.data as MultiEditErrorData | undefined;
    return { ok: false, code: error.code, message: error.message, failures: data?.failures ?? [] };
  }
}
