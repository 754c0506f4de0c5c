/** Reads unified diffs, of Git and of `diff`, into the sections of a patch. */
import type { Hunk, HunkLine } from "../plan/operation.js";
import { kinds, readAnchor, trimLineEnd } from "./patchMarkers.js";
import { splitPatch } from "./patchText.js";
import { dialectWarnings, diffProblems, diffTerms, patchProblems } from "./sentences.js";
import { linesOf, nextLine, type ParsedText, type TextDialect, TextFindings } from "./textDialect.js";

/** Unified diffs. Git's headers may be missing, and the counts and line numbers of hunks may be wrong. */
export const unifiedDiff: TextDialect = {
  name: "unified diff",
  takesPath: false,
  recognise: (text) => splitPatch(text).findIndex((_, at, lines) => startsFile(lines, at)),
  read: readDiff,
};

function readDiff(text: string): ParsedText {
  const found = new TextFindings(linesOf(text), { terms: diffTerms });
  const { lines } = found;
  const isHunk = (line: string): boolean => line.startsWith("@@ -");
  const next = (from: number): number => nextLine(lines, from, (_, at) => startsFile(lines, at));
  let at = next(0);
  const stray = nextLine(lines, 0, isHunk);
  if (stray < at) found.report(stray, diffProblems.noFile());
  while (at < lines.length && !found.isFull) at = next(readFile(found, at));
  return found.result({ problem: patchProblems.noSections() });
}

/** Reports whether a line begins the header of a file's diff. A hunk may have lines that look like the names in one. */
function startsFile(lines: readonly string[], at: number): boolean {
  const [line = "", next = "", after = ""] = lines.slice(at, at + 3);
  return line.startsWith("diff --git ") || (/^--- ./.test(line) && /^\+\+\+ ./.test(next) && after.startsWith("@@"));
}

/** The header of a file's diff. */
interface DiffHeader {
  /** The name before and after; `undefined` if there is no such file, or if the header has no name. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** What each line says, by its first words. */
  readonly said: ReadonlyMap<string, string>;
  /** The first line (0-based) after the header. */
  readonly end: number;
}

const headerLine =
  /^(diff --git|Index:|=+$|index|(?:old|new|new file|deleted file) mode|(?:dis)?similarity index|(?:rename|copy) (?:from|to)|Binary files|GIT binary patch|---|\+\+\+)(?: (.*))?$/;

function readFileHeader(lines: readonly string[], start: number): DiffHeader {
  const said = new Map<string, string>();
  let end = start;
  for (; end < lines.length && !said.has("+++"); end++) {
    const [, key, value = ""] = headerLine.exec(lines[end] ?? "") ?? [];
    if (key === undefined || said.has(key)) break;
    said.set(key, value);
  }
  const pair = said.get("diff --git") ?? "";
  // If there is no other line with the names, they are the same.
  const middle = (pair.length - 1) / 2;
  const nameIn = (key: string, named: string): string | undefined => readName(said.get(key) ?? named);
  const [from, to] = plainNames(
    said.has("new file mode") ? undefined : nameIn("---", pair.slice(0, middle)),
    said.has("deleted file mode") ? undefined : nameIn("+++", pair.slice(middle + 1)),
  );
  return { from: nameIn("rename from", "") ?? from, to: nameIn("rename to", "") ?? to, said, end };
}

/** Reads a name, perhaps quoted with octal bytes by Git. `undefined`: it is empty or means that there is no file. */
function readName(text: string): string | undefined {
  const [whole, quoted] = /^"((?:[^"\\]|\\.)*)"/.exec(text) ?? [];
  // `diff` writes the time of the last change after a tab. The start of 1970 means that the file does not exist.
  const [name = "", time = ""] = whole === undefined ? text.split("\t") : [whole, text.slice(whole.length).trim()];
  if (name === "/dev/null" || /^(?:1969-12-31|1970-01-01) \d\d:[03]0:00(?:\.0+)?(?: |$)/.test(time)) return undefined;
  if (quoted === undefined) return trimLineEnd(name) || undefined;
  return quoted.replace(/((?:\\[0-3][0-7]{2})+)|\\(.)/g, (_, octal: string | undefined, one: string) => {
    if (octal === undefined) return { n: "\n", t: "\t" }[one] ?? one;
    return new TextDecoder().decode(Uint8Array.from(octal.slice(1).split("\\"), (byte) => Number.parseInt(byte, 8)));
  });
}

/** Takes Git's prefixes, such as `a/` and `b/`, off the names, unless they have none. */
function plainNames(from: string | undefined, to: string | undefined): (string | undefined)[] {
  const isPrefixed = [from, to].every((name) => name === undefined || /^[abciow]\/./.test(name));
  const isPair = from === undefined || to === undefined ? /^[ab]\//.test(from ?? to ?? "") : from[0] !== to[0];
  return isPrefixed && isPair ? [from?.slice(2), to?.slice(2)] : [from, to];
}

