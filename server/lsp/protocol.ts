/** The wire types of the server's own requests, exported to clients as `multi-edit-language-server/protocol`. */
import type { Range, WorkspaceEdit } from "vscode-languageserver/node";
import type {
  BatchCall,
  BatchEdit,
  EditFileCall,
  EditFileEdit,
  ForwardedCall,
  MultiEditCall,
  MultiEditEdit,
  PatchCall,
  PiEdit,
  PiEditCall,
  PiListCall,
  ShapedCall,
} from "../dialect/calls.js";
import type { CallOptions } from "../dialect/options.js";
import type { Failure, FailureCode } from "../plan/failure.js";
import type { NewDiagnostics } from "./diagnostics/protocol.js";
import type { ConfirmHunk, HistoryCall, RefusedPlace, ReviewSelector } from "./review/protocol.js";

/** The type of what a client announces. */
export type * from "./capabilities.js";
/** The types for the diagnostics of other language servers, and for open files on disk. */
export type * from "./diagnostics/protocol.js";
export type * from "./onDisk/protocol.js";
/** The types of the review. */
export type * from "./review/protocol.js";
export type {
  BatchCall,
  BatchEdit,
  CallOptions,
  EditFileCall,
  EditFileEdit,
  Failure,
  FailureCode,
  ForwardedCall,
  MultiEditCall,
  MultiEditEdit,
  PatchCall,
  PiEdit,
  PiEditCall,
  PiListCall,
  Range,
  ShapedCall,
  WorkspaceEdit,
};

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

/** Names of the requests that only agents may send, through the socket. */
export const agentMethods = {
  confirm: "multiEdit/confirm",
  answer: "multiEdit/answer",
  ownWrites: "multiEdit/ownWrites",
} as const;

/** Names of the notifications that the server sends to agents, through the socket. */
export const agentNotifications = { asking: "multiEdit/asking", alive: "multiEdit/alive" } as const;

/** Params of the notification `multiEdit/asking`. */
export interface AskingParams {
  /** `true`: a call of the connection waits for the user, and changes nothing before the notification with `false`. */
  waiting: boolean;
}

/** Names of the commands for `workspace/executeCommand`; the first argument is the request's params. */
export const commands = { apply: "multiEdit.apply", preview: "multiEdit.preview", undo: "multiEdit.undo" } as const;

/** Names of the requests sent to clients that announce support for them. */
export const clientRequests = {
  saveDocuments: "multiEdit/saveDocuments",
  confirm: "multiEdit/confirm",
  adoptDiskText: "multiEdit/adoptDiskText",
  diagnostics: "multiEdit/diagnostics",
} as const;

/**
 * Names of the notifications. The server sends `didApply`; a client may also send it once it has applied a proposal. A
 * client sends `didChangeUnsynced`. The server sends `didChangeOnDisk` to a client that announces it, and
 * such a client sends `didMerge`.
 */
export const notifications = {
  didApply: "multiEdit/didApply",
  didChangeUnsynced: "multiEdit/didChangeUnsynced",
  didChangeOnDisk: "multiEdit/didChangeOnDisk",
  didMerge: "multiEdit/didMerge",
} as const;

/** A call in any announced shape, with options; a string is a patch. For calls passed on, use `ForwardedCall`. */
export type MultiEditParams = ShapedCall;

/** First and last line of a match, 1-based and inclusive, in the text as it was before the batch. */
export interface PlaceLines {
  startLine: number;
  endLine: number;
}

/** The outcome of one edit in the call. */
export interface EditResult {
  /** 0-based index of the edit in the call. */
  index: number;
  path: string;
  /** `applied` means that the result's `edit` includes this edit, even if the edit is only proposed. */
  status: "applied" | "skipped" | "failed" | "notAttempted";
  /** Name of the rung (the method of comparison) that found the old text; absent if none did. */
  rung?: string;
  /** The earlier text that decided the place; absent if the present text did. */
  base?: "saved" | "read";
  places: PlaceLines[];
  failure?: Failure;
}

