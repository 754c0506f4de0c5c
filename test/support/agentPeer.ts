/** An agent that talks to a session's socket exactly as the protocol page says, without any of the server's code. */
import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { removeTree } from "./directory.js";
import { type RawClient, rawClient } from "./rawClient.js";

/** The contents of the file that announces a session. */
export interface Announced {
  readonly id: string;
  readonly pid: number;
  readonly address: string;
  readonly secret: string;
  readonly [field: string]: unknown;
}

/** Sets a new state directory for servers started during the rest of the test; returns its path. */
export function ownStateHome(): string {
  const home = mkdtempSync(join(tmpdir(), "multi-edit-home-"));
  stateHome(home);
  onTestFinished(() => removeTree(home));
  return home;
}

/** Gives all servers that start before the end of the test this state directory. */
export function stateHome(home: string): void {
  const before = process.env.XDG_STATE_HOME;
  process.env.XDG_STATE_HOME = home;
  onTestFinished(() => {
    process.env.XDG_STATE_HOME = before;
  });
}

/** The folder in which sessions are announced. */
export function sessionsIn(home: string): string {
  return join(home, "multi-edit-language-server", "sessions");
}

/** Names of the files in a state directory's sessions folder; an empty list if the folder does not exist. */
export function filesIn(home: string): string[] {
  try {
    return readdirSync(sessionsIn(home));
  } catch {
    return [];
  }
}

/** Waits until `count` sessions are announced and returns their announcements; throws after ten seconds. */
export async function announced(home: string, count = 1): Promise<[Announced, ...Announced[]]> {
  const until = Date.now() + 10_000;
  for (;;) {
    const names = filesIn(home).filter((name) => name.endsWith(".json"));
    if (names.length >= count) {
      const all = names.map((name): Announced => JSON.parse(readFileSync(join(sessionsIn(home), name), "utf8")));
      return all as [Announced, ...Announced[]];
    }
    if (Date.now() > until) throw new Error(`${names.length} sessions are announced, not ${count}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Connects to the socket at a path and sends nothing. */
export async function openSocket(path: string): Promise<Socket> {
  const socket = createConnection({ path, allowHalfOpen: true });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** A connection on which the test itself sends each message. */
export interface Peer extends RawClient {
  readonly socket: Socket;
  /** Settles when the session has closed the connection. */
  readonly closed: Promise<unknown>;
}

/** Connects to a session without authenticating. */
export async function stranger({ address }: Announced): Promise<Peer> {
  const socket = await openSocket(address);
  const closed = new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
  return { ...rawClient(socket, socket), socket, closed };
}

/** Proof that one side knows the secret. */
export function hmac(role: "agent" | "server", session: Announced, nonces: Nonces): string {
  const said = `multi-edit\n${role}\n${session.id}\n${nonces.agent}\n${nonces.server}`;
  return createHmac("sha256", Buffer.from(session.secret, "hex")).update(said).digest("hex");
}

/** The nonces exchanged by the two sides. */
export interface Nonces {
  readonly agent: string;
  readonly server: string;
}

/**
 * Greets a session and checks its proof; returns the proof that the session expects next. `client`: the agent's own
 * name.
 */
export async function greet(
  peer: Peer,
  session: Announced,
  client?: unknown,
): Promise<{ nonces: Nonces; proof: string }> {
  const agent = randomBytes(32).toString("hex");
  const hello = await peer.ask("hello", "initialize", { protocols: [1], nonce: agent, client });
  if (hello.error !== undefined) throw new Error(hello.error.message);
  const { nonce: server, proof } = hello.result as { nonce: string; proof: string };
  if (proof !== hmac("server", session, { agent, server })) throw new Error("the session did not prove itself");
  const nonces = { agent, server };
  return { nonces, proof: hmac("agent", session, nonces) };
}

/** Connects and completes the handshake. */
export async function friend(session: Announced, client?: unknown): Promise<Peer> {
  const peer = await stranger(session);
  const { proof } = await greet(peer, session, client);
  const answer = await peer.ask("prove", "multiEdit/prove", { proof });
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return peer;
}

/** Sets an own settings folder, so that the settings file of whoever runs the tests plays no part; returns its path. */
export function ownConfigHome(home: string): string {
  const before = process.env.XDG_CONFIG_HOME;
  const config = join(home, "config");
  process.env.XDG_CONFIG_HOME = config;
  onTestFinished(() => {
    if (before === undefined) delete process.env.XDG_CONFIG_HOME;
    else process.env.XDG_CONFIG_HOME = before;
  });
  return join(config, "multi-edit-language-server");
}
