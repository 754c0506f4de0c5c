/** The reasons for which a refusal is right: a merge by identities has a conflict, or the old text is found elsewhere. */

import type { Both } from "./both.js";
import type { Meant } from "./calls.js";
import { type Chars, type Hunk, type Identities, lineStart, linesOf, occurrences, type Span } from "./chars.js";
import { gapAround, indentChange, overlap } from "./landing.js";
import { mergeReadings, slides } from "./variants.js";

/** A text that an agent can have seen. */
export interface Candidate {
  readonly chars: Chars;
  /** The span that was shown, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
}

/** What a refusal is judged by. */
export interface Grounds {
  readonly texts: Both;
  readonly ids: Identities;
  /** The step at which the author saw its text. */
  readonly step: number;
  /** The texts that the author can have seen, its own one first. */
  readonly candidates: readonly Candidate[];
  /** The present text, if it has a say. */
  readonly present: Candidate | undefined;
}

/** Returns the reason for which an edit may be refused; `undefined` if there is none. */
export function reasonToRefuse(grounds: Grounds, edit: Meant): string | undefined {
  const lines = linesOf(grounds.texts.seen.text);
  for (const hunk of edit.hunks) {
    const reasons = mergeReadings(grounds.texts.seen.text, hunk).map((reading) =>
      firstReason(reading, (one) => conflictOf(grounds, lines, one)),
    );
    if (reasons.every((one) => one !== undefined)) return reasons[0];
    const place = placeConflict(grounds, lines, hunk);
    if (place !== undefined) return place;
  }
  return foundElsewhere(grounds, edit);
}

function firstReason(reading: readonly Hunk[], ask: (hunk: Hunk) => string | undefined): string | undefined {
  for (const hunk of reading) {
    const reason = ask(hunk);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

const isWord = (char: string | undefined): boolean => char !== undefined && /\w/.test(char);

function conflictOf(grounds: Grounds, lines: readonly Span[], hunk: Hunk): string | undefined {
  if (hunk.from === hunk.to) return insertionConflict(grounds, lines, hunk);
  const { texts } = grounds;
  const { text } = texts.seen;
  const old = text.slice(hunk.from, hunk.to);
  const isUnpaired = old.split("\n").length !== hunk.insert.split("\n").length;
  if (isUnpaired) {
    const reason = removalConflict(texts, lines, hunk);
    if (reason !== undefined || hunk.insert === "") return reason;
  }
  let { from, to } = hunk;
  while (from > 0 && isWord(text[from]) && isWord(text[from - 1])) from--;
  while (to < text.length && isWord(text[to - 1]) && isWord(text[to])) to++;
  return isTouched(texts, from, to) ? "both changed a word" : undefined;
}

/** Reports whether units were removed, moved or typed within a span, or something was typed that continues its words. */
function isTouched({ present, seen, nowAt, isSeen }: Both, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    if (nowAt[at] === -1) return true;
    if (at > from && nowAt[at] !== nowAt[at - 1]! + 1) return true;
  }
  const [before, after] = [nowAt[from]! - 1, nowAt[to - 1]! + 1];
  const continues = (at: number, own: number): boolean =>
    at >= 0 && at < present.text.length && isSeen[at] === 0 && isWord(present.text[at]) && isWord(seen.text[own]);
  return continues(before, from) || continues(after, to - 1);
}

function removalConflict(texts: Both, lines: readonly Span[], { from, to }: Hunk): string | undefined {
  const own = lines.filter((line) => line.to > from && line.from < to);
  for (const line of own) if (isLineTouched(texts, line)) return "the person touched a removed line";
  const { present, nowAt, isSeen } = texts;
  // Lines that were typed between removed ones have no neighbours then.
  const [first, last] = [nowAt[from], nowAt[to - 1]];
  if (first === undefined || last === undefined || first < 0 || last < 0) return undefined;
  for (let at = first; at < last; at++)
    if (isSeen[at] === 0 && present.text[at] !== undefined) return "typed between removed lines";
  return undefined;
}

/** Reports whether something was typed on a line or removed from it; a line that is gone as a whole is not touched. */
function isLineTouched({ present, nowAt, isSeen }: Both, { from, to }: Span): boolean {
  const now = Array.from({ length: to - from }, (_, i) => nowAt[from + i]!);
  if (now.every((at) => at === -1)) return false;
  if (now.some((at, i) => at === -1 || (i > 0 && at !== now[i - 1]! + 1))) return true;
  const isTyped = (at: number): boolean =>
    at >= 0 && at < present.text.length && isSeen[at] === 0 && present.text[at] !== "\n";
  return isTyped(now[0]! - 1) || isTyped(now.at(-1)! + 1);
}

function insertionConflict(grounds: Grounds, lines: readonly Span[], hunk: Hunk): string | undefined {
  const { texts } = grounds;
  const isLines = hunk.insert.includes("\n");
  for (const slide of slides(texts.seen.text, hunk)) {
    const gap = gapAround(texts, slide);
    if (gap === undefined) continue;
    const typed = texts.present.text.slice(gap.from, gap.to);
    if (!isLines && typed !== "" && overlap(typed, slide.insert) !== "all") return "two insertions at one point";
    if (!isLines && typed !== "" && typed.trim() !== slide.insert.trim()) return "two insertions at one point";
  }
  if (!isLines) return undefined;
  return lineGapConflict(grounds, lines, hunk);
}

function lineGapConflict({ texts }: Grounds, lines: readonly Span[], hunk: Hunk): string | undefined {
  const { seen, present, nowAt, isSeen } = texts;
  const below = lines.findIndex(({ to }) => to >= hunk.from && (hunk.insert.endsWith("\n") || to > hunk.from));
  const found = below === -1 ? lines.length : below;
  for (const at of equalGaps(seen.text, lines, found, hunk.insert)) {
    const [above, next] = [lines[at - 1], lines[at]];
    const last = above === undefined ? 0 : lastOf(nowAt, above) + 1;
    const first = next === undefined ? present.text.length : firstOf(nowAt, next);
    const isAboveGone = above !== undefined && last === 0;
    const isNextGone = next !== undefined && first === -1;
    if (isAboveGone && isNextGone) return "both neighbours are gone";
    if (isAboveGone || isNextGone) {
      // What was put in the place of a neighbour is an insertion at the same point, too.
      const gap = gapAround(texts, { from: at === 0 ? 0 : above!.next, to: at === 0 ? 0 : above!.next, insert: "" });
      if (gap !== undefined && present.text.slice(gap.from, gap.to).includes("\n"))
        return "two insertions at one point";
      continue;
    }
    if (first < last) return "the neighbours were moved";
    let newlines = 0;
    for (let i = last; i < first; i++) {
      if (isSeen[i] === 1 && present.text[i] !== "\n" && present.text[i] !== " ") return "the neighbours were moved";
      if (present.text[i] === "\n") newlines++;
    }
    if (newlines > 1) return "two insertions at one point";
    if (above !== undefined && next !== undefined && newlines === 0) return "the neighbours were joined";
    if (above && next && indentChange(texts, above) !== indentChange(texts, next))
      return "neighbours were indented differently";
  }
  return undefined;
}

/** The gaps between lines over which added lines can slide. */
function equalGaps(text: string, lines: readonly Span[], at: number, insert: string): number[] {
  const added = insert.replace(/^\n|\n$/g, "").split("\n");
  const content = (line: number): string | undefined =>
    lines[line] === undefined ? undefined : text.slice(lines[line].from, lines[line].to);
  const gaps = [at];
  for (let i = at; content(i) === added[(i - at) % added.length]; i++) gaps.push(i + 1);
  for (let i = at - 1; i >= 0 && content(i) === added.at(-1 - ((at - 1 - i) % added.length)); i--) gaps.push(i);
  return gaps;
}

function lastOf(nowAt: Int32Array, { from, to }: Span): number {
  for (let at = to === from ? to : to - 1; at >= from; at--)
    if (nowAt[at] !== undefined && nowAt[at] !== -1) return nowAt[at]!;
  return -1;
}

function firstOf(nowAt: Int32Array, { from, to }: Span): number {
  for (let at = from; at < to || at === from; at++) if (nowAt[at] !== undefined && nowAt[at] !== -1) return nowAt[at]!;
  return -1;
}

/** Lines that were put elsewhere, copied, split or joined, and that the edit changes. */
function placeConflict({ texts, ids, step }: Grounds, lines: readonly Span[], hunk: Hunk): string | undefined {
  const { seen, present, nowAt } = texts;
  const own = lines.filter(
    ({ from, to }) => to >= hunk.from && from <= hunk.to && (hunk.from === hunk.to || from < hunk.to),
  );
  for (const line of own) {
    for (let at = line.from; at < line.to; at++) {
      const id = seen.ids[at]!;
      if ((ids.moved.get(id) ?? -1) > step) return "the line was moved";
      if ((ids.copied.get(id) ?? -1) > step) return "the line was copied";
    }
    const isInsertion = hunk.insert.includes("\n") && hunk.from === hunk.to;
    if (isInsertion) continue;
    const now = Array.from({ length: line.to - line.from }, (_, i) => nowAt[line.from + i]!).filter((at) => at !== -1);
    const [first, last] = [now[0], now.at(-1)];
    if (first === undefined || last === undefined) {
      if (line.to > line.from && hunk.insert !== "") return "the line is gone";
      continue;
    }
    if (present.text.slice(first, last).includes("\n")) return "the line was split";
    const start = lineStart(present.text, first);
    const endNow = present.text.indexOf("\n", last);
    const end = endNow === -1 ? present.text.length : endNow;
    for (let at = start; at < end; at++)
      if (texts.isSeen[at] === 1 && (at < first || at > last)) return "the line was joined with another";
  }
  return undefined;
}

/** Reports whether the old text can be meant elsewhere. */
function foundElsewhere({ texts, candidates, present }: Grounds, { from, to, hint }: Meant): string | undefined {
  const { text } = texts.seen;
  const old = text.slice(from, to);
  const own = candidates[0]!;
  const wanted = keyOf(own.chars, from, old);
  const matches = (one: Candidate): string[] => {
    const start = hint?.kind === "anchor" ? Math.max(0, one.chars.text.indexOf(hint.value)) : one.from;
    const found = occurrences(one.chars.text, old).filter((at) => at >= start && at + old.trimEnd().length <= one.to);
    const chosen =
      hint === undefined || found.length < 2
        ? found
        : nearest(
            one.chars.text,
            found,
            hint.kind === "occurrence"
              ? { index: hint.value - 1 }
              : { line: hint.kind === "anchor" ? undefined : hint.value },
          );
    return chosen.map((at) => keyOf(one.chars, at, old));
  };
  if ((hint === undefined || hint.kind === "anchor") && matches(own).length > 1)
    return "found several times in the author's text";
  for (const one of candidates.slice(1))
    if (matches(one).some((key) => key !== wanted)) return "found elsewhere in another text";
  if (present !== undefined && hint === undefined && matches(present).some((key) => key !== wanted))
    return "found elsewhere in the present text";
  return undefined;
}

/** The identities of a match, without spaces and line endings, which tell nothing. */
function keyOf({ text, ids }: Chars, at: number, old: string): string {
  const key: number[] = [];
  for (let i = at; i < at + old.length; i++) if (text[i] !== " " && text[i] !== "\n") key.push(ids[i]!);
  return key.join();
}

function nearest(
  text: string,
  found: readonly number[],
  by: { index: number } | { line: number | undefined },
): number[] {
  if ("index" in by) return found[by.index] === undefined ? [...found] : [found[by.index]!];
  const { line } = by;
  if (line === undefined) return [...found];
  const lineAt = (at: number): number => text.slice(0, at).split("\n").length;
  return [found.reduce((best, at) => (Math.abs(lineAt(at) - line) < Math.abs(lineAt(best) - line) ? at : best))];
}
