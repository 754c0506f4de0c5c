/** The client for agents, exported as `multi-edit-language-server/client`: sends calls to the user's editors. */
import { resolve } from "node:path";
import { sayUnreached } from "../disk/sentences.js";
import {
  type Caller,
  type CallOptions,
  type EditResult,
  type Failure,
  type ForwardedCall,
  type MultiEditErrorData,
  type MultiEditParams,
  type MultiEditResult,
  methods,
  type ReadParams,
  type ReadResult,
  type StatusResult,
  type UndoParams,
} from "../lsp/protocol.js";
import { callSentences, editorFailures } from "../lsp/sentences.js";
import { AnswerError, createCancelSource } from "../lsp/wire/rpc.js";
import { withRest } from "../plan/failure.js";
import { fromDirectory } from "../workspace/pathText.js";
import { inServerFolder } from "../workspace/serverFolder.js";
import { ConnectionLost, type SessionConnection } from "./connect.js";
import { mattersTo } from "./holders.js";
import { selectSession } from "./selectSession.js";
import { sessionFailures } from "./sentences.js";
import { closeSessions, findSessions } from "./sessions.js";

/** The agent, and the files for which it needs an editor. */
export interface OpenOptions {
  /** The agent, as it identifies itself to the editor; use the same `agent` for all connections of one agent. */
  readonly client: Caller;
  /** The directory that relative paths are relative to; by default, the working directory. */
  readonly directory?: string;
  /** Paths or URIs of the files to edit. If there are none, `directory` determines the editor. */
  readonly files?: readonly string[];
  /** The id of a session, or the start of one, to use regardless of the files. */
  readonly session?: string;
}

/** How one request is sent. */
export interface SendOptions {
  /** Aborting it cancels the request. The request is then rolled back, if it is not complete already. */
  readonly signal?: AbortSignal;
}

/** A connection to an editor. */
export interface EditorSession {
  readonly id: string;
  /** The editor's name and version, as it gives them. */
  readonly editor: string;
  /** The version of the editor's server. */
  readonly version: string;
  /** Sends a call, which the server applies in the editor. */
  apply(call: MultiEditParams | ForwardedCall, options?: CallOptions & SendOptions): Promise<MultiEditResult>;
  /** Returns what a call would change. */
  preview(call: MultiEditParams | ForwardedCall, options?: CallOptions & SendOptions): Promise<MultiEditResult>;
  /** Returns a document, or some of its lines, as the editor has it. */
  read(params: ReadParams, options?: SendOptions): Promise<ReadResult>;
  /** Undoes a call, by default the last one. */
  undo(params?: UndoParams, options?: SendOptions): Promise<MultiEditResult>;
  /** Returns the editor's open documents and the calls that were applied. */
  status(options?: SendOptions): Promise<StatusResult>;
  /** Closes the connection. Calls that have not begun to change anything are cancelled. */
  close(): void;
}

/** A request that failed, or an editor that could not be chosen. */
export class MultiEditError extends Error {
  override readonly name = "MultiEditError";
  constructor(
    message: string,
    /** Everything that is wrong; the first failure's `code` says which kind of error this is. */
    readonly failures: readonly Failure[],
    /** The outcome of each edit of the call. */
    readonly edits: readonly EditResult[],
    /** `true` if it is unknown whether the files were changed. */
    readonly isUnknown: boolean,
  ) {
    super(message);
  }
}

/**
 * Opens a connection to the editor that has the files, as the command line and the MCP server do. Returns `undefined`
 * if no editor has them. Throws a `MultiEditError` with the code `noSession` if several editors have them, or if one
 * that may have them can't be asked.
 */
export async function openSession(options: OpenOptions): Promise<EditorSession | undefined> {
  const directory = resolve(options.directory ?? ".");
  const query = { session: options.session, targets: options.files ?? [], directory };
  const found = await findSessions(inServerFolder("sessions"), options.client, { matters: mattersTo(query) });
  const selected = await selectSession(found, query);
  const session = selected.ok ? selected.session : undefined;
  for (const other of found.reached) if (other.record.id !== session?.record.id) other.close();
  if (!selected.ok) throw failed([selected.failure]);
  return session && toEditorSession(session, directory);
}

/** An editor that announces itself, whether or not it has certain files. */
export interface FoundEditor {
  readonly id: string;
  /** The editor's name and version, as it gives them. */
  readonly editor: string;
  /** URIs of the workspace folders; empty if the editor did not answer. */
  readonly folders: readonly string[];
  /** The reason why the editor could not be asked; absent if it answered. */
  readonly problem?: string;
}

/** Lists the user's editors that announce themselves. */
export async function listSessions({ client }: Pick<OpenOptions, "client">): Promise<readonly FoundEditor[]> {
  const found = await findSessions(inServerFolder("sessions"), client);
  closeSessions(found);
  return [
    ...found.reached.map(({ record, status }) => ({ id: record.id, editor: record.client, folders: status.folders })),
    ...found.unreached.map(({ record, why }) => {
      return { id: record.id, editor: record.client, folders: [], problem: sayUnreached(why).problem };
    }),
  ];
}

function toEditorSession(session: SessionConnection, directory: string): EditorSession {
  const { record, version } = session;
  const call = <T>(method: string, sent: MultiEditParams | ForwardedCall, options: CallOptions & SendOptions = {}) => {
    const { signal, ...own } = options;
    const shaped = typeof sent === "string" ? { patch: sent } : sent;
    const params = { ...shaped, options: { root: directory, ...shaped.options, ...own } };
    return ask<T>(session, method, params, signal);
  };
  return {
    id: record.id,
    editor: record.client,
    version,
    apply: (sent, options) => call(methods.apply, sent, options),
    preview: (sent, options) => call(methods.preview, sent, options),
    read: (params, options) =>
      ask(session, methods.read, { ...params, path: fromDirectory(directory, params.path) }, options?.signal),
    undo: (params, options) => ask(session, methods.undo, params ?? null, options?.signal),
    status: (options) => ask(session, methods.status, null, options?.signal),
    close: () => session.close(),
  };
}

/** Sends a request, and turns every failure into a `MultiEditError`. */
async function ask<T>(session: SessionConnection, method: string, params: unknown, signal?: AbortSignal): Promise<T> {
  // Otherwise, this program would send the request first, and the cancellation after it.
  if (signal?.aborted) throw failed([withRest(editorFailures.cancelled(), callSentences.nothingChanged)]);
  const source = createCancelSource();
  const cancel = (): void => source.cancel();
  signal?.addEventListener("abort", cancel);
  try {
    return (await session.request(method, params, source.token)) as T;
  } catch (error) {
    if (error instanceof ConnectionLost) {
      if (!error.wasWaiting) throw failed([sessionFailures.lost()], true);
      throw failed([withRest(editorFailures.closedAsking(), callSentences.nothingChanged)]);
    }
    if (!(error instanceof AnswerError)) throw error;
    const { failures = [], edits = [] } = (error.data ?? {}) as Partial<MultiEditErrorData>;
    throw new MultiEditError(error.message, failures, edits, false);
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

function failed(failures: readonly Failure[], isUnknown = false): MultiEditError {
  return new MultiEditError(failures.map(({ message }) => message).join("\n"), failures, [], isUnknown);
}
