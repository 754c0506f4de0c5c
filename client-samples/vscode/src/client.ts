/** The connection with the server, which syncs all files and all drafts that have no file yet. */
import * as vscode from "vscode";
import {
  type ApplyWorkspaceEditParams,
  LanguageClient,
  RevealOutputChannelOn,
  type ServerOptions,
  type StaticFeature,
  TransportKind,
} from "vscode-languageclient/node";
import type { ClientMultiEdit } from "../../../server/lsp/protocol.js";

/** What this extension does at the server's request. */
const announced: ClientMultiEdit = {
  save: true,
  didApply: true,
  confirm: true,
  didChangeOnDisk: true,
  diagnostics: true,
  review: true,
};

/** Creates the connection; the server is not started yet. */
export function createClient(context: vscode.ExtensionContext): LanguageClient {
  const schemes = vscode.workspace.getConfiguration("multiEdit").get<string[]>("schemes", []);
  const client = new LanguageClient("multiEdit", "Multi-Edit", serverOf(context), {
    documentSelector: ["file", "untitled", ...schemes].map((scheme) => ({ scheme })),
    // The server asks for the settings later, too, but opens itself to agents by the first ones.
    initializationOptions: vscode.workspace.getConfiguration().get("multiEdit", {}),
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    // The library compares the versions before it applies the edit.
    middleware: { workspace: { handleApplyEdit: (params, next) => next(annotated(params), noCancellation) } },
  });
  client.registerFeature(announcing);
  return client;
}

const noCancellation = new vscode.CancellationTokenSource().token;

/**
 * Annotates each edit. VS Code makes the edits of the active editor smaller, by a comparison that may cut a character in half
 * and so lose it; it leaves edits with an annotation as they are.
 */
function annotated(params: ApplyWorkspaceEditParams): ApplyWorkspaceEditParams {
  const annotation = { label: params.label ?? "Multi-Edit", needsConfirmation: false };
  const documentChanges = (params.edit.documentChanges ?? []).map((change) =>
    "edits" in change ? { ...change, edits: change.edits.map((edit) => ({ ...edit, annotationId: "call" })) } : change,
  );
  return { ...params, edit: { ...params.edit, documentChanges, changeAnnotations: { call: annotation } } };
}

const announcing: StaticFeature = {
  fillClientCapabilities(capabilities) {
    capabilities.experimental = { ...capabilities.experimental, multiEdit: announced };
  },
  initialize() {},
  getState: () => ({ kind: "static" }),
  clear() {},
};

/** The server that the user names or, by default, the one in this extension, which runs in VS Code's own Node. */
function serverOf(context: vscode.ExtensionContext): ServerOptions {
  const [command, ...args] = vscode.workspace.getConfiguration("multiEditServer").get<string[]>("command", []);
  if (command !== undefined) return { command, args };
  return { module: context.asAbsolutePath("server/main.cjs"), transport: TransportKind.stdio };
}

/** Sends a request for the user. Shows the reason if it fails; the result is then `undefined`. */
export async function requestForUser<Result>(
  client: LanguageClient,
  method: string,
  params: unknown,
): Promise<Result | undefined> {
  try {
    return await client.sendRequest<Result>(method, params);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const copy = "Copy for the Model";
    void vscode.window.showErrorMessage(message, copy).then((chosen) => {
      if (chosen === copy) void vscode.env.clipboard.writeText(message);
    });
    return undefined;
  }
}

/** Returns text that somebody else has chosen without characters that control how it is shown. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{fffd}");

/** Returns the number of lines that were added and removed, such as `+2 -1`. */
export const linesOf = ({ added = 0, removed = 0 }): string => `+${added} -${removed}`;

/** Finds an open document by the URI that the server uses. */
export function documentOf(client: LanguageClient, uri: string): vscode.TextDocument | undefined {
  const wanted = client.protocol2CodeConverter.asUri(uri).toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted);
}
