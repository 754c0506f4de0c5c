/**
 * The command `npm run rows`: runs the tests, records which functions of the server each test file runs, writes the
 * files' best tests to `holders.json`, and prints the table of behaviours with them. With arguments, it runs only these
 * test files, and leaves the entries of files that are listed already. `TEST_ALL=1` runs all tests.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onlyInAll } from "../support/suites.js";
import { type Holders, holdersOf, rowsOf, toMarkdown } from "./table.js";

const tests = process.argv.slice(2);
// npm runs this in the project's folder.
const path = "test/rows/holders.json";
const paths = readdirSync("server", { recursive: true, encoding: "utf8" }).map((name) => `server/${name}`);
const folder = mkdtempSync(join(tmpdir(), "multi-edit-rows-"));
// Some tests run the server as another user.
chmodSync(folder, 0o777);
spawnSync("npx", ["vitest", "run", ...tests], {
  env: { ...process.env, ROWS: folder },
  stdio: ["ignore", 2, 2],
});
const ran = new Map(
  readdirSync(folder).map((name) => {
    const files = readdirSync(join(folder, name)).map((file) => readFileSync(join(folder, name, file), "utf8"));
    return [decodeURIComponent(name), new Set(files.flatMap((text) => text.split("\n")))] as const;
  }),
);
rmSync(folder, { recursive: true });
const known: Holders = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
const there = new Set(paths);
const merged = tests.length === 0 ? holdersOf(ran) : { ...holdersOf(ran), ...known };
const holders = Object.fromEntries(
  Object.entries(merged)
    .filter(([file]) => there.has(file))
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);
writeFileSync(path, `${JSON.stringify(holders, null, 2)}\n`);
spawnSync("npx", ["biome", "format", "--write", path]);
const readme = readFileSync("server/README.md", "utf8");
process.stdout.write(toMarkdown(rowsOf(readme, paths), holders, Object.keys(onlyInAll)));
