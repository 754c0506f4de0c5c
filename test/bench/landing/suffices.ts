/** Judges whether the message of a refusal is enough for the next call, without another look at the file. */
import type { Failure } from "../../../server/plan/failure.js";
import type { LineSpan } from "./landingCase.js";

/** An edit of a refused call. */
interface RefusedEdit {
  /** The file's text. */
  readonly before: string;
  /** The place where the edit belongs. */
  readonly place: LineSpan;
  /** The lines of the old text as they were sent. */
  readonly sent: readonly string[];
}

/**
 * Reports whether a message quotes the place of an edit whole or, if the place's lines occur several times, names a
 * line that makes the place unique. If the old text is right, because something else is wrong, such as an anchor, the
 * line where it occurs is enough.
 */
export function suffices({ message }: Failure, { before, place, sent }: RefusedEdit): boolean {
  const lines = before.split(/\r?\n/);
  const own = lines.slice(place.startLine - 1, place.endLine);
  const starts = lines.flatMap((_, i) => (own.every((line, j) => lines[i + j]?.trim() === line.trim()) ? [i + 1] : []));
  if (starts.length > 1 && isMadeUnique(message, { lines, place, starts })) return true;
  const isCopied = starts.length === 1 && sent.length === own.length && sent.every((line, i) => line === own[i]);
  const isNamed = new RegExp(`\\blines? ${place.startLine}\\b`).test(message);
  return (isCopied && isNamed) || isQuoted(message, lines, place);
}

/** Reports whether every line of a place is in the message, with its number and uncut. */
function isQuoted(message: string, lines: readonly string[], { startLine, endLine }: LineSpan): boolean {
  const quoted = new Set(
    [...message.matchAll(/^ *(\d+)(?::\d+)?\| ?(.*)$/gm)].map(([, n, text = ""]) => `${n} ${bare(text)}`),
  );
  for (let n = startLine; n <= endLine; n++) if (!quoted.has(`${n} ${bare(lines[n - 1] ?? "")}`)) return false;
  return true;
}

/** A line without whitespace and without the marks by which a failure shows whitespace. */
const bare = (line: string): string => line.replace(/[\s·→⍽]/g, "");

/** The greatest distance, in lines, between a place and a line that makes it unique. */
const reach = 200;

interface Occurrences {
  readonly lines: readonly string[];
  readonly place: LineSpan;
  /** The 1-based lines where the lines of the place occur. */
  readonly starts: readonly number[];
}

/**
 * Reports whether the message has a line near the place, with its number, that no other occurrence has there. Beyond
 * another occurrence, the message must say that the line is for this place.
 */
function isMadeUnique(message: string, { lines, place, starts }: Occurrences): boolean {
  const numbers = new Set([...message.matchAll(/\d+/g)].map(([n]) => Number(n)));
  const { startLine, endLine } = place;
  const others = starts.filter((start) => start !== startLine);
  const from = Math.max(startLine - reach, ...others.filter((start) => start < startLine));
  const to = Math.min(endLine + reach, ...others.filter((start) => start > startLine));
  const isMeant = (n: number): boolean =>
    (n >= from && n <= to) || new RegExp(`match at line ${startLine}\\b[^.\\n]*\\bline ${n}\\b`).test(message);
  return lines.some((whole, i) => {
    const [n, line] = [i + 1, whole.trim()];
    const isInside = n >= startLine && n <= endLine;
    if (isInside || line === "" || !numbers.has(n) || !isMeant(n) || !isSaid(message, line, n)) return false;
    return others.every((start) => lines[start - 1 + n - startLine]?.trim() !== line);
  });
}

/** Reports whether a message has a line's text, or the beginning of a long line, plain or as JSON. */
function isSaid(message: string, line: string, n: number): boolean {
  const start = line.slice(0, 50);
  const isQuoted = message.includes(JSON.stringify(start).slice(0, -1));
  // A short line might be in the message for another reason.
  if (start.length >= 12) return isQuoted || message.includes(start);
  return isQuoted || message.includes(`${n}| ${start}`) || message.includes(`line ${n}: ${start}`);
}
