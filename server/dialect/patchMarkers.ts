/** The lines of a patch that are no text of a file: markers, section headers, anchors; and what nearly is one. */
import type { Anchor, Section } from "../plan/operation.js";
import { isBlank } from "../text/chars.js";
import { patchProblems } from "./sentences.js";

/** The lines that frame a patch and its parts, as they must be spelt. */
export const markers = {
  begin: "*** Begin Patch",
  end: "*** End Patch",
  endOfFile: "*** End of File",
  /** Followed by a path. */
  moveTo: "*** Move to: ",
  /** Followed by the name of an environment, which is nothing to us. */
  environment: "*** Environment ID:",
} as const;

const CR = 13;
const isSpace = (unit: number): boolean => unit === CR || isBlank(unit);

/** A line without the blanks at its end, which are Unicode's and not JavaScript's. */
export function trimLineEnd(line: string): string {
  let end = line.length;
  while (end > 0 && isSpace(line.charCodeAt(end - 1))) end--;
  return line.slice(0, end);
}

/** A line without the blanks at its start. */
export function trimLineStart(line: string): string {
  let start = 0;
  while (start < line.length && isSpace(line.charCodeAt(start))) start++;
  return line.slice(start);
}

/** A line without the blanks at both ends. */
export function trimLine(line: string): string {
  return trimLineEnd(trimLineStart(line));
}

/** The first line of a section. */
export interface Header {
  readonly kind: Section["kind"];
  /** As spelt, never empty; quotes and further blanks in front are part of it, as for Codex. */
  readonly path: string;
}

const headers: readonly { readonly kind: Header["kind"]; readonly start: string }[] = [
  { kind: "add", start: "*** Add File: " },
  { kind: "delete", start: "*** Delete File: " },
  { kind: "update", start: "*** Update File: " },
];

/** The header that a line is, whose blanks at the end are gone already; `undefined`: it is none, or has no path. */
export function readHeader(line: string): Header | undefined {
  const row = headers.find(({ start }) => line.startsWith(start));
  return row === undefined ? undefined : { kind: row.kind, path: line.slice(row.start.length) };
}

/** What a section is called in sentences: `Update File a.ts`. */
export function titleOf({ kind, path }: Header): string {
  return `${{ add: "Add", delete: "Delete", update: "Update" }[kind]} File ${path}`;
}

/** A marker where it can't stand, or a line that only resembles one. */
export interface StrayMarker {
  /** A clause of `patchProblems`. */
  readonly problem: string;
  /** Whether the section in front of it is complete all the same: a section or a patch was to begin or end here. */
  readonly endsSection: boolean;
}

/** What each of the likenesses below starts with: most lines are none of them, and there may be millions. */
const firstWord =
  /^\*+[\s_-]*(?:add|begin|change|create|delete|edit|end|environment|eof|modify|move|new|remove|rename|update)/;

/** Markers by the words in them, in lower case and with single blanks: how models misspell them. */
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
 * What is wrong with a line that looks like a marker, a header or the start of one, and can't be read as one where it
 * stands. Its blanks at the end are gone already. `undefined`: it looks like none.
 */
export function readStrayMarker(line: string): StrayMarker | undefined {
  if (!line.startsWith("***")) return undefined;
  if (line === markers.begin) return { problem: patchProblems.beginInside(), endsSection: true };
  if (line === markers.endOfFile) return { problem: patchProblems.endOfFileMisplaced(), endsSection: false };
  if (line.startsWith(markers.moveTo)) return { problem: patchProblems.moveMisplaced(), endsSection: false };
  if (line.startsWith(markers.environment)) return { problem: patchProblems.environment(), endsSection: false };
  // The words of every marker stand well within so many characters.
  const start = line.slice(0, 80).toLowerCase();
  if (!firstWord.test(start)) return undefined;
  const words = start
    .replace(/^\*+/, "")
    .replace(/[\s_-]+/g, " ")
    .replace(/^ /, "");
  // A file's new name is two lines, so that the spelling of one alone would not help.
  if (/^rename(?: ?files?\b| ?:)/.test(words)) return { problem: patchProblems.renameHeader(), endsSection: false };
  const row = likenesses.find(({ like }) => like.test(words));
  return row === undefined ? undefined : { problem: patchProblems.misspelt(row.marker), endsSection: row.endsSection };
}

/** How much is accepted; the meaning of a patch that both accept is the same, unless Codex' own would do damage. */
export interface Leniency {
  /** `false`: what the shipped `apply_patch` accepts, and nothing else. */
  readonly lenient: boolean;
}

/** Tells whether a line starts a hunk; its blanks at the end are gone already. */
export function isHunkStart(line: string, { lenient }: Leniency): boolean {
  return lenient ? line.startsWith("@@") : line === "@@" || line.startsWith("@@ ");
}

/** The anchor of a line that starts a hunk, its blanks at the end gone already; `undefined`: it names none. */
export function readAnchor(line: string, { lenient }: Leniency): Anchor | undefined {
  const text = line.slice(line.startsWith("@@ ") ? 3 : 2);
  if (text === "" || (lenient && text === "@@")) return undefined;
  const range = lenient ? unifiedRange.exec(text.slice(0, 80)) : null;
  if (range === null) return { text };
  return { text, range: { line: Number(range[1]), count: Number(range[2] ?? 1) } };
}

/** Old and new lines as a unified diff names them; git leaves out a count of 1, and models the second `@@`. */
const unifiedRange = /^-(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,\d{1,9})?(?: @@|$)/;
