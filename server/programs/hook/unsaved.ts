/** Finds out which files an agent's own tool must not touch, because an editor has, or may have, unsaved text in them. */
import type { Holder } from "../../disk/sentences.js";
import type { Caller } from "../../lsp/protocol.js";
import type { ClosedRecord, SessionRecord } from "../../session/record.js";
import { canonicalPaths, doubtOf, mattersTo } from "../../session/selectSession.js";
import type { FilesOfEditor } from "../../session/sentences.js";
import {
  closeSessions,
  type FoundSessions,
  findSessions,
  type LiveSession,
  type UnreachedSession,
} from "../../session/sessions.js";
import { givesWay, linesFor, type TextState, textState } from "../../session/sharing.js";
import { canonicalise, mapBounded } from "../../workspace/identity.js";
import { pathBehindUri, pathOfSyncedUri } from "../../workspace/pathText.js";

/** A file's state in the user's editors. */
export type FileState =
  /** No editor has unsaved text in the file. */
  | { readonly kind: "free" }
  | { readonly kind: "unsaved"; readonly session: LiveSession }
  /** An editor has unsaved text in the file, and others that do not give way have the file open as well. */
  | { readonly kind: "several"; readonly editors: readonly FilesOfEditor[] }
  /** An editor has unsaved text in the file, but the user has named another one in `chosen`, which does not have it open. */
  | { readonly kind: "notChosen"; readonly session: LiveSession; readonly chosen: string }
  /**
   * An editor has unsaved text that its server does not know, or it can't be asked. `isAnnounced`: it has announced that
   * it has unsaved text in the file.
   */
  | { readonly kind: "unknown"; readonly holder: Holder; readonly isAnnounced: boolean };

/** The states of files, by path, and the connections to their editors, which must be closed. */
export interface FileStates {
  readonly states: ReadonlyMap<string, FileState>;
  close(): void;
}

/** A file that a session has open. `text`: `unknown` if the session's server does not know the text. */
interface Opened {
  readonly session: LiveSession;
  readonly text: TextState | "unknown";
}

/** The files that a call may change. */
export interface Targets {
  /** Absolute paths. */
  readonly paths: readonly string[];
  /** Reports whether the call may change a further file, given by its canonical path; `undefined` if it has no others. */
  readonly mayTouch: ((file: string) => boolean) | undefined;
}

/** Asks all editors that may have one of the files. `sessions`: where sessions are announced. */
export async function fileStates(targets: Targets, sessions: string, caller: Caller): Promise<FileStates> {
  const mayTouch = targets.mayTouch ?? (() => false);
  const asked = { session: undefined, targets: targets.paths, directory: "/" };
  const named = await mapBounded(targets.paths, identityOf);
  const matters = mattersTo(asked);
  // An editor that has announced no unsaved text in these files must not hold them up: it may never answer.
  const found = await findSessions(
    sessions,
    caller,
    async (record) =>
      record.unsaved?.some(mayTouch) === true ||
      ((await announces(record, named)) !== "nothing" && (await matters(record))),
  );
  const paths = [...new Set([...targets.paths, ...(await unsavedIn(found)).filter(mayTouch)])];
  const query = { ...asked, targets: paths };
  const identities = await mapBounded(paths, identityOf);
  const held = new Map<string, Opened[]>();
  for (const session of found.reached) await addHeld(held, session);
  const states = new Map<string, FileState>();
  for (const [index, path] of paths.entries()) {
    const identity = identities[index] ?? path;
    const known = stateOf(path, held.get(identity) ?? []);
    if (known.kind !== "free" && known.kind !== "unsaved") states.set(path, known);
    else {
      const { suspects, isAnnounced } = await suspectsFor(found, identity, known.kind === "free");
      const [blind] = found.blind;
      const holder =
        (await doubtOf(suspects, { ...query, targets: [path] })) ??
        (known.kind === "free" && blind !== undefined ? { kind: "hidden" as const, problem: blind } : undefined);
      states.set(path, holder === undefined ? known : { kind: "unknown", holder, isAnnounced });
    }
  }
  return { states, close: () => closeSessions(found) };
}

