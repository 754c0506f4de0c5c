/** A process of an editor: what it prints is kept for the messages of failed tests, and it ends when it is told to. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Place } from "./editor.js";

/** A process that runs in the editor's root. */
export interface EditorProcess {
  readonly child: ChildProcess;
  /** Rejects with what it printed, should it end before a promise of it is kept. */
  whileItRuns<T>(promise: Promise<T>): Promise<T>;
  /** The last of what it printed. */
  said(): string;
  /** Kills it and waits for its end. */
  stop(): Promise<void>;
}

/** Characters of the output that are kept. */
const keptOutput = 20_000;

/** Arguments of `setpriv` by which a program ends with the process of the tests, whatever ends that. */
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

/** A promise that is kept, or rejects once a program has ended. */
export function whileRunning<T>(promise: Promise<T>, ended: Promise<void>, said: () => string): Promise<T> {
  const broken = ended.then(() => {
    throw new Error(`the editor has ended: ${said()}`);
  });
  return Promise.race([promise, broken]);
}
