/** Sentences about the connection: unreadable frames, refused messages, and the end of the process. */
import { limits } from "../../text/limits.js";

/** Clauses that say why the client's bytes are not valid frames. */
export const frameFaults = {
  after: (problem: string, header: Buffer) => `${problem}, after ${quoteEnd(header)}`,
  longHeader: `the header has more than ${limits.headerBytes} bytes`,
  byte: (byte: number) => `the header contains the byte 0x${byte.toString(16).padStart(2, "0")}`,
  lineEnd: "a header line does not end in CRLF",
  unknownField: "a header line is neither Content-Length nor Content-Type",
  noLength: "the header has no Content-Length",
  twoLengths: "the header has two Content-Length lines",
  noNumber: "the Content-Length is not a decimal number",
  emptyBody: "the Content-Length is 0",
  largeBody: `the Content-Length is more than ${limits.messageBytes} bytes`,
  twoTypes: "the header has two Content-Type lines",
  charset: "the Content-Type's charset is not UTF-8",
  cutOff: "the input ends in the middle of a message",
} as const;

/** Quotes the last bytes read, shortened and on one line: they are untrusted, and a terminal may show the log. */
function quoteEnd(bytes: Buffer): string {
  const start = Math.max(0, bytes.length - limits.quotedInput);
  return `${start > 0 ? "… " : ""}${JSON.stringify(bytes.toString("latin1", start))}`;
}

/** A JSON-RPC error. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
}

const parseError = -32700;
const invalidRequest = -32600;
const invalidParams = -32602;
const internalError = -32603;
const notInitialized = -32002;
/** The library's own code for a request on a connection that is closed before the answer arrives. */
export const connectionClosed = -32097;
/** LSP's code for a valid request that fails. Also the fallback for a client error without a code. */
export const requestFailed = -32803;

/**
 * Errors in answers that the server builds without the library. The codes come from the JSON-RPC and LSP
 * specifications, except for `clientGone`, which uses the library's own code for requests on a closed connection.
 */
export const refusals = {
  unreadable: { code: parseError, message: "The message is not JSON in UTF-8." },
  batch: { code: invalidRequest, message: "LSP has no batches; send each message in its own frame." },
  noObject: { code: invalidRequest, message: "A message must be a JSON object." },
  version: { code: invalidRequest, message: 'A message must contain "jsonrpc": "2.0".' },
  method: { code: invalidRequest, message: "The method of a request or notification must be a string." },
  longMethod: {
    code: invalidRequest,
    message: `A method name can have at most ${limits.envelopeText} characters.`,
  },
  id: {
    code: invalidRequest,
    message: `A request's id must be an integer, or a string of at most ${limits.envelopeText} characters.`,
  },
  duplicateId: { code: invalidRequest, message: "A request with this id is still pending." },
  notInitialized: { code: notInitialized, message: "The first request must be initialize." },
  initializedTwice: { code: invalidRequest, message: "The server is already initialized." },
  shutDown: { code: invalidRequest, message: "The server is shut down; only the exit notification may follow." },
  initializeParams: { code: invalidParams, message: "The params of initialize must be an object." },
  params: { code: invalidParams, message: "The params must be an object." },
  positionalParams: { code: invalidParams, message: "Positional params must be an array with exactly one item." },
  /** `part`: the path of a field that is absent, or has a value of another type. */
  lacking: (method: string, part: string) => ({
    code: invalidParams,
    message: `The params of ${method} must have ${part}.`,
  }),
  busy: {
    code: requestFailed,
    message: `${limits.pendingRequests} requests are already pending; send this one later.`,
  },
  clientGone: { code: connectionClosed, message: "The client closed the connection." },
  unwritable: { code: internalError, message: "The answer can't be written as JSON." },
} as const satisfies Record<string, Refusal | ((method: string, part: string) => Refusal)>;

/** The fallback for a client error without a message. */
export const noClientMessage = "The client gave no message.";

/** Reasons, given in the log, for dropping messages that can't be answered. */
export const dropReasons = {
  early: "a notification came before initialize",
  late: "a notification came after shutdown",
  params: "the params of a notification are not an object",
  cancellation: "a cancellation does not refer to a pending request",
  responseVersion: 'a response does not contain "jsonrpc": "2.0"',
  response: "a response has an id that matches no pending request from the server",
} as const;

/** Log lines on stderr about the connection and the process. */
export const connectionSentences = {
  noProtocol: (fault: string) => `the input does not follow the Language Server Protocol: ${fault}`,
  messageLost: (error: unknown) => `a message was lost: ${String(error)}`,
  noParent: "--node-ipc needs a parent process with an IPC channel",
  port: (port: number) => `port ${port} on this machine`,
  pipe: "the given pipe",
  unreached: (name: string, problem: string) => `can't connect to ${name}: ${problem}`,
  longPath: (most: number) => `a socket path can have at most ${most} bytes on this system`,
  uncaught: (error: Error) => `uncaught: ${error.stack ?? error.message}`,
  unhandled: (reason: unknown) =>
    `unhandled rejection: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`,
  foreignClient: (processId: number) =>
    `process ${processId} was not found, so the server exits only when the connection closes`,
  clientEnded: (processId: number) => `process ${processId}, which the client named as its own, has ended`,
} as const;
