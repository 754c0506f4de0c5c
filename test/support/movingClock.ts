/** A clock for a server's process that the test puts forward, because saved texts are kept for minutes. */
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The clock of one process. */
export interface MovingClock {
  /** Arguments for Node, before the program. */
  readonly arguments: readonly string[];
  /** Lets minutes pass in the process that was started with these arguments. */
  readonly pass: (process: ChildProcess, minutes: number) => Promise<void>;
}

/** Makes a clock that keeps its files in a folder. */
export function movingClock(folder: string): MovingClock {
  mkdirSync(folder, { recursive: true });
  const clock = join(folder, "clock");
  const preload = join(folder, "clock.cjs");
  writeFileSync(preload, script(clock));
  let minutes = 0;
  return {
    arguments: ["--require", preload],
    pass: async (process, more) => {
      minutes += more;
      const ahead = String(minutes * 60_000);
      writeFileSync(clock, ahead);
      const isSet = (): boolean => existsSync(`${clock}.set`) && readFileSync(`${clock}.set`, "utf8") === ahead;
      for (let tries = 0; !isSet(); tries++) {
        if (tries > 500) throw new Error("the server does not set its clock");
        // A signal may get lost.
        if (tries % 20 === 0) process.kill("SIGUSR2");
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    },
  };
}

/** A script that puts the clocks of a process forward by as many milliseconds as the file says, on a signal. */
const script = (file: string): string => `
const { readFileSync, writeFileSync } = require("node:fs");
let ahead = 0;
const now = Date.now.bind(Date);
const sinceStart = performance.now.bind(performance);
Date.now = () => now() + ahead;
performance.now = () => sinceStart() + ahead;
const file = ${JSON.stringify(file)};
process.on("SIGUSR2", () => {
  const text = readFileSync(file, "utf8");
  ahead = Number(text);
  writeFileSync(file + ".set", text);
});
`;
