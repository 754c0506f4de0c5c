/** Edits that have no old text: they give a file its whole text, or insert lines after a line. */
import { rewriteAsSent } from "../../match/rewrite.js";
import type { Change } from "../../text/changeSet.js";
import { withoutMark } from "../../text/chars.js";
import type { Draft, Span } from "../draft.js";
import { omissionIn } from "../explain/leftOutWarnings.js";
import type { At, Failure } from "../failure.js";
import { allLines, type BatchOptions, type EditOperation } from "../operation.js";
import type { Lines } from "../views/view.js";
import { editFailures } from "./sentences.js";

/** An edit that names lines of the text before the batch. */
export interface LineEdit extends EditOperation {
  readonly seenLines: Lines;
}

/** Reports whether an edit names the lines that it replaces, instead of having an old text. */
export const isLineEdit = (edit: EditOperation): edit is LineEdit => edit.seenLines !== undefined;

/** Returns the place of such an edit in a draft and the changes there, or the reason why it can't be made. */
export function changesByLines(
  draft: Draft,
  edit: LineEdit,
  { allowOmissions }: BatchOptions,
): { readonly place: Span; readonly changes: readonly Change[] } | { readonly failure: Failure } {
  const at: At = { index: edit.index, path: draft.document.path };
  const { index, base } = draft;
  const target = edit.seenLines.to === allLines.to ? wholeOf(draft, edit) : targetIn(draft, edit);
  if (target === undefined) return { failure: editFailures.noSuchLine(at, edit.seenLines.to, base.lines.filledCount) };
  const { place, newText } = target;
  const sent = { oldText: index.text.slice(place.from, place.to), newText };
  const omission = allowOmissions ? undefined : omissionIn({ ...edit, ...sent });
  if (omission !== undefined) return { failure: editFailures.leftOutCode(at, omission) };
  return { place, changes: rewriteAsSent(index, place, sent) };
}

/** A span of a draft's text, and the text that replaces it. */
interface LineTarget {
  readonly place: Span;
  readonly newText: string;
}

/** Returns the whole text of a draft. The document's own byte order mark must not be written twice. */
function wholeOf({ document, index }: Draft, { newText }: LineEdit): LineTarget {
  return { place: { from: 0, to: index.text.length }, newText: document.bom ? withoutMark(newText) : newText };
}

/** Returns the span that an edit's lines have in a draft; `undefined` if the text before the batch lacks the lines. */
function targetIn({ base, change }: Draft, { seenLines: { from, to }, newText }: LineEdit): LineTarget | undefined {
  const { lines, text } = base;
  const count = lines.filledCount;
  if (to > count) return undefined;
  const content = newText.replace(/(?:\r\n|\n|\r)$/, "");
  // A last line without a line ending remains one.
  const isLast = to === count && count === lines.lineCount;
  const isAppended = isLast && from === to;
  const start = isAppended ? text.length : lines.start(from);
  // What an earlier edit of the batch has inserted there comes first.
  const first = change.mapPos(start, "after");
  const end = change.mapPos(isLast ? text.length : lines.start(to), "before");
  const sent = isAppended ? `\n${content}` : isLast ? content : `${content}\n`;
  return { place: { from: first, to: Math.max(first, end) }, newText: newText === "" ? "" : sent };
}
