/** The wire types of the server's own requests, exported to clients as `multi-edit-language-server/protocol`. */
import type { Range, WorkspaceEdit } from "vscode-languageserver/node";
import type { CallOptions } from "../dialect/options.js";
import type { Failure, FailureCode } from "../plan/failure.js";

export type { CallOptions, Failure, FailureCode, Range, WorkspaceEdit };

/** Version of this protocol, as announced in `capabilities.experimental.multiEdit.version`. */
export const protocolVersion = 1;

/** Names of the requests, as sent on the wire. */
export const methods = {
  apply: "multiEdit/apply",
  preview: "multiEdit/preview",
  read: "multiEdit/read",
  undo: "multiEdit/undo",
  status: "multiEdit/status",
} as const;

/** Names of the commands for `workspace/executeCommand`; each takes the params as its first argument. */
export const commands = { apply: "multiEdit.apply", preview: "multiEdit.preview", undo: "multiEdit.undo" } as const;

/** Names of the requests that the server sends to clients that announce support for them. */
export const clientRequests = { saveDocuments: "multiEdit/saveDocuments" } as const;

/** Names of the notifications that the server sends. */
export const notifications = { didApply: "multiEdit/didApply" } as const;

/** One tool call as the model wrote it, in any announced shape, with the integration's options; a string is a patch. */
export type MultiEditParams = { options?: CallOptions; [field: string]: unknown } | string;

/** First and last line of a match: 1-based, both included, in the text before the batch. */
export interface PlaceLines {
  startLine: number;
  endLine: number;
}

/** The outcome of one edit of the call. */
export interface EditResult {
  /** 0-based number of the edit, in the order of the call. */
  index: number;
  path: string;
  /** `applied` means that the result's `edit` includes this edit, even if the result is only proposed. */
  status: "applied" | "skipped" | "failed" | "notAttempted";
  /** Name of the rung that found the old text; absent if nothing was searched for or found. */
  rung?: string;
  places: PlaceLines[];
  failure?: Failure;
}

/** The change of one file. */
export interface FileResult {
  path: string;
  uri: string;
  kind: "create" | "update" | "delete" | "rename";
  /** Path after a `rename`; `path` and `uri` are the old names. */
  newPath?: string;
  /** Set if an existing text is replaced as a whole, or if a file that has the new name is deleted first. */
  overwritten?: true;
  /** Version of the document that was matched; `null` if it is not open in the editor. */
  version: number | null;
  /** SHA-256, in hex, of the bytes of the matched file. Set only if `version` is `null` and the file exists. */
  hash?: string;
  /** 1-based line in the text after the batch; 0 if no line changes or the file is deleted, 1 for a new empty file. */
  firstChangedLine: number;
  /** Number of lines that are only in the text after the batch. */
  added: number;
  /** Number of lines that are only in the text before the batch. */
  removed: number;
  /** Unified diff of this file alone, in git style; empty in a `summary`. */
  diff: string;
  /**
   * `same` if the file on disk has the text that the editor holds. If the server applied the call, the text after the
   * call is compared, even for files that are not open. Absent for a deleted file, or if there is nothing to compare.
   */
  onDisk?: "same" | "differs";
}

/** The answer to `multiEdit/apply` and its commands. */
export interface MultiEditResult {
  /** `true` if the server applied the call and verified the result. */
  applied: boolean;
  /** `proposed`: the client may apply `edit`. `unknown`: not everything could be verified; see `warnings`. */
  outcome: "applied" | "proposed" | "unknown";
  /** `src/a.ts (3 edits)`, `4 files (9 edits)` for several files, or the option `label`. */
  label: string;
  /**
   * The result as text for an agent: the label, a sentence if the server wrote files that no editor has open, and a
   * line for each file. Each of these lines consists of `A` (added or overwritten), `M` (changed or renamed) or `D`
   * (deleted), and the path after the call. The lines are sorted in this order of letters.
   */
  text: string;
  /** The edit that was applied or is proposed; absent in a `summary`. */
  edit?: WorkspaceEdit;
  /** One unified diff of all files, in git style with 3 lines of context; a long one is cut in a `summary`. */
  diff: string;
  files: FileResult[];
  edits: EditResult[];
  /** Id for `multiEdit/undo` (for a proposal, once the client has applied it); absent if no undo is possible. */
  transaction?: string;
  warnings: string[];
}

