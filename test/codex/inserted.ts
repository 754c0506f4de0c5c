/** What hunks insert: whether an earlier section has inserted it, or the file had it before the patch. */
import { limits } from "../../server/text/limits.js";
import { type FileLine, newLineEnd, type Replacement, runsOf } from "./fileLines.js";

/** The lines of a file after the sections so far, and what these have inserted. */
export interface FileHistory {
  readonly lines: readonly FileLine[];
  readonly inserted: readonly Inserted[];
}

/** Lines that a hunk inserted between two lines of the file before the patch; -1 is the start of the file. */
interface Inserted {
  readonly after: number;
  readonly before: number;
  readonly lines: readonly string[];
}

/** Describes what a hunk inserts; `undefined` if it also removes lines. */
export function insertedBy(lines: readonly FileLine[], found: Replacement): readonly Inserted[] | undefined {
  const runs = runsOf(found);
  if (runs.length === 0 || runs.some(({ count }) => count > 0)) return undefined;
  return runs.map(({ at, added }) => ({
    after: lines.slice(0, at).findLast(({ origin }) => origin !== undefined)?.origin ?? -1,
    before: lines.slice(at).find(({ origin }) => origin !== undefined)?.origin ?? Number.POSITIVE_INFINITY,
    lines: added,
  }));
}

/** Reports whether an earlier section has inserted all that a hunk inserts, and all of it is still there. */
export function isRepeated({ lines, inserted }: FileHistory, found: Replacement): boolean {
  const parts = insertedBy(lines, found);
  return parts?.every((part) => inserted.some((one) => isSame(one, part)) && isThere(lines, part)) === true;
}

const isSame = (one: Inserted, other: Inserted): boolean =>
  one.before === other.before && one.lines.join("\n") === other.lines.join("\n");

function isThere(lines: readonly FileLine[], { after, before, lines: wanted }: Inserted): boolean {
  const from = lines.findIndex(({ origin }) => origin === after) + 1;
  const to = lines.findIndex(({ origin }) => origin === before);
  // The line after the last line ending is an empty one.
  const last = to === -1 && lines.at(-1)?.end !== "" ? [""] : [];
  const between = [...lines.slice(from, to === -1 ? undefined : to).map(({ text }) => text), ...last];
  return between.some((_, i) => wanted.every((text, k) => text === between[i + k]));
}

/**
 * Reports whether all that a hunk inserts was in the file before the patch, beside its place, and too much of it to be there
 * by chance.
 */
export function isInsertedBefore(lines: readonly FileLine[], found: Replacement): boolean {
  const runs = insertedBy(lines, found) === undefined ? [] : runsOf(found);
  const telling = runs.flatMap(({ added }) => added).filter((text) => /[\p{L}\p{N}]/u.test(text));
  if (telling.length < 2 && !telling.some((text) => text.trim().length >= limits.tellingText)) return false;
  const lineEnd = newLineEnd(lines);
  const texts = lines.map(({ text, end }) => text + (end === "" ? lineEnd : end));
  const addedAt = (line: number): string[] =>
    runs.flatMap(({ at, added }) => (at === line ? added.map((text) => text + lineEnd) : []));
  const old = texts.slice(found.at, found.at + found.count);
  const whole = [...old.flatMap((text, i) => [...addedAt(found.at + i), text]), ...addedAt(found.at + found.count)];
  return Array.from({ length: whole.length - old.length + 1 }, (_, i) => i).some((skipped) => {
    if (old.length === 0 && skipped > 0 && skipped < whole.length) return false;
    const start = found.at - skipped;
    const there = lines.slice(Math.max(0, start), start + whole.length);
    const isOld = there.every(({ origin }, i) => origin !== undefined && origin === (there[0]?.origin ?? 0) + i);
    return isOld && start >= 0 && isRun(whole, old, skipped) && isRun(texts, whole, start);
  });
}

/** Reports whether lines occur in a list at an index. */
const isRun = (list: readonly string[], run: readonly string[], at: number): boolean =>
  run.every((text, i) => text === list[at + i]);
