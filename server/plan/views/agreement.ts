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
  const then = sure.length > 0 ? LineIndex.of(text, now.rule) : undefined;
  for (const { edit, from, to } of sure) {
    const [start, end] = [now.start(Math.max(0, from - 1)), now.end(to)];
    const at = text.indexOf(edit.oldText);
    const isOnly = at !== -1 && !text.includes(edit.oldText, at + 1);
    if (!isOnly || back.changes.some((one) => one.from <= end && start <= one.to)) continue;
    const first = then!.lineAt(at);
    found.set(edit.index, { from: first, to: first + (to - from) });
  }
  return found;
}
