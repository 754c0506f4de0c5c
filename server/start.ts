/**
 * The program's entry point. If Node is too old, refuses to start, before loading any code that the old version can't
 * parse. The build compiles this file to ES2015 syntax, but the file itself must use only functions that old versions
 * provide.
 */
import { connect } from "node:net";
import manifest from "../package.json" with { type: "json" };

/** A version of Node. */
interface Version {
  readonly major: number;
  readonly minor: number;
}

/** The parts of a connection needed to answer the editor's first message. */
interface Connection {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

const needed = versionIn(manifest.engines.node);
const own = versionIn(process.versions.node);

if (own.major > needed.major || (own.major === needed.major && own.minor >= needed.minor)) void import("./main.js");
else refuse(process.argv.slice(2));

/** Returns the major and minor version in text such as `>=20.19` or `18.20.8`. */
function versionIn(text: string): Version {
  const [major = 0, minor = 0] = (text.match(/\d+/g) || []).map(Number);
  return { major, minor };
}

/** Says why the server won't start: on stderr, and in the answer to `initialize`, which editors show to the user. */
function refuse(args: readonly string[]): void {
  const needs = `${manifest.name} needs Node ${needed.major}.${needed.minor} or later`;
  const problem = `${needs}; this is ${process.versions.node} at ${process.execPath}`;
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
  if (args.indexOf("--node-ipc") >= 0) {
    process.once("message", (message: { id?: unknown } | null) => process.send?.(answerTo(message, problem), end));
    return;
  }
  const connection = connectionOf(args);
  if (connection === undefined) return;
  const { input, output } = connection;
  let received = Buffer.alloc(0);
  input.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    const body = firstBody(received);
    if (body === undefined) return;
    const answer = Buffer.from(JSON.stringify(answerTo(parsed(body), problem)));
    output.write(`Content-Length: ${answer.length}\r\n\r\n`);
    output.write(answer, end);
  });
  for (const stream of [input, output]) stream.on("error", end);
}

function end(): void {
  process.exit();
}

/** Opens the transport named on the command line; `undefined` if there is none. */
function connectionOf(args: readonly string[]): Connection | undefined {
  if (args.indexOf("--stdio") >= 0) return { input: process.stdin, output: process.stdout };
  const [port, path] = [flagged("--socket", args), flagged("--pipe", args)];
  const isPort = port !== undefined && /^\d{1,5}$/.test(port) && Number(port) < 65536;
  const socket = isPort ? connect(Number(port), "127.0.0.1") : path && connect(path);
  return socket ? { input: socket, output: socket } : undefined;
}

/** Returns the value of a flag given as `--flag value` or `--flag=value`. */
function flagged(flag: string, args: readonly string[]): string | undefined {
  const at = args.indexOf(flag);
  const joined = args.find((arg) => arg.indexOf(`${flag}=`) === 0);
  return at >= 0 ? args[at + 1] : joined?.slice(flag.length + 1);
}

/** Returns the body of the first frame; `undefined` if the frame is still incomplete. */
function firstBody(received: Buffer): string | undefined {
  const start = received.indexOf("\r\n\r\n") + 4;
  const length = /^Content-Length: *(\d+)/im.exec(received.toString("latin1", 0, start));
  const stop = start + Number(length?.[1]);
  return start < 4 || !(stop <= received.length) ? undefined : received.toString("utf8", start, stop);
}

/** Parses a message; `null` if it is not JSON. */
function parsed(body: string): { readonly id?: unknown } | null {
  try {
    return JSON.parse(body);
  } catch (_) {
    return null;
  }
}

/** Returns the answer to the first request, `initialize`: the LSP error `RequestFailed`, with `retry: false`. */
function answerTo(message: { readonly id?: unknown } | null, problem: string): object {
  const id = message?.id ?? 0;
  return { jsonrpc: "2.0", id, error: { code: -32803, message: problem, data: { retry: false } } };
}
