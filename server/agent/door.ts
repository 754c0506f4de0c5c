/** Opens the session of an editor to the agents of its user, until the process ends. */
import { serveRequest } from "../lsp/requests.js";
import type { Session } from "../lsp/session.js";
import { openElsewhere } from "./elsewhere.js";
import { openListener } from "./listener.js";
import { sessionDirectory } from "./stateDirectory.js";

/** Agents ask what the editor may ask; what a call changes, the server changes. `version` is that of the program. */
export async function openDoor(session: Session, version: string): Promise<void> {
  const sessions = sessionDirectory();
  const listener = await openListener(
    {
      serve: ({ method, params, caller }, token) =>
        serveRequest(session, { method, params, applier: "server", caller }, token),
      folders: () => session.folders.map(({ uri, path }) => ({ uri, path })),
      client: nameOf(session),
      version,
      log: session.log,
    },
    sessions,
  );
  const caller = { name: "multi-edit-language-server", version };
  session.openElsewhere = (paths) =>
    openElsewhere(paths, { sessions, caller, ...(listener === undefined ? {} : { except: listener.id }) });
  if (listener === undefined) return;
  session.foldersChanged = listener.foldersChanged;
  // Whatever ends the process, other than a signal that nobody can catch, comes by here.
  process.on("exit", listener.close);
}

/** `Neovim 0.12.1`, as far as the editor says who it is. */
function nameOf({ client }: Session): string {
  if (client === undefined) return "an editor without a name";
  return client.version === undefined ? client.name : `${client.name} ${client.version}`;
}
