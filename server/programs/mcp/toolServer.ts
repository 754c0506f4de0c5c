/** The types of a server with tools and resources, and the errors with which it answers requests. */
import type { Elicit } from "./elicitation.js";

/** The tools, and the server that offers them. */
export interface ToolServer {
  readonly info: { readonly name: string; readonly title: string; readonly version: string };
  /** Text for the model about the tools as a whole. */
  readonly instructions: string;
  /** Returns the tools as `tools/list` answers them; the answer never changes. */
  list(): Promise<readonly object[]>;
  /** Returns the result of a call; `undefined` if there is no such tool. */
  call(name: string, args: unknown, caller: ToolCaller): Promise<object | undefined>;
  /** Opens the resources, which most clients never ask for. */
  resources(): Promise<Resources>;
}

/** Texts that a client may show to its model. */
export interface Resources {
  /** Returns the resources as `resources/list` answers them. */
  list(): Promise<readonly object[]>;
  /** Returns a resource's contents, or a message that says why there are none. */
  read(uri: unknown, caller: ToolCaller): Promise<ReadResource>;
  /** Adds a listener; the function that it resolves with removes it. */
  listen(listener: ResourceListener): Promise<() => void>;
}

/** The answer to a read of a resource. */
export type ReadResource =
  | { readonly ok: true; readonly contents: readonly object[] }
  | { readonly ok: false; readonly message: string };

/** The part of a client that wants to know about changes. */
export interface ResourceListener {
  /** `true` if it wants to know about changes of the list. */
  readonly hasList: boolean;
  /** The resources whose texts it wants to know about. */
  readonly uris: readonly string[];
  /** Sends a notification to the client. */
  notify(method: string, params: object): void;
}

/** The program that calls a tool. */
export interface ToolCaller {
  /** The client's own description of itself, which may be any JSON value; `undefined` if there is none. */
  readonly client: unknown;
  /** The client's own name for the conversation that the call is part of; `undefined` if it gives none. */
  readonly conversation: string | undefined;
  /** Aborted if the client cancels the call, or if the connection ends. */
  readonly signal: AbortSignal;
  /** Asks the client's user; `undefined` if the client has not announced that it can. */
  readonly elicit?: Elicit | undefined;
  /** `true` if the client waits for the answer as long as it takes, because the call is a task. */
  readonly isTask?: true;
}

/** Error codes of JSON-RPC, and those that MCP adds. */
export const errorCodes = {
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  unknownRevision: -32022,
  /** Up to revision 2025-11-25; later, a resource that is not found is an invalid parameter. */
  resourceNotFound: -32002,
} as const;

/** An error that is the answer to a request. */
export class RequestError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
  ) {
    super(message);
  }
}
