/** Finds the patches in a document that people read, such as a chat: each of them is one call in a text dialect. */
import { dialectOf } from "../../dialect/textDialects.js";
import type { LineIndex } from "../../text/lines.js";

/** A patch in a document. */
export interface FoundPatch {
  /** Its first and last line in the document, 0-based. */
  readonly from: number;
  readonly to: number;
  /** These lines, as the document has them. */
  readonly text: string;
  /** The lines (0-based, in the document) on which its blocks begin, if its dialect does not number its edits by lines. */
  readonly blocks: readonly number[];
}

/** How the lines of one dialect lie in a text. All patterns are for a line with the one after it, joined by LF. */
interface Form {
  /** A line on which a patch begins. */
  readonly begin: RegExp;
  /** The line that ends the patch or one of its blocks; absent if a patch consists of the lines that match `inside`. */
  readonly end?: RegExp;
  readonly inside?: RegExp;
  /** The number of lines above a block that may name its file, among them a fence; 0 if the patch itself names it. */
  readonly above: number;
}

const forms: readonly Form[] = [
  { begin: /^\*\*\* (?:Begin Patch|(?:Add|Delete|Update) File: )/, end: /^[ \t]*\*\*\* End Patch/, above: 0 },
  { begin: /^(?:<{5,9}|-{5,9}) ?SEARCH/, end: /^(?:>{5,9}|\+{5,9}) ?REPLACE/, above: 3 },
  {
    begin: /^(?:diff --git |--- .*\n\+\+\+ )/,
    inside:
      /^(?:[ +\-@\\]|diff --git |index |(?:old|new|deleted file|new file) mode |similarity |rename |copy |\n(?:[ +\-@\\]|diff ))/,
    above: 0,
  },
];

/** Matches a text only if it may contain a patch. Nearly all texts that people write are done with this check. */
const sign = /^(?:\*\*\* (?:Begin Patch|(?:Add|Delete|Update) File: )|[<-]{5,9} ?SEARCH|diff --git |--- .)/m;

/** Matches a line that a patch can't go beyond, unless it has its own end. */
const fence = /^(?:`{3,}|~{3,})/;

/** Returns a document's patches, in their order. `isDiff`: the whole document is one patch if it is a unified diff. */
export function findPatches(text: string, lines: LineIndex, isDiff: boolean): FoundPatch[] {
  if (!sign.test(text)) return [];
  const found: FoundPatch[] = [];
  let free = 0;
  for (let at = 0; at < lines.lineCount; at++) {
    const form = forms.find(({ begin }) => begin.test(pairAt(lines, at)));
    if (form === undefined) continue;
    const isWhole = isDiff && form.inside !== undefined;
    const blocks = form.end === undefined ? [] : blocksFrom(lines, form, at);
    const from = isWhole ? 0 : firstLine(lines, form, { at, free });
    const to = isWhole ? lines.lineCount - 1 : (blocks.at(-1)?.to ?? lastInside(lines, form, at));
    const patch = text.slice(lines.start(from), lines.end(to));
    const named = form.above === 0 ? [] : blocks.map((block) => block.at);
    if (dialectOf(patch) !== undefined) found.push({ from, to, text: patch, blocks: named });
    at = to;
    free = to + 1;
  }
  return found;
}

const pairAt = (lines: LineIndex, at: number): string => `${lines.content(at)}\n${lines.content(at + 1)}`;

/** Returns the first line of a patch whose first block begins at `at`. No line above `free` belongs to it. */
function firstLine(lines: LineIndex, { above }: Form, { at, free }: { at: number; free: number }): number {
  let from = at;
  while (from > Math.max(free, at - above) && lines.content(from - 1).trim() !== "") from--;
  return from;
}

/**
 * Returns the blocks of a patch. Blocks that have only fences, empty lines and a line with the name of a file between
 * them are one patch.
 */
function blocksFrom(lines: LineIndex, form: Form, first: number): { readonly at: number; readonly to: number }[] {
  const blocks: { readonly at: number; readonly to: number }[] = [];
  for (let at = first; ; ) {
    const to = blockEnd(lines, form, at);
    blocks.push({ at, to });
    if (form.above === 0) return blocks;
    let names = 0;
    at = to + 1;
    while (at < lines.lineCount && names < 2 && !form.begin.test(pairAt(lines, at))) {
      const line = lines.content(at++);
      if (line.trim() !== "" && !fence.test(line)) names++;
    }
    if (at >= lines.lineCount || names === 2) return blocks;
  }
}

/** Returns the last line of a block: its end or, without one, the line before a fence or the next patch. */
function blockEnd(lines: LineIndex, { begin, end }: Form, at: number): number {
  let cut: number | undefined;
  for (let line = at + 1; line < lines.lineCount; line++) {
    const text = lines.content(line);
    if (end?.test(text)) return line;
    if (fence.test(text)) cut ??= line - 1;
    if (begin.test(text) && !text.includes(" File: ")) return cut ?? line - 1;
  }
  return cut ?? lines.lineCount - 1;
}

/**
 * Returns the last line of a patch without an end. In a fence, that is the last line of the fence. Elsewhere, it is the
 * last line that looks like a part of the patch; other lines before a further hunk are not lost.
 */
function lastInside(lines: LineIndex, { begin, inside }: Form, at: number): number {
  const isFenced = at > 0 && fence.test(lines.content(at - 1));
  let last = at;
  let isOver = false;
  for (let line = at + 1; line < lines.lineCount; line++) {
    const text = lines.content(line);
    if (fence.test(text) || (isOver && begin.test(pairAt(lines, line)))) break;
    isOver = !isFenced && (isOver ? !text.startsWith("@@") : inside?.test(pairAt(lines, line)) !== true);
    if (!isOver && (isFenced || text !== "")) last = line;
  }
  return last;
}