/** The change to one file. */
export interface FileResult {
  path: string;
  uri: string;
  kind: "create" | "update" | "delete" | "rename";
  /** New path after a `rename`; `path` and `uri` refer to the old one. */
  newPath?: string;
  /** Set if the whole text of an existing file is replaced, or if another file is deleted first to free the name. */
  overwritten?: true;
  /** Document version that the edits were matched against; `null` if the file is not open in the editor. */
  version: number | null;
  /** SHA-256, in hex, of the file's bytes before the batch. Set only if `version` is `null` and the file existed. */
  hash?: string;
  /** 1-based first changed line in the resulting text: 0 if no line changes or the file is deleted, 1 if it is new. */
  firstChangedLine: number;
  /** Number of lines added; a changed line counts in both `added` and `removed`. */
  added: number;
  /** Number of lines removed. */
  removed: number;
  /** Unified diff of this file alone, in Git style; empty if the option `result` is `summary`. */
  diff: string;
  /**
   * `same` if the file on disk contains the editor's text or, for a file that is not open, the planned text. If the
   * server tried to apply the call, this is the state after the call; otherwise it is the state before the call and is
   * given only for open files. Absent for a deleted file, or if there is nothing to compare.
   */
  onDisk?: "same" | "differs";
}

/** The answer to `multiEdit/apply`, `multiEdit/preview`, `multiEdit/undo` and the commands. */
export interface MultiEditResult {
  /** `true` if the server applied the call and verified the result. */
  applied: boolean;
  /** `proposed`: the client can apply `edit`. `unknown`: all, part or none was applied; see `warnings`. */
  outcome: "applied" | "proposed" | "unknown";
  /** The option `label` or, by default, `src/a.ts (3 edits)` for one file and `4 files (9 edits)` for several. */
  label: string;
  /**
   * The result as text for an agent: the label; a sentence about any files that the server wrote because no editor has
   * them open; and one line per file, with a letter and the path that the file has after the call. The letters are `A`
   * (added or overwritten), `M` (changed or renamed) and `D` (deleted), and the lines are sorted in that order.
   */
  text: string;
  /** The edit that was applied or proposed; absent if the option `result` is `summary`. */
  edit?: WorkspaceEdit;
  /** One unified diff of all files, in Git style, with 3 lines of context. In a `summary`, a long diff is truncated. */
  diff: string;
  files: FileResult[];
  edits: EditResult[];
  /** Id for `multiEdit/undo`; absent if no undo is possible. A proposal can be undone once it has been applied. */
  transaction?: string;
  warnings: string[];
  /** What other language servers report since the call; absent unless it was applied and the client tells. */
  diagnostics?: NewDiagnostics;
  /** What the user has made of the agent's earlier edits since its last answer; `text` begins with it. */
  note?: string;
  /** What the user, who was asked about the call, has refused of it; absent if nothing. */
  refused?: RefusedPlace[];
}

/** `data` of the JSON-RPC error that answers a failed call. */
export interface MultiEditErrorData {
  failures: Failure[];
  edits: EditResult[];
  /** The diff that the user rejected, if any. */
  diff?: string;
}

/** Params of `multiEdit/read`. The lines are 1-based and inclusive; by default, the whole text is read. */
export interface ReadParams {
  path: string;
  startLine?: number;
  endLine?: number;
  /** The maximum length of `text`, in UTF-16 code units; the first line is returned even if it is longer. */
  maxLength?: number;
}

/** The answer to `multiEdit/read`: all or some lines of the text that calls are matched against. */
export interface ReadResult {
  uri: string;
  version: number | null;
  text: string;
  /** 1-based number of the first line of `text`. */
  startLine: number;
  /** 1-based number of the last line of `text`; one less than `startLine` if there are no such lines. */
  endLine: number;
  totalLines: number;
  onDisk: "same" | "differs";
  /** Set if another program has changed the file on disk since the editor last read or wrote it. */
  changedOnDisk?: true;
  /** The lines that the file's last change on disk brought into the unsaved text; absent if there are none. */
  mergedFromDisk?: PlaceLines[];
  /** As in a `MultiEditResult`. */
  note?: string;
}

/** Params of `multiEdit/undo`: a transaction or hunks; by default, the latest transaction that has not been undone. */
export type UndoParams = ReviewSelector;

/** A change to one file, as the user is asked or told about it. For an undo, all fields say what the undo does. */
export interface FileSummary {
  /** URI of the file after the change; for a deleted file, the URI that it has before. */
  uri: string;
  kind: "create" | "update" | "rename" | "delete";
  /** Former URI of a renamed file. */
  oldUri?: string;
  /** Number of lines added; a changed line counts in both `added` and `removed`. */
  added: number;
  /** Number of lines removed. */
  removed: number;
}

/** Params of the request `multiEdit/confirm`, which the server sends to a client that announces `confirm`. */
export interface ConfirmRequestParams {
  label: string;
  /** Name of the agent that sent the call; absent if the editor sent it. */
  agent?: string;
  /** Unified diff of all files, in Git style. */
  diff: string;
  /** Number of lines added; a changed line counts in both `added` and `removed`. */
  added: number;
  /** Number of lines removed. */
  removed: number;
  files: FileSummary[];
  /** The hunks, of which the user may refuse some; only for a call, and for a client that also announces `review`. */
  hunks?: ConfirmHunk[];
  /** Milliseconds after which the server withdraws the question with `$/cancelRequest`. */
  expiresInMs: number;
}

