/**
 * Commands in processes that run one command after another. With `TEST_ALL`, and for tests that are about the process,
 * `commands.ts` starts a process for each command instead.
 */
import { type ChildProcess, fork } from "node:child_process";
import type { FromHost, HostedCommand, ToHost } from "./programHost.js";

/** What happens with a command's output. */
export interface HostedOutput {
  onStdout(bytes: Buffer): void;
  onStderr(bytes: Buffer): void;
}

/** A running command. */
export interface Hosted {
  /** Adds to its standard input, unless the command was given a whole one. */
  write(text: string): void;
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  /** The exit code; `null` if a signal has ended the process. */
  readonly code: Promise<number | null>;
}

const idle: ChildProcess[] = [];

/** Runs a command in a process that no other command uses at the same time. */
export function runHosted(command: HostedCommand, { onStdout, onStderr }: HostedOutput): Hosted {
  const host = idle.pop() ?? startHost();
  const send = (message: ToHost): void => void host.send(message, () => undefined);
  const code = new Promise<number | null>((resolve) => {
    const onMessage = (message: FromHost): void => {
      if ("stdout" in message) onStdout(Buffer.from(message.stdout, "base64"));
      else if ("stderr" in message) onStderr(Buffer.from(message.stderr, "base64"));
      else if ("code" in message) resolve(message.code);
      else {
        host.off("message", onMessage).off("exit", resolve);
        idle.push(host);
      }
    };
    host.on("message", onMessage).on("exit", resolve);
  });
  send({ run: command });
  return {
    write: (text) => send({ input: Buffer.from(text).toString("base64") }),
    endInput: () => send({ isInputOver: true }),
    kill: (signal) => void host.kill(signal),
    code,
  };
}

function startHost(): ChildProcess {
  const host = fork(process.env.PROGRAM_HOST as string, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  host.on("exit", () => {
    const at = idle.indexOf(host);
    if (at >= 0) idle.splice(at, 1);
  });
  // The process of the test file need not wait for it, and ends it by ending itself.
  host.unref();
  host.channel?.unref();
  return host;
}
