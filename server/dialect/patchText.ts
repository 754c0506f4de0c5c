/** Finds the patch in a text: between its markers, without the wrapping that models put around it. */
import { withoutMark } from "../text/chars.js";
import { type Leniency, markers, readHeader, readStrayMarker, trimLine, trimLineStart } from "./patchMarkers.js";
import { patchProblems } from "./sentences.js";

/** A text with a patch in it. Lines are numbered from 0, in the whole text as it was sent. */
export interface PatchText {
  /** Without their line ends. */
  readonly lines: readonly string[];
  /** The line after `*** Begin Patch`. */
  readonly from: number;
  /** The line after the last one that may be part of the patch. */
  readonly to: number;
  /** A line before the patch that seems to belong to it; `undefined` if there is none. */
  readonly lost: number | undefined;
}

/** The result if no patch was found. */
export interface NoPatch {
  readonly lines: readonly string[];
  /** The line that shows why, 0-based. */
  readonly line: number;
  /** A clause of `patchProblems`. */
  readonly problem: string;
}

/** Finds the patch in a text. Does not require an end marker, which is checked when the sections are read. */
export function findPatch(text: string, how: Leniency): PatchText | NoPatch {
  const lines = splitPatch(how.lenient ? withoutMark(text) : text);
  return how.lenient ? findLenient(lines) : findStrict(lines);
}

/** Splits a text. Codex drops up to two CRs at a line's end: one when it splits, and one when it reads the line. */
function splitPatch(text: string): string[] {
  const lines = text.split("\n");
  if (!text.includes("\r")) return lines;
  return lines.map((line) => line.slice(0, line.length - (line.endsWith("\r\r") ? 2 : line.endsWith("\r") ? 1 : 0)));
}

/** Finds a patch with nothing around it but empty lines, or one heredoc with the only tag that Codex knows. */
function findStrict(lines: readonly string[]): PatchText | NoPatch {
  const first = Math.max(0, lines.findIndex(isFilled));
  const last = lines.findLastIndex(isFilled);
  const opening = trimLineStart(lines[first] ?? "");
  const isHeredoc = last - first >= 3 && heredocs.includes(opening) && trimLine(lines[last] ?? "").endsWith("EOF");
  const begin = isHeredoc ? first + 1 : first;
  if (trimLine(lines[begin] ?? "") !== markers.begin) return whyNoPatch(lines, first);
  return { lines, from: begin + 1, to: isHeredoc ? last : last + 1, lost: undefined };
}

const heredocs: readonly string[] = ["<<EOF", "<<'EOF'", '<<"EOF"'];

/** Finds a patch and ignores the text around it, unless that looks like a part of the patch. */
function findLenient(lines: readonly string[]): PatchText | NoPatch {
  const begin = lines.findIndex((line) => trimLine(line) === markers.begin);
  if (begin < 0) return whyNoPatch(lines, Math.max(0, lines.findIndex(isFilled)));
  const before = lines.slice(0, begin);
  const lost = before.findIndex(looksLikePatch);
  return { lines, from: begin + 1, to: endOfContent(lines, before), lost: lost < 0 ? undefined : lost };
}

/** Reports whether a line outside a patch seems to belong to one, so that it must not be dropped. */
export function looksLikePatch(line: string): boolean {
  const trimmed = trimLine(line);
  return (
    line.startsWith("@@") ||
    trimmed === markers.end ||
    readHeader(trimmed) !== undefined ||
    readStrayMarker(trimmed) !== undefined
  );
}

/** Returns the line after the last one that is neither empty nor the end of a wrapping opened before the patch. */
function endOfContent(lines: readonly string[], before: readonly string[]): number {
  const isFenced = before.some(isFence);
  const tag = heredocTag(before.findLast(isFilled) ?? "");
  const isWrapping = (line: string): boolean => {
    const trimmed = trimLine(line);
    if (trimmed === "" || (isFenced && isFence(line))) return true;
    // The tag may be followed by the end of a shell's `"$(cat <<'EOF'`, on the same line or on the next.
    const rest = trimmed.replace(/["')]{1,4}$/, "");
    return tag !== undefined && (rest === tag || rest === "");
  };
  return lines.findLastIndex((line) => !isWrapping(line)) + 1;
}

const isFilled = (line: string): boolean => trimLine(line) !== "";
const isFence = (line: string): boolean => /^ {0,3}(?:```|~~~)/.test(line);

/** Returns the tag that ends a shell's heredoc; `undefined` if the line opens none. */
function heredocTag(line: string): string | undefined {
  return /<<-? ?[\\"']?([A-Za-z_][A-Za-z0-9_]{0,30})["']?/.exec(line.slice(-200))?.[1];
}

/** Explains why a text is not a patch that can be read; `first` is its first line that is not empty. */
function whyNoPatch(lines: readonly string[], first: number): NoPatch {
  const start = trimLine(lines[first] ?? "");
  const at = (line: number, problem: string): NoPatch => ({ lines, line, problem });
  if (start === "") return at(first, patchProblems.empty());
  const nearly = lines.findIndex((line) => /^\s*\*{3,} ?begin[ _-]?patch/i.test(line.slice(0, 40)));
  if (nearly >= 0 && trimLine(withoutMark(lines[nearly] ?? "")) !== markers.begin) {
    const isEscaped = lines[nearly]?.includes("\\n") === true;
    return at(nearly, isEscaped ? patchProblems.escaped() : patchProblems.misspelt(markers.begin));
  }
  if (nearly >= 0) return at(first, patchProblems.textBefore());
  if (/^[[{"]/.test(start)) return at(first, patchProblems.json());
  const diff = lines.findIndex(isUnifiedDiff);
  return diff >= 0 ? at(diff, patchProblems.unifiedDiff()) : at(first, patchProblems.noBegin());
}

/** Reports whether a line where a section should begin belongs to a unified diff. */
export function isUnifiedDiff(line: string): boolean {
  return /^(?:--- |\+\+\+ |diff --git |Index: )/.test(line);
}
