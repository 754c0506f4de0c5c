/** Watches files that any program may write, and says so once a written file stands still. */
import { type FSWatcher, statSync, watch } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../text/limits.js";

/** Watches files, which need not exist. Paths are absolute. */
export interface FileWatch {
  add(path: string): void;
  remove(path: string): void;
  /** Resolves once a file that has changed stands still, and `changed` was called; with `false`, at once, if it has not. */
  settled(path: string): Promise<boolean>;
  /** Stops watching all files. */
  close(): void;
}

/** A watched folder. `watcher`: `undefined` if the system can't watch it, so its files are looked at from time to time. */
interface WatchedFolder {
  readonly path: string;
  readonly names: Set<string>;
  watcher: FSWatcher | undefined;
  /** The folder that is watched, however it is called by now. */
  identity: string | undefined;
}

/** A file that has changed, and is not known to stand still. Times are as given by `performance.now()`. */
interface Unsettled {
  readonly since: number;
  stamp: string | undefined;
  /** The time since which the file has had this stamp. */
  stillSince: number;
}

/**
 * Creates a watch. `changed` gets the path of a file that any program has written, replaced, removed or made, once its
 * size and time have stood still for `limits.diskStillMs`, but after `limits.diskSettleMs` in any case. A file that is
 * empty or missing is waited for that long, because a program may be about to write it.
 */
export function createFileWatch(changed: (path: string) => void): FileWatch {
  const folders = new Map<string, WatchedFolder>();
  /** What is known of each file; `undefined` if it can't be looked at. */
  const stamps = new Map<string, string | undefined>();
  const unsettled = new Map<string, Unsettled>();
  let settling: NodeJS.Timeout | undefined;
  let polling: NodeJS.Timeout | undefined;

  function noticed(path: string): void {
    if (!stamps.has(path) || unsettled.has(path)) return;
    const now = performance.now();
    unsettled.set(path, { since: now, stamp: undefined, stillSince: now });
    settling ??= setInterval(() => void settle(), limits.diskStillMs / 2).unref();
  }

  async function settle(): Promise<void> {
    await Promise.all([...unsettled].map(([path, file]) => settleFile(path, file)));
    if (unsettled.size > 0) return;
    clearInterval(settling);
    settling = undefined;
  }

  async function settleFile(path: string, file: Unsettled): Promise<void> {
    const { stamp, size } = await stampOf(path);
    if (unsettled.get(path) !== file) return;
    const now = performance.now();
    if (stamp !== file.stamp) Object.assign(file, { stamp, stillSince: now });
    const isOver = now - file.since >= limits.diskSettleMs;
    const isStill = now - file.stillSince >= limits.diskStillMs && size > 0;
    if (!isStill && !isOver) return;
    unsettled.delete(path);
    const folder = folders.get(dirname(path));
    if (folder !== undefined) renew(folder);
    if (stamps.get(path) === stamp) return;
    stamps.set(path, stamp);
    changed(path);
  }

  function watchFolder(folder: WatchedFolder): void {
    const { path, names } = folder;
    if (folders.size > limits.watchedFolders) return;
    try {
      folder.identity = identityOf(path);
      const watcher = watch(path, { persistent: false }, (_, name) => {
        if (name === null) for (const each of names) noticed(join(path, each));
        else if (names.has(name)) noticed(join(path, name));
        else if (name === basename(path)) renew(folder);
      });
      watcher.on("error", () => stop(folder));
      folder.watcher = watcher;
    } catch {
      // The folder does not exist, or the system has no watches left.
    }
  }

  /** Watches the folder that has the path by now: the system goes on watching one that was removed or moved away. */
  function renew(folder: WatchedFolder): void {
    if (folder.watcher === undefined || folder.identity === identityOf(folder.path)) return;
    stop(folder);
    watchFolder(folder);
    for (const name of folder.names) noticed(join(folder.path, name));
  }

  function stop(folder: WatchedFolder): void {
    folder.watcher?.close();
    folder.watcher = undefined;
    pollLater();
  }

  /** Looks at the files of folders that can't be watched, and tries to watch these again. */
  function pollLater(): void {
    const isNeeded = [...folders.values()].some(({ watcher }) => watcher === undefined);
    if (polling !== undefined || !isNeeded) return;
    polling = setTimeout(() => void poll(), limits.diskPollMs).unref();
  }

  async function poll(): Promise<void> {
    for (const folder of [...folders.values()]) {
      if (folder.watcher !== undefined) continue;
      watchFolder(folder);
      if (folder.watcher !== undefined) for (const name of folder.names) noticed(join(folder.path, name));
      else
        for (const name of [...folder.names]) {
          const file = join(folder.path, name);
          const { stamp } = await stampOf(file);
          if (stamp !== stamps.get(file)) noticed(file);
        }
    }
    polling = undefined;
    pollLater();
  }

  return {
    add(path) {
      if (stamps.has(path)) return;
      stamps.set(path, undefined);
      void stampOf(path).then(({ stamp }) => {
        if (stamps.has(path) && stamps.get(path) === undefined && !unsettled.has(path)) stamps.set(path, stamp);
      });
      const directory = dirname(path);
      const folder = folders.get(directory) ?? {
        ...{ path: directory, names: new Set() },
        ...{ watcher: undefined, identity: undefined },
      };
      folder.names.add(basename(path));
      if (folders.has(directory)) return;
      folders.set(directory, folder);
      watchFolder(folder);
      pollLater();
    },
    remove(path) {
      stamps.delete(path);
      unsettled.delete(path);
      const directory = dirname(path);
      const folder = folders.get(directory);
      folder?.names.delete(basename(path));
      if (folder === undefined || folder.names.size > 0) return;
      folder.watcher?.close();
      folders.delete(directory);
    },
    async settled(path) {
      if (!stamps.has(path)) return false;
      // The system may tell of a change a moment after it was made.
      if ((await stampOf(path)).stamp !== stamps.get(path)) noticed(path);
      if (!unsettled.has(path)) return false;
      while (unsettled.has(path)) await delay(limits.diskStillMs / 4, undefined, { ref: false });
      return true;
    },
    close() {
      for (const { watcher } of folders.values()) watcher?.close();
      for (const map of [folders, stamps, unsettled]) map.clear();
      clearInterval(settling);
      clearTimeout(polling);
    },
  };
}

/** Returns what tells a folder from another one that has its path later; `undefined` if there is none. */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Returns what changes whenever a program writes a file, and its size; 0 if there is no file. A link is not followed. */
async function stampOf(path: string): Promise<{ readonly stamp: string; readonly size: number }> {
  try {
    const { dev, ino, mode, size, mtimeNs } = await lstat(path, { bigint: true });
    return { stamp: `${dev}:${ino}:${mode}:${size}:${mtimeNs}`, size: Number(size) };
  } catch {
    return { stamp: "missing", size: 0 };
  }
}
