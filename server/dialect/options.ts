/** The options that an integration, never the model, adds to a call. Their type is published. */
import type { Atomic, Order } from "../plan/operation.js";

/** How to treat a call. If an option is absent, the user's setting, the call's shape or a fixed default decides. */
export interface CallOptions {
  /** The directory against which relative paths are resolved: an absolute path or a `file:` URI. */
  readonly root?: string | undefined;
  /** The effect of a failure on the rest of the call. */
  readonly atomic?: Atomic | undefined;
  /** `sequential`: each edit is matched against the result of earlier ones; `original`: against the original text. */
  readonly order?: Order | undefined;
  /** If `false`, an old text must match the file exactly, apart from line ends, and a patch must be valid for Codex. */
  readonly lenient?: boolean | undefined;
  /** If `true`, the server asks the user before it changes anything. */
  readonly confirm?: boolean | undefined;
  /** The name of the change in the editor, for example in its undo list. */
  readonly label?: string | undefined;
  /** `summary`: the answer has no `edit`, and its diff is limited in length. */
  readonly result?: "full" | "summary" | undefined;
  /** The documents to save after the call; `ifWasClean` means those that had no unsaved changes before the call. */
  readonly save?: "never" | "ifWasClean" | "always" | undefined;
  /** Which program changes files that are not open in the editor: the server (`disk`) or the editor (`editor`). */
  readonly unopened?: "disk" | "editor" | undefined;
  /** If `true`, a patch may delete, move or replace a document with unsaved changes, or move a file onto another. */
  readonly overwrite?: boolean | undefined;
  /** The versions of documents that the caller has seen, by URI. If a document has another version, the call fails. */
  readonly versions?: Readonly<Record<string, number>> | undefined;
}
