/** A connected client: its capabilities, folders, settings and open documents. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type {
  ApplyWorkspaceEditParams,
  ApplyWorkspaceEditResult,
  CancellationToken,
  ClientCapabilities,
  MessageType,
  WorkDoneProgressServerReporter,
} from "vscode-languageserver/node";
import type { Holder } from "../disk/sentences.js";
import type { Failure } from "../plan/failure.js";
import type { Documents, OpenDocument } from "../workspace/documents.js";
import type { Folder } from "../workspace/paths.js";
import { pathOfSyncedUri } from "../workspace/pathText.js";
import type { FileGate } from "../workspace/protection.js";
import type { Settings } from "../workspace/settings.js";
import type { World } from "../workspace/takeSnapshot.js";
import type { Trails } from "../workspace/trails.js";
import type { ClientFacts } from "./clients.js";
import type { DiskStamps } from "./diskStamps.js";
import type { PositionEncoding } from "./edit/positions.js";
import type { SessionHistory } from "./history.js";
import type { DiskFollower } from "./onDisk/diskFollower.js";
import type { Caller, ClientMultiEdit, ConfirmParams } from "./protocol.js";
import type { Reviewer } from "./review/reviewer.js";
import type { LogLevel } from "./wire/logLevel.js";

/** A client's name and version, as reported by the client, without line ends. */
export interface ClientInfo {
  readonly name: string;
  readonly version?: string;
}

/** The types of LSP messages. Not the library's own constants, because commands must not wait for the library to load. */
export const messageTypes = { error: 1, warn: 2, info: 3, debug: 4 } as const satisfies Record<LogLevel, MessageType>;

/** The parts of the library's connection that calls use. A session without an editor has them, too. */
export interface ClientConnection {
  sendRequest(method: string, params: object, token?: CancellationToken): Promise<unknown>;
  sendNotification(method: string, params: object): Promise<void>;
  readonly tracer: { log(message: string, verbose?: string): void };
  readonly window: {
    createWorkDoneProgress(): Promise<WorkDoneProgressServerReporter>;
  };
  readonly workspace: {
    applyEdit(params: ApplyWorkspaceEditParams): Promise<ApplyWorkspaceEditResult>;
    getConfiguration(section: string): Promise<unknown>;
  };
}

/** A decision that a user has made in the agent's own program. */
export type UserDecision = "apply" | "reject" | "closed";

/** What a session gets from, and tells, the user's other editors and the programs that look for this one. */
export interface Outside {
  /** Returns the gates that the user has set elsewhere. */
  gates(): readonly FileGate[];
  /** Asks the user about changes to `files` elsewhere. `ownClient`: its own client asks; `nobody`: no editor can. */
  ask(
    question: ConfirmParams,
    files: readonly string[],
    token: CancellationToken,
  ): Promise<"yes" | "ownClient" | "nobody" | Failure>;
  /**
   * Asks the user in the agent's own program, if no editor can ask. `undefined`: the program can't ask, or has not said
   * what the user decided; `closed`: the user has closed the question.
   */
  elicit?(question: string, token: CancellationToken): Promise<UserDecision | undefined>;
  /** Returns those of the paths that are, or may be, open in another editor, each mapped to that editor. */
  holders(paths: readonly string[]): Promise<ReadonlyMap<string, Holder>>;
  /** Called when the folders, or anything else that others must know, have changed. */
  changed(what: "folders" | "others"): void;
  /** Called when the client has saved a document. */
  saved(uri: string): void;
}

/** The outside of a session that nobody else knows of. */
export const nobody: Outside = {
  gates: () => [],
  ask: async () => "ownClient",
  holders: async () => new Map(),
  changed: () => undefined,
  saved: () => undefined,
};

/** One connected client. `initialize` and notifications set its fields; calls change only `callers` and `history`. */
export interface Session {
  readonly connection: ClientConnection;
  readonly documents: Documents;
  readonly history: SessionHistory;
  /** The documents' earlier texts; `undefined` before one is opened or read, and without an editor. */
  trails: Trails | undefined;
  /** The open files as they were on disk when the editor last read or wrote them. */
  readonly diskStamps: DiskStamps;
  /** Follows the open files on disk; `undefined` in a session without an editor. */
  disk: DiskFollower | undefined;
  /** Follows what calls have changed; `undefined` in a session without an editor. */
  review: Reviewer | undefined;
  /** The agents that have called, without duplicates, in the order of their latest calls. */
  callers: readonly Caller[];
  /** The time of the latest call, of an agent or of the editor; `undefined` if there was none. */
  lastCallAt: Date | undefined;
  /** The server's version. */
  readonly version: string;
  /** The name and version that the client reports; `undefined` if it reports no name. */
  client: ClientInfo | undefined;
  capabilities: ClientCapabilities;
  facts: ClientFacts;
  encoding: PositionEncoding;
  folders: readonly Folder[];
  settings: Settings;
  /** The problems with the settings that the client has sent, as sentences. */
  settingProblems: readonly string[];
  /** URIs of documents with unsaved changes that the client does not sync, as the client reports them. */
  unsynced: readonly string[];
  /** URIs of the open documents of files with schemes that are not read, such as cells. Their texts are not kept. */
  readonly refused: Set<string>;
  /** The settings' decision about files; always up to date with `settings`. */
  gate: FileGate;
  /** The user's other editors; `nobody` until the session has been announced to them. */
  outside: Outside;
  /** Settles once the client has answered the request for its settings, or after `limits.settingsMs`. */
  ready: Promise<void>;
  /** The questions that have been withdrawn, but whose messages may still be on the screen: agents, labels and diffs. */
  readonly leftOnScreen: Set<string>;
  readonly log: (level: LogLevel, text: string) => void;
  /** The queue of the calls that the server applies, one at a time. */
  readonly inTurn: InTurn;
  /** A second queue, for the calls that ask the user, so that the user gets one question at a time. */
  readonly askInTurn: InTurn;
}

