/** Rows of the merge that differ from others by one condition only: each fails if its condition is left out. */
import { describe, expect, it } from "vitest";
import { ChangeSet } from "../server/text/changeSet.js";
import { conflict, holds } from "./merging/rows.js";
import { editSide, mergedText, sideOf } from "./merging/sides.js";

describe("a line of which at most half of the words are left", () => {
  const [base, edited] = ["alpha(beta)\n", "alpha(beta) // n\n"];
  holds([
    ["was replaced by another", base, "gamma(delta)\n", edited, conflict],
    ["half of them", base, "gamma(beta)\n", edited, conflict],
    [
      "more than half of them",
      "alpha(beta, c)\n",
      "gamma(beta, c)\n",
      "alpha(beta, c) // n\n",
      "gamma(beta, c) // n\n",
    ],
    ["but characters of it are known to have stayed", base, [["alpha", "gamma"]], edited, "gamma(beta) // n\n"],
  ]);
});

describe("what was typed beside replaced lines", () => {
  holds([
    ["stays there", "a\nb\nc\n", "a\nt\nb\nc\n", "a\nn\nm\nc\n", "a\nt\nn\nm\nc\n"],
    ["conflicts with the same lines in their place", "a\nb\nc\n", "a\nn\nb\nc\n", "a\nn\nm\nc\n", conflict],
  ]);
});

describe("a line ending that an edit needs", () => {
  holds([["is that of the text", "a\r\nb", "A\r\nb", "a\r\nb\r\nc", "A\r\nb\r\nc"]]);
});

describe("lines that change places", () => {
  holds([
    [
      "make one pair",
      "f(a, b)\ng(c, d)\n",
      [["a,", "x,"]],
      "g(c, d, e)\nnew()\nf(a, b, e)\n",
      "g(c, d, e)\nnew()\nf(x, b, e)\n",
    ],
  ]);
});

describe("the same insertion, at two places to which it slides", () => {
  it("is done", () => {
    const base = "a\nx\ny\nb\n";
    const side = (from: number, insert: string) =>
      sideOf(base, ChangeSet.of(base.length, [{ from, to: from, insert }]));
    const typed = side(2, "x\ny\n");
    expect(mergedText(typed, side(4, "y\nx\n"))).toBe(typed.text);
  });
});

describe("an insertion that slides further than it is long", () => {
  it("touches all gaps on the way", () => {
    const base = "x\ny\nx\ny\nb\n";
    const typed = sideOf(base, ChangeSet.of(base.length, [{ from: 0, to: 0, insert: "x\ny\n" }]));
    expect(mergedText(typed, editSide(base, "x\ny\nx\ny\ne\nb\n"))).toBeUndefined();
  });
});

describe("an insertion that slides to the edge of replaced words", () => {
  const [base, edited] = ["  b = 1\n", "  b = 1 + 1\n"];
  holds([
    ["is not made again, if they have it there", base, "b, c = 1 + 1\n", edited, conflict],
    ["is made, if they have something else", base, "b, c = 1 - 1\n", edited, "b, c = 1 - 1 + 1\n"],
  ]);
});

describe("lines that were added together with a changed line", () => {
  holds([
    ["have no others at their place", "f(a, b)\nz\n", "f(a, c)\nn\nz\n", "f(a, b)\ne\nz\n", conflict],
    [
      "stay below what was typed above them",
      "k\nf(a, b)\nz\n",
      "k\nt\nf(a, b)\nz\n",
      "k\nnew()\nmore()\nf(a, c)\nz\n",
      "k\nt\nnew()\nmore()\nf(a, c)\nz\n",
    ],
    [
      "stay above what was typed below them",
      "f(a, b)\nz\n",
      "f(a, b)\nt\nz\n",
      "f(a, c)\nnew()\nmore()\nz\n",
      "f(a, c)\nnew()\nmore()\nt\nz\n",
    ],
  ]);
});

describe("lines that were typed on the line beside them", () => {
  holds([
    ["are not added: all of it", "f()\n", [["f()", "f() b()"]], "f()\nb()\n", conflict],
    ["are added if they only begin with it", "f()\n", [["f()", "f() b()"]], "f()\nb() + 1\n", "f() b()\nb() + 1\n"],
    ["are not added above it", "f()\n", [["f()", "b() f()"]], "b()\nf()\n", conflict],
    ["are added elsewhere", "f()\nz\n", [["f()", "f() b()"]], "f()\nz\nb()\n", "f() b()\nz\nb()\n"],
  ]);
});

describe("a line that was put elsewhere", () => {
  holds([
    [
      "twice is not changed",
      "a()\nb()\nc()\nd()\n",
      [
        ["b()\n", ""],
        ["c()", "c()\nb()"],
        ["d()", "d()\nb()"],
      ],
      "a()\nB()\nc()\nd()\n",
      conflict,
    ],
    [
      "and changed there is not removed",
      "one(a, b)\nx\nz\n",
      [
        ["one(a, b)\n", ""],
        ["z", "z\none(a, c)"],
      ],
      "x\nz\n",
      conflict,
    ],
    [
      "with half of its words is not removed",
      "a b\nx\nz\n",
      [
        ["a b\n", ""],
        ["z", "z\na c"],
      ],
      "x\nz\n",
      conflict,
    ],
    [
      "as a copy, and was changed as the edit changes it",
      "f(a, b)\nz\n",
      [
        ["b)", "d)"],
        ["z", "z\nf(a, b)"],
      ],
      "f(a, d)\nz\n",
      "f(a, d)\nz\nf(a, b)\n",
    ],
    [
      "an empty one is not removed",
      "a\n\nb\nc\n",
      [
        ["a\n\n", "a\n"],
        ["c", "\nc"],
      ],
      "a\nb\nc\n",
      conflict,
    ],
  ]);
});

describe("exact changes", () => {
  holds([
    [
      "say which of two equal words was typed, with a line typed below",
      "x x\nz\n",
      [
        ["x x", "w x x"],
        ["w", "x"],
        ["z", "n\nz"],
      ],
      "x y\nz\n",
      "x x y\nn\nz\n",
    ],
    [
      "say that the lower of two equal lines is the one that was there, and was changed",
      "class Row:\nz\n",
      [
        ["class", "xclass"],
        ["x", "class Row:\n"],
        ["\nclass", "\ndef"],
      ],
      "z\n",
      conflict,
    ],
    [
      "say that a line was typed in the place of a removed one",
      "a\nb\nc\n",
      [
        ["a", "a\nx"],
        ["b\n", ""],
      ],
      "a\nc\n",
      conflict,
    ],
  ]);
});

describe("a line that is split or joined", () => {
  const comment = (line: string): readonly [string, string] => [line, `// ${line}`];
  holds([
    ["before a symbol", "if (a, b) {\n", [comment("if (a")], "if (a, b)\n{\n", conflict],
    [
      "and changes besides, as a comparison says",
      "total = sum(first,\n  second)\nz\n",
      "result = total = sum(first, second)\nz\n",
      "total = sum(first, # n\n  second)\nz\n",
      conflict,
    ],
    ["between equal words", "x, x, x, x\n", [comment("x, x, x, x")], "x,\nx, x, x\n", conflict],
    [
      "below lines that were added, where the part that was split off has no letters",
      "s = load(1, 2)\n",
      "check(s)\ns = load(1\n, 2)\n",
      "s = load(1, 2)  # n\n",
      conflict,
    ],
  ]);
});
