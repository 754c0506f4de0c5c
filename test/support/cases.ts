/** Reads the pages of test cases: Markdown in, cases out. `test/README.md` explains the blocks of a page. */
import { unescaped } from "./escapes.js";

/** Flags that a file's block may have; `test/README.md` explains each. */
const fileFlags = [
  "closed",
  "dirty",
  "crlf",
  "cr",
  "no-final-newline",
  "bom",
  "bom-synced",
  "latin1",
  "utf16",
  "escaped",
  "before",
  "read",
  "saved",
  "replaced",
  "reloaded",
] as const;
type FileFlag = (typeof fileFlags)[number];

/** The kinds of blocks other than files, each with the flags that it accepts. */
const blockKinds: Readonly<Record<string, readonly string[]>> = {
  request: ["wire"],
  patch: ["wire", "escaped"],
  options: [],
  settings: [],
  folders: [],
  link: [],
  diff: ["escaped"],
  failure: ["escaped", "whole"],
  result: ["whole"],
};

/** Blocks that hold the expected outcome; `UPDATE_CASES=1` rewrites them. */
export const outcomeKinds = ["diff", "failure", "result"] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

/** An earlier text of an open file. */
export interface EarlierText {
  readonly text: string;
  /** `true` if the user saves the file with this text; the first text is on disk anyway. */
  readonly saved: boolean;
  /** The lines of this text that the caller reads; `undefined` if it reads none. */
  readonly read: { readonly startLine?: number; readonly endLine?: number } | undefined;
  readonly came: Coming;
}

/** The way that a text came to be in the editor; `replaced`: in one change of the whole text. */
export type Coming = "typed" | "replaced" | "reloaded";

/** One file of a case, as it is in the editor and on disk before the call. */
export interface CaseFile {
  /** The path relative to the case's folder, with `/` as the separator. */
  readonly path: string;
  readonly language: string;
  /**
   * The text as the editor syncs it, with a byte order mark if `bom-synced` is set; `undefined` if the file is not
   * open.
   */
  readonly synced?: string;
  /** The bytes on disk; `undefined` if the file does not exist. */
  readonly disk?: Buffer;
  /** `true` if the text has a byte order mark, whether on disk or as synced. */
  readonly bom: boolean;
  /** `true` if the bytes on disk are UTF-16. */
  readonly utf16: boolean;
  /** The texts that an open file had before, oldest first; the user types what leads from one to the next. */
  readonly earlier: readonly EarlierText[];
  readonly came: Coming;
}

/** The location of an outcome's block on its page: the 0-based lines of the two fences. */
export interface BlockLines {
  readonly kind: OutcomeKind;
  readonly first: number;
  readonly last: number;
}

/** One case: some files, one call, and the expected outcome. */
export interface Case {
  /** The page's file name. */
  readonly page: string;
  readonly name: string;
  /** 1-based line of the heading. */
  readonly line: number;
  readonly files: readonly CaseFile[];
  /** Symbolic links: each link's path mapped to its target, both relative to the case's folder. */
  readonly links: ReadonlyMap<string, string>;
  /** Workspace folders, relative to the case's folder; `.` is the case's folder itself. */
  readonly folders: readonly string[];
  /** The call's params, including the `options` block. `/project` in their strings means the case's folder. */
  readonly request: unknown;
  /** `true` if only the whole server can run the case, for example because it must resolve a path. */
  readonly wireOnly: boolean;
  /** The user's settings; `undefined` for the defaults. */
  readonly settings?: unknown;
  /** Expected texts of the outcome's blocks. */
  readonly outcome: Readonly<Partial<Record<OutcomeKind, string>>>;
  /**
   * Outcomes that contain whole messages; all others contain only the gist of each message, as returned by `gistOf`.
   */
  readonly whole: ReadonlySet<OutcomeKind>;
  readonly blocks: readonly BlockLines[];
  /** 0-based line at which a new outcome is inserted, after the last block that is not an outcome. */
  readonly outcomeLine: number;
}

