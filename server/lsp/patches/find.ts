/** Finds the patches in a document that people read, such as a chat. Each of them is one call, in a text dialect. */
import { dialectOf } from "../../dialect/textDialects.js";
import type { LineIndex } from "../../text/lines.js";

/** A patch in a document. */
export interface FoundPatch {
  /** The first and the last line, 0-based. */
  readonly from: number;
  readonly to: number;
  /** The document's text from the first line on, possibly with lines after the last one that the dialect ignores. */
  readonly text: string;
}

/** Matches a text only if it may have a patch. For nearly all texts that people write, this check is all that is done. */
const sign = /^(?:\*\*\* (?:Begin Patch|(?:Add|Delete|Update) File: )|\s*[<-]{3,} SEARCH|diff --git |--- .)/m;

const codexPatch = { begin: /^\*\*\* Begin Patch/, end: /^\s*\*\*\* End Patch/ };

/** A block of old and new text. The file's name, and a fence, may be on the lines above it. */
const searchBlock = { begin: /^\s*[<-]{3,} SEARCH/, end: /^\s*[>+]{3,} REPLACE/, linesAbove: 3 };

const fence = /^ {0,3}(?:`{3,}|~{3,})[ \t]*(\w?)/;

/** Matches the lines with which a patch can end, and those in it. */
const patchLine = /^(?:[ +@\\-]|\*\*\* |>{3,} REPLACE|diff |rename |Binary )/;

/** Returns a document's patches in order. It is cut at fences, headings and around Codex patches. */
export function findPatches(text: string, lines: LineIndex): FoundPatch[] {
  if (!sign.test(text)) return [];
  const cuts = cutsIn(lines);
  return [0, ...cuts].flatMap((start, i) => {
    const end = cuts[i] ?? lines.lineCount;
    const piece = text.slice(lines.start(start), lines.start(end));
    const first = sign.test(piece) ? dialectOf(piece)?.recognise(piece) : undefined;
    if (first === undefined) return [];
    let from = start + first;
    let room = searchBlock.begin.test(lines.content(from)) ? searchBlock.linesAbove : 0;
    for (; room > 0 && from > 0 && lines.content(from - 1).trim() !== ""; room--) from--;
    let to = end - 1;
    while (to > start + first && !patchLine.test(lines.content(to))) to--;
    return [{ from, to, text: text.slice(lines.start(from), lines.start(end)) }];
  });
}

/** Returns the lines on which pieces begin. A fence or a heading in a patch or a block is text. */
function cutsIn(lines: LineIndex): number[] {
  const cuts: number[] = [];
  let open: typeof codexPatch | undefined;
  let isFenced = false;
  for (let at = 0; at < lines.lineCount; at++) {
    const line = lines.content(at);
    const begun = [codexPatch, searchBlock].find(({ begin }) => begin.test(line));
    const fenced = fence.exec(line);
    // A second beginning shows that the first has no end.
    if (begun !== undefined && (open === undefined || open === begun)) {
      open = begun;
      if (begun === codexPatch) cuts.push(at);
    } else if (open?.end.test(line) === true) {
      if (open === codexPatch) cuts.push(at + 1);
      open = undefined;
    } else if (open === undefined && fenced !== null) {
      isFenced = !isFenced || fenced[1] !== "";
      cuts.push(isFenced ? at : at + 1);
    } else if (open === undefined && !isFenced && /^#{1,6} /.test(line) && lines.content(at - 1) === "") cuts.push(at);
  }
  return cuts;
}
