/** Decisions by the texts that a caller can have seen: for each cell of the table, and for the conditions around it, one story. */
import { describe } from "vitest";
import { type Event, edit, onDisk, readAll, tells } from "./support/planStory.js";

describe("the present text has the old text at the same place, and the earlier text", () => {
  tells([
    ["places it", "a\nf(b)\n", [onDisk, { type: ["a", "t\na"] }], [edit("f(b)", "f(c)")], "t\na\nf(c)\n"],
    ["has it done", "f()\n", [onDisk, { type: ["f()", "f();"] }], [edit("f()", "f();")], "skipped"],
    ["conflicts", "f(a)\n", [onDisk, { type: ["a)", "a, t)"] }], [edit("f(a", "f(a, e")], "contentModified"],
    [
      "has several",
      "x()\ny()\nx()\nz()\n",
      [onDisk, { type: ["y()\nx()", "y()\nw()"] }],
      [edit("x()", "v()")],
      "ambiguousMatch",
    ],
  ]);
});

describe("the present text has the old text elsewhere", () => {
  const events: readonly Event[] = [onDisk, { type: ["sum(list);\n", ""] }, { type: ["z", "log(list);\nz"] }];
  tells([
    ["and it is refused", "sum(list);\nk\nz\n", events, [edit("(list);", "(other);")], "ambiguousMatch"],
    [
      "also if the earlier text places it",
      "a()\nb()\nz()\n",
      [onDisk, { type: ["a()", "a() # t"] }, { type: ["z()", "z()\na()\nb()"] }],
      [edit("a()\nb()", "a()\nc()")],
      "ambiguousMatch",
    ],
  ]);
});

describe("the present text has the old text several times", () => {
  tells([
    ["and it is refused", "x()\nz\n", [onDisk, { type: ["z", "x()\nz"] }], [edit("x()", "y()")], "ambiguousMatch"],
    [
      "and the caller has read the text in which it was there once",
      "x()\nz\n",
      [readAll, { type: ["z", "x()\nz"] }],
      [edit("x()", "y()")],
      "y()\nx()\nz\n",
    ],
    [
      "and the caller has chosen the line",
      "x()\nz\n",
      [onDisk, { type: ["x", "w()\nx"] }, { type: ["w", "x"] }],
      [edit("x()", "y()", { line: 1 })],
      "x()\ny()\nz\n",
    ],
  ]);
});

describe("of several earlier texts", () => {
  tells([
    [
      "the last one that the caller has read decides, also if another one agrees with the present text",
      "x(a)\nk()\nl()\nm()\n",
      [readAll, { type: ["m()", "x(b)\nm()"] }, readAll, { type: ["x(b)", "y(b)"] }],
      [edit("x(", "y(")],
      "ambiguousMatch",
    ],
    [
      "some may give the same text by other changes",
      "k\na line 98 of old text\nmark\nl\nm\nz\n",
      [onDisk, { type: ["mark", "mark t"] }, onDisk, { type: ["z", "Z"] }],
      [edit("a line 98 of old text", "a line 98 of new 1\nnew text")],
      "k\na line 98 of new 1\nnew text\nmark t\nl\nm\nZ\n",
    ],
    [
      "those decide in which the line number is right",
      "x()\nz()\n",
      [readAll, { type: ["x", "k()\nx"] }, { type: ["z", "x()\nz"] }, onDisk, { type: ["z", "t()\nz"] }],
      [edit("x()", "y()", { line: 3 })],
      "k()\nx()\ny()\nt()\nz()\n",
    ],
  ]);
});

describe("the present text does not have the old text, and the earlier text", () => {
  const rate = "rate = 0.19\n";
  const ask: Event = { type: ["0.19", "0.19 # ask"] };
  tells([
    [
      "places it",
      `a\n${rate}`,
      [onDisk, { type: ["rate", "new rate"] }, ask],
      [edit("a\nrate = 0.19\n", "a\nrate = 0.2\n")],
      "a\nnew rate = 0.2 # ask\n",
    ],
    ["has it done", `a\n${rate}`, [onDisk, { type: ["19", "2"] }], [edit("rate = 0.19", "rate = 0.2")], "skipped"],
    [
      "conflicts",
      `a\n${rate}`,
      [onDisk, { type: ["19", "3"] }],
      [edit("rate = 0.19", "rate = 0.2")],
      "contentModified",
    ],
    ["does not have it, either", `a\n${rate}`, [onDisk, ask], [edit("nothing", "b")], "noMatch"],
  ]);
});

