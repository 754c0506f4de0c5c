/** The text that an edit looks for, and a place where it was found. */

/** An old text, and the new text that replaces it, as the caller wrote them. */
export interface Sought {
  readonly oldText: string;
  readonly newText: string;
}

/** A span where an old text was found: `[from, to)`, as UTF-16 offsets in the searched text. */
export interface Place {
  readonly from: number;
  readonly to: number;
  /** The adaptation that the caller's texts need at this place; `undefined` if they need none. */
  readonly reshape?: Reshape;
}

/**
 * One way to adapt a caller's texts: change the indentation of all lines that have text in the same way, remove the
 * line numbers of a file view, or remove a byte order mark that was copied with the text.
 */
export type Reshape =
  | { readonly kind: "add" | "remove"; readonly indent: string }
  | { readonly kind: "toSpaces"; readonly width: number }
  /**
   * `rests`: the permitted numbers of spaces after the tabs of a line's indentation; `undefined` permits any number.
   */
  | { readonly kind: "toTabs"; readonly width: number; readonly rests?: readonly number[] }
  /**
   * `number`: the first line's number. `column`: the offset in a line at which the numbers end; `undefined` if all of
   * them start at 0.
   */
  | {
      readonly kind: "unview";
      readonly separator: string;
      readonly number: number;
      readonly column: number | undefined;
    }
  | { readonly kind: "unmark" };

/** The result of one rung: places, in order and possibly overlapping, or `tooMany`. */
export type Found = readonly Place[] | "tooMany";
