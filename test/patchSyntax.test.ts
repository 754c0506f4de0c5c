/** The patch grammar: texts and the sections that they parse to. */
import { describe, expect, test } from "vitest";
import type { Section } from "../server/plan/operation.js";
import {
  add,
  begin,
  change,
  cutOff,
  end,
  endOfFile,
  hunk,
  lenient,
  parsePatch,
  patch,
  remove,
  strict,
  unsigned,
  update,
} from "./support/patchSections.js";

describe("patches that Codex accepts are read alike in both grammars", () => {
  const one = [change(2, [hunk(0, 3, ["-a", "+b"])])];
  const rows: [name: string, text: string, sections: readonly Section[]][] = [
    ["CRLF", patch(update, "@@", "-a", "+b").replaceAll("\n", "\r\n"), [change(2, [hunk(0, 3, ["-a", "+b"])])]],
    [
      "one section of each kind; a move counts before its hunks",
      patch("*** Add File: x", "+1", "+", "*** Delete File: y", update, "*** Move to: g", "@@", "-a", "@@ z", "+b"),
      [
        add(0, 2, "x", "1\n\n"),
        remove(1, 5, "y"),
        change(6, [hunk(3, 8, ["-a"]), hunk(4, 10, ["+b"], { anchors: ["z"] })], {
          move: { index: 2, path: "g", patchLine: 7 },
        }),
      ],
    ],
    ["a first hunk without @@", patch(update, "-a", "+b"), one],
    [
      "an empty line is an empty context line",
      patch(update, "@@", " a", "", "-b"),
      [change(2, [hunk(0, 3, [" a", " ", "-b"])])],
    ],
    [
      "empty lines at the end of a hunk belong to it",
      patch(update, "@@", "-a", "", "@@", "-b", "", "*** Add File: x"),
      [change(2, [hunk(0, 3, ["-a", " "]), hunk(1, 6, ["-b", " "])]), add(2, 9, "x", "")],
    ],
    [
      "spaces after an anchor are dropped, additional ones before it are not",
      patch(update, "@@   a  ", "-b", "@@  ", "-c"),
      [change(2, [hunk(0, 3, ["-b"], { anchors: ["  a"] }), hunk(1, 5, ["-c"])])],
    ],
    [
      "spaces after a path are dropped; quotes and spaces before it are part of it",
      patch('*** Delete File: "a" \t', "*** Delete File:  b"),
      [remove(0, 2, '"a"'), remove(1, 3, " b")],
    ],
    [
      "headers may be indented after an Add or a Delete, and at the beginning",
      patch("  *** Delete File: a", "\t*** Add File: b", "+1", " *** Delete File: c"),
      [remove(0, 2, "a"), add(1, 3, "b", "1\n"), remove(2, 5, "c")],
    ],
    [
      "in an Update an indented marker is a context line",
      patch(update, "@@", " *** Delete File: a", "  @@", " *** End Patch", "-a"),
      [change(2, [hunk(0, 3, [" *** Delete File: a", "  @@", " *** End Patch", "-a"])])],
    ],
    [
      "an indented end marker ends an Update if nothing follows it",
      `${begin}\n${update}\n-a\n+b\n  ${end} \n\n`,
      [change(2, [hunk(0, 3, ["-a", "+b"])])],
    ],
    [
      "the end-of-file marker, and spaces after it",
      patch(update, "@@", "-a", `${endOfFile}  `, "", " ", "@@ z", "-b", endOfFile, ""),
      [change(2, [hunk(0, 3, ["-a"], { atEnd: true }), hunk(1, 8, ["-b"], { anchors: ["z"], atEnd: true })])],
    ],
    [
      "an end-of-file marker before the first hunk has no meaning",
      patch(update, endOfFile, "@@", "-a"),
      [change(2, [hunk(0, 4, ["-a"])])],
    ],
    ["an environment is ignored", patch("*** Environment ID: e", "*** Delete File: a"), [remove(0, 3, "a")]],
    [
      "empty lines around the patch, spaces around its markers",
      `\n \n\t${begin} \n${update}\n-a\n  ${end}  \n\n`,
      [change(4, [hunk(0, 5, ["-a"])])],
    ],
    ["two end markers", `${patch("*** Delete File: a")}\n\n ${end}`, [remove(0, 2, "a")]],
    ["a heredoc", `<<'EOF'\n${patch("*** Delete File: a")}\nEOF\n`, [remove(0, 3, "a")]],
    [
      "texts that look like markers, after their sign",
      patch("*** Add File: x", `+${end}`, `+${begin}`, "++"),
      [add(0, 2, "x", `${end}\n${begin}\n+\n`)],
    ],
    ["a CR within a line stays", patch("*** Add File: x", "+a\rb"), [add(0, 2, "x", "a\rb\n")]],
    [
      "any Unicode whitespace counts as space, including U+0085",
      `${begin}\u0085\n*** Delete File: a\u0085\u00a0\n\u2003${end}`,
      [remove(0, 2, "a")],
    ],
  ];
  test.each(rows)("%s", (_, text, sections) => {
    for (const how of [strict, lenient])
      expect(parsePatch(text, how)).toEqual({ ok: true, operations: sections, warnings: [] });
  });

  const onPages: [name: string, text: string][] = [
    ["an Add without lines", patch("*** Add File: x")],
    ["one file several times", patch("*** Add File: f", "+a", update, "-a", "*** Delete File: f")],
    ["a hunk without a change", patch(update, "@@", " a")],
  ];
  test.each(onPages)("with their outcome on a page: %s", (_, text) => {
    const strictly = parsePatch(text, strict);
    expect(strictly).toMatchObject({ ok: true, warnings: [] });
    expect(parsePatch(text, lenient)).toEqual(strictly);
  });
});

