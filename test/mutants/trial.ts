/** Plants bugs in a copy of the project, and counts those that the tests notice. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { areas, pooled } from "./areas.js";
import { type Mutant, mutantsOf } from "./mutate.js";
import { type TestRun, TestRunner } from "./runner.js";

/** A bug, and the folder whose tests should notice it. */
interface Planted {
  readonly folder: string;
  readonly mutant: Mutant;
}

/** Bugs in one copy of the project, drawn by one seed. */
export class Trial {
  readonly #runners = new Map<string, TestRunner>();
  /** The sources in which a bug has been. */
  readonly #touched = new Set<string>();
  /** The times that runs took without a bug, in milliseconds, by their files. */
  readonly #times = new Map<string, number>();

  constructor(
    private readonly copy: string,
    private readonly options: { readonly seed: number; readonly isQuick: boolean },
  ) {}

  /** Tries a folder's mutants; resolves with `false` if too many survive. */
  async ofFolder(folder: string, from: number, count: number): Promise<boolean> {
    const drawn = this.#shuffled(folder).slice(from, from + count);
    if (!(await this.#passes(folder))) throw new Error(`the tests of ${folder} fail without a bug`);
    return this.#areNoticed(
      folder,
      drawn.map((mutant) => ({ folder, mutant })),
    );
  }

  /** Tries some of a fixed number of mutants, which begin with one of each folder; resolves with `false` if too many survive. */
  async ofPool(size: number, from: number, count: number): Promise<boolean> {
    const all = pooled.map((folder) => this.#shuffled(folder).map((mutant) => ({ folder, mutant })));
    const pool = Array.from({ length: size }, (_, i) => all[i % all.length]![Math.floor(i / all.length)]!);
    const first = from % size;
    return this.#areNoticed(`bugs from ${first} on`, [...pool, ...pool].slice(first, first + count));
  }

  /** Ends all processes. */
  end(): void {
    for (const runner of this.#runners.values()) runner.end();
  }

  /** All mutants of a folder, in the order of the seed. */
  #shuffled(folder: string): readonly Mutant[] {
    const { likeWhat = /(?:)/ } = areas[folder] ?? {};
    const all = readdirSync(join(this.copy, folder))
      .filter((name) => name.endsWith(".ts") && !name.startsWith("sentences") && likeWhat.test(name))
      .flatMap((name) => mutantsOf(join(folder, name), readFileSync(join(this.copy, folder, name), "utf8")));
    const order = fc.shuffledSubarray([...all], { minLength: all.length });
    return fc.sample(order, { seed: this.options.seed, numRuns: 1 })[0] ?? [];
  }

  async #areNoticed(what: string, drawn: readonly Planted[]): Promise<boolean> {
    let noticed = 0;
    for (const planted of drawn) if (!(await this.#survives(planted))) noticed += 1;
    const share = (100 * noticed) / drawn.length;
    process.stdout.write(`figures: ${what}: ${noticed} of ${drawn.length} noticed (${share.toFixed(0)} %)\n`);
    return share >= 80;
  }

  async #survives({ folder, mutant }: Planted): Promise<boolean> {
    const { path, line, from, to, insert } = mutant;
    const text = readFileSync(join(this.copy, path), "utf8");
    writeFileSync(join(this.copy, path), text.slice(0, from) + insert + text.slice(to));
    this.#touched.add(path);
    const isAlive = await this.#passes(folder, basename(path));
    writeFileSync(join(this.copy, path), text);
    const change = `${text.slice(from, to)} -> ${insert}`.replace(/\s+/g, " ");
    process.stdout.write(`${isAlive ? "figures: SURVIVES" : "  noticed"} ${path}:${line}: ${change}\n`);
    return isAlive;
  }

  /** Reports whether a folder's tests pass in the copy, the quick ones first. `source`: the name of the file with the bug. */
  async #passes(folder: string, source = ""): Promise<boolean> {
    const { quick = [], hasPages = false, slow = [], near = {} } = areas[folder] ?? {};
    const pages = { files: ["test/cases.test.ts"], title: "on the core" };
    for (const run of [...quick.map((files) => ({ files })), ...(hasPages ? [pages] : [])])
      if (!(await this.#passesRun(folder, run))) return false;
    if (slow.length === 0 || this.options.isQuick) return true;
    const build = spawnSync("node", ["esbuild.config.mjs"], { cwd: this.copy, stdio: "ignore", timeout: longest });
    if (build.status !== 0) return false;
    const first = near[source];
    for (const files of [...(first ? [first] : []), ...slow])
      if (!(await this.#passesRun(folder, { files }))) return false;
    return true;
  }

  /** Reports whether a run passes, in a few times the time that it took without a bug. */
  async #passesRun(folder: string, run: TestRun): Promise<boolean> {
    const key = run.files.join();
    const start = performance.now();
    const known = this.#times.get(key);
    const most = known === undefined ? longest : Math.min(longest, 20_000 + 4 * known);
    const isGood = await this.#runnerFor(folder).passes({ ...run, changed: [...this.#touched] }, most);
    if (this.#touched.size === 0) this.#times.set(key, performance.now() - start);
    return isGood;
  }

  /** Each folder has a process of its own, which also runs files that `npm test` leaves out. */
  #runnerFor(folder: string): TestRunner {
    const { quick = [], hasPages = false, slow = [] } = areas[folder] ?? {};
    const files = [...quick.flat(), ...(hasPages ? ["test/cases.test.ts"] : []), ...slow.flat()];
    const runner = this.#runners.get(folder) ?? new TestRunner(this.copy, files, this.options.seed);
    this.#runners.set(folder, runner);
    return runner;
  }
}

/** The time after which a run counts as one that does not end, in milliseconds. */
const longest = 300_000;
