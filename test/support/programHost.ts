/**
 * A process that runs one command of a program after another, each with its own arguments, variables, directory and
 * streams, so that a test does not wait for a start of Node per command. `hosted.ts` starts it and talks to it.
 */
import { PassThrough, Writable } from "node:stream";
import timers from "node:timers/promises";
import { setClock } from "./clocks.js";

/** A command to run. */
export interface HostedCommand {
  /** Path of the program. */
  readonly path: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The whole standard input, in base64; `undefined` if it follows in messages of its own. */
  readonly input: string | undefined;
  /** How many times as fast the command's clock runs. */
  readonly haste: number;
}

/** A message to the host: a command; a part of its standard input, in base64; the end of its input. */
export type ToHost = { readonly run: HostedCommand } | { readonly input: string } | { readonly isInputOver: true };

/**
 * A message from the host: a part of the command's output, in base64; the command's exit code; that the host can run
 * another command.
 */
export type FromHost =
  | { readonly stdout: string }
  | { readonly stderr: string }
  | { readonly code: number }
  | { readonly isIdle: true };

/** Milliseconds after `process.exit` in which the host waits for what the command has left open, before it ends itself. */
const leftOpenMs = 100;

/** Thrown by `process.exit`, which may not return. */
class CommandExit extends Error {}

const { exit } = process;
const { setTimeout: wait } = globalThis;
const send = (message: FromHost): void => void process.send?.(message);
let stdin = new PassThrough();
let isRunning = false;
let speed = 1;
setClock(timers, () => speed);
let lastResort: NodeJS.Timeout | undefined;

process.on("message", (message: ToHost) => {
  if ("run" in message) start(message.run);
  else if ("input" in message) stdin.write(Buffer.from(message.input, "base64"));
  else endInput();
});
process.on("disconnect", () => exit());
// Node would end now, because the command has nothing left to do.
process.on("beforeExit", () => {
  clearTimeout(lastResort);
  process.channel?.ref();
  finish(Number(process.exitCode ?? 0));
  process.exitCode = undefined;
  send({ isIdle: true });
});
const events = ["exit", "uncaughtException", "unhandledRejection", "SIGINT", "SIGTERM", "SIGHUP"] as const;
for (const event of ["uncaughtException", "unhandledRejection"] as const) process.on(event, fail);

process.exit = (code?: number | string | null): never => {
  finish(Number(code ?? process.exitCode ?? 0));
  process.channel?.unref();
  lastResort = wait(exit, leftOpenMs).unref();
  throw new CommandExit();
};

function start({ path, args, cwd, env, input, haste }: HostedCommand): void {
  speed = haste;
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, path, ...args];
  stdin = new PassThrough();
  isRunning = true;
  const streams = {
    stdin,
    stdout: outputStream((stdout) => send({ stdout })),
    stderr: outputStream((stderr) => send({ stderr })),
  };
  for (const [name, value] of Object.entries(streams)) {
    Object.defineProperty(process, name, { value, configurable: true });
  }
  if (input !== undefined) {
    stdin.write(Buffer.from(input, "base64"));
    endInput();
  }
  // Only this file runs again; what it loads stays loaded.
  delete require.cache[path];
  require(path);
}

function endInput(): void {
  stdin.end();
  // From now on, only what the command does keeps this process alive.
  process.channel?.unref();
}

function outputStream(sendPart: (part: string) => void): Writable {
  return new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, done) {
      sendPart(chunk.toString("base64"));
      done();
    },
  });
}

/** Ends the command, once. */
function finish(code: number): void {
  if (!isRunning) return;
  isRunning = false;
  for (const event of events) {
    const listeners = process.listeners(event as "exit").filter((listener) => (listener as unknown) !== fail);
    for (const listener of listeners) {
      process.removeListener(event, listener);
      if (event === "exit") listener.call(process, code);
    }
  }
  send({ code });
}

function fail(error: unknown): void {
  if (error instanceof CommandExit) return;
  send({ stderr: Buffer.from(`${error instanceof Error ? error.stack : String(error)}\n`).toString("base64") });
  finish(1);
  exit(1);
}
