/** Unified diffs in git's style, made from the changes that are known rather than by comparing whole texts. */

import { diffArrays, formatPatch, type StructuredPatch } from "diff";
import type { Change } from "../text/changeSet.js";
import { byteOrderMark } from "../text/chars.js";
import { limits } from "../text/limits.js";
import { LineIndex, toEnd } from "../text/lines.js";
import { type FileChange, nameAfter } from "./outcome.js";

/** One file's diff. */
export interface FileDiff {
  /** With `diff --git` and file headers; empty where nothing changes. `git apply` takes it in the file's folder. */
  readonly text: string;
  /** Lines. */
  readonly added: number;
  readonly removed: number;
  /** 1-based line of the text after; 0 where nothing changes. */
  readonly firstChangedLine: number;
}

/** Lines of context around a change. */
const context = 3;

/** Blocks, or hunks, that are made in one step. */
const blocksPerStep = 200;

/** The diff of one file of a plan. Lines are git's, ended by LF alone, whatever the editor counts. */
export function diffOf(file: FileChange): FileDiff {
  return toEnd(diffing(file));
}

/** The same in steps. */
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
  const blocks = kind === "delete" ? wholeOf(lines) : joined(yield* refined(lines, changes));
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

/**
 * The files of a plan in the order in which git takes their diffs together: theirs, but what has to free a name comes
 * before what takes it.
 */
export function inDiffOrder(files: readonly FileChange[]): FileChange[] {
  const leaving = new Map(
    files.filter(({ kind }) => kind === "rename" || kind === "delete").map((file) => [file.document.uri, file]),
  );
  const ordered = new Set<FileChange>();
  for (const file of files) {
    // A walk along a chain, since a name is freed by one file at most, and a plan has no circles.
    const chain: FileChange[] = [];
    for (let at: FileChange | undefined = file; at !== undefined && !ordered.has(at) && !chain.includes(at); ) {
      chain.push(at);
      at = at.kind === "create" ? leaving.get(at.document.uri) : leaving.get(at.kind === "rename" ? at.target.uri : "");
    }
    for (const one of chain.reverse()) ordered.add(one);
  }
  return [...ordered];
}

/** What git writes above the hunks. */
function headerOf(file: FileChange): Omit<StructuredPatch, "hunks"> {
  const { kind, document } = file;
  const nameOf = (path: string): string => path.replace(/^\/+/, "");
  return {
    isGit: true,
    isCreate: kind === "create",
    isDelete: kind === "delete",
    isRename: kind === "rename",
    oldFileName: kind === "create" ? "/dev/null" : `a/${nameOf(document.path)}`,
    newFileName: kind === "delete" ? "/dev/null" : `b/${nameOf(nameAfter(file).path)}`,
    oldHeader: undefined,
    newHeader: undefined,
  };
}

/** The lines above the hunks, which say more where there are any. */
function headOf(file: FileChange, { hasHunks }: { readonly hasHunks: boolean }): string {
  const empty = { oldStart: 1, oldLines: 0, newStart: 1, newLines: 0, lines: [] };
  const text = formatPatch({ ...headerOf(file), hunks: hasHunks ? [empty] : [] });
  return hasHunks ? text.slice(0, text.lastIndexOf("@@ -")) : text;
}

/** What git says of bytes that it does not show. */
function binaryLineOf(file: FileChange): string {
  const { oldFileName, newFileName } = headerOf(file);
  // The two names stand quoted behind their signs, where a name needs it.
  const names = formatPatch({ oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [] });
  const [, from, to] = /^--- (.*)\n\+\+\+ (.*)$/m.exec(names) ?? [];
  return `Binary files ${from} and ${to} differ\n`;
}

/** Every line of a text, taken away. */
function wholeOf(lines: LineIndex): Block[] {
  const removed = range(0, lineCountOf(lines)).map((line) => lines.text.slice(lines.start(line), lines.end(line)));
  return removed.length === 0 ? [] : [{ start: 0, removed, added: [] }];
}

