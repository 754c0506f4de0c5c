/** What is remembered of changes that nobody has said to be theirs. */
import { describe, expect, it } from "vitest";
import { spanOf, UnnamedWrites } from "../server/lsp/onDisk/unnamedWrites.js";
import { limits } from "../server/text/limits.js";

const whole = { from: 0, to: 1_000 };

describe("changes that nobody has named", () => {
  it("are one change if each follows the one before, within the time, and the last has the present text", () => {
    const lay = () => {
      const writes = new UnnamedWrites();
      writes.add("a", { before: "1", after: "2", at: 100 });
      writes.add("b", { before: "x", after: "y", at: 150 });
      writes.add("a", { before: "2", after: "3", at: 200 });
      return writes;
    };
    expect(lay().take("a", whole, "3")).toEqual({ before: "1", after: "3" });
    expect(lay().take("a", { from: 150, to: 1_000 }, "3")).toEqual({ before: "2", after: "3" });
    expect(lay().take("a", { from: 0, to: 150 }, "3")).toBeUndefined();
    expect(lay().take("a", whole, "typed")).toBeUndefined();
    expect(lay().take("c", whole, "3")).toBeUndefined();
  });

  it("are taken once, and those of other files stay", () => {
    const writes = new UnnamedWrites();
    writes.add("a", { before: "1", after: "2", at: 100 });
    writes.add("b", { before: "x", after: "y", at: 150 });
    writes.take("a", whole, "2");
    expect([writes.take("a", whole, "2"), writes.take("b", whole, "y")]).toEqual([
      undefined,
      { before: "x", after: "y" },
    ]);
  });

  it("are dropped, the oldest first, once their texts are too long together", () => {
    const writes = new UnnamedWrites();
    const half = "x".repeat(limits.unnamedText / 2 - 1);
    for (const uri of ["a", "b", "c"]) writes.add(uri, { before: "", after: half, at: 1 });
    expect(["a", "b", "c"].map((uri) => writes.take(uri, whole, half) !== undefined)).toEqual([false, true, true]);
    writes.add("d", { before: half, after: `${half}${half}`, at: 1 });
    expect(writes.take("d", whole, `${half}${half}`)).toBeUndefined();
  });
});

describe("a time span", () => {
  it.each([
    [
      { from: 1, to: 2 },
      { from: 1, to: 2 },
    ],
    [{ from: 2, to: 1 }, undefined],
    [{ from: "1", to: 2 }, undefined],
    [null, undefined],
  ])("%j is read as %j", (received, span) => expect(spanOf(received)).toEqual(span));
});
