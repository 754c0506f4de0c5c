/** Finds a missing text in other letter case, with other whitespace or line breaks, or in another form of characters. */
import { firstIndex } from "../../text/lines.js";
import type { TextIndex } from "../textIndex.js";
import { isTelling, wholeLines } from "../wholeLines.js";
import { lineDifference, type Region } from "./difference.js";
import { regionAt } from "./nearest.js";

/** Limits on the search, in UTF-16 code units: longest document, and shortest text that may be part of a line. */
const bounds = { documentUnits: 1_000_000, partUnits: 6, regions: 3 } as const;

/** Returns the first regions that are the same as the old text in everything that people read. */
export function lookalikes(index: TextIndex, oldText: string): Region[] {
  const wanted = squeezed(oldText);
  if (!isTelling(oldText) || index.text.length > bounds.documentUnits) return [];
  const lines = index.matchedLines;
  const parts = lines.contents(0, lines.lineCount).map(squeezed);
  const starts: number[] = [];
  let length = 0;
  for (const part of parts) {
    starts.push(length);
    length += part.length;
  }
  const all = parts.join("");
  const lineOf = (offset: number): number => firstIndex(starts.length, (line) => starts[line]! > offset) - 1;
  const regions: Region[] = [];
  for (let at = all.indexOf(wanted); at !== -1 && regions.length < bounds.regions; at = all.indexOf(wanted, at + 1)) {
    const [first, last] = [lineOf(at), lineOf(at + wanted.length - 1)];
    const end = starts[last]! + parts[last]!.length;
    const isWhole = starts[first] === at && end === at + wanted.length;
    if (isWhole || wanted.length >= bounds.partUnits) regions.push(regionOf(index, oldText, { first, last }));
  }
  return regions;
}

/** Returns a text in lower case and in its compatibility form, without whitespace. */
const squeezed = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/g, "");

/** Returns the region from one line of `matchedLines` to another, both 0-based, with its first difference. */
function regionOf(index: TextIndex, oldText: string, { first, last }: { first: number; last: number }): Region {
  const { lines, ended } = wholeLines(oldText);
  if (lines.length === last - first + 1)
    return regionAt(index, first, { lines, isEnded: ended, blanksInFront: 0, wholeLines: false });
  const ownLine = (line: number): number => index.lines.lineAt(index.matchedLines.start(line));
  const [startLine, endLine] = [ownLine(first), ownLine(last)];
  return { startLine, endLine, difference: lineDifference("lineBreaks", startLine) };
}
