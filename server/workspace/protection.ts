/** Judges files by the user's gates: the protected names, and the rules that say when to ask the user. */
import { lstatSync } from "node:fs";
import { dirname, extname, join, relative } from "node:path";
import { foldName, isInside } from "./pathText.js";
import { askedNames, defaultNames, refusedNames, templateFolders, versionControl } from "./protectedNames.js";
import type { Refused } from "./sentences.js";

/** The times when the user is asked: for every change, for changes to files that people protect but edit, or never. */
export type AskWord = "always" | "protected" | "never";

/** The setting `confirm`: one word for all files, or rules, of which the first whose pattern matches decides. */
export type ConfirmSetting = AskWord | readonly { readonly files: string; readonly ask: AskWord }[];

/** One set of the user's settings that decides about files. */
export interface FileGate {
  readonly names: NameTable;
  readonly confirm: ConfirmSetting;
  /** The folders and files that the gate is for; `undefined` for all, or all that no other gate is for. */
  readonly holds?: readonly string[] | undefined;
  /** `true` if the gate applies only to files that no other gate is for. */
  readonly isFallback?: boolean;
}

/** The reason why the user must agree to a change. `name`: the protected name; `undefined` if a rule asks for it. */
export interface Asks {
  readonly kind: "asks";
  readonly name: string | undefined;
}

/** Protected names, prepared for comparison. */
export interface NameTable {
  /** The patterns whose last name has no star, or only stands for every name with one ending, by that name, folded. */
  readonly byLast: ReadonlyMap<string, readonly NamePattern[]>;
  readonly others: readonly NamePattern[];
}

interface NamePattern {
  /** The pattern as the user or the default list spells it. */
  readonly text: string;
  /** Its names, folded. */
  readonly names: readonly string[];
  readonly asks: boolean;
  /** `true` if the user's own list has it. */
  readonly isAdded: boolean;
  readonly isVersionControl: boolean;
}

/** Prepares `protectedNames`: items that all begin with `+` or `-` change the default list, others replace it. */
function toNameTable(list: readonly string[]): NameTable {
  const isDefault = list.length === defaultNames.length && list.every((name, i) => name === defaultNames[i]);
  const changes = list.length > 0 && list.every((item) => /^[+-]/.test(item));
  const removed = new Set(list.filter((item) => item.startsWith("-")).map((item) => item.slice(1)));
  const added = changes ? list.filter((item) => item.startsWith("+")).map((item) => item.slice(1)) : list;
  const kept = (names: readonly string[]): readonly string[] =>
    isDefault || changes ? names.filter((name) => !removed.has(name)) : [];
  const byLast = new Map<string, NamePattern[]>();
  const others: NamePattern[] = [];
  const put = (text: string, asks: boolean, isAdded: boolean): void => {
    const names = text.split("/").map(foldName);
    const last = names.at(-1) ?? "";
    const pattern = { text, names, asks, isAdded, isVersionControl: versionControl.includes(text) };
    if (/[*?]/.test(last.replace(/^\*(?=\.[^.]*$)/, ""))) others.push(pattern);
    else byLast.set(last, [...(byLast.get(last) ?? []), pattern]);
  };
  for (const name of kept(refusedNames)) put(name, false, false);
  for (const name of kept(askedNames)) put(name, true, false);
  if (!isDefault) for (const name of added) put(name, false, true);
  return { byLast, others };
}

/** Returns the gate that two of the user's settings make. */
export function toGate(settings: {
  readonly protectedNames: readonly string[];
  readonly confirm: ConfirmSetting;
}): Pick<FileGate, "names" | "confirm"> {
  return { names: toNameTable(settings.protectedNames), confirm: settings.confirm };
}

/** Returns the strictest gate's verdict; `undefined` if free. `below`: the part of the absolute `file` that counts. */
export function judge(gates: readonly FileGate[], file: string, below: string): Refused | Asks | undefined {
  const holding = gates.filter(({ holds }) => holds?.some((folder) => isInside(folder, file)));
  let strictest: Asks | undefined;
  for (const gate of gates) {
    const decides =
      gate.holds === undefined ? gate.isFallback !== true || holding.length === 0 : holding.includes(gate);
    if (!decides) continue;
    const { names, confirm } = gate;
    // The caller's folder may be inside the gate's, so the path below the gate's own folder counts as well.
    for (const path of gate.holds === undefined ? [below] : [below, belowHeld(gate.holds, file)]) {
      const found = protectedBy(names, path);
      if (found?.asks === false) return { kind: "refused", why: found.isAdded ? "added" : "protected", by: found.text };
      const word = typeof confirm === "string" ? confirm : ruledWord(confirm, file, path);
      if (found !== undefined && word === "never") return { kind: "refused", why: "unasked", by: found.text };
      // A protected name is the better reason, because it says more.
      if (found !== undefined || word === "always") strictest = { kind: "asks", name: strictest?.name ?? found?.text };
    }
  }
  return strictest;
}

/** Returns the part of a file's path below the innermost folder of a gate; the whole path if no folder contains it. */
function belowHeld(holds: readonly string[], file: string): string {
  const folders = holds.filter((path) => path !== file && isInside(path, file));
  const [innermost] = folders.sort((a, b) => b.length - a.length);
  return innermost === undefined ? file : relative(innermost, file);
}

