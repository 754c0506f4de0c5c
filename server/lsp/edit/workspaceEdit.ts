/** A plan as the protocol's WorkspaceEdit: offsets become positions here, and nowhere else on the way out. */

import type {
  ClientCapabilities,
  CreateFile,
  DeleteFile,
  Position,
  RenameFile,
  TextDocumentEdit,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver/node";
import type { Failure } from "../../plan/failure.js";
import { type FileOrder, fileOrder } from "../../plan/fileOrder.js";
import type { FileChange } from "../../plan/outcome.js";
import { ChangeSet } from "../../text/changeSet.js";
import { byteOrderMark } from "../../text/chars.js";
import { LineIndex } from "../../text/lines.js";
import type { ClientFacts } from "../clients.js";
import { editorFailures } from "../sentences.js";
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

/** An operation on a whole file. Without options: some clients do nothing of an edit that has any. */
export type FileOperation = CreateFile | RenameFile | DeleteFile;

/**
 * Creations first, then one entry a document with the version that was matched, under the name that it has so far; then
 * renames and deletions, and what can only be created behind them, with its text. Files without a change are left out.
 */
export function toWorkspaceEdit(files: readonly FileChange[], target: EditTarget): MadeEdit {
  for (const { kind, document } of files) {
    if (kind === "update" || offers(target, kind)) continue;
    return { ok: false, failure: editorFailures.noResourceOperation(document.path, kind) };
  }
  const changed = files.filter((file) => !file.change.isEmpty);
  if (!hasDocumentChanges(target)) {
    const entries = changed.map((file) => [file.document.uri, toTextEdits(file, target)]);
    return { ok: true, edit: { changes: Object.fromEntries(entries) } };
  }
  const { created, after } = orderOf(files);
  const edits = changed.filter((file) => file.kind === "rename" || !after.includes(file));
  const late = (file: FileChange): boolean => file.kind === "create" && !file.change.isEmpty;
  return {
    ok: true,
    edit: {
      documentChanges: [
        ...created.flatMap((file) => toFileOperation(file)),
        ...edits.map((file) => toTextDocumentEdit(file, target)),
        ...after.flatMap((file) => [
          ...toFileOperation(file),
          ...(late(file) ? [toTextDocumentEdit(file, target)] : []),
        ]),
      ],
    },
  };
}

/** The order of a plan, which has no renames in a circle. */
export function orderOf(files: readonly FileChange[]): FileOrder {
  const order = fileOrder(files);
  if ("circle" in order) throw new Error("a plan must not rename in a circle");
  return order;
}

/** What is done to a file as a whole: one operation, or none. `uri`: the client's spelling, where it is not the document's. */
function toFileOperation(file: FileChange, uri = file.document.uri): FileOperation[] {
  switch (file.kind) {
    case "create":
      return [{ kind: "create", uri }];
    case "delete":
      return [{ kind: "delete", uri }];
    case "rename":
      return [{ kind: "rename", oldUri: uri, newUri: file.target.uri }];
    case "update":
      return [];
  }
}

/** Whether the client offers a file operation. */
export function offers({ capabilities }: EditTarget, operation: FileOperation["kind"]): boolean {
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
  const mark = document.bomSynced ? byteOrderMark : "";
  const text = mark + document.text;
  const lines = LineIndex.of(text, document);
  const positionAt = ascendingPositions(text, lines, target.encoding);
  const at = (offset: number): Position => positionAt(offset + mark.length);
  const { changes } = target.facts.addsLineAtEnd ? beforeLastEnd(document.text, change) : change;
  return changes.map(({ from, to, insert }) => ({ range: { start: at(from), end: at(to) }, newText: insert }));
}

/** The same change, with lines that are added at the end put in front of the final line end, and ending without theirs. */
function beforeLastEnd(text: string, change: ChangeSet): ChangeSet {
  const last = change.changes.at(-1);
  const end = /\r\n$|\n$/.exec(text)?.[0];
  if (last === undefined || end === undefined || last.from < text.length || !last.insert.endsWith(end)) return change;
  const at = text.length - end.length;
  const moved = { from: at, to: at, insert: end + last.insert.slice(0, -end.length) };
  return ChangeSet.of(text.length, [...change.changes.slice(0, -1), moved]);
}

/** Resource operations are an extension of `documentChanges`: who has the one has the other. */
export function hasDocumentChanges({ capabilities, facts }: EditTarget): boolean {
  const offered = capabilities.workspace?.workspaceEdit;
  return offered?.documentChanges === true || (offered?.resourceOperations?.length ?? 0) > 0 || facts.documentChanges;
}