/** The client's answer to `multiEdit/confirm`. */
export interface ConfirmRequestResult {
  answer: "apply" | "reject";
  /** The user's reason for the rejection, in the user's words. */
  reason?: string;
  /** With `apply`: the ids of the hunks that are not applied. */
  refused?: string[];
}

/** Params of `multiEdit/confirm` on the agents' socket: another process changes this session's files on disk. */
export interface ConfirmParams {
  label: string;
  /** Unified diff of all files, in Git style. */
  diff: string;
  /** Number of lines added; a changed line counts in both `added` and `removed`. */
  added: number;
  /** Number of lines removed. */
  removed: number;
  files?: FileSummary[];
}

/** Params of `multiEdit/answer` on the socket: the user's answer, with the code that only the editor has shown. */
export interface AnswerParams extends Omit<ConfirmRequestResult, "refused"> {
  code: string;
}

/** The answer to `multiEdit/confirm` on the socket, if the user agrees; otherwise the request fails. */
export interface ConfirmResult {
  consent: "yes";
}

/** Params of the notification `multiEdit/didApply`. */
export interface DidApplyParams {
  /** Id of the transaction that was applied or undone. */
  transaction: string;
  label: string;
  kind: "applied" | "undone";
  /** Name of the agent that sent the call or, for `undone`, the undo; absent if the editor sent it. */
  agent?: string;
  /** Time at which the call was applied or undone, in ISO 8601. */
  at: string;
  /** The changed files, except those that were deleted only to make room for a renamed file. */
  files: AppliedFile[];
}

/** A changed file and the ranges that its new text occupies. */
export interface AppliedFile extends FileSummary {
  /** Document version that `ranges` refer to; `null` if the file is not open in the editor. */
  version: number | null;
  /** Empty if no text changed, the file was deleted, or the text can't be located; length 0 marks removed text. */
  ranges: Range[];
}

/** Params of `multiEdit/status`. With `files` (absolute paths), only open documents that may be one of them are listed. */
export type StatusParams = { files?: string[] };

/** The answer to `multiEdit/status`. */
export interface StatusResult {
  server: { name: string; version: string };
  /** Version of this protocol. */
  protocol: number;
  /** The client's name and version, each on one line; of a version with spaces, only the number. `null` if unnamed. */
  client: { name: string; version?: string } | null;
  /** URIs of the workspace folders. */
  folders: string[];
  /** The `folders` that do not exist on the server's machine; absent if all exist. */
  absentFolders?: string[];
  /** The open documents, in the order they were opened. */
  open: OpenStatus[];
  /** URIs of documents with unsaved changes that the client does not sync, as it has reported them. */
  unsynced: string[];
  /** The most recently applied batches, oldest first; some may have been undone since. */
  transactions: TransactionStatus[];
  /** The agents that have called this session through its socket, in the order of their latest calls. */
  agents: Caller[];
  /** Problems with the user's settings, as sentences; empty if there are none. */
  settingProblems: string[];
  /** `true` if the client saves documents at the server's request; otherwise absent. */
  saves?: true;
  /** Label of the open question, if the user may answer it from a shell. */
  question?: string;
  /** Time of the latest call that was not a status request, in ISO 8601; absent if there was none. */
  lastCallAt?: string;
}

/** An agent or script, as it identifies itself to the session. */
export interface Caller {
  name: string;
  version?: string;
  /** Id of the agent, the same on all of its connections; absent if the agent is unknown. */
  agent?: string;
}

/** A document open in the editor. */
export interface OpenStatus {
  uri: string;
  version: number;
  /** `same` if the file on disk has the document's text; `differs` if not, or if the two can't be compared. */
  onDisk: "same" | "differs";
  /**
   * `true` if the document has no unsaved text as far as the server can tell, although it differs from the file: it has
   * not changed since it had the file's text, and the file has; or the two can't be compared, and the document has not
   * changed since the editor last read or wrote the file, or the file has its text in an encoding with one byte for each
   * character, or there is neither text nor a file. Otherwise absent.
   */
  saved?: true;
}

/** A batch that was applied and may have been undone since. */
export interface TransactionStatus {
  transaction: string;
  label: string;
  state: HistoryCall["state"];
  /** Time of the call, in ISO 8601. */
  at: string;
  /** The paths of the changed files; those of renamed files are the new ones. */
  files: string[];
  /** The agent that sent the call; absent if the editor did. */
  by?: Caller;
}
