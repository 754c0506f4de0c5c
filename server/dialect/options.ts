/** The options that an integration, never the model, adds to a call. Their type is published. */
import type { Atomic, Order } from "../plan/operation.js";

/** The treatment of a call. Every option may be absent; the server's settings and the shape of the call then decide. */
export interface CallOptions {
  /** The directory that relative paths start from: an absolute path or a `file:` URI. */
  readonly root?: string | undefined;
  /** The effect of one failure on the rest of the call. */
  readonly atomic?: Atomic | undefined;
  /** `sequential`: each edit is found in the result of those before it; `original`: in the text before the call. */
  readonly order?: Order | undefined;
  /** If `false`, an old text must occur in the file exactly, apart from its line ends. */
  readonly lenient?: boolean | undefined;
  /** If `true`, the server asks the user before anything changes. */
  readonly confirm?: boolean | undefined;
  /** The name of the change in the editor, for instance in its undo list. */
  readonly label?: string | undefined;
  /** `summary` asks for an answer without `edit` and with a bounded diff. */
  readonly result?: "full" | "summary" | undefined;
  /** The documents to save afterwards; `ifWasClean` means those that had no unsaved changes. */
  readonly save?: "never" | "ifWasClean" | "always" | undefined;
  /** The program that changes files that no editor has open: `disk` means the server itself, `editor` the editor. */
  readonly unopened?: "disk" | "editor" | undefined;
  /** If `true`, a patch may delete, move or replace a text with unsaved changes, and move a file onto another one. */
  readonly overwrite?: boolean | undefined;
  /** The version of each document, by URI, that the caller has seen. If a document has another, the call fails. */
  readonly versions?: Readonly<Record<string, number>> | undefined;
}
