/** Every sentence that people can read speaks to them: none says "the user", or has a verb that does not go with "you". */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { addressedToUser, countedFromOne } from "../server/lsp/edit/forPeople.js";
import { maskSource } from "./support/source.js";

const project = fileURLToPath(new URL("../", import.meta.url));

/** Pages whose sentences only models read; a person's command and editor never print them. */
const forModels = /^server\/programs\/(?:mcp|hook)\//;

const pages = ["server", "client-samples"]
  .flatMap((folder) =>
    readdirSync(project + folder, { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  )
  .map((path) => path.replaceAll("\\", "/"))
  .filter(
    (path) => /\/sentences\.ts$|^server\/programs\/(?:cli|setup)\/.*\.ts$|\.lua$/.test(path) && !forModels.test(path),
  );

describe.each(pages)("%s", (path) => {
  it("speaks to the person who reads it", () => {
    const source = readFileSync(project + path, "utf8");
    const { literals } = path.endsWith(".lua") ? { literals: luaStrings(source) } : maskSource(source);
    const said = literals.map(({ text }) => addressedToUser(text.replace(/\\n/g, "\n").replace(/\\(.)/g, "$1")));
    expect(said.flatMap(problems)).toEqual([]);
  });
});

it("counts the blocks of a text as it counts edits", () => {
  expect(countedFromOne('block 1 (a block 3.ts, line 8 of the text): "block 2", see edit 0')).toBe(
    'block 2 (a block 3.ts, line 8 of the text): "block 2", see edit 1',
  );
});

it("sees a sentence that is not fit for people", () => {
  const sayings = ["Do what you asks for.", "You was asked.", "You has typed.", "You's asked.", "Tell the user."];
  for (const saying of sayings) expect(problems(saying)).toEqual([saying]);
  expect(problems("You always see this. You pass it on.")).toEqual([]);
});

/** A sentence outside quotation marks about the reader as if the reader were somebody else, or in bad English. */
function problems(said: string): string[] {
  const unquoted = said.replace(/"[^"\n]*"?/g, '""');
  return /\bthe user\b|\byou(?:'s\b| (?!always\b|pass\b|press\b)\w+s\b)/i.test(unquoted) ? [said] : [];
}

/** The strings of a Lua file; none has an escaped quotation mark that would matter here. */
function luaStrings(source: string): { text: string }[] {
  const code = source.replace(/--[^\n]*/g, "");
  return [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'/g)].map(([, text = "", other = ""]) => ({
    text: text + other,
  }));
}
