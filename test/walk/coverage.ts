/** Uses V8's coverage to find the server's functions that have run. */
import { Session } from "node:inspector/promises";
import { relative, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A file of the server in which a function has run. */
export interface RanFile {
  /** Relative to the repository, with slashes: `server/plan/plan.ts`. */
  readonly path: string;
  /** Names of the functions that ran at least once, in the order of the file. Functions without a name are left out. */
  readonly functions: readonly string[];
}

/** A running coverage measurement. */
export interface Coverage {
  /**
   * The files, by path, in which a named function has run since `take` was last called. Module-level code does not
   * count.
   */
  take(): Promise<RanFile[]>;
}

/** Milliseconds without a call to a server function after which the server counts as idle. */
const quietMs = 200;

/** Excludes the field initializers of a class, which V8 counts as a function in angle brackets. */
const isNamed = (functionName: string): boolean => functionName !== "" && !functionName.startsWith("<");

/** Starts to measure the server that was compiled into this folder, as soon as the server is idle. */
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
  // The first answer also contains everything that ran before.
  await coverage.take();
  do await delay(quietMs);
  while ((await coverage.take()).length > 0);
  return coverage;
}
