/**
 * Finds the edits that an earlier text certainly places where the present text does, so that they need not be planned again.
 * It is only for speed: without it, the result is the same.
 */
import type { ChangeSet } from "../../text/changeSet.js";
import { LineIndex } from "../../text/lines.js";
import type { EditOperation } from "../operation.js";
import type { FilePlan } from "../outcome.js";
import type { Lines, View } from "./view.js";

/** An edit that was found exactly and once, apart from all others. */
interface SureEdit extends Lines {
  readonly edit: EditOperation;
}

/** The edits of a call that can be looked at one by one. Lines are those of the present text. */
export function sureEdits({ operations, outcomes, file }: FilePlan): readonly SureEdit[] {
  const text = file?.document.text ?? "";
  if (operations.length > mostEdits) return [];
  const edits = operations.filter((one) => one.kind === "edit");
  if (edits.length < operations.length || edits.some(({ replaceAll }) => replaceAll)) return [];
  const placed = new Map(outcomes.map((outcome) => [outcome.index, outcome]));
  const sure = edits.flatMap((edit): SureEdit[] => {
    const { status, rung, places = [] } = placed.get(edit.index) ?? {};
    const [place] = places;
    const isExact = status === "applied" && rung === "exact" && place !== undefined && places.length === 1;
    if (!isExact || edit.occurrence !== undefined || edit.line !== undefined) return [];
    // Another edit may have removed the other one.
    if (text.includes(edit.oldText, text.indexOf(edit.oldText) + 1)) return [];
    return [{ edit, from: place.startLine - 1, to: place.endLine }];
  });
  sure.sort((a, b) => a.from - b.from);
  const areApart = sure.every((one, i) => i === 0 || one.from > sure[i - 1]!.to);
  // Otherwise, one edit may be found in what another has written.
  const areAlone = sure.every(({ edit }) => !edits.some((one) => one.newText.includes(edit.oldText) && one !== edit));
  return areApart && areAlone ? sure : [];
}

/** Reports whether an edit is placed beside one that was not planned again: the two must be planned together. */
export function isBeside(agreed: ReadonlyMap<number, Lines>, { outcomes }: FilePlan): boolean {
  const all = [...agreed.values()];
  return outcomes.some(({ places }) =>
    places.some(({ startLine, endLine }) => all.some(({ from, to }) => startLine - 1 <= to && from <= endLine)),
  );
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
  const others = back.changes.length * sure.length <= mostWindows && !text.includes("\r") ? changedIn(back) : undefined;
  const then = others === undefined ? LineIndex.of(text, now.rule) : undefined;
  for (const { edit, from, to } of sure) {
    const [start, end] = [now.start(Math.max(0, from - 1)), now.end(to)];
    if (back.changes.some((one) => one.from <= end && start <= one.to)) continue;
    const { oldText } = edit;
    if (others === undefined) {
      const at = text.indexOf(oldText);
      if (at === -1 || text.includes(oldText, at + 1)) continue;
      const first = then!.lineAt(at);
      found.set(edit.index, { from: first, to: first + (to - from) });
      continue;
    }
    // The present text has the old text once, so that the earlier one can have it only once more where they differ.
    const near = oldText.length - 1;
    if (others.some((one) => text.slice(Math.max(0, one.from - near), one.to + near).includes(oldText))) continue;
    const before = back.changes.filter((one) => one.to < start);
    const more = before.reduce(
      (sum, one) => sum + lineEnds(one.insert) - lineEnds(now.text.slice(one.from, one.to)),
      0,
    );
    found.set(edit.index, { from: from + more, to: to + more });
  }
  return found;
}

/** Beyond this number of changes times edits, the whole text is searched for each edit. */
const mostWindows = 1_000;

const lineEnds = (text: string): number => text.split("\n").length - 1;

/** Returns the spans of the new text that changes have written. */
function changedIn({ changes }: ChangeSet): readonly Lines[] {
  let shift = 0;
  return changes.map(({ from, to, insert }) => {
    const start = from + shift;
    shift += insert.length - (to - from);
    return { from: start, to: start + insert.length };
  });
}
