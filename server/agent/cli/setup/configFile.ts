/**
 * Changes to configuration files of other programs, as pure functions of their texts: each change adds our part, keeps
 * everything else as it is, can be repeated, and can be undone.
 */
import { applyEdits, type FormattingOptions, modify, type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { type Input, unreadable } from "../input.js";

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
  return isObject(value) ? { ok: true, value } : unreadable("it is not a JSON object");
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
    return withoutEmptyParents(changed(text, [...path, index], undefined), path);
  }
  if (present === undefined || (kind === "default" && !isSame(present, value))) return text;
  return withoutEmptyParents(changed(text, path, undefined), path.slice(0, -1));
}

/** Removes the objects and arrays on the path that have become empty, from the innermost one outwards. */
function withoutEmptyParents(text: string, path: readonly string[]): string {
  if (path.length === 0) return text;
  const value = valueAt(text, path);
  const hasNothing = Array.isArray(value) ? value.length === 0 : isEmpty(value);
  return hasNothing ? withoutEmptyParents(changed(text, path, undefined), path.slice(0, -1)) : text;
}

function changed(text: string, path: readonly (string | number)[], value: unknown, options: object = {}): string {
  return applyEdits(text, modify(text, [...path], value, { formattingOptions: formatOf(text), ...options }));
}

/** The file's own way of indenting, taken from its first indented line. */
function formatOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length, eol };
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
  first: `${comment} multi-edit: this block is written and removed by "multi-edit setup".`,
  last: `${comment} multi-edit: end of the block.`,
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
      if (byHand.test(around))
        return unreadable("it already has these settings, which were not written by this command");
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
  const foreign = unreadable("it was not written by this command");
  return {
    path,
    add: (present) => (present === undefined || isOurs(present) ? { ok: true, value: text } : foreign),
    remove: (present) => (isOurs(present) ? { ok: true, value: undefined } : foreign),
  };
}
