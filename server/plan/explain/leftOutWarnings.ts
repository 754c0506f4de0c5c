/** Warns of new texts that say with a line of dots or a comment that they leave out code, which the edit then takes away. */
import { isElision } from "../../match/hints/leftOutCode.js";
import { wholeLines } from "../../match/wholeLines.js";
import type { EditOperation, Hunk } from "../operation.js";
import type { EditOutcome } from "../outcome.js";
import { newLines, oldLines } from "../patch/hunks.js";
import { explainWarnings } from "./sentences.js";

/** A warning for each of some edits or hunks that was applied and whose new lines stand for more than they are. */
export function elidedWarnings(
  sent: readonly (EditOperation | Hunk)[],
  outcomes: readonly EditOutcome[],
): readonly string[] {
  const applied = new Map(
    outcomes.flatMap((outcome) => (outcome.status === "applied" ? [[outcome.index, outcome]] : [])),
  );
  return sent.flatMap((edit) => {
    const outcome = applied.get(edit.index);
    // Of a single line no more than one line can go.
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

/** Lines that go without others in their stead: one alone may well be replaced by a remark. */
const leastGone = 2;

/** The lines of a place before an edit and after it. */
function linesOfEdit({ oldText, newText }: EditOperation) {
  const linesOf = (text: string): readonly string[] => (text === "" ? [] : wholeLines(text).lines);
  return { old: linesOf(oldText), next: linesOf(newText) };
}
