/** Converts a plan to an LSP WorkspaceEdit, which uses positions instead of offsets. */
import type {
  CreateFile,
  DeleteFile,
  Position,
  RenameFile,
  TextDocumentEdit,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver/node";
import type { Failure } from "../../plan/failure.js";
import { type FileChange, fileOrder } from "../../plan/outcome.js";
import { type Change, ChangeSet } from "../../text/changeSet.js";
import { byteOrderMark } from "../../text/chars.js";
import { LineIndex } from "../../text/lines.js";
import { editorFailures } from "../sentences.js";
import type { Session } from "../session.js";
import { ascendingPositions } from "./positions.js";

/** The client that an edit is written for. */
export type EditTarget = Pick<Session, "encoding" | "capabilities" | "facts">;

/** An operation on a whole file, without options, because some clients ignore any edit that has some. */
export type FileOperation = CreateFile | RenameFile | DeleteFile;

/** Returns the failure if a plan needs a file operation that the client does not support; otherwise `undefined`. */
export function missingOperation(files: readonly FileChange[], target: EditTarget): Failure | undefined {
  for (const { kind, document } of files) {
    if (kind !== "update" && !offers(target, kind)) return editorFailures.noResourceOperation(document.path, kind);
  }
  return undefined;
}

/**
 * Builds the edit, in this order: file creations; each document's text edits, under the document's old name and for the
 * version that they were matched against; renames, deletions, and the creations that must wait for these, each creation
 * followed by its text. Unchanged files are omitted. `made` contains text edits that have already been built.
 */
export function toWorkspaceEdit(
  files: readonly FileChange[],
  target: EditTarget,
  made: ReadonlyMap<FileChange, readonly TextEdit[]> = new Map(),
): WorkspaceEdit {
  const edits = new Map(
    files
      .filter((file) => !file.change.isEmpty)
      .map((file): [FileChange, TextDocumentEdit] => {
        const { uri, version } = file.document;
        return [file, { textDocument: { uri, version }, edits: [...(made.get(file) ?? toTextEdits(file, target))] }];
      }),
  );
  if (!hasDocumentChanges(target)) {
    const changes = [...edits.values()].map((one) => [one.textDocument.uri, one.edits]);
    return { changes: Object.fromEntries(changes) };
  }
  const { created, after } = fileOrder(files);
  // The text of a renamed file is edited under the file's old name.
  const early = files.filter((file) => file.kind === "rename" || !after.includes(file));
  return {
    documentChanges: [
      ...created.flatMap(toFileOperation),
      ...early.flatMap((file) => edits.get(file) ?? []),
      ...after.flatMap((file) => [
        ...toFileOperation(file),
        ...(file.kind === "create" ? [edits.get(file) ?? []].flat() : []),
      ]),
    ],
  };
}

/** Returns the operation on the whole file as a list, which is empty if only the text changes. */
function toFileOperation(file: FileChange): FileOperation[] {
  const { kind } = file;
  const { uri } = file.document;
  if (kind === "rename") return [{ kind, oldUri: uri, newUri: file.target.uri }];
  return kind === "update" ? [] : [{ kind, uri }];
}

/** Reports whether the client supports a file operation. */
export function offers({ capabilities }: EditTarget, operation: FileOperation["kind"]): boolean {
  return capabilities.workspace?.workspaceEdit?.resourceOperations?.includes(operation) ?? false;
}

/** Returns a file's edits for the text as the editor sees it: sorted, disjoint, and in the target's encoding. */
export function toTextEdits({ document, change, kind }: FileChange, target: EditTarget): TextEdit[] {
  const start: Position = { line: 0, character: 0 };
  // The editor opens this new or empty file to apply the edit, and some editors treat an empty text as one line ending.
  if (kind === "create" || (document.version === null && document.text === "")) {
    const end: Position = target.facts.emptyIsLineEnd ? { line: 1, character: 0 } : start;
    return change.changes.map(({ insert }) => ({ range: { start, end }, newText: insert }));
  }
  const mark = document.bomSynced ? byteOrderMark : "";
  const text = mark + document.text;
  const lines = LineIndex.of(text, document);
  const positionAt = ascendingPositions(text, lines, target.encoding);
  const { changes } = target.facts.addsLineAtEnd ? beforeLastEnd(document.text, change) : change;
  const skip = mark.length;
  return changes.map(({ from, to, insert }) => ({
    range: { start: positionAt(from + skip), end: positionAt(to + skip) },
    newText: insert,
  }));
}

/** Moves an insertion from the end of a text to before the final line ending, which then ends the last new line. */
function beforeLastEnd(text: string, change: ChangeSet): ChangeSet {
  const last = change.changes.at(-1);
  const end = /\r\n$|\n$/.exec(text)?.[0];
  if (last === undefined || end === undefined || last.from < text.length || !last.insert.endsWith(end)) return change;
  const at = text.length - end.length;
  const moved = { from: at, to: at, insert: end + last.insert.slice(0, -end.length) };
  return ChangeSet.of(text.length, [...change.changes.slice(0, -1), moved]);
}

/** Reports whether the client accepts `documentChanges`; any client that supports resource operations does. */
export function hasDocumentChanges({ capabilities, facts }: EditTarget): boolean {
  const offered = capabilities.workspace?.workspaceEdit;
  return offered?.documentChanges === true || (offered?.resourceOperations?.length ?? 0) > 0 || facts.documentChanges;
}

/** Adapts a file to an editor that inserts LF, whatever is sent, if the document has both LF and CRLF. */
export function fitted(target: Pick<EditTarget, "capabilities" | "facts">, file: FileChange): FileChange {
  const { document, change } = file;
  const announced = target.capabilities.workspace?.workspaceEdit?.normalizesLineEndings === true;
  if (!announced && !target.facts.normalisesInserts) return file;
  if (!document.text.includes("\r\n") || !hasLoneLf(document.text)) return file;
  const fit = ChangeSet.of(
    change.length,
    change.changes.map((one): Change => ({ ...one, insert: withLf(one.insert) })),
  );
  return { ...file, change: fit, text: fit.apply(document.text) };
}

/** Adapts a closed file's plan to an editor that syncs every line ending as LF when it opens the file. */
export function asOpened({ facts }: Pick<EditTarget, "facts">, file: FileChange): FileChange {
  const { document, change } = file;
  if (document.version !== null || !facts.habits.syncsLf) return file;
  if (!document.text.includes("\r\n") || hasLoneLf(document.text)) return file;
  let read = 0;
  let dropped = 0;
  const offset = (at: number): number => {
    dropped += at - read - withLf(document.text.slice(read, at)).length;
    read = at;
    return at - dropped;
  };
  const changes = change.changes.map(
    ({ from, to, insert }): Change => ({ from: offset(from), to: offset(to), insert: withLf(insert) }),
  );
  const text = withLf(document.text);
  const folded = ChangeSet.of(text.length, changes);
  return { ...file, document: { ...document, text }, change: folded, text: folded.apply(text) };
}

const hasLoneLf = (text: string): boolean => /(?<!\r)\n/.test(text);
const withLf = (text: string): string => text.replaceAll("\r\n", "\n");
