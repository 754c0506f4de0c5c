/** Selects the editor that has a call's files, without guessing. Also finds other editors that have a file open. */

import { dirname, parse } from "node:path";
import type { Holder } from "../disk/sentences.js";
import type { Caller } from "../lsp/protocol.js";
import type { Failure } from "../plan/failure.js";
import { canonicalise, mapBounded, type OpenText } from "../workspace/identity.js";
import { OpenDocuments } from "../workspace/openIndex.js";
import { createResolver } from "../workspace/paths.js";
import { isInside, pathBehindUri, pathOfSyncedUri } from "../workspace/pathText.js";
import type { SessionConnection } from "./connect.js";
import { holds } from "./gates.js";
import { type SessionRecord, sessionName } from "./record.js";
import { sessionFailures } from "./sentences.js";
import {
  closeSessions,
  type FoundSessions,
  findSessions,
  type LiveSession,
  type UnreachedSession,
} from "./sessions.js";
import { chooseShared, textState } from "./sharing.js";

/** The criteria for selecting the session for a call. */
export interface SessionQuery {
  /** A prefix of the id of the session that the user chose; `undefined` if the files determine the session. */
  readonly session: string | undefined;
  /** Paths and URIs, as spelt in the call. If there are none, `directory` itself determines the session. */
  readonly targets: readonly string[];
  /** The base directory for relative paths, as an absolute path. */
  readonly directory: string;
  /** `true` if the call only reads. */
  readonly isRead?: boolean;
}

/** The session for a call (`undefined` if no editor has the call's files), or the reason why none was selected. */
export type SelectedSession =
  | { readonly ok: true; readonly session: SessionConnection | undefined }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Selects the session that the user has named; otherwise the session that has a target open, if all others that have
 * one give way; otherwise the session whose workspace folder contains all targets, preferring the folder with the longest
 * path. Of several, takes the session that was used last. Fails if an unreachable session may have a target open,
 * because unsaved text might be lost.
 */
export async function selectSession(found: FoundSessions, query: SessionQuery): Promise<SelectedSession> {
  if (query.session !== undefined) return selectNamed(found, query.session);
  const views = await Promise.all(found.reached.map((session) => viewTargets(session, query)));
  const opens = byUse(views.filter(({ texts }) => texts.some((text) => text !== undefined)));
  const shared = opens.length === 0 ? undefined : chooseShared(query.targets, opens, query.isRead === true);
  if (shared?.ok === false) return shared;
  // An unreachable session may have the same file open.
  const doubtful = await firstInDoubt(found, query);
  if (doubtful !== undefined) return failWith(sessionFailures.unreached(sessionName(doubtful.record), doubtful.why));
  if (shared !== undefined) return shared;
  const holding = views.filter(({ depth }) => depth > 0).sort((a, b) => b.depth - a.depth);
  const [best] = holding;
  const equals = holding.filter(({ depth }) => depth === best?.depth);
  const partial = views.filter(({ holdsSome }) => holdsSome);
  if (best === undefined && partial.length > 0) return failWith(sessionFailures.apart(sessionNames(partial)));
  const files = best === undefined ? await targetFiles(query.targets, query.directory, []) : [];
  const hidden = found.blind[0] ?? (await hiddenHolder(found, files));
  if (best === undefined && hidden !== undefined) return failWith(sessionFailures.hidden(hidden));
  return { ok: true, session: byUse(equals)[0]?.session };
}

/** Orders sessions by their last use, the latest first; those that were never used come last, in the order of their starts. */
function byUse<T extends { readonly session: LiveSession }>(all: readonly T[]): readonly T[] {
  const use = (a: LiveSession, b: LiveSession): number => compare(b.status.lastCallAt, a.status.lastCallAt);
  const start = (a: LiveSession, b: LiveSession): number => compare(a.record.startedAt, b.record.startedAt);
  return [...all].sort((a, b) => use(a.session, b.session) || start(a.session, b.session));
}

/** Orders two times in ISO 8601; a missing one comes before all others. */
const compare = (a = "", b = ""): number => (a < b ? -1 : a > b ? 1 : 0);

