/**
 * Saves files when the server asks for it, and has VS Code save a file whose changes on disk the server has merged. VS Code
 * itself loads files without unsaved text again.
 */
import { createHash } from "node:crypto";
import { readFile, stat, utimes } from "node:fs/promises";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type {
  AdoptDiskTextParams,
  AdoptDiskTextResult,
  SaveDocumentsParams,
  SaveDocumentsResult,
} from "../../../server/lsp/protocol.js";
import { documentOf } from "./client.js";

/** Saves documents at the server's request. What changes while one is saved, such as by a formatter, belongs to the call. */
export function saveOnRequest(client: LanguageClient): vscode.Disposable {
  return client.onRequest("multiEdit/saveDocuments", async ({ uris }: SaveDocumentsParams) => {
    const answer: Required<SaveDocumentsResult> = { saved: [], failed: [], versions: [] };
    for (const uri of uris) {
      const document = documentOf(client, uri);
      const before = document?.version ?? 0;
      if (await document?.save()) {
        answer.saved.push(uri);
        answer.versions.push({ uri, before, after: document?.version ?? before });
      } else
        answer.failed.push({ uri, message: document === undefined ? "it is not open" : "VS Code did not save it" });
    }
    return answer;
  });
}

/** A time before that of any file. */
const longAgo = new Date(1_000);

/**
 * Lets VS Code save files whose changes on disk are in the document. VS Code refuses to save a file that is newer than the
 * one it has read; there is no API to say otherwise. So the file gets an old time right before VS Code writes it, but only if
 * it still has the bytes that were merged.
 */
export function adoptMerges(client: LanguageClient): vscode.Disposable {
  /** The SHA-256 of each merged file, by its path. */
  const merged = new Map<string, string>();
  /** The times of files that VS Code is about to write. */
  const times = new Map<string, Date>();
  const prepare = async (path: string, hash: string): Promise<void> => {
    if ((await hashOf(path)) !== hash) return;
    times.set(path, (await stat(path)).mtime);
    await utimes(path, longAgo, longAgo);
    // If VS Code does not write the file after all, it gets its time back.
    setTimeout(() => void restore(path), 5_000);
  };
  const restore = async (path: string): Promise<void> => {
    const time = times.get(path);
    times.delete(path);
    if (time !== undefined && (await stat(path)).mtimeMs === longAgo.getTime()) await utimes(path, time, time);
  };
  return vscode.Disposable.from(
    // VS Code does what this notification asks for without being told.
    client.onNotification("multiEdit/didChangeOnDisk", () => undefined),
    client.onRequest("multiEdit/adoptDiskText", async ({ uri, hash }: AdoptDiskTextParams) => {
      const document = documentOf(client, uri);
      const adopted = document !== undefined && (await hashOf(document.uri.fsPath)) === hash;
      if (adopted) merged.set(document.uri.fsPath, hash);
      return { adopted } satisfies AdoptDiskTextResult;
    }),
    vscode.workspace.onWillSaveTextDocument(({ document, waitUntil }) => {
      const hash = merged.get(document.uri.fsPath);
      if (hash !== undefined) waitUntil(prepare(document.uri.fsPath, hash).catch(() => undefined));
    }),
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      merged.delete(uri.fsPath);
      times.delete(uri.fsPath);
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => merged.delete(uri.fsPath)),
  );
}

async function hashOf(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}
