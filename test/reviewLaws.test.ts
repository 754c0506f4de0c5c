/** The laws of the review: what undoing and keeping hunks makes of a text, whatever was typed elsewhere. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addHunks, type FollowedHunk, followHunks, keepHunks, ownParts, stateOf } from "../server/lsp/review/hunk.js";
import { type Change, ChangeSet } from "../server/text/changeSet.js";
import { lawRuns } from "./support/extent.js";

/** A text with its hunks. */
interface Held {
  readonly text: string;
  readonly hunks: readonly FollowedHunk[];
}

const line = fc.constantFrom("a", "b", "c", "aa", "", "x y", "é", "🙂");
const ends = fc.constantFrom("\n", "\n", "\n", "\r\n");

/** Texts of a few lines that are often alike; the last one may lack its end. */
const texts = fc
  .tuple(fc.array(fc.tuple(line, ends), { maxLength: 14 }), fc.constantFrom("", "", "end"))
  .map(([lines, last]) => lines.flat().join("") + last);

/** A change of a text, at places given as fractions; no character and no line end is split. */
const changes = fc.array(
  fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3), fc.array(line, { maxLength: 3 })),
  {
    minLength: 1,
    maxLength: 4,
  },
);

function changeOf(text: string, places: readonly (readonly [number, number, readonly string[]])[]): ChangeSet {
  const isSplit = (at: number): boolean =>
    (text[at - 1] === "\r" && text[at] === "\n") || /[\ud800-\udbff]/.test(text[at - 1] ?? "");
  const found: Change[] = [];
  for (const [place, length, lines] of [...places].sort(([a], [b]) => a - b)) {
    let from = Math.round(place * text.length);
    while (isSplit(from)) from--;
    let to = Math.min(text.length, from + length);
    while (isSplit(to)) to++;
    if (from <= (found.at(-1)?.to ?? -1)) continue;
    found.push({ from, to, insert: lines.join("\n") });
  }
  return ChangeSet.of(text.length, found);
}

/** Applies a call. */
function called({ text, hunks }: Held, call: string, change: ChangeSet): Held & { readonly lost: readonly string[] } {
  const lost: string[] = [];
  const textB = change.apply(text);
  let made = 0;
  const order = new Map([...new Set([...hunks.flatMap(({ calls }) => calls), call])].sort().map((one, i) => [one, i]));
  const newId = (): string => `${call}.${++made}`;
  const next = addHunks(hunks, { call, textA: text, textB, change, order, newId }, (one) => lost.push(one));
  return { text: textB, hunks: next, lost };
}

/** Changes the text as a person does. */
function typed({ text, hunks }: Held, change: ChangeSet): Held {
  const next = change.apply(text);
  return { text: next, hunks: followHunks(hunks, change, next) };
}

/** Gives a hunk another of its texts, as an undo does. */
function reversed(held: Held, id: string, levelOf: (hunk: FollowedHunk) => number): Held {
  const { from, to, texts, ...hunk } = held.hunks.find((one) => one.id === id)!;
  const insert = texts[levelOf({ from, to, texts, ...hunk })]!;
  return typed(held, ChangeSet.of(held.text.length, [{ from, to, insert }]));
}

/** Returns the changes that undo all hunks at once. */
const backOf = ({ text, hunks }: Held): ChangeSet =>
  ChangeSet.of(
    text.length,
    hunks.map(({ from, to, texts: [insert = ""] }) => ({ from, to, insert })),
  );

const undone = (held: Held, id: string): Held => reversed(held, id, ({ kept }) => kept);
const redone = (held: Held, id: string): Held => reversed(held, id, ({ texts }) => texts.length - 1);

/** The numbers of the lines that a hunk has, with the one above and the one below. */
function around(text: string, { from, to }: FollowedHunk): { readonly first: number; readonly last: number } {
  return {
    first: from < 2 ? -1 : text.lastIndexOf("\n", from - 2),
    last: Math.max(to, text.indexOf("\n", to) + 1 || text.length),
  };
}

const check = (law: fc.IProperty<never> | fc.IProperty<unknown>, runs = 4000): void =>
  fc.assert(law as fc.IProperty<unknown>, { numRuns: lawRuns(runs) });

