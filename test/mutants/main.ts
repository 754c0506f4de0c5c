/**
 * Tells which planted bugs the tests notice. Usage: `npm run mutants -- [FOLDER]… [--seed N] [--from N] [--count N]`. Each bug is
 * planted in a copy of the last commit, in which the folder's tests run until one fails. `-- --pool 100 --from N --count 10`
 * plants ten of a hundred bugs, which take turns between the folders, without running the tests before. With `--quick`, only
 * the tests that start no program run.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { areas } from "./areas.js";
import { runnerFlag, serveRuns } from "./runner.js";
import { Trial } from "./trial.js";

if (process.argv[2] === runnerFlag) await serveRuns();
else await main();

/** Plants the bugs that the arguments name. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      seed: { type: "string", default: "1" },
      count: { type: "string", default: "10" },
      pool: { type: "string" },
      from: { type: "string", default: "0" },
      quick: { type: "boolean", default: false },
    },
    allowPositionals: true,
  });
  const folders = positionals.length > 0 ? positionals : Object.keys(areas);
  const unknown = folders.find((folder) => !(folder in areas));
  if (unknown !== undefined)
    throw new Error(`no tests are known for ${unknown}; there are: ${Object.keys(areas).join(", ")}`);
  const copy = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-mutants-")));
  const trial = new Trial(copy, { seed: Number(values.seed), isQuick: values.quick });
  const count = Number(values.count);
  try {
    execFileSync("git", ["clone", "--quiet", ".", copy]);
    symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
    const isMet: boolean[] = [];
    const from = Number(values.from);
    if (values.pool !== undefined) isMet.push(await trial.ofPool(Number(values.pool), from, count));
    else for (const folder of folders) isMet.push(await trial.ofFolder(folder, from, count));
    process.exitCode = isMet.includes(false) ? 1 : 0;
  } finally {
    trial.end();
    rmSync(copy, { recursive: true, force: true });
  }
}
