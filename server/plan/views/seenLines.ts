/** Chooses the text in which the lines of edits without an old text are counted: the one that the caller has read last. */
import { LineIndex } from "../../text/lines.js";
import { editFailures } from "../edits/sentences.js";
import type { At, Failure } from "../failure.js";
import { allLines, type BatchOptions, type EditOperation, linesNamed } from "../operation.js";
import { type EditOutcome, type FilePlan, failedOutcome } from "../outcome.js";
import { type Document, isEmpty } from "../snapshot.js";
import { viewFailures } from "./sentences.js";
import { isShown, type Lines, type View } from "./view.js";

/** Returns the newest text of which the caller has read all of these lines; `undefined` if there is none. */
export function textRead({ text, views = [], loneCrEndsLine }: Document, named: readonly Lines[]): View | undefined {
  return views.find(({ base, back, shown }) => {
    if (shown === undefined) return base === "read";
    const { filledCount } = LineIndex.of(back.apply(text), { loneCrEndsLine });
    return named.every(({ from, to }) => {
      // An insertion is beside the line above it or, at the start of the text, the first one.
      const last = Math.min(Math.max(1, to), filledCount);
      return isShown(shown, { from: Math.min(from, last - 1), to: last });
    });
  });
}

/**
 * Returns the plan of a file that must stay as it is, because nobody knows which text the caller of an edit without an old
 * text has seen; otherwise `undefined`. A whole text may replace the present one if nothing is known to have changed since.
 */
export function refusedUnread(
  document: Document,
  edits: readonly EditOperation[],
  { overwrite }: Pick<BatchOptions, "overwrite">,
): FilePlan | undefined {
  const named = linesNamed(edits);
  const { path, text, version, onDisk, views = [], loneCrEndsLine } = document;
  if (!document.exists || isEmpty(document)) return undefined;
  const read = textRead(document, named);
  const isUnchanged = (version === null || onDisk === "same") && views.every(({ back }) => back.isEmpty);
  const { filledCount } = LineIndex.of(read?.back.apply(text) ?? text, { loneCrEndsLine });
  const failureOf = ({ index, seenLines }: EditOperation): Failure | undefined => {
    const at: At = { index, path };
    if (seenLines === undefined) return undefined;
    if (seenLines.to === allLines.to)
      return read !== undefined || overwrite || isUnchanged ? undefined : viewFailures.notRead(at);
    if (read === undefined) return viewFailures.lineNotRead(at, seenLines.to);
    return seenLines.to > filledCount ? editFailures.noSuchLine(at, seenLines.to, filledCount) : undefined;
  };
  const outcomes = edits.map((edit): EditOutcome => {
    const failure = failureOf(edit);
    const own = { index: edit.index, path };
    return failure === undefined ? { ...own, status: "notAttempted", places: [] } : failedOutcome(own, failure);
  });
  const isRefused = outcomes.some(({ status }) => status === "failed");
  return isRefused ? { operations: edits, outcomes, file: undefined, warnings: [] } : undefined;
}
