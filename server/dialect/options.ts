/** The options that an integration, never the model, adds to a call: their type, which is published. */
import type { Atomic, Order } from "../plan/operation.js";

/** How to treat a call. Any option may be absent; the server's settings and the shape of the call then decide. */
export interface CallOptions {
  /** The directory from which relative paths start, as an absolute path or a `file:` URI. */
  readonly root?: string | undefined;
  /** The part of the call that is abandoned when one edit fails. */
  readonly atomic?: Atomic | undefined;
  /** The text against which each edit is matched. */
  readonly order?: Order | undefined;
  /** `false`: an old text must match the file exactly, except for its line ends. */
  readonly lenient?: boolean | undefined;
  /** Ask the user before anything changes. */
  readonly confirm?: boolean | undefined;
  /** The name that the editor shows for the change, for example in its undo list. */
  readonly label?: string | undefined;
  /** `summary`: an answer without `edit` and with a bounded diff. */
  readonly result?: "full" | "summary" | undefined;
  /** Which documents are saved afterwards; `ifWasClean`: those that had no unsaved changes. */
  readonly save?: "never" | "ifWasClean" | "always" | undefined;
  /** Where files that no editor has open are changed. */
  readonly unopened?: "disk" | "editor" | undefined;
  /** `true`: a file operation may replace or delete files that it otherwise refuses to replace or delete. */
  readonly overwrite?: boolean | undefined;
  /** From URI to the version of the document that the caller has seen; if another version is open, the call fails. */
  readonly versions?: Readonly<Record<string, number>> | undefined;
}
