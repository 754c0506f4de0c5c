/** The patch grammar: messages for lines that cannot be parsed, and limits. */
import { describe, expect, test } from "vitest";
import { parsePatch } from "../server/dialect/codexPatch.js";
import { limits } from "../server/text/limits.js";
import { begin, change, end, endOfFile, hunk, lenient, patch, strict, update } from "./support/patchSections.js";

describe("a line that can't be read", () => {
  /** The line number in the text as sent, and parts of the message. */
  type Expected = [line: number, ...parts: string[]];
  const header = "a section must begin here";
  const rows: [name: string, text: string, failures: Expected[]][] = [
    ["an empty text", "", [[1, "Line 1 of the patch is empty", begin, end]]],
    ["only empty lines", "\n \n", [[1, "is empty"]]],
    ["prose", "\nPlease change a to b.", [[2, '"Please change a to b."', `no line "${begin}"`]]],
    ["a patch without its markers", `${update}\n-a`, [[1, `no line "${begin}"`]]],
    ["a patch with an end marker only, after prose", `Here:\n${update}\n-a\n${end}`, [[1, `no line "${begin}"`]]],
    ["a patch that may be cut off after a +", `${begin}\n${update}\n-a\n+b\n`, [[4, '"+b"', `add "${end}"`]]],
    ["a patch that may be cut off after a -", `${begin}\n${update}\n a\n-b`, [[4, '"-b"', `add "${end}"`]]],
    ["a patch that may be cut off in an Add", `${begin}\n*** Add File: x\n+1`, [[3, '"+1"', `add "${end}"`]]],
    [
      "a patch that may be cut off, after a mistake",
      `${begin}\n*** Add File: x\n1\n${update}\n-a`,
      [
        [3, '"1"'],
        [5, '"-a"'],
      ],
    ],
    ["a patch without its end marker whose last section has a mistake", `${begin}\n${update}\n@@`, [[3, "no lines"]]],
    [
      "a unified diff",
      "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b",
      [[1, "unified diff", '"*** Update File: path"']],
    ],
    ["a marker in lower case", `*** begin patch\n*** Add File: x\n*** end patch`, [[1, `did you mean "${begin}"?`]]],
    ["a marker with text after it", `Patch:\n*** Begin Patch ***\n${update}`, [[2, `did you mean "${begin}"?`]]],
    ["no section", `x\n${begin}\n\n${end}`, [[2, "has no sections"]]],
    [
      "an end marker that is misspelt",
      `${begin}\n*** Delete File: a\n*** End patch`,
      [[3, `did you mean "${end}"?`, "Sections without errors: Delete File a."]],
    ],
    [
      "a section before the patch",
      `*** Delete File: b\n${patch("*** Delete File: a")}`,
      [[1, `before "${begin}"`, "errors: Delete File a"]],
    ],
    [
      "two patches",
      `${patch("*** Delete File: a")}\n${patch("*** Delete File: b")}`,
      [[4, "a call can contain only one patch"]],
    ],
    [
      "a patch in a patch",
      patch("*** Delete File: a", begin, "*** Delete File: b"),
      [[3, "a call can contain only one patch", "errors: Delete File a, Delete File b."]],
    ],
    [
      "a patch in a hunk",
      patch(update, "-a", begin, "*** Delete File: b"),
      [[4, "a call can contain only one patch", "errors: Update File f, Delete File b."]],
    ],
    ["a section after the end", `${patch("*** Delete File: a")}\n\n  *** Delete File: b`, [[5, `after "${end}"`]]],
    ["a hunk after the end", `${patch(update, "-a")}\n@@\n-b\n${end}`, [[5, `after "${end}"`]]],
    ["a second end marker, later", `${patch(update, "-a")}\n+b\n${end}`, [[6, `after "${end}"`]]],
    [
      "a path that is missing",
      patch("*** Delete File: ", "*** Add File:"),
      [
        [2, 'did you mean "*** Delete File: path"?'],
        [3, 'did you mean "*** Add File: path"?'],
      ],
    ],
    [
      "headers that are misspelt",
      patch(
        "*** Update file: f",
        "***Add File: x",
        "*** Delete File:a",
        "*** Create File: y",
        "*** Remove: z",
        "*** Modify File: q",
      ),
      [
        [2, 'did you mean "*** Update File: path"?'],
        [3, 'did you mean "*** Add File: path"?'],
        [4, 'did you mean "*** Delete File: path"?'],
        [5, 'did you mean "*** Add File: path"?'],
        [6, 'did you mean "*** Delete File: path"?'],
        [7, 'did you mean "*** Update File: path"?'],
      ],
    ],
    [
      "a misspelt header after a hunk that is correct",
      patch(update, "-a", "*** Updated File: g", "*** update_file: g", "-b"),
      [[5, 'did you mean "*** Update File: path"?', "errors: Update File f."]],
    ],
    ["an indented plus in an Add", patch("*** Add File: x", "  +1"), [[3, 'starts with "+"']]],
    [
      "a line after a Delete and an empty line",
      patch("*** Delete File: x", "", "+1"),
      [[4, '"+1"', "no lines may follow"]],
    ],
    ["lines before the first section", patch("-1", update, "-a"), [[2, header, "errors: Update File f."]]],
    [
      "a hunk without lines",
      patch(update, "@@ a", "-a", "@@ b", `@@ ${"c".repeat(500)}`, "*** Add File: x"),
      [[5, '"@@ b"', "this hunk has no lines"]],
    ],
    [
      "a hunk without lines at the end of the file",
      patch(update, "@@ a", endOfFile),
      [[4, "after the lines of a hunk"]],
    ],
    ["lines after the end-of-file marker", patch(update, "-a", endOfFile, "-b"), [[5, "a new hunk must start with"]]],
    ["a second move", patch(update, "*** Move to: g", "*** Move to: h"), [[4, "once"]]],
    [
      "a move of a Delete",
      patch("*** Delete File: a", "*** Move to: b"),
      [[3, 'directly after "*** Update File: path"']],
    ],
    ["a move that is misspelt", patch(update, "*** Move file to: g", "-a"), [[3, 'did you mean "*** Move to: path"?']]],
    ["a move as a header", patch(update, "*** Rename File: g", "-a"), [[3, "renaming takes two lines"]]],
    ["a move to nowhere", patch(update, "*** Move to: ", "-a"), [[3, 'did you mean "*** Move to: path"?']]],
    [
      "an environment without a name",
      patch("*** Environment ID: ", "*** Delete File: a"),
      [[2, "must name an environment", "errors: Delete File a."]],
    ],
    [
      "a second environment",
      patch("*** Environment ID: e", "*** Environment ID: e", "*** Delete File: a"),
      [[3, "occur once"]],
    ],
    [
      "every broken section, each once",
      patch("*** Add File: a", "1", "2", update, "@@", "*** Delete File: b", "x", "*** Add File: c", "+1"),
      [
        [3, '"1"'],
        [6, '"@@"'],
        [8, '"x"', "Sections without errors: Add File c."],
      ],
    ],
    [
      "each CRLF of the text is counted as one line end",
      `text\r\n${patch(update, "@@").replaceAll("\n", "\r\n")}`,
      [[4, '"@@"']],
    ],
  ];
  test.each(rows)("%s", (_, text, expected) => {
    const parsed = parsePatch(text, lenient);
    if (parsed.ok) throw new Error("the patch was not refused");
    expect(parsed.failures.map(({ code, line }) => [code, line])).toEqual(
      expected.map(([line]) => ["patchSyntax", line]),
    );
    for (const [i, [line, ...parts]] of expected.entries()) {
      const { message = "", index } = parsed.failures[i] ?? {};
      for (const part of [`Line ${line} of the patch`, ...parts]) expect(message).toContain(part);
      expect(index).toBeUndefined();
    }
    expect(parsed.unlisted).toBe(0);
    expect(parsePatch(text, strict).ok).toBe(false);
  });

  const onPages: [name: string, text: string][] = [
    ["JSON", ' {"command": ["apply_patch", "*** Begin Patch\\n"]}'],
    ["line breaks written as two characters", `${begin}\\n${update}\\n-a\\n${end}`],
    ["a unified diff between the markers", patch("--- a/f", "+++ b/f", "@@ -1 +1 @@", "-a", "+b")],
    ["two patches", `${patch("*** Delete File: a")}\n${patch("*** Delete File: b")}`],
    ["a line in an Add without its plus", patch("*** Add File: x", "+1", "2", "3", "*** Delete File: a")],
    ["an empty line in an Add", patch("*** Add File: x", "+1", "", "", "+2")],
    ["@@ in an Add", patch("*** Add File: x", "@@", "+1")],
    ["the end-of-file marker in an Add", patch("*** Add File: x", "+1", endOfFile)],
    ["lines in a Delete", patch("*** Delete File: x", "-1", "-2", "*** Add File: y")],
    ["an Update without hunks", patch(update, "*** Delete File: x")],
    ["a move after a hunk", patch(update, "-a", "*** Move to: g", "*** Delete File: x")],
  ];
  test.each(onPages)("is refused by the strict grammar as well: %s", (_, text) => {
    expect(parsePatch(text, strict).ok).toBe(false);
  });

  test("but for Codex an empty line after an Update's header is a hunk", () => {
    const text = patch(update, "");
    expect(parsePatch(text, lenient)).toMatchObject({ ok: false, failures: [{ line: 2, path: "f" }] });
    expect(parsePatch(text, strict)).toMatchObject({ ok: true, operations: [change(2, [hunk(0, 3, [" "])])] });
  });

  test("names the file of its section", () => {
    const parsed = parsePatch(
      patch("*** Add File: x", "1", update, "@@", "*** Delete File: y", "-1", "*** Foo"),
      lenient,
    );
    expect(parsed).toMatchObject({ ok: false, failures: [{ path: "x" }, { path: "f" }, { path: "y" }] });
  });

  test("is quoted along with the names of the correct sections, in a message of limited length", () => {
    const long = "é".repeat(limits.pathLength);
    const sound = Array.from({ length: 200 }, (_, i) => `*** Delete File: ${i}${long.slice(3)}`);
    const parsed = parsePatch(patch(...sound, `*** Add File: ${long}`, "x".repeat(100_000)), lenient);
    expect(parsed).toMatchObject({ ok: false, failures: [{ line: 203, path: long }] });
    const { message = "" } = (!parsed.ok && parsed.failures[0]) || {};
    expect(message.length).toBeLessThanOrEqual(limits.failureMessage);
    expect(message).toContain("Sections without errors: Delete File 0é");
    expect(message).toMatch(/ and \d+ more\.$/);
  });

  test("may be one of many: the first are listed, and the others are counted", () => {
    const lines = Array.from({ length: limits.failuresPerCall + 7 }, () => ["*** Delete File: a", "x"]);
    const parsed = parsePatch(patch(...lines.flat()), lenient);
    expect(parsed).toMatchObject({ ok: false, unlisted: 7 });
    expect(!parsed.ok && parsed.failures.map(({ line }) => line)).toEqual(
      Array.from({ length: limits.failuresPerCall }, (_, i) => 3 + 2 * i),
    );
  });
});

