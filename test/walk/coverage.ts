/** Asks V8 which of the server's functions have run. */
import { Session } from "node:inspector/promises";
import { relative, sep } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

/** A file of the server that has run. */
export interface RanFile {
  /** Relative to the repository, with slashes: `server/plan/plan.ts`. */
  readonly path: string;
  /** Names of the functions that ran at least once, in the order of the file. Functions without a name are left out. */
  readonly functions: readonly string[];
}

/** A running count of the server's functions. */
export interface Coverage {
  /** The files of which a named function has run since the last call, by path. Module-level code does not count. */
  take(): Promise<RanFile[]>;
}

/** Milliseconds without a single function of the server after which it is idle. */
const quietMs = 200;

/** Not the fields of a class, which V8 counts as a function of this name. */
const isNamed = (functionName: string): boolean => functionName !== "" && !functionName.startsWith("<");

/** Starts to count what runs of the compiled server in this folder, once the server is idle. */
export async function startCoverage(compiled: string): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const root = pathToFileURL(compiled + sep).href;
  const coverage: Coverage = {
    async take() {
      // V8 counts from zero again after each answer.
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
  // The first answer also has what ran before.
  await coverage.take();
  do await delay(quietMs);
  while ((await coverage.take()).length > 0);
  return coverage;
}