describe("hunks of a call", () => {
  it("cover what it has changed, in whole lines that do not touch", () => {
    check(
      fc.property(texts, changes, (text, places) => {
        const change = changeOf(text, places);
        const { text: after, hunks } = called({ text, hunks: [] }, "1", change);
        expect(backOf({ text: after, hunks }).apply(after)).toBe(text);
        for (const { from, to, texts: own } of hunks) {
          expect(after.slice(from, to)).toBe(own[1]);
          expect(from === 0 || after[from - 1] === "\n").toBe(true);
          expect(to === after.length || from === to || after[to - 1] === "\n").toBe(true);
        }
        for (const [i, hunk] of hunks.entries()) if (i > 0) expect(hunk.from).toBeGreaterThan(hunks[i - 1]!.to);
      }),
    );
  });

  it("undone one by one, in any order, are the call undone; and then redone, the call", () => {
    check(
      fc.property(texts, changes, fc.infiniteStream(fc.nat()), (text, places, order) => {
        const start = called({ text, hunks: [] }, "1", changeOf(text, places));
        const ids = start.hunks.map(({ id }) => id).sort(() => (order.next().value % 2 === 0 ? 1 : -1));
        const back = ids.reduce<Held>(undone, start);
        expect(back.text).toBe(text);
        expect(back.hunks.map(stateOf)).toEqual(ids.map(() => "undone"));
        const again = ids.toReversed().reduce<Held>(redone, back);
        expect(again.text).toBe(start.text);
        expect(again.hunks.map(stateOf)).toEqual(ids.map(() => "pending"));
      }),
    );
  });

  it("undone after typing elsewhere leave the text without them, and what was typed", () => {
    check(
      fc.property(texts, changes, changes, (text, places, typing) => {
        const start = called({ text, hunks: [] }, "1", changeOf(text, places));
        const near = start.hunks.map((hunk) => around(start.text, hunk));
        const all = changeOf(start.text, typing);
        const elsewhere = all.changes.filter(({ from, to }) =>
          near.every(({ first, last }) => to <= first || from > last),
        );
        const typedElsewhere = ChangeSet.of(all.length, elsewhere);
        const after = typed(start, typedElsewhere);
        expect(after.hunks.map(stateOf)).toEqual(start.hunks.map(() => "pending"));
        const back = start.hunks.map(({ id }) => id).reduce<Held>(undone, after);
        expect(back.text).toBe(typedElsewhere.map(backOf(start), "before").apply(text));
      }),
    );
  });

  it("that are kept change no text, and the others are undone around them", () => {
    check(
      fc.property(texts, changes, fc.infiniteStream(fc.boolean()), (text, places, choice) => {
        const start = called({ text, hunks: [] }, "1", changeOf(text, places));
        const kept = new Set(start.hunks.filter(() => choice.next().value).map(({ id }) => id));
        const held: Held = { text: start.text, hunks: keepHunks(start.hunks, kept) };
        expect(held.hunks.map(stateOf)).toEqual(held.hunks.map(({ id }) => (kept.has(id) ? "kept" : "pending")));
        const left = start.hunks.filter(({ id }) => !kept.has(id));
        // An undo gives each hunk the text that the user has agreed to last.
        const back = held.hunks.map(({ id }) => id).reduce<Held>(undone, held);
        expect(back.text).toBe(backOf({ text: start.text, hunks: left }).apply(start.text));
        expect(back.hunks.map(stateOf)).toEqual(held.hunks.map(({ id }) => (kept.has(id) ? "kept" : "undone")));
      }),
    );
  });

  it("never cover what a person has typed", () => {
    check(
      fc.property(texts, changes, fc.array(changes, { maxLength: 3 }), (text, places, typings) => {
        let held: Held = called({ text, hunks: [] }, "1", changeOf(text, places));
        // Typed characters are upper case; no call writes any.
        for (const typing of typings) {
          const { length, changes: made } = changeOf(held.text, typing);
          const upper = made.map((one) => ({ ...one, insert: `${one.insert.replace(/\S/gu, "T")}T` }));
          held = typed(held, ChangeSet.of(length, upper));
        }
        for (const hunk of held.hunks) {
          const parts = stateOf(hunk) === "changed" ? ownParts(hunk, held.text) : [hunk];
          for (const { from, to } of parts) expect(held.text.slice(from, to)).not.toContain("T");
        }
      }),
    );
  });
});

describe("hunks of several calls", () => {
  it("keep the text before the first one, and have the text after each", () => {
    check(
      fc.property(texts, fc.array(changes, { minLength: 2, maxLength: 4 }), (text, calls) => {
        let held: Held = { text, hunks: [] };
        for (const [i, places] of calls.entries()) held = called(held, String(i), changeOf(held.text, places));
        expect(held.hunks.map(stateOf)).toEqual(held.hunks.map(() => "pending"));
        const back = held.hunks.map(({ id }) => id).reduce<Held>(undone, held);
        expect(back.text).toBe(text);
        for (const { calls: own, texts: all } of held.hunks) expect(all.length).toBe(own.length + 1);
      }),
    );
  });

  it("are undone call by call, the latest first, unless what was lost is known to be lost", () => {
    check(
      fc.property(texts, fc.array(changes, { minLength: 2, maxLength: 4 }), (text, calls) => {
        let held: Held = { text, hunks: [] };
        const before: string[] = [];
        const lost = new Set<string>();
        for (const [i, places] of calls.entries()) {
          before.push(held.text);
          const next = called(held, String(i), changeOf(held.text, places));
          for (const one of next.lost) lost.add(one);
          held = next;
        }
        for (const i of [...calls.keys()].reverse()) {
          if (lost.has(String(i))) return;
          for (const { id, calls: own, level } of held.hunks) {
            const at = own.indexOf(String(i));
            if (at >= 0 && level !== undefined && level > at) held = reversed(held, id, () => at);
          }
          expect(held.text).toBe(before[i]);
        }
      }),
    );
  });
});
