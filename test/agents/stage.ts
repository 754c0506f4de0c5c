/** Runs a real agent in a network namespace of its own, with a model that the test plays. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildProgram } from "../support/build.js";
import { removeTree } from "../support/directory.js";
import type { AgentKind, Place, ToolName } from "./agent.js";
import { type Model, startModel } from "./model.js";
import type { Call, Heard } from "./protocols.js";

/** The conversation between an agent and the model that the test plays. */
export interface Conversation {
  /** The agent's first request. */
  readonly first: Heard;
  /** Calls a tool of the server, and resolves with the server's answer as the model gets it. */
  call(tool: ToolName, args: object): Promise<string>;
  /** Calls one of the agent's own tools, and resolves with the result as the model gets it. */
  callOwn(call: Call): Promise<string>;
  /** Makes any call, and resolves with the request that follows. */
  hear(call: Call): Promise<Heard>;
  /** Runs a command with the agent's own tool for this, and resolves with the result as the model gets it. */
  run(command: string): Promise<string>;
}

/**
 * The form of the hook for the agent's own tools: it turns their calls away, or applies them; `none`: there is no hook, but
 * the agent may use these tools without asking.
 */
export type HookForm = "deny" | "apply" | "none";

/** A home and a project for an agent that is set up as its page says. */
export interface Stage {
  readonly kind: AgentKind;
  /** The directory in which a server of the same user keeps its state: its XDG_STATE_HOME. */
  readonly state: string;
  /** Sets how many seconds the server's calls wait for an answer; `undefined`: as many as the agent is set up for. */
  setPatience(seconds: number | undefined): void;
  /**
   * Runs the agent in a folder; the test plays its model. Rejects if the agent ends before the conversation does.
   * `isResumed`: the agent goes on with its last conversation. `prompt`: what the user types; by default, "Please go on."
   */
  converse<T>(
    folder: string,
    play: (conversation: Conversation) => Promise<T>,
    options?: { readonly isResumed?: boolean; readonly prompt?: string },
  ): Promise<T>;
  /** The message with which the command line refuses a call in this folder, for a model. */
  refusalOf(call: object, folder: string): string;
  close(): Promise<void>;
}

/** The reason for which the agents are missing here; `undefined` if they can be run. */
export function absence(kind: AgentKind): string | undefined {
  const root = process.env.AGENTS_ROOT;
  if (root === undefined) return "AGENTS_ROOT is not set; .ci/agents installs the agents and prints its value";
  if (!existsSync(join(root, kind.folder, "node_modules"))) return `${root} has no folder ${kind.folder}`;
  const tried = spawnSync(...alone(["true"]), { encoding: "utf8" });
  return tried.status === 0 ? undefined : `there are no network namespaces here: ${tried.stderr}`;
}

/** The version of an installed agent. */
export function versionOf({ folder, packageName }: AgentKind): string {
  const manifest = join(process.env.AGENTS_ROOT ?? "", folder, "node_modules", packageName, "package.json");
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}

/** The command line that runs a program in a network namespace that has only the loopback interface. */
export function alone(command: readonly string[]): [program: string, args: string[]] {
  const rights = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  return ["unshare", ["--net", ...rights, "sh", "-c", 'ip link set lo up && exec "$@"', "sh", ...command]];
}

/** The port of the model inside the namespace, in which no other program listens. */
const port = 18080;

/**
 * Lays a home in which the agent is connected with the scripted model, and the server is set up. `hook`: `undefined` for
 * none.
 */
