/** Selects the editor that has a call's files, without guessing. */

import { factsOf } from "../lsp/clients.js";
import type { Failure } from "../plan/failure.js";
import type { OpenText } from "../workspace/identity.js";
import { isInside, pathOfSyncedUri } from "../workspace/pathText.js";
import type { SessionConnection } from "./connect.js";
import { canonicalPaths, type FileQuery, suspectsOf, type TextState, targetFiles, textState } from "./holders.js";
import { type SessionRecord, sessionName } from "./record.js";
import { type FilesOfEditor, sessionFailures } from "./sentences.js";
import type { FoundSessions, LiveSession } from "./sessions.js";

/** The criteria for selecting the session for a call. */
export interface SessionQuery extends FileQuery {
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
  const suspects = (await suspectsOf(found, query)).map(({ holder }) => holder);
  const doubtful = suspects.find((holder) => holder.kind === "unasked");
  if (doubtful !== undefined) return failWith(sessionFailures.unreached(doubtful.session, doubtful.why));
  if (shared !== undefined) return shared;
  const holding = views.filter(({ depth }) => depth > 0).sort((a, b) => b.depth - a.depth);
  const [best] = holding;
  const equals = holding.filter(({ depth }) => depth === best?.depth);
  const partial = views.filter(({ holdsSome }) => holdsSome);
  if (best === undefined && partial.length > 0) return failWith(sessionFailures.apart(sessionNames(partial)));
  const hidden = found.blind[0] ?? suspects.find((holder) => holder.kind === "hidden")?.problem;
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
  const files = await targetFiles({ targets, directory }, open);
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

function sessionNames(sessions: readonly Pick<SessionConnection, "record">[]): string[] {
  return sessions.map(({ record }) => sessionName(record));
}

const failWith = (failure: Failure): SelectedSession => ({ ok: false, failure });

/** Reports whether an editor gives way to another one that changes the file: it has no unsaved text, and it reloads. */
export function givesWay({ status }: Pick<LiveSession, "status">, text: TextState): boolean {
  return text !== "unsaved" && factsOf(status.client ?? undefined).reloads;
}

/** A session and the state of each of the call's files in it; `undefined` for a file that it does not have open. */
interface OpenIn {
  readonly session: LiveSession;
  readonly texts: readonly (TextState | undefined)[];
}

/** The session for a call, or the reason why none is certain to be the right one. */
type SharedChoice =
  | { readonly ok: true; readonly session: LiveSession }
  | { readonly ok: false; readonly failure: Failure };

/** Chooses the first of `opens` for which all others with a file give way or, for a read, have it saved. */
function chooseShared(targets: readonly string[], opens: readonly OpenIn[], isRead: boolean): SharedChoice {
  // An outdated text lacks what the last call changed.
  const ordered = [...opens].sort((a, b) => Number(isOutdated(a)) - Number(isOutdated(b)));
  const canHave = (one: OpenIn, index: number): boolean =>
    ordered.every((other) => {
      const text = other.texts[index];
      if (other === one || text === undefined) return true;
      return one.texts[index] !== undefined && (isRead ? text !== "unsaved" : givesWay(other.session, text));
    });
  const best = ordered.find((one) => targets.every((_, index) => canHave(one, index)));
  if (best !== undefined) return { ok: true, session: best.session };
  const apart = new Map<LiveSession, string[]>();
  const torn: FilesOfEditor[] = [];
  for (const [index, path] of targets.entries()) {
    const having = ordered.flatMap(({ session, texts }) => {
      const text = texts[index];
      return text === undefined ? [] : [{ session, text }];
    });
    const own = ordered.find((one) => one.texts[index] !== undefined && canHave(one, index))?.session;
    if (own === undefined) torn.push(...linesFor(path, having));
    else apart.set(own, [...(apart.get(own) ?? []), path]);
  }
  const groups = [...apart].map(([{ record }, paths]) => ({ editor: sessionName(record), paths }));
  return {
    ok: false,
    failure: torn.length > 0 ? sessionFailures.openInSeveral(torn) : sessionFailures.openApart(groups),
  };
}

/** Returns what a failure says about a file that several editors have open, with the reason why each does not give way. */
export function linesFor(
  path: string,
  opened: readonly { readonly session: LiveSession; readonly text: TextState }[],
): readonly FilesOfEditor[] {
  return opened.map(({ session, text }) => ({
    editor: sessionName(session.record),
    paths: [path],
    why: text === "unsaved" ? "unsaved" : givesWay(session, text) ? undefined : "staysOld",
  }));
}

const isOutdated = ({ texts }: OpenIn): boolean => texts.includes("outdated");
