/** A client's open documents, synced to the server as they change. An edit is applied completely or not at all. */
import { writeFileSync } from "node:fs";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import type { ApplyWorkspaceEditResult, TextEdit, WorkspaceEdit } from "vscode-languageserver/node";
import { changeFiles, type Matched, type OpenDocument, prepare, readDocument, type Step } from "./workspaceEdit.js";

/** Holds the documents and keeps the server informed. Paths are absolute. */
export interface DocumentStore {
  /** Returns a document; `undefined` if it is not open. */
  get(path: string): OpenDocument | undefined;
  /** Returns the open documents, in the order in which they were opened. */
  all(): readonly OpenDocument[];
  /** Opens a UTF-8 file. Throws if the file cannot be read. */
  open(path: string): OpenDocument;
  /** Replaces the text of an open document, as typing does; the file is unchanged. */
  change(path: string, text: string): void;
  /** Writes an open document to its file. */
  save(path: string): void;
  /**
   * Applies an edit completely, or not at all if any part of it does not fit: if the version of a document or the hash
   * of a file differs from the one in `matched` (by URI), a range is outside the text, or a new name is taken. Texts
   * are changed in documents, which are opened if necessary but not saved; files are created, renamed and deleted
   * immediately.
   */
  applyEdit(edit: WorkspaceEdit, matched?: ReadonlyMap<string, Matched>): ApplyWorkspaceEditResult;
}

/** Sends a notification to the server. */
export type Notify = (method: string, params: object) => void;

/** Creates an empty store. */
export function createDocumentStore(notify: Notify): DocumentStore {
  const documents = new Map<string, OpenDocument>();

  function present(document: OpenDocument): OpenDocument {
    documents.set(document.path, document);
    const { uri, version, text, path } = document;
    notify("textDocument/didOpen", { textDocument: { uri, languageId: languageOf(path), version, text } });
    return document;
  }

  /** `edits` are in order; they are sent last to first, so that each range is still valid when its edit is applied. */
  function update(document: OpenDocument, text: string, edits: readonly TextEdit[] | undefined): void {
    const { uri, path } = document;
    const version = document.version + 1;
    documents.set(path, { ...document, version, text, saved: false });
    const contentChanges =
      edits === undefined ? [{ text }] : edits.map(({ range, newText }) => ({ range, text: newText })).reverse();
    notify("textDocument/didChange", { textDocument: { uri, version }, contentChanges });
  }

  function close(path: string): OpenDocument | undefined {
    const document = documents.get(path);
    documents.delete(path);
    if (document !== undefined) notify("textDocument/didClose", { textDocument: { uri: document.uri } });
    return document;
  }

  function open(path: string): OpenDocument {
    return documents.get(path) ?? present(readDocument(path, path));
  }

  /** Updates the documents after a step has changed the files. */
  function follow(step: Step): void {
    if (step.kind === "change") {
      update(documents.get(step.path) ?? present(step.document), step.text, step.edits);
    } else if (step.kind === "rename") {
      const document = close(step.path);
      if (document !== undefined) {
        present({ ...document, path: step.newPath, uri: pathToFileURL(step.newPath).href });
      }
    } else if (step.kind === "delete") {
      close(step.path);
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
    applyEdit(edit, matched = new Map()) {
      try {
        const steps = prepare(edit, matched, (path) => documents.get(path));
        // Operations that can still fail come first.
        changeFiles(steps);
        for (const step of steps) follow(step);
        return { applied: true };
      } catch (error) {
        return { applied: false, failureReason: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** The server treats all languages alike; the id is only a formality. */
const languageOf = (path: string): string => extname(path).slice(1) || "plaintext";
