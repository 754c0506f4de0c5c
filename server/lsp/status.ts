/** Answers `multiEdit/status`: what the server knows of its session. */
import { sameAsDisk } from "../workspace/files.js";
import { mapBounded } from "../workspace/identity.js";
import { pathOfSyncedUri } from "../workspace/pathText.js";
import { settleProposals } from "./apply/recordApplied.js";
import { protocolVersion, type StatusResult } from "./protocol.js";
import type { Session } from "./session.js";

/** Serves one request; every open file is compared with the disk as it is now. */
export async function statusOf(session: Session): Promise<StatusResult> {
  await session.ready;
  await settleProposals(session);
  return {
    server: { name: "multi-edit-language-server", version: session.version },
    protocol: protocolVersion,
    client: session.client ?? null,
    folders: session.folders.map(({ uri }) => uri),
    open: await mapBounded(session.documents.all(), async ({ uri, version, text, desynced }) => {
      const path = desynced === undefined ? pathOfSyncedUri(uri) : undefined;
      const onDisk = path === undefined ? undefined : await sameAsDisk(text, path, session.facts.habits);
      return { uri, version, onDisk: onDisk ?? "differs" };
    }),
    transactions: session.history.transactions.map(({ id, label, isUndone, caller }) => ({
      transaction: id,
      label,
      state: isUndone ? "undone" : "applied",
      ...(caller === undefined ? {} : { by: caller }),
    })),
    agents: [...session.callers.all()],
  };
}
