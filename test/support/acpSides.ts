/** The two sides of an ACP proxy, which share no code with it: an editor that speaks ACP, and an agent that does what it is told. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import type { Program } from "./build.js";
import { makeDirectory } from "./directory.js";

/** A message as a client sees it. */
export type AcpMessage = Readonly<Record<string, unknown>>;

/**
 * The agent: answers `initialize` and `session/new` with what it was sent, sends the requests that a prompt lists and answers
 * with the answers, does not say who it is if it is told not to, ends with a code if a prompt says so, and says of every other line which bytes it has.
 */
const agent = `
let text = "", next = 0;
const waiting = new Map();
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const ask = (message) => new Promise((done) => { const id = "f" + next++; waiting.set(id, done); send({ id, ...message }); });
async function prompt({ id, params }) {
  if (params.exit !== undefined) process.exit(params.exit);
  if (params.raw !== undefined) return process.stdout.write(params.raw);
  const answers = [];
  if (params.atOnce) answers.push(...(await Promise.all(params.requests.map(ask))));
  else for (const request of params.requests) answers.push(await ask(request));
  send({ id, result: { answers } });
}
process.stdin.on("data", (chunk) => {
  text += chunk;
  for (let at = text.indexOf("\\n"); at !== -1; at = text.indexOf("\\n")) {
    const line = text.slice(0, at);
    text = text.slice(at + 1);
    let message = {};
    try { message = JSON.parse(line); } catch {}
    if (message.method === "initialize")
      send({ id: message.id, result: { protocolVersion: message.params.protocolVersion, agentInfo: message.params._meta?.nameless ? undefined : { name: "tester", version: "3" }, sent: message.params } });
    else if (message.method === "session/new") send({ id: message.id, result: { sessionId: "s1", sent: message.params } });
    else if (message.method === "session/fork") send({ id: message.id, result: { sessionId: "s2" } });
    else if (message.method === "session/prompt") void prompt(message);
    else if (waiting.has(message.id)) { waiting.get(message.id)(message); waiting.delete(message.id); }
    else send({ method: "heard", params: { line } });
  }
});
const end = process.argv[2] ?? "0";
if (end === "stays") setInterval(() => {}, 1000);
process.stdin.on("end", () => end === "stays" || process.exit(Number(end)));
`;

/** The editor's side. */
export interface AcpClient {
  /** Sends a request, and waits for the answer. */
  request(method: string, params: object): Promise<AcpMessage>;
  /** Sends bytes as they are. */
  write(text: string): void;
  /** Waits for a message that is not the answer to a request. */
  next(): Promise<AcpMessage>;
  /** All bytes that came. */
  output(): string;
  /** Ends the input. */
  end(): void;
  /** Sends the proxy a signal. */
  kill(signal: NodeJS.Signals): void;
  /** The exit code, and what was printed to standard error. */
  readonly code: Promise<number | null>;
  stderr(): string;
}

/** Starts the proxy with the agent. `code`: the agent's exit code if the editor ends. `staysOpen`: it does not end then. */
export function startAcp(
  program: Pick<Program, "path">,
  cwd: string,
  { code = 0, command = "", staysOpen = false } = {},
): AcpClient {
  const script = join(makeDirectory({}), "agent.mjs");
  writeFileSync(script, agent);
  const line = command === "" ? [process.execPath, script, staysOpen ? "stays" : String(code)] : [command];
  const child = spawn(process.execPath, [program.path, "acp", "--", ...line], { cwd });
  onTestFinished(() => void child.kill());
  let [all, rest, errors, id] = ["", "", "", 0];
  const answers = new Map<unknown, (message: AcpMessage) => void>();
  const others: AcpMessage[] = [];
  child.stderr.on("data", (chunk) => {
    errors += String(chunk);
  });
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    all += chunk;
    rest += chunk;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) {
      const message = JSON.parse(text) as AcpMessage;
      const answer = message.method === undefined ? answers.get(message.id) : undefined;
      if (answer === undefined) others.push(message);
      else answer(message);
    }
  });
  child.stdin.on("error", () => undefined);
  return {
    request: (method, params) =>
      new Promise((resolve) => {
        answers.set(++id, resolve);
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      }),
    write: (text) => void child.stdin.write(text),
    next: async () => {
      await expect.poll(() => others.length).toBeGreaterThan(0);
      return others.shift()!;
    },
    output: () => all,
    end: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    code: new Promise((resolve) => child.on("close", resolve)),
    stderr: () => errors,
  };
}
