/** Lines that stand for left-out code, as models write them: for hints, never for a match. */

/** Whether a line, without blanks at its ends, is three dots or a comment that says that code is left out. */
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
  // A comment may say anything behind its dots; what only ends with them, as "Loading...", has to speak of code.
  if (opener !== "" && /^(?:\.{3,}|…)(?!\w)/.test(said)) return true;
  if (said !== plain) return words.some((word) => signs.has(word) || states.has(word)) && isProse(plain);
  const isComment = opener.length > 1 || (opener !== "" && line.startsWith(`${opener} `));
  if (!isComment || !isProse(plain) || !words.every((word) => known.has(word))) return false;
  if (words.some((word) => states.has(word)) || (words.includes("same") && words.includes("before"))) return true;
  return words.some((word) => signs.has(word)) && words.some((word) => parts.has(word));
}

/** Nothing of the marks that code is made of, brackets around a remark aside. */
const isProse = (text: string): boolean => /^[\p{L}\s.,:()'[\]-]+$/u.test(text);

const openers = ["{/*", "//", "/*", "<!--", "--", "#", ";"] as const;

/** What tells by itself that something is left out. */
const states: ReadonlySet<string> = new Set(["unchanged", "omitted", "unmodified"]);
/** What does so of a part of the code. */
const signs: ReadonlySet<string> = new Set(["existing", "rest", "remaining"]);
const parts: ReadonlySet<string> = new Set([
  ...["code", "file", "class", "function", "method", "methods", "functions", "module", "component"],
  ...["implementation", "body", "content", "contents"],
]);
/** All words that such a comment without dots is made of. */
const known: ReadonlySet<string> = new Set([
  ...states,
  ...signs,
  ...parts,
  ...["the", "of", "this", "and", "other", "all", "is", "are", "stays", "stay", "remains", "remain", "same", "as"],
  ...["before", "it", "was", "here", "for", "brevity", "keep", "left", "out", "above", "below", "no", "changes"],
]);
