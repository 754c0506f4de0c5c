/** Starts the language server. */
import { registerServer } from "./lsp/server.js";
import { type ServeOptions, serve } from "./lsp/wire/transport.js";

/** Serves one client until it ends the connection. `version`: the program's version. */
export async function startServer(start: ServeOptions, version: string): Promise<void> {
  await serve(start, (connection) =>
    registerServer(connection, {
      version,
      logLevel: start.logLevel,
      async openToAgents(session) {
        const { serveAgents } = await import("./session/serveAgents.js");
        await serveAgents(session);
      },
    }),
  );
}
