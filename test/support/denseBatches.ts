/**
 * Batches for the law of independent edits: few distinct units and adjacent edits, so that edits create new occurrences
 * of old texts.
 */
import { type Draft, draftOf, edited } from "../../server/plan/draft.js";
import type { Document } from "../../server/plan/snapshot.js";
import { type Chance, chanceOf } from "../codex/random.js";
import { documentAt, type SentEdit } from "./planning.js";
import type { RegionBatch } from "./regionBatches.js";

/** Units from which texts are built, one list per batch; the shorter the list, the more often a text recurs. */
const alphabets: readonly (readonly string[])[] = [
  ["a", "b"],
  ["a", "b", "c"],
  ["a", "b", "c", " ", ";"],
  ["a", "b", "c", "\n"],
  ["a", "b", "c", "d", "e", "f", "g", "h", "\n", " "],
  [..."abcdefghijklmnopqrstuvwxyz"],
  ["a", "b", "c", "d", "e", "f", "g", "h", "\n", "\n", "\r\n"],
  ["a", "b", "c", "d", "e", "\n", "\r\n", "\r"],
  ["a", "b", "c", "😀", "\ud83d", "\ude00"],
];

/** The batch for a 32-bit seed; the same seed always gives the same batch. */
export function denseBatch(seed: number): RegionBatch {
  const chance = chanceOf(seed);
  const alphabet = chance.pick(alphabets);
  const kind = chance.weighted({ numbered: 7, meeting: 3, random: 10 });
  const { text, oldTexts, newTexts } = { numbered, meeting, random }[kind](chance, alphabet);
  const isTame = chance.percent(75);
  const bom = chance.percent(15);
  const sent = shuffled(chance, oldTexts).map((oldText): SentEdit => {
    const newText =
      newTexts?.get(oldText) ?? newTextOf(chance, { oldText, another: chance.pick(oldTexts), alphabet, isTame });
    const mark = bom && chance.percent(25) ? "\uFEFF" : "";
    return {
      oldText,
      newText: mark + newText,
      ...(chance.percent(2) ? { replaceAll: true, expectedCount: chance.between(1, 2) } : {}),
      ...(chance.percent(2) ? { occurrence: chance.between(1, 2) } : {}),
      ...(chance.percent(2) ? { line: chance.between(1, 3) } : {}),
    };
  });
  return {
    start: startOf(chance, text, { bom, loneCrEndsLine: chance.percent(70) }),
    edits: sent.map((edit, index) => ({ kind: "edit", path: "a", replaceAll: false, ...edit, index })),
    lenient: !chance.percent(20),
  };
}

/** The draft of an open document, of a document that the batch creates, or of one that has been edited already. */
function startOf(chance: Chance, text: string, more: Partial<Document>): Draft {
  const [from, to] = [chance.below(text.length), text.length - chance.below(2)];
  const insert = text.slice(from, to);
  switch (chance.weighted({ untouched: 18, created: 1, edited: 1 })) {
    case "created": {
      const none = draftOf(documentAt("a", "", { ...more, exists: false }));
      return { ...edited(none, [{ from: 0, to: 0, insert: text }]).draft, created: true };
    }
    case "edited": {
      const before = draftOf(documentAt("a", `${text.slice(0, from)}first\nsecond\n${text.slice(to)}`, more));
      return edited(before, [{ from, to: from + 13, insert }]).draft;
    }
    default:
      return draftOf(documentAt("a", text, more));
  }
}

interface Sought {
  readonly text: string;
  readonly oldTexts: readonly string[];
  /** The new text for each old text; `undefined` for random new texts. */
  readonly newTexts?: ReadonlyMap<string, string>;
}