describe("an edit of lines that the caller has read", () => {
  tells([
    [
      "in two parts is placed by them",
      "a()\nb()\nc()\n",
      [{ read: [3, 3] }, { read: [1, 2] }, { type: ["c()", "c() # t"] }],
      [edit("b()\nc()", "b()\nc()\nn()")],
      "a()\nb()\nc() # t\nn()\n",
    ],
    [
      "is refused if lines were replaced at once, and one that it keeps is there twice",
      "k()\n\nf(a) {\n  else:\n\nz()\n",
      [
        readAll,
        { type: ["else:", "else + t:"] },
        { type: ["\nf(a) {\n  else + t:\n", "f(a) {\n  else + t:\n\n"] },
        { type: ["f(a) {\n  else + t:\n\n", "\nf(a) {\n  else + t:\nf(a) {\n  else + t:\n"] },
        { type: ["{\n  else + t:\nf", "{\n  e\nlse + t:\nf"] },
      ],
      [edit("f(a) {\n  else:", "f(a) {\n  x:")],
      "contentModified",
    ],
  ]);
});

describe("an insertion beside a line that was changed together with others", () => {
  tells([
    [
      "is refused if another line is like it",
      "else\nname[5].send(x)\n\nz()\n",
      [
        onDisk,
        { type: ["\n\nz", "\n;\nz"] },
        { type: ["name[5].send(x)\n", "name[5].send(x)\nname[5].send(0.2)\n"] },
        { type: ["name[5].send(x)\nname[5].send(0.2)\n;\n", ";\nname[5].send(x)\nname[5].send(0.2)\n"] },
        { type: [";\n", ";\ndone()\ntotal\n"] },
        { type: ["name[5].send(x)", "name[5]0.2(x)"] },
      ],
      [edit("else\nname[5].send(x)\n", "else\nname[5].send(x)\nlog(x)\n")],
      "contentModified",
    ],
  ]);
});

describe("several edits", () => {
  tells([
    [
      "are refused if what was between them is gone and they write at one place",
      "a()\nb()\nc()\n",
      [readAll, { type: ["b()\n", ""] }],
      [edit("a()", "a()\nn()"), edit("c()", "m()\nc()")],
      "contentModified",
    ],
    [
      "are made if something is left between them",
      "a()\nb()\nb2()\nc()\n",
      [readAll, { type: ["b()\n", ""] }],
      [edit("a()", "a()\nn()"), edit("c()", "m()\nc()")],
      "a()\nn()\nb2()\nm()\nc()\n",
    ],
    [
      "of which one has several places, and shares a line with another, are refused if somebody has typed in that line",
      "f(a, b, c, d, x)\nk(x)\n",
      [readAll, { type: ["c, d", "c + t, d"] }],
      [edit("x", "y", { replaceAll: true }), edit("f(a, b, c, d, y", "f(A, b, c, d, y")],
      "contentModified",
    ],
  ]);
});

describe("lines that are alike", () => {
  const twins = "x()\nk()\nx()\ny()\n";
  const typed: readonly Event[] = [readAll, { type: ["x()\ny", "x() # t\ny"] }];
  tells([
    [
      "one of them is removed, and an edit does not say which",
      twins,
      typed,
      [edit("x()\nk()\nx()\ny()", "k()\nx()\ny()")],
      "contentModified",
    ],
    [
      "more of them than a failure lists, of which the caller has read the last",
      "x()\nx()\nx()\nx()\nx()\nx()\nend()\n",
      [{ read: [6, 6] }, { type: ["x()\nx()\nx()\nx()\nx()\nx()", "x()"] }],
      [edit("x()", "y()")],
      "ambiguousMatch",
    ],
    [
      "of which the caller has read none",
      "x()\nx()\nk()\nend()\n",
      [{ read: [3, 4] }, { type: ["x()\nx()", "x()"] }],
      [edit("x()", "y()")],
      "y()\nk()\nend()\n",
    ],
  ]);
});

describe("a place of which the caller has read only a part", () => {
  tells([
    [
      "is no place that it has seen",
      "a()\nb()\nc()\n",
      [{ read: [1, 1] }, { type: ["b()", "b(t)"] }],
      [edit("a()\nb()", "a()\nB()")],
      "noMatch",
    ],
  ]);
});

