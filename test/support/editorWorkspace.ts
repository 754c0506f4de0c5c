/**
 * Applies a WorkspaceEdit to a strict editor's texts and to the disk; everything is checked before anything changes.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from "vscode-languageserver/node";
import { type FileText, readFileText, writeFileText } from "./editorFiles.js";
import { type Encoding, Refused, type Replacement, replaced, replacementsOf } from "./editorText.js";

/** A document that the editor has open. */
export interface OpenDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly version: number;
  /** The text as synced. */
  readonly text: string;
}

/** The editor's rules for applying an edit. */
export interface Terms {
  readonly encoding: Encoding;
  readonly versions: "checked" | "ignored";
  /** The text that the editor holds for an empty file. */
  readonly emptyText: "" | "\n";
  /** `lf`: CRLF becomes LF on opening, as in Emacs; `undefined` if line endings are kept. */
  readonly lineEnds?: "lf" | undefined;
  /** `needed`: the directory of a file's new name must exist; `undefined` if the editor creates it. */
  readonly directories?: "needed" | undefined;
}

/** A step that has passed all checks. */
export type Step =
  | { readonly kind: "edit"; readonly uri: string; readonly replacements: readonly Replacement[] }
  | {
      readonly kind: "write";
      readonly uri: string;
      /** `created`: the file did not exist, and its text before the edit is that of an empty file. */
      readonly before: FileText & { readonly created: boolean };
      readonly replacements: readonly Replacement[];
    }
  | { readonly kind: "rename"; readonly uri: string; readonly newUri: string }
  | { readonly kind: "delete"; readonly uri: string };

/**
 * The steps of an edit, in order: changes to open documents, and files to be written, renamed and deleted. Throws
 * `Refused` for anything that the protocol forbids, that our server has no reason to send, or that real editors are
 * known to lose: options of file operations, and edits to a document after its rename.
 */
export function stepsOf(edit: WorkspaceEdit, open: ReadonlyMap<string, OpenDocument>, terms: Terms): Step[] {
  const check = new Check(open, terms);
  for (const entry of entriesOf(edit, open)) {
    if (!("kind" in entry)) {
      check.edit(entry);
      continue;
    }
    if (entry.options !== undefined) throw new Refused(`options of a file operation: ${JSON.stringify(entry)}`);
    if (entry.kind === "create") check.create(entry.uri);
    else if (entry.kind === "rename") check.rename(entry.oldUri, entry.newUri);
    else if (entry.kind === "delete") check.delete(entry.uri);
    else throw new Refused(`an unknown operation: ${JSON.stringify(entry)}`);
  }
  return check.steps;
}

/** Performs one step on disk; the editor itself performs "edit" steps and updates its documents. */
export function doOnDisk(step: Exclude<Step, { kind: "edit" }>): void {
  const path = fileURLToPath(step.uri);
  if (step.kind === "write") {
    writeFileText(path, { ...step.before, text: replaced(step.before.text, step.replacements) });
    return;
  }
  // A document that was never saved has no file.
  if (!existsSync(path)) return;
  if (step.kind === "delete") rmSync(path);
  else {
    const newPath = fileURLToPath(step.newUri);
    mkdirSync(dirname(newPath), { recursive: true });
    renameSync(path, newPath);
  }
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

/**
 * A file in the simulated tree. `place`: the index of the step that writes the file; `renamed`: no more edits are
 * allowed.
 */
type Pictured =
  | (FileText & { readonly created: boolean; readonly place?: number })
  | "open"
  | "renamed"
  | "binary"
  | "gone";

/** Dry-runs an edit on a simulated tree, so that any refusal comes before the first change. */
class Check {
  readonly steps: Step[] = [];
  /** The entries that the edit has changed so far, keyed by path. */
  private readonly picture = new Map<string, Pictured>();
  private readonly edited = new Set<string>();

  constructor(
    private readonly open: ReadonlyMap<string, OpenDocument>,
    private readonly terms: Terms,
  ) {}

  edit({ textDocument: { uri, version }, edits }: TextDocumentEdit): void {
    if (this.edited.has(uri)) throw new Refused(`two entries for ${uri}`);
    this.edited.add(uri);
    const at = this.at(uri);
    if (at === "gone") throw new Refused(`${uri} does not exist`);
    if (at === "binary") throw new Refused(`${uri} is not text`);
    if (at === "renamed") throw new Refused(`${uri} is edited after its rename`);
    const plain = edits.map(toPlainEdit);
    if (at === "open") {
      const document = this.open.get(uri)!;
      if (version === null) throw new Refused(`no version for the open document ${uri}`);
      if (this.terms.versions === "checked" && version !== document.version) {
        throw new Refused(`version ${version} of ${uri}, which is at ${document.version}`);
      }
      const replacements = replacementsOf(document.text, plain, this.terms.encoding);
      this.steps.push({ kind: "edit", uri, replacements });
      return;
    }
    if (version !== null) throw new Refused(`a version for ${uri}, which is not open`);
    const { place, ...before } = at;
    const replacements = replacementsOf(before.text, plain, this.terms.encoding);
    const step: Step = { kind: "write", uri, before, replacements };
    if (place === undefined) this.steps.push(step);
    else this.steps[place] = step;
  }

  create(uri: string): void {
    if (this.at(uri) !== "gone") throw new Refused(`${uri} exists`);
    const before: FileText & { readonly created: true } = {
      text: this.terms.emptyText,
      encoding: "utf8",
      bom: false,
      created: true,
    };
    this.edited.delete(uri);
    this.picture.set(uri, { ...before, place: this.steps.length });
    this.steps.push({ kind: "write", uri, before, replacements: [] });
  }

  rename(uri: string, newUri: string): void {
    if (this.at(uri) === "gone") throw new Refused(`${uri} does not exist`);
    if (this.at(newUri) !== "gone") throw new Refused(`${newUri} exists`);
    if (this.terms.directories === "needed" && !existsSync(dirname(fileURLToPath(newUri)))) {
      throw new Refused(`there is no directory for ${newUri}`);
    }
    this.picture.set(uri, "gone");
    this.picture.set(newUri, "renamed");
    this.steps.push({ kind: "rename", uri, newUri });
  }

  delete(uri: string): void {
    if (this.at(uri) === "gone") throw new Refused(`${uri} does not exist`);
    this.picture.set(uri, "gone");
    this.steps.push({ kind: "delete", uri });
  }

  private at(uri: string): Pictured {
    const known = this.picture.get(uri) ?? (this.open.has(uri) ? "open" : undefined);
    if (known !== undefined) return known;
    if (!uri.startsWith("file:")) throw new Refused(`${uri} is neither open nor a file`);
    const path = fileURLToPath(uri);
    if (!existsSync(path)) return "gone";
    if (statSync(path).isDirectory()) throw new Refused(`${uri} is a directory`);
    return this.read(path);
  }

  /** A file that is not text can only be renamed or deleted. */
  private read(path: string): Pictured {
    try {
      const file = readFileText(path)!;
      const text = this.terms.lineEnds === "lf" ? file.text.replaceAll("\r\n", "\n") : file.text;
      return { ...file, text: text === "" ? this.terms.emptyText : text, created: false };
    } catch {
      return "binary";
    }
  }
}

function toPlainEdit(edit: TextDocumentEdit["edits"][number]): TextEdit {
  if (!("newText" in edit)) throw new Refused("a snippet where text is meant");
  if ("annotationId" in edit) throw new Refused("an annotation that was not asked for");
  return edit;
}
