/** The types of resolving: the scope in which a path is resolved, and the document that it means. */
import type { Failed } from "../plan/failure.js";
import type { Canonical, OpenFiles, OpenText, OpenTexts } from "./identity.js";

/** A workspace folder of the editor. */
export interface Folder {
  readonly uri: string;
  /** Absolute; a folder that is no directory of this machine has an empty one and holds no file. */
  readonly path: string;
}

/** All that decides what a path means. */
export interface Scope {
  /** The integration's `options.root`: what relative paths are relative to, as an absolute path or `file:` URI. */
  readonly root?: string | undefined;
  readonly folders: readonly Folder[];
  /** The user's setting: directories beside the folders that may be edited; absolute, or starting with `~/`. */
  readonly additionalFolders: readonly string[];
  /** The user's setting: names that no path may hold below its folder, compared folded. */
  readonly protectedNames: readonly string[];
  readonly openTexts: OpenTexts;
  /** What `~` stands for; default: the user's home directory. */
  readonly home?: string | undefined;
}

/** A directory in which files may be edited. */
export interface Area {
  /** As the editor or the user spelt it, normalised. */
  readonly lexical: string;
  readonly canonical: string;
  /** A workspace folder rather than one that a setting added. */
  readonly isFolder: boolean;
}

/** A scope whose directories have been looked at. */
export interface Ground {
  readonly home: string;
  /** Where relative paths start: at the root that was sent, or in each of the folders; or what is wrong with that root. */
  readonly starts: { readonly ok: true; readonly paths: readonly string[] } | Failed;
  /** The folders in the editor's order, then the added ones. */
  readonly areas: readonly Area[];
  /** Without any, what is open is inside. */
  readonly hasFolders: boolean;
  readonly protectedNames: ReadonlySet<string>;
  /** Canonical path of the folder in which the server keeps what outlives it; `undefined`: nobody knows where it is. */
  readonly own: string | undefined;
  readonly opens: OpenFiles;
  /** Where an absolute path leads; each is looked at once. */
  readonly look: (path: string) => Promise<Canonical>;
}

/** The one document that a path means. It may not exist yet. */
export interface ResolvedPath {
  /** The client's own spelling where it is open, else our strict encoding of `file`. */
  readonly uri: string;
  /** For people and diffs: relative to its workspace folder, with `/`; absolute where it lies in none; else the URI. */
  readonly path: string;
  /** Canonical path; `undefined`: an open document that is no file, as `untitled:`. */
  readonly file?: string | undefined;
  /** The same for every spelling of one document. */
  readonly identity: string;
  /** `undefined`: the editor does not have it open. */
  readonly open: OpenText | undefined;
  /** Whether there is something at `file`. */
  readonly onDisk: boolean;
  /** Whether that is a regular file, as far as a look at it told. */
  readonly isRegular: boolean;
  /** The path as it was spelt, absolute and normal, with links as they are; `undefined`: no file. */
  readonly spelt?: string;
  /** Where the spelling leads: another name of `file`, through a hard link, or the same; `undefined`: no file. */
  readonly reached?: string;
  /** Canonical paths at which it may be looked for; several where a relative path might stand in several folders. */
  readonly searched: readonly string[];
}

/** A place, or why the path means none that may be touched. */
export type Resolved = { readonly ok: true; readonly place: ResolvedPath } | Failed;

/** Answers for the documents and folders of one moment. */
export interface Resolver {
  /** Never throws for what a caller can send. A place that exists nowhere is where the file would be created. */
  resolve(sent: string): Promise<Resolved>;
  /** Open files that lie inside, as their URIs spell them. */
  openPaths(): string[];
  /**
   * Existing paths that may be meant by one at which nothing was found, the most similar first: a hint, never a guess.
   * `sent`: as the caller spelt it; `searched`: the canonical paths at which it was looked for.
   */
  suggest(sent: string, searched: readonly string[]): Promise<string[]>;
  /** Canonical directories at which relative paths start. */
  bases(): Promise<string[]>;
  /** Whether callers may know what a canonical directory holds: it lies inside, and no name below its folder is protected. */
  isListable(directory: string): boolean;
}