/** An error in a page, with the page's name and the line number. */
class PageError extends Error {
  constructor(page: string, line: number, problem: string) {
    super(`${page}:${line}: ${problem}`);
  }
}

interface Block {
  readonly words: readonly string[];
  readonly body: readonly string[];
  /** 0-based lines of the fences. */
  readonly first: number;
  readonly last: number;
}

interface Section {
  readonly name: string;
  /** 0-based line of the heading. */
  readonly line: number;
  readonly hasProse: boolean;
  readonly blocks: readonly Block[];
}

/**
 * The cases of a page, in order. Throws a `PageError` for anything unknown. `outcomeMissing: "allowed"` is for updating
 * a page, where a new case may not have an outcome yet.
 */
export function parsePage(
  page: string,
  markdown: string,
  options: { outcomeMissing: "allowed" | "refused" } = { outcomeMissing: "refused" },
): Case[] {
  const cases = sectionsOf(page, markdown)
    .filter((section) => section.blocks.length > 0)
    .map((section) => toCase(page, section, options.outcomeMissing === "refused"));
  const names = new Set<string>();
  for (const { name, line } of cases) {
    if (names.has(name)) throw new PageError(page, line, `a second case has the name "${name}"`);
    names.add(name);
  }
  if (cases.length === 0) throw new PageError(page, 1, "the page contains no case");
  return cases;
}

