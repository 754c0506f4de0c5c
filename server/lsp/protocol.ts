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

/** Names of the commands for `workspace/executeCommand`; each takes the params as its only argument. */
export const commands = { apply: "multiEdit.apply", preview: "multiEdit.preview", undo: "multiEdit.undo" } as const;

/** Names of the requests that the server sends to clients that announce them. */
export const clientRequests = { saveDocuments: "multiEdit/saveDocuments" } as const;

/** Names of the notifications that the server sends. */
export const notifications = { didApply: "multiEdit/didApply" } as const;

/** One tool call as the model wrote it, in any shape that the server announces, and the integration's options. */
export type MultiEditParams = { options?: CallOptions; [field: string]: unknown } | string;

/** Lines of a place: 1-based, both included, of the text before the batch. */
export interface PlaceLines {
  startLine: number;
  endLine: number;
}

/** What became of one edit of the call. */
export interface EditResult {
  /** 0-based, as sent. */
  index: number;
  path: string;
  /** `applied` means: contained in `edit`, in proposals too. */
  status: "applied" | "skipped" | "failed" | "notAttempted";
  /** The rung that found the old text. `undefined`: nothing was searched or found. */
  rung?: string;
  places: PlaceLines[];
  failure?: Failure;
}

/** What becomes of one file. */
export interface FileResult {
  path: string;
  uri: string;
  kind: "create" | "update" | "delete" | "rename";
  /** Of a `rename`; `path` and `uri` are those before. */
  newPath?: string;
  /** A text that was there is replaced as a whole, or a file that had the new name makes room; absent: neither. */
  overwritten?: true;
  /** The version that was matched; `null`: not open in the editor. */
  version: number | null;
  /** SHA-256, in hex, of the bytes of the file that was matched; only where `version` is `null` and the file exists. */
  hash?: string;
  /** 1-based line of the result; 0 where no line changes, and where the file is deleted. */
  firstChangedLine: number;
  /** Lines. */
  added: number;
  removed: number;
  /** Unified, git style, of this file alone. */
  diff: string;
  /** Whether the text that the editor holds is also on disk. `undefined`: not open, or deleted. */
  onDisk?: "same" | "differs";
}

/** The answer to `multiEdit/apply` and its commands. */
export interface MultiEditResult {
  /** Whether the server applied it and saw the proof. */
  applied: boolean;
  outcome: "applied" | "proposed" | "unknown";
  /** `src/a.ts (3 edits)`; several files: `4 files (9 edits)`. */
  label: string;
  /**
   * The result in words for an agent: the label, then a line for each file, with `A` (added or overwritten), `M` (changed
   * or renamed, with its new path) or `D` (deleted) in front of its path; all of one letter stand together.
   */
  text: string;
  /** What was, or is to be, applied; absent in a `summary`. */
  edit?: WorkspaceEdit;
  /** One unified diff of all files, git style, with 3 lines of context. */
  diff: string;
  files: FileResult[];
  edits: EditResult[];
  /** By which `multiEdit/undo` takes it back; absent where nothing was applied, or it can't be taken back. */
  transaction?: string;
  warnings: string[];
}

/** `data` of the JSON-RPC error that a failed call is answered with. */
export interface MultiEditErrorData {
  failures: Failure[];
  edits: EditResult[];
  /** Of a call that the user rejected: the diff that was proposed. */
  diff?: string;
}

/** Params of `multiEdit/read`; lines are 1-based and both included. */
export interface ReadParams {
  path: string;
  startLine?: number;
  endLine?: number;
}

/** The text that a batch would be matched against. */
export interface ReadResult {
  uri: string;
  version: number | null;
  text: string;
  /** 1-based line at which `text` starts. */
  startLine: number;
  totalLines: number;
  onDisk: "same" | "differs";
}

/** What a client may announce in `capabilities.experimental.multiEdit`. */
export interface ClientMultiEdit {
  /** That it answers `multiEdit/saveDocuments`. */
  save?: boolean;
  /** That it takes the notification `multiEdit/didApply`. */
  didApply?: boolean;
  /** Milliseconds that typed text may take until it is synced. */
  syncDelay?: number;
}

/** Params of `multiEdit/saveDocuments`, which the server sends. */
export interface SaveDocumentsParams {
  uris: string[];
}

/** The client's answer to `multiEdit/saveDocuments`. */
export interface SaveDocumentsResult {
  saved: string[];
  failed: { uri: string; message: string }[];
}

/** Params of `multiEdit/undo`; may be left out. */
export interface UndoParams {
  /** Of a result, or of the status; absent: the last one that was not taken back. */
  transaction?: string;
}

/** Params of the notification `multiEdit/didApply`. */
export interface DidApplyParams {
  /** The batch that was applied or taken back. */
  transaction: string;
  label: string;
  /** Without those that were deleted. */
  files: AppliedFile[];
}

/** Where in a file the text was changed. */
export interface AppliedFile {
  uri: string;
  /** That `ranges` are of; `null`: not open in the editor. */
  version: number | null;
  /** What was written; where text only went, an empty range. */
  ranges: Range[];
}

/** What `multiEdit/status` answers; the request has no params. */
export interface StatusResult {
  server: { name: string; version: string };
  /** Version of this protocol. */
  protocol: number;
  /** As it names itself; `null`: it does not. */
  client: { name: string; version?: string } | null;
  /** URIs of the workspace folders. */
  folders: string[];
  /** In the order in which they were opened. */
  open: OpenStatus[];
  /** What was applied, oldest first. */
  transactions: TransactionStatus[];
  /** The agents that have asked this session through its socket, the one that asked last at the end. */
  agents: Caller[];
}

/** An agent, or a script, as it names itself to the session that it asks. */
export interface Caller {
  name: string;
  version?: string;
  /** The same in all calls of one agent, whatever connections it opens; absent: it is not known which agent it is. */
  agent?: string;
}

/** A document that the editor has open. */
export interface OpenStatus {
  uri: string;
  version: number;
  /** `differs` also where there is no file. */
  onDisk: "same" | "differs";
}

/** A batch that was applied. */
export interface TransactionStatus {
  transaction: string;
  label: string;
  state: "applied" | "undone";
  /** The agent that asked for it; absent: the editor did. */
  by?: Caller;
}
