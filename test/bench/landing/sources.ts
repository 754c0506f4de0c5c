/** Edits made by people: the differences between two published versions of installed packages. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { structuredPatch } from "diff";
import { type EditLine, type RealEdit, withEdits } from "./realEdit.js";

/** A file in the older version of its package, and the changes by which its authors arrived at the newer version. */
export interface Version {
  /** The file's path, prefixed with the package's name. */
  readonly path: string;
  /** The lines without their line endings; every line, even the last one, ends with LF. */
  readonly lines: readonly string[];
  /** The individual changes, in ascending order and without surrounding context. */
  readonly hunks: readonly RealEdit[];
  /** Spaces per indentation level; `undefined` if the file is indented with tabs. */
  readonly indent: 2 | 4 | undefined;
}

/** Two versions of a package, and its handwritten folders and files. */
interface Pair {
  readonly older: string;
  readonly newer: string;
  readonly parts: readonly string[];
}

const pairs: readonly Pair[] = [
  { older: "diff-8", newer: "diff", parts: ["libesm", "README.md", "release-notes.md", "package.json"] },
  { older: "zod-4-1", newer: "zod", parts: ["src", "README.md", "package.json"] },
];

/**
 * The files that differ, by path; `project` is the folder that contains `node_modules`. A file's changes are computed
 * on demand.
 */
export function changedFiles(project: string): SourceFile[] {
  return pairs.flatMap(({ older, newer, parts }) => {
    const [from, to] = [folderOf(project, older), folderOf(project, newer)];
    return parts
      .flatMap((part) => filesIn(from, part))
      .filter((path) => existsSync(join(to, path)))
      .map((path) => ({
        path: `${newer}/${path}`,
        before: readFileSync(join(from, path), "utf8"),
        after: readFileSync(join(to, path), "utf8"),
      }))
      .filter(({ before, after }) => before !== after && isPlain(before) && before.length <= longest)
      .map(({ path, before, after }) => lazily(path, before, after));
  });
}

/** A file whose changes are computed on demand. */
export interface SourceFile {
  readonly path: string;
  /** Returns `undefined` if the file has too many changes to compute, or only changes too large to send as edits. */
  version(): Version | undefined;
}

/** Maximum length of a file in characters; longer files are skipped, so that a run takes only seconds. */
const longest = 300_000;

/** Maximum numbers of lines that one hunk may remove and add. */
const largest = { removed: 40, added: 60 };

const folderOf = (project: string, name: string): string =>
  dirname(join(project, "node_modules", name, "package.json"));

function filesIn(folder: string, part: string): string[] {
  if (!existsSync(join(folder, part))) return [];
  if (/\.\w+$/.test(part)) return [part];
  return readdirSync(join(folder, part), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:[cm]?[jt]s|md|json)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/**
 * Reports whether a file can be damaged: it must be plain text, and every line, including the last, must end with LF.
 */
const isPlain = (text: string): boolean => text.endsWith("\n") && !/[\r\0\ufeff]/.test(text);

function lazily(path: string, before: string, after: string): SourceFile {
  let found: Version | undefined | "unknown" = "unknown";
  return {
    path,
    version: () => {
      if (found === "unknown") found = versionOf(path, before, after);
      return found;
    },
  };
}

function versionOf(path: string, before: string, after: string): Version | undefined {
  const patch = structuredPatch(path, path, before, after, undefined, undefined, { context: 0, maxEditLength: 3_000 });
  const all = (patch?.hunks ?? []).map(
    ({ oldStart, lines }): RealEdit => ({ start: oldStart - 1, lines: lines.flatMap(editLine) }),
  );
  const lines = linesOf(before);
  const isWhole = patch === undefined || withEdits(lines, all).join("\n") === linesOf(after).join("\n");
  if (!isWhole) throw new Error(`the changes of ${path} do not lead from its older to its newer version`);
  const hunks = all.filter(({ lines: edit }) => {
    const removed = edit.filter(({ kind }) => kind === "remove").length;
    return removed <= largest.removed && edit.length - removed <= largest.added;
  });
  return hunks.length === 0 ? undefined : { path, lines, hunks, indent: indentOf(lines) };
}

const linesOf = (text: string): string[] => text.replace(/\n$/, "").split("\n");

function editLine(line: string): EditLine[] {
  if (line.startsWith("\\")) return [];
  return [{ kind: line.startsWith("-") ? "remove" : "add", text: line.slice(1) }];
}

function indentOf(lines: readonly string[]): 2 | 4 | undefined {
  if (lines.some((line) => line.startsWith("\t"))) return undefined;
  const indents = lines.filter((line) => !/^ *\*/.test(line)).map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const indented = indents.filter((indent) => indent > 0);
  return indented.filter((indent) => indent % 4 !== 0).length > indented.length / 10 ? 2 : 4;
}
