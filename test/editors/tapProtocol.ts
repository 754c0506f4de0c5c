/** What the tap and the test say to each other, one JSON value a line. */

/** Whose message it is, or for whom. */
export type Party = "editor" | "server";

/** A message of JSON-RPC as it came; which kind it is, tells whoever looks at it. */
export interface Packet {
  readonly jsonrpc: string;
  readonly id?: number | string | null | undefined;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: params and results are what editors send, and are looked into by tests only
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What the tap tells. */
export type FromTap =
  /** It is there, with this process id. */
  | { readonly tap: number }
  | { readonly from: Party; readonly message: Packet }
  /** A request waits to be released, under this name. */
  | { readonly held: string; readonly message: Packet }
  /** The server has ended. */
  | { readonly exit: number | null };

/** What the tap is told to do. */
export type ToTap =
  /** From now on requests of these methods wait. */
  | { readonly gate: readonly string[] }
  /** A message to the server as if the editor had sent it; an answer to it is told and does not reach the editor. */
  | { readonly send: Packet }
  /** Passes a request on, or answers it in place of the one it is for. */
  | { readonly release: string; readonly answer?: object };

/** Names of the environment variables that the tap reads. */
export const tapVariables = {
  /** Path of the test's socket. */
  socket: "MULTI_EDIT_TAP",
  /** Position encodings that `initialize` then offers in place of the editor's own, parted by commas. */
  encodings: "MULTI_EDIT_ENCODINGS",
} as const;
