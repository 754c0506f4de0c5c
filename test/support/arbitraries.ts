/** Texts as editors have them, for the laws: every kind of line end, characters of every width, and few enough to repeat. */
import fc from "fast-check";

/** Short texts of pieces that repeat often, so that places are ambiguous and line ends are mixed. */
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

/** Where lines start, by splitting: an oracle that shares nothing with the product. */
export function expectedLineStarts(text: string, loneCrEndsLine: boolean): number[] {
  const ends = text.matchAll(loneCrEndsLine ? /\r\n|\n|\r/g : /\r\n|\n/g);
  return [0, ...Array.from(ends, (end) => end.index + end[0].length)];
}
