/** The functions that the tests need from every real editor; each editor implements this interface. */
import type { Link } from "./link.js";

/** The current state of a document in the editor. */
export interface Held {
  /** The text that the editor would write: with the file's line endings, without a byte order mark. */
  readonly text: string;
  /**
   * `true` if, according to the editor, the text differs from what it last read or wrote; `undefined` if the editor
   * does not say.
   */
  readonly modified: boolean | undefined;
  /** `true` if the file will be written with a byte order mark; `undefined` if the editor does not say. */
  readonly bom: boolean | undefined;
}

/** The environment in which an editor is started. */
export interface Place {
  /** The workspace folder, initially empty. Its paths are the same inside and outside the editor's root. */
  readonly folder: string;
  /** A folder for the editor's own files, such as its settings; it serves as the home and temporary directory. */
  readonly home: string;
  /**
   * Environment variables for the editor's process. In the editor's root, the programs `multi-edit-language-server` and
   * `multi-edit` are on `PATH`.
   */
  readonly env: Readonly<Record<string, string>>;
  /** The repository, which includes `client-samples/` and `test/editors/`. */
  readonly repository: string;
  /** A command line that runs a program in the root; append the program and its arguments. */
  readonly inside: readonly [string, ...string[]];
  /** The folder with the programs of other language servers, which `.ci/editors` has installed. */
  readonly servers: string;
  /** The socket that a driver inside the editor connects to; see `link.ts`. */
  readonly link: Link;
}

/** Properties of an editor that affect the expected results. */
export interface Traits {
  /** Position encodings offered by the editor. */
  readonly encodings: readonly ("utf-8" | "utf-16" | "utf-32")[];
  /** `true` if the editor has a command with which the user can send a call; otherwise only agents can send calls. */
  readonly command: boolean;
  /** `true` if the sample has a function that sends `multiEdit/apply` and applies the edit in the answer. */
  readonly request: boolean;
  /** `true` if a text without a final newline gets one as soon as it is edited. */
  readonly restoresFinalNewline: boolean;
  /** Set if the editor inserts LF instead of CRLF into a text that has both. */
  readonly insertsLfIntoMixed?: true;
  /** Set if the editor makes all line endings of a text alike when it opens a file. */
  readonly makesLineEndingsAlike?: true;
  /**
   * Set if the editor sometimes sends two changes in the wrong order, which leaves the server unsure of the text. The
   * server then treats the document as desynced, and the test is repeated.
   */
  readonly reordersChanges?: true;
}

/**
 * A running editor. Paths are absolute. Each function resolves once the editor has performed the action; the caller
 * then waits on the wire until the server knows about it.
 */
export interface Driver {
  /** Opens a file, as the user would; the file does not have to exist. */
  open(path: string): Promise<void>;
  /** Replaces the whole text of an open document, as typing or pasting does, without saving it. */
  retype(path: string, text: string): Promise<void>;
  /**
   * Sends a call with the editor's own command, as the user would, possibly without waiting for the answer. Needs
   * `traits.command`.
   */
  command(call: unknown): Promise<void>;
  /**
   * Sends `multiEdit/apply` and applies the answer with the sample's function; returns the sample's message to the
   * user. Needs `traits.request`.
   */
  request?(call: unknown): Promise<{ readonly applied: boolean; readonly message: string }>;
  /** The text of an open document; `undefined` if it is not open in the editor. */
  held(path: string): Promise<Held | undefined>;
  /** Paths of all open files. If this function is absent, the test uses the paths that the editor has announced. */
  opened?(): Promise<readonly string[]>;
  /** Undoes one step in this document, with the editor's own key or command. */
  undo(path: string): Promise<void>;
  /** Saves the document. */
  save(path: string): Promise<void>;
  /** Makes the document read-only by the editor's own means; absent if the editor has none. */
  lock?(path: string): Promise<void>;
  /** Puts the cursor right before the first occurrence of a text and starts typing there. */
  startTyping(path: string, before: string): Promise<void>;
  /** Types another key. May be called while the editor is busy; returns immediately. */
  key(key: string): void;
  /** Stops typing once the editor has processed all keys. */
  stopTyping(): Promise<void>;
  /** Waits until a question is shown and answers it by choosing the action with the given title. */
  answer(question: string, action: string, actions: readonly string[]): Promise<void>;
  /** Answers the question that the sample shows itself; absent if the sample leaves questions to the editor. */
  confirm?(answer: "apply" | "reject"): Promise<void>;
  /**
   * Waits until the editor has processed the answer to its command; absent if the processing does not interfere with
   * anything.
   */
  settle?(): Promise<void>;
  /** Runs code in the editor's own language, or types keys, for scenes specific to this editor. */
  run?(text: string): Promise<unknown>;
  /** Closes every document without saving it. */
  closeAll(): Promise<void>;
  /** Stops the editor, whatever state it is in. */
  stop(): Promise<void>;
  /** The last text shown by the editor, for the messages of failed tests. */
  said(): string;
}

/** One version of an editor: a column of the table. */
export interface EditorKind {
  /** Name in the table, without the version. */
  readonly name: string;
  /** Folder below `EDITORS_ROOT`; `vscode` for the one in `VSCODE_ROOT`. */
  readonly root: "current" | "older" | "vscode";
  readonly traits: Traits;
  /** A command that prints the version when run in the root. */
  readonly versionCommand: readonly [string, ...string[]];
  /** Matches the version in that command's output. */
  readonly version: RegExp;
  /** Starts the editor with the server attached to every file that it opens. */
  start(place: Place): Promise<Driver>;
}
