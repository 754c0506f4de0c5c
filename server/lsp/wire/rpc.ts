/** The parts of JSON-RPC that a command needs, because the library takes as long to load as the rest. */
import type { CancellationToken } from "vscode-languageserver/node";
import type { MultiEditErrorData } from "../protocol.js";
import type { Channel } from "./channel.js";

/** The error codes of JSON-RPC and LSP that the server sends. */
export const errorCodes = {
  methodNotFound: -32601,
  invalidParams: -32602,
  requestCancelled: -32800,
  contentModified: -32801,
  requestFailed: -32803,
} as const;

/** The error that answers a request. */
export class AnswerError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** A class of errors: ours, or the library's, which sends only errors of its own class as they are. */
export type ErrorClass = new (code: number, message: string, data?: MultiEditErrorData) => Error;

/** A token, and the function that cancels it. */
export interface CancelSource {
  readonly token: CancellationToken;
  cancel(): void;
}

/** Creates a token that has not been cancelled. A listener that is added later than that is called soon afterwards. */
export function createCancelSource(): CancelSource {
  const waiting = new Set<() => void>();
  let isCancelled = false;
  const token: CancellationToken = {
    get isCancellationRequested() {
      return isCancelled;
    },
    onCancellationRequested(listener, self) {
      const call = (): void => {
        if (waiting.delete(call)) listener.call(self, undefined);
      };
      waiting.add(call);
      if (isCancelled) setImmediate(call);
      return { dispose: () => void waiting.delete(call) };
    },
  };
  return {
    token,
    cancel() {
      isCancelled = true;
      for (const call of [...waiting]) call();
    },
  };
}

/** Sends a request, and cancels it with the token. Rejects with `AnswerError`; stays pending without an answer. */
export type SendRequest = (method: string, params: unknown, token?: CancellationToken) => Promise<unknown>;

/** A request that waits for its answer. */
interface PendingRequest {
  resolve(answer: unknown): void;
  reject(error: AnswerError): void;
}

/** Called when the other side sends anything but an answer, and when it ends. */
export interface RequesterEvents {
  /** The other side has sent a notification or a request. */
  notified(method: string, params: unknown): void;
  /** No more answers will come. */
  end(): void;
}

/** Reads from a channel, and returns the function that sends requests over it. Answers no requests. */
export function createRequester(channel: Channel, { notified, end }: RequesterEvents): SendRequest {
  const asked = new Map<unknown, PendingRequest>();
  let lastId = 0;
  const receive = (message: unknown): void => {
    const { id, method, params, result, error }: Readonly<Record<string, unknown>> = Object(message);
    if (typeof method === "string") {
      notified(method, params);
      return;
    }
    const request = asked.get(id);
    asked.delete(id);
    if (error === undefined || error === null) {
      request?.resolve(result);
      return;
    }
    const { code, message: problem, data }: Readonly<Record<string, unknown>> = Object(error);
    request?.reject(new AnswerError(Number(code), String(problem), data));
  };
  channel.listen({ message: receive, unreadable: () => undefined, end });
  return async (method, params, token) => {
    const id = ++lastId;
    const answer = new Promise((resolve, reject) => asked.set(id, { resolve, reject }));
    channel.send(toMessage({ id, method, params: params ?? undefined }));
    const cancelled = token?.onCancellationRequested(() =>
      channel.send(toMessage({ method: "$/cancelRequest", params: { id } })),
    );
    try {
      return await answer;
    } finally {
      cancelled?.dispose();
    }
  };
}

const toMessage = (fields: object) => ({ jsonrpc: "2.0", ...fields });
