/** A patch's structural lines (markers, headers and anchors), and lines that resemble them. */
import type { Anchor, HunkLine, Section } from "../plan/operation.js";
import { isBlank } from "../text/chars.js";
import { patchProblems } from "./sentences.js";

/** A patch's markers, spelt exactly, but for section headers. More text follows the last two. */
export const markers = {
  begin: "*** Begin Patch",
  end: "*** End Patch",
  endOfFile: "*** End of File",
  /** Followed by a path. */
  moveTo: "*** Move to: ",
  /** Followed by the name of an environment, which the server ignores. */
  environment: "*** Environment ID:",
} as const;

const CR = 13;
const isSpace = (unit: number): boolean => unit === CR || isBlank(unit);

/** Strips trailing whitespace, as defined by Unicode rather than JavaScript, from a line. */
export function trimLineEnd(line: string): string {
  let end = line.length;
  while (end > 0 && isSpace(line.charCodeAt(end - 1))) end--;
  return line.slice(0, end);
}

/** Strips leading whitespace from a line. */
export function trimLineStart(line: string): string {
  let start = 0;
  while (start < line.length && isSpace(line.charCodeAt(start))) start++;
  return line.slice(start);
}

/** Strips leading and trailing whitespace from a line. */
export function trimLine(line: string): string {
  return trimLineEnd(trimLineStart(line));
}

/** The first line of a section. */
export interface Header {
  readonly kind: Section["kind"];
  /** As spelt; never empty. As in Codex, quotes are part of the path, and so are all leading spaces but the first. */
  readonly path: string;
}

const headers: readonly { readonly kind: Header["kind"]; readonly start: string }[] = [
  { kind: "add", start: "*** Add File: " },
  { kind: "delete", start: "*** Delete File: " },
  { kind: "update", start: "*** Update File: " },
];

/** Reads the header on a line without trailing whitespace; `undefined` if the line is not a header or has no path. */
export function readHeader(line: string): Header | undefined {
  const row = headers.find(({ start }) => line.startsWith(start));
  return row === undefined ? undefined : { kind: row.kind, path: line.slice(row.start.length) };
}

/** Returns a section's name for use in sentences, such as `Update File a.ts`. */
export function titleOf({ kind, path }: Header): string {
  return `${{ add: "Add", delete: "Delete", update: "Update" }[kind]} File ${path}`;
}

/** A marker in the wrong position, or a line that only resembles a marker. */
export interface StrayMarker {
  /** A clause from `patchProblems`. */
  readonly problem: string;
  /** `true` if the line was meant to begin or end a section or the patch, and so ends the preceding section. */
  readonly endsSection: boolean;
}

/** Matches the start of every line that resembles a marker. Serves as a fast first check, because few lines match. */
const firstWord =
  /^\*+[\s_-]*(?:add|begin|change|create|delete|edit|end|environment|eof|modify|move|new|remove|rename|update)/;

/** Common misspellings of markers. `like` is matched against a line's words, in lower case, with single spaces. */
const likenesses: readonly { readonly like: RegExp; readonly marker: string; readonly endsSection: boolean }[] = [
  { like: /^begin ?patch/, marker: markers.begin, endsSection: true },
  { like: /^end ?patch/, marker: markers.end, endsSection: true },
  { like: /^(?:end ?of ?file|eof)\b/, marker: markers.endOfFile, endsSection: false },
  { like: /^(?:update|modify|edit|change)(?: ?files?\b| ?:)/, marker: "*** Update File: path", endsSection: true },
  { like: /^(?:add|create|new)(?: ?files?\b| ?:)/, marker: "*** Add File: path", endsSection: true },
  { like: /^(?:delete|remove)(?: ?files?\b| ?:)/, marker: "*** Delete File: path", endsSection: true },
  { like: /^(?:move|rename)(?: ?files?\b| ?to\b| ?:)/, marker: "*** Move to: path", endsSection: false },
  { like: /^environment ?id\b/, marker: "*** Environment ID: name", endsSection: false },
];

