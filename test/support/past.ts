/** The past of a page's file: what the user typed, and what the caller can have seen. */
import { diffArrays } from "diff";
import type { View } from "../../server/plan/views/view.js";
import { type Change, ChangeSet } from "../../server/text/changeSet.js";
import { Trail } from "../../server/workspace/trail.js";
import type { CaseFile, Coming } from "./cases.js";

/**
 * The changes by which the user turns one text into another, in ascending order: for each run of lines that differs, the
 * shortest text that is replaced.
 */
export function typedBetween(before: string, after: string): Change[] {
  const changes: Change[] = [];
  let at = 0;
  let run: { from: number; to: number; insert: string } | undefined;
  for (const { added, removed, value } of diffArrays(linesOf(before), linesOf(after))) {
    const text = value.join("");
    if (!added && !removed) run = undefined;
    else if (run === undefined) {
      run = { from: at, to: at, insert: "" };
      changes.push(run);
    }
    if (added && run !== undefined) run.insert += text;
    if (!added) at += text.length;
    if (removed && run !== undefined) run.to = at;
  }
  return changes.map((change) => shortest(before, change));
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function shortest(text: string, { from, to, insert }: Change): Change {
  const old = text.slice(from, to);
  let start = 0;
  while (start < Math.min(old.length, insert.length) && old[start] === insert[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, insert.length) - start && old.at(-1 - end) === insert.at(-1 - end)) end++;
  return { from: from + start, to: to - end, insert: insert.slice(start, insert.length - end) };
}

/** The earlier texts of a file that its caller can have seen, newest first, as the server notes them. */
export function viewsOf({ earlier, synced, disk, came }: CaseFile): readonly View[] {
  if (synced === undefined || disk === undefined) return [];
  const first = earlier[0]?.text ?? synced;
  const trail = new Trail(first);
  const opened = earlier.length > 0 ? first : disk.toString();
  trail.onDisk(opened, (text) => text === opened, 0);
  for (const [i, { text, read, saved, came: arrived }] of earlier.entries()) {
    if (saved && i > 0 && arrived !== "reloaded") trail.saved(0);
    const { startLine = 1, endLine = Number.MAX_SAFE_INTEGER } = read ?? {};
    if (read !== undefined) trail.read(caller, { startLine, endLine });
    const next = earlier[i + 1] ?? { text: synced, came };
    comeTo(trail, text, next);
    if (next.came === "reloaded") trail.saved(0);
  }
  if (earlier.length > 0 && came !== "reloaded" && disk.toString() === synced) trail.saved(0);
  return trail.viewsOf(caller);
}

const caller = "the caller";

/** Notes the changes that lead from one text to the next. */
function comeTo(trail: Trail, before: string, next: { readonly text: string; readonly came: Coming }): void {
  let now = before;
  const whole = { from: 0, to: before.length, insert: next.text };
  for (const change of next.came === "typed" ? typedBetween(before, next.text).reverse() : [whole]) {
    const since = ChangeSet.of(now.length, [change]);
    now = since.apply(now);
    trail.changed(now, since);
  }
}
