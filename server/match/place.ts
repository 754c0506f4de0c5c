/** What is sought in a text, and where it was found. */

/** An old text and what it is to become, as the caller wrote them. */
export interface Sought {
  readonly oldText: string;
  readonly newText: string;
}

/** Where an old text stands: offsets in UTF-16 units, in the text that was searched. */
export interface Place {
  readonly from: number;
  readonly to: number;
  /** How the caller's texts become texts of the document at this place. `undefined`: as they are. */
  readonly reshape?: Reshape;
}

/**
 * One uniform change of the indentation of lines that are not blank, or the removal of a file view's line numbers, or of a
 * byte order mark that was copied with the text.
 */
export type Reshape =
  | { readonly kind: "add" | "remove"; readonly indent: string }
  | { readonly kind: "toSpaces"; readonly width: number }
  /** `rests`: spaces behind the last whole tab that a line may have; `undefined`: any. */
  | { readonly kind: "toTabs"; readonly width: number; readonly rests?: readonly number[] }
  /** `number`: of the first line; `column`: where the numbers end in a line, `undefined` where they start it. */
  | {
      readonly kind: "unview";
      readonly separator: string;
      readonly number: number;
      readonly column: number | undefined;
    }
  | { readonly kind: "unmark" };

/** What a rung found: places in order, overlapping ones included, or that there are too many to tell. */
export type Found = readonly Place[] | "tooMany";
