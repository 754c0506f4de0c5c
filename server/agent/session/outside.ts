/** The files that an editor has open outside of its workspace folders, which a session announces: it may be too busy to be asked. */

import type { Session } from "../../lsp/session.js";
import { isInside, pathOfSyncedUri } from "../../workspace/pathText.js";
import { canonicalPaths } from "./selectSession.js";

/** The open files outside of the folders, kept up to date. */
export interface OutsideFiles {
  /** Canonical paths. */
  paths(): readonly string[];
  /** Takes over the session's folders as they are now. */
  foldersChanged(): Promise<void>;
}

/** Watches the documents of a session; `changed` is called when there are other files outside of its folders. */
export async function watchOutside(session: Session, changed: () => void): Promise<OutsideFiles> {
  /** Canonical paths by URI, of all open files; `undefined`: not known yet, or no file. */
  const files = new Map<string, string | undefined>();
  let folders: readonly string[] = [];
  const isOutside = (path: string | undefined): path is string =>
    path !== undefined && !folders.some((folder) => isInside(folder, path, process.platform));

  async function opened(uri: string): Promise<void> {
    files.set(uri, undefined);
    const path = pathOfSyncedUri(uri);
    const [file] = path === undefined ? [] : await canonicalPaths([path]);
    if (!files.has(uri)) return; // It was closed meanwhile.
    files.set(uri, file);
    if (isOutside(file)) changed();
  }

  function closed(uri: string): void {
    const file = files.get(uri);
    files.delete(uri);
    if (isOutside(file)) changed();
  }

  async function foldersChanged(): Promise<void> {
    folders = await canonicalPaths(session.folders.map(({ path }) => path));
    changed();
  }

  session.documents.onChange((uri) => {
    const isOpen = session.documents.get(uri) !== undefined;
    if (isOpen && !files.has(uri)) void opened(uri);
    if (!isOpen && files.has(uri)) closed(uri);
  });
  await foldersChanged();
  await Promise.all(session.documents.all().map(({ uri }) => opened(uri)));
  return { paths: () => [...new Set([...files.values()].filter(isOutside))], foldersChanged };
}
