/** Every behaviour that the architecture page lists has a test file, and one that `npm test` runs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { holdersOf, rowProblems, rowsOf, toMarkdown } from "./rows/table.js";
import { projectPaths, projectRoot } from "./support/project.js";
import { longest, onlyInAll } from "./support/suites.js";

const textOf = (path: string): string => readFileSync(join(projectRoot, path), "utf8");

/** The files that no test of the small suite is seen to run, with the reason. */
const reasons: Readonly<Record<string, string>> = {
  "server/agents/agent.ts": "has only types",
  "server/dialect/calls.ts": "has only types; packageAuthors.test.ts compiles programs against them",
  "server/dialect/options.ts": "has only types",
  "server/match/place.ts": "has only types",
  "server/session/client.ts": "packageAuthors.test.ts imports it from an installed package, as authors of agents do",
};

const page = [
  "## Where each behaviour is implemented",
  "| behaviour | file |",
  "| --- | --- |",
  "| **calls** | |",
  "| a; b | `text/a.ts`; read in `main.ts` |",
  "| c | all of `plan/` |",
  "## Invariants",
  "| d | `text/d.ts` |",
].join("\n");
const files = ["server/text/a.ts", "server/text/d.ts", "server/main.ts", "server/plan/p.ts", "server/plan/edits/q.ts"];

describe("the table of behaviours", () => {
  const paths = [...projectPaths];
  const rows = rowsOf(textOf("server/README.md"), paths);

  it("has a test file in each row, and one of the small suite", () => {
    const holders = JSON.parse(textOf("test/rows/holders.json"));
    expect(rows.length).toBeGreaterThan(100);
    // The samples have tests of their own: test/agent/samples.test.ts, test/editors and test/agents.
    expect(rows.filter((row) => row.files.length === 0).map((row) => row.behaviour.slice(0, 11))).toEqual([
      "plugins and",
    ]);
    expect(rowProblems(rows, holders, { paths, onlyInAll: Object.keys(onlyInAll), reasons })).toEqual([]);
  });

  it("is read row by row, with all files of a folder", () => {
    expect(rowsOf(page, files)).toEqual([
      { behaviour: "a; b", files: ["server/text/a.ts", "server/main.ts"] },
      { behaviour: "c", files: ["server/plan/p.ts", "server/plan/edits/q.ts"] },
    ]);
  });

  it("names files that exist where tests are left to npm run test:all, or start first", () => {
    expect([...Object.keys(onlyInAll), ...longest].filter((path) => !paths.includes(path))).toEqual([]);
  });
});

describe("a problem with a row", () => {
  const rows = rowsOf(page, files).slice(0, 1);
  const problems = (holders: Record<string, string[]>, reasons = {}) =>
    rowProblems(rows, holders, { paths: ["x.test.ts", "y.test.ts"], onlyInAll: ["y.test.ts"], reasons });

  it("is a file that no test runs, or only one that is gone", () => {
    expect(problems({ "server/main.ts": ["gone.test.ts"], "server/text/a.ts": ["x.test.ts"] })).toEqual([
      "no test file is known to run server/main.ts: npm run rows -- <its test file>",
    ]);
  });

  it("is a file that only tests outside of the small suite run, unless there is a reason", () => {
    const holders = { "server/main.ts": ["y.test.ts"], "server/text/a.ts": ["x.test.ts", "y.test.ts"] };
    expect(problems(holders)).toEqual(["only npm run test:all runs server/main.ts: y.test.ts"]);
    expect(problems(holders, { "server/main.ts": "slow" })).toEqual([]);
    expect(problems({ "server/text/a.ts": ["x.test.ts"] }, { "server/main.ts": "slow" })).toEqual([]);
  });

  it("is a reason that is not needed any more", () => {
    const holders = { "server/main.ts": ["x.test.ts"], "server/text/a.ts": ["x.test.ts"] };
    expect(problems(holders, { "server/main.ts": "slow" })).toEqual([
      "server/main.ts needs no reason: x.test.ts runs it",
    ]);
  });
});

it("a test file that runs what few others run is named first, and at most three are named", () => {
  const ran = new Map([
    ["a", new Set(["server/f.ts one", "server/f.ts two"])],
    ["b", new Set(["server/f.ts one", "server/f.ts two"])],
    ["c", new Set(["server/f.ts rare", "server/f.ts one", "server/g.ts "])],
    ["d", new Set(["server/f.ts one"])],
  ]);
  const holders = holdersOf(ran);
  expect(holders).toEqual({ "server/f.ts": ["c", "a", "b"], "server/g.ts": ["c"] });
  const rows = [{ behaviour: "f", files: ["server/f.ts", "server/g.ts"] }];
  expect(toMarkdown(rows, holders, ["a"])).toContain("| f | c, a (all), b |");
});
