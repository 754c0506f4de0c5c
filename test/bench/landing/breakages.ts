/**
 * Mistakes that no rung tolerates: the edit that a model sends does not fit and must be refused for the right reason.
 */
import type { Chance } from "../../codex/random.js";
import { viewStyles } from "./damages.js";
import { addedLines, type EditLine, isBlankLine, newLines, oldLines, placesOf, type RealEdit } from "./realEdit.js";
import { type Sent, toSent } from "./sent.js";
import type { Version } from "./sources.js";

/** The refusal reasons that the benchmark distinguishes. */
export type Reason =
  | "absent"
  | "blankLine"
  | "escaped"
  | "wrongWord"
  | "case"
  | "quotes"
  | "viewNumbers"
  | "elision"
  | "ambiguous"
  | "alreadyApplied"
  | "consumed"
  | "sameText"
  | "changesNothing"
  | "patchSyntax"
  | "leftOutCode";

/** An edit with a mistake. */
export interface Broken {
  readonly sent: Sent;
  /**
   * The 0-based line and column at which the file first differs from the edit's old text, if the failure must name
   * them.
   */
  readonly differsAt?: { readonly line: number; readonly column: number };
}

/** Puts a mistake into an edit; returns `undefined` if the edit leaves no room for it. */
export type Breaker = (chance: Chance, edit: RealEdit, version: Version) => Broken | undefined;

/** Drops an empty line that lies between other lines, both from the old text and from the new text. */
export const droppedBlankLine: Breaker = (chance, edit) => {
  const { lines } = edit;
  const inner = lines.flatMap(({ kind, text }, i) =>
    kind !== "add" && isBlankLine(text) && i > 0 && i < lines.length - 1 ? [i] : [],
  );
  if (inner.length === 0) return undefined;
  const left = lines.toSpliced(chance.pick(inner), 1);
  // An edit that would change nothing is another mistake.
  if (left.every(({ kind }) => kind === "keep")) return undefined;
  return { sent: toSent({ lines: left }, { ended: chance.percent(40) }) };
};

