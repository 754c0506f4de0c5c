/** Reads SEARCH/REPLACE blocks, as the models of aider, Cline and Roo write them, into edits. */
import { isAllBlank } from "../text/chars.js";
import { type BlockName, nameAbove, nameOf } from "./blockNames.js";
import { splitPatch } from "./patchText.js";
import { blockProblems, blockTerms } from "./sentences.js";
import {
  linesOf,
  nextLine,
  type ParsedText,
  type ReadingOptions,
  type TextDialect,
  TextFindings,
} from "./textDialect.js";

/** SEARCH/REPLACE blocks of whole lines. An empty SEARCH creates a file or, in aider's form only, appends. */
export const searchReplace: TextDialect = {
  name: "SEARCH/REPLACE blocks",
  takesPath: true,
  recognise: (text) => splitPatch(text).findIndex((line) => isStart(line) || isEnd(line)),
  read: readBlocks,
};

/** Matches the first marker of a block in the forms of aider's models that name the file on it, or write it otherwise. */
const looseStart = /^\s*<{5,} ?(?:SEARCH|[Ss]earch|ORIGINAL)>?(?:\s+(\S+))?\s*$/;

function isStart(line: string): boolean {
  if (/^\s*(?:<{3,}|-{3,}) SEARCH>?\s*$/.test(line)) return true;
  const loose = looseStart.exec(line);
  return loose !== null && (loose[1] === undefined || nameOf(loose[1]) !== undefined);
}
const isDivider = (line: string): boolean => /^\s*={5,9}\s*$/.test(line);
const isEnd = (line: string): boolean =>
  /^\s*(?:(?:>{3,}|\+{3,}) REPLACE>?|>{5,} ?(?:REPLACE|[Rr]eplace|UPDATED)>?)\s*$/.test(line);
const isMarker = (line: string): boolean => isStart(line) || isDivider(line) || isEnd(line);

function readBlocks(text: string, { path: callPath }: ReadingOptions): ParsedText {
  const found = new TextFindings(linesOf(text), { wholeLines: true, terms: blockTerms });
  const { lines } = found;
  let name: BlockName | undefined = callPath === undefined ? undefined : { path: callPath, isSure: true };
  let isAider = callPath === undefined;
  /** The line after the previous block. */
  let from = 0;
  for (let at = 0; at < lines.length && !found.isFull; at++) {
    const line = lines[at] ?? "";
    if (isEnd(line)) found.report(at, from === 0 ? blockProblems.noStart() : blockProblems.stray(), name?.path);
    if (!isStart(line)) continue;
    const onMarker = looseStart.exec(line)?.[1];
    const named = onMarker === undefined ? nameAbove(lines.slice(from, at), name, callPath) : nameOf(onMarker);
    name = named === "unclear" ? undefined : (named ?? name);
    const block = readBlock(found, at, name?.path);
    from = block.next;
    found.took(at, from);
    const { texts } = block;
    if (texts !== undefined && name === undefined) found.report(at, blockProblems.noPath());
    else if (texts?.oldText === "" && name?.isSure === false) found.report(at, blockProblems.newName(name.path));
    else if (texts !== undefined && name !== undefined && !found.reportLength(at, name.path))
      found.operations.push({
        kind: "edit",
        index: found.next++,
        path: name.path,
        replaceAll: false,
        patchLine: at + 1,
        ...texts,
      });
    isAider &&= texts?.line === undefined && /^\s*</.test(line);
    at = from - 1;
  }
  return found.result({ problem: blockProblems.noPath() }, { emptyAppends: isAider });
}

/** The texts of a block, and Roo's number of the line at which the old one starts. */
interface BlockTexts {
  readonly oldText: string;
  readonly newText: string;
  readonly line: number | undefined;
}

/** Reads the block that begins at a line (0-based). Reports what is wrong with it; `next` is the line after the block. */
function readBlock(found: TextFindings, start: number, path: string | undefined): { texts?: BlockTexts; next: number } {
  const { lines } = found;
  const fail = (at: number, problem: string) => {
    found.report(Math.min(at, lines.length - 1), problem, path);
    // What follows may be the rest of the same block, up to the next one.
    return { next: nextLine(lines, start + 1, isStart) };
  };
  let first = start + 1;
  while (/^:(?:start|end)_line:\s*\d+\s*$/.test(lines[first] ?? "")) first++;
  const hint = lines.slice(start + 1, first).join("\n");
  const isRoo = first > start + 1;
  if (isRoo && /^-{5,9}\s*$/.test(lines[first] ?? "")) first++;
  const divider = nextLine(lines, first, isMarker);
  if (!isDivider(lines[divider] ?? "")) return fail(divider, blockProblems.noDivider());
  const end = nextLine(lines, divider + 1, isMarker);
  if (end === lines.length) return fail(end, blockProblems.noEnd());
  if (!isEnd(lines[end] ?? "")) return fail(end, blockProblems.marker());
  const textOf = (part: readonly string[]): string =>
    // Roo's models put a backslash before a line that is like a marker.
    part.map((line) => `${isRoo ? line.replace(/^\\(?=[<=>-]{7}|:(?:start|end)_line:)/, "") : line}\n`).join("");
  const oldText = textOf(lines.slice(first, divider));
  const line = /:start_line:\s*(\d+)/.exec(hint)?.[1];
  const texts = {
    oldText: isAllBlank(oldText) ? "" : oldText,
    newText: textOf(lines.slice(divider + 1, end)),
    line: line === undefined ? undefined : Math.max(1, Number(line)),
  };
  return { texts, next: end + 1 };
}
