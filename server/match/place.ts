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
  /** `true` if the old text is the document's own text there, and the new text is what it becomes, byte for byte. */
  readonly isOwn?: true;
}

/** Indentation that is added to, or removed from, every line that has text. */
export interface Move {
  readonly kind: "add" | "remove";
  readonly indent: string;
}

/**
 * One way to adapt a caller's texts: change the indentation of all lines that have text in the same way, remove the
 * line numbers of a file view, leave out empty lines at the ends, remove a byte order mark that was copied with the
 * text, or nothing at all, because only lines that the edit keeps are indented differently (`uneven`).
 */
export type Reshape =
  | Shift
  /** `number`: that of the first line. `column`: where in a line the numbers end; `undefined` if all start at 0. */
  | {
      readonly kind: "unview";
      readonly separator: string;
      readonly number: number;
      readonly column: number | undefined;
    }
  /**
   * `front`: the number of empty lines to leave out at the start. `back`: the number of line endings to leave out at
   * the end, with the whitespace after each. `atEnd`: `true` if the place ends with a last line that has no line ending.
   * `shift`: `undefined` if the lines between already have the document's indentation.
   */
  | {
      readonly kind: "trimEnds";
      readonly front: number;
      readonly back: number;
      readonly atEnd: boolean;
      readonly shift: Shift | undefined;
    }
  | { readonly kind: "uneven" }
  | { readonly kind: "unmark" };

/** A change of indentation that is the same for all lines, from the old text's to the document's. */
export type Shift =
  | Move
  /** Levels of another width: `from` spaces in the old text stand for `to` spaces in the document. */
  | { readonly kind: "scale"; readonly from: number; readonly to: number }
  /** `then`: the change that follows the exchange of tabs and spaces; `undefined` if none does. */
  | { readonly kind: "toSpaces"; readonly width: number; readonly then?: Move }
  /** `rests`: the permitted numbers of spaces after the tabs of an indentation; `undefined` permits any. */
  | {
      readonly kind: "toTabs";
      readonly width: number;
      readonly rests?: readonly number[];
      readonly then?: Move;
    };

/** The result of one rung: places, in order and possibly overlapping, or `tooMany`. */
export type Found = readonly Place[] | "tooMany";
