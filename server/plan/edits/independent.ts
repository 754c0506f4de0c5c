/** Plans, in one pass over the text, edits that can't affect each other, with the same result as `planSequential`. */
import type { Sought } from "../../match/place.js";
import { asFound, endsLine } from "../../match/reshape.js";
import { MultiSearch } from "../../match/search/multiSearch.js";
import { unitsPerStep } from "../../text/lines.js";
import type { Draft, Span } from "../draft.js";
import type { BatchOptions, EditOperation } from "../operation.js";
import { planOriginal } from "./original.js";
import { type Drafted, refusal } from "./sequential.js";

/**
 * Plans all edits of a file against the text before the batch. Returns `undefined` unless this is certain to give the
 * same result as planning them in sequence. That is the case if each old text has exactly one place before the batch
 * and, whichever of the other edits are applied first, still has that place and no other.
 */
export function* planIndependent(
  start: Draft,
  edits: readonly EditOperation[],
  options: BatchOptions,
): Generator<void, Drafted | undefined> {
  const { index } = start;
  // New lines adopt a nearby line ending, which another edit may change. U+FEFF is a BOM only at the start of the text.
  const special = index.text.includes("\r") ? /[\r\n\uFEFF]/ : /[\r\uFEFF]/;
  const isPlain = ({ oldText, newText, replaceAll }: EditOperation): boolean =>
    !replaceAll &&
    MultiSearch.hasKey(oldText) &&
    // A lone surrogate is no longer found once another edit puts its counterpart next to it.
    oldText.isWellFormed() &&
    !special.test(oldText) &&
    !special.test(newText);
  // Refused edits change nothing.
  const accepted = edits.filter((edit) => refusal(start, edit, options) === undefined);
  if ((index !== start.base && !start.created) || !accepted.every(isPlain)) return undefined;
  yield* index.expecting(edits.map(({ oldText }) => oldText));
  const placed: PlacedEdit[] = [];
  for (const { oldText, newText } of accepted) {
    const [from, another] = index.starts("nothing", oldText, 2);
    if (from === undefined || another !== undefined) return undefined;
    const place = { from, to: from + oldText.length };
    const written = asFound(index, { oldText, newText }, place)?.newText ?? newText;
    placed.push({ oldText, newText: written, ...place, losesEnd: endsLine(oldText) && !endsLine(newText) });
    yield;
  }
  placed.sort((a, b) => a.from - b.from);
  // If no places overlap, no edit changes another edit's place.
  if (placed.some(({ from }, i) => i > 0 && from < placed[i - 1]!.to)) return undefined;
  // The edits next to such an old text decide whether it still starts a line and joins the next one, and so whether it
  // keeps its line ending.
  const touches = ({ from, to }: PlacedEdit, i: number): boolean =>
    placed[i - 1]?.to === from || placed[i + 1]?.from === to;
  if (placed.some((edit, i) => edit.losesEnd && touches(edit, i))) return undefined;
  return (yield* mayDepend(index.text, placed)) ? undefined : yield* planOriginal(start, edits, options);
}

/** An edit's old and new text, and its only place, as offsets in the text before the batch. */
interface PlacedEdit extends Sought, Span {
  /** `true` if only the old text ends with a line ending. */
  readonly losesEnd: boolean;
}

/** Limits on `mayDepend`: its cost, in passes over the text, and the number of suffixes that it keeps (about 10 MB). */
const [mostPasses, mostEnds] = [4, 262_144];

/**
 * Returns `true` if an old text could occur anywhere but at its own place once any of the other edits have been
 * applied, in any order. Such an occurrence contains units of new texts, or the units on both sides of an empty new
 * text. Consider the leftmost of these new texts. To the left of it, the occurrence contains only text from before the
 * batch, so the occurrence begins in `around`. If the next place is farther away than an old text can reach, the
 * occurrence also ends in `around`. Otherwise, it may continue past the start of the next place. The old text then
 * begins with a suffix of `around` that includes a unit of the new text or, if that is empty, the unit before it. The
 * rest of the old text is not compared. Also returns `true` if the comparison would exceed its limits.
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
    if (around.length > unitsPerStep) return true;
    // The edit's own old text is ignored: by then, the edit has already been applied.
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

/** The multipliers of two 32-bit hashes, which `hashOf` combines into one 53-bit hash. */
const [factorA, factorB] = [0x01000193, 0x2c1b3c6d];
const hashOf = (a: number, b: number): number => (a >>> 0) * 0x200000 + (b >>> 11);

/** Adds the hashes of a text's suffixes that are `least` to `most` units long. */
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

/** Reports whether a suffix hashed in `ends` is a proper prefix of the text. A hash collision would only cost time. */
function startsWithAny(text: string, ends: ReadonlySet<number>): boolean {
  let [a, b] = [0, 0];
  for (let i = 0; i < text.length - 1; i++) {
    a = (Math.imul(a, factorA) + text.charCodeAt(i)) | 0;
    b = (Math.imul(b, factorB) + text.charCodeAt(i)) | 0;
    if (ends.has(hashOf(a, b))) return true;
  }
  return false;
}
