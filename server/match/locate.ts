/** Locates an old text. The first rung that finds it decides: a looser rung never overrules a stricter one. */
import { isAllBlank } from "../text/chars.js";
import { toEnd, unitsPerStep } from "../text/lines.js";
import type { LineRange } from "./lineTable.js";
import type { Place } from "./place.js";
import { type RungName, rungs } from "./rungs.js";
import type { TextIndex } from "./textIndex.js";

/** The result of `locate`: no place, the places of one rung (in order; they may overlap), or too many places. */
export type Located =
  | { readonly kind: "none" }
  | { readonly kind: "tooMany" }
  | { readonly kind: "one" | "many"; readonly rung: RungName; readonly places: readonly [Place, ...Place[]] };

/** Which places count. */
export interface LocateOptions {
  /** `false` to try only the strict rungs. */
  readonly lenient: boolean;
  /** `true` to accept only places at the start of a line. */
  readonly wholeLines?: boolean;
}

/** Tries the rungs on the whole text. The old text must not be empty. */
export function locate(index: TextIndex, oldText: string, options: LocateOptions): Located {
  return toEnd(locating(index, oldText, options));
}

/** Like `locate`, but in steps. Caches the latest result for each text and reuses it if the arguments are the same. */
export function* locating(
  index: TextIndex,
  oldText: string,
  { lenient, wholeLines = false }: LocateOptions,
): Generator<void, Located> {
  const known = latest.get(index);
  const isKnown = known?.oldText === oldText && known.lenient === lenient && known.wholeLines === wholeLines;
  if (isKnown) return known.located;
  const located = yield* tryRungs(index, oldText, { lenient, wholeLines });
  latest.set(index, { oldText, lenient, wholeLines, located });
  return located;
}

/** The latest arguments and result for each text. */
const latest = new WeakMap<
  TextIndex,
  { readonly oldText: string; readonly lenient: boolean; readonly wholeLines: boolean; readonly located: Located }
>();

function* tryRungs(
  index: TextIndex,
  oldText: string,
  { lenient, wholeLines }: LocateOptions,
): Generator<void, Located> {
  const isLong = index.text.length >= unitsPerStep;
  for (const rung of rungs) {
    if (rung.find === undefined || (!rung.strict && (!lenient || isAllBlank(oldText)))) continue;
    if (isLong && rung.prepare !== undefined) yield* rung.prepare(index);
    const found = rung.find(index, oldText);
    if (found === "tooMany") return { kind: "tooMany" };
    const isWhole = ({ from }: Place): boolean => index.matchedLines.start(index.matchedLines.lineAt(from)) === from;
    const [first, ...rest] = wholeLines ? found.filter(isWhole) : found;
    if (first !== undefined)
      return { kind: rest.length === 0 ? "one" : "many", rung: rung.name, places: [first, ...rest] };
  }
  return { kind: "none" };
}

/** Builds, in steps, the tables that `locateLines` needs to find a run of lines. Does nothing if the text is short. */
export function* prepareLines(index: TextIndex, run: readonly string[]): Generator<void, void> {
  if (index.text.length < unitsPerStep) return;
  for (const { hunkLines } of rungs) {
    if (hunkLines === undefined) continue;
    const table = yield* index.tabling(hunkLines);
    if (run.length > 0 && table.find(run, { from: 0, most: 1 }).length > 0) return;
  }
}

/** The 0-based lines at which a run of whole lines starts, in ascending order, and the rung that found them. */
export interface LineHits {
  readonly rung: RungName;
  readonly starts: readonly [number, ...number[]];
}

/** Tries the rungs for hunks on a range of lines until one finds the run; unless `lenient`, only Codex's. */
export function locateLines(
  index: TextIndex,
  run: readonly string[],
  { lenient = false, ...range }: LineRange & { readonly lenient?: boolean },
): LineHits | undefined {
  for (const { name, hunkLines, beyondCodex } of rungs) {
    if (hunkLines === undefined || (beyondCodex && !lenient)) continue;
    const [first, ...rest] = index.lineTable(hunkLines).find(run, range);
    if (first !== undefined) return { rung: name, starts: [first, ...rest] };
  }
  return undefined;
}

/** Returns the places that `replaceAll` replaces, in order: each place that does not overlap the last one taken. */
export function withoutOverlap(places: readonly Place[]): Place[] {
  const taken: Place[] = [];
  let end = -1;
  for (const place of places) {
    if (place.from < end) continue;
    taken.push(place);
    end = place.to;
  }
  return taken;
}
