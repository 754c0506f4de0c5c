/** The capabilities that the tests need from every real editor; each editor implements this interface. */
import type { Link } from "./link.js";

/** A document as the editor holds it now. */
export interface Held {
  /** The text as the editor would write it: with the file's line ends, without a byte order mark. */
  readonly text: string;
  /**
   * `true` if the editor says that the text differs from what it last read or wrote; `undefined` if the editor does not
   * say.
   */
  readonly modified: boolean | undefined;
  /** `true` if the file is written with a byte order mark; `undefined` if the editor does not say. */
  readonly bom: boolean | undefined;
}

/** The environment in which an editor is started. */
export interface Place {
  /** The workspace folder, which is empty at first. Paths in it are the same inside and outside the editor's root. */
  readonly folder: string;
  /** A folder for the editor's own files, such as its settings; it is the editor's home and temporary folder. */
  readonly home: string;
  /**
   * Environment variables of the editor's process. In the root, the programs `multi-edit-language-server` and
   * `multi-edit` are on `PATH`.
   */
  readonly env: Readonly<Record<string, string>>;
  /** The repository, with `client-samples/` and `test/editors/` in it. */
  readonly repository: string;
  /** Command line that runs a program in the root; the program and its arguments are appended. */
  readonly inside: readonly [string, ...string[]];
  /** The socket to which a driver inside the editor connects; see `link.ts`. */
  readonly link: Link;
}

/** Properties of an editor that determine the expected results. */
export interface Traits {
  /** Position encodings that the editor offers. */
  readonly encodings: readonly ("utf-8" | "utf-16" | "utf-32")[];
  /** `true` if the user can send a call with a command of the editor; otherwise only agents can send calls. */
  readonly command: boolean;
  /** `true` if the editor can send `multiEdit/apply` and apply the answer. */
  readonly request: boolean;
  /** `true` if a text without a final newline gets one as soon as it is edited. */
  readonly restoresFinalNewline: boolean;
  /** Set if the editor inserts LF instead of CRLF into a text that has both. */
  readonly insertsLfIntoMixed?: true;
  /**
   * Set if the editor sometimes sends two changes in the wrong order, so the server can't be sure of the text. The
   * server then treats the document as desynced, and the test is repeated.
   */
  readonly reordersChanges?: true;
}

/**
 * A running editor. Paths are absolute. Each function resolves when the editor has performed the action; the caller
 * waits on the wire until the server knows about it.
 */
export interface Driver {
  /** Opens a file, as the user does; the file does not need to exist. */
  open(path: string): Promise<void>;
  /** Replaces the whole text of an open document, as typing or pasting does, without saving it. */
  retype(path: string, text: string): Promise<void>;
  /**
   * Sends a call with the editor's own command, as the user does, possibly without waiting for the answer. Needs
   * `traits.command`.
   */
  command(call: unknown): Promise<void>;
  /**
   * Sends `multiEdit/apply` and applies the answer with the sample's function; returns its message to the user. Needs
   * `traits.request`.
   */
  request?(call: unknown): Promise<{ readonly applied: boolean; readonly message: string }>;
  /** The text of an open document; `undefined` if the editor does not have it open. */
  held(path: string): Promise<Held | undefined>;
  /** Paths of all open files. If the function is absent, the test uses the paths that the editor has announced. */
  opened?(): Promise<readonly string[]>;
  /** Undoes once in this document, with the editor's own key or command. */
  undo(path: string): Promise<void>;
  /** Saves the document. */
  save(path: string): Promise<void>;
  /** Makes the document read-only by the editor's own means; absent if the editor has none. */
  lock?(path: string): Promise<void>;
  /** Puts the cursor right before the first occurrence of a text and starts to type there. */
  startTyping(path: string, before: string): Promise<void>;
  /** Types one more key. May be called while the editor is busy; resolves immediately. */
  key(key: string): void;
  /** Ends typing after the editor has processed all keys. */
  stopTyping(): Promise<void>;
  /** Waits for a question to be shown, and answers it by the title of one of its actions. */
  answer(question: string, action: string, actions: readonly string[]): Promise<void>;
  /** Waits until the editor has processed the answer to its command; absent if the processing disturbs nothing. */
  settle?(): Promise<void>;
  /** Runs code in the editor's own language, or types keys, for scenes of this editor only. */
  run?(text: string): Promise<unknown>;
  /** Closes every document without saving it. */
  closeAll(): Promise<void>;
  /** Ends the editor, whatever its state. */
  stop(): Promise<void>;
  /** The last text that the editor showed, for the message of a failed test. */
  said(): string;
}

/** One version of an editor: a column of the table. */
export interface EditorKind {
  /** Name in the table, without the version. */
  readonly name: string;
  /** Folder below `EDITORS_ROOT`. */
  readonly root: "current" | "older";
  readonly traits: Traits;
  /** Command that prints the version when it is run in the root. */
  readonly versionCommand: readonly [string, ...string[]];
  /** Matches the version in the output of that command. */
  readonly version: RegExp;
  /** Starts the editor with the server attached to every file that it opens. */
  start(place: Place): Promise<Driver>;
}