/** Escapes quotes, backslashes, angle brackets or line endings once too often. */
export const overEscaped: Breaker = (chance, edit) => {
  const escapers: ((line: string) => string)[] = [
    (line) => line.replace(/["`]/g, (quote) => `\\${quote}`),
    (line) => line.replace(/\\/g, "\\\\"),
    (line) => line.replace(/[<>&]/g, (sign) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;" })[sign] ?? sign),
  ];
  const usable = escapers.filter((escaped) => oldLines(edit).some((line) => escaped(line) !== line));
  if (oldLines(edit).length > 1 && chance.percent(30)) {
    const plain = toSent(edit, { ended: false });
    const inOne = (text: string): string => text.replaceAll("\n", () => "\\n");
    return { sent: { oldText: inOne(plain.oldText), newText: inOne(plain.newText), hunk: undefined } };
  }
  if (usable.length === 0) return undefined;
  const escaped = chance.pick(usable);
  return { sent: toSent(edit, { copied: escaped, typed: escaped, ended: chance.percent(40) }) };
};

/** Replaces one word of one context line. */
export const wrongWord: Breaker = (chance, edit, version) => {
  const words = /[A-Za-z_$][\w$]{2,}/g;
  return withOneLine(chance, edit, (line) => {
    const found = [...line.matchAll(words)];
    const other = chance.pick(version.lines).match(words);
    if (found.length === 0 || other === null) return undefined;
    const { 0: word, index } = chance.pick(found);
    return line.slice(0, index) + chance.pick(other) + line.slice(index + word.length);
  });
};

/** Changes the case of a word in one context line. */
export const wrongCase: Breaker = (chance, edit) =>
  withOneLine(chance, edit, (line) => {
    const found = [...line.matchAll(/[a-z]+[A-Z]\w*|[A-Z][a-z]\w*/g)];
    if (found.length === 0) return undefined;
    const { 0: word, index } = chance.pick(found);
    return line.slice(0, index) + word.toLowerCase() + line.slice(index + word.length);
  });

/** Replaces double quotes with single quotes, or vice versa. */
export const otherQuotes: Breaker = (chance, edit) =>
  withOneLine(chance, edit, (line) => line.replace(/["']/g, (quote) => (quote === '"' ? "'" : '"')));

/** Doubles or removes spaces within one context line. */
export const innerBlanks: Breaker = (chance, edit) =>
  withOneLine(chance, edit, (line) => {
    const start = line.length - line.trimStart().length;
    const gaps = [...line.slice(start).matchAll(/(?<=\S) (?=\S)/g)].map(({ index }) => start + index);
    if (gaps.length === 0) return undefined;
    const gap = chance.pick(gaps);
    const isBetweenWords = /\w/.test(line[gap - 1] ?? "") && /\w/.test(line[gap + 1] ?? "");
    return line.slice(0, gap) + (isBetweenWords || chance.percent(50) ? "  " : "") + line.slice(gap + 1);
  });

/** Prefixes the lines with a file view's numbers, but leaves one of them out or changes it. */
export const brokenViewNumbers: Breaker = (chance, edit) => {
  const old = oldLines(edit);
  if (old.length < 3) return undefined;
  const style = chance.pick(viewStyles);
  const odd = chance.between(1, old.length - 1);
  // An empty line at the end without a number would be a line ending.
  if (old[odd] === "") return undefined;
  const isBare = chance.percent(50);
  const numbered = (lines: readonly string[]): string =>
    lines
      .map((line, i) => (i === odd ? (isBare ? "" : style(edit.start + i + 40)) : style(edit.start + 1 + i)) + line)
      .join("\n");
  return { sent: { oldText: numbered(old), newText: numbered(newLines(edit)), hunk: undefined } };
};

/**
 * Replaces the middle of the old text with an ellipsis, such as `// ...`. The lines before it still identify the
 * location.
 */
export const elided: Breaker = (chance, edit, { lines: file }) => {
  const old = oldLines(edit);
  const head = chance.between(1, 3);
  const tail = chance.between(1, 2);
  if (old.length < head + tail + 2 || isBlankLine(old.at(-tail) ?? "")) return undefined;
  const first = old.slice(0, head);
  if (!first.some((line) => /\w{3}/.test(line)) || placesOf(first, file) !== 1) return undefined;
  const mark = chance.pick(elisionMarks);
  if (file.some((line) => line.includes(mark))) return undefined;
  const indent = /^\s*/.exec(old[head] ?? "")?.[0] ?? "";
  const added = addedLines(edit).slice(0, 5);
  const texts = [...first, indent + mark, ...old.slice(-tail)];
  const lines = texts.map((text): EditLine => ({ kind: "keep", text }));
  const changed = added.length === 0 ? lines.with(0, { kind: "remove", text: texts[0] ?? "" }) : lines;
  const isHead = chance.percent(50);
  const more = added.map((text): EditLine => ({ kind: "add", text }));
  return { sent: toSent({ lines: changed.toSpliced(isHead ? head : head + 1, 0, ...more) }, { ended: false }) };
};

const elisionMarks = [
  "// ... existing code ...",
  "...",
  "// ...",
  "/* ... */",
  "# ... rest of the code ...",
  "<!-- ... -->",
  "…",
];

/** A line above the hunk with one other word, so that no line of the file is equal to it. */
export const wrongAnchorText = (edit: RealEdit, chance: Chance, { lines }: Version): string | undefined => {
  const above = lines.slice(Math.max(0, edit.start - 40), edit.start).filter((line) => /\w{4}.*\w{4}/.test(line));
  if (above.length === 0) return undefined;
  const real = chance.pick(above);
  const anchor = real.replace(/\w{4,}/, (word) => `${word}${chance.pick(["s", "Async", "2", "Impl"])}`).trim();
  return lines.some((line) => line.trim() === anchor) ? undefined : anchor;
};

/** Adds a second edit to the same lines, still based on the file as it was before the first edit. */
export const secondThought: Breaker = (chance, edit) => {
  const from = edit.lines.findIndex(({ kind }) => kind === "remove");
  if (from === -1) return undefined;
  const end = edit.lines.findIndex(({ kind }, i) => i > from && kind !== "remove");
  const removed = edit.lines.slice(from, end);
  const above = edit.lines[from - 1]?.kind === "keep" ? edit.lines.slice(from - 1, from) : [];
  const other = removed.map(
    ({ text }): EditLine => ({ kind: "add", text: text.replace(/\w{3,}/, (word) => `${word}Too`) }),
  );
  const lines: EditLine[] = [...above, ...removed, ...other];
  const says = /\w{3}/.test(removed.map(({ text }) => text).join(""));
  return says ? { sent: toSent({ lines }, { ended: chance.percent(40) }) } : undefined;
};

/** Replaces one context line in both texts and records where the new line first differs. */
function withOneLine(
  chance: Chance,
  edit: RealEdit,
  change: (line: string, at: number) => string | undefined,
): Broken | undefined {
  const context = edit.lines.flatMap(({ kind, text }, i) => (kind === "keep" && !isBlankLine(text) ? [i] : []));
  if (context.length === 0) return undefined;
  const at = chance.pick(context);
  const line = edit.lines[at]?.text ?? "";
  const changed = change(line, at);
  if (changed === undefined || changed === line) return undefined;
  let column = 0;
  while (column < line.length && line[column] === changed[column]) column++;
  const before = edit.lines.slice(0, at).filter(({ kind }) => kind !== "add").length;
  return {
    sent: toSent(
      { lines: edit.lines.toSpliced(at, 1, { kind: "keep", text: changed }) },
      { ended: chance.percent(40) },
    ),
    differsAt: { line: edit.start + before, column },
  };
}
