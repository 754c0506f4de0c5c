/** The commands of the palette. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { CommentResult, MultiEditResult, ReviewCursor, ReviewSelector } from "../../../server/lsp/protocol.js";
import { requestForUser } from "./client.js";
import type { Review } from "./review.js";

/** What each *keep* and *undo* command acts on, by the last part of its name. */
const scopes = {
  change: (cursor: Cursor): ReviewSelector => ({ uri: cursor.uri, range: cursor.range }),
  file: ({ uri }: Cursor): ReviewSelector => ({ uri }),
  call: ({ hunk }: Cursor): ReviewSelector | undefined => hunk && { transaction: hunk.transaction },
  all: (): ReviewSelector => ({ all: true }),
} as const;

/** The selected lines of the active editor, and the hunk there. */
interface Cursor {
  readonly uri: string;
  readonly range: ReviewCursor["position"] extends infer Position ? { start: Position; end: Position } : never;
  readonly hunk: ReturnType<Review["at"]>;
}

/** Registers all commands but those about questions and the log. */
export function registerCommands(client: LanguageClient, review: Review): vscode.Disposable {
  const cursorIn = ({ document, selection }: vscode.TextEditor): Cursor => ({
    uri: client.code2ProtocolConverter.asUri(document.uri),
    range: client.code2ProtocolConverter.asRange(selection),
    hunk: review.at(document, selection),
  });
  const here = (): Cursor | undefined => vscode.window.activeTextEditor && cursorIn(vscode.window.activeTextEditor);
  const commands: Record<string, (...args: never[]) => unknown> = {
    apply: (call?: unknown) => apply(client, call ?? selectedCall()),
    undo: async () => say(await requestForUser<MultiEditResult>(client, "multiEdit/undo", {})),
    nextChange: () => jump(client, "multiEdit.reviewNext", here()),
    previousChange: () => jump(client, "multiEdit.reviewPrevious", here()),
    showChanges: () => requestForUser(client, "workspace/executeCommand", { command: "multiEdit.reviewDiff" }),
    comment: (hunk?: string) => comment(client, hunk, here()),
    showServerLog: () => client.outputChannel.show(),
  };
  for (const [name, selectorAt] of Object.entries(scopes)) {
    for (const verb of ["undo", "keep"]) {
      commands[`${verb}.${name}`] = async (given?: ReviewSelector) => {
        const cursor = here();
        const selector = given ?? (cursor && selectorAt(cursor)) ?? (name === "all" ? { all: true } : undefined);
        if (selector !== undefined)
          return say(await requestForUser<MultiEditResult>(client, `multiEdit/${verb}`, selector));
        void vscode.window.showInformationMessage("There is no change of an agent here.");
      };
    }
  }
  const registered = Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`multi-edit.${name}`, run),
  );
  return vscode.Disposable.from(...registered);
}

/**
 * Applies a call, and returns the result; `undefined` if it fails. The server applies it and checks the result: VS Code's own
 * function would apply the edit to a text that has changed meanwhile, and files would not change all or none.
 */
async function apply(client: LanguageClient, call: unknown): Promise<MultiEditResult | undefined> {
  if (call === undefined) return undefined;
  const params = { command: "multiEdit.apply", arguments: [call] };
  const result = await requestForUser<MultiEditResult>(client, "workspace/executeCommand", params);
  say(result);
  return result;
}

/** Returns the call (JSON) or the patch in the selection or, if nothing is selected, in the whole text. */
function selectedCall(): unknown {
  const editor = vscode.window.activeTextEditor;
  const text = editor?.document.getText(editor.selection.isEmpty ? undefined : editor.selection);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

/** Shows what a result has to say to the user. */
function say(result: MultiEditResult | undefined): void {
  const warnings = result?.warnings ?? [];
  if (warnings.length > 0) void vscode.window.showWarningMessage(warnings.join(" "));
  else if (result?.label !== undefined) vscode.window.setStatusBarMessage(`Multi-Edit: ${result.label}`, 5_000);
}

/** Shows the next hunk, in whatever file; the server has VS Code show it. */
async function jump(client: LanguageClient, command: string, cursor: Cursor | undefined): Promise<void> {
  const place = cursor && ({ uri: cursor.uri, position: cursor.range.start } satisfies ReviewCursor);
  const found = await requestForUser(client, "workspace/executeCommand", { command, arguments: place ? [place] : [] });
  if (found === null) void vscode.window.showInformationMessage("There are no changes by agents.");
}

/** Asks for a comment on a hunk or on the selected lines, for the agent to read with its next answer. */
async function comment(client: LanguageClient, hunk: string | undefined, cursor: Cursor | undefined): Promise<void> {
  const text = await vscode.window.showInputBox({ prompt: "Comment for the agent" });
  if (text === undefined) return;
  const place = hunk === undefined ? cursor && { uri: cursor.uri, range: cursor.range } : { hunk };
  const answer = await requestForUser<CommentResult>(client, "multiEdit/comment", { text, ...place });
  if (answer !== undefined) vscode.window.setStatusBarMessage(`The agent will read it: ${answer.about}`, 5_000);
}
