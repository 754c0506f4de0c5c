/** Runs every case of every page, on the core and over the wire. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildProgram, type Program } from "./support/build.js";
import { type Case, parsePage } from "./support/cases.js";
import { runCore } from "./support/core.js";
import type { Encoding } from "./support/editorText.js";
import { expectedFiles, textOf } from "./support/expected.js";
import { isAll } from "./support/extent.js";
import { type FakeEditor, startEditor } from "./support/fakeEditor.js";
import { sentencesOf } from "./support/gist.js";
import { type Outcome, rewrite, type Seen, toOutcome, toWarningLine } from "./support/outcome.js";
import { takesAll } from "./support/takesAll.js";
import { runOverWire } from "./support/wire.js";

const folder = new URL("cases/", import.meta.url);
const updating = process.env.UPDATE_CASES === "1";
const encodings: readonly Encoding[] = ["utf-8", "utf-16", "utf-32"];

let program: Program;
const editors: FakeEditor[] = [];
beforeAll(async () => {
  program = await buildProgram(new URL("../server/main.ts", import.meta.url));
  for (const encoding of encodings) {
    const server = [process.execPath, program.path, "--stdio"] as const;
    const client = encoding === "utf-16" ? takesAll : {};
    editors.push(await startEditor({ server, folders: [], encodings: [encoding], ...client }));
  }
});
afterAll(async () => {
  expect(await Promise.all(editors.map((editor) => editor.stop()))).toEqual(editors.map(() => 0));
  program?.remove();
});

/** Sentences that the cases have produced, each with the first case to produce it. */
const produced = new Map<string, string>();
function noteSentences(one: Case, { failures, warnings }: Seen): void {
  for (const sentence of [...failures.map(({ message }) => message), ...warnings].flatMap(sentencesOf)) {
    if (!produced.has(sentence)) produced.set(sentence, `${one.page}:${one.line} ${one.name}`);
  }
}

for (const page of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
  const markdown = readFileSync(new URL(page, folder), "utf8");
  const cases = parsePage(page, markdown, { outcomeMissing: updating ? "allowed" : "refused" });
  const outcomes = new Map<Case, Outcome>();
  /** Compares the outcome with the page or, if the pages are being updated, records it. */
  const check = (one: Case, seen: Seen): void => {
    noteSentences(one, seen);
    if (updating) outcomes.set(one, toOutcome(seen, one));
    else expect(toOutcome(seen, one)).toEqual(one.outcome);
  };

  describe(page, () => {
    describe("on the core", () => {
      for (const one of cases.filter(({ wireOnly }) => !wireOnly)) {
        it(`${one.name} (line ${one.line})`, () => {
          const { seen, texts, gone } = runCore(one);
          check(one, seen);
          if (updating) return;
          const files = expectedFiles(one, "written");
          for (const path of gone) expect(files.has(path), path).toBe(texts.has(path));
          for (const [path, expected] of files) {
            const before = one.files.find((file) => file.path === path);
            expect(texts.get(path) ?? textOf(before!), path).toBe(textOf(expected));
          }
        });
      }
    });

    describe("over the wire", () => {
      for (const [i, one] of cases.entries()) {
        const editor = (): FakeEditor => editors[i % editors.length]!;
        const goes = waysOf(one, i);
        if (goes("client"))
          it(`${one.name} (line ${one.line}), applied by the client`, async () => {
            const { seen, files } = await runOverWire(one, editor(), "multiEdit/apply");
            check(one, seen);
            if (!updating) expect(files).toEqual(expectedFiles(one, "written"));
          });
        if (goes("server"))
          it(`${one.name} (line ${one.line}), applied by the server`, async () => {
            const { seen, files } = await runOverWire(one, editor(), "multiEdit.apply");
            check(one, { ...seen, warnings: seen.warnings.filter((text) => isOfPage(one, text)) });
            expect(files).toEqual(expectedFiles(one, takesOpenName(one) ? "opened" : "written"));
            expect(editor().refusals).toEqual([]);
          });
        if (goes("editor"))
          it(`${one.name} (line ${one.line}), applied by the server through the editor alone`, async () => {
            const { seen, files } = await runOverWire(one, editor(), "multiEdit.apply", "editor");
            check(one, { ...seen, warnings: seen.warnings.filter((text) => isOfPage(one, text)) });
            expect(files).toEqual(expectedFiles(one, "opened"));
            expect(editor().refusals).toEqual([]);
          });
      }
    });
  });

  afterAll(() => {
    if (!updating) return;
    const outcomesInOrder = cases.map((one) => outcomes.get(one));
    writeFileSync(new URL(page, folder), rewrite(markdown, cases, outcomesInOrder));
  });
}

