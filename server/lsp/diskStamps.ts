/** Remembers each open file as it was on disk when the editor last read or wrote it. */
import { stat } from "node:fs/promises";
import { pathOfSyncedUri } from "../workspace/pathText.js";

/** The remembered states, by URI of the open document. */
export interface DiskStamps {
  /** Remembers the file as it is now: the editor has just read or written it. `version`: the document's. */
  remember(uri: string, version?: number): void;
  forget(uri: string): void;
  /** Resolves with `true` if another program has changed, replaced or removed the file since. */
  isOutdated(uri: string): Promise<boolean>;
  /** Reports whether the document has had this version ever since the editor last read or wrote the file. */
  isUntouched(uri: string, version: number): boolean;
  /** Remembers that this version of the document has the file's text. */
  noteSame(uri: string, version: number): void;
  /** Reports whether this version has had the file's text. If it no longer has, the file has been changed. */
  wasSame(uri: string, version: number): boolean;
}

/** Returns a memory in which nothing is remembered yet. */
export function createDiskStamps(): DiskStamps {
  const stamps = new Map<string, { stamp: Promise<string | undefined>; version: number | undefined }>();
  const same = new Map<string, number>();
  return {
    remember: (uri, version) => void stamps.set(uri, { stamp: stampOf(uri), version }),
    forget(uri) {
      stamps.delete(uri);
      same.delete(uri);
    },
    async isOutdated(uri) {
      const before = stamps.get(uri)?.stamp;
      return before !== undefined && (await before) !== (await stampOf(uri));
    },
    isUntouched: (uri, version) => stamps.get(uri)?.version === version,
    noteSame: (uri, version) => void same.set(uri, version),
    wasSame: (uri, version) => same.get(uri) === version,
  };
}

/** Returns what changes whenever a program writes the file; `undefined` if there is no file that can be looked at. */
async function stampOf(uri: string): Promise<string | undefined> {
  const path = pathOfSyncedUri(uri);
  if (path === undefined) return undefined;
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return `${dev}:${ino}:${size}:${mtimeNs}`;
  } catch {
    return undefined;
  }
}
