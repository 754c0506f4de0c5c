/** A plan as the protocol's WorkspaceEdit: offsets become positions here, and nowhere else on the way out. */
import type {
  ClientCapabilities,
  CreateFile,
  Position,
  TextDocumentEdit,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver/node";
import { editorFailures, type Failure } from "../plan/failure.js";
import type { FileChange } from "../plan/outcome.js";
import { LineIndex } from "../text/lines.js";
import type { ClientFacts } from "./clients.js";
import { ascendingPositions, type PositionEncoding } from "./positions.js";

/** What decides how an edit must be written for this client. */
export interface EditTarget {
  readonly encoding: PositionEncoding;
  readonly capabilities: ClientCapabilities;
  readonly facts: ClientFacts;
}

/** An edit that the client can apply, or why there is none. */
export type MadeEdit =
  | { readonly ok: true; readonly edit: WorkspaceEdit }
  | { readonly ok: false; readonly failure: Failure };

/** Creations first, then one entry a document with the version that was matched; files without a change are left out. */
export function toWorkspaceEdit(files: readonly FileChange[], target: EditTarget): MadeEdit {
  const created = files.find(({ kind }) => kind === "create");
  if (created !== undefined && !offers(target, "create")) {
    return { ok: false, failure: editorFailures.noResourceOperation(created.document.path, "create") };
  }
  const changed = files.filter((file) => !file.change.isEmpty);
  if (!hasDocumentChanges(target)) {
    const entries = changed.map((file) => [file.document.uri, toTextEdits(file, target)]);
    return { ok: true, edit: { changes: Object.fromEntries(entries) } };
  }
  const creations = files
    .filter(({ kind }) => kind === "create")
    .map(({ document }): CreateFile => ({ kind: "create", uri: document.uri }));
  const edits = changed.map((file) => toTextDocumentEdit(file, target));
  return { ok: true, edit: { documentChanges: [...creations, ...edits] } };
}

/** Whether the client offers a file operation. */
export function offers({ capabilities }: EditTarget, operation: "create" | "delete"): boolean {
  return capabilities.workspace?.workspaceEdit?.resourceOperations?.includes(operation) ?? false;
}

/** The edits of one document, with the version they are for. */
export function toTextDocumentEdit(file: FileChange, target: EditTarget): TextDocumentEdit {
  const { uri, version } = file.document;
  return { textDocument: { uri, version }, edits: toTextEdits(file, target) };
}

/** Disjoint, sorted, in the negotiated encoding, for the text that the editor has. */
function toTextEdits({ document, change, kind }: FileChange, target: EditTarget): TextEdit[] {
  const start: Position = { line: 0, character: 0 };
  // What is not open and empty is opened by the edit, and then is one line end to some editors.
  if (kind === "create" || (document.version === null && document.text === "")) {
    const end: Position = target.facts.emptyIsLineEnd ? { line: 1, character: 0 } : start;
    return change.changes.map(({ insert }) => ({ range: { start, end }, newText: insert }));
  }
  const mark = document.bomSynced ? "\uFEFF" : "";
  const text = mark + document.text;
  const lines = LineIndex.of(text, document);
  const positionAt = ascendingPositions(text, lines, target.encoding);
  const at = (offset: number): Position => positionAt(offset + mark.length);
  return change.changes.map(({ from, to, insert }) => ({ range: { start: at(from), end: at(to) }, newText: insert }));
}

/** Resource operations are an extension of `documentChanges`: who has the one has the other. */
function hasDocumentChanges({ capabilities, facts }: EditTarget): boolean {
  const offered = capabilities.workspace?.workspaceEdit;
  return offered?.documentChanges === true || (offered?.resourceOperations?.length ?? 0) > 0 || facts.documentChanges;
}
