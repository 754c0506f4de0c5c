/** Edits that have no old text: they give a file its whole text, replace lines, or insert lines after a line. */
import { rewrite } from "../../match/rewrite.js";
import type { Change } from "../../text/changeSet.js";
import { withoutMark } from "../../text/chars.js";
import { type Draft, type Span, touchesAny } from "../draft.js";
import type { At, Failure } from "../failure.js";
import { allLines, type BatchOptions, type EditOperation } from "../operation.js";
import type { Lines } from "../views/view.js";
import { wrongText } from "./refusal.js";
import { editFailures } from "./sentences.js";

/** Returns the place of an edit that replaces these lines and the changes there, or the reason why it can't be made. */
export function changesByLines(
  draft: Draft,
  { edit, lines, earlier }: LineEdit,
  options: BatchOptions,
): { readonly place: Span; readonly changes: readonly Change[] } | { readonly failure: Failure } {
  const at: At = { index: edit.index, path: draft.document.path };
  const { index, base } = draft;
  const target = lines.to === allLines.to ? wholeOf(draft, edit) : targetIn(draft, edit, lines);
  if (target === undefined) return { failure: editFailures.noSuchLine(at, lines.to, base.lines.filledCount) };
  const { place, newText, inBase } = target;
  // Lines are replaced as they were before the call, so no earlier edit may have changed them.
  const other = lines.from < lines.to && inBase && earlier.find(({ spans }) => touchesAny(inBase, spans));
  if (other) return { failure: editFailures.overlap(at, other.index, lines.from + 1) };
  const sent = { oldText: index.text.slice(place.from, place.to), newText };
  // An insertion replaces nothing; the line above it says whether lines are numbered.
  const above = lines.from === lines.to ? base.lines.content(Math.max(0, lines.from - 1)) : undefined;
  const failure = wrongText(at, draft.document, sent, options, above);
  if (failure !== undefined) return { failure };
  return { place, changes: rewrite(index, { ...place, isOwn: true }, sent) ?? [] };
}

/** An edit, the lines that it replaces, and what the edits before it have changed in the text before the batch. */
interface LineEdit {
  readonly edit: EditOperation;
  readonly lines: Lines;
  readonly earlier: readonly { readonly index: number; readonly spans: readonly Span[] }[];
}

/** A span of a draft's text, and the text that replaces it. */
interface LineTarget {
  readonly place: Span;
  readonly newText: string;
  /** The span in the text before the batch; `undefined` for a whole text. */
  readonly inBase?: Span;
}

/** Returns the whole text of a draft. The document's own byte order mark must not be written twice. */
function wholeOf({ document, index }: Draft, { newText }: EditOperation): LineTarget {
  return { place: { from: 0, to: index.text.length }, newText: document.bom ? withoutMark(newText) : newText };
}

/** Returns the span that lines of the text before the batch have in a draft; `undefined` if that text lacks them. */
function targetIn({ base, change }: Draft, { newText }: EditOperation, { from, to }: Lines): LineTarget | undefined {
  const { lines, text } = base;
  const count = lines.filledCount;
  if (to > count) return undefined;
  const content = newText.replace(/(?:\r\n|\n|\r)$/, "");
  // A last line without a line ending remains one.
  const isLast = to === count && count === lines.lineCount;
  const isAppended = isLast && from === to;
  const start = isAppended ? text.length : lines.start(from);
  // What an earlier edit of the batch has inserted there comes first.
  const inBase = { from: start, to: isLast ? text.length : lines.start(to) };
  const first = change.mapPos(start, "after");
  const end = change.mapPos(inBase.to, "before");
  const sent = isAppended ? `\n${content}` : isLast ? content : `${content}\n`;
  return { place: { from: first, to: Math.max(first, end) }, newText: newText === "" ? "" : sent, inBase };
}
