/** Decides whose indentation new lines have if the old lines were found with another one: the old lines' or the file's. */
import { isAllBlank } from "../text/chars.js";
import type { Shift } from "./place.js";
import { indentOf, isTelling, shiftLine } from "./wholeLines.js";

/** An old line, and the document's line that it matched. */
export interface FoundLine {
  readonly text: string;
  readonly found: string;
}

/** Lines of a text that has the same indentation throughout: the new lines, and the old lines that they replace. */
export interface Replacement {
  readonly old: readonly FoundLine[];
  readonly next: readonly string[];
  /** The old lines with text directly before and after the replaced ones; `undefined` if there are none. */
  readonly above?: FoundLine | undefined;
  readonly below?: FoundLine | undefined;
}

/** The lines whose indentation new lines have; `undefined` if that is not certain. */
type Whose = "old" | "file" | undefined;

/**
 * Reports whose indentation the new lines have. The lines that both texts share decide, unless they fit both or disagree.
 * Then the new lines themselves decide, by the lines that they replace or, if they replace none, by those beside them.
 */
export function indentedLike({ old, next, ...beside }: Replacement, shift: Shift): Whose {
  const sent: Replacement = {
    old: old.filter(({ text }) => !isAllBlank(text)),
    next: next.filter((text) => !isAllBlank(text)),
    ...beside,
  };
  if (sent.next.every((line) => shiftLine(line, shift) === line)) return "old";
  const shared = sharedSay(sent);
  if (shared.size === 1 && !(shared.has("file") && isStart(sent, "text"))) return shared.has("old") ? "old" : "file";
  if (isForeign(sent.next, shift)) return undefined;
  if (shift.kind === "scale") return stepsSay(sent.next, shift);
  return sent.old.length > 0 ? startSays(sent) : neighboursSay(sent);
}

/** Reports whether lines have the file's kind of whitespace, so that not all of them are indented like the old ones. */
function isForeign(next: readonly string[], shift: Shift): boolean {
  if (!("then" in shift)) return false;
  const has = (unit: string): boolean => next.some((line) => indentOf(line).includes(unit));
  return shift.kind === "toTabs" ? has("\t") : !has("\t") && has(" ");
}

/**
 * Returns whose indentation the lines have that occur in the old and the new text. Lines without a letter or digit count
 * only if the others say nothing.
 */
function sharedSay({ old, next }: Replacement): ReadonlySet<"old" | "file"> {
  const [inOld, inNext] = [byText(old.map(({ text }) => text)), byText(next)];
  const [outerOld, outerNext] = [parentsOf(old.map(({ text }) => text)), parentsOf(next)];
  const isEnclosed = (parents: Parents, line: number, test: (outer: number) => boolean): boolean => {
    for (let at = parents[line]; at !== undefined; at = parents[at]) if (test(at)) return true;
    return false;
  };
  /** Reports whether a new line's indentation can come from that of an old line, as the old text or the file has it. */
  const fits = (side: "text" | "found", j: number, i: number): boolean => {
    const [line, indent] = [indentOf(next[j]!), indentOf(old[i]![side])];
    const isAdded = (outer: number): boolean => !inOld.has(next[outer]!.trim()) && indentOf(next[outer]!) === indent;
    const isRemoved = (outer: number): boolean =>
      !inNext.has(old[outer]!.text.trim()) && indentOf(old[outer]!.text) === line;
    // Either the line is where it was, or an added line took its place and encloses it, or it took a removed line's place.
    if (line === indent || isEnclosed(outerNext, j, isAdded)) return true;
    if (side === "text" && isEnclosed(outerOld, i, isRemoved)) return true;
    const [outer, outerI] = [outerNext[j], outerOld[i]];
    const isMoved = outer !== undefined && outerI !== undefined && next[outer]!.trim() === old[outerI]!.text.trim();
    return isMoved && fits(side, outer, outerI);
  };
  const says = (shared: readonly string[]): ReadonlySet<"old" | "file"> =>
    new Set(
      shared.flatMap((text) => {
        const [copies, own] = [(inOld.get(text) ?? []).slice(0, mostCopies), inNext.get(text) ?? []];
        const isAs = (side: "text" | "found"): boolean =>
          own.filter((j) => copies.some((i) => fits(side, j, i))).length >= Math.min(copies.length, own.length);
        const isOld = isAs("text");
        return isOld === isAs("found") ? [] : [isOld ? "old" : "file"];
      }),
    );
  const shared = [...inNext.keys()].filter((text) => inOld.has(text));
  const telling = says(shared.filter(isTelling));
  return telling.size > 0 ? telling : says(shared.filter((text) => !isTelling(text)));
}

