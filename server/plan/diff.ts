/** Git-style unified diffs, computed from known changes rather than by comparing whole texts. */
import { formatPatch, type StructuredPatch } from "diff";
import type { Change } from "../text/changeSet.js";
import { byteOrderMark } from "../text/chars.js";
import { LineIndex, replacedIn, toEnd } from "../text/lines.js";
import { type FileChange, nameAfter } from "./outcome.js";

/** One file's diff. */
export interface FileDiff {
  /** The diff, ready for `git apply` in the workspace folder, with all headers; empty if nothing changes. */
  readonly text: string;
  /** Numbers of added and removed lines. */
  readonly added: number;
  readonly removed: number;
  /** 1-based, in the text after the batch; 0 if the file is deleted, or if it existed before and keeps its text. */
  readonly firstChangedLine: number;
}

/** The number of context lines before and after a change. */
const context = 3;

/** The number of blocks or hunks processed in one step. */
const blocksPerStep = 200;

/** Returns the diff for one file of a plan. As in git, only LF ends a line, no matter how the editor counts lines. */
export function diffOf(file: FileChange): FileDiff {
  return toEnd(diffing(file));
}

/** Like `diffOf`, but yields between steps. */
export function* diffing(file: FileChange): Generator<void, FileDiff> {
  const { document, kind } = file;
  if (file.change.isEmpty && kind === "update") return { text: "", added: 0, removed: 0, firstChangedLine: 0 };
  const mark = document.bom ? byteOrderMark : "";
  const changes = file.change.changes.map(({ from, to, insert }) => ({
    from: from + mark.length,
    to: to + mark.length,
    insert,
  }));
  const lines = yield* LineIndex.building(mark + document.text, { loneCrEndsLine: false });
  const blocks: Block[] = [];
  if (kind === "delete" && lines.text !== "")
    blocks.push({ start: 0, removed: lines.whole(0, lines.filledCount), added: [] });
  let made = 0;
  for (const block of kind === "delete" ? [] : blocksOf(lines, changes)) {
    addRefined(blocks, block);
    if (++made % blocksPerStep === 0) yield;
  }
  const parts = [headOf(file, { hasHunks: blocks.length > 0 })];
  for (const hunk of hunksOf(lines, blocks)) {
    parts.push(hunk);
    if (parts.length % blocksPerStep === 0) yield;
  }
  if (kind === "delete" && document.isBinary === true) parts.push(binaryLineOf(file));
  const first = blocks[0];
  return {
    text: parts.join(""),
    added: blocks.reduce((sum, block) => sum + block.added.length, 0),
    removed: blocks.reduce((sum, block) => sum + block.removed.length, 0),
    firstChangedLine: kind === "delete" ? 0 : first !== undefined ? first.start + 1 : kind === "create" ? 1 : 0,
  };
}

/** Returns the fields of git's header, which precedes the hunks. */
function headerOf(file: FileChange): Omit<StructuredPatch, "hunks"> {
  const { kind, document } = file;
  const [from, to] = [document.path, nameAfter(file).path].map((path) => path.replace(/^\/+/, ""));
  return {
    isGit: true,
    isCreate: kind === "create",
    isDelete: kind === "delete",
    isRename: kind === "rename",
    oldFileName: kind === "create" ? "/dev/null" : `a/${from}`,
    newFileName: kind === "delete" ? "/dev/null" : `b/${to}`,
    oldHeader: undefined,
    newHeader: undefined,
  };
}

/** Returns the header lines; if the diff has no hunks, `---` and `+++` are left out. */
function headOf(file: FileChange, { hasHunks }: { readonly hasHunks: boolean }): string {
  const empty = { oldStart: 1, oldLines: 0, newStart: 1, newLines: 0, lines: [] };
  const text = formatPatch({ ...headerOf(file), hunks: hasHunks ? [empty] : [] });
  return hasHunks ? text.slice(0, text.lastIndexOf("@@ -")) : text;
}

