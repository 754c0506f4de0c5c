/** Damages patches as models do: slightly wrong markers, signs, spaces and wrappers. */
import type { Chance } from "./random.js";

/** Joins a patch's lines; 30 percent of all patches get one or two kinds of damage. */
export function damaged(lines: readonly string[], chance: Chance): string {
  let spoilt = [...lines];
  if (!chance.percent(30)) return `${spoilt.join("\n")}${chance.percent(80) ? "\n" : ""}`;
  for (let left = chance.pick([1, 1, 1, 2]); left > 0; left--)
    spoilt = damages[chance.weighted(weights)](spoilt, chance);
  return `${spoilt.join("\n")}${chance.percent(80) ? "\n" : ""}`;
}

type Damage = (lines: string[], chance: Chance) => string[];

/** Replaces one random line accepted by `suits` with the lines returned by `by`. */
function exchange(
  lines: string[],
  chance: Chance,
  suits: (line: string) => boolean,
  by: (line: string) => string[],
): string[] {
  const fit = [...lines.keys()].filter((i) => suits(lines[i] ?? ""));
  if (fit.length === 0) return lines;
  const at = chance.pick(fit);
  return lines.flatMap((line, i) => (i === at ? by(line) : [line]));
}

const any = (): boolean => true;
const isMarker = (line: string): boolean => /^(\*\*\*|@@)/.test(line);
const isHeader = (line: string): boolean => /^\*\*\* (Add|Delete|Update) File|^\*\*\* Move/.test(line);
const isBody = (line: string): boolean => /^[ +-]/.test(line);
const isAnchor = (line: string): boolean => line.startsWith("@@");
const within = (line: string): boolean => line !== "*** Begin Patch" && line !== "*** End Patch";

const junk = [
  "junk",
  "\tjunk",
  "*** Junk",
  "***",
  "* item",
  "@@x",
  "@",
  "```",
  "\\ No newline at end of file",
  "*** End of File",
  "*** Begin Patch",
  "*** End Patch",
  "*** Rename File: a.txt",
  "*** Environment ID: x",
  "--- a/a.txt",
  "+++ b/a.txt",
];

const brokenHeaders: readonly ((header: string) => string)[] = [
  (header) => header.replace("*** ", "***"),
  (header) => header.replace("*** ", "** "),
  (header) => header.replace(": ", ":"),
  (header) => header.replace(": ", ":  "),
  (header) => header.replace("File", "file"),
  (header) => header.toUpperCase(),
  (header) => `${header} `,
  (header) => `${header}\t`,
  (header) => header.replace(/: (.*)/, ': "$1"'),
  (header) => `${header} ***`,
  (header) => header.replace(/ File:.*/, " File: "),
];

const wrappers: readonly ((lines: string[]) => string[])[] = [
  (lines) => ["<<'EOF'", ...lines, "EOF"],
  (lines) => ["<<EOF", ...lines, "EOF"],
  (lines) => ['<<"EOF"', ...lines, "EOF"],
  (lines) => ["<< 'EOF'", ...lines, "EOF"],
  (lines) => ["<<'PATCH'", ...lines, "PATCH"],
  (lines) => ["apply_patch <<'EOF'", ...lines, "EOF"],
  (lines) => ["```", ...lines, "```"],
  (lines) => ["```diff", ...lines, "```"],
  (lines) => ["Here is the patch:", "", ...lines],
  (lines) => [...lines, "", "That is all."],
  (lines) => ["", "", ...lines, "", ""],
  (lines) => [`\ufeff${lines[0]}`, ...lines.slice(1)],
  (lines) => [`  ${lines[0]}`, ...lines.slice(1)],
  (lines) => [...lines.slice(0, -1), `  ${lines.at(-1)}  `],
  (lines) => [...lines, "*** End Patch"],
  (lines) => [...lines, "*** Delete File: a.txt", "*** End Patch"],
  (lines) => [...lines, ...lines],
  (lines) => lines.map((line) => `  ${line}`),
];

