/** Says in the status bar what agents have changed, and lists their calls, each of which can be undone and redone. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { DidApplyParams, HistoryCall, HistoryResult } from "../../../server/lsp/protocol.js";
import { linesOf, printable, requestForUser } from "./client.js";

const states = { applied: "", partlyUndone: "partly undone", undone: "undone", kept: "kept" } as const;

/** Shows the latest call in the status bar; a click lists all of them. */
export function showCalls(client: LanguageClient): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("multi-edit.calls", vscode.StatusBarAlignment.Left);
  item.name = "Multi-Edit: changes by agents";
  item.command = "multi-edit.log";
  return vscode.Disposable.from(
    item,
    client.onNotification("multiEdit/didApply", ({ agent, kind, label, files }: DidApplyParams) => {
      const added = files.reduce((sum, file) => sum + file.added, 0);
      const removed = files.reduce((sum, file) => sum + file.removed, 0);
      const verb = kind === "undone" ? "undid" : "changed";
      item.text = `$(multiple-windows) ${printable(`${agent ?? "You"} ${verb} ${label}`)} ${linesOf({ added, removed })}`;
      item.tooltip = files.map((file) => `${file.kind} ${file.uri} ${linesOf(file)}`).join("\n");
      item.show();
    }),
    vscode.commands.registerCommand("multi-edit.log", () => listCalls(client)),
  );
}

async function listCalls(client: LanguageClient): Promise<void> {
  const history = await requestForUser<HistoryResult>(client, "multiEdit/history", {});
  if (history === undefined) return;
  const placeHolder = history.calls.length === 0 ? "No calls yet" : "Choose a call to undo it, or to redo it";
  const chosen = await vscode.window.showQuickPick(history.calls.map(itemOf), { placeHolder, matchOnDetail: true });
  if (chosen === undefined) return;
  const { transaction, state } = chosen.call;
  await requestForUser(client, state === "undone" ? "multiEdit/redo" : "multiEdit/undo", { transaction });
}

function itemOf(call: HistoryCall): vscode.QuickPickItem & { readonly call: HistoryCall } {
  const time = new Date(call.at).toLocaleTimeString();
  return {
    label: printable(`${time} ${call.agent ?? "You"}: ${call.label}`),
    description: [linesOf(call), states[call.state]].join(" "),
    detail: printable(call.files.join(", ")),
    call,
  };
}
