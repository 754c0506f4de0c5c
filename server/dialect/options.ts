/** The options that an integration, never the model, adds to a call: their type, which is published. */
import type { Atomic, Order } from "../plan/operation.js";

/** How to treat a call. Every option may be absent; the server's settings and the shape of the call then decide. */
export interface CallOptions {
  /** Directory, as an absolute path or a `file:` URI, that relative paths start from. */
  readonly root?: string | undefined;
  /** What one failure does to the rest of the call. */
  readonly atomic?: Atomic | undefined;
  /** Which text each edit is found in. */
  readonly order?: Order | undefined;
  /** `false`: an old text must stand in the file exactly, but for its line ends. */
  readonly lenient?: boolean | undefined;
  /** Ask the user before anything changes. */
  readonly confirm?: boolean | undefined;
  /** What the editor shows for the change, for instance in its undo list. */
  readonly label?: string | undefined;
  /** `summary`: an answer without `edit` and with a bounded diff. */
  readonly result?: "full" | "summary" | undefined;
  /** Whether the documents are saved afterwards; `ifWasClean`: those that had no unsaved changes. */
  readonly save?: "never" | "ifWasClean" | "always" | undefined;
  /** Where files that no editor has open are changed. */
  readonly unopened?: "disk" | "editor" | undefined;
  /** Let a file operation replace or delete what it otherwise refuses to. */
  readonly overwrite?: boolean | undefined;
  /** URI to the version of the document that the caller has seen; another version fails the call. */
  readonly versions?: Readonly<Record<string, number>> | undefined;
}
