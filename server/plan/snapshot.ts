/** The texts against which a batch is planned. They are captured once, so later typing does not affect them. */
import type { Failed } from "./failure.js";
import type { MadeCall, View } from "./views/view.js";

/** A document's URI: in the client's spelling if the document is open, otherwise in the server's strict encoding. */
export type DocumentUri = string;

/** A document as it was when the snapshot was taken. */
export interface Document {
  readonly uri: DocumentUri;
  /** For people and diffs: relative to the workspace folder, with `/` as separator; absolute if outside the folder. */
  readonly path: string;
  /** The version that the editor synced; `null` if the document is not open in the editor. */
  readonly version: number | null;
  /** Without a byte order mark; see `bom`. */
  readonly text: string;
  /** `false` if the file does not exist yet; `text` is then empty. */
  readonly exists: boolean;
  /** `true` if the file on disk, or the synced text, starts with a byte order mark. */
  readonly bom: boolean;
  /** `true` if the synced text itself contains the byte order mark, so that positions on its first line include it. */
  readonly bomSynced: boolean;
  /** `true` if a lone CR ends a line. According to LSP, it does; according to the known clients, it does not. */
  readonly loneCrEndsLine: boolean;
  /** Set if the file can't be read as text: `text` is empty, and the file can only be deleted, moved or overwritten. */
  readonly isBinary?: true;
  /** For each line that a synced change touched: its former text (trimmed), and the version before the last change. */
  readonly formerLines?: ReadonlyMap<string, number> | undefined;
  /** SHA-256 of the file's bytes, in hex, if the text was read from disk. */
  readonly hash?: string | undefined;
  /** For an open document: how its text compares with the file on disk; `undefined` if there is no such file. */
  readonly onDisk?: "same" | "differs";
  /** Earlier texts that the caller can have seen, newest first; absent if only the present text decides. */
  readonly views?: readonly View[] | undefined;
  /** The last call of the caller, if its result is there; `undefined` if it is not. */
  readonly made?: MadeCall | undefined;
}

/** The URI that a path resolves to, or the failure if it can't be resolved. */
export type Target = { readonly ok: true; readonly uri: DocumentUri } | Failed;

/** Everything that a plan may depend on. */
export interface Snapshot {
  /** Maps each path, as the caller sent it, to its target. */
  readonly targets: ReadonlyMap<string, Target>;
  readonly documents: ReadonlyMap<DocumentUri, Document>;
}

/** Returns the target of a path that the batch names. */
export function targetOf({ targets }: Snapshot, path: string): Target {
  const target = targets.get(path);
  if (target === undefined) throw new Error("a snapshot must have a target for every path");
  return target;
}

/** Returns the document at the path of an edit or section, or a failure if the path can't be resolved. */
export function documentAt(
  snapshot: Snapshot,
  path: string,
): { readonly ok: true; readonly document: Document } | Failed {
  const target = targetOf(snapshot, path);
  if (!target.ok) return target;
  const document = snapshot.documents.get(target.uri);
  if (document === undefined) throw new Error("a snapshot must have a document for every target");
  return { ok: true, document };
}

/** Reports whether a document is empty. An editor may sync an empty document as a single line ending. */
export function isEmpty({ version, text }: Document): boolean {
  return version === null ? text === "" : /^(?:\r\n|\n|\r)?$/.test(text);
}

/** Reports whether a URI is nested under another document's URI, which would have to be a folder. */
export function liesBelow(uri: DocumentUri, { documents }: Snapshot): boolean {
  for (let end = uri.lastIndexOf("/"); end > 0; end = uri.lastIndexOf("/", end - 1)) {
    if (documents.has(uri.slice(0, end))) return true;
  }
  return false;
}
