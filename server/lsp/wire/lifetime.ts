/** How the server's process behaves as the child of an editor: what it says on stderr, what it survives, when it ends. */
import { clip } from "../../plan/failure.js";
import { limits } from "../../text/limits.js";
import { isProcess } from "../../workspace/process.js";
import type { ByteSink } from "./channel.js";
import { connectionSentences } from "./sentences.js";

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
export const shorten = (text: string): string => clip(text, limits.logLine);

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
  process.on("uncaughtException", (error) => note("error", connectionSentences.uncaught(error)));
  process.on("unhandledRejection", (reason) => note("error", connectionSentences.unhandled(reason)));
}

/**
 * Calls `gone` once when a process that lives now does not live any more. One that never lived here is left alone: an
 * editor outside of our container, or at the other end of an ssh connection, has an id that means nothing to us.
 */
export function watchClient(processId: number, on: { gone(): void; note: Note }): void {
  if (!isProcess(processId, undefined)) {
    on.note("warn", connectionSentences.foreignClient(processId));
    return;
  }
  const timer = setInterval(() => {
    if (isProcess(processId, undefined)) return;
    clearInterval(timer);
    on.note("warn", connectionSentences.clientEnded(processId));
    on.gone();
  }, limits.clientWatchMs);
  timer.unref();
}
