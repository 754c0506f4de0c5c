/** The wire types of what a client tells about the diagnostics of its other language servers. */
import type { Diagnostic } from "vscode-languageserver/node";

/**
 * Params of the request `multiEdit/diagnostics`, which the server sends to a client that announces `diagnostics`: before a
 * call changes anything, and after it has.
 */
export interface DiagnosticsParams {
  /** URIs of the files that the call changes; those of renamed files are the new ones. */
  uris: string[];
  /** Milliseconds for which the client may wait for these servers; 0: it answers at once with what it has. */
  waitMs: number;
}

/**
 * The client's answer to `multiEdit/diagnostics`: the language servers, except this one, that serve a changed file or other
 * files of its type.
 */
export interface DiagnosticsResult {
  servers: ServerDiagnostics[];
}

/** The diagnostics of one language server. */
export interface ServerDiagnostics {
  /** Servers with the same name count as one. */
  name: string;
  /**
   * With `waitMs` 0: `true` if the server has not reported anything yet, for example because it is loading. Otherwise:
   * `true` if it has reported nothing since the request with `waitMs` 0.
   */
  pending?: boolean;
  /** All files for which the client has diagnostics of the server, also those that the call does not change. */
  files: { uri: string; diagnostics: Diagnostic[] }[];
}

/** The diagnostics that other language servers report since a call, compared with those before it. */
export interface NewDiagnostics {
  /** The new ones, errors first; at most 20. */
  new: NewDiagnostic[];
  /** The number of all new ones. */
  count: number;
  /** The number of those that the call has removed. */
  gone: number;
  /** Names of the servers that have reported both before the call and since. */
  answered: string[];
  /** Names of the other servers: nothing is known about what they will report. */
  pending: string[];
}

/** A diagnostic that was not there before the call. */
export interface NewDiagnostic {
  path: string;
  /** 1-based number of the line at which it starts, in the text after the call. */
  line: number;
  severity: "error" | "warning" | "information" | "hint";
  message: string;
  /** Name of the language server. */
  server: string;
  code?: number | string;
}

/**
 * Result of the request `multiEdit/ownWrites`, with `{ files }` after an agent has written files with a tool of its own, and
 * with `{ ran: { from, to } }` after it has run a command.
 */
export interface OwnWritesResult {
  /** Sentences for the model: which of its changes the user kept, undid or commented on, and the new errors; may be empty. */
  sentences: readonly string[];
}