export async function layStage(kind: AgentKind, server: string, hook?: HookForm): Promise<Stage> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "me-agent-")));
  const relay = await buildProgram(new URL("relay.ts", import.meta.url));
  const [home, bin] = [join(base, "home"), join(base, "bin")];
  for (const folder of [home, bin]) mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(bin, "multi-edit"), programText(server, patienceIn(base)), { mode: 0o755 });
  const place: Place = {
    home,
    installed: process.env.AGENTS_ROOT ?? "",
    url: `http://127.0.0.1:${port}`,
    put(path, text) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    },
  };
  const env: Readonly<Record<string, string | undefined>> & { XDG_STATE_HOME?: string } = {
    PATH: [bin, dirname(process.execPath), "/usr/sbin", "/usr/bin", "/sbin", "/bin"].join(":"),
    HOME: home,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    ...kind.env(place),
  };
  kind.prepare(place);
  const setUp = [join(bin, "multi-edit"), "setup", kind.setup, "--write", ...hookOptions(hook)];
  for (const step of kind.install?.(place) ?? [setUp]) {
    const { status, stdout, stderr } = spawnSync(...alone(step), { cwd: base, env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${step.join(" ")}: ${stdout}${stderr}`);
  }
  let runs = 0;
  return {
    kind,
    state: env.XDG_STATE_HOME ?? join(home, ".local/state"),
    setPatience: (seconds) => void (seconds !== undefined && writeFileSync(patienceIn(base), String(seconds))),
    async converse(folder, play, { isResumed = false, prompt = "Please go on." } = {}) {
      // The path of a socket must be short.
      const socket = join(base, `${runs++}.sock`);
      const model = await startModel(socket);
      const flags = (hook === undefined ? kind.shell.flags : kind.ownTools?.args) ?? [];
      const start = (isResumed && kind.resumed) || kind.command;
      const command = [process.execPath, relay.path, socket, String(port), ...start(place, prompt), ...flags];
      const agent = spawn(...alone(command), { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
      let said = "";
      for (const stream of [agent.stdout, agent.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
      const ended = new Promise<void>((resolve) => agent.on("close", () => resolve()));
      void ended.then(() => model.end(new Error(`${kind.name} ended too early:\n${said.slice(-4_000)}`)));
      try {
        return await playThrough(kind, model, play);
      } catch (error) {
        if (process.env.AGENTS_LOG) writeFileSync(process.env.AGENTS_LOG, JSON.stringify(model.log, undefined, 1));
        // A person who examines the failure needs to know what the agent said.
        if (error instanceof Error) error.message += `\n${kind.name} said:\n${said.slice(-4_000)}`;
        // Not every agent ends while its model keeps it waiting.
        if (agent.exitCode === null && agent.signalCode === null) process.kill(-(agent.pid ?? 0), "SIGKILL");
        throw error;
      } finally {
        await ended;
        model.close();
      }
    },
    refusalOf(call, folder) {
      const options = { cwd: folder, env, input: JSON.stringify(call), encoding: "utf8" } as const;
      const { stdout } = spawnSync(join(bin, "multi-edit"), ["apply", "--json"], options);
      return (JSON.parse(stdout) as { error: { message: string } }).error.message;
    },
    async close() {
      relay.remove();
      await removeTree(base);
    },
  };
}

const patienceIn = (base: string): string => join(base, "patience");

/** A program that runs the server. If the file `patience` exists, its number of seconds limits the wait of MCP calls. */
const programText = (server: string, patience: string): string => `#!/bin/sh
if [ "$1" = mcp ] && [ -e '${patience}' ]; then set -- "$@" --timeout "$(cat '${patience}')"; fi
exec '${process.execPath}' '${server}' "$@"
`;

const hookOptions = (hook: HookForm | undefined): string[] =>
  hook === undefined || hook === "none" ? [] : ["--hook", ...(hook === "apply" ? ["--apply"] : [])];

/** Plays the model's part, then ends the conversation. */
async function playThrough<T>(
  kind: AgentKind,
  model: Model,
  play: (conversation: Conversation) => Promise<T>,
): Promise<T> {
  const first = await model.next();
  const heardAfter = (call: Call): Promise<Heard> => {
    model.reply({ calls: [call] });
    return model.next();
  };
  const answerTo = async (call: Call): Promise<string> => {
    const result = (await heardAfter(call)).results.at(-1) ?? "";
    const wait = kind.waitOn?.(result);
    return wait === undefined ? result : answerTo(wait);
  };
  const result = await play({
    first,
    hear: heardAfter,
    call: async (tool, args) => kind.answerIn(await answerTo(kind.call(tool, args))),
    callOwn: answerTo,
    run: (command) => answerTo(kind.shell.call(command)),
  });
  model.reply({ says: "Done." });
  return result;
}
