/** Finds the patch in a text and strips the wrapping that models put around patches. */
import { withoutMark } from "../text/chars.js";
import { type Leniency, markers, readHeader, readStrayMarker, trimLine, trimLineStart } from "./patchMarkers.js";
import { diffProblems, otherForms, patchProblems } from "./sentences.js";

/** A text that contains a patch. Line numbers are 0-based and refer to the whole text as sent. */
export interface PatchText {
  /** The lines of the text, without their line endings. */
  readonly lines: readonly string[];
  /** The line after `*** Begin Patch`; if that line is missing, the first section's header. */
  readonly from: number;
  /** The line after the last one that may be part of the patch. */
  readonly to: number;
  /** The first line that precedes the patch but looks like part of one; `undefined` if there is none. */
  readonly lost: number | undefined;
  /** `true` if the patch has no line `*** Begin Patch`. */
  readonly lacksBegin: boolean;
}

/** The result if no patch was found. */
export interface NoPatch {
  readonly lines: readonly string[];
  /** The 0-based number of the line that shows the problem. */
  readonly line: number;
  /** A clause from `patchProblems`. */
  readonly problem: string;
}

/** Returns the 0-based line that begins a patch: a marker, or a section's header before an end marker; or -1. */
export function findSign(text: string): number {
  const found = findPatch(text, { lenient: true });
  return "problem" in found ? -1 : found.from - (found.lacksBegin ? 0 : 1);
}

/** Finds the patch in a text. Does not look for the end marker, which is checked when the sections are read. */
export function findPatch(text: string, how: Leniency): PatchText | NoPatch {
  const lines = splitPatch(how.lenient ? withoutMark(text) : text);
  return how.lenient ? findLenient(lines) : findStrict(lines);
}

/** Splits a text into lines, each without up to two trailing CRs: Codex drops one twice. */
export function splitPatch(text: string): string[] {
  const lines = text.split("\n");
  if (!text.includes("\r")) return lines;
  return lines.map((line) => line.slice(0, line.length - (line.endsWith("\r\r") ? 2 : line.endsWith("\r") ? 1 : 0)));
}

/** Finds a patch surrounded only by empty lines, or in a heredoc with the tag `EOF`, the only tag Codex accepts. */
function findStrict(lines: readonly string[]): PatchText | NoPatch {
  const first = Math.max(0, lines.findIndex(isFilled));
  const last = lines.findLastIndex(isFilled);
  const opening = trimLineStart(lines[first] ?? "");
  const isHeredoc = last - first >= 3 && heredocs.includes(opening) && trimLine(lines[last] ?? "").endsWith("EOF");
  const begin = isHeredoc ? first + 1 : first;
  if (trimLine(lines[begin] ?? "") !== markers.begin) return whyNoPatch(lines, first);
  return { lines, from: begin + 1, to: isHeredoc ? last : last + 1, lost: undefined, lacksBegin: false };
}

const heredocs: readonly string[] = ["<<EOF", "<<'EOF'", '<<"EOF"'];

/** Finds a patch, perhaps after other text. `lost`: the first line before it that looks like a part of it. */
function findLenient(lines: readonly string[]): PatchText | NoPatch {
  const begin = lines.findIndex((line) => trimLine(line) === markers.begin);
  if (begin < 0)
    return findWithoutBegin(lines) ?? findBareDiff(lines) ?? whyNoPatch(lines, Math.max(0, lines.findIndex(isFilled)));
  const before = lines.slice(0, begin);
  const lost = before.findIndex(looksLikePatch);
  return {
    lines,
    from: begin + 1,
    to: endOfContent(lines, before),
    lost: lost < 0 ? undefined : lost,
    lacksBegin: false,
  };
}

/** Finds a patch that starts with its first section's header; `undefined` if it has no end marker either. */
function findWithoutBegin(lines: readonly string[]): PatchText | undefined {
  const from = lines.findIndex((line) => isFilled(line) && !isFence(line));
  const isPatch = readHeader(trimLine(lines[from] ?? "")) !== undefined;
  if (!isPatch || !lines.some((line) => trimLine(line) === markers.end)) return undefined;
  return { lines, from, to: endOfContent(lines, lines.slice(0, from)), lost: undefined, lacksBegin: true };
}

/** Finds the header of a unified diff with a change, but no `@@`, below it; `undefined` if there is none. */
function findBareDiff(lines: readonly string[]): NoPatch | undefined {
  const line = lines.findIndex(
    (one, at) => /^--- ./.test(one) && /^\+\+\+ ./.test(lines[at + 1] ?? "") && /^[ +-]/.test(lines[at + 2] ?? ""),
  );
  return line < 0 ? undefined : { lines, line, problem: diffProblems.noHunk() };
}

/** Reports whether a line outside the patch looks like part of a patch and so must not be ignored. */
export function looksLikePatch(line: string): boolean {
  const trimmed = trimLine(line);
  return (
    line.startsWith("@@") ||
    trimmed === markers.end ||
    readHeader(trimmed) !== undefined ||
    readStrayMarker(trimmed) !== undefined
  );
}

/** Returns the first line after the content; from there on, all lines are empty or close the wrapping. */
function endOfContent(lines: readonly string[], before: readonly string[]): number {
  const isFenced = before.some(isFence);
  const tag = heredocTag(before.findLast(isFilled) ?? "");
  const isWrapping = (line: string): boolean => {
    const trimmed = trimLine(line);
    if (trimmed === "" || (isFenced && isFence(line))) return true;
    // The `)"` that closes a shell's `"$(cat <<'EOF'` may follow the tag, on the same line or on the next.
    const rest = trimmed.replace(/["')]{1,4}$/, "");
    return tag !== undefined && (rest === tag || rest === "");
  };
  return lines.findLastIndex((line) => !isWrapping(line)) + 1;
}

const isFilled = (line: string): boolean => trimLine(line) !== "";
const isFence = (line: string): boolean => /^ {0,3}(?:```|~~~)/.test(line);

/** Returns the tag of the shell heredoc that a line opens; `undefined` if it opens none. */
function heredocTag(line: string): string | undefined {
  return /<<-? ?[\\"']?([A-Za-z_][A-Za-z0-9_]{0,30})["']?/.exec(line.slice(-200))?.[1];
}

/** Returns the reason why no patch was found in a text. `first`: the first non-empty line. */
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
  if (diff >= 0) return at(diff, patchProblems.unifiedDiff());
  const range = lines.findIndex((line) => /^\s*edit \d+:\d+\b/.test(line));
  if (range >= 0) return at(range, otherForms.lineRange);
  return at(first, otherFormOf(start, lines.slice(first + 1)) ?? patchProblems.noBegin());
}

/** Names the form of a text that is no patch, by its first line and the ones below; `undefined` if it has no known form. */
function otherFormOf(start: string, below: readonly string[]): string | undefined {
  const [, tag = ""] = /^<([a-z]+(?:_[a-z]+)+)>/.exec(start) ?? [];
  if (tag !== "") return /^(?:write|create)_/.test(tag) ? otherForms.wholeFile : otherForms.toolCall;
  const opening = [start, below.find(isFilled) ?? ""].find(isFence);
  const isPatch = opening === undefined || /diff|patch/.test(opening) || [start, ...below].some(looksLikePatch);
  return !isPatch && isFence(below.findLast(isFilled) ?? "") ? otherForms.wholeFile : undefined;
}

/** Reports whether a line outside any hunk looks like a header line of a unified diff. */
export function isUnifiedDiff(line: string): boolean {
  return /^(?:--- |\+\+\+ |diff --git |Index: )/.test(line);
}