/** Reads the diff of a file, whose header begins at a line (0-based). Returns the first line after the diff. */
function readFile(found: TextFindings, start: number): number {
  const header = readFileHeader(found.lines, start);
  const { from, to, said, end } = header;
  const path = from ?? to ?? "";
  found.took(start, end);
  const first = found.next;
  const file = { path, patchLine: start + 1 };
  const isMoved = said.has("rename to") && from !== undefined && to !== undefined;
  const move = isMoved ? { index: found.next++, path: to, patchLine: file.patchLine } : undefined;
  const { hunks, next } = readHunks(found, end, path);
  const problem = problemOf(header, hunks ?? []);
  if (problem !== undefined && hunks !== undefined) found.report(start, problem, path);
  const isTooLong = [path, ...(isMoved ? [to] : [])].some((one) => found.reportLength(start, one));
  if (problem !== undefined || hunks === undefined || isTooLong) return next;
  if (from === undefined) {
    found.next = first + 1;
    found.operations.push({ kind: "add", index: first, ...file, text: addedText(hunks), isNew: true });
  } else {
    // A file of which the diff gives no lines is only renamed or deleted.
    if (hunks.length > 0 || move !== undefined)
      found.operations.push({ kind: "update", ...file, path: isMoved ? from : (to ?? from), hunks, move });
    if (to === undefined)
      found.operations.push({ kind: "delete", index: found.next++, ...file, isEmptied: hunks.length > 0 });
  }
  if (said.has("new mode") || said.get("new file mode") === "100755") found.warnings.add(dialectWarnings.mode(path));
  return next;
}

/** Returns the text that the hunks of a new file add. */
function addedText(hunks: readonly Hunk[]): string {
  const text = hunks.flatMap(({ lines }) => lines.map((line) => `${line.text}\n`)).join("");
  return hunks.at(-1)?.dropsLineEnd === true ? text.slice(0, -1) : text;
}

/** Returns the reason why the diff of a file can't be applied, as a clause for `patchFailures.syntax`. */
function problemOf({ from, to, said }: DiffHeader, hunks: readonly Hunk[]): string | undefined {
  const path = from ?? to;
  if (path === undefined) return diffProblems.noFile();
  if (said.has("Binary files") || said.has("GIT binary patch")) return diffProblems.binary();
  if (said.has("copy to")) return diffProblems.copy();
  const modes = ["new file mode", "deleted file mode", "new mode", "index"].map((key) => said.get(key) ?? "");
  if (modes.some((mode) => /1[26]0000$/.test(mode))) return diffProblems.noText();
  const isEvery = (kind: HunkLine["kind"]): boolean =>
    hunks.every(({ lines }) => lines.every((line) => line.kind === kind));
  if (from === undefined && !isEvery("add")) return diffProblems.newFile();
  if (to === undefined && !isEvery("remove")) return diffProblems.goneFile();
  const isBare = from !== undefined && to !== undefined && !said.has("rename to") && !said.has("new mode");
  return isBare && hunks.length === 0 ? patchProblems.noHunks() : undefined;
}

/** Reads hunks from a 0-based line on, up to the next file, with only empty lines between; none if one is wrong. */
function readHunks(found: TextFindings, from: number, path: string): { hunks: Hunk[] | undefined; next: number } {
  const { lines } = found;
  const hunks: Hunk[] = [];
  let isBroken = false;
  let isApart = false;
  let at = from;
  while (at < lines.length && !startsFile(lines, at) && !found.isFull) {
    const line = trimLineEnd(lines[at] ?? "");
    // The first hunk may lack its header.
    const start = line.startsWith("@@") ? at + 1 : at === from && /^[ +-]/.test(line) ? at : undefined;
    const end = start === undefined ? at + 1 : endOfHunk(found, start, line);
    const body = start === undefined ? undefined : readBody(lines.slice(start, end), start + 1);
    const problem = body === undefined ? lostProblem(lines, at) : hunkProblem(line, body.lines, isApart);
    if (problem !== undefined && !isBroken) found.report(at, problem, path);
    isBroken ||= problem !== undefined;
    isApart ||= body === undefined && line !== "";
    if (body !== undefined) found.took(at, end);
    if (body !== undefined && problem === undefined) {
      const anchor = start === at || /^@@ \.{3}(?: @@)?$/.test(line) ? undefined : readAnchor(line, { lenient: true });
      hunks.push({ index: found.next++, patchLine: at + 1, anchors: anchor ? [anchor] : [], ...body });
    }
    at = Math.max(end, at + 1);
  }
  return { hunks: isBroken ? undefined : hunks, next: at };
}

