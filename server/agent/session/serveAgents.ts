/** Opens the session of an editor to the agents of its user, until the process ends. */

import { serveRequest } from "../../lsp/requests.js";
import type { Session } from "../../lsp/session.js";
import { inServerFolder } from "../../workspace/serverFolder.js";
import { type Listener, openListener } from "./listener.js";
import { openElsewhere } from "./otherSessions.js";
import { watchOutside } from "./outside.js";

/** Agents ask what the editor may ask; what a call changes, the server changes. `version` is that of the program. */
export async function openDoor(session: Session, version: string): Promise<void> {
  const sessions = inServerFolder("sessions");
  let listener: Listener | undefined;
  const outside = await watchOutside(session, () => listener?.announce());
  listener = await openListener(
    {
      serve: ({ method, params, caller }, token) =>
        serveRequest(session, { method, params, applier: "server", caller }, token),
      scope: () => ({ folders: session.folders.map(({ uri, path }) => ({ uri, path })), outside: outside.paths() }),
      client: nameOf(session),
      version,
      log: session.log,
    },
    sessions,
  );
  const caller = { name: "multi-edit-language-server", version };
  const except = listener?.id;
  session.openElsewhere = (paths) => openElsewhere(paths, { sessions, caller, except });
  if (listener === undefined) return;
  const { announce } = listener;
  session.foldersChanged = () => {
    announce();
    void outside.foldersChanged();
  };
  // Whatever ends the process, other than a signal that nobody can catch, comes by here.
  process.on("exit", listener.close);
}

/** `Neovim 0.12.1`, as far as the editor says who it is. */
function nameOf({ client }: Session): string {
  if (client === undefined) return "an editor without a name";
  return client.version === undefined ? client.name : `${client.name} ${client.version}`;
}
