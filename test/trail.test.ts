/** The earlier texts that a caller can have seen, after its own batches. */
import { expect, it } from "vitest";
import { ChangeSet } from "../server/text/changeSet.js";
import { Trail } from "../server/workspace/trail.js";

/** A document of which the caller `ann` has read all lines. */
function documentOf(opening: string) {
  let text = opening;
  const trail = new Trail(text);
  const change = (from: string, to: string): { before: string; set: ChangeSet } => {
    const [before, at] = [text, text.indexOf(from)];
    const set = ChangeSet.of(before.length, [{ from: at, to: at + from.length, insert: to }]);
    text = set.apply(before);
    trail.changed(text, set);
    return { before, set };
  };
  return {
    trail,
    type: (from: string, to: string) => void change(from, to),
    batch: (from: string, to: string) => {
      const { before, set } = change(from, to);
      trail.applied("ann", before, { change: set, operations: [], edits: 1 });
    },
    onDisk: (file: string) => trail.onDisk(file, (one) => one === file, 0),
    seen: () => trail.viewsOf("ann").map(({ base, back }) => [base, back.apply(text)]),
  };
}

it("a text that was on disk counts after a batch, even if nobody has asked for it before", () => {
  const { batch, onDisk, seen } = documentOf("one\ntwo\n");
  batch("two\n", "two\nadded\n");
  onDisk("one\ntwo\n");
  expect(seen()).toEqual([["saved", "one\ntwo\nadded\n"]]);
});

it("a line that a batch removes is not in the texts that its caller has seen, even if a line was typed next to it", () => {
  const { trail, type, batch, seen } = documentOf("one\n  two\n  three\n");
  trail.read("ann", { startLine: 1, endLine: 3 });
  type("  three\n", "  typed\n  three\n");
  batch("  two\n", "");
  expect(seen()).toEqual([["read", "one\n  three\n"]]);
});

it("a second read after a save is a text of its own, which decides alone", () => {
  const { trail, type } = documentOf("one\ntwo\n");
  trail.read("ann", { startLine: 1, endLine: 1 });
  type("two", "2");
  trail.saved(0);
  trail.read("ann", { startLine: 2, endLine: 2 });
  const views = trail.viewsOf("ann").map(({ base, isLatest, shown }) => [base, isLatest, shown?.[0]?.startLine]);
  expect(views).toEqual([
    ["read", true, 2],
    ["saved", false, undefined],
    ["read", false, 1],
  ]);
});

it("a text that is saved as it was opened has been on disk since it was opened", () => {
  const { trail, type, seen } = documentOf("one\n");
  trail.saved(0);
  trail.read("ann", { startLine: 1, endLine: 1 });
  type("one", "1");
  trail.saved(1);
  expect(seen()).toEqual([
    ["saved", "1\n"],
    ["read", "one\n"],
    ["saved", "one\n"],
  ]);
});