/** Returns what is wrong with a hunk. `isApart`: text that is no hunk is between it and the header of its file. */
function hunkProblem(header: string, lines: readonly HunkLine[], isApart: boolean): string | undefined {
  if (header.startsWith("@@@")) return diffProblems.combined();
  if (isApart) return diffProblems.unnamed();
  return lines.length === 0 ? patchProblems.emptyHunk() : undefined;
}

/** Returns the problem with a line that is in no hunk but looks as if it were a change. */
function lostProblem(lines: readonly string[], at: number): string | undefined {
  return isChange(lines[at] ?? "") && !isMailEnd(lines, at) ? diffProblems.lost() : undefined;
}

/** Reports whether a line has the sign of a change and is neither an item of a list, a rule nor a file's name. */
const isChange = (line: string): boolean => /^[+-](?! \S|--+$|-- |\+\+ )/.test(line);

/** Returns the 0-based line after a hunk: by the counts, if they fit, or after the last sign before a header. */
function endOfHunk({ lines, warnings }: TextFindings, from: number, header: string): number {
  const counts = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))?/.exec(header);
  const [old, added] = counts === null ? [] : [Number(counts[1] ?? 1), Number(counts[2] ?? 1)];
  const counted = old === undefined ? undefined : countedEnd(lines, from, { old, added: added ?? 0 });
  if (counted !== undefined && !goesOn(lines.slice(counted, boundary(lines, counted)))) return counted;
  const far = boundary(lines, from);
  const end = from + lines.slice(from, far).findLastIndex((line) => /^[ +\\-]/.test(line)) + 1;
  const without = (sign: string): number => lines.slice(from, end).filter((line) => !line.startsWith(sign)).length;
  const isShort = old !== undefined && (without("+") < old || without("-") < (added ?? 0));
  if (isShort && far === lines.length) warnings.add(dialectWarnings.diffMayBeCutOff);
  return end;
}

/** Reports whether the lines after a hunk that is complete by its counts are still part of it. A list may follow it. */
function goesOn(after: readonly string[]): boolean {
  const isPart = (line: string): boolean => isChange(line) || /^ \S/.test(line);
  return after.some((line) => /^[+-]/.test(line)) && (after[0] !== "" || after.some(isPart));
}

/** Returns the line after all announced lines, if there are so many; before a sign, unsigned ones are context. */
function countedEnd(lines: readonly string[], from: number, left: { old: number; added: number }): number | undefined {
  let { old, added } = left;
  let isUnsigned = false;
  let at = from;
  for (; old > 0 || added > 0 || lines[at]?.startsWith("\\") === true; at++) {
    const line = lines[at];
    const sign = line === "" ? " " : (/^[ +\\-]/.exec(line ?? "")?.[0] ?? "");
    isUnsigned ||= sign === "";
    if (line === undefined || /^@@ -/.test(line) || (isUnsigned && startsFile(lines, at))) return undefined;
    if (sign !== "+" && sign !== "\\") old--;
    if (sign !== "-" && sign !== "\\") added--;
  }
  const isDone = !isUnsigned || /^[ +\\-]/.test(lines[at - 1] ?? "");
  return old < 0 || added < 0 || !isDone ? undefined : at;
}

/** Returns the first line (0-based) at or after `from` that surely belongs to no hunk: a header, a fence, or a mail's end. */
function boundary(lines: readonly string[], from: number): number {
  return nextLine(
    lines,
    from,
    (line, at) => isMailEnd(lines, at) || /^(?:@@|Index: |```|~~~)/.test(line) || startsFile(lines, at),
  );
}

/** Reports whether a line is the one that Git puts above its version at the end of a mail. */
function isMailEnd(lines: readonly string[], at: number): boolean {
  const [line = "", next = ""] = lines.slice(at, at + 2);
  return (/^-- ?$/.test(line) && /^\d+\.\d/.test(next)) || (line === "-- " && next === "");
}

/** Reads the lines of a hunk; `number` is the 1-based number of the first one. */
function readBody(sent: readonly string[], number: number): Omit<Hunk, "index" | "patchLine" | "anchors"> {
  const lines: HunkLine[] = [];
  // The note after a line says that it is the last line of its file and has no line ending.
  const open = { old: false, added: false };
  for (const [i, line] of sent.entries()) {
    const kind = line === "" ? "context" : kinds[line[0] ?? ""];
    const last = lines.at(-1)?.kind;
    if (line.startsWith("\\")) {
      open.old ||= last !== "add";
      open.added ||= last !== "remove";
    } else if (kind === undefined) lines.push({ kind: "context", text: line, unsignedAt: number + i });
    else lines.push({ kind, text: line.slice(1) });
  }
  const { old, added } = open;
  return { lines, atEnd: old || added, addsLineEnd: old && !added, dropsLineEnd: added && !old };
}
