/** Judges whether the message of a refusal is enough for the next call, without another look at the file. */
import type { Failure } from "../../../server/plan/failure.js";
import type { LandingCase, LineSpan } from "./landingCase.js";

/**
 * Reports whether a message quotes the place of an edit whole or, if the place's lines occur several times, names a
 * line that makes the place unique.
 */
export function suffices({ message }: Failure, { before }: Pick<LandingCase, "before">, place: LineSpan): boolean {
  const lines = before.split(/\r?\n/);
  return isQuoted(message, lines, place) || isMadeUnique(message, lines, place);
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

/** Reports whether the message has a line near the place, with its number, that no other occurrence has there. */
function isMadeUnique(message: string, lines: readonly string[], place: LineSpan): boolean {
  const own = lines.slice(place.startLine - 1, place.endLine);
  const starts = lines.flatMap((_, i) => (own.every((line, j) => lines[i + j]?.trim() === line.trim()) ? [i] : []));
  if (starts.length < 2) return false;
  const numbers = new Set([...message.matchAll(/\d+/g)].map(([n]) => Number(n)));
  for (let n = Math.max(1, place.startLine - reach); n <= Math.min(lines.length, place.endLine + reach); n++) {
    const line = lines[n - 1]?.trim() ?? "";
    const isInside = n >= place.startLine && n <= place.endLine;
    if (isInside || line === "" || !numbers.has(n) || !isSaid(message, line, n)) continue;
    const from = n - place.startLine;
    const isOnly = starts.every((start) => start + 1 === place.startLine || lines[start + from]?.trim() !== line);
    if (isOnly) return true;
  }
  return false;
}

/** Reports whether a message has a line's text, or the beginning of a long line, plain or as JSON. */
function isSaid(message: string, line: string, n: number): boolean {
  const start = line.slice(0, 50);
  const isQuoted = message.includes(JSON.stringify(start).slice(0, -1));
  // A short line might be in the message for another reason.
  if (start.length >= 12) return isQuoted || message.includes(start);
  return isQuoted || message.includes(`${n}| ${start}`) || message.includes(`line ${n}: ${start}`);
}
