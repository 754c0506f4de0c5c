/** Indents the added lines of a hunk that was found although the file has another indentation. */
import type { Reshape } from "../../match/place.js";
import type { TextIndex } from "../../match/textIndex.js";
import { shiftLine, shiftOfLines } from "../../match/wholeLines.js";
import { isAllBlank, trimStart } from "../../text/chars.js";
import type { HunkLine } from "../operation.js";
import type { HunkPlace, HunkProblem } from "./hunks.js";

/**
 * Shifts the added lines of a placed hunk. In a block of removed and added lines, the added lines are shifted as the
 * removed ones are. A block that only adds lines is shifted as all old lines of the hunk are, if these agree. Added
 * lines that already have the file's indentation are not shifted.
 */
export function shifted(index: TextIndex, place: HunkPlace): HunkPlace | HunkProblem {
  const { rung, start } = place;
  if (rung !== "indentation" && rung !== "foldedLines" && rung !== "fullWidth") return place;
  const all = matchedLinesOf(index, place);
  const whole = shiftOfMatched(all);
  const isSigned = all.some(({ kind, text }) => kind === "remove" && !isAllBlank(text));
  const old = oldLinesOf(all);
  let before: MatchedLine | undefined;
  const result: HunkLine[] = [];
  for (const lines of blocksOf(all)) {
    const block = filledLines(lines);
    const { added, removed } = block;
    const shift = removed.length > 0 ? (whole ?? shiftOfMatched(removed)) : whole;
    const fits = shift !== undefined && added.every(({ text }) => shiftLine(text, shift) !== undefined);
    const like = fits ? indentedAs(block, shift, { old, before }) : "patch";
    if (added.length > 0 && removed.length > 0 && !fits)
      return { kind: "uneven", start, why: shift === undefined ? "disagreement" : "misfit" };
    if (like === undefined) return { kind: "uneven", start, why: "unclear" };
    const texts = added.map(({ text }) => text);
    const isShifted = fits && like === "patch" && (isSigned || isCertain(index, shift, texts));
    for (const { kind, text } of lines) {
      const moved = kind === "add" && isShifted ? shiftLine(text, shift) : undefined;
      result.push({ kind, text: moved ?? text });
    }
    before = lines.findLast(({ found, text }) => found !== undefined && !isAllBlank(text)) ?? before;
  }
  return { ...place, lines: result };
}

/** A line of a hunk, and the file's line at its place; `undefined` for an added line. */
interface MatchedLine extends HunkLine {
  readonly found: string | undefined;
}

function matchedLinesOf(index: TextIndex, { lines, start }: HunkPlace): MatchedLine[] {
  let line = start;
  return lines.map(({ kind, text }) => ({
    kind,
    text,
    found: kind === "add" ? undefined : index.matchedLines.content(line++),
  }));
}

/** The lines of a block that have text. */
interface FilledBlock {
  readonly added: readonly MatchedLine[];
  readonly removed: readonly MatchedLine[];
}

function filledLines(lines: readonly MatchedLine[]): FilledBlock {
  const filled = lines.filter(({ text }) => !isAllBlank(text));
  return {
    added: filled.filter(({ kind }) => kind === "add"),
    removed: filled.filter(({ kind }) => kind === "remove"),
  };
}

/** Divides a hunk's lines: each context line alone, and each run of removed and added lines together. */
function blocksOf(all: readonly MatchedLine[]): MatchedLine[][] {
  const blocks: MatchedLine[][] = [];
  let run: MatchedLine[] | undefined;
  for (const line of all) {
    if (line.kind !== "context" && run !== undefined) run.push(line);
    else {
      run = [line];
      blocks.push(run);
      if (line.kind === "context") run = undefined;
    }
  }
  return blocks;
}

/** Returns the shift that turns all old lines among the given ones into the file's; `undefined` if no single shift does. */
function shiftOfMatched(all: readonly MatchedLine[]): Reshape | undefined {
  const old = all.flatMap(({ text, found }) => (found === undefined ? [] : [{ text, found }]));
  return shiftOfLines(
    old.map(({ text }) => text),
    old.map(({ found }) => found),
  );
}

/** The old lines of a hunk that have text, and what they say about the indentation of its added lines. */
interface OldLines {
  readonly first: MatchedLine | undefined;
  /** `true` if all old lines have lost their indentation. */
  readonly isBare: boolean;
  /** `true` if the file's lines have more than one indentation. */
  readonly isMixed: boolean;
  /** The old lines by their text without whitespace at its ends; of lines with the same text, only the first. */
  readonly byText: ReadonlyMap<string, MatchedLine>;
}