/** Returns the line that git writes in place of a binary file's content. */
function binaryLineOf(file: FileChange): string {
  const { oldFileName, newFileName } = headerOf(file);
  // `formatPatch` quotes the names if necessary, so take them from its `---` and `+++` lines.
  const names = formatPatch({ oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [] });
  const [, from, to] = /^--- (.*)\n\+\+\+ (.*)$/m.exec(names) ?? [];
  return `Binary files ${from} and ${to} differ\n`;
}

/** Removed lines, from the 0-based line `start` on, and the lines that replace them, each with its LF. */
interface Block {
  readonly start: number;
  readonly removed: string[];
  readonly added: string[];
}

/** Expands changes to whole lines and yields the resulting blocks; changes that share a line become one block. */
function* blocksOf(lines: LineIndex, changes: readonly Change[]): Generator<Block> {
  let i = 0;
  while (i < changes.length) {
    const { start } = touchedLines(lines, changes[i] as Change);
    let end = start;
    let text = "";
    let copied = lines.start(start);
    do {
      const change = changes[i++] as Change;
      text += lines.text.slice(copied, change.from) + change.insert;
      copied = change.to;
      end = touchedLines(lines, change).end;
    } while (i < changes.length && touchedLines(lines, changes[i] as Change).start < end);
    end = Math.min(end, lines.filledCount);
    text += lines.text.slice(copied, lines.start(end));
    yield { start, removed: lines.whole(start, end), added: text.match(/[^\n]*\n|[^\n]+$/g) ?? [] };
  }
}

/**
 * Returns the 0-based lines that a change touches; `end` is exclusive. A change that ends at the start of a line does
 * not touch that line, unless it joins the line to the preceding text.
 */
function touchedLines(lines: LineIndex, { from, to, insert }: Change): { start: number; end: number } {
  const start = lines.lineAt(from);
  const last = lines.lineAt(to);
  const endsLine = insert === "" ? from === lines.start(start) : insert.endsWith("\n");
  return { start, end: to === lines.start(last) && endsLine ? last : last + 1 };
}

/**
 * Adds a block without the lines common to both sides, which split it into parts. A part that directly follows the last
 * block is merged into it, so that all of a block's removed lines precede its added lines, as in git.
 */
function addRefined(blocks: Block[], { start, removed, added }: Block): void {
  for (const { from, to, fromB, toB } of replacedIn(removed, added)) {
    let last = blocks.at(-1);
    if (last === undefined || last.start + last.removed.length < start + from) {
      last = { start: start + from, removed: [], added: [] };
      blocks.push(last);
    }
    for (const line of removed.slice(from, to)) last.removed.push(line);
    for (const line of added.slice(fromB, toB)) last.added.push(line);
  }
}

/** Yields the hunks as text: blocks with their context. Blocks whose contexts touch or overlap share a hunk. */
function* hunksOf(lines: LineIndex, blocks: readonly Block[]): Generator<string> {
  const count = lines.filledCount;
  let shift = 0;
  for (let i = 0; i < blocks.length; ) {
    const from = Math.max(0, (blocks[i] as Block).start - context);
    const newStart = from + shift;
    const body: string[] = [];
    let line = from;
    const copyTo = (end: number): void => {
      for (const same of lines.whole(line, end)) body.push(signed(" ", same));
      line = Math.max(line, end);
    };
    do {
      const block = blocks[i++] as Block;
      copyTo(block.start);
      for (const removed of block.removed) body.push(signed("-", removed));
      for (const added of block.added) body.push(signed("+", added));
      line += block.removed.length;
      shift += block.added.length - block.removed.length;
    } while (i < blocks.length && (blocks[i] as Block).start - line <= 2 * context);
    copyTo(Math.min(count, line + context));
    yield `@@ -${rangeOf(from, line)} +${rangeOf(newStart, line + shift)} @@\n${body.join("")}`;
  }
}

/** Formats one side of a hunk header; an empty range has the number of the line before it. */
function rangeOf(start: number, end: number): string {
  const count = end - start;
  // Git omits a count of one.
  return `${count === 0 ? start : start + 1}${count === 1 ? "" : `,${count}`}`;
}

function signed(sign: " " | "-" | "+", line: string): string {
  return line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;
}
