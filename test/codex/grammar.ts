/** The grammar of patches as observed in Codex, plus each deviation that is switched on. */
import { trimBlanks, trimBlanksEnd } from "./blanks.js";
import type { Rules } from "./deviations.js";

/** A line of a hunk, without its sign. */
export interface PatchLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** The text after `@@`. If it begins with a unified diff's line numbers, `range` is the range of the old lines. */
export interface PatchAnchor {
  readonly text: string;
  readonly range?: { readonly line: number; readonly count: number };
}

/** A hunk, possibly incomplete. */
export interface Chunk {
  readonly anchors: PatchAnchor[];
  lines: PatchLine[];
  atEnd: boolean;
  /** `true` if Git's comments say that the patch ends the last line, which had no line end. */
  addsLineEnd?: boolean;
}

/** A section, possibly incomplete. */
export type Part =
  | { readonly kind: "add"; readonly path: string; text: string; isUnended?: boolean }
  | { readonly kind: "delete"; readonly path: string }
  | { readonly kind: "update"; readonly path: string; move?: string; readonly chunks: Chunk[] };

/** The sections of a patch, or the reason why it is not a patch. */
export type Read =
  | { readonly ok: true; readonly parts: readonly Part[] }
  | { readonly ok: false; readonly said: string };

/**
 * Reads a patch. With deviations switched on, it may accept patches that the server refuses, which `compare` allows
 * for.
 */
export function readPatch(patch: string, rules: Rules): Read {
  const found = bodyOf(patch, rules);
  if (found === undefined) return refused("no markers around it");
  const { body } = found;
  let { isEnded } = found;
  const parts: Part[] = [];
  const environment = /^\*\*\* Environment ID:(.*)$/s.exec(trimBlanks(body[0] ?? ""));
  if (environment !== null && trimBlanks(environment[1] ?? "") === "") return refused("an empty environment");
  const from = environment === null ? 0 : 1;
  let skipped = from;
  for (const [i, line] of body.entries()) {
    if (rules.has("diffHeader")) skipped = Math.max(skipped, i + diffHeaderAt(body, i, parts.at(-1)));
    if (i < skipped || isLeadingBlank(body, i, parts.at(-1), rules)) continue;
    const last = parts.at(-1);
    const marker = last?.kind === "update" ? trimBlanksEnd(line) : trimBlanks(line);
    if (marker === endMarker) {
      // Nothing may follow except one more end marker.
      const hasMore = body.slice(i + 1).some((rest) => trimBlanks(rest) !== "");
      if (hasMore && !rules.has("textAround")) return refused("text after the end");
      isEnded = true;
      break;
    }
    const opened = openPart(marker);
    const problem = opened === undefined ? takeLine(line, last, rules) : closePart(last, rules);
    if (problem !== undefined) return refused(problem);
    if (opened !== undefined) parts.push(opened);
  }
  const problem = closePart(parts.at(-1), rules) ?? (parts.length === 0 ? "nothing to do" : undefined);
  if (problem !== undefined) return refused(problem);
  return isEnded || isComplete(parts.at(-1)) ? { ok: true, parts } : refused("cut off");
}

/** Reports whether a part cannot go on after its last line, or ends with context. */
function isComplete(part: Part | undefined): boolean {
  if (part?.kind !== "update") return part?.kind === "delete";
  const last = part.chunks.at(-1);
  return last === undefined || last.atEnd || last.lines.at(-1)?.sign === " ";
}

/** The number of lines, from a line on, that are the header of a Git diff for the Update that they follow. */
function diffHeaderAt(body: readonly string[], at: number, part: Part | undefined): number {
  if (part?.kind !== "update" || part.chunks.length > 0) return 0;
  const { path, move = path } = part;
  const text = body.slice(at, at + 7).join("\n");
  const header =
    /^(?:(?:diff --git|index|old mode|new mode) .*\n)*--- (?:[ab]\/)?(.*)\n\+\+\+ (?:[ab]\/)?(.*)\n(?=@@)/.exec(text);
  const isOwn = (name: string | undefined): boolean => [path, move].some((own) => own.replace("./", "") === name);
  return header !== null && isOwn(header[1]) && isOwn(header[2]) ? header[0].split("\n").length - 1 : 0;
}

const refused = (said: string): Read => ({ ok: false, said });

const beginMarker = "*** Begin Patch";
const endMarker = "*** End Patch";

