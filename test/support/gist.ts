/** The gist of a message. Tests pin only the gist, so that rewording a sentence does not break all of them. */

const quotedString = String.raw`"(?:[^"\\\n]|\\.)*"`;

/**
 * A quoted string, or something that ends the first clause: a full stop, a colon after a word, or the end of the line.
 */
const clauseEnd = new RegExp(String.raw`${quotedString}|\.(?=\s|$)|(?<=[\p{L}\p{N}]):(?=\s|$)|\n`, "gu");

/** A quoted string, a code point, a dotted name, a number or a range of numbers, or a camel-case name. */
const fact = new RegExp(
  [
    quotedString,
    String.raw`U\+[0-9A-F]{4,6}\b`,
    String.raw`[\w/-]+(?:\.\w+)+`,
    String.raw`(?<![\w+/-])\d+(?:-\d+)?(?!\w)`,
    String.raw`\b[a-z]+[A-Z]\w*(?:/\w+)*`,
  ].join("|"),
  "gu",
);

/** A line that shows a line of the file, preceded by its number or a plus sign, or that stands for omitted lines. */
const fileLine = /^(?:(?:\d+(?::\d+)?|\+)\| |…$)/;

/**
 * The first clause of a message, verbatim, and the facts in the rest. Lines that show a line of the file are kept; the
 * text between them is replaced with a line `… facts` that lists its quoted strings, numbers, paths and field names, in
 * order.
 */
export function gistOf(message: string): string {
  const length = clauseLength(message);
  const lines = [message.slice(0, length).trimEnd()];
  let facts: string[] = [];
  const flush = (): void => {
    if (facts.length > 0) lines.push(`… ${facts.join(", ")}`);
    facts = [];
  };
  for (const line of message.slice(length).split("\n")) {
    if (fileLine.test(line)) {
      flush();
      lines.push(withoutAside(line));
    } else {
      facts.push(...factsOf(line));
    }
  }
  flush();
  return lines.join("\n");
}

/** The gist on one line, for a warning: warnings show no lines of the file. */
export function gistLineOf(warning: string): string {
  return gistOf(warning).replaceAll("\n", " ");
}

function clauseLength(message: string): number {
  for (const { 0: found, index } of message.matchAll(clauseEnd)) {
    if (!found.startsWith('"')) return index + found.length;
  }
  return message.length;
}

const factsOf = (text: string): string[] => [...text.matchAll(fact)].map(([found]) => found);

/** A line of the file whose aside, such as `   (line 2: text)`, is reduced to the number and the text. */
function withoutAside(line: string): string {
  return line.replace(/ {3}\((.*)\)$/, (_, said: string) =>
    `   … ${/\d+(?: above| below)?: .*/.exec(said)?.[0] ?? ""}`.trimEnd(),
  );
}

/**
 * Returns the sentences and clauses of a message, with everything that differs from case to case normalized: `#` stands
 * for numbers, `""` for quoted strings, `<path>` for paths; each of these also stands for a list of such values. Lines
 * that show a line of the file are left out, except for what they add in parentheses about a match.
 */
export function sentencesOf(message: string): readonly string[] {
  const lines = message.split("\n").flatMap((line) => (fileLine.test(line) ? asideOf(line) : [line]));
  return lines.flatMap((line) =>
    line
      .replaceAll(new RegExp(quotedString, "gu"), '""')
      .replaceAll(/edit (\d+) \([^()]*\)/gi, "edit $1")
      .replaceAll(/^e(?=dits? )/g, "E")
      .replaceAll(/U\+[0-9A-F]{4,6}\b|(?<![\w+/-])\d+(?:[.-]\d+)*(?!\w)/g, "#")
      .replaceAll(/[\w/-]+(?:\.\w+)+/g, "<path>")
      .replaceAll(/(#|""|<path>)(?:(?:, | or )\1)+/g, "$1")
      .split(/(?<=[.?!:])\s+(?=\S)/)
      .map((sentence) => sentence.replace(/[).:]+$/, "").trim())
      .filter((sentence) => sentence !== ""),
  );
}

/** The text in parentheses after a quoted line of the file, unless it quotes another line. */
function asideOf(line: string): string[] {
  const aside = / {3}\((?!line \d|only here: line \d)(.*)\)$/.exec(line)?.[1];
  return aside === undefined ? [] : [aside];
}
