/**
 * Finds the edits that an earlier text certainly places where the present text does, so that they need not be planned again.
 * It is only for speed: without it, the result is the same.
 */
import { LineIndex } from "../../text/lines.js";
import type { EditOperation } from "../operation.js";
import type { FilePlan } from "../outcome.js";
import type { Lines, View } from "./view.js";

/** An edit that was found exactly and once, apart from all others. */
interface SureEdit extends Lines {
  readonly edit: EditOperation;
}

/** The edits of a call that can be looked at one by one; an empty list if there are none. Lines are those of the present text. */
export function sureEdits({ operations, outcomes }: FilePlan): readonly SureEdit[] {
  if (operations.length > mostEdits) return [];
  const edits = operations.filter((one) => one.kind === "edit");
  const isPlain = ({ replaceAll, occurrence, line }: EditOperation): boolean =>
    !replaceAll && occurrence === undefined && line === undefined;
  if (edits.length < operations.length || !edits.every(isPlain)) return [];
  const sure: SureEdit[] = [];
  for (const edit of edits) {
    const outcome = outcomes.find(({ index }) => index === edit.index);
    const [place, another] = outcome?.places ?? [];
    if (outcome?.status !== "applied" || outcome.rung !== "exact" || place === undefined || another !== undefined)
      return [];
    sure.push({ edit, from: place.startLine - 1, to: place.endLine });
  }
  sure.sort((a, b) => a.from - b.from);
  const areApart = sure.every((one, i) => i === 0 || one.from > sure[i - 1]!.to);
  // Otherwise, one edit may be found in what another has written.
  const areAlone = sure.every(
    ({ edit }) => !sure.some((one) => one.edit.newText.includes(edit.oldText) && one.edit !== edit),
  );
  return areApart && areAlone ? sure : [];
}

/** The number of edits up to which each is compared with each. */
const mostEdits = 100;

/** Returns the lines that edits certainly have in an earlier text, by their indices. `now`: the present text. */
export function agreeing(
  sure: readonly SureEdit[],
  now: LineIndex,
  { back }: View,
  text: string,
): ReadonlyMap<number, Lines> {
  const found = new Map<number, Lines>();
  if (sure.length === 0) return found;
  const then = LineIndex.of(text, now.rule);
  for (const { edit, from, to } of sure) {
    const [start, end] = [now.start(Math.max(0, from - 1)), now.end(to)];
    if (back.changes.some((one) => one.from <= end && start <= one.to)) continue;
    const at = text.indexOf(edit.oldText);
    if (at === -1 || text.includes(edit.oldText, at + 1)) continue;
    const first = then.lineAt(at);
    found.set(edit.index, { from: first, to: first + (to - from) });
  }
  return found;
}
