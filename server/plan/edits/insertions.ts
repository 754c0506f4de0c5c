/** Recognises lines that an earlier edit of the call has already inserted at the same point of the text. */
import { endsLine } from "../../match/reshape.js";
import type { Change } from "../../text/changeSet.js";
import { lineTexts } from "../../text/chars.js";
import type { Draft } from "../draft.js";

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

  /**
   * Reports whether an edit only inserts lines that earlier edits have inserted at the same points. `at`: the draft to
   * which the changes refer. `now`: the draft that must still contain the lines; `undefined` if no edit can have removed
   * them.
   */
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
  const lines = index.matchedLines;
  const line = lines.lineAt(from);
  const sent = lineTexts(insert);
  if (from === lines.start(line) && endsLine(insert))
    return { before: change.unitBack(from).from, lines: sent.slice(0, -1).join("\n") };
  if (from === lines.contentEnd(line) && sent.length > 1 && sent[0] === "")
    return { before: change.unitBack(lines.end(line)).from, lines: sent.slice(1).join("\n") };
  return undefined;
}

/** Reports whether a draft still contains the lines between the line before and the line after the insertion. */
function isThere({ base, change, index }: Draft, { before, lines }: Insertion): boolean {
  const previous = before === 0 ? 0 : base.matchedLines.contentEnd(base.matchedLines.lineAt(before - 1));
  const [from, to] = [change.mapPos(previous, "before"), change.mapPos(before, "after")];
  return `\n${lineTexts(index.text.slice(from, to)).join("\n")}\n`.includes(`\n${lines}\n`);
}
