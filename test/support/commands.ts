/** Runs the built command line beside an editor that lives in this process, and so may not be waited for in it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Program } from "./build.js";

/** How a command ended. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command is run with; everything may be left out. */
export interface RunOptions {
  readonly cwd?: string;
  /** What it reads from its standard input, which is empty otherwise. */
  readonly input?: string | Uint8Array;
  readonly env?: NodeJS.ProcessEnv;
  /** Told of every piece of stderr, with a way to send a signal. */
  readonly onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs a program with these arguments to its end. */
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
