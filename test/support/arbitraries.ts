/** Random texts for testing laws: all kinds of line endings, characters of every width, and few distinct pieces. */
import fc from "fast-check";

/** Short texts made of pieces that repeat often, so that matches are ambiguous and line endings are mixed. */
export const texts: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      "a",
      "b",
      "ab",
      " ",
      "\t",
      "\n",
      "\n",
      "\r\n",
      "\r",
      "é",
      "e\u0301",
      "😀",
      "“",
      "’",
      "\u00a0",
      "…",
      "\u2028",
      "x = 1;",
      "    ",
    ),
    { maxLength: 24 },
  )
  .map((pieces) => pieces.join(""));

/** Offsets of line starts, computed by splitting: an oracle that shares no code with the product. */
export function expectedLineStarts(text: string, loneCrEndsLine: boolean): number[] {
  const ends = text.matchAll(loneCrEndsLine ? /\r\n|\n|\r/g : /\r\n|\n/g);
  return [0, ...Array.from(ends, (end) => end.index + end[0].length)];
}

/** The smallest indentation of the lines that have text. */
export function leastIndent(text: string): string {
  const indents = indentsOf(text);
  return indents.reduce((least, indent) => (indent.length < least.length ? indent : least), indents[0] ?? "");
}

/** The indentation of the first line that has text. */
export const firstIndent = (text: string): string => indentsOf(text)[0] ?? "";

const indentsOf = (text: string): string[] =>
  text.split(/[\r\n]+/).flatMap((line) => (line.trim() === "" ? [] : [/^\s*/.exec(line)?.[0] ?? ""]));
