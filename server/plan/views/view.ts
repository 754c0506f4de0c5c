/** Earlier texts of a document that the caller can have seen. */
import { ChangeSet } from "../../text/changeSet.js";

/** A run of lines, as 1-based numbers, both inclusive. */
export interface ShownLines {
  readonly startLine: number;
  readonly endLine: number;
}

/** A run of lines, 0-based; `to` is exclusive. */
export interface Lines {
  readonly from: number;
  readonly to: number;
}

/** Reports whether a caller was shown all of these lines, perhaps in several spans. */
export function isShown(shown: readonly ShownLines[], { from, to }: Lines): boolean {
  let next = from;
  for (const { startLine, endLine } of shown.toSorted((a, b) => a.startLine - b.startLine))
    if (startLine - 1 <= next) next = Math.max(next, endLine);
  return next >= to;
}

/** An earlier text of a document. */
export interface View {
  /** Tells a document's earlier texts apart; `undefined` for one that is not kept. */
  readonly key?: number;
  /** The way in which the caller can have seen it: as the file on disk, or as the answer to a request to read it. */
  readonly base: "saved" | "read";
  /** Turns the document's text into the earlier one. */
  readonly back: ChangeSet;
  /** `true` if texts were compared to find `back`, because the editor did not send all changes one by one. */
  readonly isCompared: boolean;
  /** The lines of the earlier text that the caller saw; `undefined` for all of them. */
  readonly shown: readonly ShownLines[] | undefined;
  /** `true` if the file on disk has not changed since, so that this text alone decides about the lines it showed. */
  readonly isLatest: boolean;
  /** Set if it is not certain that the text was ever on disk: the document was opened with it. */
  readonly isGuess?: true;
}

/** The last call of a caller, if something of what it wrote is there, and the caller has not read the text since. */
export interface MadeCall {
  /** The call's operations, as JSON. */
  readonly operations: string;
  /** `true` if somebody has typed in what the call wrote, or removed a part of it. */
  readonly isTouched: boolean;
  /** The UTF-16 offsets in the present text of what is left of what the call wrote. */
  readonly spans: readonly { readonly from: number; readonly to: number }[];
}

/** Returns the view of a caller that says that it has seen the present text. */
export function presentView(text: string): View {
  return { base: "read", back: ChangeSet.none(text.length), isCompared: false, shown: undefined, isLatest: true };
}
