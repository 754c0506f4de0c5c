/** Shows the diff of a question in VS Code's own view: both texts of each file. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ConfirmRequestParams } from "../../../server/lsp/protocol.js";
import { documentOf } from "./client.js";

/** The view, which shows one question at a time. */
export interface DiffView extends vscode.Disposable {
  show(title: string, question: Pick<ConfirmRequestParams, "diff" | "files">): Promise<void>;
  /** Closes the tab that `show` has opened, if the user has not done so. */
  close(): Promise<void>;
}

const scheme = "multi-edit-diff";

/** Creates the view; nothing is shown yet. */
export function createDiffView(client: LanguageClient): DiffView {
  /** The texts that are shown, by their URIs. */
  const texts = new Map<string, string>();
  let [shown, count] = [undefined as string | undefined, 0];
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: (uri) => texts.get(uri.toString()),
  });
  /** Names one side of a file; its path gives the language. */
  const put = (file: vscode.Uri, side: string, text: string): vscode.Uri => {
    const uri = vscode.Uri.from({ scheme, path: file.path, query: `${count} ${side}` });
    texts.set(uri.toString(), text);
    return uri;
  };
  const close = async (): Promise<void> => {
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ label }) => shown && label.startsWith(shown));
    shown = undefined;
    texts.clear();
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
  };
  return {
    close,
    async show(title, { diff, files }) {
      count++;
      const sections = diff.split(/^(?=diff --git )/m);
      const sides = files.map(async ({ uri, oldUri = uri }, index) => {
        const file = client.protocol2CodeConverter.asUri(uri);
        const [before, after] = sidesOf(sections[index] ?? "", await presentText(client, oldUri));
        return [file, put(file, "before", before), put(file, "after", after)];
      });
      shown = title;
      await vscode.commands.executeCommand("vscode.changes", title, await Promise.all(sides));
    },
    dispose: () => provider.dispose(),
  };
}

/** The text of a file before the change; empty if there is none. */
async function presentText(client: LanguageClient, uri: string): Promise<string> {
  const document = documentOf(client, uri);
  if (document !== undefined) return document.getText();
  const file = client.protocol2CodeConverter.asUri(uri);
  const bytes = await vscode.workspace.fs.readFile(file).then(undefined, () => new Uint8Array());
  return new TextDecoder().decode(bytes);
}

/** Returns both texts of a file: whole, if its diff fits the present text; otherwise only the lines of the diff. */
export function sidesOf(diff: string, present: string): readonly [before: string, after: string] {
  const lines = present.split(/\r\n|\r|\n/);
  const [before, after, whole]: string[][] = [[], [], []];
  let at = 0;
  let fits = true;
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [, start = "0", length = "1"] = /^@@ -(\d+)(?:,(\d+))?/.exec(hunk) ?? [];
    const first = length === "0" ? Number(start) : Number(start) - 1;
    whole!.push(...lines.slice(at, first));
    at = first;
    for (const line of hunk.split("\n").slice(1, -1)) {
      const text = line.slice(1).replace(/\r$/, "");
      if (line.startsWith("\\")) continue;
      if (!line.startsWith("+")) {
        before!.push(text);
        fits &&= lines[at++] === text;
      }
      if (line.startsWith("-")) continue;
      after!.push(text);
      whole!.push(text);
    }
  }
  return fits ? [present, [...whole!, ...lines.slice(at)].join("\n")] : [before!.join("\n"), after!.join("\n")];
}