/** Returns the canonical paths of the files in which the sessions have, or have announced, unsaved text. */
async function unsavedIn({ reached, unreached, closed }: FoundSessions): Promise<readonly string[]> {
  const announced = [...closed, ...[...reached, ...unreached].map(({ record }) => record)];
  const open = reached.flatMap(({ status }) => [
    ...status.open.filter((one) => textState(one) === "unsaved").map(({ uri }) => uri),
    ...(status.unsynced ?? []),
  ]);
  const paths = open.filter((uri) => !/^untitled:/i.test(uri)).map((uri) => pathOfSyncedUri(uri) ?? pathBehindUri(uri));
  return [...announced.flatMap(({ unsaved = [] }) => unsaved), ...(await canonicalPaths(paths))];
}

/**
 * Returns the sessions without those that can't be asked and have announced no unsaved text in a file. If `isFree` is
 * `false`, because another editor has unsaved text in the file, they may have it open, and remain.
 */
async function suspectsFor(found: FoundSessions, identity: string, isFree: boolean) {
  const closed: ClosedRecord[] = [];
  const unreached: UnreachedSession[] = [];
  let isAnnounced = false;
  for (const record of found.closed) {
    const announced = await announces(record, [identity]);
    isAnnounced ||= announced === "unsaved";
    if (!isFree || announced !== "nothing") closed.push(record);
  }
  for (const one of found.unreached) {
    const announced = await announces(one.record, [identity]);
    isAnnounced ||= announced === "unsaved";
    if (!isFree || announced !== "nothing") unreached.push(one);
  }
  return { suspects: { ...found, closed, unreached }, isAnnounced };
}

/** Returns what a session has announced about files. `unknown`: older versions announce no list, and long ones are left out. */
async function announces(
  { unsaved }: Pick<SessionRecord, "unsaved">,
  identities: readonly string[],
): Promise<"unsaved" | "nothing" | "unknown"> {
  if (unsaved === undefined) return "unknown";
  const listed = await mapBounded(unsaved, identityOf);
  return listed.some((identity) => identities.includes(identity)) ? "unsaved" : "nothing";
}

/** Adds the files that a session has open, by identity. */
async function addHeld(held: Map<string, Opened[]>, session: LiveSession): Promise<void> {
  const { open, unsynced = [] } = session.status;
  const add = async (path: string | undefined, text: Opened["text"]): Promise<void> => {
    if (path === undefined) return;
    const identity = await identityOf(path);
    held.set(identity, [...(held.get(identity) ?? []), { session, text }]);
  };
  for (const one of open) {
    const { uri } = one;
    const path = pathOfSyncedUri(uri);
    if (path !== undefined) await add(path, textState(one));
    // For example, a cell of a notebook; a draft is not yet part of the file.
    else if (!/^untitled:/i.test(uri)) await add(pathBehindUri(uri), "unknown");
  }
  for (const uri of unsynced) await add(pathOfSyncedUri(uri) ?? pathBehindUri(uri), "unknown");
}

/** Returns the state of a file that these sessions have open. */
function stateOf(path: string, opened: readonly Opened[]): FileState {
  const unknown = opened.find(({ text }) => text === "unknown")?.session.record;
  if (unknown !== undefined) {
    const holder = { kind: "open", by: `${unknown.client} (session ${unknown.id})` } as const;
    return { kind: "unknown", holder, isAnnounced: true };
  }
  const texts = opened.flatMap(({ session, text }) => (text === "unknown" ? [] : [{ session, text }]));
  const unsaved = texts.find(({ text }) => text === "unsaved");
  if (unsaved === undefined) return { kind: "free" };
  const chosen = process.env.MULTI_EDIT_SESSION;
  const sessions = [...new Set(texts.map(({ session }) => session))];
  const named = chosen ? sessions.filter(({ record }) => record.id.startsWith(chosen)) : [];
  if (named.length === 1 && named[0] !== undefined) return { kind: "unsaved", session: named[0] };
  if (chosen && named.length === 0) return { kind: "notChosen", session: unsaved.session, chosen };
  const others = texts.filter(({ session }) => session !== unsaved.session);
  return others.every(({ session, text }) => givesWay(session, text))
    ? { kind: "unsaved", session: unsaved.session }
    : { kind: "several", editors: linesFor(path, texts) };
}

async function identityOf(path: string): Promise<string> {
  const canonical = await canonicalise(path);
  return canonical.ok ? canonical.identity : path;
}
