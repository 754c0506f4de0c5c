/** Changes to configuration files of other programs, as functions of their texts that can be repeated and undone. */
import {
  applyEdits,
  createScanner,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import type { AgentFile, BlockOptions, JsonEntry } from "../../agents/agent.js";
import { type Input, unreadable } from "../shared/input.js";
import { configureSentences } from "./sentences.js";

/** One file that belongs to a program's configuration. */
export interface ConfigFile {
  /** Absolute path; the file may not exist yet. */
  readonly path: string;
  /** Returns the text with our part; for both texts, `undefined` means that there is no file. */
  add(text: string | undefined): Input<string | undefined>;
  /** Returns the text without our part; `undefined` if nothing else is in it, so that the file can be deleted. */
  remove(text: string): Input<string | undefined>;
  /** Returns the offsets of our parts, in ascending order. */
  ours(text: string): readonly OurRange[];
}

/** Offsets in a text, in UTF-16 code units. */
export type OurRange = readonly [from: number, to: number];

/** A JSON file, which may have comments, trailing commas and a byte order mark; all are kept. */
export function jsonFile(path: string, entries: readonly JsonEntry[]): ConfigFile {
  return {
    path,
    add(text) {
      const [mark, body] = splitMark(text ?? "");
      const before = body.trim() === "" ? "{}\n" : body;
      const root = readJson(before);
      if (!root.ok) return root;
      const problem = entries.map((entry) => misfit(before, entry)).find((one) => one !== undefined);
      if (problem !== undefined) return unreadable(problem);
      const after = entries.reduce(addEntry, before);
      // Of a property that is there twice, programs read the last one, but the library changes the first one.
      if (entries.reduce(addEntry, after) !== after) return unreadable(configureSentences.twice);
      return { ok: true, value: mark + after };
    },
    remove(text) {
      const [mark, body] = splitMark(text);
      const root = readJson(body);
      if (!root.ok) return root;
      const after = entries.reduceRight(removeEntry, body);
      const rest = readJson(after);
      const isNothing = rest.ok && isEmpty(rest.value) && !/\/[/*]/.test(after);
      return { ok: true, value: isNothing ? undefined : mark + after };
    },
    ours(text) {
      const [mark, body] = splitMark(text);
      const tree = treeOf(body);
      const nodes = tree === undefined ? [] : ownNodes(tree, entries);
      return nodes.map((node): OurRange => [mark.length + node.offset, mark.length + endOf(node)]);
    },
  };
}

/** Returns the properties and elements that are ours, with those around them in which nothing else is. */
function ownNodes(tree: Node, entries: readonly JsonEntry[]): readonly Node[] {
  const own = new Set(entries.flatMap((entry) => nodesOf(tree, entry)));
  // Nodes that are added while the set is read are looked at, too.
  for (const { parent } of own) {
    if (parent?.parent === undefined || !(parent.children ?? []).every((child) => own.has(child))) continue;
    own.add(parent.parent.type === "property" ? parent.parent : parent);
  }
  const isInner = ({ parent }: Node): boolean => parent !== undefined && (own.has(parent) || isInner(parent));
  return [...own].filter((node) => !isInner(node)).sort((one, other) => one.offset - other.offset);
}

/** Returns the property of an entry, or its elements, if they are ours. */
function nodesOf(tree: Node, { path, value, kind, isOurs = (one) => isSame(one, value) }: JsonEntry): readonly Node[] {
  const node = nodeAt(tree, path);
  if (node === undefined) return [];
  if (kind === "item") {
    return (node.type === "array" ? (node.children ?? []) : []).filter((one) => isOurs(getNodeValue(one)));
  }
  const isOwn = kind === "own" ? runsThisProgram(getNodeValue(node)) : isSame(getNodeValue(node), value);
  return isOwn && node.parent !== undefined ? [node.parent] : [];
}

/** Splits a text into its byte order mark, if it has one, and the rest. */
const splitMark = (text: string): readonly [mark: string, body: string] =>
  text.startsWith("\uFEFF") ? ["\uFEFF", text.slice(1)] : ["", text];

/** Says why an entry does not fit into a text; `undefined` if it does. */
function misfit(text: string, { path, kind }: JsonEntry): string | undefined {
  // A value of the user's in place of the object, such as one rule for all tools, stands.
  if (kind === "default") return undefined;
  const parent = blockedAt(text, path);
  if (parent !== undefined) return configureSentences.wrongProperty(parent, "an object");
  const present = valueAt(text, path);
  if (kind === "own" && present !== undefined && !runsThisProgram(present)) return configureSentences.notOurs(path);
  const isList = kind !== "item" || present === undefined || Array.isArray(present);
  return isList ? undefined : configureSentences.wrongProperty(path, "a list");
}

/** Reports whether an entry for an MCP server runs this program, in whatever way it was installed. */
function runsThisProgram(entry: unknown): boolean {
  const { command, args }: { readonly command?: unknown; readonly args?: unknown } = isObject(entry) ? entry : {};
  const words = [command, args].flat().filter((word) => typeof word === "string");
  return words.some((word) =>
    /(?:^|[\\/])(?:multi-edit(?:-language-server)?(?:@[^\\/]*|\.\w+)?|dist[\\/]main\.cjs)$/.test(word),
  );
}

/** Returns the path of the first property above the end of `path` that has a value which is not an object. */
function blockedAt(text: string, path: readonly string[]): readonly string[] | undefined {
  const parents = path.slice(1).map((_, index) => path.slice(0, index + 1));
  return parents.find((parent) => {
    const value = valueAt(text, parent);
    return value !== undefined && !isObject(value);
  });
}

function readJson(text: string): Input<unknown> {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split("\n").length;
    // For example, "comma expected".
    const problem = printParseErrorCode(first.error)
      .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
      .toLowerCase();
    return unreadable(`line ${line}: ${problem}`);
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

function addEntry(text: string, entry: JsonEntry): string {
  const { path, value, kind, isOurs = (one) => isSame(one, value) } = entry;
  const present = valueAt(text, path);
  if (kind === "item") {
    const own = Array.isArray(present) ? present.filter(isOurs) : [];
    if (own.length === (value === undefined ? 0 : 1) && own.every((one) => isSame(one, value))) return text;
    const rest = removeEntry(text, entry);
    const list = valueAt(rest, path);
    if (value === undefined) return rest;
    if (!Array.isArray(list)) return changed(rest, path, [value]);
    return changed(rest, [...path, list.length], value, { isArrayInsertion: true });
  }
  const isKept = kind === "default" && (present !== undefined || blockedAt(text, path) !== undefined);
  if (isSame(present, value) || isKept) return text;
  return changed(text, path, value);
}

function removeEntry(text: string, entry: JsonEntry): string {
  const tree = treeOf(text);
  const [node] = tree === undefined ? [] : nodesOf(tree, entry);
  if (node === undefined) return text;
  const isItem = entry.kind === "item";
  const rest = withoutEmptyParents(without(text, node), isItem ? entry.path : entry.path.slice(0, -1));
  return isItem ? removeEntry(rest, entry) : rest;
}

/** Removes a property or an element with a comma and its line, but no comments, unlike the library's removal. */
function without(text: string, node: Node): string {
  const siblings = node.parent?.children ?? [];
  const before = siblings[siblings.indexOf(node) - 1];
  const end = endOf(node);
  const ownComma = commaAfter(text, end);
  if (before === undefined || node !== siblings.at(-1))
    return withoutRange(text, node.offset, (ownComma ?? end - 1) + 1);
  // The last of several: the comma before it goes, unless a comma may stay after the last one.
  const comma = commaAfter(text, endOf(before)) ?? node.offset;
  if (text.slice(comma + 1, node.offset).trim() === "") return text.slice(0, comma) + text.slice(end);
  if (ownComma !== undefined) return withoutRange(text, node.offset, ownComma + 1);
  const rest = withoutRange(text, node.offset, end);
  return rest.slice(0, comma) + rest.slice(comma + 1);
}

const endOf = (node: Node): number => node.offset + node.length;

/** Returns the offset of the comma that follows, perhaps after comments; `undefined` if something else follows. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return text[scanner.getTokenOffset()] === "," ? scanner.getTokenOffset() : undefined;
}

/** Removes a range, and the line breaks and blanks around it that would leave an empty line or two blanks. */
function withoutRange(text: string, from: number, to: number): string {
  const indent = /[ \t]*$/.exec(text.slice(0, from))?.[0].length ?? 0;
  const blanks = /^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0;
  const eol = /^\r?\n/.exec(text.slice(to + blanks))?.[0].length ?? 0;
  const isWholeLine = eol > 0 && text[from - indent - 1] === "\n";
  return text.slice(0, isWholeLine ? from - indent : from) + text.slice(to + blanks + (isWholeLine ? eol : 0));
}

/** Removes the objects and arrays on the path in which nothing is left, not even a comment, from the innermost outwards. */
function withoutEmptyParents(text: string, path: readonly string[]): string {
  const tree = path.length === 0 ? undefined : treeOf(text);
  const node = tree === undefined ? undefined : nodeAt(tree, path);
  if (node?.parent === undefined || !/^(?:\{\s*\}|\[\s*\])$/.test(textOf(text, node))) return text;
  return withoutEmptyParents(without(text, node.parent), path.slice(0, -1));
}

/** Sets or adds a value. The library's own formatting would also rewrite the value before it. */
function changed(text: string, path: readonly (string | number)[], value: unknown, options: object = {}): string {
  const edits = modify(text, [...path], value, options);
  return applyEdits(
    text,
    edits.map((edit) => ({ ...edit, content: inLayout(edit, text, path) })),
  );
}

/** Returns the text that an edit writes, on lines of its own unless the object or list around it is on one line. */
function inLayout({ offset, length, content }: Edit, text: string, path: readonly (string | number)[]): string {
  const [, before = "", body = "", after = ""] = /^(,?)(.*?)(,?)$/s.exec(content) ?? [];
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const known = path.findIndex(
    (_, index) => tree === undefined || nodeAt(tree, path.slice(0, index + 1)) === undefined,
  );
  const level = known === -1 ? path.length : known + 1;
  const around = tree === undefined ? undefined : nodeAt(tree, path.slice(0, level - 1));
  const { unit, eol } = styleOf(text);
  const isFlat = around !== undefined && around.length > 2 && !/\n/.test(textOf(text, around));
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

const treeOf = (text: string): Node | undefined => parseTree(text, [], { allowTrailingComma: true });
const nodeAt = (tree: Node, path: readonly (string | number)[]): Node | undefined =>
  findNodeAtLocation(tree, [...path]);
const textOf = (text: string, node: Node): string => text.slice(node.offset, node.offset + node.length);

/** The file's own line ending, and one step of its indentation, taken from its first indented line. */
function styleOf(text: string): { readonly unit: string; readonly eol: string } {
  return { unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ", eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

const marksOf = (comment: string): { readonly first: string; readonly last: string } => ({
  first: `${comment} ${configureSentences.blockStart}`,
  last: `${comment} ${configureSentences.blockEnd}`,
});

/** Returns the offsets of our block, with its last line ending; `undefined` if the text has no complete block. */
export function blockIn(text: string, comment: string): OurRange | undefined {
  const { first, last } = marksOf(comment);
  // A first line whose last line is missing begins no block: what follows it is the user's.
  const from = text.lastIndexOf(first);
  const end = from === -1 ? -1 : text.indexOf(last, from);
  if (end === -1) return undefined;
  const eol = /^\r?\n/.exec(text.slice(end + last.length))?.[0] ?? "";
  return [from, end + last.length + eol.length];
}

/** A file with a block of ours at its end. The user may move the block; its contents are replaced. */
export function blockFile(path: string, { comment, block, byHand }: BlockOptions): ConfigFile {
  const { first, last } = marksOf(comment);
  const place = (text: string): OurRange | undefined => blockIn(text, comment);
  return {
    path,
    add(present) {
      const text = present ?? "";
      const eol = text.includes("\r\n") ? "\r\n" : "\n";
      const whole = `${first}\n${block}${last}\n`.replaceAll("\n", eol);
      const at = place(text);
      const around = at === undefined ? text : text.slice(0, at[0]) + text.slice(at[1]);
      if (byHand.test(around)) return unreadable(configureSentences.byHand);
      if (at !== undefined) return { ok: true, value: `${text.slice(0, at[0])}${whole}${text.slice(at[1])}` };
      // An empty line is between the text and the block. If the text lacks its final line ending, or is empty, there is
      // none, and so removal knows that this line ending is ours, too.
      return { ok: true, value: present === undefined ? whole : `${text}${eol}${whole}` };
    },
    remove(text) {
      const at = place(text);
      if (at === undefined) return { ok: true, value: text };
      const [before, after] = [text.slice(0, at[0]), text.slice(at[1])];
      if (before + after === "") return { ok: true, value: undefined };
      const isOurLine = after === "" || /\n\r?\n$/.test(before);
      return { ok: true, value: `${isOurLine ? before.replace(/\r?\n$/, "") : before}${after}` };
    },
    ours(text) {
      const at = place(text);
      return at === undefined ? [] : [at];
    },
  };
}

/** A file that consists of our part only. `text`: its contents; `undefined` if there is to be no such file of ours. */
export function wholeFile(path: string, text: string | undefined, isOurs: (present: string) => boolean): ConfigFile {
  const keepForeign = (present: string | undefined): Input<string | undefined> =>
    // Another file of this name is the user's; if there is to be none of ours, it is no reason to refuse.
    text === undefined ? { ok: true, value: present } : unreadable(configureSentences.foreign);
  return {
    path,
    add: (present) => (present === undefined || isOurs(present) ? { ok: true, value: text } : keepForeign(present)),
    remove: (present) => (isOurs(present) ? { ok: true, value: undefined } : keepForeign(present)),
    ours: (present) => (isOurs(present) ? [[0, present.length]] : []),
  };
}

/** Returns the file that an agent's description means. */
export function configFileOf(file: AgentFile): ConfigFile {
  if (file.kind === "json") return jsonFile(file.path, file.entries);
  return file.kind === "block" ? blockFile(file.path, file) : wholeFile(file.path, file.text, file.isOurs);
}
