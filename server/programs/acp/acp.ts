/** Runs an ACP agent behind a proxy on standard input and output, until one of the two sides ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { attempt } from "../../disk/fileSystem.js";
import { newAgentId } from "../../session/agentId.js";
import type { RequestContext } from "../../session/request.js";
import { limits } from "../../text/limits.js";
import { codeOf } from "../../workspace/identity.js";
import { thisInstallation } from "../setup/installation.js";
import { say } from "../shared/output.js";
import type { answerFile } from "./files.js";
import { LineOutlet, type PassedPart, passedParts } from "./lines.js";
import { type AcpDecision, AcpProxy, type EnvVariable, type FileRequest, nameOfProgram } from "./proxy.js";
import { acpProblems } from "./sentences.js";

/** The exit code of a shell if there is no program of that name. */
const noProgram = 127;

/** Runs the agent's command line and returns its exit code. `calls`: loads what answers a request for a file. */
export async function runAcp(
  [command = "", ...args]: readonly string[],
  start: RequestContext,
  calls: () => Promise<{ readonly answerFile: typeof answerFile }>,
): Promise<number> {
  const { agent: id = newAgentId() } = start.caller;
  const context: RequestContext = { ...start, caller: { name: nameOfProgram(command), agent: id } };
  // In a group of its own, the agent can be ended with the processes that it has started.
  const agent = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], detached: process.platform !== "win32" });
  const ended = endOf(agent);
  const proxy = new AcpProxy((directory) => mcpCommand(directory, context), setVariables());
  const link = new AcpLink(
    proxy,
    new LineOutlet(agent.stdin),
    new LineOutlet(process.stdout),
    async (request, signal) => (await calls()).answerFile(request, { ...context, signal }),
  );
  const stop = (): void => {
    agent.stdin.end();
    void stopAgent(agent, ended);
  };
  context.signal.addEventListener("abort", () => {
    // A terminal's or an editor's signal does not reach the agent's group.
    signalAll(agent, "SIGTERM");
    stop();
  });
  // The agent may have ended before it has read all.
  agent.stdin.on("error", () => undefined);
  const fromEditor = link.passToAgent(process.stdin).catch(() => undefined);
  void fromEditor.then(stop);
  const fromAgent = link.passToEditor(agent.stdout).catch(() => undefined);
  const end = await ended;
  // A process that the agent has left may keep its output open, and the editor may not read any more.
  const isPassed = await Promise.race([fromAgent.then(() => true), delay(limits.agentEndMs, false, { ref: false })]);
  signalAll(agent, "SIGTERM");
  agent.stdout.destroy();
  link.close();
  // Otherwise, this process would wait for the editor.
  process.stdin.destroy();
  if ("problem" in end) say(acpProblems.cannotStart(command, end.problem));
  const code = "problem" in end ? noProgram : end.code;
  // Otherwise, what the editor does not read would keep this process.
  if (!isPassed) process.exit(code);
  return code;
}

/** The end of the agent: its exit code, or why it could not be started. */
type AgentEnd = { readonly code: number } | { readonly problem: string };

async function endOf(agent: ChildProcess): Promise<AgentEnd> {
  try {
    const [code, signal] = (await once(agent, "exit")) as [number | null, NodeJS.Signals | null];
    return { code: code ?? 128 + constants.signals[signal ?? "SIGTERM"] };
  } catch (error) {
    return { problem: codeOf(error) };
  }
}

/** Lets the agent end by itself, and makes it end if it does not. */
async function stopAgent(agent: ChildProcess, ended: Promise<AgentEnd>): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    const isOver = await Promise.race([ended.then(() => true), delay(limits.agentEndMs, false, { ref: false })]);
    if (isOver) return;
    signalAll(agent, signal);
  }
}

/** Sends a signal to the agent and the processes that it has started, if there are any left. */
function signalAll(agent: ChildProcess, signal: NodeJS.Signals): void {
  const { pid } = agent;
  if (pid === undefined) return;
  if (process.platform !== "win32") attempt(() => process.kill(-pid, signal));
  else if (agent.exitCode === null && agent.signalCode === null) endTree(agent, pid);
}

/**
 * Ends an agent on Windows, where there are no groups and no signals. What it has started is found by the process that
 * started it, so only as long as that one runs.
 */
