/** Uses V8's coverage to find out which functions of the server have run. */
import { Session } from "node:inspector/promises";
import { relative, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A server file with at least one function that has run. */
export interface RanFile {
  /** The path relative to the repository, with slashes, such as `server/plan/plan.ts`. */
  readonly path: string;
  /** Names of the functions that ran at least once, in file order. Unnamed functions are left out. */
  readonly functions: readonly string[];
}

/** A running coverage measurement. */
export interface Coverage {
  /**
   * The files in which a named function has run since the last call of `take`, sorted by path. Module-level code does
   * not count.
   */
  take(): Promise<RanFile[]>;
}

/** The server is considered idle after this many milliseconds without a call to any of its functions. */
const quietMs = 200;

/** Excludes a class's field initializers, which V8 counts as a function in angle brackets. */
const isNamed = (functionName: string): boolean => functionName !== "" && !functionName.startsWith("<");

/** Starts measuring the server compiled into this folder as soon as the server is idle. */
export async function startCoverage(compiled: string): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const root = pathToFileURL(compiled + sep).href;
  const coverage: Coverage = {
    async take() {
      // V8 resets its counters after each answer.
      const { result } = await session.post("Profiler.takePreciseCoverage");
      return result
        .filter(({ url }) => url.startsWith(root))
        .map(({ url, functions }) => ({
          path: `server/${relative(compiled, fileURLToPath(url)).split(sep).join("/")}`.replace(/js$/, "ts"),
          functions: functions.flatMap(({ functionName, ranges }) =>
            isNamed(functionName) && (ranges[0]?.count ?? 0) > 0 ? [functionName] : [],
          ),
        }))
        .filter(({ functions }) => functions.length > 0)
        .sort((a, b) => (a.path < b.path ? -1 : 1));
    },
  };
  // The first result covers everything that ran before, so it is discarded.
  await coverage.take();
  do await delay(quietMs);
  while ((await coverage.take()).length > 0);
  return coverage;
}