/** Returns the protected name that decides about a path; `undefined` if there is none. */
function protectedBy(
  { byLast, others }: NameTable,
  path: string,
): Pick<NamePattern, "text" | "asks" | "isAdded"> | undefined {
  const names = path.split(/[\\/]/).map(foldName);
  const matches = names.flatMap((name, end) =>
    [...(byLast.get(name) ?? []), ...(byLast.get(`*${extname(`a${name}`)}`) ?? []), ...others]
      .filter((pattern) => isAt(pattern.names, names, end))
      .map((pattern) => ({ ...pattern, start: end + 1 - pattern.names.length, end })),
  );
  if (matches.length === 0) return undefined;
  const asked = matches.filter(({ asks }) => asks);
  const template = names.findIndex((name) => templateFolders.includes(name));
  const refused = matches.find(
    ({ asks, start, end, isAdded, isVersionControl }) =>
      !asks &&
      (isAdded || isVersionControl || template === -1 || template >= start) &&
      (isAdded || !asked.some((one) => one.start === start && one.end > end)),
  );
  return refused ?? { ...(matches[0] as (typeof matches)[number]), asks: true };
}

/** Reports whether the pattern's names match those names of a path that end at the index `end`. */
function isAt(pattern: readonly string[], names: readonly string[], end: number): boolean {
  const start = end + 1 - pattern.length;
  return start >= 0 && pattern.every((one, i) => isName(one, names[start + i] as string));
}

const isName = (pattern: string, name: string): boolean =>
  pattern.includes("*") || pattern.includes("?")
    ? isLike([...pattern], [...name], "*", (one, character) => one === "?" || one === character)
    : pattern === name;

/** Returns the word of the first rule that matches a file; without one, the default. */
function ruledWord(rules: Exclude<ConfirmSetting, string>, file: string, below: string): AskWord {
  return rules.find(({ files }) => isFileLike(files, file, below))?.ask ?? "protected";
}

/**
 * Reports whether a file matches a pattern of the setting `confirm`. `*` and `?` match within one name, `**` matches any
 * number of names. A pattern without a slash matches any name in the path, and a folder's pattern matches all of its files.
 * With a leading slash, a pattern is for an absolute path or, like one with a leading `./`, for a path below the folder.
 */
export function isFileLike(pattern: string, file: string, below: string): boolean {
  const isAbsolute = /^(?:[\\/]|[A-Za-z]:[\\/])/.test(pattern);
  const toNames = (path: string): string[] => path.split(/[\\/]/).map(asComparedHere);
  const wanted = toNames(pattern.replace(/^\.?[\\/]+|[\\/]+$/g, ""));
  const whole = wanted.length === 1 && !/^\.?[\\/]/.test(pattern) ? ["**", ...wanted] : wanted;
  if (isLike([...whole, "**"], toNames(below), "**", isName)) return true;
  return isAbsolute && isLike([...wanted, "**"], toNames(file.replace(/^[\\/]+/, "")), "**", isName);
}

/** Folds a name on systems whose file systems usually ignore case. */
const asComparedHere = (name: string): string =>
  process.platform === "win32" || process.platform === "darwin" ? name.normalize("NFC").toLowerCase() : name;

/** Reports whether items match a pattern in which `star` matches any number of items. Takes at most n · m steps. */
function isLike<T extends string>(
  pattern: readonly T[],
  items: readonly T[],
  star: string,
  isOne: (pattern: T, item: T) => boolean,
): boolean {
  let [at, item, afterStar, from] = [0, 0, -1, 0];
  while (item < items.length) {
    const one = pattern[at];
    if (one === star) {
      at += 1;
      [afterStar, from] = [at, item];
    } else if (one !== undefined && isOne(one, items[item] as T)) {
      at += 1;
      item += 1;
    } else if (afterStar >= 0) {
      from += 1;
      [at, item] = [afterStar, from];
    } else return false;
  }
  while (pattern[at] === star) at += 1;
  return at === pattern.length;
}

/** Reports whether `.git` is among the protected names: Git directories are then recognised by their contents, too. */
export function protectsGit(gates: readonly FileGate[]): boolean {
  return gates.some(({ names }) => names.byLast.has(".git"));
}

/** Returns the innermost Git directory, by its contents, above a file. `known`: remembers examined directories. */
export function gitDirectoryAbove(file: string, known: Map<string, boolean>): string | undefined {
  for (let directory = dirname(file); ; directory = dirname(directory)) {
    const isGit = known.get(directory) ?? isGitDirectory(directory, nothing);
    known.set(directory, isGit);
    if (isGit) return directory;
    if (dirname(directory) === directory) return undefined;
  }
}

/** Returns the directories that would be Git's if all of these files existed, among those that have some. */
export function gitDirectoriesWith(files: readonly string[]): string[] {
  const named = new Map<string, Set<string>>();
  for (const file of files) {
    for (const { 1: name = "", index } of file.matchAll(new RegExp(gitParts, "gi"))) {
      const directory = file.slice(0, index);
      named.set(directory, (named.get(directory) ?? new Set()).add(name.toLowerCase()));
    }
  }
  return [...named].flatMap(([directory, names]) => (isGitDirectory(directory, names) ? [directory] : []));
}

/** Matches a path to a file whose existence may make Git take a directory above it for a repository. */
export const gitParts = /[\\/]((?:HEAD|commondir)$|(?:objects|refs)(?=[\\/]))/i;

const nothing: ReadonlySet<string> = new Set();

/** Reports whether Git takes a directory for a repository, as Git's `is_git_directory`. `made`: names to come. */
function isGitDirectory(directory: string, made: ReadonlySet<string>): boolean {
  const there = [["HEAD"], ["objects", "commondir"], ["refs", "commondir"]].every((names) =>
    names.some((name) => {
      if (made.has(name.toLowerCase())) return true;
      try {
        return lstatSync(join(directory, name), { throwIfNoEntry: false }) !== undefined;
      } catch {
        // The path can't be examined, so it can't be read or changed either.
        return false;
      }
    }),
  );
  return there;
}
