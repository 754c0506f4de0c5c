/** What a plan says: of each edit, of each file, of the whole batch. */
import type { RungName } from "../match/rungs.js";
import type { ChangeSet } from "../text/changeSet.js";
import { limits } from "../text/limits.js";
import type { PlaceLines } from "./draft.js";
import type { Failure } from "./failure.js";
import type { Operation } from "./operation.js";
import { batchFailures } from "./sentences.js";
import type { Document, DocumentUri } from "./snapshot.js";

/** What became of one edit. `applied`: the plan's change contains it. */
export interface EditOutcome {
  /** 0-based, as sent. */
  readonly index: number;
  readonly path: string;
  readonly status: "applied" | "skipped" | "failed" | "notAttempted";
  /** `undefined`: nothing was found. */
  readonly rung?: RungName;
  readonly places: readonly PlaceLines[];
  readonly failure?: Failure;
}

/** One document's part of a batch. */
export interface FileChange {
  readonly document: Document;
  /** From the document's text; empty where a chain led back to the start, or an empty file is created. */
  readonly change: ChangeSet;
  /** The text after the batch, without a byte order mark. */
  readonly text: string;
  /** What becomes of the file as a whole. A `rename` may also have a change; a `delete` has none. */
  readonly kind: "create" | "update" | "delete" | "rename";
  /** Where a `rename` leads; the document keeps its own `uri` and `path` up to then. */
  readonly target?: { readonly uri: DocumentUri; readonly path: string };
  /** Whether a text that was there is replaced as a whole, or the file at `target` makes room. */
  readonly overwritten: boolean;
  /** Edits of the batch that the change contains; each hunk, Add, Delete and Move counts as one. */
  readonly edits: number;
  /** What of the batch made it: planned alone, they give this change again. */
  readonly operations: readonly Operation[];
}

/** A batch that goes through, or everything that stands in its way. Outcomes are in the order of their indices. */
export type Planned =
  | {
      readonly ok: true;
      readonly files: readonly FileChange[];
      readonly outcomes: readonly EditOutcome[];
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly failures: readonly Failure[]; readonly outcomes: readonly EditOutcome[] };

/** A file's own result, before the batch's atomicity decides. */
export interface FilePlan {
  /** What of the batch is about the file. */
  readonly operations: readonly Operation[];
  readonly outcomes: readonly EditOutcome[];
  /** `undefined`: the batch created the file and deleted it again. */
  readonly file: FileChange | undefined;
  readonly warnings: readonly string[];
}

/** The results of all files, and the outcomes of what belongs to none. */
export interface FilePlans {
  readonly plans: readonly FilePlan[];
  readonly lost: readonly EditOutcome[];
}

/** An outcome in a file whose text (a number of UTF-16 units) would be beyond the limit. */
export function tooLarge(outcome: EditOutcome, length: number): EditOutcome {
  const at = { index: outcome.index, path: outcome.path };
  const failure = batchFailures.tooLarge(at, "the text after the edits", length, limits.documentLength, "characters");
  return { ...outcome, status: "failed", failure };
}

/** Outcomes of a plan of which nothing was applied. */
export function notAttempted(outcomes: readonly EditOutcome[]): EditOutcome[] {
  return outcomes.map((outcome) => (outcome.status === "applied" ? { ...outcome, status: "notAttempted" } : outcome));
}
