/** Indents added lines if the old lines matched only because indentation was ignored. */
import { trimBlanks, trimBlanksEnd } from "./blanks.js";
import type { Rules } from "./deviations.js";
import type { PatchLine } from "./grammar.js";

/**
 * A function that turns indentation in a patch into indentation in a file; it returns `undefined` if it does not apply.
 */
type Way = (indent: string) => string | undefined;

/**
 * Returns a hunk's lines, with the added lines indented to suit the file; `undefined` if it is unknown how. In a block
 * of removed and added lines, a single function must turn each removed line's indentation into that of the matching
 * line in the file, and must apply to each added line. In a block of added lines alone, the function is that of all old
 * lines of the hunk; if there is none, or it does not apply, the block stays unchanged.
 */
export function shiftedLines(
  lines: readonly PatchLine[],
  at: number,
  { texts, rules }: { readonly texts: readonly string[]; readonly rules: Rules },
): readonly PatchLine[] | undefined {
  const fileLines = texts.slice(at);
  let next = 0;
  const marked = lines.map((line): Marked => ({ ...line, file: line.sign === "+" ? undefined : fileLines[next++] }));
  const whole = wayOf(marked);
  const hasSigns = marked.some(({ sign, text }) => sign === "-" && trimBlanks(text) !== "");
  const known = new Set(texts.filter((text) => trimBlanks(text) !== "").map(indentOf));
  const blocks = inBlocks(marked).map((block, _, all): readonly PatchLine[] | undefined => {
    const plain = block.map(({ sign, text }) => ({ sign, text }));
    const removed = block.filter(({ sign, text }) => sign === "-" && trimBlanks(text) !== "");
    const added = block.filter(({ sign, text }) => sign === "+" && trimBlanks(text) !== "");
    if (added.length === 0) return plain;
    const way = whole ?? (removed.length > 0 ? wayOf(removed) : undefined);
    const before = all
      .slice(0, all.indexOf(block))
      .flat()
      .findLast(({ sign, text }) => sign !== "+" && trimBlanks(text) !== "");
    const isFitting = added.every((line) => indented(line, way) !== undefined);
    if (rules.has("notIndentedTwice") && way !== undefined && isFitting) {
      const whose = indentedLike({ added, removed }, way("") ?? "", { all: marked, before });
      if (whose !== "patch") return whose === "file" ? plain : undefined;
    }
    const moved = plain.map((line) => (line.sign === "+" ? indented(line, way) : line));
    const isMoved = moved.every((line) => line !== undefined);
    if (removed.length > 0) return isMoved ? moved : undefined;
    return isMoved && (hasSigns || isMeant(marked, added, known)) ? moved : plain;
  });
  return blocks.every((block) => block !== undefined) ? blocks.flat() : undefined;
}

/** A line of a hunk; an old line with the line of the file that it matches. */
type Marked = PatchLine & { readonly file: string | undefined };

/**
 * Tells whose indentation the added lines of a block have if every old line lacks the indentation `more`; `unknown` if
 * nothing decides.
 */
