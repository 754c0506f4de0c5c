/** Texts that calls have made, of which it is known whether they are right; the judge must say the same. */

import { both } from "./both.js";
import { type Chars, Identities, typedInto } from "./chars.js";
import { judge } from "./judge.js";
import { trim } from "./variants.js";

/** A call after some typing, and what became of it. */
export interface Known {
  readonly name: string;
  readonly seen: string;
  /** A person types what leads from the first text of each pair, where it first occurs, to the second; an empty first text is the end of the text. */
  readonly typed: readonly (readonly [string, string])[];
  /** The change that the author meant, at the first place where it fits. */
  readonly old: string;
  readonly next: string;
  /** The changes of `old` that the author meant, in order; `undefined`: all of it is replaced. */
  readonly parts?: readonly (readonly [string, string])[];
  readonly right: readonly string[];
  readonly wrong: readonly string[];
}

/** The known texts. */
export const known: readonly Known[] = [
  {
    name: "what was typed at the end of a kept line stays there",
    seen: "x = a\nz()\n",
    typed: [["a\n", "a + b\n"]],
    ...{ old: "x = a", next: "x = a\ny = c" },
    right: ["x = a + b\ny = c\nz()\n"],
    wrong: ["x = a\ny = c + b\nz()\n"],
  },
  {
    name: "what was typed at the end of a replaced line does not go to an added one",
    seen: "one\ntwo\n",
    typed: [["two\n", "two  # ask Ann\n"]],
    ...{ old: "one\ntwo", next: "one\nTWO\nnew" },
    right: ["one\nTWO  # ask Ann\nnew\n"],
    wrong: ["one\nTWO\nnew  # ask Ann\n"],
  },
  {
    name: "what was typed at the start of a kept line stays there",
    seen: "function f() {\n",
    typed: [["function", "// function"]],
    ...{ old: "function f() {", next: "/** Doc. */\nfunction f() {" },
    right: ["/** Doc. */\n// function f() {\n"],
    wrong: ["// /** Doc. */\nfunction f() {\n"],
  },
  {
    name: "a comment directly after a changed word",
    seen: "rate = 0.19\n",
    typed: [["0.19", "0.19  # ask Ann"]],
    ...{ old: "rate = 0.19\n", next: "rate = 0.2\n" },
    right: ["rate = 0.2  # ask Ann\n"],
    wrong: ["rate = 0.  # ask Ann2\n", "rate = 0.2\n", "rate = 0.19  # ask Ann\n"],
  },
  {
    name: "both write the same",
    seen: "foo()\n",
    typed: [["foo()", "foo();"]],
    ...{ old: "foo()", next: "foo();" },
    right: ["foo();\n"],
    wrong: ["foo();;\n"],
  },
  {
    name: "a short old text does not land in a line that was typed just now",
    seen: "total = sum(list);\nz\n",
    typed: [
      ["", "log(list);\n"],
      ["total = sum(list);\n", ""],
    ],
    ...{ old: "(list);", next: "(other);" },
    right: [],
    wrong: ["z\nlog(other);\n", "z\nlog(list);\n"],
  },
  {
    name: "a line that is still there was not deleted",
    seen: "a();\nb();\nc();\n",
    typed: [["c();\n", "c();\nd();\n"]],
    ...{ old: "b();\n", next: "" },
    right: ["a();\nc();\nd();\n"],
    wrong: ["a();\nb();\nc();\nd();\n"],
  },
  {
    name: "lines are not joined",
    seen: "    y = x\n\n    y = x + 1\n",
    typed: [["    y = x\n\n", "\n    y = x  # N\n"]],
    ...{ old: "\n    y = x + 1", next: "    y = x + 1" },
    right: [],
    wrong: ["\n    y = x  # N    y = x + 1\n"],
  },
  {
    name: "the same line on both sides of an empty one was typed once",
    seen: "a();\n\n",
    typed: [["a();\n", "a();\nt();\nn();\n"]],
    ...{ old: "a();\n\n", next: "a();\n\nn();\n" },
    right: ["a();\nt();\nn();\n\nn();\n"],
    wrong: ["a();\nt();\nn();\n\n"],
  },
  {
    name: "a copy is not the original",
    seen: "value = compute(1, 2)\nz()\n",
    typed: [
      ["z()", "value = compute(1, 2)\nz()"],
      ["compute(1,", "compute(10,"],
    ],
    ...{ old: "value = compute", next: "total = compute" },
    right: ["total = compute(10, 2)\nvalue = compute(1, 2)\nz()\n"],
    wrong: ["value = compute(10, 2)\ntotal = compute(1, 2)\nz()\n"],
  },
  {
    name: "both indent a line by as much",
    seen: "    x += 1\n",
    typed: [["    x", "        x"]],
    ...{ old: "    x += 1\n", next: "        x += 1\n    n = 1\n    m = 2\n" },
    right: ["        x += 1\n    n = 1\n    m = 2\n"],
    wrong: ["            x += 1\n    n = 1\n    m = 2\n", "        x += 1\n"],
  },
  {
    name: "a line that Enter has pushed down is where its text is",
    seen: "a();\n    b();\nc();\n",
    typed: [["    b", "    \n    b"]],
    ...{ old: "    b();\nc();\n", next: "items = 1\n" },
    right: ["a();\n    \nitems = 1\n"],
    wrong: ["a();\n    \n    b();\nitems = 1\n", "a();\n    \n    items = 1\n"],
  },
  {
    name: "a line that lost a part of its indentation is still there",
    seen: "a();\n    b();\nc();\n",
    typed: [["    b", "\n  b"]],
    ...{ old: "    b();\n", next: "n();\n    b();\n" },
    parts: [["", "n();\n"]],
    right: ["a();\nn();\n\n  b();\nc();\n", "a();\n\nn();\n  b();\nc();\n"],
    wrong: ["a();\n\n  b();\nn();\nc();\n", "a();\n\n  n();\nb();\nc();\n", "a();\n\n  b();\nc();\n"],
  },
  {
    name: "of two equal lines, either may be the one that is kept",
    seen: "def f1():\n    return x\n    return x\nfunction f2(a, b) {\n",
    typed: [["f1():\n", "f1():\n\n"]],
    old: "def f1():\n    return x\n    return x\nfunction f2(a, b) {",
    next: "name = n(0)\n    name = m(0)\ntotal = k(0)\n    return x",
    parts: [
      ["def f1():\n    return x", "name = n(0)\n    name = m(0)\ntotal = k(0)"],
      ["\nfunction f2(a, b) {", ""],
    ],
    right: ["name = n(0)\n    name = m(0)\ntotal = k(0)\n\n    return x\n"],
    wrong: [
      "\nname = n(0)\n    name = m(0)\ntotal = k(0)\n    return x\n",
      "name = n(0)\n    name = m(0)\ntotal = k(0)\n    return x\n\n",
    ],
  },
];

/** Judges a text. */
export function verdictOn(
  { seen: text, typed, old, next, parts = [[old, next]] }: Known,
  result: string,
): "right" | "wrong" {
  const ids = new Identities();
  const seen = { text, ids: ids.fresh(text, false) };
  let present: Chars = seen;
  for (const [old, insert] of typed) {
    const found = old === "" ? present.text.length : present.text.indexOf(old);
    const change = trim(present.text, { from: found, to: found + old.length, insert });
    present = typedInto(present, { ...change, ids: ids.fresh(change.insert, false) }, ids);
  }
  const at = text.indexOf(old);
  const hunks = parts.map(([part, insert]) => {
    const from = text.indexOf(part, at);
    return { from, to: from + part.length, insert };
  });
  const edits = [{ from: at, to: at + old.length, hunks, hint: undefined }];
  return judge(both(seen, present, ids.count), { form: "edits", edits, request: {} }, result, () => false).kind;
}
