/** The calls that the rules refuse although their author's intent is known. */
import { type Call, toCall } from "./calls.js";
import type { Site } from "./typings.js";

/** The kinds of conflicts, as the rows of the table name them. */
export const conflicts = [
  "the edit splits the line",
  "the edit joins the line",
  "the text on disk gives another text",
] as const;

/** A kind of conflict. */
export type Conflict = (typeof conflicts)[number];

const filled = (text: string): string => text.replace(/\s+/g, "");

/** Reports whether a line is a part of another one. A line without letters and digits is no part. */
const isPart = (part: string, whole: string): boolean => /[\p{L}\p{N}]/u.test(part) && whole.includes(part);

/**
 * Returns the conflict with something that was typed on the removed line of the pair: a part of it is an added line, or it
 * is in one with something else. `undefined`: there is none.
 */
export function tornLine({ lines, at, removed, added, pair }: Site): Conflict | undefined {
  const old = lines.slice(at, at + removed).map(({ text }) => filled(text));
  const next = added.map(({ text }) => filled(text));
  const [own, made] = [old[pair.old]!, next[pair.new]!];
  if (next.some((line) => isPart(line, own) && !made.includes(line))) return "the edit splits the line";
  const isWithAnother = old.some((line) => isPart(line, made) && !own.includes(line));
  const isElsewhere = next.some((line) => isPart(own, line)) && !made.includes(own);
  return isWithAnother || isElsewhere ? "the edit joins the line" : undefined;
}

/**
 * Reports whether a call makes another text than the expected one in a text that its author may have seen, too: what was
 * typed after the end of the old text is after the end of the new text there.
 */
export function makesAnother(call: Call, seen: string, right: string): boolean {
  const [edit] = call.edits;
  const sent = toCall("f", call);
  if (edit === undefined || !("edits" in sent)) return false;
  const { oldText, newText } = sent.edits[0] as { readonly oldText: string; readonly newText: string };
  const start = seen.split("\n", edit.at).reduce((sum, line) => sum + line.length + 1, 0);
  const at = seen.indexOf(oldText, start);
  if (at === -1 || seen.slice(start, at).includes("\n")) return false;
  return seen.slice(0, at) + newText + seen.slice(at + oldText.length) !== right;
}
