/** An editor's process, which can be stopped; its output is kept for the messages of failed tests. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Place } from "./editor.js";

/** A process that runs in the editor's root. */
export interface EditorProcess {
  readonly child: ChildProcess;
  /** Waits for a promise; if the process exits first, rejects with its output. */
  whileItRuns<T>(promise: Promise<T>): Promise<T>;
  /** The end of the process's output. */
  said(): string;
  /** Kills the process and waits for it to exit. */
  stop(): Promise<void>;
}

/** Number of characters of output to keep. */
const keptOutput = 20_000;

/** Arguments that make `setpriv` end a program together with the test process, no matter how the test process ends. */
export const withUs: readonly string[] = ["--pdeathsig", "KILL"];

/** Starts a program in the editor's root, with the workspace folder as its working directory. */
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

/** Waits for a promise; rejects if the program exits first. */
export function whileRunning<T>(promise: Promise<T>, ended: Promise<void>, said: () => string): Promise<T> {
  const broken = ended.then(() => {
    throw new Error(`the editor has ended: ${said()}`);
  });
  return Promise.race([promise, broken]);
}
