/** Which of the user's editors a call is for: the one that has its files, and never a guess between two. */

import { parse } from "node:path";
import type { Failure } from "../../plan/failure.js";
import { canonicalise, mapBounded, type OpenText } from "../../workspace/identity.js";
import { createResolver } from "../../workspace/paths.js";
import { isInside, pathOfSyncedUri } from "../../workspace/pathText.js";
import { sessionFailures } from "../sentences.js";
import type { Reached } from "./connect.js";
import type { SessionRecord } from "./record.js";
import type { Found, LiveSession, Missed } from "./sessions.js";

/** What a session is looked for with. */
export interface Wish {
  /** The start of a session's id, which the user has named; `undefined`: the files decide. */
  readonly session: string | undefined;
  /** Paths and URIs as the call spells them; without any, it is the directory that has to lie in a workspace folder. */
  readonly targets: readonly string[];
  /** Absolute path at which relative ones start. */
  readonly directory: string;
}

/** The session that a call is for; `undefined`: no editor has to do with its files. */
export type Choice =
  | { readonly ok: true; readonly session: Reached | undefined }
  | { readonly ok: false; readonly failure: Failure };

/**
 * A session that the user has named; else the one that has a target open, unless one that can't be asked may, too; else the one whose workspace folder holds all
 * of them, the longest folder first. Whatever leaves a doubt is a failure, for text that nobody has seen might be lost.
 */
export async function chooseSession(found: Found, wish: Wish): Promise<Choice> {
  if (wish.session !== undefined) return named(found, wish.session);
  const seen = await Promise.all(found.reached.map((session) => viewOf(session, wish)));
  const opens = seen.filter(({ hasOpen }) => hasOpen);
  if (opens.length > 1) return fail(sessionFailures.openInSeveral(described(opens)));
  // It may have the same file open, too.
  const lost = await firstInDoubt(found, wish);
  if (lost !== undefined) return fail(sessionFailures.unreached(shortOf(lost.record), lost.why));
  if (opens[0] !== undefined) return { ok: true, session: opens[0].session };
  const holding = seen.filter(({ depth }) => depth !== undefined).sort((a, b) => (b.depth ?? 0) - (a.depth ?? 0));
  const [best] = holding;
  const equals = holding.filter(({ depth }) => depth === best?.depth);
  if (equals.length > 1) return fail(sessionFailures.heldBySeveral(described(equals)));
  const parted = seen.filter(({ holdsSome }) => holdsSome);
  if (best === undefined && parted.length > 0) return fail(sessionFailures.apart(described(parted)));
  const [hidden] = [...found.blind, ...found.hidden];
  if (best === undefined && hidden !== undefined) return fail(sessionFailures.hidden(hidden));
  return { ok: true, session: best?.session };
}

function named({ reached, missed }: Found, id: string): Choice {
  const fits = ({ record }: { readonly record: SessionRecord }): boolean => id !== "" && record.id.startsWith(id);
  const sessions = reached.filter(fits);
  if (sessions.length === 1) return { ok: true, session: sessions[0] };
  if (sessions.length > 1)
    return fail(sessionFailures.heldBySeveral(described(sessions.map((session) => ({ session })))));
  const lost = missed.find(fits);
  if (lost !== undefined) return fail(sessionFailures.unreached(shortOf(lost.record), lost.why));
  return fail(sessionFailures.unknown(id, described(reached.map((session) => ({ session })))));
}

/** What one session has to do with the targets. */
interface View {
  readonly session: Reached;
  readonly hasOpen: boolean;
  /** Characters of the longest workspace folder that holds all targets; `undefined`: none does. */
  readonly depth: number | undefined;
  /** Whether a target lies in one of its folders. */
  readonly holdsSome: boolean;
}

async function viewOf(session: LiveSession, { targets, directory }: Wish): Promise<View> {
  const { status } = session;
  const open = status.open.map(({ uri, version }): OpenText => ({ uri, version, text: "", loneCrEndsLine: true }));
  const places = await placesOf(targets, directory, open);
  const folders = await canonicalPaths(status.folders.map((uri) => pathOfSyncedUri(uri)));
  const holds = (folder: string): boolean => places.every(({ file }) => file !== undefined && isIn(folder, file));
  const depths = folders.filter(holds).map(({ length }) => length);
  return {
    session,
    hasOpen: places.some(({ isOpen }) => isOpen),
    depth: depths.length === 0 ? undefined : Math.max(...depths),
    holdsSome: places.some(({ file }) => file !== undefined && folders.some((folder) => isIn(folder, file))),
  };
}

/** A target as one session sees it. */
interface Target {
  /** Canonical path; `undefined`: it is no file, or its spelling means none. */
  readonly file: string | undefined;
  readonly isOpen: boolean;
}

/** Every file is inside, as far as this question goes: what may be touched is for the session to say. */
async function placesOf(targets: readonly string[], directory: string, open: readonly OpenText[]): Promise<Target[]> {
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
  const known = paths.filter((path) => path !== undefined && path !== "");
  return mapBounded(known as string[], async (path) => {
    const canonical = await canonicalise(path, process.platform);
    return canonical.ok ? canonical.path : path;
  });
}

const isIn = (folder: string, file: string): boolean => isInside(folder, file, process.platform);

/** Tells of an announced session whether it might have one of some targets open, or be the one that holds it. */
export function mattersTo({ targets, directory, session }: Wish): (record: SessionRecord) => Promise<boolean> {
  let places: Promise<Target[]> | undefined;
  return async (record) => {
    const folders = await canonicalPaths(record.folders.map(({ path }) => path));
    if (folders.length === 0 || (session !== undefined && record.id.startsWith(session))) return true;
    places ??= placesOf(targets, directory, []);
    const holds = (file: string): boolean =>
      folders.some((folder) => isIn(folder, file)) || record.outside?.includes(file) === true;
    return (await places).some(({ file }) => file === undefined || holds(file));
  };
}

/** The first session that could not be asked and might have a target open, or be the one that holds it. */
export async function firstInDoubt({ missed }: Pick<Found, "missed">, wish: Wish): Promise<Missed | undefined> {
  const matters = mattersTo(wish);
  for (const one of missed) if (await matters(one.record)) return one;
  return undefined;
}

/** How sentences name a session. */
export function shortOf({ id, client, folders }: SessionRecord): string {
  const where = folders.map(({ path, uri }) => path || uri).join(", ");
  return `${id} (${client}${where === "" ? "" : ` in ${where}`})`;
}

function described(sessions: readonly { readonly session: Reached }[]): string[] {
  return sessions.map(({ session }) => shortOf(session.record));
}

function fail(failure: Failure): Choice {
  return { ok: false, failure };
}
