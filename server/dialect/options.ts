/** The options that an integration, never the model, adds to a call. Their type is part of the package's public API. */
import type { Atomic, Order } from "../plan/operation.js";

/** Settings for one call. If an option is absent, the user's setting, the call's shape or a fixed default applies. */
export interface CallOptions {
  /** The base directory for relative paths: an absolute path or a `file:` URI. */
  readonly root?: string | undefined;
  /** The part of the call that is abandoned if one edit fails. */
  readonly atomic?: Atomic | undefined;
  /** `sequential`: each edit is matched against the result of earlier ones; `original`: against the original text. */
  readonly order?: Order | undefined;
  /** If `false`, an old text must be exact, apart from line endings, and a patch valid for Codex. */
  readonly lenient?: boolean | undefined;
  /** If `true`, the server asks the user before it changes anything. */
  readonly confirm?: boolean | undefined;
  /** The name of the change in the editor, for example in its undo list. */
  readonly label?: string | undefined;
  /** `summary`: the answer omits `edit` and limits the length of its diff. */
  readonly result?: "full" | "summary" | undefined;
  /** The reader of messages: a `person` counts edits from 1 and is called "you"; a `model`, the default, is neither. */
  readonly reader?: "model" | "person" | undefined;
  /** The documents to save after the call; `ifWasClean` means those that had no unsaved changes before the call. */
  readonly save?: "never" | "ifWasClean" | "always" | undefined;
  /** The program that changes files not open in the editor: the server (`disk`) or the editor (`editor`). */
  readonly unopened?: "disk" | "editor" | undefined;
  /**
   * If `true`, a patch may delete or move a document that has unsaved changes, replace one that the caller has not seen,
   * or move a file onto another.
   * `ask`: the same, but the server asks the user first if a document has unsaved changes.
   */
  readonly overwrite?: boolean | "ask" | undefined;
  /** If `true`, a new text may have a line such as `// ... existing code ...` where it removes lines. */
  readonly allowOmissions?: boolean | undefined;
  /** The document versions that the caller has seen, by URI. If a document's version differs, the call fails. */
  readonly versions?: Readonly<Record<string, number>> | undefined;
}