/** The ways of a call to the editor. `client`: the client applies the answer. `editor`: the server leaves closed files to it. */
type Way = "client" | "server" | "editor";

/** Returns whether a case goes a way: each one in `npm run test:all`, one in turn in `npm test`. `i`: its 0-based number. */
function waysOf(one: Case, i: number): (way: Way) => boolean {
  if (updating) return (way) => way === "client";
  const ways: readonly Way[] = hasUnopened(one) ? ["client", "server", "editor"] : ["client", "server"];
  return (way) => ways.includes(way) && (isAll || ways[Math.floor(i / encodings.length) % ways.length] === way);
}

/** Reports whether a sentence is one of Node's own JSON errors, whose wording differs between versions. */
const isOfNode = (sentence: string): boolean => sentence.includes("in JSON at position");

// While the pages are being rewritten, there is nothing to compare the sentences with.
describe.skipIf(updating)("the page of failures", () => {
  const page = "failures.md";
  const cases = parsePage(page, readFileSync(new URL(page, folder), "utf8"));

  it("pins whole messages", () => {
    const gists = cases.filter(({ blocks, whole }) => blocks.some(({ kind }) => kind !== "diff" && !whole.has(kind)));
    expect(gists.map(({ name }) => name)).toEqual([]);
  });

  it("contains every sentence that a case on any page produces", () => {
    const pinned = new Set(cases.flatMap(wholeMessagesOf).flatMap(sentencesOf));
    const missing = [...produced].filter(([sentence]) => !pinned.has(sentence) && !isOfNode(sentence));
    expect(Object.fromEntries(missing)).toEqual({});
  });
});

/** Returns the messages and warnings that a case pins in full. */
function wholeMessagesOf({ outcome, whole }: Case): readonly string[] {
  const failure = whole.has("failure") ? (outcome.failure ?? "") : "";
  const result = whole.has("result") ? (outcome.result ?? "") : "";
  return [
    // An unindented line is the first line of a failure.
    ...failure.split(/^\S.*\n/m).map((text) => text.replaceAll(/^ {2}/gm, "")),
    ...[...result.matchAll(/^warning: (.*)$/gm)].map(([, warning]) => warning!),
  ];
}

/** Reports whether a new file takes over the name of an open file that is moved; the editor must create such a file. */
function takesOpenName({ files, outcome: { diff = "" } }: Case): boolean {
  return files.some(
    ({ path, synced }) =>
      synced !== undefined &&
      diff.includes(`rename from ${path}\n`) &&
      diff.includes(`new file mode 100644\n--- /dev/null\n+++ b/${path}\n`),
  );
}

/** Reports whether the case changes any file that is not open and that an editor would therefore have to open. */
function hasUnopened(one: Case): boolean {
  const [written, opened] = [expectedFiles(one, "written"), expectedFiles(one, "opened")];
  return [...opened].some(([path, { synced }]) => synced !== written.get(path)?.synced);
}

/**
 * Reports whether a case's page shows a warning. A server that applies the edit itself also warns about files that it
 * leaves open and unsaved.
 */
const isOfPage = ({ outcome, whole }: Case, warning: string): boolean =>
  outcome.result?.includes(`${toWarningLine(warning, whole.has("result"))}\n`) ?? false;