function sectionsOf(page: string, markdown: string): Section[] {
  const lines = markdown.split("\n");
  const sections: { name: string; line: number; hasProse: boolean; blocks: Block[] }[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    const heading = /^#+ +(.*\S) *$/.exec(line);
    const fence = /^(`{3,}) *(.*)$/.exec(line);
    const section = sections.at(-1);
    if (heading !== null) {
      sections.push({ name: heading[1]!, line: i, hasProse: false, blocks: [] });
    } else if (fence !== null) {
      if (section === undefined) throw new PageError(page, i + 1, "a block comes before the first heading");
      const last = lines.indexOf(fence[1]!, i + 1);
      if (last === -1) throw new PageError(page, i + 1, "the block is not closed");
      const words = fence[2]!.split(/ +/).filter((word) => word !== "");
      if (words.length === 0) throw new PageError(page, i + 1, "the block does not say what it is");
      section.blocks.push({ words, body: lines.slice(i + 1, last), first: i, last });
      i = last;
    } else if (section !== undefined && line.trim() !== "") {
      section.hasProse = true;
    }
  }
  return sections;
}

function toCase(page: string, section: Section, outcomeNeeded: boolean): Case {
  const fail = (line: number, problem: string): never => {
    throw new PageError(page, line + 1, problem);
  };
  if (!section.hasProse) fail(section.line, `"${section.name}" does not say why it is a case`);
  const files: Block[] = [];
  const one = new Map<string, { block: Block; flags: readonly string[] }>();
  const links = new Map<string, string>();
  for (const block of section.blocks) {
    const kind = block.words[0]!;
    if (kind === "link") {
      if (block.words.length !== 2 || block.body.length !== 1) fail(block.first, "a link has one path and one target");
      links.set(block.words[1]!, block.body[0]!);
    } else if (Object.hasOwn(blockKinds, kind)) {
      const flags = block.words.slice(1);
      const unknown = flags.find((flag) => !blockKinds[kind]!.includes(flag));
      if (unknown !== undefined) fail(block.first, `"${kind}" has no flag "${unknown}"`);
      if (one.has(kind)) fail(block.first, `the case has two "${kind}" blocks`);
      one.set(kind, { block, flags });
    } else {
      files.push(block);
    }
  }
  const json = (kind: string): unknown => {
    const found = one.get(kind);
    return found === undefined ? undefined : parseJson(found.block, fail);
  };
  const call = one.get("request") ?? one.get("patch");
  if (call === undefined || (one.has("request") && one.has("patch"))) {
    return fail(section.line, `"${section.name}" has no request and no patch, or both`);
  }
  if (outcomeNeeded && !one.has("diff") && !one.has("failure")) {
    fail(section.line, `"${section.name}" has no outcome: neither a diff nor a failure`);
  }
  const settings = json("settings");
  const inputs = section.blocks.filter((block) => !isOutcome(block.words[0]!));
  return {
    page,
    name: section.name,
    line: section.line + 1,
    files: filesOf(files, fail),
    links,
    folders: foldersOf(one.get("folders")?.block),
    request: withOptions(one.has("patch") ? patchCall(call, fail) : json("request"), json("options"), () =>
      fail(section.line, "options can only be added to a request that is an object without them"),
    ),
    wireOnly: call.flags.includes("wire"),
    ...(settings === undefined ? {} : { settings }),
    outcome: outcomeOf(one, fail),
    whole: new Set(outcomeKinds.filter((kind) => one.get(kind)?.flags.includes("whole"))),
    blocks: outcomeKinds.flatMap((kind) => {
      const found = one.get(kind)?.block;
      return found === undefined ? [] : [{ kind, first: found.first, last: found.last }];
    }),
    outcomeLine: inputs.at(-1)!.last + 1,
  };
}

/** The call with the patch from a block of the page. */
function patchCall({ block, flags }: { block: Block; flags: readonly string[] }, fail: Fail): { patch: string } {
  const text = block.body.join("\n");
  return { patch: flags.includes("escaped") ? decoded(text, block, fail) : text };
}

const isOutcome = (kind: string): kind is OutcomeKind => outcomeKinds.some((known) => known === kind);

type Fail = (line: number, problem: string) => never;

function outcomeOf(
  one: ReadonlyMap<string, { block: Block; flags: readonly string[] }>,
  fail: Fail,
): Partial<Record<OutcomeKind, string>> {
  const outcome: Partial<Record<OutcomeKind, string>> = {};
  for (const kind of outcomeKinds) {
    const found = one.get(kind);
    if (found === undefined) continue;
    const { block, flags } = found;
    if (block.body.every((line) => line.trim() === "")) {
      fail(block.first, kind === "diff" ? 'the diff is empty: write "nothing changes"' : `the ${kind} is empty`);
    }
    // An empty line in a diff is an empty context line whose leading space an editor has removed.
    const lines = kind === "diff" ? block.body.map((line) => (line === "" ? " " : line)) : block.body;
    const text = `${lines.join("\n")}\n`;
    outcome[kind] = flags.includes("escaped") ? decoded(text, block, fail) : text;
  }
  return outcome;
}

function decoded(text: string, block: Block, fail: Fail): string {
  try {
    return unescaped(text);
  } catch (error) {
    return fail(block.first, String(error));
  }
}

function parseJson(block: Block, fail: Fail): unknown {
  try {
    return JSON.parse(block.body.join("\n"));
  } catch (error) {
    return fail(block.first, `not JSON: ${String(error)}`);
  }
}

function withOptions(request: unknown, options: unknown, refuse: () => never): unknown {
  if (options === undefined) return request;
  if (typeof request !== "object" || request === null || Array.isArray(request) || "options" in request)
    return refuse();
  return { ...request, options };
}

function foldersOf(block: Block | undefined): readonly string[] {
  if (block === undefined) return ["."];
  const lines = block.body.filter((line) => line !== "");
  return lines.length === 1 && lines[0] === "none" ? [] : lines;
}

/**
 * Combines the blocks of each file: a `dirty` block, which holds the editor's text, and a `closed` block, which holds
 * the text on disk.
 */
function filesOf(blocks: readonly Block[], fail: Fail): readonly CaseFile[] {
  const byPath = new Map<string, CaseFile>();
  const dirty = new Set<string>();
  const earlier = new Map<string, EarlierText[]>();
  for (const block of blocks) {
    const words = fileWords(block, fail);
    if (words.flags.has("before")) {
      earlier.set(words.path, [...(earlier.get(words.path) ?? []), toEarlier(block, words)]);
      continue;
    }
    const texts = earlier.get(words.path) ?? [];
    const file = typedSince(toFile(block, words, fail), texts, isSaved(words));
    const before = byPath.get(file.path);
    const together = before === undefined || dirty.has(file.path) !== words.flags.has("dirty");
    if (!together || (before?.synced !== undefined && file.synced !== undefined)) {
      fail(block.first, `a second file has the path "${file.path}"`);
    }
    if (words.flags.has("dirty")) dirty.add(file.path);
    byPath.set(file.path, { ...before, ...file, bom: file.bom || before?.bom === true });
  }
  return [...byPath.values()];
}

const comingOf = ({ flags }: FileWords): Coming =>
  (["replaced", "reloaded"] as const).find((flag) => flags.has(flag)) ?? "typed";

const isSaved = ({ flags }: FileWords): boolean => flags.has("saved") || flags.has("reloaded");

function toEarlier(block: Block, words: FileWords): EarlierText {
  const { flags, lines } = words;
  const [startLine, endLine] = lines;
  const read = flags.has("read") ? { ...(startLine && { startLine }), ...(endLine && { endLine }) } : undefined;
  return { text: fileText(block.body.join("\n"), flags), saved: isSaved(words), read, came: comingOf(words) };
}

/** Returns a file that had other texts before; the last saved one is on disk. */
function typedSince(file: CaseFile, earlier: readonly EarlierText[], isSaved: boolean): CaseFile {
  const [first] = earlier;
  if (first === undefined || isSaved) return { ...file, earlier };
  const last = earlier.findLast(({ saved }) => saved) ?? first;
  return { ...file, earlier, disk: Buffer.from(last.text) };
}

interface FileWords {
  /** The first and last line after `read:`. */
  readonly lines: readonly number[];
  readonly language: string;
  readonly path: string;
  readonly flags: ReadonlySet<FileFlag>;
}

function fileWords(block: Block, fail: Fail): FileWords {
  const [language, path, ...words] = block.words;
  if (path === undefined) fail(block.first, `"${language}" is not a kind of block; a block with a file needs a path`);
  const flags = new Set<FileFlag>();
  const lines: number[] = [];
  for (const word of words) {
    const range = /^read:(\d+)-(\d+)$/.exec(word);
    if (range !== null) lines.push(Number(range[1]), Number(range[2]));
    const name = range === null ? word : "read";
    flags.add(fileFlags.find((flag) => flag === name) ?? fail(block.first, `a file has no flag "${word}"`));
  }
  if ((flags.has("read") || flags.has("saved")) && flags.has("closed")) fail(block.first, "a closed file has no past");
  if (flags.has("read") && !flags.has("before")) fail(block.first, "only an earlier text can be read");
  if (flags.has("closed") && (flags.has("dirty") || flags.has("bom-synced"))) {
    fail(block.first, "a closed file is neither dirty nor synced");
  }
  return { language: language!, path: path!, flags, lines };
}

function toFile(block: Block, words: FileWords, fail: Fail): CaseFile {
  const { language, path, flags } = words;
  const body = block.body.join("\n");
  const text = fileText(flags.has("escaped") ? decoded(body, block, fail) : body, flags);
  const bomSynced = flags.has("bom-synced");
  return {
    path,
    language,
    ...(flags.has("closed") ? {} : { synced: bomSynced ? `\ufeff${text}` : text }),
    ...(flags.has("dirty") ? {} : { disk: fileBytes(text, flags) }),
    bom: flags.has("bom") || bomSynced || flags.has("utf16"),
    utf16: flags.has("utf16"),
    earlier: [],
    came: comingOf(words),
  };
}

function fileText(body: string, flags: ReadonlySet<FileFlag>): string {
  const whole = body === "" || flags.has("no-final-newline") ? body : `${body}\n`;
  if (flags.has("crlf")) return whole.replaceAll("\n", "\r\n");
  return flags.has("cr") ? whole.replaceAll("\n", "\r") : whole;
}

function fileBytes(text: string, flags: ReadonlySet<FileFlag>): Buffer {
  if (flags.has("latin1")) return Buffer.from(text, "latin1");
  if (flags.has("utf16")) return Buffer.from(`\ufeff${text}`, "utf16le");
  return Buffer.from(flags.has("bom") || flags.has("bom-synced") ? `\ufeff${text}` : text, "utf8");
}
