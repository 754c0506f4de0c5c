/** The differences between a text that was not found and the regions of a document that resemble it. */
import { trimEnd, trimStart } from "../../text/chars.js";
import { Folded } from "../fold.js";

/** The kind of the first difference between a region and the sought text. */
export type DifferenceKind =
  | "lineEndBlanks"
  | "indentation"
  /** Nothing but the indentation differs, and not by the same amount on every line. */
  | "unevenIndentation"
  /** Letter case, whitespace or the form of characters differs, and so do the line breaks. */
  | "lineBreaks"
  | "typography"
  | "innerBlanks"
  /** An empty line that only the old text has, or only the file. */
  | "extraBlankLine"
  | "missingBlankLine"
  /** A line of the old text that the document lacks. */
  | "extraLine"
  /** A line of the document that the old text omits. */
  | "skippedLine"
  /** The sought text must match a whole line, but matches only part of one. */
  | "partOfLine"
  /** The two lines use different kinds of quotes: single quotes, double quotes or backticks. */
  | "quotes"
  /**
   * The sought text omits code. `leftOut`: the parts before and after the omission were both found. `beforeLeftOut`:
   * only the part before the omission was found. `behindLeftOut`: only the part after it was found.
   */
  | "leftOut"
  | "beforeLeftOut"
  | "behindLeftOut"
  /** Only some lines of the sought text are in the region. */
  | "parts"
  | "case"
  | "text"
  | "missingLine";

/** The first line where a region differs from the sought text. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** 0-based line of the document. */
  readonly line: number;
  /** The UTF-16 offsets, in the document's line and in the old text's line, at which the two lines diverge. */
  readonly column: number;
  readonly soughtColumn: number;
  /** The old text's line and the document's line, without line endings. */
  readonly sought: string;
  readonly found: string;
  /** For `unevenIndentation`: the document's lines, 0-based, whose indentation differs. */
  readonly uneven?: readonly number[];
}

/** Returns a difference that concerns a whole line (0-based). Its columns are 0, and its texts are empty. */
export function lineDifference(kind: DifferenceKind, line: number): Difference {
  return { kind, line, column: 0, soughtColumn: 0, sought: "", found: "" };
}

/** A region that resembles the old text. */
export interface Region {
  /** The first and the last line of the region, 0-based, as the document's editor counts lines. */
  readonly startLine: number;
  readonly endLine: number;
  /** `undefined` if the lines are equal: the texts differ only in line endings or in their place in a line. */
  readonly difference: Difference | undefined;
}

/** Returns the narrowest kind of difference that, if ignored, makes two lines equal; `text` if no kind does. */
export function kindOf(wanted: string, found: string): DifferenceKind {
  if ((wanted.trim() === "") !== (found.trim() === ""))
    return wanted.trim() === "" ? "extraBlankLine" : "missingBlankLine";
  const trimmed = (line: string): string => line.slice(trimStart(line), trimEnd(line));
  const plain = (line: string): string => Folded.of(line, "typography").text;
  if (wanted.slice(0, trimEnd(wanted)) === found.slice(0, trimEnd(found))) return "lineEndBlanks";
  if (trimmed(wanted) === trimmed(found)) return "indentation";
  if (trimmed(plain(wanted)) === trimmed(plain(found))) return "typography";
  if (wanted.replace(/\s/g, "") === found.replace(/\s/g, "")) return "innerBlanks";
  if (trimmed(wanted).replace(/["`]/g, "'") === trimmed(found).replace(/["`]/g, "'")) return "quotes";
  return trimmed(wanted).toLowerCase() === trimmed(found).toLowerCase() ? "case" : "text";
}
