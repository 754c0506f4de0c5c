/**
 * Changes to configuration files of other programs, as pure functions of their texts: each change adds our part, keeps
 * everything else as it is, can be repeated, and can be undone.
 */
import {
  applyEdits,
  type Edit,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { type Input, unreadable } from "../input.js";
import { configureSentences } from "../sentences.js";

/** One file that belongs to a program's configuration. */
export interface ConfigFile {
  /** Absolute path; the file may not exist yet. */
  readonly path: string;
  /** Returns the text with our part; `undefined` stands for a file that does not exist. */
  add(text: string | undefined): Input<string>;
  /** Returns the text without our part; `undefined` if nothing else is in it, so that the file can be deleted. */
  remove(text: string): Input<string | undefined>;
}

/** One property of a JSON file. */
export interface JsonEntry {
  /** Names of the properties that lead to it. */
  readonly path: readonly string[];
  /** The value; of an `item`, an element of the array. */
  readonly value: unknown;
  /**
   * `own`: belongs to this program, so another value is replaced. `default`: another value of the user is kept.
   * `item`: an element of an array, added if it is missing.
   */
  readonly kind: "own" | "default" | "item";
}

/** A JSON file, which may have comments and trailing commas; both are kept. */
export function jsonFile(path: string, entries: readonly JsonEntry[]): ConfigFile {
  return {
    path,
    add(text) {
      const before = text === undefined || text.trim() === "" ? "{}\n" : text;
      const root = readJson(before);
      if (!root.ok) return root;
      return { ok: true, value: entries.reduce(addEntry, before) };
    },
    remove(text) {
      const root = readJson(text);
      if (!root.ok) return root;
      const after = entries.reduceRight(removeEntry, text);
      const rest = readJson(after);
      return { ok: true, value: rest.ok && isEmpty(rest.value) && !/\/[/*]/.test(after) ? undefined : after };
    },
  };
}

function readJson(text: string): Input<unknown> {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split("\n").length;
    return unreadable(`line ${line}: ${printParseErrorCode(first.error)}`);
  }
  return isObject(value) ? { ok: true, value } : unreadable(configureSentences.notObject);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function valueAt(text: string, path: readonly string[]): unknown {
  let value: unknown = parse(text, [], { allowTrailingComma: true });
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value;
}

function addEntry(text: string, { path, value, kind }: JsonEntry): string {
  const present = valueAt(text, path);
  if (kind === "item") {
    if (present === undefined) return changed(text, path, [value]);
    if (!Array.isArray(present) || present.some((one) => isSame(one, value))) return text;
    return changed(text, [...path, present.length], value, { isArrayInsertion: true });
  }
  if (isSame(present, value) || (kind === "default" && present !== undefined)) return text;
  return changed(text, path, value);
}

function removeEntry(text: string, { path, value, kind }: JsonEntry): string {
  const present = valueAt(text, path);
  if (kind === "item") {
    const index = Array.isArray(present) ? present.findIndex((one) => isSame(one, value)) : -1;
    if (index === -1) return text;
    return withoutEmptyParents(withoutItem(text, path, index), path);
  }
  if (present === undefined || (kind === "default" && !isSame(present, value))) return text;
  return withoutEmptyParents(changed(text, path, undefined), path.slice(0, -1));
}

/**
 * Removes an element of an array, with one of the commas beside it. The library's own removal leaves a part of the last
 * element.
 */
function withoutItem(text: string, path: readonly string[], index: number): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const items = (tree === undefined ? undefined : nodeAt(tree, path)?.children) ?? [];
  const [before, item, after] = [items[index - 1], items[index], items[index + 1]];
  if (item === undefined) return text;
  const end = item.offset + item.length;
  const from = before === undefined ? item.offset : before.offset + before.length;
  const to = before === undefined && after !== undefined ? after.offset : end;
  return text.slice(0, from) + text.slice(to);
}

/** Removes the objects and arrays on the path that have become empty, from the innermost one outwards. */
function withoutEmptyParents(text: string, path: readonly string[]): string {
  if (path.length === 0) return text;
  const value = valueAt(text, path);
  const hasNothing = Array.isArray(value) ? value.length === 0 : isEmpty(value);
  return hasNothing ? withoutEmptyParents(changed(text, path, undefined), path.slice(0, -1)) : text;
}

/** Sets, adds or removes a value. The library's own formatting would also rewrite the value before it. */
function changed(text: string, path: readonly (string | number)[], value: unknown, options: object = {}): string {
  const edits = modify(text, [...path], value, options);
  return applyEdits(
    text,
    edits.map((edit) => ({ ...edit, content: inLayout(edit, text, path) })),
  );
}

/** Returns the text that an edit writes, on lines of its own unless the object or list around it is on one line. */
function inLayout({ offset, length, content }: Edit, text: string, path: readonly (string | number)[]): string {
  if (content === "") return content;
  const [, before = "", body = "", after = ""] = /^(,?)(.*?)(,?)$/s.exec(content) ?? [];
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const known = path.findIndex(
    (_, index) => tree === undefined || nodeAt(tree, path.slice(0, index + 1)) === undefined,
  );
  const level = known === -1 ? path.length : known + 1;
  const around = tree === undefined ? undefined : nodeAt(tree, path.slice(0, level - 1));
  const { unit, eol } = styleOf(text);
  const isFlat = around !== undefined && around.length > 2 && !/\n/.test(textOf(text, around)) && level > 1;
  if (isFlat) return `${before}${before === "" ? "" : " "}${body}${after}`;
  const isProperty = /^"(?:[^"\\]|\\.)*":/.test(body);
  const parsed: unknown = JSON.parse(isProperty ? `{${body}}` : body);
  const whole = JSON.stringify(parsed, undefined, unit);
  const lines = isProperty
    ? whole
        .split("\n")
        .slice(1, -1)
        .map((line) => line.slice(unit.length))
    : whole.split("\n");
  const indented = lines.map((line) => unit.repeat(level) + line).join(eol);
  // A value that is replaced keeps its place; a new one begins a line.
  if (known === -1) return indented.trimStart();
  const closes = text.slice(offset + length).trimStart();
  const isLast = /^[}\]]/.test(closes) && !/\n[ \t]*$/.test(text.slice(offset + length, text.length - closes.length));
  return `${before}${eol}${indented}${after}${isLast ? eol + unit.repeat(level - 1) : ""}`;
}

const nodeAt = (tree: Node, path: readonly (string | number)[]): Node | undefined =>
  findNodeAtLocation(tree, [...path]);
const textOf = (text: string, node: Node): string => text.slice(node.offset, node.offset + node.length);

/** The file's own line ending, and one step of its indentation, taken from its first indented line. */
function styleOf(text: string): { readonly unit: string; readonly eol: string } {
  return { unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ", eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

/** A file of another format, in which our part is a block between two comments. */
export interface BlockOptions {
  /** The characters that begin a comment. */
  readonly comment: string;
  /** Lines of the block, with their line ends. */
  readonly block: string;
  /** Matches our part if the user has put it into the file by hand, outside the block. */
  readonly byHand: RegExp;
}

const marksOf = (comment: string): { readonly first: string; readonly last: string } => ({
  first: `${comment} ${configureSentences.blockStart}`,
  last: `${comment} ${configureSentences.blockEnd}`,
});

/** Returns the offsets of our block, with its last line ending; `undefined` if the text has no complete block. */
export function blockIn(text: string, comment: string): readonly [from: number, to: number] | undefined {
  const { first, last } = marksOf(comment);
  const from = text.indexOf(first);
  const end = from === -1 ? -1 : text.indexOf(last, from);
  return end === -1 ? undefined : [from, end + last.length + (text[end + last.length] === "\n" ? 1 : 0)];
}

/** A file with a block of ours at its end. The user may move the block; its contents are replaced. */
export function blockFile(path: string, { comment, block, byHand }: BlockOptions): ConfigFile {
  const { first, last } = marksOf(comment);
  const whole = `${first}\n${block}${last}\n`;
  const place = (text: string): readonly [from: number, to: number] | undefined => blockIn(text, comment);
  return {
    path,
    add(text = "") {
      const at = place(text);
      const around = at === undefined ? text : text.slice(0, at[0]) + text.slice(at[1]);
      if (byHand.test(around)) return unreadable(configureSentences.byHand);
      if (at !== undefined) return { ok: true, value: `${text.slice(0, at[0])}${whole}${text.slice(at[1])}` };
      const space = text === "" ? "" : text.endsWith("\n") ? "\n" : "\n\n";
      return { ok: true, value: `${text}${space}${whole}` };
    },
    remove(text) {
      const at = place(text);
      if (at === undefined) return { ok: true, value: text };
      const [before, after] = [text.slice(0, at[0]), text.slice(at[1])];
      const kept = `${before.endsWith("\n\n") ? before.slice(0, -1) : before}${after}`;
      return { ok: true, value: kept.trim() === "" ? undefined : kept };
    },
  };
}

/** A file that consists of our part only. `text`: its contents. */
export function wholeFile(path: string, text: string, isOurs: (present: string) => boolean): ConfigFile {
  const foreign = unreadable(configureSentences.foreign);
  return {
    path,
    add: (present) => (present === undefined || isOurs(present) ? { ok: true, value: text } : foreign),
    remove: (present) => (isOurs(present) ? { ok: true, value: undefined } : foreign),
  };
}
