/**
 * Checks a whole `WorkspaceEdit` before anything is changed, then performs either all of its file operations or none.
 */
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Position, TextEdit, WorkspaceEdit } from "vscode-languageserver/node";

/** A document in the editor; `text` does not include the byte order mark. */
export interface OpenDocument {
  readonly uri: string;
  readonly path: string;
  readonly version: number;
  readonly text: string;
  /** `true` if the file on disk has the same text. */
  readonly saved: boolean;
  /** `true` if the file starts with a byte order mark, which is kept when the document is saved. */
  readonly bom: boolean;
}

/**
 * The state against which an edit was planned: an open document's version, or the SHA-256 (in hex) of a closed file's
 * bytes.
 */
export interface Matched {
  readonly version: number | null;
  readonly hash?: string | undefined;
}

/** One step of an edit; paths are absolute. */
export type Step =
  | { readonly kind: "create"; readonly path: string }
  /** `document` is read from disk if the file is not open yet. */
  | {
      readonly kind: "change";
      readonly path: string;
      readonly document: OpenDocument;
      readonly text: string;
      readonly edits: readonly TextEdit[];
    }
  | { readonly kind: "rename"; readonly path: string; readonly newPath: string }
  | { readonly kind: "delete"; readonly path: string };

/** The state of a path before the current step. */
interface Entry {
  /** The document; `undefined` if the file is not open and has not been read yet. */
  readonly document: OpenDocument | undefined;
  /** The path that the file had before the edit; `undefined` if the edit creates the file. */
  readonly source: string | undefined;
}

/**
 * Returns the steps of an edit; throws if any part of it does not fit the documents. `matched` is keyed by URI; for
 * documents that it does not contain, only the versions in the edit are checked.
 */
export function prepare(
  edit: WorkspaceEdit,
  matched: ReadonlyMap<string, Matched>,
  openAt: (path: string) => OpenDocument | undefined,
): Step[] {
  // The files as the earlier steps leave them; the current step must fit them.
  const known = new Map<string, Entry | undefined>();
  const entryAt = (path: string): Entry | undefined => {
    if (!known.has(path)) known.set(path, isThere(path) ? { document: openAt(path), source: path } : undefined);
    return known.get(path);
  };
  /** Returns the file at a path. Throws if the file does not exist or is not the one for which the edit was made. */
  const existing = (uri: string, path: string): Entry => {
    const entry = entryAt(path);
    if (entry === undefined) throw new Error(`${path} does not exist`);
    const expected = entry.source === path ? matched.get(uri) : undefined;
    if (expected !== undefined) checkVersion(path, entry.document, expected.version);
    if (expected?.hash !== undefined && hashOf(path) !== expected.hash) throw new Error(`${path} has changed on disk`);
    return entry;
  };
  const free = (path: string): void => {
    if (entryAt(path) !== undefined) throw new Error(`${path} already exists`);
  };
  return (edit.documentChanges ?? []).map((change): Step => {
    if ("textDocument" in change) {
      const { uri, version } = change.textDocument;
      const path = fileURLToPath(uri);
      const entry = existing(uri, path);
      if (version !== null) checkVersion(path, entry.document, version);
      const document = entry.document ?? readDocument(path, entry.source);
      const edits = change.edits.filter((each): each is TextEdit => "newText" in each);
      const text = edited(document.text, edits);
      // All versions in an edit refer to the state before the edit.
      known.set(path, { ...entry, document: { ...document, text } });
      return { kind: "change", path, document, text, edits };
    }
    if (change.options !== undefined) throw new Error(`this client supports no options for ${change.kind}`);
    if (change.kind === "rename") {
      const path = fileURLToPath(change.oldUri);
      const newPath = fileURLToPath(change.newUri);
      const entry = existing(change.oldUri, path);
      checkIsFile(entry);
      free(newPath);
      const document = entry.document && { ...entry.document, uri: change.newUri, path: newPath };
      known.set(path, undefined).set(newPath, { ...entry, document });
      return { kind: "rename", path, newPath };
    }
    const path = fileURLToPath(change.uri);
    if (change.kind === "create") free(path);
    else checkIsFile(existing(change.uri, path));
    known.set(path, change.kind === "create" ? { document: undefined, source: undefined } : undefined);
    return { kind: change.kind, path };
  });
}

