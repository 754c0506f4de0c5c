/** Edits made by people: the differences between two versions of a file. */
import { structuredPatch } from "diff";
import { type EditLine, type RealEdit, withEdits } from "./realEdit.js";
import type { TextPair } from "./textPairs.js";

/** A file in its older version, and the changes by which its authors arrived at the newer version. */
export interface Version {
  readonly path: string;
  /** The lines without their line endings. */
  readonly lines: readonly string[];
  readonly lineEnd: "\n" | "\r\n";
  /** `true` if the last line ends with a line ending, too. */
  readonly isEnded: boolean;
  /** The newer text. */
  readonly after: string;
  /** The individual changes that are small enough to send, in ascending order and without surrounding context. */
  readonly hunks: readonly RealEdit[];
  /** `true` if the hunks are all the changes that lead to the newer text. */
  readonly isComplete: boolean;
  /** Spaces per indentation level; `undefined` if the file is indented with tabs. */
  readonly indent: 2 | 4 | undefined;
}

/** A file whose changes are computed on demand. */
export interface SourceFile {
  readonly path: string;
  /** Returns `undefined` if the file has too many changes to compute, or only changes too large to send as edits. */
  version(): Version | undefined;
}

/** The usable files: text with one kind of line ending, the same in both versions, and not too long. */
export function sourceFiles(pairs: readonly TextPair[]): SourceFile[] {
  return pairs.flatMap((pair) => {
    const [before, after] = [textOf(pair.before), textOf(pair.after)];
    if (before === undefined || after === undefined || pair.before.length > longest) return [];
    if (before.lineEnd !== after.lineEnd || before.isEnded !== after.isEnded) return [];
    return [lazily(pair, before, after)];
  });
}

/** Reports whether a file can be damaged: every line, including the last, must end with LF. */
export const canBeDamaged = ({ lineEnd, isEnded }: Version): boolean => lineEnd === "\n" && isEnded;

/** A text with these lines and the file's line endings. */
export const textWith = (
  { lineEnd, isEnded }: Pick<Version, "lineEnd" | "isEnded">,
  lines: readonly string[],
): string => lines.join(lineEnd) + (isEnded && lines.length > 0 ? lineEnd : "");

/** Maximum length of a file in characters; longer files are skipped, so that a run takes only seconds. */
const longest = 300_000;

/** Maximum numbers of lines that one hunk may remove and add. */
const largest = { removed: 40, added: 60 };

/** The lines and line endings of a text; `undefined` if it is empty or binary, or if its line endings are mixed. */
function textOf(text: string): Pick<Version, "lines" | "lineEnd" | "isEnded"> | undefined {
  if (text.trim() === "" || /[\0\ufeff\ufffd]/.test(text)) return undefined;
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(lineEnd);
  if (lines.some((line) => /[\r\n]/.test(line))) return undefined;
  const isEnded = lines.at(-1) === "";
  return { lines: isEnded ? lines.slice(0, -1) : lines, lineEnd, isEnded };
}

type Lines = Pick<Version, "lines" | "lineEnd" | "isEnded">;

function lazily(pair: TextPair, before: Lines, after: Lines): SourceFile {
  let found: Version | undefined | "unknown" = "unknown";
  return {
    path: pair.path,
    version: () => {
      if (found === "unknown") found = versionOf(pair, before, after);
      return found;
    },
  };
}

function versionOf(pair: TextPair, before: Lines, after: Lines): Version | undefined {
  const { path } = pair;
  const [older, newer] = [before, after].map(({ lines }) => lines.map((line) => `${line}\n`).join("")) as [
    string,
    string,
  ];
  const patch = structuredPatch(path, path, older, newer, undefined, undefined, { context: 0, maxEditLength: 3_000 });
  const all = (patch?.hunks ?? []).map(
    ({ oldStart, lines }): RealEdit => ({ start: oldStart - 1, lines: lines.flatMap(editLine) }),
  );
  const isWhole = patch === undefined || textWith(before, withEdits(before.lines, all)) === pair.after;
  if (!isWhole) throw new Error(`the changes of ${path} do not lead from its older to its newer version`);
  const hunks = all.filter(({ lines: edit }) => {
    const removed = edit.filter(({ kind }) => kind === "remove").length;
    return removed <= largest.removed && edit.length - removed <= largest.added;
  });
  if (hunks.length === 0) return undefined;
  return {
    ...before,
    path,
    after: pair.after,
    hunks,
    isComplete: hunks.length === all.length,
    indent: indentOf(before.lines),
  };
}

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
