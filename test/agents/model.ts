/** A model that a test plays: it speaks the protocols of real agents on a Unix socket, and says what the test says. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Heard, protocols, type Reply } from "./protocols.js";

/** A model for one run of an agent. */
export interface Model {
  /** Resolves with the agent's next request, which waits for `reply`. Rejects if the agent ends before. */
  next(): Promise<Heard>;
  /** Answers the request that `next` resolved with. */
  reply(reply: Reply): void;
  /** Rejects all waiting and later calls of `next`. */
  end(reason: Error): void;
  /** Every request as it was received, for a person who examines a failed run. */
  readonly log: readonly { readonly path: string; readonly body: string }[];
  close(): void;
}

/**
 * Starts a model on a Unix socket. Requests that declare no tools, for example those for a title, are answered with a word
 * and are not part of the conversation.
 */
export async function startModel(socket: string): Promise<Model> {
  const log: { path: string; body: string }[] = [];
  const heard: Heard[] = [];
  let ended: Error | undefined;
  let wake = (): void => undefined;
  let answer: (reply: Reply) => void = () => undefined;

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
    const asked = protocol.read(JSON.parse(body) as never);
    const reply = asked.tools.length === 0 ? { says: "A title" } : await replyTo(asked);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const { name, data } of protocol.write(reply, log.length)) {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${text}\n\n`);
    }
    response.end();
  }
  function replyTo(asked: Heard): Promise<Reply> {
    return new Promise((resolve) => {
      answer = resolve;
      heard.push(asked);
      wake();
    });
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    log,
    async next() {
      while (heard.length === 0) {
        if (ended !== undefined) throw ended;
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return heard.shift()!;
    },
    reply: (reply) => answer(reply),
    end(reason) {
      ended = reason;
      wake();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
