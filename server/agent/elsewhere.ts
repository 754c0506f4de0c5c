/** Which of the user's editors have files open, so that nobody writes them behind an editor's back. */
import { dirname } from "node:path";
import { canonicalise, mapBounded } from "../workspace/identity.js";
import { pathOfSyncedUri } from "../workspace/uri.js";
import { mattersTo } from "./choose.js";
import type { Reached } from "./connect.js";
import { closeSessions, findSessions, statusOf } from "./sessions.js";

/** Where sessions are looked for. */
export interface Elsewhere {
  /** Where they are announced. */
  readonly sessions: string;
  /** Version of this program. */
  readonly version: string;
  /** The id of the session that asks; `undefined`: none does. */
  readonly except?: string;
}

/** Of these absolute paths those that another session has open, with its name in words. */
export async function openElsewhere(paths: readonly string[], where: Elsewhere): Promise<ReadonlyMap<string, string>> {
  // Nothing is relative, so that any directory will do; the working directory may be gone.
  const wish = { session: undefined, targets: paths, directory: dirname(paths[0] ?? "/") };
  const found = await findSessions(where.sessions, where.version, mattersTo(wish));
  try {
    const others = found.reached.filter(({ record }) => record.id !== where.except);
    const open = new Map((await mapBounded(others, filesOf)).flat());
    const same = await mapBounded(paths, async (path) => [path, open.get(await identityOf(path))] as const);
    return new Map(same.flatMap(([path, name]) => (name === undefined ? [] : [[path, name] as const])));
  } finally {
    closeSessions(found);
  }
}

/** The files that a session has open, by their identity. */
async function filesOf(session: Reached): Promise<(readonly [identity: string, name: string])[]> {
  const status = await statusOf(session);
  const paths = (status?.open ?? []).map(({ uri }) => pathOfSyncedUri(uri)).filter((path) => path !== undefined);
  const name = `${session.record.client} (session ${session.record.id})`;
  return mapBounded(paths, async (path) => [await identityOf(path), name] as const);
}

async function identityOf(path: string): Promise<string> {
  const canonical = await canonicalise(path, process.platform);
  return canonical.ok ? canonical.identity : path;
}
