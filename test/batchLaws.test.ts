/** Laws for large batches: planning many edits together finds the same matches as planning each edit on its own. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Located, locate, withoutOverlap } from "../server/match/locate.js";
import { isStricter, type RungName } from "../server/match/rungs.js";
import { TextIndex } from "../server/match/textIndex.js";
import type { Change } from "../server/text/changeSet.js";
import { lawRuns } from "./support/extent.js";
import { documentAt, planOn, type SentEdit, textAfter } from "./support/planning.js";

/** Similar lines; most of the differences between them are ignored by some rung. */
const line = fc.constantFrom(
  "const value = compute(one, two);",
  "    const value = compute(one, three);  ",
  "\treturn value;",
  "  if (value) { return other; }",
  "say(“hello” – there)",
  "x",
  "",
  "}",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "wait… for it",
  "12: numbered",
);

const texts = fc
  .tuple(fc.array(fc.tuple(line, fc.nat(400)), { minLength: 120, maxLength: 220 }), fc.constantFrom("\n", "\n", "\r\n"))
  .map(([lines, end]) => lines.map(([text, n]) => (n < 300 ? `${text}${n}` : text)).join(end) + end);

/**
 * Ways that a model may reproduce text that it has seen: verbatim, with a difference that some rung ignores, or with a
 * wrong letter.
 */
const disturbances: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text,
  (text) => text,
  (text) => text.replaceAll("\r\n", "\n"),
  (text) => text.replace(/[ \t]+$/gm, ""),
  (text) => text.replace(/$/gm, "  "),
  (text) => text.replaceAll("“", '"').replaceAll("”", '"').replaceAll("–", "-").replaceAll("…", "..."),
  (text) => text.replace(/^[ \t]+/gm, ""),
  (text) => text.replace(/^(?=.)/gm, "    "),
  (text) => text.replace("value", "valve"),
];

interface Drawn {
  readonly at: number;
  readonly length: number;
  readonly how: number;
  readonly newText: string;
  readonly isOwn: boolean;
  readonly choice: "none" | "all" | "first" | "second" | "two";
  /**
   * The replacement for the drawn edit, if any: the inverse of the last applied edit, or a repeat of an earlier pair.
   */
  readonly instead: "nothing" | "undo" | "repeat";
  /** The position of the old text within the new text; `nothing` if the new text does not contain it. */
  readonly keeps: "nothing" | "start" | "end" | "middle";
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  at: fc.nat(),
  length: fc.integer({ min: 1, max: 120 }),
  how: fc.nat(disturbances.length - 1),
  newText: fc
    .array(fc.constantFrom("new", "value", "\n", "}", "“q”", " ", "x1", "aaaaaaaaaaaa"), { maxLength: 5 })
    .map((parts) => parts.join("")),
  isOwn: fc.boolean(),
  choice: fc.constantFrom("none", "none", "none", "none", "none", "all", "first", "second", "two"),
  instead: fc
    .integer({ min: 0, max: 9 })
    .map((n) => (["undo", "repeat", "repeat"] as const)[n] ?? ("nothing" as const)),
  keeps: fc.constantFrom("nothing", "nothing", "nothing", "start", "end", "middle"),
});

const keepings: Readonly<Record<Drawn["keeps"], (oldText: string, parts: string) => string>> = {
  nothing: (_, parts) => parts,
  start: (oldText, parts) => oldText + parts,
  end: (oldText, parts) => parts + oldText,
  middle: (oldText, parts) => parts + oldText + parts,
};

const choices: Readonly<Record<Drawn["choice"], Partial<SentEdit>>> = {
  none: {},
  all: { replaceAll: true },
  first: { occurrence: 1 },
  second: { occurrence: 2 },
  two: { replaceAll: true, expectedCount: 2 },
};

const locateIn = (text: string, oldText: string): Located =>
  locate(new TextIndex(text, { loneCrEndsLine: true }), oldText, { lenient: true });

interface Span {
  readonly from: number;
  readonly to: number;
}

