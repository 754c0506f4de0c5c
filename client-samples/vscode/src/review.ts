/** Marks what agents have changed until the user keeps or undoes it: marks beside the lines, and actions above them. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { DidChangeReviewParams, ReviewHunk } from "../../../server/lsp/protocol.js";
import { printable } from "./client.js";

/** The pending changes. */
export interface Review extends vscode.Disposable {
  /** The first hunk whose lines touch the selection. */
  at(document: vscode.TextDocument, selection: vscode.Range): ReviewHunk | undefined;
}

/** Shows the hunks from now on. */
export function showReview(client: LanguageClient, context: vscode.ExtensionContext): Review {
  /** The hunks of each file, by its URI as VS Code writes it. */
  const files = new Map<string, readonly ReviewHunk[]>();
  const hunksOf = ({ uri }: vscode.TextDocument): readonly ReviewHunk[] => files.get(uri.toString()) ?? [];
  const rangeOf = ({ range }: ReviewHunk): vscode.Range => client.protocol2CodeConverter.asRange(range);
  const changed = new vscode.EventEmitter<void>();
  const marks = createMarks(context);
  const draw = (editor: vscode.TextEditor): void => {
    const ranges = hunksOf(editor.document).map(rangeOf);
    // A range ends at the start of the line after the last one.
    const lines = ranges.filter(({ isEmpty }) => !isEmpty).map((all) => all.with(undefined, all.end.translate(-1)));
    editor.setDecorations(marks.lines, lines);
    editor.setDecorations(
      marks.removal,
      ranges.filter(({ isEmpty }) => isEmpty),
    );
  };
  const lensesIn = (document: vscode.TextDocument): vscode.CodeLens[] =>
    hunksOf(document).flatMap((hunk) => {
      const place = rangeOf(hunk);
      const lens = (title: string, command: string, ...args: unknown[]): vscode.CodeLens =>
        new vscode.CodeLens(place, { title, command, arguments: args });
      return [
        lens(printable(hunk.message), "multi-edit.showChanges"),
        lens("Keep", "multi-edit.keep.change", { hunks: [hunk.id] }),
        lens("Undo", "multi-edit.undo.change", { hunks: [hunk.id] }),
        lens("Comment", "multi-edit.comment", hunk.id),
      ];
    });
  const registered = vscode.Disposable.from(
    marks.lines,
    marks.removal,
    changed,
    client.onNotification("multiEdit/didChangeReview", ({ uri, hunks }: DidChangeReviewParams) => {
      const key = client.protocol2CodeConverter.asUri(uri).toString();
      if (hunks.length === 0) files.delete(key);
      else files.set(key, hunks);
      vscode.window.visibleTextEditors.filter(({ document }) => document.uri.toString() === key).forEach(draw);
      changed.fire();
    }),
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach(draw)),
    vscode.languages.registerCodeLensProvider(
      { scheme: "file" },
      { onDidChangeCodeLenses: changed.event, provideCodeLenses: lensesIn },
    ),
  );
  return {
    at: (document, selection) => hunksOf(document).find((hunk) => rangeOf(hunk).intersection(selection) !== undefined),
    dispose: () => registered.dispose(),
  };
}

function createMarks(context: vscode.ExtensionContext): Record<"lines" | "removal", vscode.TextEditorDecorationType> {
  const common = { isWholeLine: true, overviewRulerLane: vscode.OverviewRulerLane.Left };
  return {
    lines: vscode.window.createTextEditorDecorationType({
      ...common,
      gutterIconPath: context.asAbsolutePath("icons/changed.svg"),
      gutterIconSize: "contain",
      overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.addedForeground"),
      backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground"),
    }),
    removal: vscode.window.createTextEditorDecorationType({
      ...common,
      gutterIconPath: context.asAbsolutePath("icons/removed.svg"),
      gutterIconSize: "contain",
      overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.deletedForeground"),
      borderColor: new vscode.ThemeColor("editorGutter.deletedBackground"),
      borderStyle: "solid",
      borderWidth: "2px 0 0 0",
    }),
  };
}
