/** The texts on which a batch is planned: copies that are taken once and that later typing does not change. */
import type { Failed } from "./failure.js";

/** A document's URI: in the client's spelling if the document is open, otherwise in the server's strict encoding. */
export type DocumentUri = string;

/** A document as it was when the snapshot was taken. */
export interface Document {
  readonly uri: DocumentUri;
  /** For people and diffs: relative to the workspace folder, with `/` between names; absolute if outside the folder. */
  readonly path: string;
  /** The version that the editor synced; `null` if the document is not open in the editor. */
  readonly version: number | null;
  /** Without a byte order mark; see `bom`. */
  readonly text: string;
  /** `false` if there is no such file yet; `text` is then empty. */
  readonly exists: boolean;
  /** `true` if the file on disk, or the synced text, starts with a byte order mark. */
  readonly bom: boolean;
  /** `true` if the synced text itself contains the byte order mark, so that positions on its first line include it. */
  readonly bomSynced: boolean;
  /** `true` if a lone CR ends a line. According to LSP, it does; in the known clients, it does not. */
  readonly loneCrEndsLine: boolean;
  /** Set if the file can't be read as text: `text` is empty, and the file can only be deleted, moved or overwritten. */
  readonly isBinary?: true;
  /** For an open document: trimmed lines that synced changes touched, each with the version before its last change. */
  readonly formerLines?: ReadonlyMap<string, number> | undefined;
  /** SHA-256 of the file's bytes, in hex, if the text was read from disk. */
  readonly hash?: string | undefined;
  /** For an open document: how its text compares with the file on disk; `undefined` if there is no file to compare. */
  readonly onDisk?: "same" | "differs";
}

/** The URI to which a path of a call resolves, or the failure to resolve it. */
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

/** Returns the document of a path whose text or file the batch needs, or a failure if the path can't be resolved. */
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

/** Returns `true` if a document is empty. An editor may sync an empty document as a single line end. */
export function isEmpty({ version, text }: Document): boolean {
  return version === null ? text === "" : /^(?:\r\n|\n|\r)?$/.test(text);
}

/** Reports whether a URI lies below another document's URI, which would have to be a folder. */
export function liesBelow(uri: DocumentUri, { documents }: Snapshot): boolean {
  for (let end = uri.lastIndexOf("/"); end > 0; end = uri.lastIndexOf("/", end - 1)) {
    if (documents.has(uri.slice(0, end))) return true;
  }
  return false;
}