describe("variants that models write are read if their meaning is certain, but not by the strict grammar", () => {
  const rows: [name: string, text: string, sections: readonly Section[]][] = [
    [
      "empty lines wherever nothing else could be meant",
      patch(
        "",
        "*** Add File: x",
        "+1",
        "",
        "*** Delete File: y",
        " ",
        update,
        "*** Move to: g",
        "",
        "",
        "@@",
        "-a",
        "",
        "",
      ),
      [
        add(0, 3, "x", "1\n"),
        remove(1, 6, "y"),
        change(8, [hunk(3, 12, ["-a", " ", " "])], { move: { index: 2, path: "g", patchLine: 9 } }),
      ],
    ],
    [
      "text around the patch",
      `Here it is:\n\n${patch("*** Delete File: a")}\n\nThat *should* do.`,
      [remove(0, 4, "a")],
    ],
    ["a Markdown fence", `\`\`\`diff\n${patch(update, "-a")}\n\`\`\`\n`, [change(3, [hunk(0, 4, ["-a"])])]],
    [
      "a shell's call",
      `bash -lc "apply_patch <<'EOF'\n${patch(update, "-a", "+b")}\nEOF\n"`,
      [change(3, [hunk(0, 4, ["-a", "+b"])])],
    ],
    ["a byte order mark", `\ufeff${patch("*** Delete File: a")}`, [remove(0, 2, "a")]],
    [
      "stacked anchors; a bare @@ among them adds none",
      patch(update, "@@ class A", "@@   def b():", "@@", "-a", "@@", "@@ z", "", "@@ y", "-b"),
      [
        change(2, [
          hunk(0, 3, ["-a"], { anchors: ["class A", "  def b():"] }),
          hunk(1, 7, ["-b"], { anchors: ["z", "y"] }),
        ]),
      ],
    ],
    [
      "an anchor without its space",
      patch(update, "@@def b():", "-a"),
      [change(2, [hunk(0, 3, ["-a"], { anchors: ["def b():"] })])],
    ],
    [
      "a context line without its space",
      patch(update, "@@", "a", "\tb", "@Override", "-c", "}"),
      [
        change(2, [
          hunk(0, 3, [unsigned(4, "a"), unsigned(5, "\tb"), unsigned(6, "@Override"), "-c", unsigned(8, "}")]),
        ]),
      ],
    ],
    [
      "a context line without its space that starts with an asterisk",
      patch(update, "@@", "* item", "-c", "*/", "***", "*** a note"),
      [
        change(2, [
          hunk(0, 3, [unsigned(4, "* item"), "-c", unsigned(6, "*/"), unsigned(7, "***"), unsigned(8, "*** a note")]),
        ]),
      ],
    ],
    [
      "a first line without its space, and without @@",
      patch(update, "a", "-b"),
      [change(2, [hunk(0, 3, [unsigned(3, "a"), "-b"])])],
    ],
    [
      "a move after an empty line",
      patch(update, "", "*** Move to: g"),
      [change(2, [], { move: { index: 0, path: "g", patchLine: 4 } })],
    ],
    [
      "git's comment on the last line",
      patch(
        update,
        "@@",
        "-a",
        "\\ No newline at end of file",
        "+b",
        "*** Add File: x",
        "+1",
        "\\ No newline at end of file",
      ),
      [change(2, [hunk(0, 3, ["-a", "+b"], { addsLineEnd: true })]), add(1, 7, "x", "1")],
    ],
    [
      "git's comment on the old and the new last line",
      patch(update, "@@", "-a", "\\ No newline at end of file", "+b", "\\ No newline at end of file"),
      [change(2, [hunk(0, 3, ["-a", "+b"], { addsLineEnd: false })])],
    ],
    [
      "a bare @@ after the last hunk of a section",
      patch(update, "-a", "@@", "*** Update File: g", "@@", "-b", "@@", "", "@@", ""),
      [change(2, [hunk(0, 3, ["-a"])]), change(5, [hunk(1, 6, ["-b"])], { path: "g" })],
    ],
    [
      "the header of a git diff for the same file",
      patch(update, "diff --git a/f b/f", "index 1..2 100644", "--- a/f", "+++ b/f", "@@", "-a"),
      [change(2, [hunk(0, 7, ["-a"])])],
    ],
  ];
  test.each(rows)("%s", (_, text, sections) => {
    expect(parsePatch(text, lenient)).toEqual({ ok: true, operations: sections, warnings: [] });
    expect(parsePatch(text, strict).ok).toBe(false);
  });

  const open: [name: string, text: string][] = [
    ["and with empty lines", `${begin}\n${update}\n-a\n+b\n c\n\n`],
    ["and with a fence", `\`\`\`\n${begin}\n${update}\n-a\n+b\n c\n\`\`\`\n`],
    ["and with the heredoc's tag", `apply_patch <<EOF\n${begin}\n${update}\n-a\n+b\n c\nEOF`],
    [
      "and with a heredoc in a fence",
      `\`\`\`\napply_patch "$(cat << 'X_1'\n${begin}\n${update}\n-a\n+b\n c\nX_1\n)"\n\`\`\``,
    ],
  ];
  test.each(open)("a patch without its end marker is read with a warning: %s", (_, text) => {
    const first = text.split("\n").indexOf(update) + 1;
    expect(parsePatch(text, lenient)).toEqual({
      ok: true,
      operations: [change(first, [hunk(0, first + 1, ["-a", "+b", " c"])])],
      warnings: cutOff,
    });
    expect(parsePatch(text, strict).ok).toBe(false);
  });

  const complete: [name: string, lines: readonly string[]][] = [
    ["a Delete", ["*** Delete File: a"]],
    ["a move without a hunk", [update, "*** Move to: g"]],
    ["the end-of-file marker", [update, "-a", endOfFile]],
  ];
  test.each(complete)("a patch without its end marker may end with %s", (_, lines) => {
    expect(parsePatch([begin, ...lines].join("\n"), lenient)).toMatchObject({ ok: true, warnings: cutOff });
  });

  const bare: [name: string, text: string][] = [
    ["alone", `${update}\n-a\n${end}`],
    ["after empty lines", `\n\n${update}\n-a\n${end}\nDone.`],
    ["in a fence", `\`\`\`\n${update}\n-a\n${end}\n\`\`\``],
  ];
  test.each(bare)("a patch without its begin marker is read with a warning: %s", (_, text) => {
    const first = text.split("\n").indexOf(update) + 1;
    expect(parsePatch(text, lenient)).toEqual({
      ok: true,
      operations: [change(first, [hunk(0, first + 1, ["-a"])])],
      warnings: [expect.stringContaining(begin)],
    });
    expect(parsePatch(text, strict).ok).toBe(false);
  });

  test("lines that only resemble the header of a git diff are the lines of a hunk", () => {
    const rows: [lines: readonly string[], hunks: readonly (readonly string[])[]][] = [
      [
        ["--- a/g", "+++ b/g", "@@", "-a"],
        [["--- a/g", "+++ b/g"], ["-a"]],
      ],
      [
        ["--- a/f", "@@", "-a"],
        [["--- a/f"], ["-a"]],
      ],
      [["--- a/f", "+++ b/f", "-a"], [["--- a/f", "+++ b/f", "-a"]]],
    ];
    for (const [lines, hunks] of rows) {
      const sent = hunks.map((each) => ({ lines: hunk(0, 0, each).lines }));
      expect(parsePatch(patch(update, ...lines), lenient)).toMatchObject({ ok: true, operations: [{ hunks: sent }] });
    }
  });

  test("the end of a wrapping that was never opened is a line of the patch", () => {
    expect(parsePatch([begin, update, "-a", "```"].join("\n"), lenient)).toMatchObject({
      operations: [{ hunks: [{ lines: [{}, { kind: "context", text: "```" }] }] }],
    });
  });
});

