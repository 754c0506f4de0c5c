/** The levels of the log, which the command line and the client may choose. */

/** The log levels. */
export type LogLevel = "error" | "warn" | "info" | "debug";

/** All log levels, from the least verbose to the most verbose. */
export const logLevels: readonly LogLevel[] = ["error", "warn", "info", "debug"];
