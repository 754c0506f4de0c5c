/**
 * Sits between a real editor and the server. Starts the server, forwards every message, reports it to the test, and
 * holds, answers or adds messages at the test's request. The editor starts this program as its server.
 */
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { type Message, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { type FromTap, type Packet, type Party, type ToTap, tapVariables } from "./tapProtocol.js";

const [server, ...args] = process.argv.slice(2);
const address = process.env[tapVariables.socket];
if (server === undefined || address === undefined)
  throw new Error("the server's program and the test's socket are needed");
const encodings = process.env[tapVariables.encodings]?.split(",");

const child = spawn(process.execPath, [server, ...args], { stdio: ["pipe", "pipe", "inherit"] });
const socket = connect(address);
const readers: Record<Party, StreamMessageReader> = {
  editor: new StreamMessageReader(process.stdin),
  server: new StreamMessageReader(child.stdout),
};
/** The writer for each receiver of messages. */
const writers: Record<Party, StreamMessageWriter> = {
  server: new StreamMessageWriter(child.stdin),
  editor: new StreamMessageWriter(process.stdout),
};
const other: Record<Party, Party> = { editor: "server", server: "editor" };

/** Methods of the requests to hold until the test releases them. */
let gated: readonly string[] = [];
const held = new Map<string, { to: Party; message: Packet }>();
/** Ids of the requests that the test has sent on behalf of each party, which does not get the answers. */
const added: Record<Party, Set<Packet["id"]>> = { editor: new Set(), server: new Set() };

tell({ tap: process.pid });
for (const from of ["editor", "server"] as const) {
  readers[from].listen((message) => arrived(from, message));
}
createInterface({ input: socket }).on("line", (line) => obey(JSON.parse(line)));

// The editor has exited, or has closed the server's input to end it.
process.stdin.on("end", () => child.stdin.end());
child.on("exit", (code) => {
  tell({ exit: code });
  socket.end(() => process.exit(code ?? 1));
});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
// When a test ends, the editor must not lose its server.
socket.on("error", () => undefined);

function arrived(from: Party, message: Packet): void {
  const to = other[from];
  if (message.method === "initialize" && encodings !== undefined) {
    message.params.capabilities.general = { ...message.params.capabilities.general, positionEncodings: encodings };
  }
  tell({ from, message });
  if (message.method === undefined && added[to].delete(message.id)) return;
  if (message.method !== undefined && message.id !== undefined && gated.includes(message.method)) {
    const key = `${from} ${message.id}`;
    held.set(key, { to, message });
    tell({ held: key, message });
  } else void pass(to, message);
}

function obey(order: ToTap): void {
  if ("gate" in order) gated = order.gate;
  if ("send" in order) add("editor", order.send);
  if ("deliver" in order) add("server", order.deliver);
  if ("release" in order) {
    const one = held.get(order.release);
    if (one === undefined) return;
    held.delete(order.release);
    if (order.answer === undefined) void pass(one.to, one.message);
    else void pass(other[one.to], { jsonrpc: "2.0", id: one.message.id, result: order.answer });
  }
}

/** Sends a message on behalf of a party. */
function add(from: Party, message: Packet): void {
  if (message.method !== undefined && message.id !== undefined) added[from].add(message.id);
  void pass(other[from], message);
}

function pass(to: Party, message: Packet): Promise<void> {
  // The message is forwarded just as it arrived, whatever type the library would give it.
  return writers[to].write(message as Message).catch(() => undefined);
}

function tell(news: FromTap): void {
  socket.write(`${JSON.stringify(news)}\n`);
}
