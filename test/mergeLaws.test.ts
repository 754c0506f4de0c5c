/**
 * Laws of the merge, over random texts and changes. `MERGE_LAW_RUNS` sets the number of stories for each law, and prints
 * how many of them were merged.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Change, ChangeSet } from "../server/text/changeSet.js";
import { comparedSide, editSide, mergedText, mergeSides, type Side, sideOf } from "./merging/sides.js";
import { baseOf, type Kind, played, type Story, storiesWithout } from "./merging/story.js";
import { wrongIn } from "./merging/visible.js";
import { lawRuns } from "./support/extent.js";

const chosen = process.env.MERGE_LAW_RUNS;
const options = { numRuns: Number(chosen ?? lawRuns(1_500)) };

/** Counts the stories that a law is about, so that it does not hold for want of them. */
class Count {
  #all = 0;
  #kept = 0;

  /** Counts a story; returns `isKept`. */
  of(isKept: boolean): boolean {
    this.#all++;
    if (isKept) this.#kept++;
    return isKept;
  }

  /** Checks that at least a share of the stories, from 0 to 1, were kept. */
  atLeast(share: number): void {
    if (chosen !== undefined)
      process.stdout.write(`${expect.getState().currentTestName}: ${this.#kept}/${this.#all}\n`);
    expect(this.#kept / this.#all).toBeGreaterThan(share);
  }
}

/** The sides of a story. What was typed is known exactly, or was found by comparing texts; an edit always was. */
interface Sides {
  readonly base: string;
  readonly exact: Side;
  readonly compared: Side;
  readonly edit: Side;
}

function sidesOf(story: Story, isFew = false): Sides {
  const base = baseOf(story, isFew);
  const typed = played(base, story.typed, "typed", isFew);
  const exact = sideOf(base, typed);
  const edit = editSide(base, played(base, story.edit, "edit", isFew).apply(base));
  return { base, exact, compared: comparedSide(base, exact.text), edit };
}

/** The texts of a story, to be shown if a law does not hold. */
const told = ({ base, exact, edit }: Sides): string => JSON.stringify([base, exact.text, edit.text]);

const both = ({ exact, compared }: Sides): readonly Side[] => [exact, compared];

const nothing = (base: string): Side => sideOf(base, ChangeSet.none(base.length));

/**
 * Stories in which all texts end with a line ending. Without one, the merge makes the errors that `merge.test.ts` lists at its
 * end; once it does not, all stories take part.
 */
const storiesOf = (...left: readonly Kind[]): fc.Arbitrary<Story> =>
  storiesWithout("turnLastEnd", ...left).map((story): Story => ({ ...story, hasLastEnd: true }));

/** Lines that one side has moved are hardly ever merged, and only what was typed indents the lines that the other adds. */
const plain = storiesOf("move", "indent");

describe.each([
  ["all lines are different", false],
  ["few lines are different", true],
])("in texts of which %s", (_, isFew) => {
  it("an edit of a text in which nothing was typed is the edit", () => {
    fc.assert(
      fc.property(storiesOf(), (story) => {
        const sides = sidesOf(story, isFew);
        const { base, edit } = sides;
        expect(mergedText(nothing(base), edit), told(sides)).toBe(edit.text);
      }),
      options,
    );
  });

  it("an edit that changes nothing leaves what was typed", () => {
    fc.assert(
      fc.property(storiesOf(), (story) => {
        const sides = sidesOf(story, isFew);
        for (const typed of both(sides)) expect(mergeSides(typed, nothing(sides.base))?.isEmpty).toBe(true);
      }),
      options,
    );
  });

  it("an edit that was typed already leaves nothing to do; if a line was moved, it may be refused", () => {
    fc.assert(
      fc.property(isFew ? storiesOf() : storiesOf("split"), (story) => {
        const sides = sidesOf(story, isFew);
        for (const typed of isFew ? [sides.compared] : both(sides))
          expect(mergedText(typed, editSide(sides.base, typed.text)) ?? typed.text, told(sides)).toBe(typed.text);
      }),
      options,
    );
  });

  it("the order of the sides does not matter if both orders can be merged", () => {
    const count = new Count();
    fc.assert(
      fc.property(plain, (story) => {
        const sides = sidesOf(story, isFew);
        const { base, compared, edit } = sides;
        const one = mergedText(compared, edit);
        const other = mergedText(comparedSide(base, edit.text), editSide(base, compared.text));
        if (count.of(one !== undefined && other !== undefined)) expect(other, told(sides)).toBe(one);
      }),
      options,
    );
    count.atLeast(0.5);
  });

  it("what was typed is in the merged text, each character once, and in order", () => {
    const count = new Count();
    fc.assert(
      fc.property(storiesOf(), (story) => {
        const sides = sidesOf(story, isFew);
        for (const typed of both(sides)) {
          const result = mergedText(typed, sides.edit);
          if (!count.of(result !== undefined)) continue;
          const own = (text: string): string =>
            [...text].filter((char) => /[\uac00-\ud7a3\u2500-\u25ff]/.test(char)).join("");
          expect(own(result!), told(sides)).toBe(own(typed.text));
        }
      }),
      options,
    );
    count.atLeast(0.5);
  });

  it("CRLF or LF, the lines are the same", () => {
    fc.assert(
      fc.property(storiesOf(), (story) => {
        const sides = sidesOf(story, isFew);
        const { base, exact, edit } = sides;
        const [lf, crlf] = [
          mergedText(exact, edit),
          mergedText(withCrlf(base, exact, true), withCrlf(base, edit, false)),
        ];
        // A text of one line without an ending does not say which ending it has.
        const result = exact.text.includes("\n") ? crlf : crlf && toCrlf(crlf.replaceAll("\r\n", "\n"));
        expect(result, told(sides)).toBe(lf === undefined ? lf : toCrlf(lf));
      }),
      options,
    );
  });

  it("lines further up and down do not matter", () => {
    fc.assert(
      fc.property(storiesOf(), (story) => {
        const { base, exact, edit } = sidesOf(story, isFew);
        const within = (more: string): string | undefined => {
          const framed = (text: string): string => `${more}above\n${endedLine(text)}below\n${more}`;
          const set = ChangeSet.of(base.length, [...exact.set.changes, ...endingOf(exact.text, base)]);
          const changes = set.changes.map((one) => shifted(one, framed("").indexOf("below")));
          const typed = sideOf(framed(base), ChangeSet.of(framed(base).length, changes));
          const result = mergedText(typed, editSide(framed(base), framed(edit.text)));
          return result?.slice(more.length, result.length - more.length);
        };
        expect(within("one\ntwo\n")).toBe(within(""));
      }),
      options,
    );
  });
});

describe("in texts of which no character is there twice", () => {
  it("the merged text has what both sides kept, and all that they wrote, as each side has ordered it", () => {
    const count = new Count();
    fc.assert(
      fc.property(storiesOf("move"), (story) => {
        const sides = sidesOf(withWholeEdit(story));
        for (const typed of story.typed.every(isWhole) ? both(sides) : [sides.exact]) {
          const result = mergedText(typed, sides.edit);
          if (!count.of(result !== undefined)) continue;
          expect(wrongIn({ base: sides.base, typed: typed.text, edited: sides.edit.text, result: result! })).toEqual(
            [],
          );
        }
      }),
      options,
    );
    count.atLeast(0.5);
  });

  it("merging, then undoing the edit by a merge, leaves what was typed alone", () => {
    const count = new Count();
    fc.assert(
      // A removed word leaves spaces, beside which nobody can say where it was.
      fc.property(storiesOf("move", "indent", "removeWord"), (story) => {
        const sides = sidesOf(withWholeEdit(story));
        const { base, exact, edit } = sides;
        const merged = mergedText(exact, edit);
        if (!count.of(merged !== undefined && !areBeside(exact, edit) && !hasCommon(base, exact.text, edit.text)))
          return;
        // What was typed, as changes to the edited text: of each character, it is known whether it stayed.
        const sets = (["before", "after"] as const).map((side) => exact.set.map(edit.set, side));
        const since = sets.find((set) => set.apply(edit.text) === merged);
        if (!count.of(since !== undefined)) return;
        const undone = mergedText(sideOf(edit.text, since!), editSide(edit.text, base));
        if (count.of(undone !== undefined)) expect(undone, told(sides)).toBe(exact.text);
      }),
      options,
    );
    count.atLeast(0.4);
  });

  it("exact and compared changes are merged alike, or one of the two is refused", () => {
    const count = new Count();
    fc.assert(
      fc.property(storiesOf("move", "indent", "split"), (story) => {
        const sides = sidesOf(story);
        const { exact, compared, edit } = sides;
        const [one, other] = [mergedText(exact, edit), mergedText(compared, edit)];
        if (count.of(one !== undefined && other !== undefined)) expect(other, told(sides)).toBe(one);
      }),
      options,
    );
    count.atLeast(0.5);
  });
});

const isWhole = ({ kind }: Story["edit"][number]): boolean => kind !== "split" && kind !== "join";

/** Returns a story in which the edit splits and joins no lines: if it also changes them, a comparison may not notice it. */
const withWholeEdit = (story: Story): Story => ({ ...story, edit: story.edit.filter(isWhole) });

/** Reports whether the sides have added, changed or removed lines beside each other, but for one line that both have changed. */
const areBeside = (typed: Side, edit: Side): boolean =>
  typed.lines.hunks.some((own) =>
    edit.lines.hunks.some((hunk) => own.from <= hunk.to && hunk.from <= own.to && !(own.isLine && hunk.isLine)),
  );

/** Reports whether both sides have removed the same character. */
function hasCommon(base: string, typed: string, edited: string): boolean {
  const isGone = (char: string): boolean => char.trim() !== "" && !typed.includes(char) && !edited.includes(char);
  return [...base].some(isGone);
}

const shifted = ({ from, to, insert }: Change, by: number): Change => ({ from: from + by, to: to + by, insert });

const endedLine = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);

/** Returns the change that gives a text a final line ending, as a change to the text before it. */
function endingOf(text: string, base: string): readonly Change[] {
  return endedLine(text) === text ? [] : [{ from: base.length, to: base.length, insert: "\n" }];
}

const toCrlf = (text: string): string => text.replaceAll("\n", "\r\n");

/** Returns a side with CRLF for LF. */
function withCrlf(base: string, { set, text }: Side, isExact: boolean): Side {
  if (!isExact) return editSide(toCrlf(base), toCrlf(text));
  const at = (offset: number): number => toCrlf(base.slice(0, offset)).length;
  const changes = set.changes.map(({ from, to, insert }) => ({ from: at(from), to: at(to), insert: toCrlf(insert) }));
  return sideOf(toCrlf(base), ChangeSet.of(toCrlf(base).length, changes));
}
