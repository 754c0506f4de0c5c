/** The messages between the tap and the test, one JSON value per line. */

/** The sender or receiver of a message. */
export type Party = "editor" | "server";

/** A JSON-RPC message of any kind, as received. */
export interface Packet {
  readonly jsonrpc: string;
  readonly id?: number | string | null | undefined;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: params and results are what editors send, and only tests look into them
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Messages from the tap. */
export type FromTap =
  /** The tap is running with this process id. */
  | { readonly tap: number }
  | { readonly from: Party; readonly message: Packet }
  /** A request is held back under this name. */
  | { readonly held: string; readonly message: Packet }
  /** The server has exited. */
  | { readonly exit: number | null };

/** Messages to the tap. */
export type ToTap =
  /** Holds back requests with these methods from now on. */
  | { readonly gate: readonly string[] }
  /** Sends a message to the server as if it came from the editor; the answer goes to the test, not to the editor. */
  | { readonly send: Packet }
  /** Sends a message to the editor as if it came from the server; the answer goes to the test, not to the server. */
  | { readonly deliver: Packet }
  /** Passes a request on, or answers it on behalf of its receiver. */
  | { readonly release: string; readonly answer?: object };

/** Names of the environment variables that the tap reads. */
export const tapVariables = {
  /** Path of the test's socket. */
  socket: "MULTI_EDIT_TAP",
  /** Position encodings for `initialize` to offer instead of the editor's own, separated by commas. */
  encodings: "MULTI_EDIT_ENCODINGS",
} as const;
