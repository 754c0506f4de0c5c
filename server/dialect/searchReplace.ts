/** Reads SEARCH/REPLACE blocks, as the models of aider, Cline and Roo write them, into edits. */
import { isAllBlank } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { splitPatch } from "./patchText.js";
import { blockProblems, blockTerms } from "./sentences.js";
import { nextLine, type ParsedText, type ReadingOptions, type TextDialect, TextFindings } from "./textDialect.js";

/**
 * SEARCH/REPLACE blocks. A block's file is named above it or, for all blocks, by the call. The SEARCH text is whole
 * lines. An empty one creates a file; only in aider's form, it appends to a file that has text.
 */
export const searchReplace: TextDialect = {
  name: "SEARCH/REPLACE blocks",
  takesPath: true,
  recognise: (text) => splitPatch(text).findIndex(isStart),
  read: readBlocks,
};

const isStart = (line: string): boolean => /^\s*(?:<{3,}|-{3,}) SEARCH>?\s*$/.test(line);
const isDivider = (line: string): boolean => /^\s*={5,9}\s*$/.test(line);
const isEnd = (line: string): boolean => /^\s*(?:>{3,}|\+{3,}) REPLACE>?\s*$/.test(line);
const isMarker = (line: string): boolean => isStart(line) || isDivider(line) || isEnd(line);

function readBlocks(text: string, { path: callPath }: ReadingOptions): ParsedText {
  const found = new TextFindings(text, { wholeLines: true, terms: blockTerms });
  const { lines } = found;
  let path = callPath;
  let isAider = callPath === undefined;
  /** The line after the previous block. */
  let from = 0;
  for (let at = 0; at < lines.length && !found.isFull; at++) {
    if (isEnd(lines[at] ?? "")) found.report(at, blockProblems.stray(), path);
    if (!isStart(lines[at] ?? "")) continue;
    const named = nameAbove(lines, { from, at, isCertain: callPath !== undefined });
    path = named === undefined ? path : named.path;
    const block = readBlock(found, at, path);
    from = block.next;
    found.took(at, from);
    if (block.texts !== undefined && path === undefined) found.report(at, blockProblems.noPath());
    else if (block.texts !== undefined && path !== undefined)
      found.operations.push({
        kind: "edit",
        index: found.next++,
        path,
        replaceAll: false,
        patchLine: at + 1,
        ...block.texts,
      });
    isAider &&= block.texts?.line === undefined && /^\s*</.test(lines[at] ?? "");
    at = from - 1;
  }
  return found.result(blockProblems.noPath(), { emptyAppends: isAider });
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

const isPath = (name: string): boolean => /^(?:\S+\.\w+|\S*\/\S+|\.\w\S*)$/.test(name);

/** Matches a file's name among other words. */
const mention = /(?<![\w.-])(?!e\.g|i\.e)[\w-]+\.[A-Za-z]\w*[^\w\s]*(?:\s|$)/;

/**
 * Finds the name of a block's file as aider does: on one of the three lines above, within or above a fence. Returns
 * `undefined` if there is none, and no path if a line mentions a file but also has other words.
 */
function nameAbove(
  lines: readonly string[],
  { from, at, isCertain }: { readonly from: number; readonly at: number; readonly isCertain: boolean },
): { readonly path: string | undefined } | undefined {
  let isNear = !isCertain;
  for (const sent of lines.slice(Math.max(from, at - 3), at).reverse()) {
    const line = sent.trim();
    if (line.length > limits.pathLength) return undefined;
    const fenced = /^(?:`{3,}|~{3,})(.*)/.exec(line)?.[1]?.trim();
    if (fenced !== undefined && !/^\S*[./]\S*$/.test(fenced)) continue;
    const name = (fenced ?? line)
      .replace(/:$/, "")
      .replace(/^#+\s*/, "")
      .replace(/^[`*]+|(?<![`*:])[`*:]+$/g, "");
    const isQuoted = /^[`*]+[^`*]+[`*]+:?$/.test(line);
    if (line === "") isNear = false;
    else if (isPath(name) || isQuoted) return { path: name };
    else if (mention.test(name)) return { path: undefined };
    else return isNear && /^\w[\w-]*$/.test(line) ? { path: name } : undefined;
  }
  return undefined;
}