function selectNamed({ reached, unreached }: FoundSessions, id: string): SelectedSession {
  const fits = ({ record }: { readonly record: SessionRecord }): boolean => id !== "" && record.id.startsWith(id);
  const sessions = reached.filter(fits);
  if (sessions.length === 1) return { ok: true, session: sessions[0] };
  if (sessions.length > 1) return failWith(sessionFailures.ambiguous(id, sessionNames(sessions)));
  const doubtful = unreached.find(fits);
  if (doubtful !== undefined) return failWith(sessionFailures.unreached(sessionName(doubtful.record), doubtful.why));
  return failWith(sessionFailures.unknown(id, sessionNames(reached)));
}

/** Compares the targets with a session's open documents and workspace folders. */
async function viewTargets(session: LiveSession, { targets, directory }: SessionQuery) {
  const { status, record } = session;
  const open = status.open.map(({ uri, version }): OpenText => ({ uri, version, text: "", loneCrEndsLine: true }));
  const files = await targetFiles(targets, directory, open);
  const folders = await canonicalPaths(status.folders.map((uri) => pathOfSyncedUri(uri)));
  const states = new Map(status.open.map((one) => [one.uri, textState(one)]));
  const holds = (folder: string): boolean => files.every(({ file }) => file !== undefined && isInside(folder, file));
  return {
    session,
    record,
    /** A text under several names counts as unsaved. */
    texts: files.map(({ open }) => (open === undefined ? undefined : (states.get(open) ?? "unsaved"))),
    /** Path length of the deepest workspace folder that contains all targets; 0 if none does. */
    depth: Math.max(0, ...folders.filter(holds).map(({ length }) => length)),
    /** `true` if a target is in one of the session's folders. */
    holdsSome: files.some(({ file }) => file !== undefined && folders.some((folder) => isInside(folder, file))),
  };
}

/** A target as one session sees it. */
interface TargetFile {
  /** Canonical path; `undefined` if the target is not a file, or can't be resolved. */
  readonly file: string | undefined;
  /** URI of the open document; empty if the file is open under several names; `undefined` if it is not open. */
  readonly open: string | undefined;
}

/** Resolves the targets. Allows every path, because the session itself decides which files may be changed. */
async function targetFiles(
  targets: readonly string[],
  directory: string,
  open: readonly OpenText[],
): Promise<TargetFile[]> {
  if (targets.length === 0) {
    const [file] = await canonicalPaths([directory]);
    return [{ file, open: undefined }];
  }
  const { root } = parse(directory);
  const held = new OpenDocuments<OpenText>();
  for (const one of open) held.set(one.uri, one);
  const resolver = await createResolver({
    root: directory,
    folders: [{ uri: "", path: root }],
    additionalFolders: [],
    gates: [],
    openTexts: { held },
  });
  return mapBounded(targets, async (target) => {
    const resolved = await resolver.resolve(target);
    if (resolved.ok) return { file: resolved.place.file, open: resolved.place.open?.uri };
    // An ambiguous path refers to a file that is open under several names. The session reports all other problems.
    return { file: undefined, open: resolved.failure.code === "ambiguousPath" ? "" : undefined };
  });
}

/** Returns the paths, with links resolved where possible. Omits empty and `undefined` paths. */
export async function canonicalPaths(paths: readonly (string | undefined)[]): Promise<string[]> {
  const present = paths.filter((path) => path !== undefined && path !== "");
  return mapBounded(present as string[], async (path) => {
    const canonical = await canonicalise(path);
    return canonical.ok ? canonical.path : path;
  });
}

/** Returns a function that reports whether a session is the named one or may have a target open or in a folder. */
export function mattersTo({ targets, directory, session }: SessionQuery): (record: SessionRecord) => Promise<boolean> {
  let files: Promise<TargetFile[]> | undefined;
  return async (record) => {
    const folders = await canonicalPaths(record.folders.map(({ path }) => path));
    if (folders.length === 0 || (session !== undefined && record.id.startsWith(session))) return true;
    files ??= targetFiles(targets, directory, []);
    const holds = (file: string): boolean =>
      folders.some((folder) => isInside(folder, file)) || record.outside?.includes(file) === true;
    return (await files).some(({ file }) => file === undefined || holds(file));
  };
}

