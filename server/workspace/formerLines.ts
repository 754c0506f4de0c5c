/** Lines that an open document had and has lost to changes, so that who still sends one can be told since when. */
import { limits } from "../text/limits.js";
import type { LineIndex } from "../text/lines.js";

/** By line, without blanks at its ends: the last version that had it. The oldest are forgotten first. */
export type FormerLines = Map<string, number>;

/** Notes the lines of a stretch of a text (UTF-16 offsets) that is about to be changed; very long ones are not kept. */
export function noteLines(
  former: FormerLines,
  lines: LineIndex,
  span: { readonly from: number; readonly to: number },
  version: number,
): void {
  const first = lines.lineAt(span.from);
  const last = Math.min(lines.lineAt(span.to), first + limits.formerLinesPerChange - 1);
  for (let line = first; line <= last; line++) {
    if (lines.contentEnd(line) - lines.start(line) > limits.formerLineLength) continue;
    const text = copied(lines.content(line).trim());
    if (text === "") continue;
    former.delete(text);
    former.set(text, version);
    if (former.size > limits.formerLines) for (const oldest of former.keys()) if (former.delete(oldest)) break;
  }
}

/** The same text without the one that it was cut from: V8 makes a long enough slice keep all of that in memory. */
function copied(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
