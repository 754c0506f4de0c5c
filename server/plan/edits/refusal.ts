/** Refuses edits for their texts, wherever these are found. */
import type { Sought } from "../../match/place.js";
import { strayNumber } from "../../match/viewPrefix.js";
import { omissionIn } from "../explain/leftOutWarnings.js";
import type { At, Failure } from "../failure.js";
import type { BatchOptions, Hunk } from "../operation.js";
import { oldLines } from "../patch/hunks.js";
import type { Document } from "../snapshot.js";
import { editFailures } from "./sentences.js";

/**
 * Returns the failure of an edit, hunk or whole text whose new lines, compared with what they replace, would lose code or have the
 * line numbers of a file view; `undefined` if they would not. `beside`: the text that has no such numbers.
 */
export function wrongText(
  at: At,
  { text, views = [] }: Document,
  sent: Sought | Hunk,
  { allowOmissions }: Pick<BatchOptions, "allowOmissions">,
  beside?: string,
): Failure | undefined {
  const { oldText, newText } = "lines" in sent ? addedTo(sent) : sent;
  const texts = (): readonly string[] => [text, ...views.map(({ back }) => back.apply(text))];
  const mayBeView = /^[ \t]*\d/.test(newText);
  const numbered = mayBeView ? strayNumber({ oldText: beside ?? oldText, newText }, texts) : undefined;
  if (numbered !== undefined) return editFailures.lineNumbers(at, numbered);
  const omission = !allowOmissions && /\.{3}|…/.test(newText) ? omissionIn(sent) : undefined;
  return omission === undefined ? undefined : editFailures.leftOutCode(at, omission);
}

/** Returns the lines that a hunk adds, and those to which it adds them. */
function addedTo({ lines }: Hunk): Sought {
  const added = lines.filter(({ kind }) => kind === "add").map(({ text }) => text);
  return { oldText: oldLines(lines).join("\n"), newText: added.join("\n") };
}
