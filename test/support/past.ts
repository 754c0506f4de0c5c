/** The past of a page's file: what the user typed, and what the caller can have seen. */
import { diffArrays } from "diff";
import { compareTexts, refined } from "../../server/match/compareTexts.js";
import type { View } from "../../server/plan/views/view.js";
import { type Change, ChangeSet } from "../../server/text/changeSet.js";
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

/** The earlier texts of a file that its caller can have seen, newest first, as the server would note them. */
export function viewsOf({ earlier, synced, disk, came }: CaseFile): readonly View[] {
  if (synced === undefined || disk === undefined) return [];
  if (earlier.length === 0) {
    const back = typed(synced, disk.toString());
    return back.isEmpty ? [] : [savedView({ back, isCompared: true })];
  }
  const texts = [...earlier, { text: synced, came }];
  /** Turns the present text into the one with the given number. */
  const back = (number: number): Pick<View, "back" | "isCompared"> => {
    let set = ChangeSet.none(synced.length);
    for (let i = texts.length - 1; i > number; i--) set = set.compose(undone(texts[i - 1]!.text, texts[i]!));
    const isCompared = texts.slice(number + 1).some((text) => text.came !== "typed");
    set = refined(synced, set);
    return { back: set, isCompared: isCompared && !set.isEmpty };
  };
  const lastRead = earlier.findLastIndex(({ read }) => read !== undefined);
  const onDisk = disk.toString() === synced && earlier.length > 0 ? earlier.length : lastSaved(earlier);
  const views = earlier.flatMap(({ read, saved }, i): View[] => {
    const isLatest = i >= onDisk;
    const [startLine = 1, endLine = Number.MAX_SAFE_INTEGER] = [read?.startLine, read?.endLine];
    const shown = [{ startLine, endLine }];
    const own = read === undefined ? [] : [{ base: "read", ...back(i), shown, isLatest } as const];
    const next = earlier.findIndex((one, j) => j > i && one.saved);
    const until = next === -1 ? (onDisk === earlier.length ? onDisk : Number.POSITIVE_INFINITY) : next;
    const isSeen = (i === 0 || saved) && until > lastRead;
    return isSeen ? [savedView(back(i)), ...own] : own;
  });
  return views.toReversed();
}

const typed = (before: string, after: string): ChangeSet => ChangeSet.of(before.length, typedBetween(before, after));

/** The changes that turn a text into the one before it. */
const undone = (before: string, { text, came }: { readonly text: string; readonly came: Coming }): ChangeSet =>
  came === "typed" ? typed(before, text).invert(before) : compareTexts(text, before);

const savedView = (back: Pick<View, "back" | "isCompared">): View => ({
  base: "saved",
  ...back,
  shown: undefined,
  isLatest: false,
});

const lastSaved = (earlier: CaseFile["earlier"]): number =>
  Math.max(
    0,
    earlier.findLastIndex(({ saved }) => saved),
  );
