/** An editor's process: its output is kept for the messages of failed tests, and it can be stopped. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Place } from "./editor.js";

/** A process that runs in the editor's root. */
export interface EditorProcess {
  readonly child: ChildProcess;
  /** Waits for the promise; rejects with the process's output if the process exits first. */
  whileItRuns<T>(promise: Promise<T>): Promise<T>;
  /** The last part of its output. */
  said(): string;
  /** Kills the process and waits for it to exit. */
  stop(): Promise<void>;
}

/** Number of characters of output that are kept. */
const keptOutput = 20_000;

/** Arguments of `setpriv` that make a program end with the test process, however the test process ends. */
export const withUs: readonly string[] = ["--pdeathsig", "KILL"];

/** Starts a program in the root of the editor, in the workspace folder. */
export function startInside(
  { inside: [program, ...args], env, folder }: Place,
  command: readonly string[],
  more: Readonly<Record<string, string>> = {},
): EditorProcess {
  const child = spawn("setpriv", [...withUs, program, ...args, ...command], { cwd: folder, env: { ...env, ...more } });
  let output = "";
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-keptOutput);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const ended = new Promise<void>((resolve) => child.on("exit", () => resolve()));
  return {
    child,
    said: () => output,
    whileItRuns: (promise) => whileRunning(promise, ended, () => output),
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Waits for a promise; rejects if a program exits first. */
export function whileRunning<T>(promise: Promise<T>, ended: Promise<void>, said: () => string): Promise<T> {
  const broken = ended.then(() => {
    throw new Error(`the editor has ended: ${said()}`);
  });
  return Promise.race([promise, broken]);
}
