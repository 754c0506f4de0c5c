/** Recognises, without planning a call once more, that an earlier text places all edits as the present text does. */
import type { FilePlan } from "../outcome.js";
import type { View } from "./view.js";

/** Offsets of a span of text, in UTF-16 code units. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A plan in which each old text was found exactly, and only once. */
export interface ExactPlan {
  /** The present text. */
  readonly text: string;
  readonly oldTexts: readonly string[];
  /** The length of the longest old text. */
  readonly reach: number;
  /** The lines of each edit's place (1-based, inclusive), and their offsets. */
  readonly places: readonly (Stretch & { readonly startLine: number; readonly endLine: number })[];
}

/** Returns a plan for `agrees`; `undefined` if an old text has several places or none, or was not found exactly. */
export function exactPlan({ operations, outcomes, file }: FilePlan): ExactPlan | undefined {
  // At a byte order mark, and next to a CR, what lies around a place counts as well.
  if (file === undefined || file.document.bom || file.document.text.includes("\r")) return undefined;
  const oldTexts: string[] = [];
  for (const operation of operations) {
    if (operation.kind !== "edit" || operation.replaceAll) return undefined;
    if (operation.occurrence !== undefined || operation.line !== undefined) return undefined;
    oldTexts.push(operation.oldText);
  }
  const places: { startLine: number; endLine: number; from: number; to: number }[] = [];
  const lines = lineStarts(file.document.text);
  for (const { status, rung, places: own } of outcomes) {
    const [place, another] = own;
    if (status !== "applied" || rung !== "exact" || place === undefined || another !== undefined) return undefined;
    const from = lines[place.startLine - 1] ?? 0;
    const to = lines[place.endLine] ?? file.document.text.length;
    places.push({ ...place, from, to });
  }
  const reach = oldTexts.reduce((most, { length }) => Math.max(most, length), 0);
  return { text: file.document.text, oldTexts, reach, places };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/**
 * Reports whether an earlier text certainly has exactly one place for each old text, the same as the present text. That
 * is the case if the texts do not differ near any place, and if no old text occurs where they differ: then each edit, in
 * its turn, is found exactly once in both. May return `false` although the texts agree.
 */
export function agrees({ text, oldTexts, reach, places }: ExactPlan, { back }: View): boolean {
  if (back.isEmpty) return true;
  if (back.changes.length * oldTexts.length > mostComparisons) return false;
  const isNear = ({ from, to }: Stretch): boolean =>
    places.some((place) => place.from - 2 * reach <= to && from <= place.to + 2 * reach);
  if (back.changes.some((change) => isNear(change) || change.insert.includes("\r"))) return false;
  const earlier = back.apply(text);
  let shift = 0;
  return back.changes.every(({ from, to, insert }) => {
    const around = earlier.slice(Math.max(0, from + shift - reach), from + shift + insert.length + reach);
    shift += insert.length - (to - from);
    return !oldTexts.some((oldText) => around.includes(oldText));
  });
}

/** The number of searches that may be made for one view. */
const mostComparisons = 20_000;

/**
 * Reports whether a view that agrees decides alone about all places of a plan; `undefined` if it does so only about some.
 */
export function decidesAlone(
  { places, text }: ExactPlan,
  { isLatest, isCompared, shown, back }: View,
): boolean | undefined {
  if (!isLatest || isCompared) return false;
  if (shown === undefined) return true;
  if (shown.length * places.length > mostComparisons) return undefined;
  const isShown = ({ from, startLine, endLine }: ExactPlan["places"][number]): boolean => {
    // The lines that a read showed are numbered in its own text.
    const further = back.changes
      .filter((change) => change.from < from)
      .reduce((sum, change) => sum + linesIn(change.insert) - linesIn(text.slice(change.from, change.to)), 0);
    return shown.some((lines) => lines.startLine <= startLine + further && endLine + further <= lines.endLine);
  };
  const count = places.filter(isShown).length;
  return count === places.length ? true : count === 0 ? false : undefined;
}

const linesIn = (text: string): number => text.split("\n").length - 1;
