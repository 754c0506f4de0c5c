/** Recognises the lines that models write in place of left-out code. Used for hints, never for a match. */

/** Reports whether a trimmed line is three dots, or a comment or a phrase with dots that says that code is left out. */
export function isElision(line: string): boolean {
  if (line.length >= 120) return false;
  const opener = openers.find((one) => line.startsWith(one)) ?? "";
  const said = line
    .slice(opener.length)
    .replace(/(?:\*\/\}?|-->)$/, "")
    .trim();
  const plain = said.replace(/^(?:\.{3,}|…)|(?:\.{3,}|…)$/g, "").trim();
  if (plain === "") return said !== "";
  const words: readonly string[] = plain.toLowerCase().match(/\p{L}+/gu) ?? [];
  // A comment may say anything after its dots; other text with dots must name left-out code ("Loading..." does not).
  if (opener !== "" && /^(?:\.{3,}|…)(?!\w)/.test(said)) return true;
  if (said !== plain) return words.some((word) => signs.has(word) || states.has(word)) && isProse(plain);
  const isComment = opener.length > 1 || (opener !== "" && line.startsWith(`${opener} `));
  if (!isComment || !isProse(plain) || !words.every((word) => known.has(word))) return false;
  if (words.some((word) => states.has(word)) || (words.includes("same") && words.includes("before"))) return true;
  return words.some((word) => signs.has(word)) && words.some((word) => parts.has(word));
}

/** Reports whether a text has only letters, spaces and the punctuation of prose, such as brackets around an aside. */
const isProse = (text: string): boolean => /^[\p{L}\s.,:()'[\]-]+$/u.test(text);

const openers = ["{/*", "//", "/*", "<!--", "--", "#", ";"] as const;

/** Words that suffice to say that code is left out. */
const states: ReadonlySet<string> = new Set(["unchanged", "omitted", "unmodified"]);
/** Words that mean left-out code only together with dots, or with one of `parts`. */
const signs: ReadonlySet<string> = new Set(["existing", "rest", "remaining"]);
const parts: ReadonlySet<string> = new Set([
  ...["code", "file", "class", "function", "method", "methods", "functions", "module", "component"],
  ...["implementation", "body", "content", "contents"],
]);
/** All words that may occur in such a comment if it has no dots. */
const known: ReadonlySet<string> = new Set([
  ...states,
  ...signs,
  ...parts,
  ...["the", "of", "this", "and", "other", "all", "is", "are", "stays", "stay", "remains", "remain", "same", "as"],
  ...["before", "it", "was", "here", "for", "brevity", "keep", "left", "out", "above", "below", "no", "changes"],
]);
