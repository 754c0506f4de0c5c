/**
 * Runs test files again and again, in a process of its own: vitest stays ready, so that a run reads only what has changed.
 * A run that takes too long is ended with its process.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createVitest, type TestSpecification } from "vitest/node";

/** A run of test files, which ends at the first failure. */
export interface TestRun {
  readonly files: readonly string[];
  /** Runs only the tests whose names contain this. */
  readonly title?: string;
  /** The sources that may have changed since the last run. */
  readonly changed?: readonly string[];
}

/** The argument by which a process of the driver knows that it is to run tests. */
export const runnerFlag = "--runner";

/** Runs tests in a copy of the project. */
export class TestRunner {
  #process: ChildProcess | undefined;

  /** `files`: all files that may run. `seed`: that of the laws, so that the result does not depend on chance. */
  constructor(
    private readonly copy: string,
    private readonly files: readonly string[],
    private readonly seed: number,
  ) {}

  /** Reports whether all tests pass, in at most so many milliseconds. */
  async passes(run: TestRun, most: number): Promise<boolean> {
    const env = { ...process.env, LAW_SEED: String(this.seed) };
    // The process and those that it starts are a group, which can be ended together.
    const options = { cwd: this.copy, env, detached: true, stdio: ["ignore", "ignore", "ignore", "ipc"] } as const;
    if (this.#process?.connected !== true) this.#process = undefined;
    this.#process ??= fork(process.argv[1] ?? "", [runnerFlag, ...this.files], {
      ...options,
      stdio: [...options.stdio],
    });
    this.#process.send(run);
    const late = setTimeout(() => this.end(), most);
    const done = new AbortController();
    const { signal } = done;
    try {
      const ends = ["message", "exit"].map((name) => once(this.#process as ChildProcess, name, { signal }));
      const [answer] = await Promise.race(ends);
      return answer === true;
    } finally {
      clearTimeout(late);
      done.abort();
    }
  }

  end(): void {
    if (this.#process?.pid !== undefined) process.kill(-this.#process.pid, "SIGKILL");
    this.#process = undefined;
  }
}

/** Runs tests in the current directory, as its parent asks. */
export async function serveRuns(): Promise<void> {
  const root = process.cwd();
  const vitest = await createVitest("test", { root, watch: false, bail: 1, reporters: [{}] });
  await vitest.standalone();
  process.on("disconnect", () => process.exit());
  const failedIn = async (files: readonly TestSpecification[]): Promise<readonly TestSpecification[]> => {
    const { testModules, unhandledErrors } = await vitest.runTestSpecifications([...files]);
    const failed = new Set(testModules.filter((one) => one.state() === "failed").map(({ moduleId }) => moduleId));
    return failed.size === 0 && unhandledErrors.length > 0 ? files : files.filter((one) => failed.has(one.moduleId));
  };
  process.on("message", async ({ files, title, changed = [] }: TestRun) => {
    for (const path of changed) vitest.invalidateFile(join(root, path));
    if (title === undefined) vitest.resetGlobalTestNamePattern();
    else vitest.setGlobalTestNamePattern(title);
    const chosen = await vitest.globTestSpecifications([...files]);
    if (chosen.length === 0) throw new Error(`there are no tests in ${files.join(", ")}`);
    const failed = await failedIn(chosen);
    // On a machine under load, a test may fail without a bug; then it passes by itself.
    const isCertain = failed.length > 0 && (await failedIn(failed)).length > 0;
    process.send?.(failed.length === 0 || (!isCertain && (await failedIn(chosen)).length === 0));
  });
}
