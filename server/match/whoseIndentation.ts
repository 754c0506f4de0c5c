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

/** Returns whose indentation the lines have that are in both texts; those without a word count last. */
function sharedSay(sent: Replacement): ReadonlySet<"old" | "file"> {
  const { old, next } = sent;
  const [inOld, inNext] = [byText(old.map(({ text }) => text)), byText(next)];
  const [asOld, asFile] = [fitting(sent, "text", { inOld, inNext }), fitting(sent, "found", { inOld, inNext })];
  const says = (shared: readonly string[]): ReadonlySet<"old" | "file"> =>
    new Set(
      shared.flatMap((text) => {
        const [copies, own] = [(inOld.get(text) ?? []).slice(0, mostCopies), inNext.get(text) ?? []];
        // Of lines that one text has more often, some are new or removed.
        const least = Math.min(copies.length, own.length);
        const [isOld, isFile] = [asOld, asFile].map(
          (fits) =>
            own.filter((j) => copies.some((i) => fits(j, i))).length >= least &&
            copies.filter((i) => own.some((j) => fits(j, i))).length >= least,
        );
        return isOld === isFile ? [] : [isOld ? "old" : "file"];
      }),
    );
  const shared = [...inNext.keys()].filter((text) => inOld.has(text));
  const telling = says(shared.filter(isTelling));
  return telling.size > 0 ? telling : says(shared.filter((text) => !isTelling(text)));
}

/**
 * Returns a function that reports whether the indentation of new line `j` can come from that of old line `i`, as the old
 * text or the file has it: it is the same; an added line that has it encloses the new line; a removed line that enclosed
 * the old line had the new one; or the same line encloses both, and that line fits.
 */
function fitting({ old, next }: Replacement, side: "text" | "found", { inOld, inNext }: Shared) {
  const [outerOld, outerNext] = [parentsOf(old.map(({ text }) => text)), parentsOf(next)];
  const isEnclosed = (parents: Parents, line: number, test: (outer: number) => boolean): boolean => {
    for (let at = parents[line]; at !== undefined; at = parents[at]) if (test(at)) return true;
    return false;
  };
  const known = new Map<number, boolean>();
  const fits = (j: number, i: number): boolean => {
    const [line, indent] = [indentOf(next[j]!), indentOf(old[i]![side])];
    const isAdded = (outer: number): boolean => !inOld.has(next[outer]!.trim()) && indentOf(next[outer]!) === indent;
    const isRemoved = (outer: number): boolean =>
      !inNext.has(old[outer]!.text.trim()) && indentOf(old[outer]![side]) === line;
    if (line === indent || isEnclosed(outerNext, j, isAdded) || isEnclosed(outerOld, i, isRemoved)) return true;
    const [outer, outerI] = [outerNext[j], outerOld[i]];
    const isWithin = outer !== undefined && outerI !== undefined && next[outer]!.trim() === old[outerI]!.text.trim();
    return isWithin && remembered(outer, outerI);
  };
  const remembered = (j: number, i: number): boolean => {
    const key = j * old.length + i;
    const result = known.get(key) ?? fits(j, i);
    known.set(key, result);
    return result;
  };
  return remembered;
}

/** The indices of the lines of both texts, by their text without whitespace at its ends. */
interface Shared {
  readonly inOld: ReadonlyMap<string, readonly number[]>;
  readonly inNext: ReadonlyMap<string, readonly number[]>;
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

/** Reports whether a new line has the indentation of an old one, as only the old text or only the file has it. */
const isLike = (line: string, { text, found }: FoundLine, side: "text" | "found"): boolean =>
  indentOf(text) !== indentOf(found) && indentOf(line) === indentOf(side === "text" ? text : found);

/** Reports whether the first new line is not an old one and has the indentation of the first old line. */
const isStart = ({ old: [first, ...more], next: [line = ""] }: Replacement, side: "text" | "found"): boolean =>
  first !== undefined && isLike(line, first, side) && ![first, ...more].some(({ text }) => text.trim() === line.trim());

/** Decides by the first line of both texts or, if these say nothing, by the line with the least indentation of each. */
function startSays(sent: Replacement): Whose {
  const { old, next } = sent;
  if (isStart(sent, "text")) return "old";
  const [old1 = "", next1 = ""] = [old[0]?.text, next[0]];
  // A line without indentation has lost it if a line that begins alike and has some replaces it.
  const isLost = indentOf(old1) === "" && indentOf(next1) !== "" && wordOf(old1) === wordOf(next1);
  if (isLost || isStart(sent, "found")) return isReplaced(sent) ? "file" : undefined;
  const least = leastIndented(next, (line) => line);
  return isLike(
    least,
    leastIndented(old, ({ text }) => text),
    "found",
  )
    ? undefined
    : "old";
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
