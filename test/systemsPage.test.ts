/** The page about systems names every file with code that depends on the system, and only files and tests that exist. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { projectRoot as root, projectSources as sources } from "./support/project.js";

const page = readFileSync(`${root}/server/SYSTEMS.md`, "utf8");
const named = new Set([...page.matchAll(/`([\w/]+(?:\.test)?\.ts)`/g)].map(([, path = ""]) => path));

/** Code that depends on the system. */
const dependent =
  /process\.(?:platform|getuid|umask|setuid)\b|"\/proc|`\/proc|\bcanHold\b|O_NOFOLLOW|\bwatch\(|\b(?:hostname|homedir|tmpdir)\(\)/;

it("names every file with code that depends on the system", () => {
  const files = sources
    .filter(({ path, text }) => /^server\/.*\.ts$/.test(path) && dependent.test(text))
    .map(({ path }) => path.replace("server/", ""));
  expect(files.length).toBeGreaterThan(20);
  // The doctor prints the system's name.
  expect(files.filter((path) => !named.has(path))).toEqual(["programs/cli/sentences.ts"]);
});

it("names only files and tests that exist", () => {
  expect([...named].filter((path) => !existsSync(`${root}/${path}`) && !existsSync(`${root}/server/${path}`))).toEqual(
    [],
  );
});
