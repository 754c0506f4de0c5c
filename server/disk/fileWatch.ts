/** Watches files that any program may write, and says so once a written file stands still. */
import { type FSWatcher, statSync, watch } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { limits } from "../text/limits.js";

/** A watched folder. */
interface WatchedFolder {
  readonly path: string;
  readonly names: Set<string>;
  /** `undefined` if the system can't watch the folder, so that its files are looked at from time to time. */
  watcher: FSWatcher | undefined;
  /** The folder that is watched, whatever its name is by now. */
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
 * Watches files, which need not exist. `changed` gets the path of a file that any program has written, replaced, removed or
 * made, once its size and time have stood still for `limits.diskStillMs`, but after `limits.diskSettleMs` in any case. A
 * file that is empty or missing is waited for that long, because a program may be about to write it.
 */
export class FileWatch {
  readonly #folders = new Map<string, WatchedFolder>();
  /** What is known of each file; `undefined` if it was not looked at. */
  readonly #stamps = new Map<string, string | undefined>();
  readonly #unsettled = new Map<string, Unsettled>();
  #settling: NodeJS.Timeout | undefined;
  #polling: NodeJS.Timeout | undefined;

  constructor(readonly changed: (path: string) => void) {}

  /** Watches a file. `path`: absolute. */
  add(path: string): void {
    if (this.#stamps.has(path)) return;
    this.#stamps.set(path, undefined);
    void stampOf(path).then(({ stamp }) => {
      const isNew = this.#stamps.has(path) && this.#stamps.get(path) === undefined;
      if (isNew && !this.#unsettled.has(path)) this.#stamps.set(path, stamp);
    });
    const directory = dirname(path);
    const known = this.#folders.get(directory);
    known?.names.add(basename(path));
    if (known !== undefined) return;
    const names = new Set([basename(path)]);
    const folder: WatchedFolder = { path: directory, names, watcher: undefined, identity: undefined };
    this.#folders.set(directory, folder);
    this.#watchFolder(folder);
    this.#pollLater();
  }

  /** Stops watching a file. */
  remove(path: string): void {
    this.#stamps.delete(path);
    this.#unsettled.delete(path);
    const directory = dirname(path);
    const folder = this.#folders.get(directory);
    folder?.names.delete(basename(path));
    if (folder === undefined || folder.names.size > 0) return;
    folder.watcher?.close();
    this.#folders.delete(directory);
  }

  /** Resolves once a file that has changed stands still, and `changed` was called; with `false`, at once, if it has not. */
  async settled(path: string): Promise<boolean> {
    if (!this.#stamps.has(path)) return false;
    // The system may tell of a change a moment after it was made.
    if ((await stampOf(path)).stamp !== this.#stamps.get(path)) this.#notice(path);
    const file = this.#unsettled.get(path);
    if (file === undefined) return false;
    while (this.#unsettled.get(path) === file) await delay(limits.diskStillMs / 4, undefined, { ref: false });
    return true;
  }

  /** Stops watching all files. */
  close(): void {
    for (const { watcher } of this.#folders.values()) watcher?.close();
    for (const map of [this.#folders, this.#stamps, this.#unsettled]) map.clear();
    clearInterval(this.#settling);
    clearTimeout(this.#polling);
  }

  #notice(path: string): void {
    if (!this.#stamps.has(path) || this.#unsettled.has(path)) return;
    const now = performance.now();
    this.#unsettled.set(path, { since: now, stamp: undefined, stillSince: now });
    this.#settling ??= setInterval(() => void this.#settle(), limits.diskStillMs / 2).unref();
  }

  #noticeAll({ path, names }: WatchedFolder): void {
    for (const name of names) this.#notice(join(path, name));
  }

  async #settle(): Promise<void> {
    await Promise.all([...this.#unsettled].map(([path, file]) => this.#settleFile(path, file)));
    if (this.#unsettled.size > 0) return;
    clearInterval(this.#settling);
    this.#settling = undefined;
  }

  async #settleFile(path: string, file: Unsettled): Promise<void> {
    const { stamp, size } = await stampOf(path);
    if (this.#unsettled.get(path) !== file) return;
    const now = performance.now();
    if (stamp !== file.stamp) Object.assign(file, { stamp, stillSince: now });
    const isOver = now - file.since >= limits.diskSettleMs;
    const isStill = now - file.stillSince >= limits.diskStillMs && size > 0;
    if (!isStill && !isOver) return;
    this.#unsettled.delete(path);
    const folder = this.#folders.get(dirname(path));
    if (folder !== undefined) this.#renew(folder);
    if (this.#stamps.get(path) === stamp) return;
    this.#stamps.set(path, stamp);
    this.changed(path);
  }

  #watchFolder(folder: WatchedFolder): void {
    const { path, names } = folder;
    if (this.#folders.size > limits.watchedFolders) return;
    try {
      folder.identity = identityOf(path);
      const watcher = watch(path, { persistent: false }, (_, name) => {
        if (name === null) this.#noticeAll(folder);
        else if (names.has(name)) this.#notice(join(path, name));
        else if (name === basename(path)) this.#renew(folder);
      });
      watcher.on("error", () => this.#stop(folder));
      folder.watcher = watcher;
    } catch {
      // The folder does not exist, or the system has no watches left.
    }
  }

  /** Watches the folder that has the path by now: the system goes on watching one that was removed or moved away. */
  #renew(folder: WatchedFolder): void {
    if (folder.watcher === undefined || folder.identity === identityOf(folder.path)) return;
    this.#stop(folder);
    this.#watchFolder(folder);
    this.#noticeAll(folder);
  }

  #stop(folder: WatchedFolder): void {
    folder.watcher?.close();
    folder.watcher = undefined;
    this.#pollLater();
  }

  #pollLater(): void {
    if (this.#polling !== undefined || this.#folders.size === 0) return;
    this.#polling = setTimeout(() => void this.#poll(), limits.diskPollMs).unref();
  }

  /** Looks for changed folders above, of which the system does not tell, and at folders that can't be watched. */
  async #poll(): Promise<void> {
    for (const folder of [...this.#folders.values()]) {
      if (folder.watcher !== undefined) {
        this.#renew(folder);
        continue;
      }
      this.#watchFolder(folder);
      if (folder.watcher !== undefined) this.#noticeAll(folder);
      else
        for (const name of [...folder.names]) {
          const file = join(folder.path, name);
          const { stamp } = await stampOf(file);
          if (stamp !== this.#stamps.get(file)) this.#notice(file);
        }
    }
    this.#polling = undefined;
    this.#pollLater();
  }
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