describe("a text that the editor has replaced as a whole", () => {
  const base = "k()\nx()\nm()\nn()\no()\n";
  tells([
    [
      "no longer says where a line is that it has elsewhere, too",
      base,
      [readAll, { whole: "x()\nm()\np()\nq()\nr()\nk()\n" }],
      [edit("k()\nx()", "k()\ny()")],
      "contentModified",
    ],
    [
      "still says where a line is that is nowhere else",
      base,
      [readAll, { whole: "0()\nk()\nx(1)\nm()\nq()\nr()\n" }],
      [edit("m()", "M()")],
      "0()\nk()\nx(1)\nM()\nq()\nr()\n",
    ],
    [
      "may have an empty line elsewhere",
      "k()\n\nx()\nm()\nn()\no()\n",
      [readAll, { whole: "0()\nk()\nx()\nm()\n\nq()\n" }],
      [edit("k()\n\nx()", "k()\n\ny()")],
      "0()\nk()\ny()\nm()\n\nq()\n",
    ],
    [
      "has a say although the caller has read an earlier one",
      "k()\nsum(list, a);\nm()\nn()\n",
      [readAll, { whole: "0()\nsum(items, a);\nlog(list);\nq()\nr()\n" }],
      [edit("list", "other")],
      "ambiguousMatch",
    ],
    [
      "is no reason to leave out a text in which the edit is where it is now",
      "f();\n  n\n",
      [onDisk, { type: ["f();", "f();\n"] }, onDisk],
      [edit("\n  n", "  m")],
      "ambiguousMatch",
    ],
    [
      "is no reason to leave out a former text in which all edits are where they are now",
      "f();\n  n\nk\nl\nm\nz\n",
      [onDisk, { type: ["f();", "f();\n"] }, onDisk, { type: ["z", "Z"] }],
      [edit("\n  n", "  m")],
      "ambiguousMatch",
    ],
    [
      "has no empty line for certain beside one that was changed",
      "a\n\nb\nc\n",
      [readAll, { whole: "A\n\nb\nC" }],
      [edit("\n", "x\n", { line: 2 })],
      "contentModified",
    ],
    [
      "still says where an empty line is between two that are as they were",
      "a\nb\n\nc\nd\n",
      [readAll, { whole: "A\nb\n\nc\nD" }],
      [edit("\n", "x\n", { line: 3 })],
      "A\nb\nx\nc\nD",
    ],
    [
      "has no line for certain that it has twice now",
      "k()\nx(a, b)\nm()\nn()\no()\n",
      [readAll, { whole: "x(a, b)\nk2()\nk()\nx(a, b)\nm()\nq()\nr()\n" }],
      [edit("x(a, b)\nm()", "x(e, b)\nm()")],
      "contentModified",
    ],
    [
      "has no line for certain that it had twice",
      "x(a, b)\nk()\nl()\nx(a, b)\nm()\nn()\n",
      [readAll, { whole: "z()\nk()\nl()\nx(a, b)\nm()\nq()\n" }],
      [edit("x(a, b)\nm()", "x(e, b)\nm()")],
      "contentModified",
    ],
    [
      "has no changed line for certain beside one that is gone",
      "k()\nx(a, b)\nm()\nn()\no()\n",
      [readAll, { whole: "0()\nx(a, c)\nm()\nq()\nr()\n" }],
      [edit("k()\nx(a, b)", "k()\nx(e, b)")],
      "contentModified",
    ],
    [
      "no longer says which of two lines that are alike it was",
      "k()\nx(a, b)\nm()\nn()\n",
      [readAll, { whole: "k()\nx(a, c)\nm2()\nx(a, d)\nn2()\n" }],
      [edit("x(a, b)", "x(e, b)")],
      "contentModified",
    ],
    [
      "still says where a line is beside one of which much was changed, and nothing like it is elsewhere",
      "k()\nx(a, b)\nm()\nn()\n",
      [readAll, { whole: "k()\nx(c, d, e, f)\nm()\nn();\n" }],
      [edit("k()", "k(e)\nl()")],
      "k(e)\nl()\nx(c, d, e, f)\nm()\nn();\n",
    ],
    [
      "no longer says what is between a line that is gone and one that was changed: they may have been joined",
      "f():\n    x()\nm()\nn()\n",
      [readAll, { whole: "g():    x()\nm()\nn();\n" }],
      [edit("    x()\n", "    y()\n    x()\n")],
      "contentModified",
    ],
    [
      "in two steps, and has one line, is compared with the former one",
      "rate = 0.19;\n",
      [onDisk, { whole: "" }, { whole: "rate = 0.19; // ask Ann\n" }],
      [edit("rate = 0.19", "rate = 0.2")],
      "rate = 0.2; // ask Ann\n",
    ],
    [
      "still says where other lines are",
      base,
      [readAll, { whole: "0()\nk()\nx(1)\nm()\nq()\nr()\n" }],
      [edit("m()\nn()", "M()\nn()")],
      "0()\nk()\nx(1)\nM()\nq()\nr()\n",
    ],
  ]);
});