/** Lines that are replaced: `removed` stood at the 0-based line `start`. A line carries its LF, if it has one. */
interface Block {
  readonly start: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Lines as git counts them: what is behind the last LF is a line only if there is something. */
function lineCountOf(lines: LineIndex): number {
  return lines.start(lines.lineCount - 1) === lines.text.length ? lines.lineCount - 1 : lines.lineCount;
}

/** All changes as blocks, without the lines that both sides have. */
function* refined(lines: LineIndex, changes: readonly Change[]): Generator<void, Block[]> {
  const blocks: Block[] = [];
  let made = 0;
  for (const block of blocksOf(lines, changes)) {
    blocks.push(...refine(block));
    if (++made % blocksPerStep === 0) yield;
  }
  return blocks;
}

/** Widens changes to whole lines, one block after the other; changes that share a line become one. */
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
    end = Math.min(end, lineCountOf(lines));
    text += lines.text.slice(copied, lines.start(end));
    const removed = range(start, end).map((line) => lines.text.slice(lines.start(line), lines.end(line)));
    yield { start, removed, added: cut(text) };
  }
}

/** 0-based lines that a change touches, `end` excluded: a line in front of which it ends with a line end is left alone. */
function touchedLines(lines: LineIndex, { from, to, insert }: Change): { start: number; end: number } {
  const start = lines.lineAt(from);
  const last = lines.lineAt(to);
  const endsLine = insert === "" ? from === lines.start(start) : insert.endsWith("\n");
  return { start, end: to === lines.start(last) && endsLine ? last : last + 1 };
}

const range = (start: number, end: number): number[] =>
  Array.from({ length: Math.max(0, end - start) }, (_, i) => start + i);

function cut(text: string): string[] {
  const lines = text.split("\n").map((line) => `${line}\n`);
  const last = (lines.pop() as string).slice(0, -1);
  return last === "" ? lines : [...lines, last];
}

/** Leaves out of a block the lines that both sides have. */
function refine(block: Block): Block[] {
  const { removed, added } = block;
  // Most blocks are a line for a line, or lines on one side only, where nothing is to be compared.
  if (removed.length <= 1 && added.length <= 1 && removed[0] !== added[0]) return [block];
  if ((removed.length === 0) !== (added.length === 0)) return [block];
  const parts = diffArrays([...removed], [...added], { maxEditLength: limits.alignDistance });
  if (parts === undefined) return [block];
  const blocks: Block[] = [];
  let start = block.start;
  let open: { start: number; removed: string[]; added: string[] } | undefined;
  for (const part of parts) {
    if (!part.added && !part.removed) {
      if (open !== undefined) blocks.push(open);
      open = undefined;
      start += part.count;
      continue;
    }
    open ??= { start, removed: [], added: [] };
    (part.added ? open.added : open.removed).push(...part.value);
    if (part.removed) start += part.count;
  }
  return open === undefined ? blocks : [...blocks, open];
}

/** Blocks with no line between them as one, so that a hunk has all removed lines before the added ones, as git has. */
function joined(blocks: readonly Block[]): Block[] {
  const out: { start: number; removed: string[]; added: string[] }[] = [];
  for (const { start, removed, added } of blocks) {
    const last = out.at(-1);
    if (last === undefined || last.start + last.removed.length < start) {
      out.push({ start, removed: [...removed], added: [...added] });
      continue;
    }
    for (const line of removed) last.removed.push(line);
    for (const line of added) last.added.push(line);
  }
  return out;
}

/** Blocks with their context, as text, one hunk after the other; those whose context touches share a hunk. */
function* hunksOf(lines: LineIndex, blocks: readonly Block[]): Generator<string> {
  const count = lineCountOf(lines);
  let shift = 0;
  for (let i = 0; i < blocks.length; ) {
    const from = Math.max(0, (blocks[i] as Block).start - context);
    const newStart = from + shift;
    const body: string[] = [];
    let line = from;
    const copyTo = (end: number): void => {
      for (; line < end; line++) body.push(signed(" ", lines.text.slice(lines.start(line), lines.end(line))));
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

/** Lines of one side, as a hunk's header has them: the first, 1-based, and how many; of none, the line in front of them. */
function rangeOf(start: number, end: number): string {
  const count = end - start;
  // Git leaves a count of one out.
  return `${count === 0 ? start : start + 1}${count === 1 ? "" : `,${count}`}`;
}

function signed(sign: " " | "-" | "+", line: string): string {
  return line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;
}
