/** Decides which editor a call may go to if several editors have its files open. */
import { factsOf } from "../lsp/clients.js";
import type { Failure } from "../plan/failure.js";
import type { TextState } from "./holders.js";
import { sessionName } from "./record.js";
import { type FilesOfEditor, sessionFailures } from "./sentences.js";
import type { LiveSession } from "./sessions.js";

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

/**
 * Chooses among the sessions that have some of a call's files open: every other one that has one of the files must give
 * way or, if the call only reads, have no unsaved text in it. `targets`: the files, as spelt in the call; `opens`: the
 * sessions, the preferred one first.
 */
export function chooseShared(targets: readonly string[], opens: readonly OpenIn[], isRead: boolean): SharedChoice {
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
