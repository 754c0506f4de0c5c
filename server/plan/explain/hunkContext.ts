/** Finds the lines of context that would make an ambiguous hunk unique, and context lines that were meant to be added. */
import { Folded } from "../../match/fold.js";
import { locateLines } from "../../match/locate.js";
import type { RungName } from "../../match/rungs.js";
import type { TextIndex } from "../../match/textIndex.js";
import { isAllBlank } from "../../text/chars.js";
import { limits } from "../../text/limits.js";
import { type Draft, lineInBase } from "../draft.js";
import type { HunkLine } from "../operation.js";
import { oldLines } from "../patch/hunks.js";
import type { MeantToAdd, TellingContext } from "../patch/sentences.js";

/** The numbers of matches for which a line of context is sought, and of lines that it may be away from its match. */
const told = { matches: 3, lines: 20 } as const;

/** All matches of a hunk, or of the anchor of a hunk that only adds lines. */
export interface Matches {
  readonly rung: RungName;
  /** The lines that match, as the hunk has them. */
  readonly run: readonly string[];
  /** The 0-based first lines of the matches. */
  readonly starts: readonly number[];
}

/** Returns, for each first match, the nearest line up to which the context occurs only there in the whole file. */
export function tellingLines(draft: Draft, { rung, run, starts }: Matches): TellingContext[] {
  const { length } = run;
  const inFile = locateLines(draft.index, run, { from: 0, most: limits.hunkPlaces, lenient: true });
  const all = inFile?.rung === rung ? inFile.starts : starts;
  const lines = draft.index.matchedLines;
  if (all.length >= limits.hunkPlaces) return [];
  const contentOf = (line: number): string | undefined => {
    const isThere = line >= 0 && line < lines.filledCount;
    return isThere && lines.contentEnd(line) - lines.start(line) <= limits.quotedLine ? lines.content(line) : undefined;
  };
  const seen = new Map<number, string | undefined>();
  const folded = (line: number): string | undefined => {
    if (seen.has(line)) return seen.get(line);
    const content = contentOf(line);
    const plain = content === undefined || rung === "exact" ? content : Folded.of(content, "typography").text.trim();
    seen.set(line, plain);
    return plain;
  };
  return starts.slice(0, told.matches).flatMap((start): TellingContext[] => {
    const numberOf = (line: number): number => lineInBase(draft, lines.start(line));
    for (let away = 1; away <= told.lines; away++) {
      for (const kind of ["above", "below"] as const) {
        const by = kind === "above" ? -away : length - 1 + away;
        const text = contentOf(start + by);
        if (text === undefined || isAllBlank(text)) continue;
        const between = Array.from({ length: away }, (_, i) => (kind === "above" ? -1 - i : length + i));
        const isAlone = all.every(
          (other) => other === start || between.some((line) => folded(other + line) !== folded(start + line)),
        );
        if (isAlone) return [{ match: numberOf(start), kind, line: numberOf(start + by), text: text.trim() }];
      }
    }
    return [];
  });
}

/**
 * Returns the context lines of a hunk that are no lines of the file, if they were probably meant to be added: the first
 * of them has no sign, or all of them are between lines that follow one another in only one place of the file.
 */
export function meantToAdd(draft: Draft, lines: readonly HunkLine[]): MeantToAdd | undefined {
  const { index } = draft;
  const table = index.lineTable("blanks");
  const isNew = ({ kind, text }: HunkLine): boolean =>
    kind === "context" && !isAllBlank(text) && table.find([text], { from: 0, most: 1 }).length === 0;
  const found = new Set(lines.filter(isNew));
  const [first] = found;
  if (first === undefined) return undefined;
  const old = lines.filter(({ kind }) => kind !== "add");
  const isBetween = !found.has(old[0] as HunkLine) && !found.has(old.at(-1) as HunkLine);
  const rest = onlyPlace(index, oldLines(lines.filter((line) => !found.has(line))));
  if (first.unsignedAt === undefined && (rest === undefined || !isBetween)) return undefined;
  const restAt = rest === undefined ? undefined : lineInBase(draft, index.matchedLines.start(rest));
  return { text: first.text.trim(), patchLine: first.unsignedAt, more: found.size - 1, restAt };
}

/**
 * Returns a line that a hunk has as context and removes, too, although the file has it only once, if the hunk's old lines
 * occur without one of these; otherwise `undefined`. `at`: the 0-based line of the file.
 */
export function lineSentTwice(index: TextIndex, lines: readonly HunkLine[]): { text: string; at: number } | undefined {
  const old = lines.filter(({ kind }) => kind !== "add");
  const copies = new Map<string, { readonly context: number[]; readonly remove: number[] }>();
  for (const [i, { kind, text }] of old.entries()) {
    const own = copies.get(text.trim()) ?? { context: [], remove: [] };
    own[kind === "remove" ? "remove" : "context"].push(i);
    copies.set(text.trim(), own);
  }
  // Nobody sends more than a few lines twice, and each of them takes a search.
  const twice = [...copies.values()].filter(({ context, remove }) => context.length * remove.length === 1);
  for (const { context, remove } of twice.slice(0, limits.matchesShown)) {
    const pair = [...context, ...remove];
    const { text } = old[pair[0]!]!;
    const at = isAllBlank(text) ? undefined : onlyPlace(index, [text]);
    if (at === undefined) continue;
    const isElse = pair.some((i) => onlyPlace(index, oldLines(old.toSpliced(i, 1))) !== undefined);
    if (isElse) return { text, at };
  }
  return undefined;
}

/** Returns the 0-based line where a run of lines starts in the text; `undefined` unless the run occurs exactly once. */
export function onlyPlace(index: TextIndex, run: readonly string[]): number | undefined {
  const hits = run.length === 0 ? undefined : locateLines(index, run, { from: 0, most: 2, lenient: true });
  return hits?.starts.length === 1 ? hits.starts[0] : undefined;
}
