/** What the rest of the server asks of the part that follows the open files on disk. */
import type { PlaceLines } from "../protocol.js";

/** Follows the open files of a session on disk. */
export interface DiskFollower {
  /** Resolves once what was written to the file is in the document or told to the user; `false` if nothing was. */
  settled(uri: string): Promise<boolean>;
  /** Returns the lines, 1-based, that have what the last change of a document's file brought into unsaved text. */
  mergedLines(uri: string): readonly PlaceLines[];
  /** The editor has saved a document. */
  saved(uri: string): void;
  /** The user has merged a file by hand. `params`: as received. */
  merged(params: unknown): Promise<void>;
}
