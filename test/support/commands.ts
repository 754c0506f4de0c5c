/** Runs the built command line as a separate process, so that an editor in this process can keep answering. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { agentVariables } from "../../server/agents/agents.js";
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

/**
 * Runs a shell's command line on a terminal, as if the user had typed it, whoever runs the tests. The terminal's text is
 * in `stdout`.
 */
export function runOnTerminal(line: string, { env, ...options }: RunOptions): Promise<Ran> {
  const typed = Object.fromEntries(agentVariables.map((name) => [name, undefined]));
  const wrapper = `process.exit(require("child_process").spawnSync("script", ["-qec", process.argv[1], "/dev/null"], { stdio: "inherit" }).status)`;
  return runCommand({ path: "-e" }, [wrapper, line], { ...options, env: { ...typed, ...env } });
}
