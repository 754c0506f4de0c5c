/** How the server's process behaves as the child of an editor: what it says on stderr, what it survives, when it ends. */
import { limits } from "../../text/limits.js";
import type { ByteSink } from "./channel.js";

/** From the rarest to the most talkative. */
export type LogLevel = "error" | "warn" | "info" | "debug";

/** All log levels, from the rarest to the most talkative. */
export const logLevels: readonly LogLevel[] = ["error", "warn", "info", "debug"];

/** Writes one entry of the log; it may not throw. */
export type Note = (level: LogLevel, text: string) => void;

/** A log on stderr of everything up to a level, by default `warn`; an entry has at most `limits.logLine` characters. */
export function noteOnStderr(most: LogLevel = "warn"): Note {
  // Whoever closed stderr does not want to hear more; without a listener the error would be an uncaught exception.
  process.stderr.on("error", () => {});
  return (level, text) => {
    if (logLevels.indexOf(level) > logLevels.indexOf(most)) return;
    process.stderr.write(`multi-edit-language-server: ${shorten(text)}\n`);
  };
}

/** A log entry of at most `limits.logLine` characters. */
export function shorten(text: string): string {
  return text.length <= limits.logLine ? text : `${text.slice(0, limits.logLine - 1)}…`;
}

/**
 * Keeps stdout for the protocol: gives its only writer, and sends whatever else is written there, by `console` too, to
 * stderr.
 */
export function takeStdout(): ByteSink {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return {
    write: (bytes, done) => write(bytes, done),
    on: (event, listener) => stdout.on(event, listener),
  };
}

/** Keeps the process alive when something throws that nobody catches: one request is lost, not the session. */
export function surviveThrows(note: Note): void {
  process.on("uncaughtException", (error) => note("error", `uncaught: ${error.stack ?? error.message}`));
  process.on("unhandledRejection", (reason) => {
    note(
      "error",
      `unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
    );
  });
}

/**
 * Calls `gone` once when a process that lives now does not live any more. One that never lived here is left alone: an
 * editor outside of our container, or at the other end of an ssh connection, has an id that means nothing to us.
 */
export function watchClient(processId: number, on: { gone(): void; note: Note }): void {
  if (!isAlive(processId)) {
    on.note("warn", `no process ${processId} lives here, so the end of the client is told by its connection alone`);
    return;
  }
  const timer = setInterval(() => {
    if (isAlive(processId)) return;
    clearInterval(timer);
    on.note("warn", `process ${processId}, which the client named as its own, is gone`);
    on.gone();
  }, limits.clientWatchMs);
  timer.unref();
}

function isAlive(processId: number): boolean {
  // 0 and negative numbers mean groups of processes.
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
