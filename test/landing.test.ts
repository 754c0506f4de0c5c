/** Runs a few cases of the landing benchmark to check that it still works and that it detects wrong results. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { kinds } from "./bench/landing/kinds.js";
import type { LandingCase } from "./bench/landing/landingCase.js";
import { drawEdits, endOf, oldLines, placesOf, withEdits } from "./bench/landing/realEdit.js";
import { runKind } from "./bench/landing/run.js";
import { toSent } from "./bench/landing/sent.js";
import { changedFiles } from "./bench/landing/sources.js";
import { figuresOf, toTable, total } from "./bench/landing/table.js";
import { judge } from "./bench/landing/trial.js";
import { chanceOf } from "./codex/random.js";

const files = changedFiles(dirname(dirname(fileURLToPath(import.meta.url))));

describe("edits that people made, damaged as models damage them", () => {
  const seed = 1;
  const rows = kinds.map((kind) => figuresOf(kind, runKind(kind, { files, seed, count: 7 })));

  it.each(rows)("land or are refused as promised: $kind", ({ wrong, isMet, ...row }) => {
    expect({ wrong, isMet }, JSON.stringify(row)).toEqual({ wrong: 0, isMet: true });
  });

  it("and refusals name the right place", () => {
    const all = total(rows);
    expect(all.cases).toBeGreaterThanOrEqual(200);
    expect(all.isMet, toTable([...rows, all])).toBe(true);
  });
});

describe("the edits", () => {
  it("are certain and disjoint, and their old texts are in the older version", () => {
    const chance = chanceOf(2);
    const versions = files.slice(0, 20).flatMap((file) => file.version() ?? []);
    expect(versions.length).toBeGreaterThan(10);
    for (const version of versions) {
      const edits = drawEdits(chance, version, 3);
      edits.forEach((edit, i) => {
        const old = oldLines(edit);
        expect(version.lines.slice(edit.start, endOf(edit))).toEqual(old);
        expect(placesOf(old, version.lines)).toBe(1);
        expect(edit.start).toBeGreaterThan(i === 0 ? -1 : endOf(edits[i - 1] ?? edit));
      });
    }
  });

  it("keep the file's own lines and write the new ones", () => {
    const lines = [
      { kind: "keep", text: "b" },
      { kind: "remove", text: "c" },
      { kind: "add", text: "C" },
    ] as const;
    expect(withEdits(["a", "b  ", "c", "d"], [{ start: 1, lines }], (line) => `\t${line}`)).toEqual([
      "a",
      "b  ",
      "\tC",
      "d",
    ]);
  });

  it("count as one text if only whitespace and typography distinguish them", () => {
    expect(placesOf(["say “a”"], ["  say 'a'", 'say "a" ', "say(“a”)"])).toBe(1);
    expect(placesOf(["a - b", ""], ["a\u00a0– b", "", "a-b", "\t"])).toBe(2);
  });
});

describe("the judge", () => {
  const one: LandingCase = {
    path: "a.ts",
    door: "batch",
    before: "one();\n\ttwo();\nthree();\n",
    call: { path: "a.ts", edits: [{ oldText: "two();", newText: "2();" }] },
    places: [{ startLine: 2, endLine: 2 }],
    sentLines: [1],
    expected: { text: "one();\n\t2();\nthree();\n" },
  };

  it("calls a text right only if it is the expected one byte for byte", () => {
    expect(judge(one).outcome).toBe("right");
    expect(judge({ ...one, expected: { text: "one();\n  2();\nthree();\n" } }).outcome).toBe("wrong");
    expect(judge({ ...one, expected: { text: "one();\n\t2();\nthree();" } }).outcome).toBe("wrong");
  });

  it("calls an edit wrong if it lands although it must not", () => {
    expect(judge({ ...one, expected: { reason: "absent", index: 0 } }).outcome).toBe("wrong");
  });

  it("sees whether a refusal names the place and the reason", () => {
    const call = { path: "a.ts", edits: [{ oldText: "\ttwo(1);\nthree();", newText: "x" }] };
    const refused = { ...one, call, places: [{ startLine: 2, endLine: 3 }], sentLines: [2] };
    const expected = { reason: "wrongWord", index: 0, differsAt: { line: 1, column: 5 } } as const;
    const verdict = judge({ ...refused, expected });
    expect(verdict).toMatchObject({ outcome: "refused", pointsAtPlace: true, isReasonRight: true });
    expect(judge({ ...refused, places: [{ startLine: 1, endLine: 1 }], expected }).pointsAtPlace).toBe(false);
    const elsewhere = { ...expected, differsAt: { line: 1, column: 4 } };
    expect(judge({ ...refused, expected: elsewhere }).isReasonRight).toBe(false);
    expect(judge({ ...refused, expected: { reason: "ambiguous", index: 0 } }).isReasonRight).toBe(false);
  });

  it("does not accept a failure of another edit in place of the one at fault", () => {
    const edits = [
      { oldText: "two();", newText: "2();" },
      { oldText: "four();", newText: "4();" },
    ];
    const verdict = judge({ ...one, call: { path: "a.ts", edits }, expected: { reason: "absent", index: 0 } });
    expect(verdict).toMatchObject({ outcome: "refused", isReasonRight: false });
  });
});

describe("an edit as a model sends it", () => {
  const lines = [
    { kind: "keep", text: "a" },
    { kind: "remove", text: "b" },
    { kind: "add", text: "c" },
  ] as const;

  it("has its context in both texts, as the model spells it", () => {
    expect(
      toSent({ lines }, { copied: (line, at) => `${at}${line}`, typed: (line) => `+${line}`, ended: true }),
    ).toEqual({
      oldText: "0a\n1b\n",
      newText: "0a\n+c\n",
      hunk: [
        { kind: "keep", text: "0a" },
        { kind: "remove", text: "1b" },
        { kind: "add", text: "+c" },
      ],
    });
  });

  it("may have clean context in the new text", () => {
    const { oldText, newText } = toSent({ lines }, { copied: (line) => `${line} `, cleanNew: true, ended: false });
    expect([oldText, newText]).toEqual(["a \nb ", "a\nc"]);
  });
});
