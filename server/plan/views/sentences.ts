/** Sentences about edits that were found in an earlier text, which the caller can have seen. */
import { limits } from "../../text/limits.js";
import type { LineIndex } from "../../text/lines.js";
import { type At, clip, type Failure, makeFailure, nameOf, type QuotedLine, quote } from "../failure.js";
import type { Lines, View } from "./view.js";

/** The text in which an edit was found, as the end of a sentence. */
const texts: Readonly<Record<View["base"], string>> = {
  read: "the text that you read",
  saved: "the text as it was on disk",
};

/** Lists the present text and earlier ones, by the ways in which the caller can have seen them. */
function listed(bases: readonly View["base"][]): string {
  const disk = bases.includes("saved") ? ["the file on disk"] : [];
  const read = bases.includes("read") ? ["what you read"] : [];
  const [last, ...others] = [...read, ...disk, "the text as it is now"];
  return `${others.reverse().join(", ")}${others.length > 1 ? "," : ""} and ${last}`;
}

/** Shows present lines with their numbers. */
const shown = (lines: readonly QuotedLine[], more: number): string =>
  `${lines.map(({ line, text }) => `\n${line}| ${clip(text, 80)}`).join("")}${more > 0 ? "\n…" : ""}\n`;

/** The present lines of a place: its first few lines, and the number of further ones. */
export interface PresentLines {
  readonly lines: readonly QuotedLine[];
  readonly more: number;
  /** The 1-based first and last line. If all lines of the place are gone, `from` is greater than `to`. */
  readonly from: number;
  readonly to: number;
}

/** Returns the present lines of a place. `now`: the present text. */
export function presentLines(now: LineIndex, { from, to }: Lines): PresentLines {
  const shown = Math.min(to - from, limits.furtherLines);
  const lines = Array.from({ length: shown }, (_, i) => quotedLine(now, from + i));
  return { lines, more: to - from - shown, from: from + 1, to };
}

/** Quotes a present line; the number is 0-based. */
export const quotedLine = (now: LineIndex, line: number): QuotedLine => ({
  line: line + 1,
  text: clip(now.content(line), limits.quotedLine),
});

/** Failures of edits that the caller can have meant for a text that has changed since. */
export const viewFailures = {
  changed: (at: At, base: View["base"], { lines, more, from, to }: PresentLines): Failure =>
    makeFailure("contentModified", at, {
      problem:
        from > to
          ? `${nameOf(at)} was found in ${texts[base]}, but its lines have been removed since; they were before line ${from}.`
          : `${nameOf(at)} was found in ${texts[base]}, but the text that it changes has been changed since then. It is now:${shown(lines, more)}`,
      hint: "Read these lines again or copy them from here, and send the edit for the text as it is now.",
      line: from,
    }),
  /** For a whole text. */
  notRead: (at: At): Failure =>
    makeFailure("dirty", at, {
      problem: `${nameOf(at)} would replace the whole text of a file that has changed in the editor or on disk, and you have not read all of its present text.`,
      hint: "Read the whole file with read_document, and send a text that keeps what was typed; or send old and new texts.",
    }),
  lineNotRead: (at: At, line: number): Failure =>
    makeFailure("noMatch", at, {
      problem: `${nameOf(at)} names line ${line}, but nobody knows in which text it was counted: you have not read that line with read_document.`,
      hint: "Send the lines at the place as the old text, and what they become as the new text; or, with an editor running, read the lines with read_document and send the edit again.",
    }),
  /** For a call that was sent again. */
  touched: (at: At, { lines, more, from }: PresentLines): Failure =>
    makeFailure("contentModified", at, {
      problem: `${nameOf(at)} was made when you sent this call before, and what the call wrote has been changed since. It is now:${shown(lines, more)}`,
      hint: "Read these lines again or copy them from here, and send only what is still to be changed.",
      line: from,
    }),
  /** `bases`: the ways in which the caller can have seen the texts that disagree with the present one. */
  different: (at: At, lines: readonly QuotedLine[], bases: readonly View["base"][]): Failure =>
    makeFailure("ambiguousMatch", at, {
      problem: `${nameOf(at)} has different matches in the texts that you can have seen: ${listed(bases)}. They are now at:${shown(lines, 0)}`,
      hint: "Read the lines that you mean with read_document, then send the edit again; or add a neighbouring line to the old and new text.",
      matches: lines,
      ...(lines[0] === undefined ? {} : { line: lines[0].line }),
    }),
} as const;

/** Warnings about edits that were placed by an earlier text. */
export const viewWarnings = {
  /**
   * `typed`: the first line that was changed at the place since; `undefined` if there is none. `hasChanged`: `false` if
   * the place is as it was, and other lines match as well.
   */
  placed: (
    { index, path }: { readonly index: number; readonly path: string },
    base: View["base"],
    { typed, hasChanged }: { readonly typed: QuotedLine | undefined; readonly hasChanged: boolean },
  ): string => {
    const why = hasChanged
      ? "; what has changed there since then stays as it is"
      : ", because other lines match as well now";
    const line = typed === undefined ? "" : `: line ${typed.line} is ${quote(typed.text.trim())}`;
    return `edit ${index} (${path}) was placed by ${texts[base]}${why}${line}`;
  },
  sentAgain: ({ index, path }: { readonly index: number; readonly path: string }): string =>
    `edit ${index} changes nothing: you sent this call before, and ${path} has its result`,
} as const;
