/** The types of path resolution: the scope in which a path is resolved, and the document that it means. */
import type { Failed } from "../plan/failure.js";
import type { Canonical, OpenFiles, OpenText, OpenTexts } from "./identity.js";

/** A workspace folder of the editor. */
export interface Folder {
  readonly uri: string;
  /** Absolute. Empty if the folder is not a directory on this machine; no file is inside such a folder. */
  readonly path: string;
}

/** Everything that decides what a path means. */
export interface Scope {
  /** The integration's `options.root`, from which relative paths start: an absolute path or a `file:` URI. */
  readonly root?: string | undefined;
  readonly folders: readonly Folder[];
  /** The user's setting: further directories in which files may be edited; absolute, or starting with `~/`. */
  readonly additionalFolders: readonly string[];
  /** The user's setting: names that no path may contain below its folder, compared after folding. */
  readonly protectedNames: readonly string[];
  readonly openTexts: OpenTexts;
  /** The directory that `~` stands for; by default the user's home directory. */
  readonly home?: string | undefined;
}

/** A directory in which files may be edited. */
export interface Area {
  /** As the editor or the user spelt it, normalised. */
  readonly lexical: string;
  readonly canonical: string;
  /** `true` for a workspace folder, `false` for a directory that a setting added. */
  readonly isFolder: boolean;
}

/** A scope whose directories have been examined. */
export interface Ground {
  readonly home: string;
  /** Directories that relative paths start from: the root if one was sent, else all folders; or the root's failure. */
  readonly starts: { readonly ok: true; readonly paths: readonly string[] } | Failed;
  /** The folders in the editor's order, then the added ones. */
  readonly areas: readonly Area[];
  /** If `false`, every open document counts as inside. */
  readonly hasFolders: boolean;
  readonly protectedNames: ReadonlySet<string>;
  /** Canonical path of the folder for data that outlives the server; `undefined` if it is unknown. */
  readonly own: string | undefined;
  readonly opens: OpenFiles;
  /** Finds where an absolute path leads; examines each path once. */
  readonly look: (path: string) => Promise<Canonical>;
}

/** The one document that a path means. It may not exist yet. */
export interface ResolvedPath {
  /** The client's own spelling if the document is open, otherwise the server's strict encoding of `file`. */
  readonly uri: string;
  /** For people and diffs: relative to its workspace folder, with `/`; absolute if in none; the URI if not a file. */
  readonly path: string;
  /** The canonical path; `undefined` for an open document that is not a file, such as `untitled:`. */
  readonly file?: string | undefined;
  /** The same for every spelling of one document. */
  readonly identity: string;
  /** `undefined` if the editor does not have it open. */
  readonly open: OpenText | undefined;
  /** `true` if anything exists at `file`. */
  readonly onDisk: boolean;
  /** `true` if `file` was a regular file when it was examined. */
  readonly isRegular: boolean;
  /** The path as spelt, absolute and normalised, with links not followed; `undefined` if it is not a file. */
  readonly spelt?: string;
  /** The path that the spelling leads to: `file`, or another hard link of the file; `undefined` if it is not a file. */
  readonly reached?: string;
  /** Canonical paths at which the file was looked for; several if a relative path might be in several folders. */
  readonly searched: readonly string[];
}

/** The document that a path means, or the reason why it means none that may be touched. */
export type Resolved = { readonly ok: true; readonly place: ResolvedPath } | Failed;

/** Resolves paths among the documents and folders of one moment. */
export interface Resolver {
  /** Never throws, whatever was sent. If nothing exists at a path, the result is where its file would be created. */
  resolve(sent: string): Promise<Resolved>;
  /** Returns the paths of open files inside the workspace, as their URIs spell them. */
  openPaths(): string[];
  /**
   * Returns existing paths that may be meant by a path at which nothing was found, the most similar first: hints, which
   * the server never follows. `sent`: the path as the caller spelt it; `searched`: the canonical paths that were tried.
   */
  suggest(sent: string, searched: readonly string[]): Promise<string[]>;
  /** Returns the canonical directories from which relative paths start. */
  bases(): Promise<string[]>;
  /** Reports whether callers may list a canonical directory: it must be inside, not protected, and not the server's. */
  isListable(directory: string): boolean;
}
