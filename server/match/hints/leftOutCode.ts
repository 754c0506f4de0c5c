/** Recognises placeholder lines, which models write in place of code. */

/** Reports whether a trimmed line stands for code: an ellipsis, with words or not, or `// unchanged`. */
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
  // A comment that starts with an ellipsis may say anything. Other text with an ellipsis must mention left-out code,
  // which "Loading..." does not, and if it only ends with one, say nothing else, as "removing existing files..." does.
  const isLed = /^(?:\.{3,}|…)(?!\w)/.test(said);
  if (opener !== "" && isLed) return true;
  if (said !== plain) return isProse(plain) && (isLed ? words.some(isTelling) : namesRest(words));
  const isComment = opener.length > 1 || (opener !== "" && line.startsWith(`${opener} `));
  if (!isComment || !isProse(plain) || !words.every((word) => known.has(word))) return false;
  if (words.some((word) => states.has(word)) || (words.includes("same") && words.includes("before"))) return true;
  return words.some((word) => signs.has(word)) && words.some((word) => parts.has(word));
}

/**
 * Reports whether a trimmed line certainly stands for left-out code: it does so with an ellipsis, and as a comment or in
 * words. A bare ellipsis is a statement in Python; more than three dots, or dots before a path, are something else.
 */
export function isOmission(line: string): boolean {
  const isPath = /(?:\.{3}|…)\s*(?:\.?[\\/](?![\\/*])|~|\w:\\)/.test(line);
  const hasDots = /(?<!\.)\.{3}(?!\.)|…/.test(line) && !isPath;
  return hasDots && /\p{L}|^(?:\/\/|\/\*|#|--|;|%|<!--|\{\/\*)/u.test(line) && isElision(line);
}

/** Reports whether a trimmed line is a comment of the same kind as another one. */
export function isComment(line: string, other: string): boolean {
  const opener = openers.find((one) => other.startsWith(one));
  return opener !== undefined && line.startsWith(opener);
}

const isTelling = (word: string): boolean => signs.has(word) || states.has(word);

/** Reports whether words name the code that is left out, as "rest of the class" and "imports unchanged" do. */
function namesRest(words: readonly string[]): boolean {
  const [first = "", last = ""] = [words.find((word) => !["the", "all", "keep"].includes(word)), words.at(-1)];
  const isName = words.length <= mostWords && (isTelling(first) || states.has(last));
  return isName || (words.some(isTelling) && words.every((word) => known.has(word)));
}

/** The most words of a name of left-out code that may be any words. */
const mostWords = 5;

/** Reports whether a text consists only of letters, whitespace and prose punctuation, including brackets. */
const isProse = (text: string): boolean => /^[\p{L}\s.,:()'[\]-]+$/u.test(text);

const openers = ["{/*", "//", "/*", "<!--", "--", "#", ";", "%"] as const;

/** Words that indicate left-out code on their own. */
const states: ReadonlySet<string> = new Set(["unchanged", "omitted", "unmodified"]);
/** Words that indicate left-out code only together with an ellipsis or with one of `parts`. */
const signs: ReadonlySet<string> = new Set(["existing", "rest", "remaining"]);
const parts: ReadonlySet<string> = new Set([
  ...["code", "file", "class", "function", "method", "methods", "functions", "module", "component"],
  ...["implementation", "body", "content", "contents"],
]);
/** A comment without an ellipsis can stand for left-out code only if it consists entirely of these words. */
const known: ReadonlySet<string> = new Set([
  ...states,
  ...signs,
  ...parts,
  ...["the", "of", "this", "and", "other", "all", "is", "are", "stays", "stay", "remains", "remain", "same", "as"],
  ...["before", "it", "was", "here", "for", "brevity", "keep", "left", "out", "above", "below", "no", "changes"],
]);
