/** The state of the files while a patch is planned: the file under each name, and the current name of each document. */
import { type Draft, draftOf } from "../draft.js";
import { Insertions } from "../edits/insertions.js";
import type { Section } from "../operation.js";
import type { EditOutcome } from "../outcome.js";
import type { Document, DocumentUri, Snapshot } from "../snapshot.js";

/** One file while the patch is planned. */
export interface PatchFile {
  /** The draft of an existing file's text, or of a file that the patch creates. */
  draft: Draft;
  /** The file's current name; `undefined` if the file is deleted. */
  name: { readonly uri: DocumentUri; readonly path: string } | undefined;
  isOverwritten: boolean;
  /** Number of edits that were applied. */
  edits: number;
  readonly sections: Section[];
  readonly outcomes: EditOutcome[];
  /** The lines that the sections so far have inserted into the text. */
  readonly insertions: Insertions;
}

/** The edit that moved a file to another name or deleted it. */
export interface Taken {
  /** 0-based index of the edit. */
  readonly by: number;
  /** The path that the edit gave the file; `undefined` if it deleted the file. */
  readonly to: string | undefined;
}

/** The files of a patch, by name. A document of the snapshot becomes a node when the patch first names it. */
export class PatchFiles {
  /** The files in the order in which the patch first names them. */
  readonly nodes: PatchFile[] = [];
  private readonly at = new Map<DocumentUri, PatchFile | undefined>();
  private readonly taken = new Map<DocumentUri, Taken>();

  constructor(private readonly snapshot: Snapshot) {}

  /** Returns the file that a URI names at this point in the patch; `undefined` if there is none. */
  get(uri: DocumentUri): PatchFile | undefined {
    if (this.at.has(uri)) return this.at.get(uri);
    const document = this.snapshot.documents.get(uri);
    if (document?.exists !== true) return undefined;
    return this.put({ uri, path: document.path }, draftOf(document));
  }

  /** Returns the last edit that moved or deleted the file at a URI; `undefined` if there is none. */
  takenFrom(uri: DocumentUri): Taken | undefined {
    return this.taken.get(uri);
  }

  /** Adds a node under a free name. */
  put({ uri, path }: { readonly uri: DocumentUri; readonly path: string }, draft: Draft): PatchFile {
    const lists = { sections: [], outcomes: [] };
    const insertions = new Insertions();
    const node: PatchFile = { draft, name: { uri, path }, isOverwritten: false, edits: 0, ...lists, insertions };
    this.nodes.push(node);
    this.at.set(uri, node);
    return node;
  }

  /** Adds, under a free name, a file that the patch creates. */
  create(document: Document): PatchFile {
    const blank: Document = {
      uri: document.uri,
      path: document.path,
      version: null,
      text: "",
      exists: false,
      bom: false,
      bomSynced: false,
      loneCrEndsLine: document.loneCrEndsLine,
    };
    return this.put(document, { ...draftOf(document.exists ? blank : document), created: true });
  }

  /** Returns a document's deleted node, which a later section may restore; `undefined` if there is none. */
  deleted(uri: DocumentUri): PatchFile | undefined {
    return this.nodes.find(({ name, draft }) => name === undefined && draft.document.uri === uri && !draft.created);
  }

  /** Gives a node a new name, or none, and frees the old one. `by` is the 0-based index of the edit. */
  rename(node: PatchFile, name: PatchFile["name"], by: number): void {
    if (node.name !== undefined) {
      this.at.set(node.name.uri, undefined);
      this.taken.set(node.name.uri, { by, to: name?.path });
    }
    node.name = name && { uri: name.uri, path: name.path };
    if (name !== undefined) this.at.set(name.uri, node);
  }
}
