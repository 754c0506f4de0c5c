/** Plans edits that can't get into each other's way all at once: what `planSequential` gives, for one pass over the text. */
import { MultiSearch } from "../../match/search/multiSearch.js";
import { unitsPerStep } from "../../text/lines.js";
import type { Draft, Span } from "../draft.js";
import type { BatchOptions, EditOperation } from "../operation.js";
import { planOriginal } from "./original.js";
import type { Drafted } from "./sequential.js";

/**
 * Finds all edits of a file in the text before the batch. That is enough if each has one place there, and if at its turn its old
 * text is exactly there and nowhere else, whichever of the other edits are done by then. `undefined`: that is not certain.
 */
export function* planIndependent(
  start: Draft,
  edits: readonly EditOperation[],
  options: BatchOptions,
): Generator<void, Drafted | undefined> {
  const { index } = start;
  // New lines take over the line ends that are near them, which other edits may change.
  const special = index.text.includes("\r") ? /[\r\n\uFEFF]/ : /[\r\uFEFF]/;
  const isPlain = ({ oldText, newText, replaceAll }: EditOperation): boolean =>
    !replaceAll &&
    MultiSearch.hasKey(oldText) &&
    // Half a character is not found beside its other half.
    oldText.isWellFormed() &&
    !special.test(oldText) &&
    !special.test(newText);
  if (index !== start.base || !edits.every(isPlain)) return undefined;
  yield* index.expecting(edits.map(({ oldText }) => oldText));
  const placed: PlacedEdit[] = [];
  for (const { oldText, newText } of edits) {
    const [from, another] = index.starts("nothing", oldText, 2);
    if (from === undefined || another !== undefined) return undefined;
    placed.push({ oldText, newText, from, to: from + oldText.length });
    yield;
  }
  placed.sort((a, b) => a.from - b.from);
  return (yield* mayDepend(index.text, placed)) ? undefined : yield* planOriginal(start, edits, options);
}

/** An edit and its only place: offsets of the text before the batch. */
interface PlacedEdit extends Span {
  readonly oldText: string;
  readonly newText: string;
}

/** Passes over the text that the comparison may cost. */
const mostPasses = 4;

/** Ends of texts that are remembered; some ten megabytes. */
const mostEnds = 262_144;

/**
 * Whether places overlap, or one edit could find its old text elsewhere than at its place when some of the others are done.
 *
 * Such text has units of a new text, or has them on both sides of an empty one. Take the first new text of which that holds.
 * What is found begins in it, or in the text before it, which is that before the batch: else another new text were the first.
 * So it begins in `around`. It is all in there, or goes on where the next place starts; then `around` ends as it begins.
 */
function* mayDepend(text: string, placed: readonly PlacedEdit[]): Generator<void, boolean> {
  const oldTexts = placed.map(({ oldText }) => oldText);
  const reach = oldTexts.reduce((longest, { length }) => Math.max(longest, length), 0) - 1;
  if (placed.length * reach > mostPasses * text.length) return true;
  const search = yield* MultiSearch.of(oldTexts, oldTexts.join("\n"));
  const ends = new Set<number>();
  for (const [i, { oldText, newText, from, to }] of placed.entries()) {
    const next = placed[i + 1]?.from ?? Number.POSITIVE_INFINITY;
    const before = text.slice(Math.max(0, from - reach), from);
    const after = text.slice(to, Math.min(next, to + reach));
    const around = before + newText + after;
    if (next < to || around.length > unitsPerStep) return true;
    // Once an edit is done, it is looked for no more.
    if (search.within(around, before.length).some((other) => other !== oldText)) return true;
    if (next < to + reach) addEnds(ends, around, { least: after.length + 1, most: reach });
    if (ends.size > mostEnds) return true;
    yield;
  }
  for (const oldText of oldTexts) {
    if (ends.size > 0 && startsWithAny(oldText, ends)) return true;
    yield;
  }
  return false;
}

/** Factors of two hashes, which together are one that hardly ever is the same for two texts. */
const [factorA, factorB] = [0x01000193, 0x2c1b3c6d];
const hashOf = (a: number, b: number): number => (a >>> 0) * 0x200000 + (b >>> 11);

/** Adds the hashes of a text's ends of at least and at most so many units. */
function addEnds(ends: Set<number>, text: string, { least, most }: { least: number; most: number }): void {
  let [a, b, weightA, weightB] = [0, 0, 1, 1];
  for (let length = 1; length <= Math.min(most, text.length); length++) {
    const unit = text.charCodeAt(text.length - length);
    a = (a + Math.imul(unit, weightA)) | 0;
    b = (b + Math.imul(unit, weightB)) | 0;
    if (length >= least) ends.add(hashOf(a, b));
    weightA = Math.imul(weightA, factorA);
    weightB = Math.imul(weightB, factorB);
  }
}

/** Whether a text starts with one of the ends and goes on; two equal hashes only cost time. */
function startsWithAny(text: string, ends: ReadonlySet<number>): boolean {
  let [a, b] = [0, 0];
  for (let i = 0; i < text.length - 1; i++) {
    a = (Math.imul(a, factorA) + text.charCodeAt(i)) | 0;
    b = (Math.imul(b, factorB) + text.charCodeAt(i)) | 0;
    if (ends.has(hashOf(a, b))) return true;
  }
  return false;
}
