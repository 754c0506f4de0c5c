/** Finds an ellipsis or a comment in place of code in new texts: such an edit deletes the code. */
import { isElision } from "../../match/hints/leftOutCode.js";
import { lossyOmission } from "../../match/hints/lossyOmission.js";
import type { Sought } from "../../match/place.js";
import { wholeLines } from "../../match/wholeLines.js";
import type { Draft } from "../draft.js";
import type { EditOperation, Hunk } from "../operation.js";
import type { EditOutcome } from "../outcome.js";
import { newLines, oldLines } from "../patch/hunks.js";
import { emptyLineWarnings } from "./emptyLineWarnings.js";
import { explainWarnings } from "./sentences.js";

/** Returns warnings: of new lines that leave code out and, with a draft, of lines deleted without their ends. */
export function elidedWarnings(
  sent: readonly (EditOperation | Hunk)[],
  outcomes: readonly EditOutcome[],
  draft?: Draft,
): readonly string[] {
  const applied = new Map(
    outcomes.flatMap((outcome) => (outcome.status === "applied" ? [[outcome.index, outcome]] : [])),
  );
  return sent.flatMap((edit) => {
    const outcome = applied.get(edit.index);
    if (outcome !== undefined && draft !== undefined && "oldText" in edit && edit.newText === "")
      return emptyLineWarnings(draft, edit, outcome);
    // If the old text is a single line, only one line can be deleted.
    if (outcome === undefined || ("oldText" in edit && !edit.oldText.includes("\n"))) return [];
    const { old, next } =
      "lines" in edit ? { old: oldLines(edit.lines), next: newLines(edit.lines) } : linesOfEdit(edit);
    if (old.length <= next.length) return [];
    const known = new Set(old.map((one) => one.trim()));
    const elisions = next.map((one) => one.trim()).filter((one) => isElision(one) && !known.has(one));
    const gone = old.length - (next.length - elisions.length);
    const [line] = elisions;
    return line === undefined || gone < leastGone
      ? []
      : [explainWarnings.elided({ index: edit.index, path: outcome.path, line, gone })];
  });
}

/** Returns a new line that certainly stands for left-out code, if the edit would lose this code; otherwise `undefined`. */
export function omissionIn(edit: Sought | Hunk): string | undefined {
  const { old, next } = "lines" in edit ? { old: oldLines(edit.lines), next: newLines(edit.lines) } : linesOfEdit(edit);
  return lossyOmission(
    old.map((one) => one.trim()),
    next.map((one) => one.trim()),
  );
}

/** The minimum number of deleted lines for a warning: replacing a single line with a comment may be intentional. */
const leastGone = 2;

/** Returns the lines of an edit's old text and of its new text. */
function linesOfEdit({ oldText, newText }: Sought) {
  const linesOf = (text: string): readonly string[] => (text === "" ? [] : wholeLines(text).lines);
  return { old: linesOf(oldText), next: linesOf(newText) };
}
