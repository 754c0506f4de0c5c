/** Shows a diff in the editor, as a document, to a user who is asked about it by a message. */
import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ShowDocumentParams, ShowDocumentResult } from "vscode-languageserver/node";
import { limits } from "../../text/limits.js";
import { pathOfSyncedUri, uriOfPath } from "../../workspace/pathText.js";
import { type Session, within } from "../session.js";

/** The diff folders that currently exist. They are removed if the process exits while a question is pending. */
const folders = new Set<string>();

process.on("exit", () => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** The diffs that users are reading, by path: each function reports that the client has closed its document. */
const readers = new Map<string, () => void>();

/** Takes note that the client has closed a document, which may be a diff that its user was reading. */
export function diffClosed(uri: string): void {
  if (readers.size > 0) readers.get(pathOfSyncedUri(uri) ?? "")?.();
}

/** Shows a text as a document until it is closed or the process ends; `false` if the client can't. */
export async function showAlone(session: Session, text: string, name: string): Promise<boolean> {
  const viewer = createViewer(session, name);
  await viewer.show(text);
  if (viewer.works()) void viewer.closed().then(viewer.end);
  else await viewer.end();
  return viewer.works();
}

/** A viewer of diffs. */
export type Viewer = ReturnType<typeof createViewer>;

/** Creates a viewer of diffs, in files that only the user can read, until `end`. `first`: the first one's name. */
export function createViewer({ capabilities, connection }: Session, first = "proposed.diff") {
  let folder: string | undefined;
  let latest: { readonly diff: string; readonly path: string } | undefined;
  let written = 0;
  let hasFailed = false;
  const works = (): boolean => capabilities.window?.showDocument?.support === true && !hasFailed;
  /** Writes a diff to a new file, because editors do not expect an open file to change; returns its path. */
  const write = async (diff: string): Promise<string> => {
    const name = written++ === 0 ? first : `proposed-${written}.diff`;
    // `mkdtemp` creates the folder with mode 0700.
    folder ??= await mkdtemp(join(tmpdir(), "multi-edit-"));
    folders.add(folder);
    const path = join(folder, name);
    await writeFile(path, diff, { mode: 0o600, flag: "wx" });
    return path;
  };
  return {
    /** Reports whether the client can show a document and no attempt to show one has failed. */
    works,
    /** Reports whether the user has asked to see a diff. */
    wasUsed: () => written > 0,
    async show(diff: string): Promise<void> {
      if (!works()) return;
      // If the disk is full or read-only, the question itself can still show a part of the diff.
      const path = latest?.diff === diff ? latest.path : await write(diff).catch(() => undefined);
      hasFailed = path === undefined;
      if (path === undefined) return;
      latest = { diff, path };
      const params: ShowDocumentParams = { uri: uriOfPath(path), takeFocus: true };
      const shown = connection.sendRequest("window/showDocument", params).then(
        (answer) => (answer as ShowDocumentResult | null)?.success === true,
        () => false,
      );
      hasFailed = !(await within(shown, limits.showMs, false));
    },
    /** Settles once the client has closed the diff's document, which it reports only if it syncs such documents. */
    closed: (): Promise<void> =>
      new Promise((resolve) => {
        if (latest !== undefined) readers.set(latest.path, resolve);
      }),
    async end(): Promise<void> {
      if (latest !== undefined) readers.delete(latest.path);
      if (folder === undefined) return;
      await rm(folder, { recursive: true, force: true });
      folders.delete(folder);
    },
  };
}
