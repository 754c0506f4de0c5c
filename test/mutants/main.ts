/**
 * Tells which planted bugs the tests notice. Usage: `npm run mutants -- [FOLDER]… [--seed N] [--count N]`. Each bug is
 * planted in a copy of the last commit, in which the folder's tests run until one fails. `-- --pool 100 --from N --count 10`
 * plants ten of a hundred bugs, which take turns between the folders, without running the tests before.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import fc from "fast-check";
import { areas, pooled } from "./areas.js";
import { type Mutant, mutantsOf } from "./mutate.js";

const { values, positionals } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "10" },
    pool: { type: "string" },
    from: { type: "string", default: "0" },
  },
  allowPositionals: true,
});
const seed = Number(values.seed);
const folders = positionals.length > 0 ? positionals : Object.keys(areas);
const unknown = folders.find((folder) => !(folder in areas));
if (unknown !== undefined)
  throw new Error(`no tests are known for ${unknown}; there are: ${Object.keys(areas).join(", ")}`);

const copy = realpathSync(mkdtempSync(join(tmpdir(), "multi-edit-mutants-")));
try {
  execFileSync("git", ["clone", "--quiet", ".", copy]);
  symlinkSync(resolve("node_modules"), join(copy, "node_modules"));
  const isMet = values.pool === undefined ? folders.map(tryFolder) : [tryPool(Number(values.pool))];
  process.exitCode = isMet.includes(false) ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Tries a folder's mutants; returns `false` if too many survive. */
function tryFolder(folder: string): boolean {
  const drawn = shuffled(folder).slice(0, Number(values.count));
  if (!passes(folder)) throw new Error(`the tests of ${folder} fail without a bug`);
  return areNoticed(
    folder,
    drawn.map((mutant) => ({ folder, mutant })),
  );
}

/** Tries some of a fixed number of mutants, which begin with one of each folder; returns `false` if too many survive. */
function tryPool(size: number): boolean {
  const all = pooled.map((folder) => shuffled(folder).map((mutant) => ({ folder, mutant })));
  const pool = Array.from({ length: size }, (_, i) => all[i % all.length]![Math.floor(i / all.length)]!);
  const [from, count] = [Number(values.from) % size, Number(values.count)];
  return areNoticed(`bugs from ${from} on`, [...pool, ...pool].slice(from, from + count));
}

/** All mutants of a folder, in the order of the seed. */
function shuffled(folder: string): readonly Mutant[] {
  const { likeWhat = /(?:)/ } = areas[folder] ?? {};
  const all = readdirSync(join(copy, folder))
    .filter((name) => name.endsWith(".ts") && !name.startsWith("sentences") && likeWhat.test(name))
    .flatMap((name) => mutantsOf(join(folder, name), readFileSync(join(copy, folder, name), "utf8")));
  return fc.sample(fc.shuffledSubarray([...all], { minLength: all.length }), { seed, numRuns: 1 })[0] ?? [];
}

function areNoticed(what: string, drawn: readonly { readonly folder: string; readonly mutant: Mutant }[]): boolean {
  const survivors = drawn.filter(({ folder, mutant }) => survives(mutant, folder));
  const noticed = drawn.length - survivors.length;
  const share = (100 * noticed) / drawn.length;
  process.stdout.write(`figures: ${what}: ${noticed} of ${drawn.length} noticed (${share.toFixed(0)} %)\n`);
  return share >= 80;
}

function survives(mutant: Mutant, folder: string): boolean {
  const { path, line, from, to, insert } = mutant;
  const text = readFileSync(join(copy, path), "utf8");
  writeFileSync(join(copy, path), text.slice(0, from) + insert + text.slice(to));
  const isAlive = passes(folder);
  writeFileSync(join(copy, path), text);
  const change = `${text.slice(from, to)} -> ${insert}`.replace(/\s+/g, " ");
  process.stdout.write(`${isAlive ? "figures: SURVIVES" : "  noticed"} ${path}:${line}: ${change}\n`);
  return isAlive;
}

/**
 * Reports whether a folder's tests pass in the copy. A run that does not end is one that fails. Laws draw the same inputs
 * for each bug, so that the result does not depend on chance. Vitest builds the program first.
 */
function passes(folder: string): boolean {
  const options = { cwd: copy, env: { ...process.env, LAW_SEED: String(seed) }, stdio: "ignore" } as const;
  const limit = { timeout: 300_000, killSignal: "SIGKILL" } as const;
  const groups = areas[folder]?.tests ?? [];
  return groups.every(
    (tests) => spawnSync("npx", ["vitest", "run", "--bail=1", ...tests], { ...options, ...limit }).status === 0,
  );
}
