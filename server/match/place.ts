/** What is sought in a text, and where it was found. */

/** An old text and what it is to become, as the caller wrote them. */
export interface Sought {
  readonly oldText: string;
  readonly newText: string;
}

/** Where an old text stands: offsets in UTF-16 units, in the text that was searched. */
export interface Place extends Sought {
  readonly from: number;
  readonly to: number;
  // `oldText` and `newText` are in the document's own indentation and without view prefixes here.
}

/** What a rung found: places in order, overlapping ones included, or that there is too much to compare. */
export type Found = readonly Place[] | "tooMany";
