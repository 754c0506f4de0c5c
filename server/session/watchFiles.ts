/** Watches the files that a session's record lists, so that others know of them even if the session does not answer. */
import { savedStateOf } from "../lsp/read.js";
import type { Session } from "../lsp/session.js";
import { limits } from "../text/limits.js";
import { isInside, pathOfSyncedUri } from "../workspace/pathText.js";
import { canonicalPaths, fileOf } from "./holders.js";

/** The files of a session that its record lists, as canonical paths. */
export interface WatchedFiles {
  /** The open files outside the session's folders. */
  outside(): readonly string[];
  /** The files that have unsaved text. */
  unsaved(): readonly string[];
  /** Must be called whenever the folders change. */
  foldersChanged(): Promise<void>;
  /** Must be called whenever the client has saved a document. */
  saved(uri: string): void;
  /** Looks again at the files that count as unsaved, because something else may have saved or changed them. */
  checkUnsaved(): void;
}

/** Returns the files of the documents whose texts the session does not have. */
const unsyncedIn = ({ unsynced, refused }: Session): readonly (string | undefined)[] =>
  [...unsynced, ...refused].map(fileOf);

const isPath = (path: string | undefined): path is string => path !== undefined;

/** Watches a session's open files, and calls `announce` when what its record lists may have changed. */
export async function watchFiles(session: Session, announce: () => void): Promise<WatchedFiles> {
  const changed = atMostOnceIn(limits.unsavedMs, announce);
  /** Canonical paths of all open documents, by URI; `undefined` if the path is not known yet or there is no file. */
  const files = new Map<string, string | undefined>();
  const unsaved = new Set<string>();
  const unchecked = new Set<string>();
  let folders: readonly string[] = [];
  const isOutside = (path: string | undefined): path is string =>
    isPath(path) && !folders.some((folder) => isInside(folder, path));

  async function addFile(uri: string): Promise<void> {
    files.set(uri, undefined);
    const [file] = await canonicalPaths([pathOfSyncedUri(uri)]);
    if (!files.has(uri)) return; // The document was closed in the meantime.
    files.set(uri, file);
    if (isOutside(file)) changed();
  }

  function removeFile(uri: string): void {
    const file = files.get(uri);
    files.delete(uri);
    if (unsaved.delete(uri) || isOutside(file)) changed();
  }

  /** Has a document compared with its file in a moment; a document that is typed in is compared only once. */
  function check(uri: string): void {
    if (unchecked.size === 0) setTimeout(() => void compare(), limits.unsavedMs).unref();
    unchecked.add(uri);
  }

  async function compare(): Promise<void> {
    const before = [...unsaved].join("\n");
    const uris = [...unchecked];
    unchecked.clear();
    for (const uri of uris) {
      const document = session.documents.get(uri);
      const state = document && (await savedStateOf(session, document));
      // It may have been changed while the file was read.
      if (session.documents.get(uri) !== document) check(uri);
      else if (state?.onDisk === "differs" && state.saved !== true) unsaved.add(uri);
      else unsaved.delete(uri);
    }
    if ([...unsaved].join("\n") !== before) changed();
  }

  async function foldersChanged(): Promise<void> {
    folders = await canonicalPaths(session.folders.map(({ path }) => path));
    changed();
  }

  session.documents.onChange((uri) => {
    const isOpen = session.documents.get(uri) !== undefined;
    if (isOpen !== files.has(uri)) void (isOpen ? addFile(uri) : removeFile(uri));
    if (isOpen && !unsaved.has(uri)) check(uri);
  });
  await foldersChanged();
  await Promise.all(session.documents.all().map(({ uri }) => addFile(uri)));
  for (const { uri } of session.documents.all()) check(uri);
  return {
    outside: () => [...new Set([...files.values()].filter(isOutside))],
    unsaved: () => [...[...unsaved].map((uri) => files.get(uri) ?? fileOf(uri)), ...unsyncedIn(session)].filter(isPath),
    foldersChanged,
    saved: check,
    checkUnsaved: () => unsaved.forEach(check),
  };
}

/** Returns a function that runs the task at once, and once more for all its calls in the next `ms` milliseconds. */
function atMostOnceIn(ms: number, task: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  return function run() {
    isDue = timer !== undefined;
    if (isDue) return;
    task();
    timer = setTimeout(() => {
      timer = undefined;
      if (isDue) run();
    }, ms).unref();
  };
}
