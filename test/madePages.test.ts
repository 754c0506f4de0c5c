/**
 * The parts of the pages that are made from the code are up to date: `npm run pages` writes them. Here are also the tests of
 * what makes them.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { architectureParts } from "./pages/architecture.js";
import { agentParts, clientParts, hookParts } from "./pages/clients.js";
import { madeAnew, table, unfinishedRow, wrapped } from "./pages/markdown.js";
import { protocolParts } from "./pages/protocol.js";

it.each([
  ["server/PROTOCOL.md", protocolParts],
  ["server/README.md", architectureParts],
  ["README.md", agentParts],
  ["client-samples/README.md", clientParts],
  ["client-samples/agents/README.md", agentParts],
  ["client-samples/agents/hooks.md", hookParts],
] as const)("%s is as npm run pages makes it", async (path, parts) => {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const page = readFileSync(file, "utf8");
  const made = madeAnew(page, parts);
  await expect(made).toMatchFileSnapshot(file);
  expect(unfinishedRow(made), "a row of which somebody must write the rest").toBeUndefined();
});

const part = (name: string, content: string): string =>
  `<!-- npm run pages: ${name} -->\n\n${content}\n\n<!-- end of ${name} -->\n`;

describe("a made part", () => {
  it("is replaced between its comments, and the rest of the page stays", () => {
    const page = `# A\n\n${part("one", "old")}\nB <!-- npm run pages: two -->2<!-- end of two -->.\n`;
    expect(madeAnew(page, { one: (old) => `${old} new`, two: () => "$& 3" })).toBe(
      `# A\n\n${part("one", "old new")}\nB <!-- npm run pages: two -->$& 3<!-- end of two -->.\n`,
    );
  });

  it("that nothing makes, or that the page lacks, is an error", () => {
    expect(() => madeAnew(part("one", "old"), {})).toThrow("nothing makes the part one");
    expect(() => madeAnew("# A\n", { one: () => "" })).toThrow("the page has no part one");
  });
});

describe("a made table", () => {
  const columns = ["code", "made", "by hand"];
  const old = "| code | made | by hand |\n| --- | --- | --- |\n| b | 1 | stays \\| here |\n| gone | 1 | gone |";

  it("keeps the cells that the code does not give, and loses rows that the code lacks", () => {
    const made = table(
      columns,
      [
        { code: "a", made: "2" },
        { code: "b", made: "3" },
      ],
      old,
    );
    expect(made.split("\n").slice(2)).toEqual(["| a | 2 |  |", "| b | 3 | stays \\| here |"]);
  });

  it("is not finished while a new row has an empty cell", () => {
    const made = table(columns, [{ code: "a", made: "2" }], old);
    expect(unfinishedRow(part("codes", made))).toBe("a | 2 | ");
    expect(unfinishedRow(part("codes", old))).toBeUndefined();
  });
});

it("words are broken into lines of at most 120 characters", () => {
  const word = "x".repeat(59);
  expect(wrapped([word, word, word], "  ")).toBe(`${word} ${word}\n  ${word}`);
  expect(wrapped([`${word}xx`, word])).toBe(`${word}xx\n${word}`);
});
