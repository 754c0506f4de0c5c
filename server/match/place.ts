/** The text that an edit seeks, and the place in which it was found. */

/** An old text and the new text that replaces it, as the caller wrote them. */
export interface Sought {
  readonly oldText: string;
  readonly newText: string;
}

/** A span in which an old text was found: offsets in UTF-16 units, in the text that was searched. */
export interface Place {
  readonly from: number;
  readonly to: number;
  /** The conversion of the caller's texts into texts of the document at this place; `undefined` if they need none. */
  readonly reshape?: Reshape;
}

/**
 * The same change of indentation for all lines that are more than whitespace, the removal of a file view's line
 * numbers, or the removal of a byte order mark that was copied with the text.
 */
export type Reshape =
  | { readonly kind: "add" | "remove"; readonly indent: string }
  | { readonly kind: "toSpaces"; readonly width: number }
  /** `rests`: the numbers of spaces that a line may have after its last whole tab; `undefined` allows any. */
  | { readonly kind: "toTabs"; readonly width: number; readonly rests?: readonly number[] }
  /** `number`: the first line's number. `column`: the offset at which numbers end; `undefined` if all start at 0. */
  | {
      readonly kind: "unview";
      readonly separator: string;
      readonly number: number;
      readonly column: number | undefined;
    }
  | { readonly kind: "unmark" };

/** The result of one rung: places in order, overlapping ones included, or `tooMany`. */
export type Found = readonly Place[] | "tooMany";
