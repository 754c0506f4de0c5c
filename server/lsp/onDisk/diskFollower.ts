/** What the rest of the server asks of the part that follows the open files on disk. */
import type { PlaceLines } from "../protocol.js";

/** Follows the open files of a session on disk. */
export interface DiskFollower {
  /**
   * Resolves once what another program has written to a document's file has reached the document, or was told to the user;
   * with `false`, at once, if nothing was written.
   */
  settled(uri: string): Promise<boolean>;
  /** Returns the lines, 1-based, that have what the last change of a document's file brought into unsaved text. */
  mergedLines(uri: string): readonly PlaceLines[];
  /** The editor has saved a document. */
  saved(uri: string): void;
  /** The user has merged a file by hand. `params`: as received. */
  merged(params: unknown): Promise<void>;
}
