/** The lines of a patch that are not file text (markers, headers, anchors), and lines that resemble them. */
import type { Anchor, Section } from "../plan/operation.js";
import { isBlank } from "../text/chars.js";
import { patchProblems } from "./sentences.js";

/** The markers of a patch, apart from section headers, in their exact spelling. Two are only the start of a line. */
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

/** Returns a line without trailing whitespace, as Unicode, not JavaScript, defines whitespace. */
export function trimLineEnd(line: string): string {
  let end = line.length;
  while (end > 0 && isSpace(line.charCodeAt(end - 1))) end--;
  return line.slice(0, end);
}

/** Returns a line without leading whitespace. */
export function trimLineStart(line: string): string {
  let start = 0;
  while (start < line.length && isSpace(line.charCodeAt(start))) start++;
  return line.slice(start);
}

/** Returns a line without leading or trailing whitespace. */
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
  /** `true` if the line was meant to begin or end a section or the patch, and so ends the section before it. */
  readonly endsSection: boolean;
}

/** Matches the start of every line that resembles a marker. It is a fast first test, because few lines match. */
const firstWord =
  /^\*+[\s_-]*(?:add|begin|change|create|delete|edit|end|environment|eof|modify|move|new|remove|rename|update)/;

/** Misspelt markers that models write. `like` matches the words of a line, in lower case and with single spaces. */
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
 * Returns what is wrong with a line that looks like a marker or a header, or like the start of either, but is not valid
 * in its position. The line must have no trailing whitespace. Returns `undefined` if the line looks like none of these.
 */
export function readStrayMarker(line: string): StrayMarker | undefined {
  if (!line.startsWith("***")) return undefined;
  if (line === markers.begin) return { problem: patchProblems.beginInside(), endsSection: true };
  if (line === markers.endOfFile) return { problem: patchProblems.endOfFileMisplaced(), endsSection: false };
  if (line.startsWith(markers.moveTo)) return { problem: patchProblems.moveMisplaced(), endsSection: false };
  if (line.startsWith(markers.environment)) return { problem: patchProblems.environment(), endsSection: false };
  // The words of every marker fit easily into this many characters.
  const start = line.slice(0, 80).toLowerCase();
  if (!firstWord.test(start)) return undefined;
  const words = start
    .replace(/^\*+/, "")
    .replace(/[\s_-]+/g, " ")
    .replace(/^ /, "");
  // Renaming a file takes two lines, so it would not help to correct the spelling of this line.
  if (/^rename(?: ?files?\b| ?:)/.test(words)) return { problem: patchProblems.renameHeader(), endsSection: false };
  const row = likenesses.find(({ like }) => like.test(words));
  return row === undefined ? undefined : { problem: patchProblems.misspelt(row.marker), endsSection: row.endsSection };
}

/** The mode of reading. A patch that both modes accept means the same in both, unless Codex's meaning is harmful. */
export interface Leniency {
  /** `false` accepts what the shipped `apply_patch` accepts, and nothing else. */
  readonly lenient: boolean;
}

/** Reports whether a line, which has no trailing whitespace, starts a hunk. */
export function isHunkStart(line: string, { lenient }: Leniency): boolean {
  return lenient ? line.startsWith("@@") : line === "@@" || line.startsWith("@@ ");
}

/** Reads the anchor on a line that starts a hunk and has no trailing whitespace; `undefined` if the line has none. */
export function readAnchor(line: string, { lenient }: Leniency): Anchor | undefined {
  const text = line.slice(line.startsWith("@@ ") ? 3 : 2);
  if (text === "" || (lenient && text === "@@")) return undefined;
  const range = lenient ? unifiedRange.exec(text.slice(0, 80)) : null;
  if (range === null) return { text };
  return { text, range: { line: Number(range[1]), count: Number(range[2] ?? 1) } };
}

/** Matches the line ranges of a unified diff's hunk. Git omits a count of 1, and models may omit the second `@@`. */
const unifiedRange = /^-(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,\d{1,9})?(?: @@|$)/;
