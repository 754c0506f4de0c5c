/** The text that an edit seeks, and a place at which it was found. */

/** An old text, and the new text that replaces it, as the caller wrote them. */
export interface Sought {
  readonly oldText: string;
  readonly newText: string;
}

/** A span in which an old text was found: `[from, to)`, in UTF-16 units of the text that was searched. */
export interface Place {
  readonly from: number;
  readonly to: number;
  /** The way to adapt the caller's texts to the document at this place; `undefined` if they fit as they are. */
  readonly reshape?: Reshape;
}

/**
 * One way to adapt a caller's texts: make the same change to the indentation of all lines that are not just whitespace,
 * remove the line numbers of a file view, or remove a byte order mark that was copied with the text.
 */
export type Reshape =
  | { readonly kind: "add" | "remove"; readonly indent: string }
  | { readonly kind: "toSpaces"; readonly width: number }
  /** `rests`: the numbers of spaces that may follow the tabs of an indentation; `undefined` allows any number. */
  | { readonly kind: "toTabs"; readonly width: number; readonly rests?: readonly number[] }
  /** `number`: the first line's number. `column`: the offset at which numbers end; `undefined` if all start at 0. */
  | {
      readonly kind: "unview";
      readonly separator: string;
      readonly number: number;
      readonly column: number | undefined;
    }
  | { readonly kind: "unmark" };

/** The result of one rung: places, in order and possibly overlapping, or `tooMany`. */
export type Found = readonly Place[] | "tooMany";
