/** Decisions about edits that were made already, by the user or by the same call. */
import { describe } from "vitest";
import type { SentEdit } from "./support/planning.js";
import { type Event, edit, onDisk, readAll, tells } from "./support/planStory.js";

describe("an edit that was made already", () => {
  tells([
    [
      "is not done if a line that it keeps was replaced",
      "f()\nx = load()\nz\n",
      [onDisk, { type: ["x = load()\n", ""] }, { type: ["f()", "n = 1\nt = 2\nu = 3"] }],
      [edit("f()\nx = load()\n", "f()\n")],
      "contentModified",
    ],
    [
      "in a text of which the caller's lines are known exactly again",
      "f(x)\na()\n",
      [onDisk, { type: ["x", "xs"] }, { call: [edit("f(x)", "f(xs)")] }, { type: ["f(", "F("] }],
      [edit("f(xs)\na()", "f(xs)\nb()")],
      "F(xs)\nb()\n",
    ],
    [
      "together with one that was not, is in the text that the caller has seen",
      "a()\nb()\nc()\nd()\ne()\n",
      [
        onDisk,
        { type: ["e()", "e()\nn()"] },
        { call: [edit("e()\n", "e()\nn()\n"), edit("a()", "a()\nn()")] },
        { type: ["b()", "B()"] },
      ],
      [edit("n()", "m()", { line: 7 })],
      "a()\nn()\nB()\nc()\nd()\ne()\nm()\n",
    ],
    [
      "beside lines that the user has removed, leaves the other lines known exactly",
      "a()\nb()\nc()\nd()\n",
      [readAll, { type: ["b()\n", ""] }, { call: [edit("a()\n", "x()\ny()\n")] }, { type: ["c()", "c()\nk()\nc()"] }],
      [edit("c()\nd()", "C()\nd()")],
      "x()\ny()\nC()\nk()\nc()\nd()\n",
    ],
    [
      "in a text of which a line was copied later",
      "f(x)\na()\n",
      [onDisk, { type: ["x", "xs"] }, { call: [edit("f(x)", "f(xs)")] }, { type: ["a()", "a()\nk()\na()"] }],
      [edit("f(xs)\na()", "f(xs)\nb()")],
      "f(xs)\nb()\nk()\na()\n",
    ],
    [
      "is not done if a line that it keeps was removed",
      "a()\nb()\nk()\nc()\nd()\n",
      [readAll, { type: ["c()", "C()"] }, { type: ["b()\n", ""] }],
      [edit("a()\nb()\nk()\nc()", "a()\nb()\nk()\nC()")],
      "contentModified",
    ],
  ]);
});

describe("a call that its caller sends again", () => {
  const calls: readonly SentEdit[] = [edit("a()", "a()\nn()")];
  const made: readonly Event[] = [onDisk, { call: calls }];
  const both = [...calls, edit("c()", "C()")];
  tells([
    ["is skipped if nobody has typed since", "a()\nb()\n", made, calls, "skipped"],
    ["is skipped if somebody has typed elsewhere", "a()\nb()\n", [...made, { type: ["b()", "B()"] }], calls, "skipped"],
    [
      "is skipped if somebody has typed beside it",
      "a()\nb()\n",
      [...made, { type: ["b()", "t()\nb()"] }],
      calls,
      "skipped",
    ],
    [
      "is skipped if somebody has typed above it",
      "a()\nb()\n",
      [...made, { type: ["a()", "a()\nt()"] }],
      calls,
      "skipped",
    ],
    [
      "is skipped if somebody has typed at its end",
      "a()\nb()\n",
      [...made, { type: ["n()", "n() # t"] }],
      calls,
      "skipped",
    ],
    ["is made if its text was removed", "a()\nb()\n", [...made, { type: ["n()\n", ""] }], calls, "a()\nn()\nb()\n"],
    [
      "is refused if somebody has typed in its text",
      "a()\nb()\n",
      [...made, { type: ["n()", "n(t)"] }],
      calls,
      "contentModified",
    ],
    [
      "is refused if somebody has typed at a word of it",
      "x = 1\n",
      [onDisk, { call: [edit("1", "2")] }, { type: ["2", "25"] }],
      [edit("1", "2")],
      "contentModified",
    ],
    [
      "is refused if a part of it was removed",
      "a()\nb()\nc()\n",
      [onDisk, { call: [...calls, edit("c()", "c()\nm()")] }, { type: ["n()\n", ""] }],
      [...calls, edit("c()", "c()\nm()")],
      "contentModified",
    ],
    [
      "is made if its text was removed and an equal line is left",
      "a()\nn()\nb()\n",
      [...made, { type: ["n()\nn()", "n()"] }],
      calls,
      "a()\nn()\nn()\nb()\n",
    ],
    [
      "is made if an equal line was removed, and another was typed on",
      "a()\nn()\nb()\n",
      [...made, { type: ["n()\nb", "b"] }, { type: ["b", "b(t)"] }],
      calls,
      "a()\nn()\nn()\nb(t)()\n",
    ],
    ["is made if the caller has read the text since", "a()\nb()\n", [...made, readAll], calls, "a()\nn()\nn()\nb()\n"],
    [
      "is planned if the text was replaced",
      "a()\nb()\nc()\n",
      [...made, { whole: "A()\nN()\nB()\nC()\n" }],
      calls,
      "contentModified",
    ],
    [
      "is skipped if a part of it was there already",
      "a()\nb()\nc()\n",
      [onDisk, { type: ["c()", "C()"] }, { call: both }],
      both,
      "skipped",
    ],
    [
      "is planned if a part of it was there already and somebody has typed since",
      "a()\nb()\nc()\n",
      [onDisk, { type: ["c()", "C()"] }, { call: both }, { type: ["C()", "c()"] }],
      both,
      "a()\nn()\nn()\nb()\nC()\n",
    ],
    [
      "is made if it only removes, and its text was typed again",
      "a()\nb()\n",
      [onDisk, { call: [edit("b()\n", "")] }, { type: ["a()\n", "a()\nb()\n"] }],
      [edit("b()\n", "")],
      "a()\n",
    ],
    ["another call is no such call", "a()\nb()\n", made, [edit("a()", "a()\nm()")], "a()\nm()\nn()\nb()\n"],
  ]);
});
