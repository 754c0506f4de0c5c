/** The characters that Codex treats as whitespace or as equal, as observed in its program. */

const blank = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const atStart = new RegExp(`^${blank}`);
const atEnd = new RegExp(`${blank}$`);

/** Removes trailing whitespace and line endings. */
export const trimBlanksEnd = (text: string): string => text.replace(atEnd, "");

/** Removes leading and trailing whitespace and line endings. */
export const trimBlanks = (text: string): string => trimBlanksEnd(text.replace(atStart, ""));

/** Replaces each typographic character with its plain equivalent. */
function plain(text: string): string {
  return text
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ");
}

/** The four ways that Codex compares lines, strictest first. */
export const passes: readonly ((line: string) => string)[] = [
  (line) => line,
  trimBlanksEnd,
  trimBlanks,
  (line) => plain(trimBlanks(line)),
];
