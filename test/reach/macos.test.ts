/** The built server on a Linux that gives the answers of macOS: `asOnMacos.ts` says which. Nothing is run on a Mac. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildProgram, type Program } from "../support/build.js";
import { clientChecks } from "./clientChecks.js";
import { macosChecks } from "./macosChecks.js";
import type { CheckResult } from "./place.js";
import { listPatience, runHere } from "./stage.js";

let system: Program;
beforeAll(async () => {
  system = await buildProgram(new URL("asOnMacos.ts", import.meta.url));
});
afterAll(() => system.remove());

const lists = { client: clientChecks, macos: macosChecks } as const;

describe.each(["client", "macos"] as const)("the %s checks with macOS's answers", (list) => {
  let results: readonly CheckResult[] = [];
  beforeAll(async () => {
    results = await runHere(process.execPath, list, { NODE_OPTIONS: `--require ${system.path}` });
    for (const { name, said } of results) console.log(`${name}: ${said}`);
  }, listPatience);

  it.each(lists[list].map(({ name }) => name))("%s", (name) => {
    const result = results.find((each) => each.name === name);
    expect(result?.problem ?? (result === undefined ? "it did not run" : undefined)).toBeUndefined();
  });
});