/** `data` of the JSON-RPC error that answers a failed call. */
export interface MultiEditErrorData {
  failures: Failure[];
  edits: EditResult[];
  /** The proposed diff, if the user rejected the call. */
  diff?: string;
}

/** Params of `multiEdit/read`. Lines are 1-based and inclusive; the defaults are the first and the last line. */
export interface ReadParams {
  path: string;
  startLine?: number;
  endLine?: number;
}

/** The answer to `multiEdit/read`: the text that a call would be matched against, or its requested lines. */
export interface ReadResult {
  uri: string;
  version: number | null;
  text: string;
  /** 1-based number of the first line of `text`. */
  startLine: number;
  totalLines: number;
  onDisk: "same" | "differs";
}

/** Capabilities that a client may announce in `capabilities.experimental.multiEdit`. */
export interface ClientMultiEdit {
  /** `true` if the client answers the request `multiEdit/saveDocuments`. */
  save?: boolean;
  /** `true` if the client accepts the notification `multiEdit/didApply`. */
  didApply?: boolean;
  /** Maximum number of milliseconds until typed text is synced. */
  syncDelay?: number;
}

/** Params of the request `multiEdit/saveDocuments`, which the server sends to the client. */
export interface SaveDocumentsParams {
  uris: string[];
}

/** The client's answer to `multiEdit/saveDocuments`. */
export interface SaveDocumentsResult {
  saved: string[];
  failed: { uri: string; message: string }[];
}

/** Params of `multiEdit/undo`, which may be omitted. */
export interface UndoParams {
  /** Id from a result or from the status; absent for the latest transaction that has not been undone. */
  transaction?: string;
}

/** Params of the notification `multiEdit/didApply`. */
export interface DidApplyParams {
  /** Id of the batch that was applied or undone. */
  transaction: string;
  label: string;
  /** The changed files, without those that were deleted. */
  files: AppliedFile[];
}

/** A changed file, and the ranges of its new text. */
export interface AppliedFile {
  uri: string;
  /** Version of the document that `ranges` refer to; `null` if the file is not open in the editor. */
  version: number | null;
  /** Ranges of the new text; none if it can no longer be located. An empty range stands for a deletion. */
  ranges: Range[];
}

/** The answer to `multiEdit/status`, which has no params. */
export interface StatusResult {
  server: { name: string; version: string };
  /** Version of this protocol. */
  protocol: number;
  /** Name and version that the client states; `null` if it states no name. */
  client: { name: string; version?: string } | null;
  /** URIs of the workspace folders. */
  folders: string[];
  /** The open documents, in the order in which they were opened. */
  open: OpenStatus[];
  /** The latest batches that were applied, oldest first; some may have been undone since. */
  transactions: TransactionStatus[];
  /** The agents that have called this session through its socket, the latest caller last. */
  agents: Caller[];
}

/** An agent or script, identified by the name that it states to the session. */
export interface Caller {
  name: string;
  version?: string;
  /** Id that is the same in all calls of one agent, across its connections; absent if the agent is unknown. */
  agent?: string;
}

/** A document that the editor has open. */
export interface OpenStatus {
  uri: string;
  version: number;
  /** `differs` if the file on disk has another text, or if there is no such file. */
  onDisk: "same" | "differs";
}

/** A batch that was applied. */
export interface TransactionStatus {
  transaction: string;
  label: string;
  state: "applied" | "undone";
  /** The agent that sent the call; absent if the editor did. */
  by?: Caller;
}
