/** Records which functions of the server a process runs: a test file's own process, or one that it starts. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Milliseconds between two records; a test may kill the process at any time. */
const periodMs = 300;

/** The functions that have run, as `server/plan/plan.ts planBatch`. */
const seen = new Set<string>();

/**
 * Writes the functions that run in this process to a file in a folder, now and then and when the returned function is
 * called. For a file that the process has loaded as it is, an entry without a function is written, too.
 */
export function recordTo(folder: string): () => void {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: false, detailed: false });
  const path = join(folder, `${process.pid}.txt`);
  const write = (): void => {
    const before = seen.size;
    session.post("Profiler.takePreciseCoverage", (_error, answer) => {
      for (const { url, functions } of answer.result) {
        const fileAt = sourcesOf(url);
        if (fileAt === undefined) continue;
        for (const { functionName, ranges } of functions) {
          const [range] = ranges;
          const file = range === undefined || range.count === 0 ? undefined : fileAt(range.startOffset);
          if (file !== undefined && isNamed(functionName)) seen.add(`${file} ${functionName}`);
          else if (file !== undefined && !url.endsWith(".cjs")) seen.add(`${file} `);
        }
      }
    });
    if (seen.size === before) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, [...seen].join("\n"));
  };
  setInterval(write, periodMs).unref();
  process.on("exit", write);
  return write;
}

/** V8 gives names with a dot, a slash or angle brackets to what is no function of a source. */
const isNamed = (name: string): boolean => /^\w+$/.test(name);

type FileAt = (offset: number) => string | undefined;

const known = new Map<string, FileAt | undefined>();

/** Returns a function that says from which source a part of a script comes; `undefined` if the script is none of ours. */
function sourcesOf(url: string): FileAt | undefined {
  if (!known.has(url)) known.set(url, readSources(url.startsWith("file:") ? fileURLToPath(url) : url));
  return known.get(url);
}

function readSources(path: string): FileAt | undefined {
  const [source] = path.match(/server\/[\w/]+\.ts$/) ?? [];
  if (source !== undefined) return () => source;
  if (!/\/dist\/\w+\.cjs$/.test(path)) return undefined;
  // The bundler writes each source's path before its code.
  const parts = [...readFileSync(path, "utf8").matchAll(/^\s*\/\/ (\S+\.[tj]s)$/gm)];
  return (offset) => {
    const name = parts.findLast(({ index }) => index < offset)?.[1];
    return name?.startsWith("server/") ? name : undefined;
  };
}