const damages = {
  dropLine: (lines, chance) => exchange(lines, chance, any, () => []),
  dropBegin: (lines) => lines.filter((line) => line !== "*** Begin Patch"),
  dropEnd: (lines) => lines.filter((line) => line !== "*** End Patch"),
  dropSign: (lines, chance) => exchange(lines, chance, isBody, (line) => [line.slice(1)]),
  dropBlankSign: (lines, chance) =>
    exchange(
      lines,
      chance,
      (line) => /^ \S/.test(line),
      (line) => [line.slice(1)],
    ),
  dropAllBlankSigns: (lines) => lines.map((line) => (line.startsWith(" ") ? line.slice(1) : line)),
  twice: (lines, chance) => exchange(lines, chance, any, (line) => [line, line]),
  blankLine: (lines, chance) => exchange(lines, chance, any, (line) => [line, chance.pick(["", "", "", " ", "\t"])]),
  blankBeforeHunk: (lines, chance) => exchange(lines, chance, isAnchor, (line) => ["", line]),
  blankBehindHeader: (lines, chance) => exchange(lines, chance, isHeader, (line) => [line, ""]),
  noNewline: (lines, chance) => exchange(lines, chance, isBody, (line) => [line, "\\ No newline at end of file"]),
  junk: (lines, chance) => exchange(lines, chance, within, (line) => [line, chance.pick(junk)]),
  indent: (lines, chance) => exchange(lines, chance, isMarker, (line) => [chance.pick([" ", "  ", "\t"]) + line]),
  trailing: (lines, chance) =>
    exchange(lines, chance, isMarker, (line) => [line + chance.pick([" ", "\t", "\u0085", "\r"])]),
  header: (lines, chance) => exchange(lines, chance, isHeader, (line) => [chance.pick(brokenHeaders)(line)]),
  carriageReturn: (lines, chance) =>
    exchange(lines, chance, isBody, (line) => [
      chance.pick([`${line}\r`, `${line}\r\r`, `${line}\r\r\r`, `${line}\ralpha`, `${line}\r `]),
    ]),
  stack: (lines, chance) =>
    exchange(lines, chance, isAnchor, (line) => [chance.pick(["@@", "@@ alpha", "@@ }", line, "@@ a b"]), line]),
  stackOwn: (lines, chance) => {
    const own = lines.filter(isBody).map((line) => `@@ ${line.slice(1)}`);
    return own.length === 0 ? lines : exchange(lines, chance, isAnchor, (line) => [chance.pick(own), line]);
  },
  unified: (lines, chance) => {
    // The numbers refer to the file as it was before the patch, so they are unknown if an earlier section has changed
    // the file.
    if (lines.filter((line) => /^\*\*\* \w+ File: /.test(line)).length > 1) return lines;
    const line = chance.between(0, 9);
    const count = chance.between(0, 4);
    const hint = chance.pick([
      `@@ -${line},${count} +${line},${count} @@`,
      `@@ -${line} +${line} @@`,
      `@@ -${line},${count} +${line},${count} @@ alpha`,
      `@@ -${line},${count} +${line},${count}`,
    ]);
    return exchange(lines, chance, isAnchor, () => [hint]);
  },
  anchorTight: (lines, chance) =>
    exchange(
      lines,
      chance,
      (line) => line.startsWith("@@ "),
      (line) => [chance.pick([`@@${line.slice(3)}`, `${line} @@`, `@@  ${line.slice(3)}`])],
    ),
  swap: (lines, chance) => {
    const at = chance.below(Math.max(1, lines.length - 1));
    return [...lines.slice(0, at), ...lines.slice(at, at + 2).reverse(), ...lines.slice(at + 2)];
  },
  wrap: (lines, chance) => chance.pick(wrappers)(lines),
  bareHunk: (lines, chance) => {
    const ends = [...lines.keys()].filter(
      (i) => i > 0 && isBody(lines[i - 1] ?? "") && /^\*\*\* /.test(lines[i] ?? ""),
    );
    return ends.length === 0
      ? lines
      : lines.toSpliced(chance.pick(ends), 0, ...chance.pick([["@@"], ["@@", ""], ["@@ }"]]));
  },
  diffHeader: (lines, chance) =>
    exchange(
      lines,
      chance,
      (line) => line.startsWith("*** Update File: "),
      (line) => {
        const path = chance.percent(85) ? line.slice("*** Update File: ".length) : "b.txt";
        const git = [`diff --git a/${path} b/${path}`, "index 0a1b2c3..4d5e6f7 100644"];
        const names = chance.pick([
          [`--- a/${path}`, `+++ b/${path}`],
          [`--- ${path}`, `+++ ${path}`],
          ["--- /dev/null", `+++ b/${path}`],
        ]);
        return [line, ...(chance.percent(40) ? git : []), ...names];
      },
    ),
  environment: (lines, chance) =>
    exchange(
      lines,
      chance,
      (line) => line === "*** Begin Patch",
      (line) => [line, chance.pick(["*** Environment ID: x", "*** Environment ID:"])],
    ),
} satisfies Record<string, Damage>;

const weights: Readonly<Record<keyof typeof damages, number>> = {
  dropLine: 8,
  dropBegin: 3,
  dropEnd: 5,
  dropSign: 5,
  dropBlankSign: 14,
  dropAllBlankSigns: 4,
  twice: 4,
  blankLine: 10,
  blankBeforeHunk: 8,
  blankBehindHeader: 5,
  junk: 8,
  noNewline: 3,
  indent: 6,
  trailing: 3,
  header: 5,
  carriageReturn: 3,
  stack: 5,
  stackOwn: 6,
  unified: 8,
  anchorTight: 8,
  swap: 4,
  wrap: 12,
  bareHunk: 6,
  diffHeader: 5,
  environment: 1,
};
