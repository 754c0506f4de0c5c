/** What a caller asks for, decoded from whatever shape it came in: values only, nothing is found or resolved yet. */

/** One old text to be replaced by one new text. An empty old text as the first edit of a path creates the file. */
export interface EditOperation {
  readonly kind: "edit";
  /** 0-based, in the order in which the caller sent its edits. */
  readonly index: number;
  /** The path or URI as the caller spelt it. */
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  /** Replace every non-overlapping place instead of demanding exactly one. */
  readonly replaceAll: boolean;
  /** 1-based place to take among several; `undefined`: there must be one. */
  readonly occurrence?: number;
  /** 1-based line of the text before the batch: the place that starts nearest to it is taken. */
  readonly line?: number;
  /** With `replaceAll`: any other number of places is a failure. */
  readonly expectedCount?: number;
}

/** A step of a batch. Patches will add whole-file operations to this union. */
export type Operation = EditOperation;

/** What one failure does to the rest: `all` nothing changes; `file` its file stays untouched; `none` it alone is left out. */
export type Atomic = "all" | "file" | "none";

/** `sequential`: each edit is found in the result of those before it; `original`: all are found in the same text. */
export type Order = "sequential" | "original";

/** How a batch is planned. */
export interface BatchOptions {
  readonly atomic: Atomic;
  readonly order: Order;
  /** `false`: only the rungs `exact` and `lineEnding` are tried. */
  readonly lenient: boolean;
}