function oldLinesOf(all: readonly MatchedLine[]): OldLines {
  const old = all.filter(({ found, text }) => found !== undefined && !isAllBlank(text));
  return {
    first: old[0],
    isBare: old.every(({ text }) => indentOf(text) === ""),
    isMixed: old.some(({ found = "" }) => indentOf(found) !== indentOf(old[0]?.found ?? "")),
    byText: new Map(old.toReversed().map((line) => [line.text.trim(), line])),
  };
}

/**
 * Reports whose indentation a block's added lines have: that of the patch's old lines or, if only the old lines have
 * lost theirs, that of the file; `undefined` if that is not certain. `before`: the old line with text before the block.
 */
function indentedAs(
  { added, removed }: FilledBlock,
  shift: Reshape,
  { old, before }: { readonly old: OldLines; readonly before: MatchedLine | undefined },
): "patch" | "file" | undefined {
  if (shift.kind !== "add" || added.length === 0) return "patch";
  const isDeep = added.every(({ text }) => indentOf(text) !== "");
  if (old.isBare && old.isMixed && isDeep) return "file";
  // One space is no depth, but the sign of a context line.
  if (shift.indent === "" || shift.indent === " ") return "patch";
  if (old.isBare && isMoved(removed[0], added[0])) return isReplaced(removed, added) ? "file" : undefined;
  const beside = removed.length > 0 ? leastIndent(removed) : indentOf((before ?? old.first)?.text ?? "");
  if (leastIndent(added) !== shift.indent + beside) return "patch";
  const shared = added.flatMap(({ text }) => {
    const line = old.byText.get(text.trim());
    return line === undefined ? [] : [{ indent: indentOf(text), line }];
  });
  const isOld = shared.some(({ indent, line }) => indent === indentOf(line.text));
  const isFile = shared.some(({ indent, line }) => indent === indentOf(line.found ?? ""));
  if (isOld !== isFile) return isFile ? "file" : "patch";
  if (isOld) return undefined;
  // After an opening bracket or a colon, added lines are expected to be deeper.
  if (removed.length === 0) return /[{([:>]$/.test(before?.text.trimEnd() ?? "") ? "patch" : undefined;
  return isReplaced(removed, added) ? "file" : undefined;
}

/** Returns the least indentation of lines that have text. */
const leastIndent = (lines: readonly MatchedLine[]): string =>
  lines.map(({ text }) => indentOf(text)).reduce((one, other) => (other.length < one.length ? other : one));

/** Reports whether added lines replace removed ones one by one, begin alike, and have the indentation of the file's. */
function isReplaced(removed: readonly MatchedLine[], added: readonly MatchedLine[]): boolean {
  return (
    removed.length === added.length &&
    removed.every(({ text, found = "" }, i) => {
      const other = added[i]?.text ?? "";
      return wordOf(text) === wordOf(other) && indentOf(found) === indentOf(other);
    })
  );
}

/** Reports whether an added line begins like a removed one, but has another indentation. */
function isMoved(removed: MatchedLine | undefined, added: MatchedLine | undefined): boolean {
  if (removed === undefined || added === undefined) return false;
  return wordOf(removed.text) === wordOf(added.text) && indentOf(removed.text) !== indentOf(added.text);
}

/** Returns the first word of a line, together with a punctuation mark in front of it. */
const wordOf = (text: string): string => /^\s*(\S?[\p{L}\p{N}_]*)/u.exec(text)?.[1] ?? "";

/**
 * Reports whether a shift that only context lines show applies to added lines, too. One space is no sign of that: one
 * too few means that the context lines lack their sign, and one too many that only they have one after the sign. The
 * latter is different if it gives the added lines indentations that the file has, and takes none away.
 */
function isCertain(index: TextIndex, shift: Reshape, added: readonly string[]): boolean {
  if (!("indent" in shift) || shift.indent !== " ") return true;
  if (shift.kind === "add") return false;
  const known = indentsOf(index);
  const isKnown = (text: string): boolean => known.has(indentOf(text));
  const isGained = (text: string): boolean => !isKnown(text) && isKnown(shiftLine(text, shift) ?? "");
  const isLost = (text: string): boolean => isKnown(text) && !isKnown(shiftLine(text, shift) ?? "");
  return added.some(isGained) && !added.some(isLost);
}

/** The indentations of each text's lines. */
const indents = new WeakMap<TextIndex, ReadonlySet<string>>();

function indentsOf(index: TextIndex): ReadonlySet<string> {
  const known = indents.get(index);
  if (known !== undefined) return known;
  const { matchedLines: lines } = index;
  const found = new Set<string>();
  for (let line = 0; line < lines.lineCount; line++) {
    const content = lines.content(line);
    if (!isAllBlank(content)) found.add(indentOf(content));
  }
  indents.set(index, found);
  return found;
}

const indentOf = (line: string): string => line.slice(0, trimStart(line));
