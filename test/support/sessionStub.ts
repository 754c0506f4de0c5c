/**
 * A stub for a session of another version, written from the protocol page and independent of the server, for agents to
 * connect to.
 */
import { createHmac, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { sessionsIn } from "./agentPeer.js";
import { hurry } from "./commands.js";
import { frame, framesOf, type Received } from "./rawClient.js";

/** Properties of the session; all are optional. */
export interface Stub {
  /** Id of the session, 12 hexadecimal digits; the default is random. */
  readonly id?: string;
  /** The message of the error that answers `initialize`. */
  readonly refuses?: string;
  /** `true` if the session does not know the announced secret. */
  readonly isImpostor?: boolean;
  /** `true` if the session never answers. */
  readonly isSilent?: boolean;
  /** Answers every request after the handshake; the default answer is MethodNotFound. */
  readonly serve?: (request: Received, socket: Socket) => object | undefined;
  /** Called with what each agent says about itself. */
  readonly hello?: (client: unknown) => void;
  readonly folders?: readonly string[];
  readonly pid?: number;
}

/**
 * Announces a session in a state directory and serves it until the test ends; returns its id. If it is silent, commands
 * need not wait long for it.
 */
export async function startStub(home: string, stub: Stub = {}): Promise<string> {
  const { id = randomBytes(6).toString("hex") } = stub;
  if (stub.isSilent === true) hurry();
  const secret = randomBytes(32).toString("hex");
  mkdirSync(sessionsIn(home), { recursive: true, mode: 0o700 });
  const address = join(sessionsIn(home), `${id}.sock`);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    if (stub.isSilent !== true) serveOne(socket, { ...stub, id, secret });
  });
  await new Promise<void>((resolve) => server.listen(address, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const folders = (stub.folders ?? []).map((path) => ({ uri: `file://${path}`, path }));
  const record = { format: 1, id, pid: stub.pid ?? process.pid, host: hostname(), address, secret, folders };
  const about = { client: "Stub", version: "0.0.1", protocols: [1], startedAt: "2026-01-01T00:00:00.000Z" };
  writeFileSync(join(sessionsIn(home), `${id}.json`), JSON.stringify({ ...record, ...about }), { mode: 0o600 });
  return id;
}

function serveOne(socket: Socket, stub: Stub & { readonly id: string; readonly secret: string }): void {
  let unread: Buffer = Buffer.alloc(0);
  let nonces: readonly [agent: string, server: string] = ["", ""];
  const mac = (role: string): string =>
    createHmac("sha256", Buffer.from(stub.isImpostor ? "00".repeat(32) : stub.secret, "hex"))
      .update(["multi-edit", role, stub.id, ...nonces].join("\n"))
      .digest("hex");
  function answer(request: Received): object | undefined {
    const params = (request.params ?? {}) as { nonce?: string; proof?: string };
    if (request.method === "initialize") {
      stub.hello?.((request.params as { client?: unknown }).client);
      if (stub.refuses !== undefined) return { error: { code: -32803, message: stub.refuses } };
      nonces = [params.nonce ?? "", randomBytes(32).toString("hex")];
      return { result: { protocol: 1, nonce: nonces[1], proof: mac("server"), version: "0.0.1" } };
    }
    if (request.method === "multiEdit/prove") {
      return params.proof === mac("agent") ? { result: {} } : { error: { code: -32803, message: "No." } };
    }
    return (stub.serve ?? (() => unknownMethod))(request, socket);
  }
  socket.on("data", (chunk: Buffer) => {
    const { messages, rest } = framesOf(Buffer.concat([unread, chunk]));
    unread = rest;
    for (const message of messages) {
      const answered = answer(message);
      if (answered !== undefined) socket.write(frame({ jsonrpc: "2.0", id: message.id, ...answered }));
    }
  });
}

const unknownMethod = { error: { code: -32601, message: "Unhandled method" } };
