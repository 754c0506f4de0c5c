/** The files as they are in the middle of a patch: what stands under which name, and what has become of each document. */
import { type Draft, draftOf } from "../draft.js";
import type { Section } from "../operation.js";
import type { EditOutcome } from "../outcome.js";
import type { Document, DocumentUri, Snapshot } from "../snapshot.js";

/** One file on its way through the patch. */
export interface PatchFile {
  /** The draft of what was read, or of a file that the patch brings into being. */
  draft: Draft;
  /** Where it stands now; `undefined`: deleted. */
  name: { readonly uri: DocumentUri; readonly path: string } | undefined;
  isOverwritten: boolean;
  /** Edits that went through. */
  edits: number;
  readonly sections: Section[];
  readonly outcomes: EditOutcome[];
}

/** How a file left its name. */
export interface Taken {
  /** 0-based index of the edit. */
  readonly by: number;
  /** The path that it has now; `undefined`: it was deleted. */
  readonly to: string | undefined;
}

/** The names of a patch's files; every document of the snapshot is a node as soon as it is named. */
export class PatchFiles {
  /** In the order in which they were first named. */
  readonly nodes: PatchFile[] = [];
  private readonly at = new Map<DocumentUri, PatchFile | undefined>();
  private readonly taken = new Map<DocumentUri, Taken>();

  constructor(private readonly snapshot: Snapshot) {}

  /** What stands under a URI now; `undefined`: nothing. */
  get(uri: DocumentUri): PatchFile | undefined {
    if (this.at.has(uri)) return this.at.get(uri);
    const document = this.snapshot.documents.get(uri);
    if (document?.exists !== true) return undefined;
    return this.put({ uri, path: document.path }, draftOf(document));
  }

  /** What has become of what stood under a URI; `undefined`: nothing has been taken away from there. */
  takenFrom(uri: DocumentUri): Taken | undefined {
    return this.taken.get(uri);
  }

  /** A new node under a name that nothing stands under. */
  put({ uri, path }: { readonly uri: DocumentUri; readonly path: string }, draft: Draft): PatchFile {
    const node: PatchFile = { draft, name: { uri, path }, isOverwritten: false, edits: 0, sections: [], outcomes: [] };
    this.nodes.push(node);
    this.at.set(uri, node);
    return node;
  }

  /** A file that comes into being under a name that nothing stands under. */
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

  /** The deleted node of a document, which a later section may bring back. */
  deleted(uri: DocumentUri): PatchFile | undefined {
    return this.nodes.find(({ name, draft }) => name === undefined && draft.document.uri === uri && !draft.created);
  }

  /** Gives a node another name, or none, which frees the one that it has. `by`: 0-based index of the edit. */
  rename(node: PatchFile, name: PatchFile["name"], by: number): void {
    if (node.name !== undefined) {
      this.at.set(node.name.uri, undefined);
      this.taken.set(node.name.uri, { by, to: name?.path });
    }
    node.name = name && { uri: name.uri, path: name.path };
    if (name !== undefined) this.at.set(name.uri, node);
  }
}
