/** Runs a few cases of the landing benchmark to check that it still works and that it detects wrong results. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { structuredPatch } from "diff";
import { describe, expect, it } from "vitest";
import { weightOf } from "./bench/landing/causes.js";
import { kinds, weightOfKind } from "./bench/landing/kinds.js";
import type { LandingCase } from "./bench/landing/landingCase.js";
import { drawEdits, endOf, oldLines, placesOf, withEdits } from "./bench/landing/realEdit.js";
import { casesOf, runKind } from "./bench/landing/run.js";
import { signed, toSent } from "./bench/landing/sent.js";
import { sourceFiles } from "./bench/landing/sources.js";
import { suffices } from "./bench/landing/suffices.js";
import { byCause, type Figures, figuresOf, refusalGoals, toTable, total, weighted } from "./bench/landing/table.js";
import { folderPairs, gitPairs, packagePairs } from "./bench/landing/textPairs.js";
import { judge } from "./bench/landing/trial.js";
import { withGitContext } from "./bench/landing/undamaged.js";
import { chanceOf } from "./codex/random.js";
import { makeDirectory } from "./support/directory.js";

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const pairs = packagePairs(project);
const files = sourceFiles(pairs);
const amounts = { undamaged: 20, failing: 200, least: 4 };

describe("edits that people made, damaged as models damage them", async () => {
  const rows: Figures[] = [];
  for (const kind of kinds)
    rows.push(figuresOf(kind, await runKind(kind, { files, seed: 1, count: casesOf(kind, amounts) })));

  it.each(rows)("land or are refused as promised: $kind", ({ cases, wrong, isMet, ...row }) => {
    expect(cases).toBeGreaterThan(0);
    expect({ wrong, isMet }, JSON.stringify(row)).toEqual({ wrong: 0, isMet: true });
  });

  it("and refusals name the right place and say enough", () => {
    const all = total(rows);
    // So few cases can't tell shares exactly.
    const refusals = refusalGoals(rows).map(({ does, share, goal }) => ({ does, isMet: share >= goal - 5 }));
    const goals = [{ does: "land wrong", isMet: all.isMet }, ...refusals];
    expect(all.cases).toBeGreaterThanOrEqual(500);
    expect(
      goals.filter(({ isMet }) => !isMet).map(({ does }) => does),
      toTable([...rows, all]),
    ).toEqual([]);
  });
});

describe("the weights", () => {
  it("add up to one, and calls without a mistake have none", () => {
    expect(kinds.reduce((sum, kind) => sum + weightOfKind(kind), 0)).toBeCloseTo(1);
    expect(weightOf("undamaged") + weightOf("sound")).toBe(0);
  });

  it("are those of real failures: three quarters real work, one quarter patches of a benchmark", () => {
    // The columns add up to 99 and 101.3.
    expect(weightOf("already applied")).toBeCloseTo((0.75 * 15) / 99 + (0.25 * 2.5) / 101.3);
    expect(weightOf("a patch that changes nothing")).toBeCloseTo((0.25 * 46) / 101.3);
  });

  it("decide how many cases a kind has, and how much they count", () => {
    const [applied] = kinds.filter(({ name }) => name === "already applied");
    if (applied === undefined) throw new Error("no such kind");
    expect(casesOf(applied, { undamaged: 7, failing: 1_000, least: 4 })).toBe(
      Math.round(1_000 * weightOfKind(applied)),
    );
    const row = figuresOf(applied, []);
    const rows = [
      { ...row, weight: 0.9, cases: 10, asked: 10, told: 10 },
      { ...row, weight: 0.1, cases: 1_000, asked: 1_000, told: 0 },
      { ...row, weight: 0, cases: 50, asked: 50, told: 0 },
    ];
    expect(weighted(rows, "told", "asked")).toBeCloseTo(0.9);
    expect(byCause(rows)).toMatchObject([{ kind: "already applied", cases: 1_060, told: 10 }]);
  });
});

describe("the sources", () => {
  it("are folders with versions of a package, each compared with the next", () => {
    const folder = makeDirectory({
      "1/a.py": "a\n",
      "1/same.md": "s",
      "1/photo.png": "x",
      "2/a.py": "b\n",
      "2/same.md": "s",
      "2/photo.png": "y",
      "3/a.py": "b\n",
      "3/same.md": "t",
    });
    expect(folderPairs(["1", "2", "3"].map((name) => join(folder, name)))).toEqual([
      { path: "2/a.py", before: "a\n", after: "b\n" },
      { path: "3/same.md", before: "s", after: "t" },
    ]);
  });

  it("are the files that each commit of a Git repository changes", () => {
    const folder = makeDirectory({ "a.md": "one\n", "sub/文.md": "一\n" });
    const git = (...args: string[]): string => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" });
    const commit = (): string =>
      git("-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-q", "--no-verify", "-m", "x");
    git("init", "-q");
    git("add", ".");
    commit();
    writeFileSync(join(folder, "sub/文.md"), "一\n二");
    mkdirSync(join(folder, "new"));
    writeFileSync(join(folder, "new/b.md"), "new");
    git("add", ".");
    commit();
    writeFileSync(join(folder, "a.md"), "two\n");
    git("add", ".");
    commit();
    const found = gitPairs(folder, 10).map(({ path, ...texts }) => ({ path: path.slice(9), ...texts }));
    expect(found).toEqual([
      { path: "a.md", before: "one\n", after: "two\n" },
      { path: "sub/文.md", before: "一\n", after: "一\n二" },
    ]);
    expect(gitPairs(folder, 1)).toHaveLength(1);
  });

  it("are left out if line endings are mixed or differ, or if a text is empty or binary", () => {
    const names = sourceFiles([
      { path: "lf", before: "a\nb\n", after: "a\n" },
      { path: "crlf", before: "a\r\nb", after: "c\r\nb" },
      { path: "mixed", before: "a\r\nb\n", after: "a\r\n" },
      { path: "ended", before: "a\n", after: "b" },
      { path: "empty", before: "", after: "b" },
      { path: "binary", before: "\0", after: "b" },
    ]).map(({ path }) => path);
    expect(names).toEqual(["lf", "crlf"]);
  });
});

describe("undamaged edits", () => {
  it.each([0, 1, 3])("are the hunks that the package diff makes with %i lines of context", (context) => {
    let count = 0;
    for (const { path, before, after } of pairs.slice(0, 100)) {
      const version = sourceFiles([{ path, before, after }])[0]?.version();
      if (version?.isComplete !== true || !version.isEnded) continue;
      const { hunks } = structuredPatch("", "", before, after, undefined, undefined, { context });
      expect(withGitContext(version, version.hunks, context).map(({ lines }) => signed(lines))).toEqual(
        hunks.map(({ lines }) => lines),
      );
      count += hunks.length;
    }
    expect(count).toBeGreaterThan(100);
  });
});

describe("a message says enough for the next call", () => {
  const before = "a();\n  if (x) {\n    log(x);\n  }\nb();\n  if (x) {\n    log(x);\n  }\n";
  const says = (message: string, startLine: number, endLine: number, ...sent: string[]): boolean =>
    suffices({ code: "noMatch", message }, { before, place: { startLine, endLine }, sent });

  it("if it quotes all lines of the place, with their numbers and uncut", () => {
    expect(says("Nearest match: lines 1-3:\n1| a();\n2| ··if (x) {\n3| ····log(x);\nCopy", 1, 3)).toBe(true);
    expect(says("Nearest match: lines 1-3:\n1| a();\n2| ··if (x) {\n…\nCopy", 1, 3)).toBe(false);
    expect(says("1| a();\n2| ··if (x) …\n3| ····log(x);", 1, 3)).toBe(false);
    expect(says("5| a();\n6| ··if (x) {\n7| ····log(x);", 1, 3)).toBe(false);
  });

  it("if it names a line that only this occurrence has beside it", () => {
    expect(says('occurs 2 times. Adding line 1, directly above, would make it unique: "a();".', 2, 4)).toBe(true);
    expect(says("2|   if (x) {   (line 1: a();)\n6|   if (x) {   (line 5: b();)", 6, 8)).toBe(true);
    expect(says('occurs 2 times. Adding line 1, directly above, would make it unique: "a();".', 6, 8)).toBe(false);
    const both = 'For the match at line 2, start at line 1: "a();". For the match at line 6, start at line 1: "a();".';
    expect(says(both, 6, 8)).toBe(true);
    expect(says("2|     log(x);   (line 2: if (x) {)", 3, 3)).toBe(false);
  });

  it("if it names the line of an old text that is right, because only the anchor is wrong", () => {
    expect(says("The hunk's lines occur only at line 5: leave the anchor out.", 5, 5, "b();")).toBe(true);
    expect(says("The hunk's lines occur only at line 5: leave the anchor out.", 5, 5, "B();")).toBe(false);
    expect(says("The anchor is not a line of the file.", 5, 5, "b();")).toBe(false);
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
    sentLines: [["two();"]],
    expected: { text: "one();\n\t2();\nthree();\n" },
  };

  it("calls a text right only if it is the expected one byte for byte", async () => {
    expect((await judge(one)).outcome).toBe("right");
    expect((await judge({ ...one, expected: { text: "one();\n  2();\nthree();\n" } })).outcome).toBe("wrong");
    expect((await judge({ ...one, expected: { text: "one();\n\t2();\nthree();" } })).outcome).toBe("wrong");
  });

  it("calls an edit wrong if it lands although it must not", async () => {
    expect((await judge({ ...one, expected: { reason: "absent", index: 0 } })).outcome).toBe("wrong");
  });

  it("sees whether a refusal names the place and the reason", async () => {
    const call = { path: "a.ts", edits: [{ oldText: "\ttwo(1);\nthree();", newText: "x" }] };
    const refused = { ...one, call, places: [{ startLine: 2, endLine: 3 }], sentLines: [["\ttwo(1);", "three();"]] };
    const expected = { reason: "wrongWord", index: 0, differsAt: { line: 1, column: 5 } } as const;
    const verdict = await judge({ ...refused, expected });
    expect(verdict).toMatchObject({ outcome: "refused", pointsAtPlace: true, isReasonRight: true });
    expect((await judge({ ...refused, places: [{ startLine: 1, endLine: 1 }], expected })).pointsAtPlace).toBe(false);
    const elsewhere = { ...expected, differsAt: { line: 1, column: 4 } };
    expect((await judge({ ...refused, expected: elsewhere })).isReasonRight).toBe(false);
    expect((await judge({ ...refused, expected: { reason: "ambiguous", index: 0 } })).isReasonRight).toBe(false);
  });

  it("calls a call right only if all its files are", async () => {
    const other = { path: "b.ts", before: "b", after: "c" };
    const edits = [
      { path: "a.ts", oldText: "two();", newText: "2();" },
      { path: "b.ts", oldText: "b", newText: "c" },
    ];
    expect((await judge({ ...one, call: { edits }, besides: [other] })).outcome).toBe("right");
    expect((await judge({ ...one, call: { edits }, besides: [{ ...other, after: "d" }] })).outcome).toBe("wrong");
    expect((await judge({ ...one, besides: [other] })).outcome).toBe("wrong");
  });

  it("finds the file under another name only if the workspace does", async () => {
    const edits = [{ oldText: "two();", newText: "2();" }];
    const renamed = { ...one, path: "src/a.ts", isRenamed: true };
    expect((await judge({ ...renamed, call: { path: "./src/a.ts", edits } })).outcome).toBe("right");
    expect((await judge({ ...renamed, call: { path: "a.ts", edits } })).failures).toMatchObject([
      { code: "fileNotFound", index: 0 },
    ]);
  });

  it("does not accept a failure of another edit in place of the one at fault", async () => {
    const edits = [
      { oldText: "two();", newText: "2();" },
      { oldText: "four();", newText: "4();" },
    ];
    const verdict = await judge({ ...one, call: { path: "a.ts", edits }, expected: { reason: "absent", index: 0 } });
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