function indentedLike(
  { added, removed }: { readonly added: readonly Marked[]; readonly removed: readonly Marked[] },
  more: string,
  { all, before }: { readonly all: readonly Marked[]; readonly before: Marked | undefined },
): "patch" | "file" | "unknown" {
  if (more === "") return "patch";
  const old = all.filter(({ sign, text }) => sign !== "+" && trimBlanks(text) !== "");
  const pairs = pairsOf(old);
  const isBare = pairs.every((pair) => pair.old === "");
  const isMixed = new Set(pairs.map(({ file }) => file)).size > 1;
  if (isBare && isMixed && added.every(({ text }) => indentOf(text) !== "")) return "file";
  if (more === " ") return "patch";
  const wordOf = (text: string): string => /^\S?[\p{L}\p{N}_]*/u.exec(trimBlanks(text))?.[0] ?? "";
  const isReplaced =
    removed.length > 0 &&
    removed.length === added.length &&
    removed.every((line, i) => {
      const other = added[i]?.text ?? "";
      return wordOf(line.text) === wordOf(other) && indentOf(line.file ?? "") === indentOf(other);
    });
  const [gone, come] = [removed[0]?.text, added[0]?.text ?? ""];
  const isMoved = gone !== undefined && wordOf(gone) === wordOf(come) && indentOf(gone) !== indentOf(come);
  if (isBare && isMoved) return isReplaced ? "file" : "unknown";
  const shortest = (lines: readonly Marked[]): string =>
    lines.map(({ text }) => indentOf(text)).reduce((one, other) => (other.length < one.length ? other : one));
  const beside = removed.length > 0 ? shortest(removed) : indentOf((before ?? old[0])?.text ?? "");
  if (shortest(added) !== more + beside) return "patch";
  const twins = added.flatMap(({ text }) => {
    const twin = old.find((line) => trimBlanks(line.text) === trimBlanks(text));
    return twin === undefined
      ? []
      : [{ own: indentOf(text), patch: indentOf(twin.text), file: indentOf(twin.file ?? "") }];
  });
  const [isPatch, isFile] = [
    twins.some(({ own, patch }) => own === patch),
    twins.some(({ own, file }) => own === file),
  ];
  if (isPatch !== isFile) return isFile ? "file" : "patch";
  if (isPatch) return "unknown";
  if (removed.length === 0) return /[{([:>]\s*$/.test(before?.text ?? "") ? "patch" : "unknown";
  return isReplaced ? "file" : "unknown";
}

/** Puts neighbouring removed and added lines together. */
function inBlocks(lines: readonly Marked[]): Marked[][] {
  const blocks: Marked[][] = [];
  for (const [i, line] of lines.entries()) {
    const isNext = i > 0 && line.sign !== " " && lines[i - 1]?.sign !== " ";
    if (isNext) blocks.at(-1)?.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

/** Reports whether lines added to context alone are to be shifted although the context may be off by one space. */
function isMeant(all: readonly Marked[], added: readonly PatchLine[], known: ReadonlySet<string>): boolean {
  const { old = "", file = "" } = pairsOf(all)[0] ?? {};
  if (file === ` ${old}`) return false;
  if (old !== ` ${file}`) return true;
  const before = added.map(({ text }) => known.has(indentOf(text)));
  const after = added.map(({ text }) => known.has(indentOf(text).slice(1)));
  return after.some((isKnown, i) => isKnown && !before[i]) && before.every((isKnown, i) => !isKnown || after[i]);
}

interface Pair {
  readonly old: string;
  readonly file: string;
}

const pairsOf = (lines: readonly Marked[]): Pair[] =>
  lines.flatMap(({ text, file }) =>
    file === undefined || trimBlanks(text) === "" ? [] : [{ old: indentOf(text), file: indentOf(file) }],
  );

/** The function that turns each old line's indentation into the file's; `undefined` if there is none. */
function wayOf(lines: readonly Marked[]): Way | undefined {
  const pairs = pairsOf(lines);
  return waysFor(pairs).find((way) => pairs.every(({ old, file }) => way(old) === file));
}

function waysFor(pairs: readonly Pair[]): Way[] {
  const [first] = pairs;
  const ways: Way[] = [(indent) => indent];
  if (first === undefined) return ways;
  const more = first.file.slice(0, first.file.length - first.old.length);
  const less = first.old.slice(0, first.old.length - first.file.length);
  if (more !== "") ways.push((indent) => more + indent);
  if (less !== "") ways.push((indent) => (indent.startsWith(less) ? indent.slice(less.length) : undefined));
  for (let width = 1; width <= 16; width++) {
    if (pairs.some(({ old }) => old.includes("\t"))) ways.push((indent) => indent.replaceAll("\t", " ".repeat(width)));
    if (pairs.some(({ file }) => file.includes("\t"))) ways.push((indent) => inTabs(indent, width, pairs));
  }
  return ways;
}

/**
 * Replaces each full width of spaces with a tab. Any remaining spaces are alignment, which some old line must also
 * have.
 */
function inTabs(indent: string, width: number, pairs: readonly Pair[]): string | undefined {
  const restOf = (text: string): number => (/^ */.exec(text)?.[0].length ?? 0) % width;
  const rest = restOf(indent);
  if (rest !== 0 && !pairs.some(({ old }) => restOf(old) === rest)) return undefined;
  const tabs = Math.floor((/^ */.exec(indent)?.[0].length ?? 0) / width);
  return "\t".repeat(tabs) + indent.slice(tabs * width);
}

function indented(line: PatchLine, way: Way | undefined): PatchLine | undefined {
  if (trimBlanks(line.text) === "") return line;
  const indent = indentOf(line.text);
  const moved = way?.(indent);
  return moved === undefined ? undefined : { ...line, text: moved + line.text.slice(indent.length) };
}

function indentOf(line: string): string {
  const text = trimBlanksEnd(line);
  return text.slice(0, text.length - trimBlanks(text).length);
}