/** Returns the first unreachable session that may have a target open or in one of its folders. */
async function firstInDoubt({ unreached }: FoundSessions, query: SessionQuery): Promise<UnreachedSession | undefined> {
  const matters = mattersTo(query);
  for (const one of unreached) if (await matters(one.record)) return one;
  return undefined;
}

/**
 * Finds, for each absolute path, another session that has the file open, or one that may have it open but can't be
 * asked. Returns the sessions found, keyed by path. `sessions`: the directory where sessions are announced; `caller`:
 * the program that is asking; `except`: the id of a session to skip.
 */
export async function openElsewhere(
  paths: readonly string[],
  sessions: string,
  caller: Caller,
  except?: string,
): Promise<ReadonlyMap<string, Holder>> {
  // All paths are absolute, so any directory will do; the working directory may no longer exist.
  const query = { session: undefined, targets: paths, directory: dirname(paths[0] ?? "/") };
  const found = await findSessions(sessions, caller, mattersTo(query), except);
  try {
    const open = new Map((await mapBounded(found.reached, filesOf)).flat());
    const holders = await mapBounded(paths, async (path): Promise<[string, Holder][]> => {
      const by = open.get(await fileIdentity(path));
      const holder =
        by === undefined ? await doubtOf(found, { ...query, targets: [path] }) : { kind: "open" as const, by };
      return holder === undefined ? [] : [[path, holder]];
    });
    return new Map(holders.flat());
  } finally {
    closeSessions(found);
  }
}

/** Returns the reason, if any, to suspect that the target is open: an unreachable session, or an unreadable record. */
export async function doubtOf(found: FoundSessions, query: SessionQuery): Promise<Holder | undefined> {
  const [path = ""] = await canonicalPaths(query.targets);
  const closed = found.closed.find((record) => holds(record, [path]));
  if (closed !== undefined) return { kind: "closed", session: sessionName(closed), why: closed.closed };
  const doubtful = await firstInDoubt(found, query);
  if (doubtful !== undefined) return { kind: "unasked", session: sessionName(doubtful.record), why: doubtful.why };
  const problem = await hiddenHolder(found, [{ file: path }]);
  return problem === undefined ? undefined : { kind: "hidden", problem };
}

/** Returns the problem with the record of a session in a newer format that may have one of the files. */
async function hiddenHolder(
  { hidden }: FoundSessions,
  files: readonly Pick<TargetFile, "file">[],
): Promise<string | undefined> {
  for (const { problem, held } of hidden) {
    if (held === undefined) return problem;
    const folders = await canonicalPaths(held);
    const mayHold = ({ file }: (typeof files)[number]): boolean =>
      file === undefined || folders.some((folder) => isInside(folder, file));
    if (files.some(mayHold)) return problem;
  }
  return undefined;
}

/** Returns the identity of each file that a session has open, paired with a name for the session. */
async function filesOf({ status, record }: LiveSession): Promise<(readonly [identity: string, name: string])[]> {
  // Older versions do not report unsynced documents.
  const { open, unsynced = [] }: Pick<LiveSession["status"], "open"> & { unsynced?: string[] } = status;
  const paths = [...open.map(({ uri }) => uri), ...unsynced]
    .filter((uri) => !/^untitled:/i.test(uri))
    .map((uri) => pathOfSyncedUri(uri) ?? pathBehindUri(uri))
    .filter((path) => path !== undefined);
  const name = `${record.client} (session ${record.id})`;
  return mapBounded(paths, async (path) => [await fileIdentity(path), name] as const);
}

async function fileIdentity(path: string): Promise<string> {
  const canonical = await canonicalise(path);
  return canonical.ok ? canonical.identity : path;
}

function sessionNames(sessions: readonly Pick<SessionConnection, "record">[]): string[] {
  return sessions.map(({ record }) => sessionName(record));
}

const failWith = (failure: Failure): SelectedSession => ({ ok: false, failure });
