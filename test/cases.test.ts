/** Every case of every page, on the core and over the wire. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { type Case, type CaseFile, parsePage } from "./support/cases.js";
import { runCore } from "./support/core.js";
import { decodeFile } from "./support/editorFiles.js";
import { applyDiff } from "./support/gitApply.js";
import { type Outcome, rewrite, toOutcome } from "./support/outcome.js";

const folder = new URL("cases/", import.meta.url);
const updating = process.env.UPDATE_CASES === "1";

for (const page of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
  const markdown = readFileSync(new URL(page, folder), "utf8");
  const cases = parsePage(page, markdown, { outcomeMissing: updating ? "allowed" : "refused" });
  const outcomes: (Outcome | undefined)[] = cases.map(() => undefined);
  describe(page, () => {
    describe("on the core", () => {
      for (const [i, one] of cases.entries()) {
        if (one.wireOnly) continue;
        it(`${one.name} (line ${one.line})`, () => {
          const { seen, texts } = runCore(one);
          if (updating) {
            outcomes[i] = toOutcome(seen, one.outcome);
            return;
          }
          expect(toOutcome(seen, one.outcome)).toEqual(one.outcome);
          for (const [path, bytes] of filesAfter(one)) {
            const file = one.files.find((before) => before.path === path);
            expect(texts.get(path) ?? textOf(file!), path).toBe(decodeFile(bytes).text);
          }
        });
      }
    });
  });
  afterAll(() => {
    if (updating) writeFileSync(new URL(page, folder), rewrite(markdown, cases, outcomes));
  });
}

/** The files after the page's diff, as bytes of what the editor holds, or else the disk. */
function filesAfter({ files, outcome }: Case): Map<string, Buffer> {
  if (outcome.diff === undefined || outcome.diff === "nothing changes\n") return new Map();
  const before = files.map((file) => [file.path, bytesOf(file)] as const);
  return applyDiff(new Map(before), outcome.diff);
}

function bytesOf({ synced, disk, bom }: CaseFile): Buffer {
  if (synced === undefined) return disk!;
  return Buffer.from(bom && !synced.startsWith("\ufeff") ? `\ufeff${synced}` : synced);
}

function textOf({ synced, disk }: CaseFile): string {
  return synced?.replace(/^\ufeff/, "") ?? decodeFile(disk!).text;
}
