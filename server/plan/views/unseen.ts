/** Finds the lines of a document that its caller can't have seen, before a call replaces the whole text. */

import { limits } from "../../text/limits.js";
import { LineChanges } from "../../text/lineChanges.js";
import { LineIndex } from "../../text/lines.js";
import { clip, type UnseenText } from "../failure.js";
import type { Document } from "../snapshot.js";
import type { View } from "./view.js";

/** Returns what the caller of a call can't have seen of a document; `undefined` if it can have seen everything. */
export function unseenIn(document: Document): UnseenText | undefined {
  const { text } = document;
  const views = document.views?.filter(({ isGuess }) => isGuess !== true) ?? [];
  if (views.length === 0) return { lines: [], more: 0 };
  const now = LineIndex.of(text, document);
  const seen = { lines: new Set<number>(), gaps: new Set<number>() };
  for (const view of views) addSeen(seen, view, now);
  const numbers = Array.from({ length: now.filledCount }, (_, line) => line);
  const lines = numbers.filter((line) => !seen.lines.has(line));
  const gap = [...numbers, now.filledCount].find((line) => !seen.gaps.has(line));
  if (gap === undefined && lines.length === 0) return undefined;
  const shown = lines.slice(0, limits.furtherLines);
  return {
    lines: shown.map((line) => ({ line: line + 1, text: clip(now.content(line), limits.quotedLine) })),
    more: lines.length - shown.length,
    ...(lines.length > 0 || gap === undefined ? {} : { gap: gap < now.filledCount ? gap + 1 : ("end" as const) }),
  };
}

/** Adds the present lines that an earlier text showed, and the gaps before them that were empty there, too. */
function addSeen(
  seen: { readonly lines: Set<number>; readonly gaps: Set<number> },
  { back, shown }: View,
  now: LineIndex,
): void {
  const then = LineIndex.of(back.apply(now.text), now.rule);
  const typed = new LineChanges(then, back.invert(now.text), "compared");
  const isShown = (line: number): boolean =>
    shown === undefined || shown.some(({ startLine, endLine }) => startLine <= line + 1 && line < endLine);
  let before = -1;
  for (let line = 0; line < then.filledCount; line++) {
    const present = typed.at(line) === undefined ? typed.lineAfter(line) : undefined;
    const isNext = present === before + 1;
    before = present ?? Number.NaN;
    if (present === undefined) continue;
    if (isShown(line)) seen.lines.add(present);
    if (isNext && (isShown(line) || isShown(line - 1))) seen.gaps.add(present);
  }
  if (before === now.filledCount - 1 && isShown(then.filledCount - 1)) seen.gaps.add(now.filledCount);
}
