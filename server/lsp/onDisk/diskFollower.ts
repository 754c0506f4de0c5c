/** What the rest of the server asks of the part that follows the open files on disk. */
import type { PlaceLines } from "../protocol.js";

/** A change of an open document that came from its file on disk. Both texts are as the editor syncs them. */
export interface TextFromDisk {
  readonly uri: string;
  /** The texts before and after the change, without a byte order mark. */
  readonly before: string;
  readonly after: string;
  /** Name of the agent that wrote the file, as its hook has said; `undefined` if nobody knows who did. */
  readonly writer: string | undefined;
}

/** Follows the open files of a session on disk. */
export interface DiskFollower {
  /**
   * Resolves once what another program has written to a document's file has reached the document, or was told to the user;
   * with `false`, at once, if nothing was written.
   */
  settled(uri: string): Promise<boolean>;
  /** Returns the lines, 1-based, that have what the last change of a document's file brought into unsaved text. */
  mergedLines(uri: string): readonly PlaceLines[];
  /** Calls a function after each change of a document that the server has merged, or that the editor was told to load. */
  onTextFromDisk(listener: (change: TextFromDisk) => void): void;
  /** The editor has saved a document. */
  saved(uri: string): void;
  /** The user has merged a file by hand. `params`: as received. */
  merged(params: unknown): Promise<void>;
}
