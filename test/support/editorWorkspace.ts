/** What a WorkspaceEdit does to a strict editor's texts and to the disk: all is checked before anything is done. */
import { existsSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from "vscode-languageserver/node";
import { type FileText, readFileText, writeFileText } from "./editorFiles.js";
import { type Encoding, Refused, type Replacement, replaced, replacementsOf } from "./editorText.js";

/** A document that the editor has open. */
export interface OpenDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  /** As it is synced. */
  readonly text: string;
}

/** What the editor is like when it takes an edit. */
export interface Terms {
  readonly encoding: Encoding;
  readonly versions: "checked" | "ignored";
  /** How an empty file reads once it is open. */
  readonly emptyText: "" | "\n";
}

/** One step that has been checked. */
export type Step =
  | { readonly kind: "edit"; readonly uri: string; readonly replacements: readonly Replacement[] }
  | {
      readonly kind: "write";
      readonly uri: string;
      /** `created`: there was no file, and its text so far is that of an empty one. */
      readonly before: FileText & { readonly created: boolean };
      readonly replacements: readonly Replacement[];
    }
  | { readonly kind: "rename"; readonly uri: string; readonly newUri: string }
  | { readonly kind: "delete"; readonly uri: string };

/**
 * The steps that an edit means: changes of open documents, and files to be written, renamed and deleted. Throws
 * `Refused` for whatever the protocol forbids, and for what our server has no reason to send.
 */
export function stepsOf(edit: WorkspaceEdit, open: ReadonlyMap<string, OpenDocument>, terms: Terms): Step[] {
  const check = new Check(open, terms);
  for (const entry of entriesOf(edit, open)) {
    if (!("kind" in entry)) check.edit(entry);
    else if (entry.kind === "create") check.create(entry.uri, entry.options ?? {});
    else if (entry.kind === "rename") check.rename(entry.oldUri, entry.newUri, entry.options ?? {});
    else if (entry.kind === "delete") check.delete(entry.uri);
    else throw new Refused(`an unknown operation: ${JSON.stringify(entry)}`);
  }
  return check.steps();
}

/** Does one step on disk; the editor does "edit" steps, and what a step means for its documents, itself. */
export function doOnDisk(step: Exclude<Step, { kind: "edit" }>): void {
  const path = fileURLToPath(step.uri);
  if (step.kind === "write") {
    writeFileText(path, { ...step.before, text: replaced(step.before.text, step.replacements) });
  }
  if (step.kind === "delete") rmSync(path);
  if (step.kind === "rename") renameSync(path, fileURLToPath(step.newUri));
}

type Entry = NonNullable<WorkspaceEdit["documentChanges"]>[number];

function entriesOf(edit: WorkspaceEdit, open: ReadonlyMap<string, OpenDocument>): readonly Entry[] {
  if (edit.documentChanges !== undefined) {
    if (edit.changes !== undefined) throw new Refused("both changes and documentChanges");
    return edit.documentChanges;
  }
  return Object.entries(edit.changes ?? {}).map(([uri, edits]) => ({
    textDocument: { uri, version: open.get(uri)?.version ?? null },
    edits,
  }));
}

/** Walks through an edit on a picture of the files, so that a refusal comes before the first change. */
class Check {
  /** What is not as on disk; `null`: the file is gone. */
  private readonly files = new Map<string, (FileText & { readonly created: boolean }) | null>();
  private readonly edited = new Map<string, readonly Replacement[]>();
  private readonly operations: Step[] = [];

  constructor(
    private readonly open: ReadonlyMap<string, OpenDocument>,
    private readonly terms: Terms,
  ) {}

  edit({ textDocument: { uri, version }, edits }: TextDocumentEdit): void {
    if (this.edited.has(uri)) throw new Refused(`two entries for ${uri}`);
    const document = this.open.get(uri);
    if (document !== undefined) {
      if (version === null) throw new Refused(`no version for the open document ${uri}`);
      if (this.terms.versions === "checked" && version !== document.version) {
        throw new Refused(`version ${version} of ${uri}, which is at ${document.version}`);
      }
    } else if (version !== null) {
      throw new Refused(`a version for ${uri}, which is not open`);
    }
    const file = document === undefined ? this.file(uri) : undefined;
    if (file === null) throw new Refused(`${uri} does not exist`);
    const text = document?.text ?? file?.text ?? "";
    const replacements = replacementsOf(text, edits.map(toPlainEdit), this.terms.encoding);
    this.edited.set(uri, replacements);
    if (file !== undefined) this.files.set(uri, file);
  }

  create(uri: string, { overwrite, ignoreIfExists }: { overwrite?: boolean; ignoreIfExists?: boolean }): void {
    const exists = this.open.has(uri) || this.file(uri) !== null;
    if (exists && overwrite !== true && ignoreIfExists !== true) throw new Refused(`${uri} exists`);
    if (exists && overwrite !== true) return;
    if (this.open.has(uri)) throw new Refused(`${uri} is open and would be overwritten`);
    this.files.set(uri, { text: this.terms.emptyText, encoding: "utf8", bom: false, created: !exists });
  }

  rename(uri: string, newUri: string, { overwrite }: { overwrite?: boolean }): void {
    if (!this.open.has(uri) && this.file(uri) === null) throw new Refused(`${uri} does not exist`);
    if (overwrite !== true && this.file(newUri) !== null) throw new Refused(`${newUri} exists`);
    this.operations.push({ kind: "rename", uri, newUri });
  }

  delete(uri: string): void {
    if (!this.open.has(uri) && this.file(uri) === null) throw new Refused(`${uri} does not exist`);
    this.files.set(uri, null);
    this.operations.push({ kind: "delete", uri });
  }

  steps(): Step[] {
    const edits = [...this.edited].filter(([uri]) => this.open.has(uri));
    const writes = [...this.files].flatMap(([uri, before]): Step[] =>
      before === null ? [] : [{ kind: "write", uri, before, replacements: this.edited.get(uri) ?? [] }],
    );
    return [
      ...edits.map(([uri, replacements]): Step => ({ kind: "edit", uri, replacements })),
      ...writes,
      ...this.operations,
    ];
  }

  private file(uri: string): (FileText & { readonly created: boolean }) | null {
    const known = this.files.get(uri);
    if (known !== undefined) return known;
    if (!uri.startsWith("file:")) throw new Refused(`${uri} is neither open nor a file`);
    const path = fileURLToPath(uri);
    if (!existsSync(path)) return null;
    const file = readFileText(path)!;
    return { ...file, text: file.text === "" ? this.terms.emptyText : file.text, created: false };
  }
}

function toPlainEdit(edit: TextDocumentEdit["edits"][number]): TextEdit {
  if (!("newText" in edit)) throw new Refused("a snippet where text is meant");
  if ("annotationId" in edit) throw new Refused("an annotation that was not asked for");
  return edit;
}