/** The lines between the markers, and whether the last marker is there; `undefined` if they are not on the right lines. */
function bodyOf(patch: string, rules: Rules): { readonly body: string[]; readonly isEnded: boolean } | undefined {
  const linesOf = (text: string): string[] => text.split("\n").map((line) => line.replace(/\r{1,2}$/, ""));
  const lines = linesOf(trimBlanks(patch));
  if (isWhole(lines)) return { body: lines.slice(1, -1), isEnded: true };
  const inner = lines.slice(1, -1);
  const isHeredoc = /^<<(EOF|'EOF'|"EOF")$/.test(lines[0] ?? "") && lines.at(-1)?.endsWith("EOF") === true;
  if (isHeredoc && isWhole(inner)) return { body: inner.slice(1, -1), isEnded: true };
  const all = linesOf(rules.has("textAround") ? patch.replace(/^\ufeff/, "") : trimBlanks(patch));
  const begin = rules.has("textAround") ? all.findIndex((line) => trimBlanks(line) === beginMarker) : 0;
  const hasBegin = trimBlanks(all[begin] ?? "") === beginMarker;
  const from = hasBegin ? begin + 1 : bareStart(all, rules);
  if (from === undefined) return undefined;
  const body = all.slice(from);
  const unwrapped = withoutWrapping(all.slice(0, hasBegin ? begin : from), body);
  if (trimBlanks(unwrapped.at(-1) ?? "") === endMarker) return { body: unwrapped.slice(0, -1), isEnded: true };
  const hasEnd = body.some((line) => trimBlanks(line) === endMarker);
  return rules.has(hasEnd ? "textAround" : "missingEnd") ? { body: unwrapped, isEnded: false } : undefined;
}