/** A match that a pair's edit has replaced, tracked through later edits. */
interface Written {
  /** Ids of the units at the match and of the units that the edit inserted there. */
  readonly place: readonly number[];
  readonly inserted: readonly number[];
  /** The range of the remaining units; `undefined` if no inserted unit remains. */
  now: Span | undefined;
}

/**
 * The text that each pair has written so far, as the protocol page defines it. Every unit of the text keeps the same id
 * for life, so later edits never require offsets to be adjusted.
 */
class PairModel {
  private units: number[];
  private made: number;
  private readonly pairs = new Map<string, { readonly rung: RungName; readonly written: Written[] }>();

  constructor(text: string) {
    this.units = Array.from({ length: text.length }, (_, i) => i);
    this.made = text.length;
  }

  /** Reports whether a pair was applied earlier and has nothing left to do at any of the matches. */
  isDone(pair: string, located: Located): boolean {
    const before = this.pairs.get(pair);
    if (before === undefined) return false;
    if (!("places" in located)) return located.kind === "none";
    return located.places.every((place) => this.isOwn(pair, place)) || isStricter(before.rung, located.rung);
  }

  /** Reports whether a match is inside what remains of the text that the pair wrote. */
  isOwn(pair: string, { from, to }: Span): boolean {
    const written = this.pairs.get(pair)?.written ?? [];
    return written.some(({ now }) => now !== undefined && now.from <= from && to <= now.to);
  }

  /** `places` and `changes` refer to the text before the edit. */
  apply(pair: string, rung: RungName, places: readonly Span[], changes: readonly Change[]): void {
    const fresh = changes.map(({ insert }) => Array.from(insert.split(""), () => this.made++));
    const after: number[] = [];
    let at = 0;
    for (const [i, { from, to }] of changes.entries()) {
      after.push(...this.units.slice(at, from), ...(fresh[i] ?? []));
      at = to;
    }
    after.push(...this.units.slice(at));
    const own = places.map(({ from, to }): Written => {
      const inserted = changes.flatMap((change, i) => (from <= change.from && change.to <= to ? (fresh[i] ?? []) : []));
      return { place: [...this.units.slice(from, to), ...inserted], inserted, now: undefined };
    });
    this.units = after;
    const before = this.pairs.get(pair);
    this.pairs.set(pair, { rung: before?.rung ?? rung, written: [...(before?.written ?? []), ...own] });
    const offsets = new Int32Array(this.made).fill(-1);
    for (const [offset, unit] of after.entries()) offsets[unit] = offset;
    const isLeft = (unit: number): boolean => offsets[unit] !== -1;
    for (const one of [...this.pairs.values()].flatMap(({ written }) => written)) {
      const left = one.inserted.some(isLeft) ? one.place.filter(isLeft).map((unit) => offsets[unit]!) : [];
      one.now = left.length === 0 ? undefined : { from: least(left), to: -least(left.map((offset) => -offset)) + 1 };
    }
  }
}

const least = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.min(a, b));

/**
 * Reports whether an old text needs a looser rung now than in the base text. A batch refuses such an edit, although a
 * single call would apply it.
 */
function isConsumed(base: string, now: string, oldText: string): boolean {
  const [before, after] = [base, now].map((text) => {
    const located = locateIn(text, oldText);
    return "rung" in located ? located.rung : undefined;
  });
  return before !== undefined && after !== undefined && isStricter(before, after);
}

/** The matches that an edit with this choice replaces, unless planning refuses the choice. */
function chosen(located: Hits, choice: Drawn["choice"]): readonly Span[] {
  if (choice === "all" || choice === "two") return withoutOverlap(located.places);
  const place = located.places[choice === "second" ? 1 : 0];
  return place === undefined ? [] : [place];
}

type Hits = Extract<Located, { kind: "one" | "many" }>;

/**
 * Applies edits one call at a time, each drawn from the current text or from the text as it was before the batch. A
 * batch differs from this only in how it treats repeated pairs, which `PairModel` models.
 */