describe("the strict grammar says why it refuses", () => {
  const rows: [name: string, text: string, line: number, part: string][] = [
    ["text before the patch", `Here:\n${patch("*** Delete File: a")}`, 1, "no text before"],
    ["text after it", `${patch("*** Delete File: a")}\nDone.`, 4, `after "${end}"`],
    ["three end markers", `${patch("*** Delete File: a")}\n${end}\n${end}`, 4, `after "${end}"`],
    ["a patch without its end marker", `${begin}\n${update}\n-a\n`, 3, `without "${end}"`],
    ["a byte order mark", `\ufeff${patch("*** Delete File: a")}`, 1, "no text before"],
    ["a heredoc with another tag", `<<X\n${patch("*** Delete File: a")}\nX`, 1, "no text before"],
    ["an empty line between sections", patch("*** Delete File: a", "", "*** Delete File: b"), 3, "no lines may follow"],
    ["stacked anchors", patch(update, "@@ a", "@@ b", "-c"), 4, 'only one "@@" line per hunk'],
    ["an anchor without its space", patch(update, "@@a", "-c"), 3, "a line of a hunk starts with"],
    ["a move without hunks", patch(update, "*** Move to: g"), 2, "the section has no hunks"],
  ];
  test.each(rows)("%s", (_, text, line, part) => {
    expect(parsePatch(text, strict)).toMatchObject({
      ok: false,
      failures: [{ line, message: expect.stringContaining(part) }],
    });
  });
});

