/** The texts that a batch is planned on: copies, taken once, that no keystroke can change underneath. */
import type { Failed } from "./failure.js";

/** A document's URI: the client's own spelling where it is open, else our own strict encoding. */
export type DocumentUri = string;

/** One text as it was when the snapshot was taken. */
export interface Document {
  readonly uri: DocumentUri;
  /** For people and diffs: relative to its workspace folder, with `/`; absolute where it lies in none. */
  readonly path: string;
  /** The version that the editor synced; `null`: not open in the editor. */
  readonly version: number | null;
  /** Without a byte order mark, which is `bom`'s business. */
  readonly text: string;
  /** `false`: there is no such file yet, and `text` is empty. */
  readonly exists: boolean;
  /** Whether the file on disk, or the synced text, starts with a byte order mark. */
  readonly bom: boolean;
  /** Whether the synced text itself holds that mark, so that positions on its first line count it. */
  readonly bomSynced: boolean;
  /** Whether a lone CR ends a line: LSP says yes, known clients say no. */
  readonly loneCrEndsLine: boolean;
  /** The file can't be read as text, so that `text` is empty and the file can only be deleted or make room. */
  readonly isBinary?: true;
  /** Of an open document: lines, without blanks at their ends, that it had up to a version and has lost to typing since. */
  readonly formerLines?: ReadonlyMap<string, number> | undefined;
  /** SHA-256 of the file's bytes, in hex, where the text was read from disk. */
  readonly hash?: string | undefined;
  /** For an open document: whether the file on disk holds the same text. `undefined`: there is no file to compare. */
  readonly onDisk?: "same" | "differs";
}

/** What a path that a caller sent turned out to mean. */
export type Target = { readonly ok: true; readonly uri: DocumentUri } | Failed;

/** Everything that a plan may look at. */
export interface Snapshot {
  /** By the path as it was sent. */
  readonly targets: ReadonlyMap<string, Target>;
  readonly documents: ReadonlyMap<DocumentUri, Document>;
}

/** What a path of the batch means. */
export function targetOf({ targets }: Snapshot, path: string): Target {
  const target = targets.get(path);
  if (target === undefined) throw new Error("a snapshot must have a target for every path");
  return target;
}

/** The document that a path of the batch means whose text or file is asked for, or why it means none. */
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

/** Returns `true` for a document without text, which an editor may show as one line end. */
export function isEmpty({ version, text }: Document): boolean {
  return version === null ? text === "" : /^(?:\r\n|\n|\r)?$/.test(text);
}

/** Whether a file at a URI would lie below a path that is a file of the same batch. */
export function liesBelow(uri: DocumentUri, { documents }: Snapshot): boolean {
  for (let end = uri.lastIndexOf("/"); end > 0; end = uri.lastIndexOf("/", end - 1)) {
    if (documents.has(uri.slice(0, end))) return true;
  }
  return false;
}
