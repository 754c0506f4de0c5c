/** Clocks for programs that wait: tests of what happens after a wait need not wait as long. */
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Milliseconds of the shortest wait of a command that a hasty clock makes shorter. */
export const hastyFrom = 4_000;

/**
 * Path of a module that makes the timeouts of `least` ms or more expire `times` times as fast in a process of Node that
 * loads it first.
 */
export function hastyClock(times: number, least = hastyFrom): string {
  const path = join(dirname(process.env.PROGRAM_HOST as string), `hasty${times}-${least}.cjs`);
  if (existsSync(path)) return path;
  const source = `const wait = setTimeout; globalThis.setTimeout = (act, ms, ...rest) => wait(act, ms < ${least} ? ms : ms / ${times}, ...rest);`;
  // Another test file may load it at the same time.
  writeFileSync(`${path}.${process.pid}`, source);
  renameSync(`${path}.${process.pid}`, path);
  return path;
}