describe("limits", () => {
  const deletions = (n: number): string => patch(...Array.from({ length: n }, (_, i) => `*** Delete File: ${i}`));

  test("the largest number of operations that is allowed, and one more", () => {
    expect(parsePatch(deletions(limits.editsPerCall), lenient)).toMatchObject({ ok: true });
    expect(parsePatch(deletions(limits.editsPerCall + 1), lenient)).toMatchObject({
      ok: false,
      failures: [{ code: "tooLarge" }],
    });
    const hunks = Array.from({ length: limits.editsPerCall }, () => ["@@", "-a"]).flat();
    expect(parsePatch(patch(update, ...hunks), strict)).toMatchObject({ ok: true });
    expect(parsePatch(patch(update, "*** Move to: g", ...hunks), strict)).toMatchObject({
      ok: false,
      failures: [{ code: "tooLarge" }],
    });
  });

  test("a path may be as long as the limit", () => {
    const path = "p".repeat(limits.pathLength);
    expect(parsePatch(patch(`*** Delete File: ${path}`), lenient)).toMatchObject({ ok: true });
    expect(parsePatch(patch(`*** Delete File: ${path}p`), lenient)).toMatchObject({
      ok: false,
      failures: [{ code: "tooLarge", line: 2 }],
    });
  });

  const long: [name: string, text: string][] = [
    ["empty lines before a hunk", `${begin}\n${update}\n${"\n \n".repeat(200_000)}-a`],
    ["empty lines between anchors", `${begin}\n${update}\n${"@@ a\n\n\n".repeat(150_000)}-a`],
    ["lines without their space", `${begin}\n${update}\n${"*** a\n".repeat(200_000)}`],
    ["broken sections", `${begin}\n${"*** Updat File: f\n*** Delete File: a\nx\n".repeat(50_000)}`],
    ["one line of spaces", `${begin}\n${update}\n-a${" ".repeat(2_000_000)}b`],
    ["one line of asterisks", `${begin}\n${update}\n-a\n${"*".repeat(2_000_000)}`],
    ["text after the end", `${patch("*** Delete File: a")}\n${"* x\n".repeat(200_000)}`],
    ["text without a patch", "*** \n".repeat(200_000)],
  ];
  test.each(long)("the time for a long text is proportional to its length: %s", (_, text) => {
    for (const how of [strict, lenient]) expect(typeof parsePatch(text, how).ok).toBe("boolean");
  });
});