/** The line of the first section's header in a patch that has only its last marker; `undefined` if it is no patch. */
function bareStart(all: readonly string[], rules: Rules): number | undefined {
  const from = all.findIndex((line) => trimBlanks(line) !== "" && !/^ {0,3}(```|~~~)/.test(line));
  const isPatch = openPart(trimBlanks(all[from] ?? "")) !== undefined;
  const hasEnd = all.some((line) => trimBlanks(line) === endMarker);
  return rules.has("missingBegin") && isPatch && hasEnd ? from : undefined;
}

const isWhole = (lines: readonly string[]): boolean =>
  lines.length > 1 && trimBlanks(lines[0] ?? "") === beginMarker && trimBlanks(lines.at(-1) ?? "") === endMarker;

/**
 * Removes what does not belong to a body: empty lines after it, and the ends of a code fence and a heredoc that were
 * opened before it.
 */
function withoutWrapping(before: readonly string[], body: readonly string[]): string[] {
  const word = /<<-?\s*["']?(\w+)/.exec(before.at(-1) ?? "")?.[1];
  const isOpen = before.some((line) => line.startsWith("```"));
  const isPart = (line: string): boolean => {
    const text = trimBlanks(line);
    return text !== "" && text !== word && !(isOpen && text.startsWith("```"));
  };
  return body.slice(0, body.findLastIndex(isPart) + 1);
}

function openPart(marker: string): Part | undefined {
  const after = (header: string): string | undefined =>
    marker.startsWith(header) ? marker.slice(header.length) : undefined;
  const [add, deleted, update] = [after("*** Add File: "), after("*** Delete File: "), after("*** Update File: ")];
  if (add !== undefined) return { kind: "add", path: add, text: "" };
  if (deleted !== undefined) return { kind: "delete", path: deleted };
  return update === undefined ? undefined : { kind: "update", path: update, chunks: [] };
}

/** The error in a part that ends here; `undefined` if there is none. */
function closePart(part: Part | undefined, rules: Rules): string | undefined {
  if (part?.kind !== "update") return undefined;
  if (rules.has("bareHunkAtEnd") && isBare(part.chunks.at(-1)) && part.chunks.length > 1) part.chunks.pop();
  const last = part.chunks.at(-1);
  if (last !== undefined) return last.lines.length === 0 ? "a hunk without a line" : undefined;
  return part.move !== undefined && rules.has("bareMove") ? undefined : "an update without a hunk";
}

/** Reports whether a hunk is only `@@`, possibly with empty lines after it. */
const isBare = (chunk: Chunk | undefined): boolean =>
  chunk !== undefined && chunk.anchors.length === 0 && !chunk.atEnd && isGap(chunk.lines);

/**
 * Reports whether a line is empty and lies between an Update's header and its first hunk. If lines of the hunk follow
 * without `@@`, a line of only spaces is an empty context line, and an empty line before a `+` may say where the
 * addition goes.
 */
function isLeadingBlank(body: readonly string[], at: number, part: Part | undefined, rules: Rules): boolean {
  if (!rules.has("blankBeforeHunk") || part?.kind !== "update" || part.chunks.length > 0) return false;
  const next = body.slice(at).find((line) => trimBlanks(line) !== "") ?? "";
  if (/^(@@|\*\*\*|$)/.test(next)) return trimBlanks(body[at] ?? "") === "";
  return body[at] === "" && !next.startsWith("+");
}

/** Reads a line of a part; returns the error in it, or `undefined`. */
function takeLine(line: string, part: Part | undefined, rules: Rules): string | undefined {
  if (part?.kind === "update") return takeUpdateLine(line, part, rules);
  if (rules.has("blankBetween") && trimBlanks(line) === "") return undefined;
  if (part === undefined || part.kind === "delete") return `no header: ${line}`;
  if (isNoNewlineMark(line, rules)) {
    if (part.text.endsWith("\n") && part.isUnended !== true) {
      part.text = part.text.slice(0, -1);
      part.isUnended = true;
    }
    return undefined;
  }
  if (!line.startsWith("+")) return `no + in front of: ${line}`;
  if (part.isUnended === true) part.text += "\n";
  part.isUnended = false;
  part.text += `${line.slice(1)}\n`;
  return undefined;
}

function takeUpdateLine(line: string, part: Part & { kind: "update" }, rules: Rules): string | undefined {
  const marker = trimBlanksEnd(line);
  const last = part.chunks.at(-1);
  const move = "*** Move to: ";
  if (last === undefined && part.move === undefined && marker.startsWith(move)) {
    part.move = marker.slice(move.length);
    return undefined;
  }
  if (marker === "@@" || marker.startsWith(rules.has("tightAnchor") ? "@@" : "@@ ")) {
    const anchor = anchorOf(marker, rules);
    if (last !== undefined && !last.atEnd && rules.has("blankBeforeHunk") && isGap(last.lines)) last.lines.length = 0;
    if (last?.lines.length === 0) {
      if (!rules.has("stackedAnchors")) return "a hunk without a line";
      if (anchor !== undefined) last.anchors.push(anchor);
    } else part.chunks.push({ anchors: anchor === undefined ? [] : [anchor], lines: [], atEnd: false });
    return undefined;
  }
  if (marker === "*** End of File") {
    if (last?.lines.length === 0 || last?.atEnd) return "an end of file without a hunk";
    if (last !== undefined) last.atEnd = true;
    return undefined;
  }
  if (last?.atEnd) return marker === "" ? undefined : `neither @@ nor header after an end of file: ${line}`;
  return takeHunkLine(line, part, rules);
}

/** Reports whether all lines are empty context lines, so that they may be no more than a gap in the patch. */
const isGap = (lines: readonly PatchLine[]): boolean => lines.every(({ sign, text }) => sign === " " && text === "");

function anchorOf(marker: string, rules: Rules): PatchAnchor | undefined {
  const text = marker.slice(marker.startsWith("@@ ") ? 3 : 2);
  const range = /^-(\d+)(?:,(\d+))? \+\d+(?:,\d+)?(?: @@|$)/.exec(text);
  if (text === "@@" && rules.has("closedAnchor")) return undefined;
  if (range === null) return text === "" ? undefined : { text };
  return { text, range: { line: Number(range[1]), count: Number(range[2] ?? 1) } };
}

function takeHunkLine(line: string, part: Part & { kind: "update" }, rules: Rules): string | undefined {
  if (isNoNewlineMark(line, rules)) {
    const noted = part.chunks.at(-1);
    if (noted !== undefined) noted.addsLineEnd = noted.lines.at(-1)?.sign === "-";
    return undefined;
  }
  const first = line === "" ? " " : line[0];
  const isSign = first === " " || first === "+" || first === "-";
  if (!isSign && !rules.has("missingBlank")) return `no sign: ${line}`;
  const chunk = part.chunks.at(-1) ?? { anchors: [], lines: [], atEnd: false };
  if (part.chunks.length === 0) part.chunks.push(chunk);
  chunk.lines.push(isSign ? { sign: first, text: line.slice(1) } : { sign: " ", text: line });
  return undefined;
}

const isNoNewlineMark = (line: string, rules: Rules): boolean =>
  rules.has("noNewlineMark") && line.startsWith("\\ No newline at end of file");
