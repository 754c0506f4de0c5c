/** Types for path resolution: the scope in which a path is resolved, and the document that it refers to. */
import type { Failed } from "../plan/failure.js";
import type { UnseenDocument } from "./documents.js";
import type { Canonical, OpenFiles, OpenText, OpenTexts } from "./identity.js";
import type { Asks, FileGate } from "./protection.js";

/** One of the editor's workspace folders. */
export interface Folder {
  readonly uri: string;
  /** The folder's absolute path; empty if it is no directory on this machine, so that no file is inside it. */
  readonly path: string;
}

/** Everything that determines which document a path refers to. */
export interface Scope {
  /** The integration's `options.root`, against which relative paths are resolved: an absolute path or a `file:` URI. */
  readonly root?: string | undefined;
  readonly folders: readonly Folder[];
  /** From the user's settings: additional directories where files may be edited; absolute, or starting with `~/`. */
  readonly additionalFolders: readonly string[];
  /** The user's gates; a path is judged by its part below the folder that contains it. */
  readonly gates: readonly FileGate[];
  readonly openTexts: OpenTexts;
  /** From the user's settings: schemes, besides `file` and `untitled`, of documents that are read; by default none. */
  readonly schemes?: readonly string[] | undefined;
  /** URIs of documents with unsaved changes that the client does not sync; `undefined` if it has reported none. */
  readonly unsynced?: readonly string[] | undefined;
  /** The directory that `~` means; by default the user's home directory. */
  readonly home?: string | undefined;
}

/** A directory where files may be edited. */
export interface Area {
  /** The path as the editor or the user spelt it, normalised. */
  readonly lexical: string;
  readonly canonical: string;
  /** `true` for a workspace folder, `false` for a directory from the user's settings. */
  readonly isFolder: boolean;
}

/** A scope whose directories have been examined. */
export interface Ground {
  readonly home: string;
  readonly schemes: readonly string[];
  /** The base directories for relative paths (the root if one was sent, else all folders), or the root's failure. */
  readonly starts: { readonly ok: true; readonly paths: readonly string[] } | Failed;
  /** Canonical path of the root; `undefined` if none was sent: answers then name files relative to their folder. */
  readonly shownFrom: string | undefined;
  /** The workspace folders in the editor's order, then the additional folders. */
  readonly areas: readonly Area[];
  /** `false` if the editor has no workspace folder; every open document then counts as inside the workspace. */
  readonly hasFolders: boolean;
  readonly gates: readonly FileGate[];
  /** `true` if `.git` is among the protected names: Git directories are then recognised by their contents, too. */
  readonly protectsGit: boolean;
  /** For the directories examined so far: `true` if Git would take the directory for a repository. */
  readonly gitDirectories: Map<string, boolean>;
  /** Canonical paths of the server's folder, of the folder for the user's settings, and of the settings file. */
  readonly own: readonly string[];
  readonly opens: OpenFiles;
  /** Returns the file that an absolute path leads to. Examines each path only once. */
  readonly look: (path: string) => Canonical;
}

/** The document that a path refers to. It may not exist yet. */
export interface ResolvedPath {
  /** The client's spelling if the document is open, otherwise the server's strict encoding of `file`. */
  readonly uri: string;
  /** The path to show: relative to the workspace folder, with `/`; absolute outside of it; else the URI. */
  readonly path: string;
  /** The canonical path; `undefined` for an open document that is not a file, such as one with an `untitled:` URI. */
  readonly file?: string | undefined;
  /** An identifier that is the same for every path to the document. */
  readonly identity: string;
  /** The open document; `undefined` if the editor does not have it open. */
  readonly open: OpenText | undefined;
  /** `true` if anything exists at `file`. */
  readonly onDisk: boolean;
  /** `true` if `file` was a regular file when it was examined. */
  readonly isRegular: boolean;
  /** The path as it was spelt, absolute and normalised, links not followed; `undefined` if it is no file. */
  readonly spelt?: string;
  /** The path that the spelling leads to: `file`, or another hard link to it; `undefined` if it is no file. */
  readonly reached?: string;
  /** The reason why the user must agree to a change; `undefined` if there is none. */
  readonly asks?: Asks | undefined;
  /** The document through which the editor may hold unsaved changes to the file, if it does not sync the file itself. */
  readonly unseen?: UnseenDocument | undefined;
  /** The canonical paths where the file was looked for; a relative path may have several. */
  readonly searched: readonly string[];
}

/** The document that a path refers to, or the reason the path can't be used. */
export type Resolved = { readonly ok: true; readonly place: ResolvedPath } | Failed;

/** Resolves paths against a snapshot of the open documents and folders. */
export interface Resolver {
  /** Returns the document that a path refers to, even if the document does not exist yet. Never throws. */
  resolve(sent: string): Promise<Resolved>;
  /** Returns the paths of open files inside the workspace, as spelt in their URIs. */
  openPaths(): string[];
  /** Returns existing paths like a missing one, as hints only, the best first. `searched`: what was tried. */
  suggest(sent: string, searched: readonly string[]): Promise<string[]>;
  /** Returns the canonical paths of the directories against which relative paths are resolved. */
  bases(): string[];
  /** Reports whether callers may list a directory: in scope, unprotected, and not the server's own. */
  isListable(directory: string): boolean;
}