/** Returns the capabilities that the client announces specifically for this server. */
export function announcedBy({ capabilities }: Session): Partial<Record<keyof ClientMultiEdit, unknown>> {
  const { multiEdit }: { multiEdit?: unknown } = capabilities.experimental ?? {};
  return typeof multiEdit === "object" && multiEdit !== null ? multiEdit : {};
}

/** Returns the name under which a caller's earlier texts are kept: its id, one for agents without, or the client's. */
export function seenBy(caller: Caller | undefined): string {
  if (caller === undefined) return "client";
  return caller.agent === undefined ? "agents" : `agent ${caller.agent}`;
}

/** Returns the `World` in which a call's paths are resolved. */
export function worldOf(session: Session, root: string | undefined): World {
  const { documents, facts, folders, settings } = session;
  return {
    root,
    folders,
    additionalFolders: settings.additionalFolders,
    gates: [session.gate, ...session.outside.gates()],
    openTexts: documents,
    schemes: settings.schemes,
    unsynced: [...session.unsynced, ...session.refused],
    loneCrEndsLine: facts.loneCrEndsLine,
    habits: facts.habits,
  };
}

/** Returns the open document for a URI, which the client may spell otherwise; `undefined` if none is open. */
export function openAt({ documents }: Session, uri: string): OpenDocument | undefined {
  const exact = documents.get(uri);
  if (exact !== undefined) return exact;
  const path = pathOfSyncedUri(uri);
  const [spelling] = path === undefined ? [] : (documents.held.urisByPath.get(path) ?? []);
  return spelling === undefined ? undefined : documents.get(spelling);
}

/** An agent's share of the server. All connections of one agent have the same. */
export interface Share {
  /** Returns `undefined` if the agent has read most of its answers, otherwise a promise that settles once it has. */
  readonly room: () => Promise<void> | undefined;
  /** The queue of the agent's previews and reads. */
  readonly inTurn: InTurn;
}

/** Called with `true` when a call begins to wait for the user, and with `false` before it can change anything. */
export type OnWaiting = (isWaiting: boolean) => void;

/** Runs a task in its turn. `share`: that of the agent that the task is for; `undefined` if it is for the editor. */
export type InTurn = <T>(task: () => Promise<T>, share?: Share) => Promise<T>;

/** Creates a queue of tasks, in which agents take turns unless they do not read their answers. */
export function createTurns(): InTurn {
  const waiting = new Map<Share | undefined, readonly (() => Promise<void>)[]>();
  let isBusy = false;
  const advance = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    for (;;) {
      const next = [...waiting].find(([share]) => share?.room() === undefined);
      if (next === undefined) break;
      const [share, [task, ...others]] = next;
      waiting.delete(share);
      if (others.length > 0) waiting.set(share, others);
      await task?.();
      // By then the answer has been written, so it counts as unread.
      await nextTurn();
    }
    isBusy = false;
    for (const [share] of waiting) void share?.room()?.then(advance);
  };
  return (task, share) =>
    new Promise((resolve, reject) => {
      waiting.set(share, [...(waiting.get(share) ?? []), () => task().then(resolve, reject)]);
      void advance();
    });
}

/** Settles when the token is cancelled, or immediately if it has already been cancelled and will fire no event. */
export function cancellation(token: CancellationToken): Promise<void> {
  if (token.isCancellationRequested) return Promise.resolve();
  return new Promise((resolve) => {
    token.onCancellationRequested(() => resolve());
  });
}

/** Waits for an answer, at most for some milliseconds. A timer that went on after the answer would hold the call's texts. */
export function within<Answer, const Late>(
  answer: Promise<Answer>,
  milliseconds: number,
  late: Late,
): Promise<Answer | Late> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), milliseconds).unref();
  });
  return Promise.race([answer, over]).finally(() => clearTimeout(timer));
}

/** Runs a generator in short slices. Between slices, reports the number of steps done and lets other code run. */
export function inSlices<T>(work: Generator<void, T>): Promise<T>;
export function inSlices<T>(
  work: Generator<void, T>,
  token: CancellationToken,
  report: (steps: number) => void,
): Promise<T | "cancelled">;
export async function inSlices<T>(
  work: Generator<void, T>,
  token?: CancellationToken,
  report?: (steps: number) => void,
): Promise<T | "cancelled"> {
  let steps = 0;
  let hasServed = false;
  let start = performance.now();
  for (;;) {
    if (token?.isCancellationRequested) return "cancelled";
    const step = work.next();
    const isLate = performance.now() - start >= sliceMs;
    // The code that uses the result starts in a new slice.
    if (isLate || (step.done && hasServed)) await nextTurn();
    if (step.done) return step.value;
    steps++;
    if (!isLate) continue;
    hasServed = true;
    report?.(steps);
    start = performance.now();
  }
}

/** Duration of a slice of work, in milliseconds. */
const sliceMs = 6;
