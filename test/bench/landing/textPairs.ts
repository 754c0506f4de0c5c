/** Older and newer texts of files, from which the benchmark takes the edits that people made. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** A file before and after its authors changed it. */
export interface TextPair {
  /** The file's path, prefixed with the name of its package, folder or commit. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Two installed versions of a package, and its handwritten folders and files. */
interface PackagePair {
  readonly older: string;
  readonly newer: string;
  readonly parts: readonly string[];
}

const packages: readonly PackagePair[] = [
  { older: "diff-8", newer: "diff", parts: ["libesm", "README.md", "release-notes.md", "package.json"] },
  { older: "zod-4-1", newer: "zod", parts: ["src", "README.md", "package.json"] },
];

/** The files that differ between the installed versions; `project` is the folder that contains `node_modules`. */
export function packagePairs(project: string): TextPair[] {
  return packages.flatMap(({ older, newer, parts }) => {
    const [from, to] = [folderOf(project, older), folderOf(project, newer)];
    return parts.flatMap((part) => pairsIn(from, to, { part, name: newer, ending: /\.(?:[cm]?[jt]s|md|json)$/ }));
  });
}

/** The files that differ between each of the folders and the next one. */
export function folderPairs(folders: readonly string[]): TextPair[] {
  return folders
    .slice(1)
    .flatMap((newer, i) => pairsIn(folders[i] ?? "", newer, { part: "", name: basename(newer), ending: sourceEnding }));
}

/**
 * The files that the latest commits of a Git repository changed, read with `git`; merges are left out. Each commit is
 * compared with its parent.
 */
export function gitPairs(repository: string, mostCommits: number): TextPair[] {
  const git = (args: readonly string[], input = ""): Buffer =>
    execFileSync("git", ["-C", repository, ...args], { input, maxBuffer: 2 ** 30 });
  const log = ["log", "--no-merges", "--no-renames", "--diff-filter=M", "--raw", "--no-abbrev", "-z", "--format="];
  const fields = git([...log, `--max-count=${mostCommits}`])
    .toString("utf8")
    .split("\0");
  const changes: { readonly path: string; readonly blobs: readonly [string, string] }[] = [];
  for (const [i, field] of fields.entries()) {
    const blobs = /^\n?:100\d{3} 100\d{3} ([\da-f]+) ([\da-f]+) M$/.exec(field);
    const path = fields[i + 1];
    if (blobs?.[1] === undefined || blobs[2] === undefined || path === undefined) continue;
    if (sourceEnding.test(path)) changes.push({ path, blobs: [blobs[1], blobs[2]] });
  }
  const texts = blobTexts(git(["cat-file", "--batch"], changes.flatMap(({ blobs }) => blobs).join("\n")));
  return changes.flatMap(({ path, blobs }) => {
    const [before, after] = blobs.map((blob) => texts.get(blob));
    return before === undefined || after === undefined
      ? []
      : [{ path: `${blobs[1].slice(0, 8)}/${path}`, before, after }];
  });
}

/** The names of files with source code or prose. */
const sourceEnding =
  /\.(?:[cm]?[jt]sx?|json|md|txt|rst|py|pyi|gypi?|rb|rs|go|java|kt|c|cc|cpp|h|hpp|mm?|cs|php|swift|sol|sh|ya?ml|toml|s?css|html|vue|lua|vim|el)$/;

const folderOf = (project: string, name: string): string =>
  dirname(join(project, "node_modules", name, "package.json"));

interface Part {
  /** A file or a folder within the older and the newer folder. */
  readonly part: string;
  /** The prefix of the paths. */
  readonly name: string;
  readonly ending: RegExp;
}

function pairsIn(older: string, newer: string, { part, name, ending }: Part): TextPair[] {
  return filesIn(older, part, ending)
    .filter((path) => existsSync(join(newer, path)))
    .map((path) => ({
      path: `${name}/${path}`,
      before: readFileSync(join(older, path), "utf8"),
      after: readFileSync(join(newer, path), "utf8"),
    }))
    .filter(({ before, after }) => before !== after);
}

function filesIn(folder: string, part: string, ending: RegExp): string[] {
  if (!existsSync(join(folder, part))) return [];
  if (/\.\w+$/.test(part)) return [part];
  return readdirSync(join(folder, part), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, "/").length))
    .sort();
}

/** Reads the answer of `git cat-file --batch`; returns the texts by the names of their blobs. */
function blobTexts(answer: Buffer): Map<string, string> {
  const texts = new Map<string, string>();
  for (let at = 0; at < answer.length; ) {
    const end = answer.indexOf("\n", at);
    const [name = "", , size] = answer.toString("utf8", at, end).split(" ");
    const length = Number(size);
    if (Number.isNaN(length)) throw new Error(`git has no blob ${name}`);
    texts.set(name, answer.toString("utf8", end + 1, end + 1 + length));
    at = end + 1 + length + 1;
  }
  return texts;
}
