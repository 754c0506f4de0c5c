/** Selects the user's editor that a call is for: the one that has its files, and never a guess between two; finds who else has them. */
import { dirname, parse } from "node:path";
import type { Holder } from "../../disk/sentences.js";
import type { Caller } from "../../lsp/protocol.js";
import type { Failure } from "../../plan/failure.js";
import { canonicalise, mapBounded, type OpenText } from "../../workspace/identity.js";
import { createResolver } from "../../workspace/paths.js";
import { isInside, pathOfSyncedUri } from "../../workspace/pathText.js";
import { sessionFailures } from "../sentences.js";
import type { SessionConnection } from "./connect.js";
import type { SessionRecord } from "./record.js";
import {
  closeSessions,
  type FoundSessions,
  findSessions,
  type LiveSession,
  type UnreachedSession,
} from "./sessions.js";

/** The requirements of a call on its session. */
export interface SessionQuery {
  /** The start of a session's id, which the user has named; `undefined`: the files decide. */
  readonly session: string | undefined;
  /** Paths and URIs as the call spells them; without any, it is the directory that has to lie in a workspace folder. */
  readonly targets: readonly string[];
  /** Absolute path at which relative ones start. */
  readonly directory: string;
}

/** The session that a call is for; `undefined`: no editor has to do with its files. */
export type SelectedSession =
  | { readonly ok: true; readonly session: SessionConnection | undefined }
  | { readonly ok: false; readonly failure: Failure };

/**
 * Selects the session that the user has named; else the one that has a target open, unless one that can't be asked may, too;
 * else the one whose workspace folder holds all of them, the longest folder first. Whatever leaves a doubt is a failure, for
 * text that nobody has seen might be lost.
 */
export async function selectSession(found: FoundSessions, query: SessionQuery): Promise<SelectedSession> {
  if (query.session !== undefined) return selectNamed(found, query.session);
  const views = await Promise.all(found.reached.map((session) => viewTargets(session, query)));
  const opens = views.filter(({ hasOpen }) => hasOpen);
  if (opens.length > 1) return failWith(sessionFailures.openInSeveral(sessionNames(opens)));
  // It may have the same file open, too.
  const doubtful = await firstInDoubt(found, query);
  if (doubtful !== undefined) return failWith(sessionFailures.unreached(sessionName(doubtful.record), doubtful.why));
  if (opens[0] !== undefined) return { ok: true, session: opens[0].session };
  const holding = views.filter(({ depth }) => depth > 0).sort((a, b) => b.depth - a.depth);
  const [best] = holding;
  const equals = holding.filter(({ depth }) => depth === best?.depth);
  if (equals.length > 1) return failWith(sessionFailures.heldBySeveral(sessionNames(equals)));
  const partial = views.filter(({ holdsSome }) => holdsSome);
  if (best === undefined && partial.length > 0) return failWith(sessionFailures.apart(sessionNames(partial)));
  const [hidden] = [...found.blind, ...found.hidden];
  if (best === undefined && hidden !== undefined) return failWith(sessionFailures.hidden(hidden));
  return { ok: true, session: best?.session };
}

function selectNamed({ reached, unreached }: FoundSessions, id: string): SelectedSession {
  const fits = ({ record }: { readonly record: SessionRecord }): boolean => id !== "" && record.id.startsWith(id);
  const sessions = reached.filter(fits);
  if (sessions.length === 1) return { ok: true, session: sessions[0] };
  if (sessions.length > 1) return failWith(sessionFailures.heldBySeveral(sessionNames(sessions)));
  const doubtful = unreached.find(fits);
  if (doubtful !== undefined) return failWith(sessionFailures.unreached(sessionName(doubtful.record), doubtful.why));
  return failWith(sessionFailures.unknown(id, sessionNames(reached)));
}

/** How the targets look from one session. */
async function viewTargets(session: LiveSession, { targets, directory }: SessionQuery) {
  const { status, record } = session;
  const open = status.open.map(({ uri, version }): OpenText => ({ uri, version, text: "", loneCrEndsLine: true }));
  const files = await targetFiles(targets, directory, open);
  const folders = await canonicalPaths(status.folders.map((uri) => pathOfSyncedUri(uri)));
  const holds = (folder: string): boolean => files.every(({ file }) => file !== undefined && isInside(folder, file));
  return {
    session,
    record,
    hasOpen: files.some(({ isOpen }) => isOpen),
    /** Characters of the longest workspace folder that holds all targets; 0: none does. */
    depth: Math.max(0, ...folders.filter(holds).map(({ length }) => length)),
    /** A target is in one of its folders. */
    holdsSome: files.some(({ file }) => file !== undefined && folders.some((folder) => isInside(folder, file))),
  };
}

