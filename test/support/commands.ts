/** Runs the built command line as a separate process, so that an editor in this process can keep answering. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Program } from "./build.js";

/** The outcome of a command. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Options for running a command; all are optional. */
export interface RunOptions {
  readonly cwd?: string;
  /** The command's standard input; empty by default. */
  readonly input?: string | Uint8Array;
  readonly env?: NodeJS.ProcessEnv;
  /** Called with every chunk of stderr and a function that sends a signal to the command. */
  readonly onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs a program with these arguments until it exits. */
export async function runCommand(
  program: Pick<Program, "path">,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [program.path, ...args], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    options.onStderr?.(text, (signal) => child.kill(signal));
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(options.input ?? "");
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}
