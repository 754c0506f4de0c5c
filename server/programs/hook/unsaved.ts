/** Finds out which files an agent's own tool must not touch, because an editor has, or may have, unsaved text in them. */
import type { Holder } from "../../disk/sentences.js";
import type { Caller } from "../../lsp/protocol.js";
import {
  announcesNothing,
  holdersOf,
  mattersTo,
  type OpenedFile,
  openIn,
  type Suspect,
  unsavedFiles,
} from "../../session/holders.js";
import { givesWay, linesFor } from "../../session/selectSession.js";
import type { FilesOfEditor } from "../../session/sentences.js";
import { closeSessions, type FoundSessions, findSessions, type LiveSession } from "../../session/sessions.js";

/** A file's state in the user's editors. */
export type FileState =
  /** No editor has unsaved text in the file. */
  | { readonly kind: "free" }
  /** Nor has this editor, which has the file open, and can save it; all other editors that have it open load it again. */
  | { readonly kind: "saved"; readonly session: LiveSession }
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

/** The files that a call may change. */
export interface Targets {
  /** Absolute paths. */
  readonly paths: readonly string[];
  /** Reports whether the call may change a further file, given by its canonical path; `undefined` if it has no others. */
  readonly mayTouch: ((file: string) => boolean) | undefined;
  /** Set if a file without unsaved text may be `saved`; otherwise, such a file is `free`. */
  readonly withSaved?: boolean;
}

/** Asks all editors that may have one of the files. `sessions`: where sessions are announced. */
export async function fileStates(targets: Targets, sessions: string, caller: Caller): Promise<FileStates> {
  const mayTouch = targets.mayTouch ?? (() => false);
  const matters = mattersTo({ session: undefined, targets: targets.paths, directory: "/" });
  const hasNothing = announcesNothing(targets.paths);
  // An editor that has announced no unsaved text in these files must not hold them up: it may never answer.
  const found = await findSessions(sessions, caller, {
    matters: async (record) =>
      record.unsaved?.some(mayTouch) === true || (!(await hasNothing(record)) && (await matters(record))),
  });
  const paths = [...new Set([...targets.paths, ...(await unsavedFiles(found)).filter(mayTouch)])];
  const states = new Map<string, FileState>();
  for (const [path, { opened, suspects }] of await holdersOf(found, paths))
    states.set(path, stateAmong(stateOf(path, opened, targets.withSaved === true), suspects, found));
  return { states, close: () => closeSessions(found) };
}

/**
 * Returns the state of a file that has the state `known` in the sessions that were asked. An editor that can't be asked
 * and has announced no unsaved text in the file may have it open, which matters if another one has unsaved text in it.
 */
function stateAmong(known: FileState, suspects: readonly Suspect[], { blind }: FoundSessions): FileState {
  if (known.kind !== "free" && known.kind !== "saved" && known.kind !== "unsaved") return known;
  const isFree = known.kind !== "unsaved";
  const [suspect] = suspects.filter(({ announced }) => !isFree || announced !== "nothing");
  const holder =
    suspect?.holder ?? (isFree && blind[0] !== undefined ? { kind: "hidden" as const, problem: blind[0] } : undefined);
  const isAnnounced = suspects.some(({ announced }) => announced === "unsaved");
  return holder === undefined ? known : { kind: "unknown", holder, isAnnounced };
}

/** Returns the state of a file that these sessions have open. */
function stateOf(path: string, texts: readonly OpenedFile[], withSaved: boolean): FileState {
  const unknown = texts.find(({ isSynced }) => !isSynced)?.session.record;
  if (unknown !== undefined) return { kind: "unknown", holder: openIn(unknown), isAnnounced: true };
  const unsaved = texts.find(({ text }) => text === "unsaved");
  const chosen = process.env.MULTI_EDIT_SESSION;
  if (unsaved === undefined) return withSaved ? savedState(texts, chosen ?? "") : { kind: "free" };
  const sessions = [...new Set(texts.map(({ session }) => session))];
  const named = chosen ? sessions.filter(({ record }) => record.id.startsWith(chosen)) : [];
  if (named.length === 1 && named[0] !== undefined) return { kind: "unsaved", session: named[0] };
  if (chosen && named.length === 0) return { kind: "notChosen", session: unsaved.session, chosen };
  const others = texts.filter(({ session }) => session !== unsaved.session);
  return others.every(({ session, text }) => givesWay(session, text))
    ? { kind: "unsaved", session: unsaved.session }
    : { kind: "several", editors: linesFor(path, texts) };
}

/** Returns the state of a file in which nobody has unsaved text. `chosen`: the beginning of the id of the user's session. */
function savedState(texts: readonly OpenedFile[], chosen: string): FileState {
  const saving = texts.find(
    ({ session, text }) =>
      text === "same" &&
      session.status.saves === true &&
      session.record.id.startsWith(chosen) &&
      texts.every((other) => other.session === session || givesWay(other.session, other.text)),
  );
  return saving === undefined ? { kind: "free" } : { kind: "saved", session: saving.session };
}
