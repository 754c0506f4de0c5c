/** What every real editor must be able to do for the tests; each editor is one implementation of this page. */
import type { Link } from "./link.js";

/** A document as the editor has it now. */
export interface Held {
  /** As the editor would write it: with the line ends of its file, without a byte order mark. */
  readonly text: string;
  /** Whether it differs, as the editor says, from what was read or written last; `undefined`: it does not tell. */
  readonly modified: boolean | undefined;
  /** Whether it is written with a byte order mark; `undefined`: it does not tell. */
  readonly bom: boolean | undefined;
}

/** Where an editor is started. */
export interface Place {
  /** The workspace folder, empty; what lies in it has the same path inside and outside of the editor's root. */
  readonly folder: string;
  /** A folder for what belongs to the editor alone, such as its settings; it is the editor's home and temporary folder. */
  readonly home: string;
  /** For the editor's process. In the root, `PATH` leads to `multi-edit-language-server` and `multi-edit`. */
  readonly env: Readonly<Record<string, string>>;
  /** The repository, with `client-samples/` and `test/editors/` in it. */
  readonly repository: string;
  /** Command line that runs a program in the root: to be followed by the program and its arguments. */
  readonly inside: readonly [string, ...string[]];
  /** Where a driver inside the editor connects to; see `link.ts`. */
  readonly link: Link;
}

/** What of an editor decides what is to be expected of it. */
export interface Traits {
  /** Position encodings that it offers. */
  readonly encodings: readonly ("utf-8" | "utf-16" | "utf-32")[];
  /** Whether the user can send a call with a command of the editor; otherwise it goes through the agent's door alone. */
  readonly command: boolean;
  /** Whether it can send `multiEdit/apply` and apply the answer. */
  readonly request: boolean;
  /** Whether a text without a final newline gets one as soon as it is edited. */
  readonly restoresFinalNewline: boolean;
  /** It takes CRLF for LF in what is inserted into a text that has both; absent: it does not. */
  readonly insertsLfIntoMixed?: true;
  /**
   * Now and then it tells of two changes in the wrong order, so that nobody can know its text; absent: never. The server then
   * takes the document for desynced, and the test is made again.
   */
  readonly reordersChanges?: true;
}

/**
 * An editor that runs. Paths are absolute. Each function resolves when the editor has done it; what the server then knows
 * is waited for by the caller, on the wire.
 */
export interface Driver {
  /** Shows a file, as the user opens it; it need not exist. */
  open(path: string): Promise<void>;
  /** Replaces the whole text of an open document, as typing or pasting does, and does not save it. */
  retype(path: string, text: string): Promise<void>;
  /** Sends a call by the editor's own command, as the user does, and need not wait for the answer. Where `traits.command`. */
  command(call: unknown): Promise<void>;
  /** Sends `multiEdit/apply` and applies the answer by the sample's own function; what its user is told. Where `traits.request`. */
  request?(call: unknown): Promise<{ readonly applied: boolean; readonly message: string }>;
  /** The text of an open document; `undefined`: the editor does not have it open. */
  held(path: string): Promise<Held | undefined>;
  /** Paths of all files that it has open, whoever opened them; where absent, those that it told the server of. */
  opened?(): Promise<readonly string[]>;
  /** Undoes once in this document, by the editor's own key or command for it. */
  undo(path: string): Promise<void>;
  /** Saves the document. */
  save(path: string): Promise<void>;
  /** Makes the document refuse to be changed, by the editor's own means; `undefined`: the editor has none. */
  lock?(path: string): Promise<void>;
  /** Puts the cursor right before the first place of a text and starts to type there. */
  startTyping(path: string, before: string): Promise<void>;
  /** One key more. May be called while the editor is busy; resolves at once. */
  key(key: string): void;
  /** Ends typing, after all the keys so far. */
  stopTyping(): Promise<void>;
  /** Answers a question that the editor shows its user, by the title of one of its actions; waits until it is shown. */
  answer(question: string, action: string, actions: readonly string[]): Promise<void>;
  /** Waits until the editor has taken the answer to its command; absent: nothing that it then does disturbs anybody. */
  settle?(): Promise<void>;
  /** What scenes of this editor alone need: runs a piece of its own language, or types keys. */
  run?(text: string): Promise<unknown>;
  /** Closes every document without saving it. */
  closeAll(): Promise<void>;
  /** Ends the editor, whatever state it is in. */
  stop(): Promise<void>;
  /** What it last showed or said, for the message of a failed test. */
  said(): string;
}

/** One editor of one version: a column of the table. */
export interface EditorKind {
  /** As the table names it, without the version. */
  readonly name: string;
  /** Folder below `EDITORS_ROOT`. */
  readonly root: "current" | "older";
  readonly traits: Traits;
  /** Prints its version when run in the root. */
  readonly versionCommand: readonly [string, ...string[]];
  /** The version in what that prints. */
  readonly version: RegExp;
  /** Starts the editor with the server attached to each file that it opens. */
  start(place: Place): Promise<Driver>;
}
