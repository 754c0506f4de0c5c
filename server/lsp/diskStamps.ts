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
}

/** Returns a memory in which nothing is remembered yet. */
export function createDiskStamps(): DiskStamps {
  const stamps = new Map<string, { stamp: Promise<string | undefined>; version: number | undefined }>();
  return {
    remember: (uri, version) => void stamps.set(uri, { stamp: stampOf(uri), version }),
    forget: (uri) => void stamps.delete(uri),
    async isOutdated(uri) {
      const before = stamps.get(uri)?.stamp;
      return before !== undefined && (await before) !== (await stampOf(uri));
    },
    isUntouched: (uri, version) => stamps.get(uri)?.version === version,
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
