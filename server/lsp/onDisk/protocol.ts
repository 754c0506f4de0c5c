/** The wire types of what is said about open files on disk: saving, loading and merging them. */

/** Params of the request `multiEdit/saveDocuments`, which the server sends to the client. */
export interface SaveDocumentsParams {
  uris: string[];
}

/** The client's answer to `multiEdit/saveDocuments`. */
export interface SaveDocumentsResult {
  saved: string[];
  failed: { uri: string; message: string }[];
  /** For each saved file, its versions right before and after the save. An undo reverses the changes between them. */
  versions?: { uri: string; before: number; after: number }[];
}

/** Params of the notification `multiEdit/didChangeUnsynced`. */
export interface DidChangeUnsyncedParams {
  /** URIs of all documents with unsaved changes that the client does not sync. Replaces the list sent before. */
  uris: string[];
}

/** Params of the notification `multiEdit/didChangeOnDisk`. */
export interface DidChangeOnDiskParams {
  /** URIs of open documents whose files another program has changed. The client loads those that have no unsaved text. */
  uris: string[];
}

/** Params of `multiEdit/adoptDiskText` to the client, which is to treat the file as read: the document has it all. */
export interface AdoptDiskTextParams {
  uri: string;
  /** SHA-256, in hex, of the file's bytes. If the file has other bytes, nothing is adopted. */
  hash: string;
}

/** Params of the notification `multiEdit/didMerge`: the user has merged a file by hand, as far as they wanted. */
export type DidMergeParams = AdoptDiskTextParams;

/** The client's answer to `multiEdit/adoptDiskText`. */
export interface AdoptDiskTextResult {
  adopted: boolean;
}
