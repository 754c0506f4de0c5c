/** Warns about deletions that leave an empty line, because the old text lacks the line ending. */
import { endsLine } from "../../match/reshape.js";
import { isAllBlank } from "../../text/chars.js";
import type { Draft } from "../draft.js";
import type { EditOperation } from "../operation.js";
import type { EditOutcome } from "../outcome.js";
import { explainWarnings } from "./sentences.js";

/** Returns a warning if an edit with an empty new text leaves an empty line where a line with text was. */
export function emptyLineWarnings(
  draft: Draft,
  { oldText }: EditOperation,
  { index, path, places }: EditOutcome,
): readonly string[] {
  if (endsLine(oldText)) return [];
  const line = places.find(({ startLine }) => isLeftEmpty(draft, startLine - 1))?.startLine;
  return line === undefined ? [] : [explainWarnings.emptyLine({ index, path, line })];
}

/** Reports whether a line of the text before the batch (0-based) had text and is now an empty line or one of spaces. */
function isLeftEmpty({ base, change, index }: Draft, line: number): boolean {
  if (isAllBlank(base.lines.content(line)) || index.text === "") return false;
  const left = index.lines.lineAt(change.mapPos(base.lines.start(line), "before"));
  const isWhole = left === index.lines.lineAt(change.mapPos(base.lines.contentEnd(line), "after"));
  return isWhole && isAllBlank(index.lines.content(left));
}
