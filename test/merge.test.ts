/**
 * The rules by which an edit of an earlier text is merged with what was typed since. Each row has the earlier text, what
 * was typed, the text as the edit would make it, and the result. What was typed is a text, so that only a comparison says
 * what has changed, or a list of changes, which then are known one by one.
 */
import { describe } from "vitest";
import { conflict, holds } from "./merging/rows.js";

describe("different lines: both sides' changes are kept", () => {
  holds([
    ["changed", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"],
    ["changed, neighbours", "a\nb\n", "A\nb\n", "a\nB\n", "A\nB\n"],
    ["removed and changed, neighbours", "a\nb\nc\n", "b\nc\n", "a\nB\nc\n", "B\nc\n"],
    ["removed, neighbours", "a\nb\nc\n", "b\nc\n", "a\nc\n", "c\n"],
    [
      "typed at the end of a kept line",
      "x = a\nz()\n",
      [["x = a", "x = a + b"]],
      "x = a\ny = c\nz()\n",
      "x = a + b\ny = c\nz()\n",
    ],
    [
      "typed at the start of a kept line",
      "f() {\n",
      [["f()", "// f()"]],
      "/** Doc. */\nf() {\n",
      "/** Doc. */\n// f() {\n",
    ],
    ["typed at the end of the text", "one\ntwo", [["two", "two  # ask"]], "one\ntwo\nnew", "one\ntwo  # ask\nnew"],
    ["several changes of both", "a\nb\nc\nd\ne\n", "A\nb\nt\nc\nd\ne\n", "a\nb\nc\nD\n", "A\nb\nt\nc\nD\n"],
  ]);
});

describe("an insertion touches its gap, not the lines beside it", () => {
  holds([
    ["typed above a changed line", "a\nb\nc\n", "a\nt\nb\nc\n", "a\nB\nc\n", "a\nt\nB\nc\n"],
    ["typed below a changed line", "a\nb\nc\n", "a\nb\nt\nc\n", "a\nB\nc\n", "a\nB\nt\nc\n"],
    ["typed above a removed line", "a\nb\nc\n", "a\nt\nb\nc\n", "a\nc\n", "a\nt\nc\n"],
    ["typed below a removed line", "a\nb\nc\n", "a\nb\nt\nc\n", "a\nc\n", "a\nt\nc\n"],
    ["the edit inserts above a changed line", "a\nb\nc\n", [["b", "B"]], "a\ne\nb\nc\n", "a\ne\nB\nc\n"],
    ["the edit inserts beside a removed line", "a\nb\nc\n", "a\nc\n", "a\nb\ne\nc\n", "a\ne\nc\n"],
    ["insertions at two gaps", "a\nb\n", "a\nt\nb\n", "a\nb\ne\n", "a\nt\nb\ne\n"],
    ["two different insertions at one gap", "a\nb\n", "a\nt\nb\n", "a\ne\nb\n", conflict],
    ["at the start of the text", "a\n", "t\na\n", "e\na\n", conflict],
    ["at the end of the text", "a\n", "a\nt\n", "a\ne\n", conflict],
    ["a gap to which an equal line lets it slide", "a\nx\nb\n", "a\nx\nx\nb\n", "a\ne\nx\nb\n", conflict],
    ["a slide over several lines", "a\nx\ny\nb\n", "a\nx\ny\nx\ny\nb\n", "a\ne\nx\ny\nb\n", conflict],
    ["no slide so far", "a\nx\nb\nc\n", "a\nx\nx\nb\nc\n", "a\nx\nb\ne\nc\n", "a\nx\nx\nb\ne\nc\n"],
    ["a removal that slides", "a\nx\nx\nb\n", "a\nx\nb\n", "a\nX\nx\nb\n", conflict],
    ["a removal of the other of two equal lines", "a\nx\nx\nb\n", "a\nx\nb\n", "a\nx\nX\nb\n", conflict],
    ["between two lines that were removed", "a\nb\nc\nd\n", "a\nd\n", "a\nb\ne\nc\nd\n", conflict],
    ["typed between two lines that the edit removes", "a\nb\nc\nd\n", "a\nb\nt\nc\nd\n", "a\nd\n", conflict],
    ["at the end of the text, below a removed line", "a\nb\n", "a\n", "a\nb\ne\n", conflict],
    ["at the start of the text, above a removed line", "a\nb\n", "b\n", "e\na\nb\n", conflict],
    ["beside one removed line, with a kept one on the other side", "a\nb\nc\n", "a\nc\n", "a\ne\nb\nc\n", "a\ne\nc\n"],
  ]);
});

describe("lines that replace lines are one block in their place", () => {
  holds([
    ["typed above it", "a\nb\nc\n", "a\nt\nb\nc\n", "a\ne\nf\nc\n", "a\nt\ne\nf\nc\n"],
    ["typed below it", "a\nb\nc\n", "a\nb\nt\nc\n", "a\ne\nf\nc\n", "a\ne\nf\nt\nc\n"],
    ["typed between its lines", "a\nb\nc\nd\n", "a\nb\nt\nc\nd\n", "a\nE\nd\n", conflict],
    ["the edit inserts above it", "a\nb\nc\n", "a\nt\nu\nc\n", "a\ne\nb\nc\n", "a\ne\nt\nu\nc\n"],
    ["the edit inserts below it", "a\nb\nc\n", "a\nt\nu\nc\n", "a\nb\ne\nc\n", "a\nt\nu\ne\nc\n"],
    ["its old line was typed on", "a\nb\nc\n", [["b", "b + t"]], "a\ne\nf\nc\n", conflict],
    ["its old line was removed", "a\nb\nc\n", "a\nc\n", "a\ne\nf\nc\n", conflict],
  ]);
});

describe("removed and added lines pair", () => {
  const calls = "one(first);\ntwo(second);\n";
  holds([
    ["although lines like them follow", "x\nx\nk\nd\n", [["x\nx", "x\nt\nx"]], "y\nx\nk\ne\n", "y\nt\nx\nk\ne\n"],
    ["although lines like them come first", "d\nk\nx\nx\n", [["x\nx", "x\nt\nx"]], "e\nk\nx\ny\n", "e\nk\nx\nt\ny\n"],
    ["although they could be two changes", "x\nx\n", [["x\nx", "x\nt\nx"]], "y\nx\n", "y\nt\nx\n"],
    ["although the removed one could be another", "x\nx\n", [["x\nx", "x\nt\nx"]], "x\ny\n", "x\nt\ny\n"],
    [
      "in order, if they are as many",
      calls,
      [
        ["first", "1"],
        ["second", "2"],
      ],
      "uno(first);\ndos(second);\n",
      "uno(1);\ndos(2);\n",
    ],
    ["in order, but not if no word is left", "a\nb\n", [["a", "a # ask"]], "c\nd\n", conflict],
    [
      "by the most common words, if they are not: the first",
      calls,
      [["first", "1"]],
      "uno(first);\nnew();\ndos(other, third);\n",
      "uno(1);\nnew();\ndos(other, third);\n",
    ],
    [
      "by the most common words, if they are not: the last",
      calls,
      [["second", "2"]],
      "new(a);\nmore(b);\ndos(second);\n",
      "new(a);\nmore(b);\ndos(2);\n",
    ],
    ["not by half of the words", "let a = 1\n", [["1", "1 + t"]], "let b = 2\nother()\n", conflict],
    ["not if two are as good", "f(a, b);\n", [["f(a", "f(t, a"]], "f(a, c);\nf(a, d);\n", conflict],
  ]);
});

describe("a line changed by both is merged word by word", () => {
  const rate = "export const rate = 0.19;\n";
  holds([
    [
      "a comment at the end",
      rate,
      [["19;", "19; // ask"]],
      "export const rate = 0.2;\n",
      "export const rate = 0.2; // ask\n",
    ],
    [
      "a comment directly after the word",
      "rate = 0.19\n",
      [["0.19", "0.19 # ask"]],
      "rate = 0.2\n",
      "rate = 0.2 # ask\n",
    ],
    ["the same, compared", "rate = 0.19\n", "rate = 0.19 # ask\n", "rate = 0.2\n", "rate = 0.2 # ask\n"],
    ["a word before the changed one", "a b\n", [["a b", "a new b"]], "a c\n", "a new c\n"],
    ["different words", "f(a, b)\n", [["a,", "x,"]], "f(a, y)\n", "f(x, y)\n"],
    ["one word", "f(abc)\n", [["abc", "abd"]], "f(xbc)\n", conflict],
    ["letters typed at a word change it", "f(abc)\n", [["abc", "abcd"]], "f(xyz)\n", conflict],
    ["digits typed at a number change it", "x = 1.5\n", [["1.5", "1.55"]], "x = 2.5\n", conflict],
    ["a number with a point is one word", "x = 1.5\n", [["1.", "2."]], "x = 1.7\n", conflict],
    ["letters after a number with a point belong to it", "x = 1.5\n", [["1.5", "1  # ask.5s"]], "x = 1.5s\n", conflict],
    ["the first half of what the edit adds to a word", "f(0)\n", [["0", "0."]], "f(0.2)\n", conflict],
    ["a word typed at it, and an equal one behind", "x += 1\n", [["1", "1x + 1"]], "x += v\n", conflict],
    ["the last half of it", "f(0)\n", [["(0", "(.0"]], "f(1.0)\n", conflict],
    ["an insertion between words that the edit replaces", "f(a, 1)\n", [["1)", "1) + t"]], "g(b);\n", conflict],
    ["a letter of any language belongs to a word", "größe\n", [["größe", "größen"]], "Maß\n", conflict],
    ["two insertions at one point", "f(a)\n", [["a)", "a, b)"]], "f(a, c)\n", conflict],
    ["the same word by both is done", "f(a, b)\n", [["a", "x"]], "f(x, b)\n", "f(x, b)\n"],
    ["the same word by both, and another one", "a and b\n", [["a ", "x "]], "x and y\n", "x and y\n"],
    ["a part of a change: between words, only letters stay", "f(a, b)\n", [["a", "x"]], "f(x, y)\n", conflict],
    ["a removed word", "f(a, b, c)\n", [["c", "d"]], "f(b, c)\n", "f(b, d)\n"],
    ["a word that the other removes", "f(a, b)\n", [["b", "d"]], "f(a)\n", conflict],
    ["whitespace changed by one", "a  = 1\n", [["a  =", "a ="]], "a  = 2\n", "a = 2\n"],
    ["indentation and a word", "a(b)\n", [["a", "  a"]], "a(c)\n", "  a(c)\n"],
  ]);
});

describe("the same change on both sides is done; a part of it is not", () => {
  holds([
    ["a changed line", "foo()\n", [["foo()", "foo();"]], "foo();\n", "foo();\n"],
    ["a removed line", "a();\nb();\nc();\n", "a();\nc();\n", "a();\nc();\n", "a();\nc();\n"],
    ["an inserted line", "a\nb\n", "a\nn\nb\n", "a\nn\nb\n", "a\nn\nb\n"],
    ["an inserted line that slides", "a\nx\nb\n", [["a\nx", "a\nx\nx"]], "a\nx\nx\nb\n", "a\nx\nx\nb\n"],
    ["a changed line, and an empty line after it", "f()\n", [["f()", "  f()\n  "]], "  f()\n  \n", "  f()\n  \n"],
    ["an empty line before a line", "  f\n", [["f", "\nf"]], "  \nf\n", "  \nf\n"],
    ["one of two changes", "a\nb\nc\n", "A\nb\nc\n", "A\nb\nC\n", "A\nb\nC\n"],
    ["one of two inserted lines", "a\nb\n", "a\nn\nb\n", "a\nn\nm\nb\n", conflict],
    ["one of two removed lines", "a\nb\nc\nd\n", "a\nc\nd\n", "a\nd\n", conflict],
    ["more than the edit removes", "a\nb\nc\nd\n", "a\nd\n", "a\nc\nd\n", conflict],
  ]);
});

describe("a line that the other side has touched is not removed", () => {
  holds([
    ["typed on", "a\nb\nc\n", [["b", "b # t"]], "a\nc\n", conflict],
    ["the edit changes a removed line", "a\nb\nc\n", "a\nc\n", "a\nB\nc\n", conflict],
    ["split", "a\nf(x, y)\nc\n", [["x, y", "x,\n  y"]], "a\nc\n", conflict],
  ]);
});

describe("a line that one side splits or joins", () => {
  holds([
    ["is not changed by the other: split", "f(a, b)\n", [["a, b", "a,\n  b"]], "g(a, b)\n", conflict],
    ["is not changed by the other: joined", "f(a,\nb)\n", [["a,\nb", "a, b"]], "f(a,\nc)\n", conflict],
    ["compared", "f(a, b)\n", "f(a,\n  b)\n", "g(a, b)\n", conflict],
    ["split by the edit", "f(a, b)\n", [["f", "g"]], "f(a,\n  b)\n", conflict],
    [
      "nothing is inserted beside one that was put elsewhere and joined there",
      "f(a)\nz()\n",
      [
        ["f(a)\n", ""],
        ["z()", "z() f(a)"],
      ],
      "f(a)\nn\nz()\n",
      conflict,
    ],
    ["nothing is inserted into a gap that is gone", "f(a,\nb)\n", [["a,\nb", "a, b"]], "f(a,\nn,\nb)\n", conflict],
    ["lines beside it can be changed", "z\nf(a, b)\n", [["a, b", "a,\n  b"]], "Z\nf(a, b)\n", "Z\nf(a,\n  b)\n"],
    ["a removed line is joined to a changed one", "f(\n  b)\nz\n", "f(\nz\n", "f(a, b)\nz\n", conflict],
    ["Enter at its start is an inserted line", "f(a, b)\nz\n", [["f", "\nf"]], "g(a, b)\nz\n", "\ng(a, b)\nz\n"],
    ["Enter at its end is an inserted line", "f(a)\nz\n", [["f(a)", "f(a)\n"]], "g(a)\nz\n", "g(a)\n\nz\n"],
  ]);
});

describe("a line that was put elsewhere", () => {
  const calls = "a();\nb();\nc();\n";
  const long = "value = compute(1, 2)\n";
  holds([
    [
      "by the edit does not come back",
      "a();\nb();\nc();\nd();\n",
      [["b();\n", ""]],
      "a();\nc();\nd();\nb();\n",
      conflict,
    ],
    [
      "is no neighbour of an inserted line, even if a word of it was changed",
      "c();\ni = save(3, 2)\nr();\n",
      [
        ["i = save(3, 2)\n", ""],
        ["c();", "i = save(3, t)\nc();"],
      ],
      "c();\ni = save(3, 2)\nn();\nr();\n",
      conflict,
    ],
    [
      "is no neighbour, if the texts were compared and it may be another line that was changed",
      "f(a, 5)\nb()\nc()\ni(a, 8)\nz()\n",
      "i(a, 8)\nn\nb()\nc()\nz()\n",
      "f(a, 5)\nb()\nc()\ni(a, 8)\nn\nz()\n",
      conflict,
    ],
    [
      "is not removed",
      calls,
      [
        ["b();\n", ""],
        ["a();", "b();\na();"],
      ],
      "a();\nc();\n",
      conflict,
    ],
    [
      "is not changed",
      calls,
      [
        ["b();\n", ""],
        ["a();", "b();\na();"],
      ],
      "a();\nd();\nc();\n",
      conflict,
    ],
    [
      "no line is inserted beside it, if it was put elsewhere",
      calls,
      [
        ["b();\n", ""],
        ["c();\n", "c();\nb();\n"],
      ],
      "a();\nb();\nn();\nc();\n",
      conflict,
    ],
    [
      "put back at its place is untouched",
      calls,
      [
        ["b();\n", ""],
        ["c();", "b();\nc();"],
      ],
      "a();\nc();\n",
      "a();\nc();\n",
    ],
    [
      "copied above, and the copy changed: the changes say which line is the original",
      long,
      [
        ["v", `${long}v`],
        ["e(1, 2)\nv", "e(10, 2)\nv"],
      ],
      "value = compute(1, 3)\n",
      "value = compute(10, 2)\nvalue = compute(1, 3)\n",
    ],
    [
      "copied below, and the copy changed",
      long,
      [
        [long, long + long],
        [`${long}value = compute(1, 2)`, `${long}value = compute(10, 2)`],
      ],
      "value = compute(1, 3)\n",
      "value = compute(1, 3)\nvalue = compute(10, 2)\n",
    ],
  ]);
});

describe("added lines are indented as their neighbours were", () => {
  const python = "if x:\n  a\n  b\nend\n";
  holds([
    [
      "by the same amount",
      python,
      "if x:\n    a\n    b\nend\n",
      "if x:\n  a\n  n\n  b\nend\n",
      "if x:\n    a\n    n\n    b\nend\n",
    ],
    ["by different amounts", python, "if x:\n    a\n      b\nend\n", "if x:\n  a\n  n\n  b\nend\n", conflict],
    ["only one of them", python, "if x:\n    a\n  b\nend\n", "if x:\n  a\n  n\n  b\nend\n", conflict],
    [
      "only one of them, besides the edit",
      python,
      "if x:\n    a\n    b\nend\n",
      "if x:\n    a\n  n\n  b\nend\n",
      conflict,
    ],
    ["less", "    a\n    b\n", "  a\n  b\n", "    a\n      n\n    b\n", "  a\n    n\n  b\n"],
    ["less than they have", "    a\n    b\n", "a\nb\n", "    a\n  n\n    b\n", conflict],
    [
      "an empty line stays empty",
      python,
      "if x:\n    a\n    b\nend\n",
      "if x:\n  a\n\n  n\n  b\nend\n",
      "if x:\n    a\n\n    n\n    b\nend\n",
    ],
    ["with tabs", "a\nb\n", "\ta\n\tb\n", "a\nn\nb\n", "\ta\n\tn\n\tb\n"],
  ]);
});

describe("line endings", () => {
  const [none, all] = ["a\nb\nc", "a\nb\nc\n"];
  holds([
    ["a final one, added by the edit only", none, "A\nb\nc", all, "A\nb\nc\n"],
    ["a final one, removed by the edit only", all, "A\nb\nc\n", none, "A\nb\nc"],
    ["a final one, added by what was typed only", none, [["c", "c\n"]], "A\nb\nc", "A\nb\nc\n"],
    ["a final one, removed by what was typed only", all, [["c\n", "c"]], "A\nb\nc\n", "A\nb\nc"],
    ["a final one, added by both", none, [["c", "c\n"]], "A\nb\nc\n", "A\nb\nc\n"],
    ["a final one, removed by both", all, [["c\n", "c"]], "A\nb\nc", "A\nb\nc"],
    ["none, and a line typed at the end", none, "a\nb\nc\nd", "a\nB\nc", "a\nB\nc\nd"],
    ["none, and a line added at the end", none, "a\nX\nc", "a\nb\nc\nd", "a\nX\nc\nd"],
    ["none, and the last line removed", none, "A\nb\nc", "a\nb", "A\nb"],
    ["a final one, removed with the last line's change", all, "A\nb\nc\n", "a\nb\nq", "A\nb\nq"],
    ["added lines keep their own", "a\r\nb\r\n", "A\r\nb\r\n", "a\r\nb\r\nc\n", "A\r\nb\r\nc\n"],
    ["a changed line has that of the present text", "a\nb\n", "a\r\nb\r\n", "a\nB\n", "a\r\nB\r\n"],
    ["changed by the edit only: no line is changed", "a\r\nb\r\n", "A\r\nb\r\n", "a\nb\n", "A\r\nb\r\n"],
    ["mixed", "a\r\nb\nc\r\n", "a\r\nt\r\nb\nc\r\n", "a\r\nb\nC\r\n", "a\r\nt\r\nb\nC\r\n"],
  ]);
});

describe("an empty text", () => {
  holds([
    ["in which nothing was typed", "", "", "e\n", "e\n"],
    ["in which something was typed", "", "t\n", "e\n", conflict],
    ["in which the same was typed", "", "e\n", "e\n", "e\n"],
    ["in which an empty line was typed", "", "\n", "e\n", conflict],
    ["of which both sides remove all", "a\nb\n", "", "", ""],
    ["of which the edit removes all", "a\nb\n", "a\nb\n", "", ""],
    ["of which the edit removes all, with a line typed at the end", "a\nb\n", "a\nb\nt\n", "", conflict],
  ]);
});

describe("ends of texts, and lines that are split or joined", () => {
  holds([
    ["removals that meet at the end of the text", "a\nb\nc\nd", "a\nb\nd", "a\nc", "a"],
    ["the last lines change places, one is gone", "a\nb\nc", "a\nc", "a\nn\nb\n", "a\nn\n"],
    [
      "a final line ending typed with a word",
      "rate = 1",
      [
        ["rate", "new rate"],
        ["1", "1\n"],
      ],
      "rate = 2",
      "new rate = 2\n",
    ],
    ["nothing is left that could have a final line ending", "a\nb", "", "a\nb\n", ""],
    ["a line is split around a new one", "f(a, b)\n", [["b)", "b) # ask"]], "f(a,\n  x,\n  b)\n", conflict],
    ["a part of the added lines was typed", "a()\n", [["a()", "a()\nb()"]], "a(1)\nb()\nc()\n", conflict],
    ["a line is split, and a line is added below it", "f(a, b)\n", [["f", "// f"]], "f(\n  a, b)\ng()\n", conflict],
    [
      "a line is joined, and changed besides",
      "total = sum(first,\n  second)\nz\n",
      [["first,", "first, # ask"]],
      "result = total = sum(first, second)\nz\n",
      conflict,
    ],
    [
      "lines are joined between which one was typed",
      "foo(a, b,\n  c, d)\nz\n",
      [["b,", "b,\n  t,"]],
      "bar(a, b, c, d)\nz\n",
      conflict,
    ],
  ]);
});

describe("what is refused, although it could be merged", () => {
  holds([
    ["both indent a line", "  a(b)\n", [["  a", "    a"]], "    a(c)\n", conflict],
    ["lines moved by both", "a\nb\nc\n", "b\nc\na\n", "b\nc\na\n", conflict],
  ]);
});
