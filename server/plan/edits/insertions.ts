/** Recognises lines that are already where an edit inserts them: in the text, or because of an earlier edit of the call. */
import { endsLine } from "../../match/reshape.js";
import type { Change } from "../../text/changeSet.js";
import { isAllBlank, lineTexts } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { type Draft, lineInBase, spanInBase } from "../draft.js";
import type { ClaimedPlace, OverlapDetector } from "./overlaps.js";

/** Whole lines that an edit inserts. */
interface Insertion {
  /** The offset, in UTF-16 code units of the text before the batch, of the line that follows. */
  readonly before: number;
  /** The lines, joined by LF. */
  readonly lines: string;
}

/** The lines that the edits of a call have inserted into one text. */
export class Insertions {
  /** One key for each insertion. */
  private readonly noted = new Set<string>();

  /** The insertions of the last noted edit. */
  latest: readonly Insertion[] = [];

  /** Records what an edit inserts into a draft. */
  note(draft: Draft, changes: readonly Change[]): void {
    this.latest = changes.flatMap((change) => insertionOf(draft, change) ?? []);
    this.adopt(this.latest, 0);
  }

  /** Records insertions that were found in another part of the text, shifted by `by` UTF-16 code units. */
  adopt(inserted: readonly Insertion[], by: number): void {
    for (const { before, lines } of inserted) this.noted.add(keyOf({ before: before + by, lines }));
  }

  /** Reports whether an edit inserts what earlier ones did at the same points of `at`, and `now` still has. */
  hasAll(changes: readonly Change[], { at, now }: { readonly at: Draft; readonly now: Draft | undefined }): boolean {
    const isDone = (change: Change): boolean => {
      const inserted = insertionOf(at, change);
      if (inserted === undefined || !this.noted.has(keyOf(inserted))) return false;
      return now === undefined || isThere(now, inserted);
    };
    return changes.length > 0 && changes.every(isDone);
  }
}

const keyOf = ({ before, lines }: Insertion): string => `${before} ${lines}`;

/** Returns the lines that a change inserts; `undefined` if it removes anything or does not insert whole lines. */
function insertionOf({ index, change }: Draft, { from, to, insert }: Change): Insertion | undefined {
  if (from !== to) return undefined;
  const { text } = index;
  const isInCrlf = text[from - 1] === "\r" && text[from] === "\n";
  const isEnd = (at: number): boolean => text[at] === undefined || text[at] === "\n" || text[at] === "\r";
  // Each edit has a text of its own, so an index of all its lines would be for this one place.
  if (isInCrlf) return undefined;
  const sent = lineTexts(insert);
  if (isEnd(from - 1) && endsLine(insert))
    return { before: change.unitBack(from).from, lines: sent.slice(0, -1).join("\n") };
  if (isEnd(from) && sent.length > 1 && sent[0] === "") {
    const next = Math.min(text.length, from + (text.startsWith("\r\n", from) ? 2 : 1));
    return { before: change.unitBack(next).from, lines: sent.slice(1).join("\n") };
  }
  return undefined;
}

/** Reports whether a draft still contains the lines between the line before and the line after the insertion. */
function isThere({ base, change, index }: Draft, { before, lines }: Insertion): boolean {
  const previous = before === 0 ? 0 : base.matchedLines.contentEnd(base.matchedLines.lineAt(before - 1));
  const [from, to] = [change.mapPos(previous, "before"), change.mapPos(before, "after")];
  return `\n${lineTexts(index.text.slice(from, to)).join("\n")}\n`.includes(`\n${lines}\n`);
}

/** Lines that an edit inserts, and that the text before the batch already has beside the edit's place. */
export interface Repeated {
  /** The 1-based line where they are. */
  readonly line: number;
  /** The first of them that has text. */
  readonly text: string;
  /** `true` if they are too many or too long to be there by chance. */
  readonly isCertain: boolean;
}

/**
 * Finds the lines that an edit inserts already in the text from before the batch. This is the case if the edit only
 * inserts whole lines, the text that would result is there around the edit's place, and no accepted claim changes it.
 */
export function repeatedIn(draft: Draft, claim: ClaimedPlace, accepted?: OverlapDetector): Repeated | undefined {
  const { from, to } = claim.place;
  const inserted = claim.changes.map((change) => insertionOf(draft, change)?.lines);
  const lines = inserted.flatMap((own = "") => own.split("\n")).filter((line) => !isAllBlank(line));
  const [first] = lines;
  if (first === undefined || inserted.includes(undefined) || draft.created) return undefined;
  const { index } = draft;
  const { text } = index;
  let [result, at] = ["", from];
  for (const change of claim.changes) {
    result += text.slice(at, change.from) + change.insert;
    at = change.to;
  }
  result += text.slice(at, to);
  const isThere = (start: number): boolean => {
    const end = start + result.length;
    if (start < 0 || !text.startsWith(result, start)) return false;
    const { matchedLines } = index;
    const [startLine, endLine] = [matchedLines.lineAt(start), matchedLines.lineAt(end)];
    const isWhole = end === matchedLines.start(endLine) || end === matchedLines.contentEnd(endLine);
    // The file may have had no final line ending.
    const lastEnd = matchedLines.contentEnd(matchedLines.lineAt(end - 1));
    return (start === from || start === matchedLines.start(startLine)) && isWhole && isAsBefore(draft, start, lastEnd);
  };
  const start = offsetsOf(text.slice(from, to), result)
    .map((offset) => from - offset)
    .find(isThere);
  if (start === undefined) return undefined;
  const place = { from: start, to: start + result.length };
  if (accepted?.conflictOf({ ...claim, place, changes: [] }) !== undefined) return undefined;
  const { matchedLines } = index;
  const line = start < from ? start : to === 0 ? 0 : matchedLines.start(matchedLines.lineAt(to - 1) + 1);
  const telling = lines.filter((line) => /[\p{L}\p{N}]/u.test(line));
  const isCertain = telling.length > 1 || telling.some((line) => line.trim().length >= limits.tellingText);
  return { line: lineInBase(draft, line), text: first.trim(), isCertain };
}

/** Returns the offsets at which one text occurs in another; for an empty text, only both ends. */
function offsetsOf(part: string, text: string): readonly number[] {
  if (part === "") return [0, text.length];
  const offsets: number[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) offsets.push(at);
  return offsets;
}

/** Reports whether a span of the draft is as it was before the batch. */
export function isAsBefore(draft: Draft, start: number, end: number): boolean {
  const { from, to } = spanInBase(draft, { from: start, to: end });
  return draft.base.text.slice(from, to) === draft.index.text.slice(start, end);
}
