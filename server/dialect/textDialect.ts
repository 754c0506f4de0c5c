/** The types of a text dialect, of which `textDialects.ts` has the table. */
import type { Failure } from "../plan/failure.js";
import type { Operation } from "../plan/operation.js";
import type { Leniency } from "./patchMarkers.js";

/** A text that was read, or the reasons why it could not be read. */
export type ParsedText =
  | {
      readonly ok: true;
      /** At least one; either edits or sections of a patch. At most `limits.editsPerCall` edits in all. */
      readonly operations: readonly Operation[];
      /** A sentence for each assumption made. */
      readonly warnings: readonly string[];
    }
  | {
      readonly ok: false;
      /** From 1 to `limits.failuresPerCall` failures, in the order of the text. */
      readonly failures: readonly Failure[];
      /** The number of failures omitted from `failures`. */
      readonly unlisted: number;
    };

/** One row of the table: a form of texts that ask for edits. */
export interface TextDialect {
  /** For people, in messages and menus. */
  readonly name: string;
  /**
   * Returns the first line (0-based) that only a text in this dialect has, wherever it is in a longer text; -1 if there is
   * none. Takes linear time. The text may still turn out to be malformed.
   */
  readonly recognise: (text: string) => number;
  /** Reads a text. Takes linear time and never throws. */
  readonly read: (text: string, how: Leniency) => ParsedText;
}