function endTree(agent: ChildProcess, pid: number): void {
  // By its path, because Windows would look for the program in the working directory first.
  const taskkill = join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
  const ending = spawn(taskkill, ["/pid", String(pid), "/t", "/f"], { stdio: "ignore", windowsHide: true });
  ending.on("error", () => agent.kill());
  ending.on("exit", (code) => {
    if (code !== 0) agent.kill();
  });
}

/** Returns the variables by which the MCP server finds the editors and the settings file, and chooses how it works. */
const setVariables = (): readonly EnvVariable[] =>
  ["XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "MULTI_EDIT_HISTORY"].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [{ name, value }];
  });

/** Returns the command line of the MCP server for a folder, which the agent starts. */
function mcpCommand(directory: string, { caller, session, mode }: RequestContext): readonly [string, ...string[]] {
  const { command } = thisInstallation();
  const [program, ...args] = command;
  const chosen = [
    ...(session === undefined ? [] : [`--session=${session}`]),
    ...(mode === "auto" ? [] : [`--mode=${mode}`]),
  ];
  return [program, ...args, "mcp", `--workspace=${directory}`, `--agent=${String(caller.agent)}`, ...chosen];
}

type Answerer = (request: FileRequest, signal: AbortSignal) => ReturnType<typeof answerFile>;

/** The two directions of a connection. */
class AcpLink {
  /** The requests for files that are not answered yet. An agent may use an id twice. */
  readonly #running = new Set<{ readonly id: unknown; readonly abort: AbortController }>();
  /** The last request for each file: a file is read and written in the order of the requests. */
  readonly #lastOf = new Map<unknown, Promise<void>>();

  constructor(
    private readonly proxy: AcpProxy,
    private readonly agent: LineOutlet,
    private readonly editor: LineOutlet,
    private readonly answer: Answerer,
  ) {}

  async passToAgent(input: NodeJS.ReadableStream): Promise<void> {
    for await (const part of passedParts(input as never, limits.inputBytes)) {
      const decision = decide(part, (message) => this.proxy.fromEditor(message));
      if (decision.kind === "replace") await this.agent.send(decision.message);
      else await this.agent.write(part);
    }
  }

  async passToEditor(input: NodeJS.ReadableStream): Promise<void> {
    for await (const part of passedParts(input as never, limits.inputBytes)) {
      const decision = decide(part, (message) => this.proxy.fromAgent(message));
      const cancelled = decision.kind === "cancel" ? [...this.#running].filter(({ id }) => id === decision.id) : [];
      for (const { abort } of cancelled) abort.abort();
      if (cancelled.length > 0) continue;
      if (decision.kind === "file") {
        this.#start(decision.request, part);
        while (this.#running.size >= limits.acpRequests) await Promise.race(this.#lastOf.values());
      } else await this.editor.write(part);
    }
  }

  /** Ends what is still running. */
  close(): void {
    for (const { abort } of this.#running) abort.abort();
  }

  #start(request: FileRequest, part: PassedPart): void {
    const { path } = request.params;
    const running = { id: request.id, abort: new AbortController() };
    this.#running.add(running);
    const before = this.#lastOf.get(path) ?? Promise.resolve();
    const done = before.then(() => this.#serve(request, part, running.abort.signal));
    this.#lastOf.set(path, done);
    void done.finally(() => {
      this.#running.delete(running);
      if (this.#lastOf.get(path) === done) this.#lastOf.delete(path);
    });
  }

  async #serve(request: FileRequest, part: PassedPart, signal: AbortSignal): Promise<void> {
    const answer = await this.answer(request, signal).catch((error: unknown) => ({
      error: { code: -32_603, message: error instanceof Error ? error.message : String(error) },
    }));
    if (answer === undefined) await this.editor.write(part);
    else await this.agent.send({ jsonrpc: "2.0", id: request.id, ...answer });
  }
}

/** Decides about a part of the input. What is no message passes. */
function decide(part: PassedPart, about: (message: unknown) => AcpDecision): AcpDecision {
  if (part.kind === "piece") return { kind: "pass" };
  let message: unknown;
  try {
    message = JSON.parse(part.bytes.toString("utf8"));
  } catch {
    return { kind: "pass" };
  }
  return about(message);
}