/**
 * Returns the problem with a line that resembles a marker or a header, or the start of either, but is not valid in its
 * position. The line must have no trailing whitespace. Returns `undefined` if the line resembles none of these.
 */
export function readStrayMarker(line: string): StrayMarker | undefined {
  if (!line.startsWith("***")) return undefined;
  if (line === markers.begin) return { problem: patchProblems.beginInside(), endsSection: true };
  if (line === markers.endOfFile) return { problem: patchProblems.endOfFileMisplaced(), endsSection: false };
  if (line.startsWith(markers.moveTo)) return { problem: patchProblems.moveMisplaced(), endsSection: false };
  if (line.startsWith(markers.environment)) return { problem: patchProblems.environment(), endsSection: false };
  // This many characters are more than enough for the words of any marker.
  const start = line.slice(0, 80).toLowerCase();
  if (!firstWord.test(start)) return undefined;
  const words = start
    .replace(/^\*+/, "")
    .replace(/[\s_-]+/g, " ")
    .replace(/^ /, "");
  // Renaming a file takes two lines, so correcting the spelling of this line would not help.
  if (/^rename(?: ?files?\b| ?:)/.test(words)) return { problem: patchProblems.renameHeader(), endsSection: false };
  const row = likenesses.find(({ like }) => like.test(words));
  return row === undefined ? undefined : { problem: patchProblems.misspelt(row.marker), endsSection: row.endsSection };
}

/** The kind of a hunk line, by its first character. */
export const kinds: Readonly<Record<string, HunkLine["kind"] | undefined>> = {
  " ": "context",
  "-": "remove",
  "+": "add",
};

/** The parsing mode. A patch that both modes accept means the same in both, unless Codex's reading of it is harmful. */
export interface Leniency {
  /** If `false`, the parser accepts only what Codex's own `apply_patch` accepts. */
  readonly lenient: boolean;
}

/** Reports whether a line without trailing whitespace starts a hunk. */
export function isHunkStart(line: string, { lenient }: Leniency): boolean {
  return lenient ? line.startsWith("@@") : line === "@@" || line.startsWith("@@ ");
}

/** Reads the anchor on a line that starts a hunk and has no trailing whitespace; `undefined` if there is none. */
export function readAnchor(line: string, { lenient }: Leniency): Anchor | undefined {
  const text = line.slice(line.startsWith("@@ ") ? 3 : 2);
  if (text === "" || (lenient && text === "@@")) return undefined;
  const range = lenient ? unifiedRange.exec(text.slice(0, 80)) : null;
  if (range === null) return { text };
  return { text, range: { line: Number(range[1]), count: Number(range[2] ?? 1) } };
}

/** Matches the line ranges in a hunk header of a unified diff: Git omits a count of 1, models the second `@@`. */
const unifiedRange = /^-(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,\d{1,9})?(?: @@|$)/;

/**
 * Returns the number of lines, among the given ones, that form the header of a Git diff for one of these paths; 0 if
 * the lines do not begin with such a header. A header ends with its `---` and `+++` lines, which must both be there.
 */
export function diffHeaderLength(lines: readonly string[], paths: readonly string[]): number {
  const from = lines.findIndex((line) => !/^(?:diff --git|index|old mode|new mode) /.test(line));
  const names = (line: string | undefined, start: string): boolean =>
    line?.startsWith(start) === true && paths.some((path) => namesPath(line.slice(start.length), path));
  const [first] = lines;
  if (from < 0 || (first?.startsWith("diff --git ") && !paths.some((path) => first.includes(path)))) return 0;
  return names(lines[from], "--- ") && names(lines[from + 1], "+++ ") ? from + 2 : 0;
}

/** Reports whether a path in a diff's header, where Git puts `a/` or `b/` before it, is a path of the patch. */
function namesPath(inHeader: string, path: string): boolean {
  const name = trimLineEnd(inHeader.split("\t")[0] ?? "");
  const plain = (spelt: string): string => spelt.replace(/^(?:\.\/)+/, "");
  const bare = (spelt: string): string => plain(spelt).replace(/^[ab]\//, "");
  return plain(name) === plain(path) || bare(name) === plain(path) || bare(name) === bare(path);
}
