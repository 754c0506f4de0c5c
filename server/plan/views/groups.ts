/** Groups the edits of a planned file: edits whose places or changes overlap stay together. */
import type { Change } from "../../text/changeSet.js";
import { firstIndex, type LineIndex } from "../../text/lines.js";
import type { FilePlan } from "../outcome.js";
import type { Lines } from "./view.js";

/** Edits of one call that are decided together, because their places or their changes touch the same lines. */
export interface Group extends Lines {
  /** The 0-based indices of the edits. */
  readonly indices: readonly number[];
  /** The changes to the text in which the edits were found, in ascending order. */
  readonly changes: readonly Change[];
  /** `true` if the caller said for each line if it is kept, removed or added, as in a patch. */
  readonly isByLine: boolean;
}

/** Returns the groups of a plan for the text of `lines`, in the order of their lines. */
export function groupsOf(lines: LineIndex, { operations, outcomes, file }: FilePlan): Group[] {
  const changes = file?.change.changes ?? [];
  const isByLine = operations[0]?.kind === "update";
  const items = outcomes
    .filter(({ status }) => status === "applied" || status === "skipped")
    .flatMap(({ index, places }) =>
      places.map(({ startLine, endLine }) => ({ indices: [index], from: startLine - 1, to: endLine })),
    )
    .sort((a, b) => a.from - b.from);
  const groups: { indices: number[]; from: number; to: number; changes: Change[] }[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (last !== undefined && item.from < last.to) {
      last.indices.push(...item.indices);
      last.to = Math.max(last.to, item.to);
    } else groups.push({ ...item, changes: [] });
  }
  for (const change of changes) {
    const touching = firstIndex(groups.length, (i) => lines.start(groups[i]!.to) >= change.from);
    // A change of the line right after a group belongs to the group that has this line.
    const next = groups[touching + 1];
    const isNext = next !== undefined && next.from === groups[touching]?.to && lines.start(next.from) === change.from;
    const at = isNext && change.from < change.to ? touching + 1 : touching;
    const first = groups[at];
    if (first === undefined || lines.start(first.from) > change.to) {
      // A change that belongs to no edit, such as the line ending of the last line, goes with the last edit.
      groups.at(-1)?.changes.push(change);
      continue;
    }
    first.changes.push(change);
    for (let more = groups[at + 1]; more !== undefined && lines.start(more.from) <= change.to; more = groups[at + 1]) {
      first.indices.push(...more.indices);
      first.to = Math.max(first.to, more.to);
      groups.splice(at + 1, 1);
    }
  }
  return groups.map((group) => ({ ...group, indices: [...new Set(group.indices)], isByLine }));
}
