/** The list of changes against a plain array that does the same. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChangeList } from "../server/plan/changeList.js";
import type { Change } from "../server/text/changeSet.js";

/** Lengths of gaps and of what is replaced, which make sorted, disjoint changes. */
const lengths = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { maxLength: 40 });

describe("a list of changes", () => {
  it("is what an array is into which the same is put", () => {
    const steps = fc.array(fc.tuple(fc.nat(), fc.nat(4), lengths), { maxLength: 12 });
    fc.assert(
      fc.property(steps, (taken) => {
        const list = new ChangeList();
        let model: Change[] = [];
        for (const [at, gone, added] of taken) {
          const first = at % (model.length + 1);
          const end = Math.min(model.length, first + gone);
          // Offsets matter to the two searches only, which the other law is about.
          const changes = added.map(([from, length]) => ({ from, to: from + length, insert: `${from}` }));
          list.replace(first, end, changes);
          model = [...model.slice(0, first), ...changes, ...model.slice(end)];
          expect(list.slice()).toEqual(model);
          expect(list.slice(first, end + 1)).toEqual(model.slice(first, end + 1));
          expect(list.length).toBe(model.length);
          expect([-1, 0, first, model.length].map((i) => list.at(i))).toEqual(
            [-1, 0, first, model.length].map((i) => model[i]),
          );
        }
      }),
    );
  });

  it("finds the first change that ends, or starts, at an offset or behind it", () => {
    fc.assert(
      fc.property(lengths, fc.nat(200), (sizes, offset) => {
        let done = 0;
        const changes = sizes.map(([gap, length]) => {
          const from = done + gap + 1;
          done = from + length;
          return { from, to: done, insert: "" };
        });
        const list = new ChangeList();
        list.replace(0, 0, changes);
        const indexOr = (index: number): number => (index === -1 ? changes.length : index);
        expect(list.firstEndingFrom(offset)).toBe(indexOr(changes.findIndex(({ to }) => to >= offset)));
        expect(list.firstStartingFrom(offset)).toBe(indexOr(changes.findIndex(({ from }) => from >= offset)));
      }),
    );
  });
});
