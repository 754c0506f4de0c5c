/** Finds open documents by URI and by path, without a look at each of them. */
import { resolve } from "node:path";
import { pathBehindUri, pathOfSyncedUri } from "./pathText.js";

/** Open documents as they were at one moment. */
export interface OpenIndex<T> {
  /** In the order in which the documents were opened. */
  readonly byUri: ReadonlyMap<string, T>;
  /** The URIs of the documents whose own paths have exactly this spelling; documents that are not files are left out. */
  readonly urisByPath: ReadonlyMap<string, readonly string[]>;
  /** The documents through which the editor may hold unsaved changes to a file that it does not sync, by path. */
  readonly unseen: ReadonlyMap<string, UnseenDocument>;
}

/** A document that is not synced as a file but belongs to one. */
export interface UnseenDocument {
  readonly uri: string;
  /** `true` for an unsaved draft that the user may save under the path; `false` if it may hold changes to the file. */
  readonly isDraft: boolean;
}

/** The open documents of one editor, by URI. Only opening and closing documents makes it index the paths again. */
export class OpenDocuments<T> extends Map<string, T> {
  /** The path of each document that is a file. */
  readonly #paths = new Map<string, string>();
  #unseen: ReadonlyMap<string, UnseenDocument> | undefined;
  #byUri: ReadonlyMap<string, T> | undefined;
  #urisByPath: ReadonlyMap<string, readonly string[]> | undefined;

  override set(uri: string, document: T): this {
    if (!this.has(uri)) {
      const path = pathOfSyncedUri(uri);
      if (path === undefined) this.#unseen = undefined;
      else this.#paths.set(uri, resolve(path));
      this.#urisByPath = undefined;
    }
    this.#byUri = undefined;
    return super.set(uri, document);
  }

  override delete(uri: string): boolean {
    if (!this.#paths.delete(uri)) this.#unseen = undefined;
    this.#byUri = undefined;
    this.#urisByPath = undefined;
    return super.delete(uri);
  }

  /** Returns an index that later changes do not affect. */
  index(): OpenIndex<T> {
    this.#byUri ??= new Map(this);
    this.#unseen ??= toUnseen([...this.keys()].filter((uri) => !this.#paths.has(uri)));
    return { byUri: this.#byUri, urisByPath: this.urisByPath, unseen: this.#unseen };
  }

  /** The URIs of the open documents by their paths, which are normalised. A later change makes a new map. */
  get urisByPath(): ReadonlyMap<string, readonly string[]> {
    if (this.#urisByPath !== undefined) return this.#urisByPath;
    const index = new Map<string, string[]>();
    for (const [uri, path] of this.#paths) {
      const uris = index.get(path);
      if (uris === undefined) index.set(path, [uri]);
      else uris.push(uri);
    }
    this.#urisByPath = index;
    return index;
  }
}

/** Returns the documents with these URIs by the paths of the files to which they belong; leaves out those without one. */
export function toUnseen(uris: readonly string[]): ReadonlyMap<string, UnseenDocument> {
  return new Map(
    uris.flatMap((uri) => {
      const path = pathOfSyncedUri(uri) ?? pathBehindUri(uri);
      return path === undefined ? [] : [[resolve(path), { uri, isDraft: /^untitled:/i.test(uri) }] as const];
    }),
  );
}
