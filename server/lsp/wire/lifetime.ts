/** Manages the process as an editor's child: logs to stderr, survives errors, exits with the editor. */
import { clip } from "../../plan/failure.js";
import { limits } from "../../text/limits.js";
import { isProcess } from "../../workspace/process.js";
import type { ByteSink } from "./channel.js";
import { type LogLevel, logLevels } from "./logLevel.js";
import { connectionSentences } from "./sentences.js";

/** Writes one log entry. Must not throw. */
export type Note = (level: LogLevel, text: string) => void;

/** Returns a logger that writes entries up to the level `most` to stderr, truncated to `limits.logLine` characters. */
export function noteOnStderr(most: LogLevel = "warn"): Note {
  // A client that has closed stderr does not want a log. Without a listener, the write error would become an uncaught
  // exception.
  process.stderr.on("error", () => {});
  return (level, text) => {
    if (logLevels.indexOf(level) > logLevels.indexOf(most)) return;
    process.stderr.write(`multi-edit-language-server: ${shorten(text)}\n`);
  };
}

/** Truncates a log entry to `limits.logLine` characters. */
export const shorten = (text: string): string => clip(text, limits.logLine);

/** Reserves stdout for the protocol: returns its only writer, and redirects `console` and all else to stderr. */
export function takeStdout(): ByteSink {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return {
    write: (bytes, done) => write(bytes, done),
    on: (event, listener) => stdout.on(event, listener),
  };
}

/** Keeps the process alive after an uncaught error, so that only one request is lost, not the whole session. */
export function surviveThrows(note: Note): void {
  process.on("uncaughtException", (error) => note("error", connectionSentences.uncaught(error)));
  process.on("unhandledRejection", (reason) => note("error", connectionSentences.unhandled(reason)));
}

/** Calls `gone` once, when the process with this id ends. Only warns if there is none, as in a container. */
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
