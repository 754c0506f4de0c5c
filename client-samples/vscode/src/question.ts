/**
 * The server's questions, each in a dialogue that stays until the user closes it. The diff is shown in VS Code's own view. A
 * question whose dialogue was closed without an answer waits in the status bar.
 */
import { setTimeout as delay } from "node:timers/promises";
import * as vscode from "vscode";
import { type CancellationToken, type LanguageClient, LSPErrorCodes, ResponseError } from "vscode-languageclient/node";
import type { ConfirmRequestParams, ConfirmRequestResult } from "../../../server/lsp/protocol.js";
import { linesOf, printable } from "./client.js";
import { createDiffView, type DiffView } from "./diffView.js";

/** A question that is not answered yet. */
interface Question {
  readonly title: string;
  readonly params: ConfirmRequestParams;
  /** Gives the answer. It may come too late; then nothing happens. */
  answer(given: ConfirmRequestResult | ResponseError<void>): void;
}

/** The answers in the order of the buttons. The first one has the focus, so a key that is typed just then must do no harm. */
const [show, apply, reject] = ["Show Diff", "Apply", "Reject"];

/** Milliseconds without typing after which a dialogue may take the keys. */
const typingPause = 1_000;

/** Answers the server's questions from now on. */
export function answerQuestions(client: LanguageClient): vscode.Disposable {
  let open: Question | undefined;
  let typedAt = 0;
  const view = createDiffView(client);
  const item = vscode.window.createStatusBarItem("multi-edit.question", vscode.StatusBarAlignment.Left, 1_000);
  item.name = "Multi-Edit: question";
  item.command = "multi-edit.question";
  item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");

  const begin = (question: Question): void => {
    open = question;
    item.text = `$(question) ${question.title}`;
    item.show();
    void vscode.commands.executeCommand("setContext", "multiEdit.isAsked", true);
  };
  const end = async (): Promise<void> => {
    open = undefined;
    item.hide();
    void vscode.commands.executeCommand("setContext", "multiEdit.isAsked", false);
    await view.close();
  };
  const onQuestion = (params: ConfirmRequestParams, token: CancellationToken) =>
    new Promise<ConfirmRequestResult | ResponseError<void>>((resolve) => {
      const question: Question = {
        title: titleOf(params),
        params,
        answer(given) {
          resolve(given);
          if (open === question) void end();
        },
      };
      token.onCancellationRequested(() => {
        if (open === question) void vscode.window.showInformationMessage(expired(question));
        question.answer(new ResponseError(LSPErrorCodes.RequestCancelled, "The question was withdrawn."));
      });
      begin(question);
      void untilQuiet(() => typedAt).then(() => askIf(question));
    });
  /** Shows the dialogue, unless the question has been answered or withdrawn. */
  const askIf = async (question: Question): Promise<void> => {
    if (open !== question) return;
    const options = { modal: true, detail: detailOf(question.params) };
    const chosen = await vscode.window.showInformationMessage(question.title, options, show!, apply!, reject!);
    // VS Code has no way to close the dialogue when the question is withdrawn.
    if (open !== question)
      return chosen === apply ? void vscode.window.showWarningMessage(expired(question)) : undefined;
    if (chosen === apply) question.answer({ answer: "apply" });
    else if (chosen === reject) await rejectIt(question);
    else if (chosen === show) await showDiff(question, view);
  };
  const withOpen = (act: (question: Question) => unknown) => () => open && act(open);
  return vscode.Disposable.from(
    item,
    view,
    client.onRequest("multiEdit/confirm", onQuestion),
    vscode.workspace.onDidChangeTextDocument(({ contentChanges }) => {
      if (contentChanges.length > 0) typedAt = Date.now();
    }),
    vscode.commands.registerCommand("multi-edit.question", withOpen(askIf)),
    vscode.commands.registerCommand(
      "multi-edit.showQuestionDiff",
      withOpen((question) => showDiff(question, view)),
    ),
    vscode.commands.registerCommand(
      "multi-edit.acceptQuestion",
      withOpen(({ answer }) => answer({ answer: "apply" })),
    ),
    vscode.commands.registerCommand("multi-edit.rejectQuestion", withOpen(rejectIt)),
  );
}

/** Waits until the user has stopped typing, but not for long. */
async function untilQuiet(typedAt: () => number): Promise<void> {
  for (let tries = 0; tries < 100 && Date.now() - typedAt() < typingPause; tries++) await delay(100);
}

async function rejectIt(question: Question): Promise<void> {
  const prompt = "Reason for the agent, or Enter for none";
  const reason = await vscode.window.showInputBox({ title: question.title, prompt, ignoreFocusOut: true });
  question.answer({ answer: "reject", ...(reason ? { reason } : {}) });
}

const showDiff = ({ title, params }: Question, view: DiffView): Promise<void> => view.show(title, params);

const titleOf = ({ agent, files, ...numbers }: ConfirmRequestParams): string =>
  printable(`${agent ?? "A command"} asks to change ${files.length} ${files.length === 1 ? "file" : "files"}`) +
  ` (${linesOf(numbers)})`;

const detailOf = ({ label, files }: ConfirmRequestParams): string => {
  const lines = files.map((file) => `${file.kind} ${vscode.workspace.asRelativePath(vscode.Uri.parse(file.uri))}`);
  const shown = lines.slice(0, 15).map((line, index) => `${printable(line)} ${linesOf(files[index] ?? {})}`);
  return [printable(label), ...shown, ...(lines.length > 15 ? [`and ${lines.length - 15} more`] : [])].join("\n");
};

const expired = ({ title }: Question): string => `${title}: this question has expired. Nothing was changed.`;