function oneByOne(text: string, drawings: readonly Drawn[]): { edits: SentEdit[]; after: string; seen: unknown[] } {
  let now = text;
  const edits: SentEdit[] = [];
  const seen: unknown[] = [];
  const model = new PairModel(text);
  let last: { oldText: string; newText: string } | undefined;
  for (const { at, length, how, newText: parts, isOwn, choice, instead, keeps } of drawings) {
    const source = isOwn ? now : text;
    const from = at % Math.max(1, source.length);
    const undone = instead === "undo" ? last : undefined;
    const again = instead === "repeat" ? edits[at % Math.max(1, edits.length)] : undefined;
    const oldText = again?.oldText ?? undone?.newText ?? disturbances[how]!(source.slice(from, from + length));
    const newText = again?.newText ?? undone?.oldText ?? keepings[keeps](oldText, parts);
    if (now.length > 40_000 || oldText === "" || oldText === newText || !oldText.isWellFormed()) continue;
    const pair = JSON.stringify([oldText, newText].map((each) => each.replace(/\r\n?/g, "\n")));
    const edit = { oldText, newText, ...choices[choice] };
    const located = locateIn(now, oldText);
    if (model.isDone(pair, located)) {
      edits.push(edit);
      seen.push(["skipped", undefined, undefined]);
      continue;
    }
    if (isConsumed(text, now, oldText)) continue;
    const places = "places" in located ? chosen(located, choice) : [];
    const own = places.filter((place) => model.isOwn(pair, place));
    // Unlike a single call, a batch edits only the matches outside the pair's own text; a page of cases covers that.
    if (own.length > 0 && (choice === "all" || choice === "two")) continue;
    if (own.length > 0 && choice !== "none") {
      edits.push(edit);
      seen.push(["skipped", undefined, undefined]);
      continue;
    }
    edits.push(edit);
    const alone = planOn([documentAt("a", now)], [edit]);
    const [outcome] = alone.outcomes;
    seen.push([outcome?.status, outcome?.rung, outcome?.failure?.code]);
    if (outcome?.rung !== undefined && outcome.failure === undefined && "places" in located) {
      const [file] = alone.ok ? alone.files : [];
      model.apply(pair, outcome.rung, places, file?.change.changes ?? []);
    }
    now = textAfter(alone, documentAt("a", now));
    if (outcome?.status === "applied" && outcome.rung === "exact") last = { oldText, newText };
  }
  return { edits, after: now, seen };
}

describe("many edits to one text", () => {
  test("are found where each one alone is found in the text that the edits before it leave", () => {
    fc.assert(
      fc.property(texts, fc.array(drawn, { minLength: 30, maxLength: 60 }), (text, drawings) => {
        const { edits, after, seen } = oneByOne(text, drawings);
        const planned = planOn([documentAt("a", text)], edits, { atomic: "none" });
        // A batch inserts the same lines at the same point only once; a page of cases covers that.
        const isRepeated = planned.outcomes.some(
          ({ status, rung }, i) => status === "skipped" && rung !== undefined && (seen[i] as string[])[0] === "applied",
        );
        fc.pre(!isRepeated);
        const codes = ["noMatch", "alreadyApplied", "consumed", "unneeded"];
        const plain = (code: string | undefined): string | undefined => (codes.includes(code ?? "") ? "absent" : code);
        expect(planned.outcomes.map(({ status, rung, failure }) => [status, rung, plain(failure?.code)])).toEqual(
          seen.map((one) => {
            const [status, rung, code] = one as [string, string | undefined, string | undefined];
            // Beside other edits, one that asks for nothing is skipped.
            return code === "noChange" ? ["skipped", undefined, undefined] : [status, rung, plain(code)];
          }),
        );
        expect(textAfter(planned, documentAt("a", text))).toBe(after);
      }),
      // Shrinking would take longer than reading the edits.
      { numRuns: lawRuns(60), endOnFailure: true },
    );
  });
});
