/** Reports files with unsaved changes that no document holds, such as notebooks and huge files, so that no call writes them. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { DidChangeUnsyncedParams } from "../../../server/lsp/protocol.js";

/** Reports these files from now on, whenever the list changes. */
export function reportUnsynced(client: LanguageClient): vscode.Disposable {
  let reported = "";
  const report = (): void => {
    const uris = unsyncedFiles().map((uri) => client.code2ProtocolConverter.asUri(uri));
    if (uris.join("\n") === reported) return;
    reported = uris.join("\n");
    void client.sendNotification("multiEdit/didChangeUnsynced", { uris } satisfies DidChangeUnsyncedParams);
  };
  /** VS Code may say a little later that a notebook has no unsaved changes any more. */
  const reportTwice = (): void => {
    report();
    setTimeout(report, 1_000);
  };
  report();
  return vscode.Disposable.from(
    vscode.window.tabGroups.onDidChangeTabs(reportTwice),
    vscode.workspace.onDidOpenTextDocument(report),
    vscode.workspace.onDidCloseTextDocument(report),
    vscode.workspace.onDidChangeNotebookDocument(report),
    vscode.workspace.onDidSaveNotebookDocument(reportTwice),
  );
}

function unsyncedFiles(): vscode.Uri[] {
  const synced = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ isDirty }) => isDirty);
  const dirty = [
    ...tabs.map(({ input }) => (input as { readonly uri?: vscode.Uri } | undefined)?.uri),
    ...vscode.workspace.notebookDocuments.map((notebook) => (notebook.isDirty ? notebook.uri : undefined)),
  ];
  const files = dirty.filter((uri) => uri?.scheme === "file" && !synced.has(uri.toString()));
  return [...new Map(files.flatMap((uri) => (uri === undefined ? [] : [[uri.toString(), uri]]))).values()];
}