/** A target as one session sees it. */
interface TargetFile {
  /** Canonical path; `undefined`: it is no file, or its spelling means none. */
  readonly file: string | undefined;
  readonly isOpen: boolean;
}

/** Every file is inside, as far as this question goes: what may be touched is for the session to say. */
async function targetFiles(
  targets: readonly string[],
  directory: string,
  open: readonly OpenText[],
): Promise<TargetFile[]> {
  if (targets.length === 0) {
    const [file] = await canonicalPaths([directory]);
    return [{ file, isOpen: false }];
  }
  const { root } = parse(directory);
  const resolver = await createResolver({
    root: directory,
    folders: [{ uri: "", path: root }],
    additionalFolders: [],
    protectedNames: [],
    openTexts: { get: (uri) => open.find((one) => one.uri === uri), all: () => open },
  });
  return mapBounded(targets, async (target) => {
    const resolved = await resolver.resolve(target);
    if (resolved.ok) return { file: resolved.place.file, isOpen: resolved.place.open !== undefined };
    // Open under several names is open; anything else that is wrong with the path is for the session to say.
    return { file: undefined, isOpen: resolved.failure.code === "ambiguousPath" };
  });
}

/** Paths as they are once all links are followed; those that are `undefined` or empty are left out. */
export async function canonicalPaths(paths: readonly (string | undefined)[]): Promise<string[]> {
  const present = paths.filter((path) => path !== undefined && path !== "");
  return mapBounded(present as string[], async (path) => {
    const canonical = await canonicalise(path);
    return canonical.ok ? canonical.path : path;
  });
}

/** Gives a test that tells of an announced session whether it might have one of some targets open, or be the one that holds it. */
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

/** The first session that could not be asked and might have a target open, or be the one that holds it. */
async function firstInDoubt({ unreached }: FoundSessions, query: SessionQuery): Promise<UnreachedSession | undefined> {
  const matters = mattersTo(query);
  for (const one of unreached) if (await matters(one.record)) return one;
  return undefined;
}

/**
 * Of these absolute paths those that another session has open, or may have because it can't be asked. `sessions` is the directory
 * in which they are announced, `caller` looks, and the session with the id `except` is left out.
 */
export async function openElsewhere(
  paths: readonly string[],
  sessions: string,
  caller: Caller,
  except?: string,
): Promise<ReadonlyMap<string, Holder>> {
  // Nothing is relative, so that any directory will do; the working directory may be gone.
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

/** A session that may have the target open and can't be asked; `undefined`: there is none. */
async function doubtOf(found: FoundSessions, query: SessionQuery): Promise<Holder | undefined> {
  const doubtful = await firstInDoubt(found, query);
  if (doubtful !== undefined) return { kind: "unasked", session: sessionName(doubtful.record), why: doubtful.why };
  const [problem] = found.hidden;
  return problem === undefined ? undefined : { kind: "hidden", problem };
}

/** The files that a session has open, by their identity. */
async function filesOf({ status, record }: LiveSession): Promise<(readonly [identity: string, name: string])[]> {
  const paths = status.open.map(({ uri }) => pathOfSyncedUri(uri)).filter((path) => path !== undefined);
  const name = `${record.client} (session ${record.id})`;
  return mapBounded(paths, async (path) => [await fileIdentity(path), name] as const);
}

async function fileIdentity(path: string): Promise<string> {
  const canonical = await canonicalise(path);
  return canonical.ok ? canonical.identity : path;
}

/** How sentences name a session. */
export function sessionName({ id, client, folders }: SessionRecord): string {
  const where = folders.map(({ path, uri }) => path || uri).join(", ");
  return `${id} (${client}${where === "" ? "" : ` in ${where}`})`;
}

function sessionNames(sessions: readonly Pick<SessionConnection, "record">[]): string[] {
  return sessions.map(({ record }) => sessionName(record));
}

const failWith = (failure: Failure): SelectedSession => ({ ok: false, failure });
