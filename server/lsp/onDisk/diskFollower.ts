/** What the rest of the server asks of the part that follows the open files on disk. */
import type { Caller, PlaceLines } from "../protocol.js";
import type { TimeSpan } from "./unnamedWrites.js";

/** Follows the open files of a session on disk. */
export interface DiskFollower {
  /** Resolves once what was written to the file is in the document or told to the user; `false` if nothing was. */
  settled(uri: string): Promise<boolean>;
  /** Returns the lines, 1-based, that have what the last change of a document's file brought into unsaved text. */
  mergedLines(uri: string): readonly PlaceLines[];
  /** An agent has run a command: what was written at that time is its own, unless another agent has been named. */
  wroteDuring(span: TimeSpan, writer: Caller): Promise<void>;
  /** The editor has saved a document. */
  saved(uri: string): void;
  /** The user has merged a file by hand. `params`: as received. */
  merged(params: unknown): Promise<void>;
}