/** New texts that form another old text when they are adjacent, but not when a unit separates them. */
function meeting(chance: Chance): Sought {
  const gap = chance.pick(["", "", "-", "--"]);
  const [head, tail] = [unitsOf(chance, ["a", "b"], chance.below(3)), unitsOf(chance, ["a", "b"], chance.below(3))];
  const [left, right] = [chance.pick(["kl", "k", "klm"]), chance.pick(["pq", "p", "pqr"])];
  const made = `${head}${gap}${chance.pick([tail, right.slice(0, 1), `${tail}pq`])}`;
  const third = chance.percent(50) ? made : `${made.slice(0, -1)}${chance.pick(["a", "b", ""])}`;
  const newTexts = new Map([
    [`${left}l`, chance.pick(["", "X"]) + head],
    [`${right}r`, tail + chance.pick(["", "X"])],
    [third, chance.pick(["word", "X", ""])],
  ]);
  const pieces = [third, `${left}l${gap}${right}r`];
  const text = chance.percent(50) ? pieces.join("_") : pieces.reverse().join("_");
  return { text, oldTexts: [...newTexts.keys()], newTexts };
}

/**
 * Words with unique numbers and the same separator after each; most of the words are old texts, some together with the
 * next word.
 */
function numbered(chance: Chance): Sought {
  const gap = chance.pick(["", " ", ";", "; ", "\n", ", ", "\n\n"]);
  const prefixes = chance.pick([["w"], ["w", "ab"], ["word"], ["w", "a", ""]]);
  const words = Array.from({ length: chance.between(2, 9) }, (_, i) => chance.pick(prefixes) + i);
  const oldTexts = words.flatMap((word, i) => {
    if (chance.percent(20)) return [];
    const whole = word + chance.pick(["", gap, gap]);
    return chance.percent(5) ? [whole + (words[i + 1] ?? "")] : [whole];
  });
  return { text: words.map((word) => word + gap).join(""), oldTexts: oldTexts.length === 0 ? words : oldTexts };
}

/**
 * A text of random units; the old texts are arbitrary ranges of it, some of which overlap and few of which occur twice.
 */
function random(chance: Chance, alphabet: readonly string[]): Sought {
  const text = unitsOf(chance, alphabet, chance.between(4, 30)) || "aa";
  const count = chance.between(2, 6);
  const oldTexts: string[] = [];
  let from = 0;
  for (let tries = 0; oldTexts.length < count && tries < 40; tries++) {
    from = chance.percent(90) ? from + chance.pick([0, 0, 0, 1, 1, 2]) : 0;
    if (from >= text.length) from = chance.below(text.length);
    const oldText = text.slice(from, from + chance.between(chance.percent(5) ? 1 : 2, 6));
    if (oldText === "" || (text.indexOf(oldText) !== text.lastIndexOf(oldText) && chance.percent(97))) continue;
    oldTexts.push(oldText);
    from += oldText.length;
  }
  return { text, oldTexts: oldTexts.length === 0 ? [text] : oldTexts };
}

interface Pair {
  readonly oldText: string;
  /** The old text of a randomly chosen edit, possibly of this same edit. */
  readonly another: string;
  readonly alphabet: readonly string[];
  readonly isTame: boolean;
}

/** The weights of the kinds of new texts; if all edits were wild, few batches would be independent. */
const tame = { other: 8, changed: 4, none: 1, fresh: 0, behind: 1, before: 1, start: 0, end: 0, whole: 0 };
const wild = { other: 3, changed: 3, none: 3, fresh: 3, behind: 2, before: 2, start: 1, end: 1, whole: 1 };

function newTextOf(chance: Chance, { oldText, another, alphabet, isTame }: Pair): string {
  const fresh = unitsOf(chance, alphabet, chance.between(1, 5));
  const cut = chance.below(another.length + 1);
  switch (chance.weighted(isTame ? tame : wild)) {
    case "other":
      return chance.pick(["X", "XY", "xyz", "word", "X\nY", "X\nY"]);
    case "changed":
      return oldText.replace(/[a-z]/, () => chance.pick(["word", "X", "b"]));
    case "behind":
      return oldText + fresh;
    case "before":
      return fresh + oldText;
    case "none":
      return "";
    case "start":
      return fresh + another.slice(0, cut);
    case "end":
      return another.slice(cut) + fresh;
    case "whole":
      return another;
    default:
      return fresh;
  }
}

function unitsOf(chance: Chance, alphabet: readonly string[], count: number): string {
  return Array.from({ length: count }, () => chance.pick(alphabet)).join("");
}

function shuffled<T>(chance: Chance, items: readonly T[]): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(chance.below(left.length), 1));
}
