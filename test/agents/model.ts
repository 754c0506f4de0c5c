/** A model that follows a script, and speaks the protocols of real agents on a Unix socket. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Heard, Reply } from "./protocols.js";
import { protocols } from "./protocols.js";

/** Answers one turn of the conversation; `turn` counts from 0. */
export type Script = (heard: Heard, turn: number) => Reply | Promise<Reply>;

/** A scripted model that serves one run of an agent. */
export interface ScriptedModel {
  /** Every request of the conversation. */
  readonly heard: readonly Heard[];
  /** Every request, with its path, and as it was received: for a person who examines a failed run. */
  readonly log: readonly { readonly path: string; readonly body: string }[];
  /** The error of the script, if it threw one. */
  failure(): unknown;
  close(): void;
}

/**
 * Starts a model on a Unix socket. Requests that declare no tools, such as those for a title, are answered with a word
 * and are not part of the conversation.
 */
export async function startModel(socket: string, script: Script): Promise<ScriptedModel> {
  const heard: Heard[] = [];
  const log: { path: string; body: string }[] = [];
  let failed: unknown;
  async function reply(request: Heard): Promise<Reply> {
    if (request.tools.length === 0) return { says: "A title" };
    heard.push(request);
    try {
      return await script(request, heard.length - 1);
    } catch (error) {
      failed ??= error;
      return { says: "The script failed." };
    }
  }
  const server = createServer((request, response) => {
    void serve(request, response);
  });
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    log.push({ path, body });
    const protocol = Object.values(protocols).find((row) => row.path.test(path));
    if (protocol === undefined || request.method !== "POST") {
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    const events = protocol.write(await reply(protocol.read(JSON.parse(body) as never)), log.length);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const { name, data } of events) {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`);
    }
    response.end();
  }
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return { heard, log, failure: () => failed, close: () => server.close() };
}
