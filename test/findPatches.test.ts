/** The patches that are found in a text: their lines, and the text that is sent for each. */
import { describe, expect, it } from "vitest";
import { findPatches } from "../server/lsp/patches/find.js";
import { LineIndex } from "../server/text/lines.js";

const codex = ["*** Begin Patch", "*** Update File: a.ts", "@@", "-one", "+two", "*** End Patch"];
const block = ["<<<<<<< SEARCH", "one", "=======", "two", ">>>>>>> REPLACE"];
const diff = ["--- a/a.ts", "+++ b/a.ts", "@@ -1 +1 @@", "-one", "+two"];

/** The patches of a text, each as its first and last line (1-based) and the lines that are sent. */
function found(lines: readonly string[]): string[] {
  const text = `${lines.join("\n")}\n`;
  return findPatches(text, LineIndex.of(text, { loneCrEndsLine: true })).map(
    ({ from, to, text: sent }) => `${from + 1}-${to + 1} of ${sent.split("\n").length - 1}`,
  );
}

describe("patches are found", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["none in prose", ["# Title", "", "- one", "+ two", "---", "*** three ***"], []],
    ["a Codex patch in prose", ["Do this:", ...codex, "Done."], ["2-7 of 6"]],
    ["a Codex patch in a fence", ["```", ...codex, "```"], ["2-7 of 6"]],
    ["two Codex patches, one right after the other", [...codex, ...codex], ["1-6 of 6", "7-12 of 6"]],
    ["two Codex patches, the first without an end", [...codex.slice(0, 5), ...codex], ["1-5 of 5", "6-11 of 6"]],
    ["a Codex patch without its first line", ["Text", "", "```", ...codex.slice(1), "```"], ["4-8 of 6"]],
    [
      "a Codex patch that adds a Markdown file",
      ["*** Begin Patch", "*** Add File: a.md", "+# Title", "+", "+```", "+code", "+```", "*** End Patch", "```"],
      ["1-8 of 8"],
    ],
    [
      "a Codex patch with a fence in its context",
      ["*** Begin Patch", "*** Update File: a.md", "@@", " ```", "-one", "+two", " ```", "*** End Patch", "Text"],
      ["1-8 of 8"],
    ],
    ["a diff in prose", ["Text", "", ...diff, "", "Text"], ["3-7 of 7"]],
    ["a diff in a fence, with a list below", ["```diff", ...diff, "```", "- one"], ["2-6 of 6"]],
    ["diffs of two files as one patch", ["```", ...diff, ...diff, "```"], ["2-11 of 11"]],
    [
      "diffs in two fences as two patches",
      ["```", ...diff, "```", "Text", "~~~diff", ...diff, "~~~"],
      ["2-6 of 6", "10-14 of 6"],
    ],
    ["diffs below two headings as two patches", [...diff, "", "## Me", "", ...diff], ["1-5 of 6", "9-13 of 5"]],
    ["a block below the name of its file", ["Text", "", "a.ts", ...block, "", "Text"], ["3-8 of 8"]],
    ["a block in a fence below the name of its file", ["Text", "", "a.ts", "```", ...block, "```"], ["3-9 of 8"]],
    ["a block in a fence that names its file", ["Text", "```ts a.ts", ...block, "```"], ["1-7 of 8"]],
    [
      "a block with a fence, a heading and a marker of another dialect in it",
      ["a.md", "<<<<<<< SEARCH", "", "# one", "```", "=======", "*** Begin Patch", ">>>>>>> REPLACE", "Text"],
      ["1-8 of 9"],
    ],
    ["blocks that follow each other as one patch", ["a.ts", ...block, "", "b.ts", ...block], ["1-13 of 13"]],
    [
      "blocks in two fences as two patches",
      ["a.ts", "```", ...block, "```", "", "b.ts", "```", ...block, "```"],
      ["1-7 of 8", "10-16 of 8"],
    ],
    ["a block without an end, and what follows", ["a.ts", ...block.slice(0, 3), "", "Text"], ["1-2 of 6"]],
    ["a diff with a line like a heading in it", [...diff, "# a comment", "@@ -9 +9 @@", "-three"], ["1-8 of 8"]],
    ["two dialects", ["```", ...codex, "```", "", ...diff], ["2-7 of 6", "10-14 of 5"]],
    ["nothing indented by the prose around it", codex.map((line) => `> ${line}`), []],
  ])("%s", (_, lines, patches) => expect(found(lines)).toEqual(patches));

  it("in the diff of a mail", () => {
    const mail = [
      "From 0123 Mon Sep 17",
      "Subject: [PATCH] one",
      "---",
      " a.ts | 2 +-",
      "",
      ...diff,
      "-- ",
      "2.39",
      "",
    ];
    expect(found(mail)).toEqual(["6-11 of 8"]);
  });

  it("with the lines as they are in the document, also with CRLF and a byte order mark", () => {
    const text = `\ufeffText\r\n\r\n${codex.join("\r\n")}\r\n`;
    const [patch] = findPatches(text, LineIndex.of(text, { loneCrEndsLine: false }));
    expect(patch).toEqual({ from: 2, to: 7, text: `${codex.join("\r\n")}\r\n` });
  });

  it("in linear time, whatever the text", () => {
    for (const line of [
      "*** Begin Patch\n",
      "--- a\n",
      "diff --git \n",
      "<<<<<<< SEARCH\n",
      "*** Add File: a\n",
      "```\n",
    ]) {
      const time = (count: number): number => {
        const text = line.repeat(count);
        const start = performance.now();
        findPatches(text, LineIndex.of(text, { loneCrEndsLine: true }));
        return performance.now() - start;
      };
      time(2_000);
      expect(time(40_000), line).toBeLessThan(40 * Math.max(time(4_000), 5));
    }
  });
});
