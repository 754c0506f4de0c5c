/** Opens the session of an editor to the agents of its user, until the process ends. */

import { serveRequest } from "../../lsp/requests.js";
import type { Session } from "../../lsp/session.js";
import { isInside, pathOfSyncedUri } from "../../workspace/pathText.js";
import { inServerFolder } from "../../workspace/serverFolder.js";
import { editorName } from "../sentences.js";
import { type Listener, openListener } from "./listener.js";
import { openElsewhere } from "./otherSessions.js";
import { canonicalPaths } from "./selectSession.js";

/** Agents may send what the editor may send; what a call changes, the server changes. `version` is that of the program. */
export async function serveAgents(session: Session, version: string): Promise<void> {
  const sessions = inServerFolder("sessions");
  let listener: Listener | undefined;
  const outside = await watchOutside(session, () => listener?.announce());
  listener = await openListener(
    {
      serve: ({ method, params, caller }, token) =>
        serveRequest(session, { method, params, applier: "server", caller }, token),
      scope: () => ({ folders: session.folders.map(({ uri, path }) => ({ uri, path })), outside: outside.paths() }),
      client: editorName(session.client),
      version,
      log: session.log,
    },
    sessions,
  );
  const caller = { name: "multi-edit-language-server", version };
  const except = listener?.id;
  session.openElsewhere = (paths) => openElsewhere(paths, { sessions, caller, except });
  if (listener === undefined) return;
  const { announce } = listener;
  session.foldersChanged = () => {
    announce();
    void outside.foldersChanged();
  };
  // Whatever ends the process, other than a signal that nobody can catch, comes by here.
  process.on("exit", listener.close);
}

/**
 * Watches the open files of a session outside of its folders; `changed` is called when there are others. Gives their canonical
 * paths as they are then, and a function that takes over the session's folders as they are now.
 */
async function watchOutside(session: Session, changed: () => void) {
  /** Canonical paths by URI, of all open files; `undefined`: not known yet, or no file. */
  const files = new Map<string, string | undefined>();
  let folders: readonly string[] = [];
  const isOutside = (path: string | undefined): path is string =>
    path !== undefined && !folders.some((folder) => isInside(folder, path));

  async function addFile(uri: string): Promise<void> {
    files.set(uri, undefined);
    const path = pathOfSyncedUri(uri);
    const [file] = path === undefined ? [] : await canonicalPaths([path]);
    if (!files.has(uri)) return; // It was closed meanwhile.
    files.set(uri, file);
    if (isOutside(file)) changed();
  }

  function removeFile(uri: string): void {
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
    if (isOpen && !files.has(uri)) void addFile(uri);
    if (!isOpen && files.has(uri)) removeFile(uri);
  });
  await foldersChanged();
  await Promise.all(session.documents.all().map(({ uri }) => addFile(uri)));
  return { paths: () => [...new Set([...files.values()].filter(isOutside))], foldersChanged };
}
