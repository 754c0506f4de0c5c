/** Checks how the dialect of a text is recognised, and that any text is read or refused. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCall } from "../server/dialect/decode.js";
import { dialectOf, readText, textDialects } from "../server/dialect/textDialects.js";
import { indicesOf } from "../server/plan/operation.js";
import { limits } from "../server/text/limits.js";
import { lawRuns } from "./support/extent.js";

/** A text in each dialect, with the line (0-based) that shows it, if text precedes and follows. */
const samples: Readonly<Record<string, string>> = {
  "Codex patch": "*** Begin Patch\n*** Update File: a\n@@\n-a\n+b\n*** End Patch",
  "unified diff": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b",
  "SEARCH/REPLACE blocks": "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
};

describe("the table of text dialects", () => {
  it("has a sample of each", () => {
    expect(textDialects.map(({ name }) => name)).toEqual(Object.keys(samples));
  });

  for (const [name, text] of Object.entries(samples)) {
    it(`recognises a ${name} within a longer text`, () => {
      const around = `Here it is:\n\n${text}\n\nDone.\n`;
      expect(dialectOf(around)?.name).toBe(name);
      expect(dialectOf(around)?.recognise(around)).toBe(2);
    });
  }

  it("recognises nothing in prose", () => {
    expect(dialectOf("Nothing to change.\n")).toBeUndefined();
  });

  it("takes the first of several signs", () => {
    const [codex = "", diff = "", blocks = ""] = Object.values(samples);
    expect(dialectOf(`${codex}\n${diff}\n${blocks}`)?.name).toBe("Codex patch");
    expect(dialectOf(`${diff}\n${blocks}\n${codex}`)?.name).toBe("unified diff");
    expect(dialectOf(`${blocks}\n${codex}\n${diff}`)?.name).toBe("SEARCH/REPLACE blocks");
  });

  it("reads nothing but a Codex patch without leniency", () => {
    for (const text of Object.values(samples).slice(1)) {
      expect(readText(text, { lenient: false, path: "a" })).toMatchObject({ failures: [{ code: "patchSyntax" }] });
    }
  });
});

describe("any text", () => {
  const pieces = [
    ...[
      "diff --git a/x b/x",
      "--- a/x",
      "+++ b/x",
      "--- /dev/null",
      "+++ /dev/null",
      "@@ -1,2 +1 @@",
      "@@",
      " c",
      "-r",
    ],
    ...["+a", "\\ No newline at end of file", "rename from x", "rename to y", "new file mode 100644", "-- ", "2.40.0"],
    ...[
      "<<<<<<< SEARCH",
      "=======",
      ">>>>>>> REPLACE",
      "------- SEARCH",
      ":start_line:2",
      "-------",
      "```",
      "x.ts",
      "",
    ],
    ...["*** Begin Patch", "*** Update File: x", "*** End Patch", "deleted file mode 100644", "Binary files", "x y"],
  ];

  it("is read into operations whose edits are numbered, or refused with a limited number of failures", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 24 }), (lines) => {
        const read = readText(lines.join("\n"), { lenient: true });
        if (read.ok) {
          const indices = read.operations.flatMap(indicesOf).sort((a, b) => a - b);
          expect(indices.length).toBeGreaterThan(0);
          expect(indices).toEqual(indices.map((_, i) => i));
        } else {
          expect(read.failures.length).toBeGreaterThan(0);
          for (const { line } of read.failures) expect(line).toBeLessThanOrEqual(lines.length || 1);
        }
      }),
      { numRuns: lawRuns(2_000) },
    );
  });

  it.each([
    ["hunks", `--- a/a\n+++ b/a\n${"@@ -1,9999999 +1,9999999 @@\n-x\n".repeat(200_000)}`],
    ["empty hunks", `--- a/a\n+++ b/a\n${"@@\n".repeat(200_000)}`],
    ["files", "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n".repeat(100_000)],
    ["blocks", `a.ts\n${"<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n".repeat(100_000)}`],
    ["starts of blocks", "<<<<<<< SEARCH\n".repeat(200_000)],
    ["ends of blocks", `${">>>>>>> REPLACE\n".repeat(200_000)}<<<<<<< SEARCH`],
    [
      "words above blocks",
      `${"ab-".repeat(1_300)}:::x\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n`.repeat(1_000),
    ],
    ["a word above a block", `${"ab-".repeat(1_000_000)} \n${samples["SEARCH/REPLACE blocks"]}`],
    ["colons above blocks", `${":".repeat(4_000)}x\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n`.repeat(1_000)],
  ])("with a great many %s is refused in time", (_, text) => {
    const read = readText(text, { lenient: true });
    expect(read).toMatchObject({ ok: false });
    if (!read.ok) expect(read.failures.length).toBeLessThanOrEqual(limits.failuresPerCall);
  });

  it("with a path that is too long is refused", () => {
    const long = "x".repeat(limits.pathLength + 1);
    for (const text of [`--- a/${long}\n+++ b/${long}\n@@ -1 +1 @@\n-a\n+b`, samples["SEARCH/REPLACE blocks"]!]) {
      expect(readText(text, { lenient: true, path: long })).toMatchObject({ failures: [{ code: "tooLarge" }] });
    }
  });
});

describe("a command that applies a patch", () => {
  const patch = "*** Begin Patch\n*** Update File: a\n*** Move to: /b\n*** Delete File: file:///c\n*** End Patch";
  const pathsIn = (call: object): unknown => {
    const read = decodeCall(call, { optionsAllowed: true });
    return read.ok
      ? read.operations.map(({ path, ...more }) => ("move" in more ? [path, more.move?.path] : path))
      : read.failures.map(({ code }) => code);
  };
  const script = `cd 'my src' && apply_patch <<'EOF'\n${patch}\nEOF\n`;

  it.each<[name: string, call: object, paths: unknown]>([
    ["without a folder", { command: ["apply_patch", patch] }, [["a", "/b"], "file:///c"]],
    ["in a folder", { command: ["applypatch", patch], workdir: "/w/" }, [["/w/a", "/b"], "file:///c"]],
    ["that goes into a folder", { command: ["bash", "-lc", script] }, [["my src/a", "/b"], "file:///c"]],
    [
      "that goes into a folder from another one",
      { command: ["/bin/sh", "-c", script], workdir: "/w" },
      [["/w/my src/a", "/b"], "file:///c"],
    ],
    ["beside another patch", { command: ["apply_patch", patch], patch, workdir: "/w" }, ["invalidParams"]],
    ["and does more", { command: ["bash", "-lc", `${script}rm a`] }, ["missingField"]],
    ["with another option", { command: ["bash", "-x", script] }, ["missingField"]],
    ["as one text", { command: `apply_patch ${patch}` }, ["missingField"]],
  ])("%s", (_, call, paths) => expect(pathsIn(call)).toEqual(paths));
});
