/** Clocks for programs that wait: a test of what happens after a wait need not wait as long. */
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Makes the timeouts of `least` ms or more expire `times` times as fast in a program that is started with this. */
export function hastyClock(times: number, least: number): readonly string[] {
  return preloaded(
    `hasty${times}-${least}`,
    `const wait = setTimeout; globalThis.setTimeout = (act, ms, ...rest) => wait(act, ms < ${least} ? ms : ms / ${times}, ...rest);`,
  );
}

/** Makes the clock run `times` times as fast in a program that is started with this: all of its waits are as much shorter. */
export function fastClock(times: number): readonly string[] {
  return preloaded(`fast${times}`, `(${setClock})(require("node:timers/promises"), () => ${times});`);
}

/** Makes the clock of this process run as fast as `speed` says at the time. Uses nothing else, so it can be sent as text. */
export function setClock(timers: { setTimeout: unknown }, speed: () => number): void {
  const wait = globalThis.setTimeout as (act: unknown, ms: number, ...rest: unknown[]) => NodeJS.Timeout;
  const delay = timers.setTimeout as (ms: number, ...rest: unknown[]) => Promise<unknown>;
  const now = performance.now.bind(performance);
  const hasty = (act: unknown, ms = 0, ...rest: unknown[]): NodeJS.Timeout => wait(act, ms / speed(), ...rest);
  globalThis.setTimeout = hasty as typeof globalThis.setTimeout;
  timers.setTimeout = (ms = 0, ...rest: unknown[]) => delay(ms / speed(), ...rest);
  performance.now = () => speed() * now();
}

/** Arguments for Node that run this source before the program. */
function preloaded(name: string, source: string): readonly string[] {
  const path = join(dirname(process.env.PROGRAM_HOST as string), `${name}.cjs`);
  if (!existsSync(path)) {
    // Another test file may do the same at the same time.
    writeFileSync(`${path}.${process.pid}`, source);
    renameSync(`${path}.${process.pid}`, path);
  }
  return ["--require", path];
}
