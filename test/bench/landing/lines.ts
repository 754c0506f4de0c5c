/** Texts whose lines have hidden identities: whoever knows them knows where a line of an earlier text is now. */

/** A line without its line ending. Two lines of one text may be equal; their identities never are. */
export interface Line {
  readonly id: number;
  readonly text: string;
}

/** A text as lines, all of which end with LF. */
export type Lines = readonly Line[];

/** The replacement of `[from, to)` in a text, in UTF-16 code units: one change as an editor syncs it. */
export interface Typed {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** A change to a text with identities, and how an editor would sync it: each entry applies to the result of the last. */
export interface Deed {
  readonly lines: Lines;
  readonly typed: readonly Typed[];
}

let lastId = 0;

/** A line that has never been in any text. */
export const newLine = (text: string): Line => ({ id: ++lastId, text });

/** The text of the lines. */
export const textOf = (lines: Lines): string => lines.map(({ text }) => `${text}\n`).join("");

/** The offset at which line `at` (0-based) starts. */
const startOf = (lines: Lines, at: number): number => textOf(lines.slice(0, at)).length;

/**
 * Replaces `remove` lines from `at` on. `side`: a person adds a line either at the end of the line above or at the
 * start of the line below, and removes lines accordingly.
 */
export function splice(lines: Lines, at: number, remove: number, insert: Lines, side: "above" | "below"): Deed {
  const after = [...lines.slice(0, at), ...insert, ...lines.slice(at + remove)];
  const [from, to] = [startOf(lines, at), startOf(lines, at + remove)];
  // At an empty line, an offset does not say whether it is the start or the end of the line.
  const isUnclear = remove > 0 && lines[at - 1]?.text === "" && lines[at + remove - 1]?.text === "";
  if (side === "below" || at === 0 || isUnclear) return { lines: after, typed: [{ from, to, insert: textOf(insert) }] };
  const added = insert.map(({ text }) => `\n${text}`).join("");
  return { lines: after, typed: [{ from: from - 1, to: to - 1, insert: added }] };
}

/** Types within a line; the line stays the same line. */
export function typeWithin(lines: Lines, at: number, { from, to, insert }: Typed): Deed {
  const line = lines[at]!;
  const changed = { id: line.id, text: line.text.slice(0, from) + insert + line.text.slice(to) };
  const start = startOf(lines, at);
  return { lines: lines.with(at, changed), typed: [{ from: start + from, to: start + to, insert }] };
}
