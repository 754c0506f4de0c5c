/** Merges of lines that both sides write, of lines that others replace, and of many lines. */
import { describe } from "vitest";
import { conflict, holds } from "./merging/rows.js";

describe("a line that both write is not written twice", () => {
  const lines = "a();\nb();\n";
  const edited = "a();\nn(1);\nb();\n";
  holds([
    ["typed at the start of the line below", lines, [["b()", "n(1);b()"]], edited, conflict],
    ["typed at the end of the line above", lines, [["a();", "a();n(1);"]], edited, conflict],
    ["compared", lines, "a();\nn(1);b();\n", edited, conflict],
    ["a bracket", lines, [["b()", "}b()"]], "a();\n}\nb();\n", conflict],
    [
      "typed at the start of a line that was inserted there",
      lines,
      [["a();", "n(1);c();\na();"]],
      "n(1);\na();\nb();\n",
      conflict,
    ],
    [
      "in lines that replace others",
      "a();\n\nb();\n",
      [["a();\n", "a();\nn(1);c();\n"]],
      "a();\nn(1);\nb();\n",
      conflict,
    ],
    [
      "typed with another indentation beside a line that it replaces",
      "a();\n\nb();\n",
      [["a();\n", "a();\nn(1);\n"]],
      "a();\n  n(1);\nb();\n",
      conflict,
    ],
    [
      "at the end of what it puts in place of a line, and typed before an equal line, past which it slides",
      "a(0);\nelse\nb();\n",
      [["else\n", "else\nlog();\nelse\n"]],
      "n(1);\nelse\nelse\nb();\n",
      conflict,
    ],
    ["typed elsewhere", lines, [["a();", "n(1);c();\na();"]], edited, "n(1);c();\na();\nn(1);\nb();\n"],
  ]);
});

describe("a line that the edit replaces by another one, and on which somebody typed", () => {
  holds([
    ["in front of it", "x = 1;\n", [["x", "let x"]], "import fs;\n", conflict],
    ["to comment it out", "  log(x);\n", [["  log", "  // log"]], "  return y;\n", conflict],
    ["unless it is a comment at its end", "foo(a);\n", [["a);", "a); // t"]], "return null;\n", "return null; // t\n"],
    ["unless it is a single word", "two\n", [["two", "typed two"]], "2\n", "typed 2\n"],
    ["unless a word of it is left", "  log(x);\n", [["x);", "x); // t"]], "  return x;\n", "  return x; // t\n"],
    ["behind it", "foo(a);\n", [["foo(a)", "foo(a).then(t)"]], "return null;\n", conflict],
  ]);
});

describe("many lines that replace as many", () => {
  const list = (lines: readonly number[], of: (i: number) => string) => lines.map((i) => `${of(i)}\n`).join("");
  const numbers = Array.from({ length: 60 }, (_, i) => i);
  const swapped = numbers.map((i) => (i === 10 ? 40 : i === 40 ? 10 : i));
  const old = (i: number): string => `import { n${i} } from 'lib';`;
  const formatted = (i: number): string => `  import { n${i} } from 'lib';`;
  const edited = list(numbers, (i) => (i === 10 ? old(i).replace("lib", "other") : old(i)));
  const other = (i: number): string => `import { n${i} } from "lib"`;
  holds([
    [
      "pair if they are only indented otherwise",
      list(numbers, old),
      list(numbers, formatted),
      edited,
      list(numbers, (i) => (i === 10 ? formatted(i).replace("lib", "other") : formatted(i))),
    ],
    ["do not pair in order", list(numbers, old), list(swapped, other), edited, conflict],
  ]);
});

describe("the line ending of a new last line", () => {
  holds([["is the one that was typed", "a\nb", [["b", "b\r\nt"]], "n", "n\r\nt"]]);
});

describe("lines that were removed with the ending of the line above them", () => {
  const base = "check(x)\na = load()\nend\n";
  holds([
    [
      "leave what was typed on that line as it is known",
      base,
      [
        ["\na = load()", ""],
        ["check(", "x("],
        ["(x)", "(l)"],
      ],
      base.replace("check(x)", "check(load)"),
      conflict,
    ],
    [
      "leave an edit of that line certain",
      base,
      [
        ["\na = load()", ""],
        ["check(", "test("],
      ],
      base.replace("check(x)", "check(load)"),
      "test(load)\nend\n",
    ],
  ]);
});

describe("a line that was split within its indentation", () => {
  const base = "a();\n    }\n";
  const typed = (more: string): [string, string][] => [
    ["\n    }", "\n \n       }"],
    ["}", `}${more}`],
  ];
  holds([
    ["keeps its other characters", base, typed(""), base.replace("}", "}  # ask"), "a();\n \n       }  # ask\n"],
    [
      "does not get twice what both write at its end",
      base,
      typed("  # ask"),
      base.replace("}", "}  # ask Ann"),
      conflict,
    ],
  ]);
});