function checkVersion(path: string, document: OpenDocument | undefined, version: number | null): void {
  const now = document?.version ?? null;
  if (now === version) return;
  const [is, wanted] = [now, version].map((one) => (one === null ? "not open" : `open at version ${one}`));
  throw new Error(`${path} is ${is}, but the edit was made for a file that is ${wanted}`);
}

/**
 * Performs the file operations among the steps, or throws and leaves everything unchanged. The caller changes the texts
 * of documents.
 */
export function changeFiles(steps: readonly Step[]): void {
  const undo: (() => void)[] = [];
  try {
    for (const step of steps) undo.push(...changeFile(step));
  } catch (error) {
    for (const back of undo.reverse()) back();
    throw error;
  }
}

/** Performs one step; returns the functions that undo its parts, in the order in which the parts were performed. */
function changeFile(step: Step): (() => void)[] {
  switch (step.kind) {
    case "change":
      return [];
    case "create": {
      const tidy = makeParents(step.path);
      writeFileSync(step.path, "", { flag: "wx" });
      return [tidy, () => rmSync(step.path)];
    }
    case "rename": {
      const tidy = makeParents(step.newPath);
      renameSync(step.path, step.newPath);
      return [tidy, () => renameSync(step.newPath, step.path)];
    }
    case "delete": {
      const bytes = readFileSync(step.path);
      const { mode } = lstatSync(step.path);
      rmSync(step.path);
      const back = (): void => {
        writeFileSync(step.path, bytes, { flag: "wx" });
        chmodSync(step.path, mode);
      };
      return [back];
    }
  }
}

/** Creates the missing parent folders of a path; returns a function that removes them again. */
function makeParents(path: string): () => void {
  const first = mkdirSync(dirname(path), { recursive: true });
  return () => {
    if (first === undefined) return;
    for (let folder = dirname(path); folder.length >= first.length; folder = dirname(folder)) rmdirSync(folder);
  };
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Text may be changed through a symbolic link, but only regular files may be renamed or deleted. */
function checkIsFile({ source }: Entry): void {
  if (source !== undefined && !lstatSync(source).isFile()) throw new Error(`${source} is not a file`);
}

const hashOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/**
 * Reads a file into a new document. `source` is the path from which the bytes are read; `undefined` if there are no
 * bytes yet.
 */
export function readDocument(path: string, source: string | undefined): OpenDocument {
  const bytes = source === undefined ? new Uint8Array() : readFileSync(source);
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const bom = text.startsWith("\uFEFF");
  return { uri: pathToFileURL(path).href, path, version: 1, text: bom ? text.slice(1) : text, saved: true, bom };
}

/**
 * Returns the text after all edits. Their ranges refer to the original text; the server sends them sorted and disjoint.
 */
function edited(text: string, edits: readonly TextEdit[]): string {
  const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((match) => match.index + match[0].length)];
  const offsetAt = ({ line, character }: Position): number => {
    const offset = (starts[line] ?? Number.NaN) + character;
    if (!(offset <= (starts[line + 1] ?? text.length)))
      throw new Error(`there is no position ${line}:${character}, counted from 0`);
    return offset;
  };
  let result = "";
  let done = 0;
  for (const { range, newText } of edits) {
    const start = offsetAt(range.start);
    const end = offsetAt(range.end);
    if (start < done || end < start) throw new Error("the edits are not in order");
    result += text.slice(done, start) + newText;
    done = end;
  }
  return result + text.slice(done);
}
