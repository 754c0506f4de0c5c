/** Finds the anchors of a hunk in a text: the lines that say where to look for the hunk. */
import { type LineHits, locateLines } from "../../match/locate.js";
import type { TextIndex } from "../../match/textIndex.js";
import { isBlank, trimEnd, trimStart } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import type { Anchor } from "../operation.js";

/** An anchor that is not a line of the text at or after line `from` (0-based). */
export interface MissingAnchor {
  readonly kind: "noAnchor";
  readonly anchor: string;
  readonly from: number;
}

/** The position after a hunk's anchors, or the anchor that is missing. */
export type Followed =
  /** `line`: the 0-based line at which the search starts. `last`: the last anchor found; `undefined` if none was. */
  { readonly kind: "behind"; readonly line: number; readonly last: Anchor | undefined } | MissingAnchor;

/** Finds a hunk's anchors. Each is a whole line, searched for after the previous anchor's line. */
export function followAnchors(index: TextIndex, anchors: readonly Anchor[], from: number, lenient: boolean): Followed {
  let line = from;
  let last: Anchor | undefined;
  for (const anchor of anchors) {
    const found = findAnchor(index, anchor, line, lenient);
    if (found !== undefined) {
      line = found + 1;
      last = anchor;
    } else if (!lenient || anchor.range === undefined) return { kind: "noAnchor", anchor: anchor.text, from: line };
  }
  return { kind: "behind", line, last };
}

function findAnchor(index: TextIndex, { text }: Anchor, from: number, lenient: boolean): number | undefined {
  const range = { from, most: 1, lenient };
  const literal = locateLines(index, [text], range)?.starts[0];
  const isClosed = lenient && literal === undefined && text !== withoutClosing(text);
  return isClosed ? locateLines(index, [withoutClosing(text)], range)?.starts[0] : literal;
}

/** Returns an anchor without the `@@` with which some models close it, as a unified diff closes its line numbers. */
function withoutClosing(anchor: string): string {
  return anchor.endsWith(" @@") ? anchor.slice(0, -3) : anchor;
}

/** Returns the lines that an anchor names, at or after line `from`, on the first rung that finds any. */
export function findAnchors(index: TextIndex, { text }: Anchor, from: number): LineHits | undefined {
  const range = { from, most: limits.hunkPlaces, lenient: true };
  return locateLines(index, [text], range) ?? locateLines(index, [withoutClosing(text)], range);
}

/** The position after a hunk's anchors if those that are no lines of the text are ignored or taken for a beginning. */
interface Passed {
  /** The text of the first such anchor. */
  readonly ignored: string;
  /** The 0-based line after the last anchor that was found; 0 if none was. */
  readonly line: number;
  /** `true` if an anchor was skipped, because it is not the beginning of exactly one line. */
  readonly isSkipped: boolean;
}

/** Like `followAnchors`, but an anchor may be the start of the only line that has it, or is ignored. */
export function passAnchors(
  { index, left }: { readonly index: TextIndex; readonly left: { units: number } },
  anchors: readonly Anchor[],
): Passed | undefined {
  let ignored: string | undefined;
  let [line, isSkipped] = [0, false];
  for (const anchor of anchors) {
    const found = findAnchor(index, anchor, line, true);
    if (found !== undefined) line = found + 1;
    else if (anchor.range === undefined) {
      left.units -= index.text.length;
      if (left.units < 0 || findAnchor(index, anchor, 0, true) !== undefined) return undefined;
      ignored ??= anchor.text;
      const begun = onlyLineThatBegins(index, withoutClosing(anchor.text), line);
      if (begun === undefined) isSkipped = true;
      else line = begun + 1;
    }
  }
  return ignored === undefined ? undefined : { ignored, line, isSkipped };
}

/**
 * Returns the only line, at or after line `from`, that begins with a text, apart from its indentation, and goes on after
 * the text's last word; `undefined` if there is none, if there are several, or if the text has no letter or digit.
 */
function onlyLineThatBegins(index: TextIndex, anchor: string, from: number): number | undefined {
  const { text, matchedLines: lines } = index;
  const beginning = anchor.slice(trimStart(anchor), trimEnd(anchor));
  if (!/[\p{L}\p{N}]/u.test(beginning) || from >= lines.lineCount) return undefined;
  let only: number | undefined;
  for (let at = text.indexOf(beginning, lines.start(from)); at !== -1; ) {
    const end = at + beginning.length;
    let start = at;
    while (start > 0 && isBlank(text.charCodeAt(start - 1))) start--;
    const isStart = start === 0 || text[start - 1] === "\n" || text[start - 1] === "\r";
    const splitsWord = /[\p{L}\p{N}_]$/u.test(beginning) && /^[\p{L}\p{N}_]/u.test(text.slice(end, end + 2));
    if (isStart && !splitsWord) {
      if (only !== undefined) return undefined;
      only = lines.lineAt(at);
    }
    at = text.indexOf(beginning, end);
  }
  return only;
}
