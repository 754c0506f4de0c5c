/** Reads TypeScript sources as text and knows just enough of the language to tell code from comments and strings. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A file of the project. */
export interface Source {
  /** The path relative to the project, with `/` as the separator. */
  readonly path: string;
  readonly text: string;
}

/** One source in two masked forms, both of which preserve all offsets and line numbers. */
export interface Masked {
  /** The source with comments and the contents of strings, templates and regular expressions replaced by spaces. */
  readonly code: string;
  /** The source with only its comments replaced by spaces. */
  readonly uncommented: string;
  readonly literals: readonly Literal[];
}

/** A piece of source: its kind, and the offset of its end. */
interface Token {
  readonly kind: "comment" | "quoted" | "code";
  readonly end: number;
}

/** The text of a literal: a string, or a template in which each substitution is an ellipsis. */
export interface Literal {
  /** Offset of its opening quote. */
  readonly at: number;
  /** The text between the quotes, with escapes as written. */
  readonly text: string;
}

/** Replaces everything that is not code with spaces. */
export function maskSource(text: string): Masked {
  const cached = masks.get(text);
  if (cached !== undefined) return cached;
  let code = "";
  let uncommented = "";
  const quoted: Quoted[] = [];
  const braces: Braces = { depth: 0, templates: [] };
  for (let at = 0; at < text.length; ) {
    const { kind, end } = tokenAt(text, at, code, braces);
    const token = text.slice(at, end);
    code += kind === "code" ? token : blanks(token, { keepEnds: kind === "quoted" });
    uncommented += kind === "comment" ? blanks(token, { keepEnds: false }) : token;
    if (kind === "quoted") quoted.push({ at, token });
    at = end;
  }
  const masked = { code, uncommented, literals: literalsIn(quoted) };
  masks.set(text, masked);
  return masked;
}

/** A string, a regular expression, or a part of a template: from a backtick or brace to the next backtick or brace. */
interface Quoted {
  readonly at: number;
  readonly token: string;
}

/** Strings and templates, in the order in which they end; regular expressions are left out. */
function literalsIn(quoted: readonly Quoted[]): Literal[] {
  const open: Literal[] = [];
  return quoted.flatMap(({ at, token }) => {
    if (token.startsWith("/")) return [];
    if (/^["']/.test(token)) return [{ at, text: token.slice(1, -1) }];
    const before = token.startsWith("}") ? open.pop() : undefined;
    const part = (end: number) => `${before === undefined ? "" : `${before.text}…`}${token.slice(1, end)}`;
    const start = before?.at ?? at;
    if (!token.endsWith("${")) return [{ at: start, text: part(-1) }];
    open.push({ at: start, text: part(-2) });
    return [];
  });
}

/** A cache of masked sources, keyed by text, because the rules mask the same files again and again. */
const masks = new Map<string, Masked>();

/** The state of a scan through nested templates. */
interface Braces {
  /** Number of braces that are currently open. */
  depth: number;
  /** The depth at which each open template continues. */
  readonly templates: number[];
}

function tokenAt(text: string, at: number, before: string, braces: Braces): Token {
  const rest = text.slice(at, at + 2);
  if (rest === "//") return { kind: "comment", end: endAt(text, /\n|$/g, at) };
  if (rest === "/*") return { kind: "comment", end: endAfter(text, /\*\/|$/g, at + 2) };
  const [char] = rest;
  if (char === '"') return { kind: "quoted", end: endAfter(text, /(?<!\\)(?:\\\\)*["\n]|$/g, at + 1) };
  if (char === "'") return { kind: "quoted", end: endAfter(text, /(?<!\\)(?:\\\\)*['\n]|$/g, at + 1) };
  if (char === "/" && startsExpression(before)) return { kind: "quoted", end: endOfRegExp(text, at) };
  if (char === "`") return { kind: "quoted", end: endOfTemplatePart(text, at, braces) };
  if (char === "}" && braces.templates.at(-1) === braces.depth) {
    braces.templates.pop();
    return { kind: "quoted", end: endOfTemplatePart(text, at, braces) };
  }
  if (char === "{") braces.depth++;
  if (char === "}") braces.depth--;
  return { kind: "code", end: at + 1 };
}

/**
 * The end of a template part: from a backtick or a substitution's closing brace to the next substitution or the closing
 * backtick.
 */
function endOfTemplatePart(text: string, at: number, braces: Braces): number {
  const end = endAfter(text, /(?<!\\)(?:\\\\)*(?:`|\$\{)|$/g, at + 1);
  if (text.slice(end - 2, end) === "${") braces.templates.push(braces.depth);
  return end;
}

function endOfRegExp(text: string, at: number): number {
  const literal = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/[\\\n])+\//y;
  literal.lastIndex = at;
  return literal.test(text) ? literal.lastIndex : at + 1;
}

/** Reports whether a slash after this code starts a regular expression rather than being a division operator. */
function startsExpression(before: string): boolean {
  const tail = before.slice(-200).trimEnd();
  return tail === "" || /[(,=:[!&|?{;+\-*%<>~^]$|\b(?:return|typeof|case|in|of|void|delete)$/.test(tail);
}

function endAt(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

function endAfter(text: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? Math.max(pattern.lastIndex, from) : text.length;
}

/** Replaces a token with spaces. `keepEnds` keeps the quotes, so that a string is still recognizable as one. */
function blanks(token: string, { keepEnds }: { keepEnds: boolean }): string {
  const blank = token.replace(/[^\n]/g, " ");
  return keepEnds && token.length > 1 ? `${token[0]}${blank.slice(1, -1)}${token.at(-1)}` : blank;
}

/** Reports whether a file belongs to the server and is not a page of prose. */
export function isServerFile({ path }: Source): boolean {
  return path.startsWith("server/") && !path.endsWith(".md");
}

/**
 * Everything that a file imports, including dynamic imports and types. `specifier` is `undefined` if it is not a plain
 * string. Lines are 1-based.
 */
export function importsOf(source: Source): { line: number; specifier: string | undefined }[] {
  const { code, uncommented } = maskSource(source.text);
  const plain = /(?<![.\w$])(?:from\s*|import\s*\(?\s*|require\s*\(\s*)(["'])([^"'\n]+)\1/g;
  const computed = /(?<![.\w$])(?:import|require)\s*\(\s*(?!["'\s])/g;
  return [
    ...[...uncommented.matchAll(plain)].map((match) => ({ at: match.index, specifier: match[2] })),
    ...[...uncommented.matchAll(computed)].map((match) => ({ at: match.index, specifier: undefined })),
  ]
    .filter(({ at }) => code[at] !== " ")
    .map(({ at, specifier }) => ({ line: lineOf(source.text, at), specifier }));
}

/** Matches of a pattern in the code, outside comments and quoted text. Lines are 1-based. */
export function findInCode(source: Source, pattern: RegExp): { line: number; found: string }[] {
  const { code } = maskSource(source.text);
  return [...code.matchAll(pattern)].map((match) => ({ line: lineOf(source.text, match.index), found: match[0] }));
}

/** The 1-based line of an offset. */
export const lineOf = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

/** All of the server's pages of sentences, concatenated. */
export function pagesOfSentences(): string {
  const server = fileURLToPath(new URL("../../server/", import.meta.url));
  return readdirSync(server, { recursive: true, encoding: "utf8" })
    .filter((path) => /(?:^|[\\/])sentences\.ts$/.test(path))
    .map((path) => readFileSync(server + path, "utf8"))
    .join("\n");
}
