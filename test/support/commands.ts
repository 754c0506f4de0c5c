/** Runs the built command line outside of this process, so that an editor in it can keep answering. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { agentVariables } from "../../server/agents/agents.js";
import { builtServer, type Program } from "./build.js";
import { fastClock } from "./clocks.js";
import { isAll } from "./extent.js";
import { runHosted } from "./hosted.js";

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
  /** `true` if the test is about the process: the command gets one of its own, in the small suite, too. */
  readonly isAlone?: boolean;
}

/** How many times as fast the clocks of commands run. */
let speed = 1;

/** Makes the clocks of commands run five times as fast until the end of the test: all of their waits are as much shorter. */
export function hurry(): void {
  speed = 5;
  onTestFinished(() => {
    speed = 1;
  });
}

/** Suspends an editor's server, as Ctrl-Z in a terminal does, and hurries: nobody waits long for its answer. */
export function suspend({ process: server }: { readonly process: ChildProcess }): void {
  server.kill("SIGSTOP");
  hurry();
}

/** The present speed of commands' clocks; 1 unless the test is in a hurry. */
export const speedNow = (): number => speed;

/**
 * Runs a program with these arguments until it exits. In the small suite, one process runs several commands, one after
 * the other.
 */
export function runCommand(
  program: Pick<Program, "path">,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ran> {
  const isHosted = !isAll && options.isAlone !== true && program.path === builtServer;
  return isHosted ? runInHost(program.path, args, options) : runAlone(program, args, options);
}

/** Runs a command in a process that may have run others before. */
async function runInHost(path: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const input = Buffer.from(options.input ?? "").toString("base64");
  const hosted = runHosted(
    {
      path,
      args,
      cwd: options.cwd ?? process.cwd(),
      env: defined({ ...process.env, ...options.env }),
      input,
      haste: speed,
    },
    {
      onStdout: (bytes) => output.stdout.push(bytes),
      onStderr: (bytes) => {
        output.stderr.push(bytes);
        options.onStderr?.(bytes.toString(), (signal) => hosted.kill(signal));
      },
    },
  );
  const code = await hosted.code;
  return { code, stdout: Buffer.concat(output.stdout).toString(), stderr: Buffer.concat(output.stderr).toString() };
}

/** The variables that have a value. */
export function defined(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Runs a command in a process of its own. */
async function runAlone(
  program: Pick<Program, "path">,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ran> {
  const clock = speed === 1 ? [] : fastClock(speed);
  const child = spawn(process.execPath, [...clock, program.path, ...args], {
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
