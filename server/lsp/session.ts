/** One client while it is connected: its capabilities, folders, settings and open documents. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CancellationToken, ClientCapabilities, Connection } from "vscode-languageserver/node";
import type { Holder } from "../disk/sentences.js";
import type { Documents, OpenDocument } from "../workspace/documents.js";
import type { Folder } from "../workspace/paths.js";
import { pathOfSyncedUri } from "../workspace/pathText.js";
import type { Settings } from "../workspace/settings.js";
import type { World } from "../workspace/takeSnapshot.js";
import type { ClientFacts } from "./clients.js";
import type { PositionEncoding } from "./edit/positions.js";
import type { SessionHistory } from "./history.js";
import type { Caller, ClientMultiEdit } from "./protocol.js";
import type { LogLevel } from "./wire/lifetime.js";

/** The name of a client, as it says itself. */
export interface ClientInfo {
  readonly name: string;
  readonly version?: string;
}

/** One connected client. Its fields are set by `initialize` and by notifications; requests only read them. */
export interface Session {
  readonly connection: Connection;
  readonly documents: Documents;
  readonly history: SessionHistory;
  /** The agents that have asked, each of them once, the one that asked last at the end. */
  callers: readonly Caller[];
  /** Of the server. */
  readonly version: string;
  /** As the client names itself; `undefined`: it does not. */
  client: ClientInfo | undefined;
  capabilities: ClientCapabilities;
  facts: ClientFacts;
  encoding: PositionEncoding;
  folders: readonly Folder[];
  /** Told whenever the folders are others; set by who wants to know. */
  foldersChanged: () => void;
  settings: Settings;
  /** Settled once the settings that the client was asked for are here. */
  ready: Promise<void>;
  /** The user's other editors that have one of these files open, or may have, by absolute path; set by who can find them. */
  openElsewhere: (paths: readonly string[]) => Promise<ReadonlyMap<string, Holder>>;
  readonly log: (level: LogLevel, text: string) => void;
  /** Runs after everything that was queued before it: batches that the server applies go one at a time. */
  readonly inTurn: <T>(task: () => Promise<T>) => Promise<T>;
}

/** The capabilities that the client announces for this server alone. */
export function announcedBy({ capabilities }: Session): Partial<Record<keyof ClientMultiEdit, unknown>> {
  const { multiEdit }: { multiEdit?: unknown } = capabilities.experimental ?? {};
  return typeof multiEdit === "object" && multiEdit !== null ? multiEdit : {};
}

/** The world that a call's paths are resolved in. */
export function worldOf(session: Session, root: string | undefined): World {
  const { documents, facts, folders, settings } = session;
  return {
    root,
    folders,
    additionalFolders: settings.additionalFolders,
    protectedNames: settings.protectedNames,
    openTexts: documents,
    loneCrEndsLine: facts.loneCrEndsLine,
    habits: facts.habits,
  };
}

/**
 * The open document at a URI, in whatever way the client spells it: a file that was not open when it was planned has our
 * spelling, and the client opens it under its own. `undefined`: not open.
 */
export function openAt({ documents }: Session, uri: string): OpenDocument | undefined {
  const exact = documents.get(uri);
  if (exact !== undefined) return exact;
  const path = pathOfSyncedUri(uri);
  return path === undefined ? undefined : documents.all().find((open) => pathOfSyncedUri(open.uri) === path);
}

/** A queue of one: each task starts when the one before it has ended, however it ended. */
export function createTurns(): Session["inTurn"] {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const turn = last.then(task, task);
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** Settled when the caller cancels; the token of a call that was cancelled before it was dispatched never tells so. */
export function cancellation(token: CancellationToken): Promise<void> {
  if (token.isCancellationRequested) return Promise.resolve();
  return new Promise((resolve) => {
    token.onCancellationRequested(() => resolve());
  });
}

/** Runs a generator to its end in slices of a few milliseconds, so that keystrokes and cancellations are served in between; tells how many steps are done after each. */
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
    // Whoever goes on with what was made has some time of its own.
    if (isLate || (step.done && hasServed)) await nextTurn();
    if (step.done) return step.value;
    steps++;
    if (!isLate) continue;
    hasServed = true;
    report?.(steps);
    start = performance.now();
  }
}

/** Milliseconds of work after which others are served. */
const sliceMs = 6;
