/** The lines that files are made of, and the ways that a patch may misspell them. */
import type { Chance } from "./random.js";

/** A way of misspelling a line; Codex tolerates all of them except the last. */
export type Loosening = (typeof loosenings)[number];

/** All ways of misspelling a line. */
export const loosenings = ["trailing", "leading", "around", "typography", "typographyAround", "beyond"] as const;

const words = [
  "alpha",
  "beta",
  "  gamma",
  "\tdelta",
  "    if (x) {",
  "    }",
  "}",
  "",
  "",
  "   ",
  "\t",
  'it\'s - "so"',
  "it\u2019s \u2013 \u201cso\u201d",
  "a b",
  "a\u00a0b",
  "\ud83d\ude00 \ud835\udcb3",
  "e\u0301\u2014x...",
  "x\u2026",
  "alpha ",
  "alpha\t",
  " alpha",
  "\u0085alpha",
  "\ufeffalpha",
  "\u00a0",
  "\u3000alpha\u2003",
  "alpha\u200b",
  "-alpha",
  "+alpha",
  "@@",
  "@@ alpha",
  "*** End Patch",
  "*** Update File: a.txt",
  "*** alpha",
  " * alpha",
  "\u2028x",
  "x\u000by\u000c",
  "def f():",
];

/** The lines for one trial: few enough to recur, and some of them with a similar counterpart. */
export function linePool(chance: Chance): string[] {
  const pool = Array.from({ length: chance.between(2, 6) }, () => chance.pick(words));
  const relatives = pool
    .filter(() => chance.percent(15))
    .map((line) => loosened(line, chance.pick(loosenings), chance));
  // Half of the trials also get lines that are less likely to recur.
  const own = chance.percent(50)
    ? Array.from({ length: 6 }, (_, i) => `${chance.pick(["", "  ", "\t"])}line ${i}`)
    : [];
  return [...pool, ...relatives, ...own];
}

/** The possible line endings of a file; each line gets one of them. */
export function lineEnds(chance: Chance): readonly string[] {
  const kind = chance.weighted({ lf: 60, crlf: 20, cr: 6, mixed: 14 });
  const ends = { lf: ["\n"], crlf: ["\r\n"], cr: ["\r"], mixed: ["\n", "\n", "\r\n", "\r"] };
  return ends[kind];
}

const blanks = [" ", "  ", "\t", "\u00a0", "\u0085", "\u2003", "\u2028", "\u000b"];

const notBlanks = ["\ufeff", "\u200b", "\u180e"];

/** Families of similar characters; Codex treats those in `same` as equal, but not those in `alike`. */
const families: readonly { readonly same: string; readonly alike: string }[] = [
  { same: "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212", alike: "\uff0d\u2043" },
  { same: "'\u2018\u2019\u201a\u201b", alike: "\u2032\u00b4`" },
  { same: '"\u201c\u201d\u201e\u201f', alike: "\u2033\u00ab\u00bb" },
  { same: " \u00a0\u2002\u2007\u2009\u200a\u202f\u205f\u3000", alike: "\u2000\u2001\u1680\t" },
  { same: ".", alike: "\u2026" },
];

/** The line with a misspelling; unchanged if there is nothing to misspell. */
export function loosened(line: string, way: Loosening, chance: Chance): string {
  switch (way) {
    case "trailing":
      return trailing(line, chance);
    case "leading":
      return leading(line, chance);
    case "around":
      return leading(trailing(line, chance), chance);
    case "typography":
      return exchanged(line, "same", chance);
    case "typographyAround":
      return trailing(leading(exchanged(line, "same", chance), chance), chance);
    case "beyond":
      return chance.percent(50) ? exchanged(line, "alike", chance) : line + chance.pick(notBlanks);
  }
}

const trailing = (line: string, chance: Chance): string =>
  chance.percent(50) ? line + chance.pick(blanks) : line.replace(/\s+$/, "");

const leading = (line: string, chance: Chance): string =>
  chance.percent(50) ? chance.pick(blanks) + line : line.replace(/^\s+/, "");

function exchanged(line: string, to: "same" | "alike", chance: Chance): string {
  return [...line]
    .map((char) => {
      const family = families.find(({ same }) => same.includes(char));
      return family === undefined || chance.percent(30) ? char : chance.pick([...family[to]]);
    })
    .join("");
}

/**
 * Indents a line by `shift` or, if `shift` consists of minus signs, removes up to that many leading blanks. Empty lines
 * stay unchanged.
 */
export function shifted(line: string, shift: string): string {
  if (/^\s*$/.test(line)) return line;
  return shift.startsWith("-") ? line.replace(new RegExp(`^[ \\t]{0,${shift.length}}`), "") : shift + line;
}