/** The number of equal lines of an old text that are compared with a line of the new text. */
const mostCopies = 20;

/** Returns the indices of lines by their text without whitespace at its ends. */
function byText(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const known = new Map<string, number[]>();
  for (const [i, line] of lines.entries()) {
    const same = known.get(line.trim());
    if (same === undefined) known.set(line.trim(), [i]);
    else same.push(i);
  }
  return known;
}

/** For each line, the index of the line that encloses it: the last line before it that has less indentation. */
type Parents = readonly (number | undefined)[];

function parentsOf(lines: readonly string[]): Parents {
  const open: number[] = [];
  return lines.map((line, i) => {
    while (open.length > 0 && indentOf(lines[open.at(-1)!]!).length >= indentOf(line).length) open.pop();
    const parent = open.at(-1);
    open.push(i);
    return parent;
  });
}

/** Reports whether the first new line has the indentation of the first old one, in the old text or in the file only. */
function isStart({ old: [first], next }: Replacement, side: "text" | "found"): boolean {
  if (first === undefined || indentOf(first.text) === indentOf(first.found)) return false;
  return indentOf(next[0] ?? "") === indentOf(first[side]);
}

/** Decides by the first line of both texts or, if these say nothing, by the line with the least indentation of each. */
function startSays(sent: Replacement): Whose {
  const { old, next } = sent;
  if (isStart(sent, "text")) return "old";
  const [old1 = "", next1 = ""] = [old[0]?.text, next[0]];
  // A line without indentation has lost it if a line that begins alike and has some replaces it.
  const isLost = indentOf(old1) === "" && indentOf(next1) !== "" && wordOf(old1) === wordOf(next1);
  if (isLost || isStart(sent, "found")) return isReplaced(sent) ? "file" : undefined;
  const least = { old: [leastIndented(old, ({ text }) => text)], next: [leastIndented(next, (line) => line)] };
  return isStart(least, "found") ? undefined : "old";
}

function leastIndented<T>(lines: readonly T[], textOf: (line: T) => string): T {
  return lines.reduce((least, line) => (indentOf(textOf(line)).length < indentOf(textOf(least)).length ? line : least));
}

/** Reports whether new lines replace old ones one by one, begin alike, and have the indentation of the file's. */
function isReplaced({ old, next }: Replacement): boolean {
  return (
    old.length === next.length &&
    old.every(({ text, found }, i) => {
      const other = next[i] ?? "";
      return wordOf(text) === wordOf(other) && indentOf(found) === indentOf(other);
    })
  );
}

/** Returns the first word of a line, together with a punctuation mark in front of it. */
const wordOf = (text: string): string => /^\s*(\S?[\p{L}\p{N}_]*)/u.exec(text)?.[1] ?? "";

/**
 * Decides by the lines beside added ones: these are indented like the old lines if the first of them is level with the line
 * below or the line above, or is deeper than a line that opens a block. Otherwise, it must not be level with either in the file.
 */
function neighboursSay({ next, above, below }: Replacement): Whose {
  const indent = indentOf(next[0] ?? "");
  const [over, under] = [above, below].map((line) => line && indentOf(line.text));
  const opens =
    above !== undefined &&
    (/[{([:>]$/.test(above.text.trimEnd()) ||
      (over !== undefined && under !== undefined && under.length > over.length));
  const isLevel = indent === under || (indent === over && !opens);
  if (isLevel || (opens && over !== undefined && indent.length > over.length)) return "old";
  return [above, below].some((line) => line !== undefined && indentOf(line.found) === indent) ? undefined : "old";
}

/** Decides by the steps at which new lines get deeper: a level of the old lines, or one of the file's. */
function stepsSay(next: readonly string[], { from, to }: Extract<Shift, { kind: "scale" }>): Whose {
  const depths = next.map((line) => indentOf(line).length);
  const steps = new Set(depths.map((depth, i) => depth - (depths[i - 1] ?? depth)));
  return !steps.has(to) ? "old" : steps.has(from) ? undefined : "file";
}
