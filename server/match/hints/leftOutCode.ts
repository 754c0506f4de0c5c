/** Recognises the lines that models write in place of code that they leave out. Used for hints, never to match. */

/** Reports whether a trimmed line stands for left-out code: dots, a phrase with dots, or a comment that says so. */
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
  // After dots, a comment may say anything. Other text with dots must mention left-out code; "Loading..." does not.
  if (opener !== "" && /^(?:\.{3,}|…)(?!\w)/.test(said)) return true;
  if (said !== plain) return words.some((word) => signs.has(word) || states.has(word)) && isProse(plain);
  const isComment = opener.length > 1 || (opener !== "" && line.startsWith(`${opener} `));
  if (!isComment || !isProse(plain) || !words.every((word) => known.has(word))) return false;
  if (words.some((word) => states.has(word)) || (words.includes("same") && words.includes("before"))) return true;
  return words.some((word) => signs.has(word)) && words.some((word) => parts.has(word));
}

/** Reports whether a text has only letters, whitespace and punctuation of prose, such as brackets around an aside. */
const isProse = (text: string): boolean => /^[\p{L}\s.,:()'[\]-]+$/u.test(text);

const openers = ["{/*", "//", "/*", "<!--", "--", "#", ";"] as const;

/** Words each of which is enough to say that code is left out. */
const states: ReadonlySet<string> = new Set(["unchanged", "omitted", "unmodified"]);
/** Words that say that code is left out only if they occur together with dots or with one of `parts`. */
const signs: ReadonlySet<string> = new Set(["existing", "rest", "remaining"]);
const parts: ReadonlySet<string> = new Set([
  ...["code", "file", "class", "function", "method", "methods", "functions", "module", "component"],
  ...["implementation", "body", "content", "contents"],
]);
/** The only words that may occur in a comment without dots that stands for left-out code. */
const known: ReadonlySet<string> = new Set([
  ...states,
  ...signs,
  ...parts,
  ...["the", "of", "this", "and", "other", "all", "is", "are", "stays", "stay", "remains", "remain", "same", "as"],
  ...["before", "it", "was", "here", "for", "brevity", "keep", "left", "out", "above", "below", "no", "changes"],
]);