describe("the two grammars read different sections for", () => {
  const rows: [name: string, text: string, strictly: readonly Section[], leniently: readonly Section[]][] = [
    [
      "the header of a diff for a file and its new name",
      patch(update, "*** Move to: d/g", "--- f\t2026-01-01", "+++ ./d/g", "@@", "-a"),
      [
        change(2, [hunk(1, 4, ["--- f\t2026-01-01", "+++ ./d/g"]), hunk(2, 6, ["-a"])], {
          move: { index: 0, path: "d/g", patchLine: 3 },
        }),
      ],
      [change(2, [hunk(1, 6, ["-a"])], { move: { index: 0, path: "d/g", patchLine: 3 } })],
    ],
    [
      "an empty line before the first @@, which is a hunk for Codex",
      patch(update, "", "@@", "-a"),
      [change(2, [hunk(0, 3, [" "]), hunk(1, 4, ["-a"])])],
      [change(2, [hunk(0, 4, ["-a"])])],
    ],
    [
      "a line of spaces before the first @@",
      patch(update, "  ", "@@", "-a"),
      [change(2, [hunk(0, 3, ["  "]), hunk(1, 4, ["-a"])])],
      [change(2, [hunk(0, 4, ["-a"])])],
    ],
    [
      "an empty line before lines to be found, leniently not one of them",
      patch(update, "", "-a"),
      [change(2, [hunk(0, 3, [" ", "-a"])])],
      [change(2, [hunk(0, 4, ["-a"])])],
    ],
    [
      "a hunk of only empty lines between two anchors",
      patch(update, "@@ y", "", "@@ z", "-a"),
      [change(2, [hunk(0, 3, [" "], { anchors: ["y"] }), hunk(1, 5, ["-a"], { anchors: ["z"] })])],
      [change(2, [hunk(0, 3, ["-a"], { anchors: ["y", "z"] })])],
    ],
    [
      "an empty anchor between two @@",
      patch(update, "@@ @@", "-a"),
      [change(2, [hunk(0, 3, ["-a"], { anchors: ["@@"] })])],
      [change(2, [hunk(0, 3, ["-a"])])],
    ],
    [
      "an empty line after a move without hunks",
      patch(update, "*** Move to: g", ""),
      [change(2, [hunk(1, 4, [" "])], { move: { index: 0, path: "g", patchLine: 3 } })],
      [change(2, [], { move: { index: 0, path: "g", patchLine: 3 } })],
    ],
    [
      "the head of a unified diff's hunk, which is an anchor, and leniently a line number, too",
      patch(update, "@@ -12,3 +13 @@ def f():", "-a", "@@ -5 +5,0", "-b", "@@ -x +y @@", "-c"),
      [
        change(2, [
          hunk(0, 3, ["-a"], { anchors: ["-12,3 +13 @@ def f():"] }),
          hunk(1, 5, ["-b"], { anchors: ["-5 +5,0"] }),
          hunk(2, 7, ["-c"], { anchors: ["-x +y @@"] }),
        ]),
      ],
      [
        change(2, [
          hunk(0, 3, ["-a"], { anchors: [{ text: "-12,3 +13 @@ def f():", range: { line: 12, count: 3 } }] }),
          hunk(1, 5, ["-b"], { anchors: [{ text: "-5 +5,0", range: { line: 5, count: 1 } }] }),
          hunk(2, 7, ["-c"], { anchors: ["-x +y @@"] }),
        ]),
      ],
    ],
  ];
  test.each(rows)("%s", (_, text, strictly, leniently) => {
    expect(parsePatch(text, strict)).toEqual({ ok: true, operations: strictly, warnings: [] });
    expect(parsePatch(text, lenient)).toEqual({ ok: true, operations: leniently, warnings: [] });
  });

  test("but not for an empty line above an addition, which says where it goes, nor for a line with spaces, which is context", () => {
    for (const how of [strict, lenient]) {
      expect(parsePatch(patch(update, "", "+a"), how)).toMatchObject({
        operations: [change(2, [hunk(0, 3, [" ", "+a"])])],
      });
      expect(parsePatch(patch(update, " ", "-a"), how)).toMatchObject({
        operations: [change(2, [hunk(0, 3, [" ", "-a"])])],
      });
    }
  });
});
