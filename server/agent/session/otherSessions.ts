/** The files that the user's other editors have open, or may have, so that nobody writes them on disk under unsaved text. */
import { dirname } from "node:path";
import type { Holder } from "../../disk/sentences.js";
import type { Caller } from "../../lsp/protocol.js";
import { canonicalise, mapBounded } from "../../workspace/identity.js";
import { pathOfSyncedUri } from "../../workspace/pathText.js";
import { firstInDoubt, mattersTo, sessionName } from "./selectSession.js";
import { closeSessions, type FoundSessions, findSessions, type LiveSession } from "./sessions.js";

/** The sessions among which to look. */
export interface OtherSessions {
  /** The directory in which they are announced. */
  readonly sessions: string;
  /** The agent or server that looks. */
  readonly caller: Caller;
  /** The id of the session that asks; `undefined`: none does. */
  readonly except?: string | undefined;
}

/** Of these absolute paths those that another session has open, or may have because it can't be asked. */
export async function openElsewhere(
  paths: readonly string[],
  { sessions, caller, except }: OtherSessions,
): Promise<ReadonlyMap<string, Holder>> {
  // Nothing is relative, so that any directory will do; the working directory may be gone.
  const query = { session: undefined, targets: paths, directory: dirname(paths[0] ?? "/") };
  const found = await findSessions(sessions, caller, { matters: mattersTo(query), except });
  try {
    const open = new Map((await mapBounded(found.reached, filesOf)).flat());
    const holders = await mapBounded(paths, async (path) => {
      const by = open.get(await fileIdentity(path));
      const holder =
        by === undefined ? await doubtOf(found, { ...query, targets: [path] }) : ({ kind: "open", by } as const);
      return [path, holder] as const;
    });
    return new Map(holders.flatMap(([path, holder]) => (holder === undefined ? [] : [[path, holder] as const])));
  } finally {
    closeSessions(found);
  }
}

/** A session that may have the target open and can't be asked; `undefined`: there is none. */
async function doubtOf(found: FoundSessions, query: Parameters<typeof mattersTo>[0]): Promise<Holder | undefined> {
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
