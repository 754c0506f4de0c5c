/** The open documents of a client: told to the server as they change, and edited all or none. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, extname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ApplyWorkspaceEditResult, Position, TextEdit, WorkspaceEdit } from "vscode-languageserver/node";

/** A document as the editor has it; the text has no byte order mark. */
export interface OpenDocument {
  readonly uri: string;
  readonly path: string;
  readonly version: number;
  readonly text: string;
  /** Whether the text is also on disk. */
  readonly saved: boolean;
  /** Whether the file starts with a byte order mark, which saving writes again. */
  readonly bom: boolean;
}

/** Holds the documents and keeps the server informed. Paths are absolute. */
export interface DocumentStore {
  /** `undefined`: not open. */
  get(path: string): OpenDocument | undefined;
  /** Open documents, in the order in which they were opened. */
  all(): readonly OpenDocument[];
  /** Opens a file in UTF-8. Throws when it can't be read. */
  open(path: string): OpenDocument;
  /** Gives an open document another text, as typing does; the file stays as it is. */
  change(path: string, text: string): void;
  /** Writes an open document to its file. */
  save(path: string): void;
  /**
   * Applies all of an edit, or nothing when any part of it does not fit: a version that is not the document's, a file
   * whose SHA-256 (by URI, in hex) is not the one that was matched, a range outside the text, a file that is there
   * already. What was not open is opened, and nothing is saved.
   */
  applyEdit(edit: WorkspaceEdit, hashes?: ReadonlyMap<string, string>): ApplyWorkspaceEditResult;
}

/** Sends a notification to the server. */
export type Notify = (method: string, params: object) => void;

/** A store without documents. */
export function createDocumentStore(notify: Notify): DocumentStore {
  const documents = new Map<string, OpenDocument>();

  function present(document: OpenDocument): OpenDocument {
    documents.set(document.path, document);
    const { uri, version, text, path } = document;
    notify("textDocument/didOpen", { textDocument: { uri, languageId: languageOf(path), version, text } });
    return document;
  }

  /** `edits` are sorted; sent from the last to the first, each range is right when its turn comes. */
  function update(document: OpenDocument, text: string, edits: readonly TextEdit[] | undefined): void {
    const { uri, path } = document;
    const version = document.version + 1;
    documents.set(path, { ...document, version, text, saved: false });
    const contentChanges =
      edits === undefined ? [{ text }] : edits.map(({ range, newText }) => ({ range, text: newText })).reverse();
    notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges });
  }

  function open(path: string): OpenDocument {
    return documents.get(path) ?? present(readDocument(path));
  }

  function commit({ created, deleted, changed }: Prepared): void {
    createFiles(created);
    for (const { path, text, edits } of changed) update(open(path), text, edits);
    for (const path of deleted) {
      const document = documents.get(path);
      documents.delete(path);
      if (document !== undefined) notify("textDocument/didClose", { textDocument: { uri: document.uri } });
      rmSync(path);
    }
  }

  return {
    get: (path) => documents.get(path),
    all: () => [...documents.values()],
    open,
    change: (path, text) => update(open(path), text, undefined),
    save(path) {
      const document = open(path);
      writeFileSync(path, (document.bom ? "\uFEFF" : "") + document.text);
      documents.set(path, { ...document, saved: true });
      notify("textDocument/didSave", { textDocument: { uri: document.uri } });
    },
    applyEdit(edit, hashes = new Map()) {
      try {
        commit(prepare(edit, hashes, (path) => documents.get(path)));
        return { applied: true };
      } catch (error) {
        return { applied: false, failureReason: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** An edit that fits, worked out and not yet done. */
interface Prepared {
  readonly created: ReadonlySet<string>;
  readonly deleted: readonly string[];
  readonly changed: readonly { readonly path: string; readonly text: string; readonly edits: readonly TextEdit[] }[];
}

/** Throws when anything does not fit. */
function prepare(
  edit: WorkspaceEdit,
  hashes: ReadonlyMap<string, string>,
  openAt: (path: string) => OpenDocument | undefined,
): Prepared {
  const created = new Set<string>();
  const deleted: string[] = [];
  const changed: { path: string; text: string; edits: TextEdit[] }[] = [];
  for (const change of edit.documentChanges ?? []) {
    const uri = "textDocument" in change ? change.textDocument.uri : "uri" in change ? change.uri : change.oldUri;
    const path = fileURLToPath(uri);
    if ("textDocument" in change) {
      const { version } = change.textDocument;
      const open = openAt(path);
      if (version !== null && version !== open?.version) {
        throw new Error(`${path} is at version ${open?.version ?? "none"}, the edit is for ${version}`);
      }
      const document = open ?? (created.has(path) ? undefined : readDocument(path, hashes.get(uri)));
      const edits = change.edits.filter((each): each is TextEdit => "newText" in each);
      changed.push({ path, edits, text: edited(document?.text ?? "", edits) });
    } else if (change.kind === "create") {
      if (existsSync(path)) throw new Error(`${path} exists`);
      created.add(path);
    } else if (change.kind === "delete") {
      if (!existsSync(path)) throw new Error(`${path} does not exist`);
      deleted.push(path);
    } else {
      throw new Error(`this client can't ${change.kind} files`);
    }
  }
  return { created, deleted, changed };
}

/** Creates all of them, or throws and leaves none. What else could fail was checked before, so these come first. */
function createFiles(paths: ReadonlySet<string>): void {
  const done: string[] = [];
  try {
    for (const path of paths) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "", { flag: "wx" });
      done.push(path);
    }
  } catch (error) {
    for (const path of done) rmSync(path);
    throw error;
  }
}

/** `hash`: the SHA-256 that the file's bytes must have. */
function readDocument(path: string, hash?: string): OpenDocument {
  const bytes = readFileSync(path);
  if (hash !== undefined && createHash("sha256").update(bytes).digest("hex") !== hash) {
    throw new Error(`${path} changed on disk`);
  }
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const bom = text.startsWith("\uFEFF");
  return { uri: pathToFileURL(path).href, path, version: 1, text: bom ? text.slice(1) : text, saved: true, bom };
}

/** The text after all edits, whose ranges are of the text before; the server sends them sorted and disjoint. */
function edited(text: string, edits: readonly TextEdit[]): string {
  const starts = [0, ...[...text.matchAll(/\r\n|\r|\n/g)].map((match) => match.index + match[0].length)];
  const offsetAt = ({ line, character }: Position): number => {
    const offset = (starts[line] ?? Number.NaN) + character;
    if (!(offset <= (starts[line + 1] ?? text.length))) throw new Error(`there is no line ${line}:${character}`);
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

/** The server edits all languages alike; the id is only for form's sake. */
const languageOf = (path: string): string => extname(path).slice(1) || "plaintext";
